import { readFileSync } from "node:fs";
import { type Axes, filesBundle, open, standardAxes, type State } from "simtape";
import { Box3, Matrix4, type PerspectiveCamera, Vector3 } from "three";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CameraRig, fieldFor } from "../../src/scene/camera/camera-rig.ts";
import { Cast } from "../../src/scene/cast.ts";
import { axesOf } from "../../src/scene/over/compass.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { placeOf, principal, type Spot } from "../../src/scene/things/pick.ts";
import { scaleOf } from "../../src/scene/over/scale-bar.ts";
import { example } from "../support/viewer.ts";

let isStill = false;
let now = 0;

beforeEach(() => {
  isStill = false;
  now = 0;
  vi.stubGlobal("matchMedia", () => ({ matches: isStill }));
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What the controls of a camera listen to. */
function element(): HTMLElement {
  const root = { addEventListener: () => undefined, removeEventListener: () => undefined };
  return {
    ...root,
    ownerDocument: root,
    style: {},
    clientWidth: 800,
    clientHeight: 400,
    getRootNode: () => root,
  } as never;
}

function rigOf(): CameraRig {
  const rig = new CameraRig(
    element(),
    () => undefined,
    () => undefined,
  );
  rig.fit(800, 400);
  return rig;
}

/** As it is drawn at a time, in milliseconds. */
function drawn(rig: CameraRig, spot: Spot | null, at: number, isChosen = false): PerspectiveCamera {
  now = at;
  rig.follow(spot, isChosen);
  rig.settle();
  rig.fit(800, 400);
  return rig.camera;
}

async function castOf(name: string): Promise<Cast> {
  await using recording = await open(filesBundle(new Map([[name, new Uint8Array(readFileSync(example(name)))]])));
  const { start, end } = await recording.timeline();
  const cast = new Cast(new Origin(), -1);
  cast.show(await recording.state((start + end) / 2));
  cast.object.updateMatrixWorld();
  return cast;
}

const AHEAD = new Vector3();
const LOCAL = standardAxes("right", "z");
const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"];

describe("the camera", () => {
  test.each([1, 16 / 9, 2.5, 4])(
    "never sees more than 75° from left to right, nor 45° from below, at %d:1",
    (aspect) => {
      const down = Math.tan((fieldFor(aspect) * Math.PI) / 360);
      const across = (2 * Math.atan(down * aspect) * 180) / Math.PI;
      expect(across).toBeLessThanOrEqual(75 + 1e-9);
      expect(fieldFor(aspect)).toBeLessThanOrEqual(45);
      expect(Math.max(across / 75, fieldFor(aspect) / 45)).toBeCloseTo(1);
    },
  );

  test.each(EXAMPLES)("that looked out of what %s is about looks at it then, from outside", async (name) => {
    const cast = await castOf(name);
    const spot = principal(cast.crowds)!;
    const place = placeOf(spot.crowd, spot.row, new Vector3());
    for (const mode of ["orbit", "follow", "top"] as const) {
      const rig = rigOf();
      const far = new Vector3(500, 0, 500);
      rig.home(new Box3(far, far.clone().addScalar(1)), null);
      rig.setMode("first-person", spot);
      drawn(rig, spot, 0);
      rig.setMode(mode, spot);
      const camera = drawn(rig, spot, 1000);
      const reach = spot.crowd.radius * spot.crowd.frame.matrixWorld.getMaxScaleOnAxis();
      expect([mode, rig.target.distanceTo(place) <= reach]).toEqual([mode, true]);
      expect([mode, camera.position.distanceTo(place) > 1.5 * reach]).toEqual([mode, true]);
      const middle = rig.target.clone().project(camera);
      expect([mode, Math.hypot(middle.x, middle.y) < 1e-3]).toEqual([mode, true]);
    }
  });

  test("from above keeps what was chosen in the middle as it goes, with north up; what was not, goes on alone", () => {
    isStill = true;
    const rig = rigOf();
    rig.setMode("top", null);
    rig.home(new Box3(new Vector3(-40, 0, -40), new Vector3(40, 1, 40)), null);
    const cast = new Cast(new Origin(), -1);
    const at = (x: number, z: number): Spot => {
      const position = { data: Float64Array.of(x, z, 0), width: 3, unit: "m", interpolation: "hold" } as const;
      const drones = { ids: [1], columns: new Map([["position", position]]), axes: LOCAL };
      cast.show({ time: 0, values: new Map(), sets: new Map([["drones", drones]]) } as unknown as State);
      return { crowd: cast.crowds[0]!, row: 0 };
    };
    const seen = (spot: Spot): Vector3 => placeOf(spot.crowd, spot.row, new Vector3()).project(rig.camera);
    const { distance } = rig;
    for (const [x, y, isChosen] of [
      [10, 5, true],
      [30, -20, true],
      [300, -200, true],
      [30, 10, false],
    ] as const) {
      const spot = at(x, y);
      drawn(rig, spot, 0, isChosen);
      const { x: aside, y: up } = seen(spot);
      expect(Math.hypot(aside, up) < 0.02).toBe(isChosen);
      // what is farther north is higher in the picture
      expect(AHEAD.set(0, 0, -1).applyQuaternion(rig.camera.quaternion).y).toBeLessThan(-0.999);
      expect(AHEAD.set(0, 1, 0).applyQuaternion(rig.camera.quaternion).z).toBeLessThan(-0.99);
      expect(rig.distance).toBeCloseTo(distance, 3);
    }
    cast.dispose();
  });

  test("goes where it is sent in a moment, and at once where the user wants less motion", () => {
    for (const still of [false, true]) {
      isStill = still;
      const rig = rigOf();
      rig.home(new Box3(new Vector3(-1, 0, -1), new Vector3(1, 1, 1)), null);
      const before = drawn(rig, null, 0).position.clone();
      rig.ease();
      rig.home(new Box3(new Vector3(99, 0, -1), new Vector3(101, 1, 1)), null);
      const part = (at: number): number => drawn(rig, null, at).position.distanceTo(before) / 100;
      const parts = [0, 100, 200, 300, 1000].map(part);
      expect(parts.at(-1)).toBeCloseTo(1);
      if (still) expect(parts).toEqual(parts.map(() => parts.at(-1)));
      else {
        expect(parts[0]).toBe(0);
        expect(parts).toEqual([...new Set(parts)].sort((a, b) => a - b));
      }
    }
  });
});

describe("who looks out of the picture", () => {
  test.each(EXAMPLES)("is not drawn in %s, and is again", async (name) => {
    const cast = await castOf(name);
    const spot = principal(cast.crowds)!;
    const { poses } = spot.crowd;
    const eye = {
      position: placeOf(spot.crowd, spot.row, new Vector3()).add(new Vector3(0, 0, 3)),
      pixels: 800,
      seen: 800,
    };
    const look = (): string => {
      cast.see(eye);
      return shapesOf(cast);
    };
    const all = look();
    cast.hide(spot, null);
    expect(poses.ids.filter((_, row) => !poses.isDrawn(row))).toEqual([poses.ids[spot.row]]);
    expect(poses.isKnown(spot.row)).toBe(true);
    expect(look()).not.toBe(all);
    cast.hide(null, null);
    expect(look()).toBe(all);
  });
});

test("what stands where the eye is, is not drawn into it; what stands beside it is", async () => {
  const cast = await castOf("race.hcrp");
  const state = cast.state!;
  const players = state.sets.get("players")!;
  const position = players.columns.get("position")!;
  const data = Float64Array.from(position.data as Float64Array);
  for (const [row, by] of [0, 0.1, 1].entries())
    data.set([data[0]! + (row === 0 ? 0 : by), data[1]!, data[2]!], 3 * row);
  const columns = new Map([...players.columns, ["position", { ...position, data }] as const]);
  cast.show({ ...state, sets: new Map([...state.sets, ["players", { ...players, columns }] as const]) });
  const { crowd } = principal(cast.crowds)!;
  const eye = placeOf(crowd, 0, new Vector3()).add(new Vector3(0, crowd.eye, 0));
  cast.hide({ crowd, row: 0 }, eye);
  expect([0, 1, 2].map((row) => crowd.poses.isDrawn(row))).toEqual([false, false, true]);
  // A ghost of the same run looks out of itself as well.
  cast.hide(null, eye);
  expect([0, 1, 2].map((row) => crowd.poses.isDrawn(row))).toEqual([false, false, true]);
  cast.hide(null, null);
  expect([0, 1, 2].every((row) => crowd.poses.isDrawn(row))).toBe(true);
});

/** How many of each shape are drawn. */
function shapesOf(cast: Cast): string {
  const counts: string[] = [];
  cast.object.traverse((part) => {
    if ("isInstancedMesh" in part) counts.push(String((part as unknown as { count: number }).count));
    else counts.push(part.visible ? "seen" : "hidden");
  });
  return counts.join();
}

describe("axes in the corner", () => {
  const STILL = new Matrix4();
  const AXES: readonly [Axes, Record<string, number[]>][] = [
    [
      { handed: "right", up: "z", kind: "local" },
      { x: [1, 0, 0], y: [0, 0, -1], z: [0, 1, 0] },
    ],
    [
      { handed: "left", up: "z", kind: "local" },
      { x: [1, 0, 0], y: [0, 0, 1], z: [0, 1, 0] },
    ],
    [
      { handed: "right", up: "y", kind: "local" },
      { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] },
    ],
    [
      { handed: "right", up: "z", kind: "geodetic" },
      { E: [1, 0, 0], N: [0, 0, -1], up: [0, 1, 0] },
    ],
  ];

  test.each(AXES)("of %j are where things go whose numbers grow", (axes, expected) => {
    const found = axesOf(axes, STILL).map(({ name, direction }) => [name, direction.toArray().map((v) => v + 0)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test("turn with what they are in", () => {
    const turned = new Matrix4().makeRotationY(Math.PI / 2).scale(new Vector3(-3, 3, 3));
    const [x] = axesOf({ handed: "right", up: "y", kind: "local" }, turned);
    expect(x!.direction.distanceTo(new Vector3(0, 0, 1))).toBeLessThan(1e-6);
  });
});

test.each([
  [0.1, "10 m", 100],
  [0.05, "5 m", 100],
  [0.019, "2 m", 105.3],
  [25, "2 km", 80],
  [0.001, "10 cm", 100],
  [1e-10, "10 nm", 100],
  [3e-12, "0.2 nm", 66.7],
])("a pixel of %d m makes a bar of %s", (metres, text, pixels) => {
  const scale = scaleOf(metres);
  expect(scale.text).toBe(text);
  expect(scale.pixels).toBeCloseTo(pixels, 1);
});
