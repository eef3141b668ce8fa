import { type EntitySet, type State, open } from "simtape";
import { readFileSync } from "node:fs";
import { InstancedMesh, Matrix4, type Object3D, Quaternion, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { sample, sampleNames } from "../../../simtape/test/samples.ts";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { middleOf, placeOf } from "../../src/scene/things/pick.ts";
import { type AircraftKind, kindOfAircraft } from "../../src/scene/presenters/aircraft-kinds.ts";
import { AIRFRAMES } from "../../src/scene/presenters/airframes.ts";

const MODELS: readonly (readonly [string, AircraftKind])[] = [
  ["Aircraft/ask21/Models/ask21.xml", "glider"],
  ["Aircraft/ASK13/Models/ask13.xml", "glider"],
  ["Aircraft/DG-101G/Models/DG-101G.xml", "glider"],
  ["Aircraft/bocian/Models/bocian.xml", "glider"],
  ["Aircraft/bo105/Models/bo105.xml", "helicopter"],
  ["Aircraft/ec135/Models/ec135.xml", "helicopter"],
  ["Aircraft/R22/Models/R22.xml", "helicopter"],
  ["Aircraft/UH-1/Models/uh1.xml", "helicopter"],
  ["Aircraft/737-800/Models/737-800.xml", "airliner"],
  ["Aircraft/777/Models/777-200ER.xml", "airliner"],
  ["Aircraft/A320-family/Models/A320.xml", "airliner"],
  ["Aircraft/A320neo/Models/A320neo.xml", "airliner"],
  ["Aircraft/CRJ700-family/Models/CRJ700.xml", "airliner"],
  ["Aircraft/Concorde/Models/Concorde-ba.xml", "airliner"],
  ["Aircraft/f-14b/Models/f-14b.xml", "fighter"],
  ["Aircraft/f16/Models/F-16.xml", "fighter"],
  ["Aircraft/JA37/Models/ja37.xml", "fighter"],
  ["Aircraft/MiG-15/Models/MiG-15-model.xml", "fighter"],
  ["Aircraft/ufo/Models/ufo.xml", "ufo"],
  ["ufo", "ufo"],
  ["c172p", "light"],
  ["Aircraft/c172p/Models/c172p.xml", "light"],
  ["Aircraft/pa28-161/Models/pa28-161.xml", "light"],
  ["Aircraft/Dragonfly/Models/Dragonfly.xml", "light"],
  ["Aircraft/dhc2/Models/dhc2floats.xml", "light"],
  ["Aircraft/SenecaII/Models/SenecaII.xml", "light"],
  ["", "light"],
];

test.each(MODELS)("%s is drawn as one that is a %s", (name, kind) => {
  expect(kindOfAircraft(name)).toBe(kind);
});

test("the first name that tells anything decides", () => {
  expect(kindOfAircraft("", "ask21")).toBe("glider");
  expect(kindOfAircraft("Aircraft/bo105/Models/bo105.xml", "D-ASK21")).toBe("helicopter");
});

describe("the airframe of a", () => {
  test.each(Object.entries(AIRFRAMES))("%s is whole, small, and as large as it says", (_, { make, radius, top }) => {
    const geometry = make();
    const places = geometry.getAttribute("position");
    expect(places.count).toBeGreaterThan(100);
    expect(places.count).toBeLessThan(4000);
    for (const name of ["position", "normal", "color"]) {
      const { array } = geometry.getAttribute(name);
      expect(array.every(Number.isFinite), name).toBe(true);
    }
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox!;
    const reach = Math.max(max.x, -min.x, max.z, -min.z);
    expect(reach).toBeGreaterThan(0.8 * radius);
    expect(reach).toBeLessThan(1.05 * radius);
    expect(max.y).toBeLessThan(1.05 * top);
    // as wide on the left as on the right
    expect(max.z + min.z).toBeCloseTo(0, 0);
  });

  test.each(Object.entries(AIRFRAMES))("%s looks outwards: light falls on it from above", (_, { make }) => {
    const geometry = make();
    geometry.computeBoundingBox();
    const normals = geometry.getAttribute("normal");
    const places = geometry.getAttribute("position");
    // The highest corner and the lowest look up and down.
    let [highest, lowest] = [0, 0];
    for (let i = 0; i < places.count; i++) {
      if (places.getY(i) > places.getY(highest)) highest = i;
      if (places.getY(i) < places.getY(lowest)) lowest = i;
    }
    expect(normals.getY(highest)).toBeGreaterThanOrEqual(0);
    expect(normals.getY(lowest)).toBeLessThanOrEqual(0.01);
  });
});

test.each([
  ["c172p", "light"],
  ["Aircraft/ask21/Models/ask21.xml", "glider"],
  ["Aircraft/777/Models/777-200ER.xml", "airliner"],
  ["Aircraft/f16/Models/F-16.xml", "fighter"],
  ["Aircraft/R22/Models/R22.xml", "helicopter"],
  ["ufo", "ufo"],
] as const)("who follows %s sees the nose and the tail however steep it is", (model, kind) => {
  const cast = new Cast(new Origin(), -1);
  cast.show(stateOf([model], {}));
  const crowd = cast.crowds[0]!;
  const middle = middleOf({ crowd, row: 0 }, new Vector3()).sub(placeOf(crowd, 0, new Vector3()));
  const away = crowd.distance * Math.hypot(1, crowd.rise);
  const places = AIRFRAMES[kind].make().getAttribute("position");
  for (let i = 0; i < places.count; i++) {
    const reach = Math.hypot(places.getX(i), places.getY(i)) + middle.y;
    expect(reach / away).toBeLessThan(Math.sin((45 / 2) * (Math.PI / 180)));
  }
  cast.dispose();
});

function stateOf(kinds: readonly string[], values: Readonly<Record<string, number>>, time = 0): State {
  const column = (data: number[] | string[], width: number, unit: string | null) => ({
    data: typeof data[0] === "string" ? data : Float64Array.from(data as number[]),
    width,
    unit,
    interpolation: "hold" as const,
  });
  const set = {
    ids: ["self", ...kinds.slice(1).map((_, i) => `P${i}`)],
    axes: { handed: "right", up: "z", kind: "geodetic" },
    columns: new Map<string, unknown>([
      [
        "geodetic",
        column(
          kinds.flatMap((_, i) => [47, 8 + i / 1000, 500]),
          3,
          "deg deg m",
        ),
      ],
      ["kind", column([...kinds], 1, null)],
    ]),
  } as unknown as EntitySet;
  return { time, values: new Map(Object.entries(values)), sets: new Map([["aircraft", set]]) };
}

/** How many of each shape are drawn, and how the first of each is turned about the vertical. */
function drawn(cast: Cast): { readonly count: number; readonly turn: number }[] {
  const all: { count: number; turn: number }[] = [];
  cast.object.traverse((part: Object3D) => {
    if (!(part instanceof InstancedMesh) || part.count === 0) return;
    const turn = new Quaternion();
    new Matrix4().fromArray(part.instanceMatrix.array).decompose(new Vector3(), turn, new Vector3());
    all.push({ count: part.count, turn: Number((2 * Math.atan2(turn.y, turn.w)).toFixed(3)) });
  });
  return all;
}

test("aircraft of several kinds are drawn as what they are, each once", () => {
  const cast = new Cast(new Origin(), -1, { presenters: { aircraft: "aircraft" } });
  cast.show(stateOf(["bo105", "ask21", "Aircraft/ask21/Models/ask21.xml", "A320"], {}));
  expect(
    drawn(cast)
      .map(({ count }) => count)
      .sort((a, b) => a - b),
  ).toEqual([1, 1, 1, 2]);
  cast.show(stateOf(["c172p"], {}));
  expect(drawn(cast).map(({ count }) => count)).toEqual([1]);
});

test("a rotor turns as fast as it is recorded, and stands where it stands", () => {
  const turnOf = (rpm: number, time: number): number => {
    const cast = new Cast(new Origin(), -1, { presenters: { aircraft: "aircraft" } });
    cast.show(stateOf(["bo105"], { "/rotors/main/rpm": rpm }, time));
    return drawn(cast).reduce((sum, { turn }) => sum + turn, 0);
  };
  expect(turnOf(0, 1e9)).toBe(0);
  expect(turnOf(60, 1e9)).toBeCloseTo((2 * Math.PI) / 12, 2);
  expect(turnOf(120, 1e9)).toBeCloseTo((2 * Math.PI) / 6, 2);
});

const UFO = "ufo-continuous.fgtape";

test.skipIf(!sampleNames("flightgear").includes(UFO))("the one of a real flight is as large as its kind", async () => {
  await using recording = await open(new Uint8Array(readFileSync(sample(`flightgear/${UFO}`))));
  const cast = new Cast(new Origin(), -1, { presenters: { aircraft: "aircraft" } });
  cast.show(await recording.state(20e9));
  expect(cast.crowds[0]!.radius).toBeCloseTo(AIRFRAMES.ufo.radius, 6);
});
