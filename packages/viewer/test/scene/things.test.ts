import { readFileSync } from "node:fs";
import type { Column, EntitySet, State } from "simtape";
import { Box3, InstancedMesh, Matrix4, type Object3D, Quaternion, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { principal } from "../../src/scene/things/pick.ts";
import { PRESENTERS } from "../../src/scene/presenters/registry.ts";
import { FIGURES, type Figure } from "../../src/scene/presenters/thing-shapes.ts";
import { thingsIn } from "../../src/scene/over/said.ts";

type Columns = Readonly<
  Record<string, { readonly data: number[]; readonly width: number; readonly unit: string | null }>
>;

function setOf(columns: Columns, axes: EntitySet["axes"] = null): EntitySet {
  const { data, width } = Object.values(columns)[0]!;
  return {
    ids: Array.from({ length: data.length / width }, (_, i) => i + 1),
    axes,
    columns: new Map(
      Object.entries(columns).map(([name, column]) => [
        name,
        { ...column, data: Float64Array.from(column.data), interpolation: "hold" },
      ]),
    ),
  };
}

const GEODETIC = { handed: "right", up: "z", kind: "geodetic" } as const;
const HARBOUR = setOf(
  {
    geodetic: { data: [54.32, 10.14, 0], width: 3, unit: "deg deg m" },
    rotation: { data: [0, 0, 90], width: 3, unit: "deg" },
    depth: { data: [7.25], width: 1, unit: "m" },
  },
  GEODETIC,
);

function castOf(set: EntitySet, figure: string | null, name = "things"): Cast {
  const cast = new Cast(new Origin(), -1, figure === null ? {} : { presenters: { [name]: figure } });
  cast.show(stateOf(set, name));
  return cast;
}

function stateOf(set: EntitySet, name = "things"): State {
  return { time: 0, values: new Map(), sets: new Map([[name, set]]) };
}

/** Metres ahead, up and across of each thing that is drawn, seen from so far above the first. */
function drawn(cast: Cast, away: number): number[][] {
  const { positions } = cast.crowds[0]!.poses;
  cast.see({ position: new Vector3(positions[0], positions[1]! + away, positions[2]), pixels: 300, seen: 600 });
  const sizes: number[][] = [];
  cast.object.traverse((part: Object3D) => {
    if (!(part instanceof InstancedMesh)) return;
    for (let i = 0; i < part.count; i++) {
      const scale = new Vector3();
      new Matrix4().fromArray(part.instanceMatrix.array, 16 * i).decompose(new Vector3(), new Quaternion(), scale);
      sizes.push(scale.toArray().map((value) => Number(value.toPrecision(4))));
    }
  });
  return sizes;
}

const AT = { position: { data: [0, 0, 0], width: 3, unit: "m" } };

test("docs/kit.md names every presenter", () => {
  const page = readFileSync(new URL("../../../../docs/kit.md", import.meta.url), "utf8");
  expect([...PRESENTERS.keys()].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe("things of other formats", () => {
  test.each(Object.keys(FIGURES) as Figure[])("a figure fills a box of 1 m, with x ahead: %s", (figure) => {
    const geometry = FIGURES[figure].make();
    geometry.computeBoundingBox();
    const size = geometry.boundingBox!.getSize(new Vector3());
    for (const length of size.toArray()) expect(length).toBeGreaterThan(0.9);
    for (const length of size.toArray()) expect(length).toBeLessThan(1.15);
    expect(geometry.boundingBox!.max.x).toBeCloseTo(0.5, 1);
  });

  test.each([
    ["vehicle", "1 vehicle", [4.6, 1.5, 1.9]],
    ["vessel", "1 vessel", [12, 6, 3.8]],
    ["person", "1 person", [0.35, 1.8, 0.55]],
    ["points", "1 thing of things", [0.5, 0.5, 0.5]],
    [null, "1 thing of things", [0.5, 0.5, 0.5]],
  ])("are drawn as the format says: %s", (figure, words, size) => {
    const cast = castOf(setOf(AT), figure);
    expect(cast.describe()).toBe(words);
    expect(drawn(cast, 5)).toEqual([size]);
    cast.dispose();
  });

  test("have the size that the recording says, along their own axes", () => {
    const set = setOf({ ...AT, size: { data: [80, 14, 9], width: 3, unit: "m" } });
    const cast = castOf(set, "vessel");
    expect(drawn(cast, 5)).toEqual([[80, 9, 14]]);
    cast.dispose();
    const flat = setOf({ ...AT, size: { data: [24, 9, Number.NaN], width: 3, unit: "m" } });
    expect(drawn(castOf(flat, "vessel"), 5)).toEqual([[24, 12, 9]]);
  });

  test("are as long as some pixels from any distance, and as large as they are nearby", () => {
    const cast = castOf(setOf(AT), "vessel");
    // A metre at 1 km is 0.6 pixels.
    expect(drawn(cast, 1000)[0]![0]! * 0.6).toBeCloseTo(18, 1);
    expect(drawn(cast, 10)).toEqual([[12, 6, 3.8]]);
    cast.dispose();
  });

  test.each([0.2, 3000])("are framed with a track of %d m, and fit into it", (length) => {
    const cast = castOf(setOf(AT), null);
    const track = Float32Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? (length * i) / 27 : 0));
    expect(cast.reach("things", track)).toBe(true);
    expect(cast.reach("things", track)).toBe(false);
    const box = new Box3();
    cast.frame(box);
    const seen = box.getSize(new Vector3()).length();
    expect(seen).toBeGreaterThan(length);
    expect(seen).toBeLessThan(1.3 * length);
    expect(drawn(cast, length / 10)[0]![0]).toBeLessThanOrEqual(length / 20);
    cast.dispose();
  });

  test("on the earth are no aircraft unless the format says so", () => {
    expect(castOf(HARBOUR, null).describe()).toBe("1 thing of things");
    expect(castOf(HARBOUR, "aircraft").crowds[0]!.flies).toBe(true);
    for (const figure of [null, "vessel", "vehicle", "person"])
      expect(castOf(HARBOUR, figure).crowds[0]!.flies, String(figure)).toBe(false);
  });

  test("as aircraft have feet and knots, whatever the recording is in", () => {
    const set = setOf(
      {
        geodetic: { data: [54.32, 10.14, 304.8], width: 3, unit: "deg deg m" },
        velocity: { data: [30, 0, 0], width: 3, unit: "m/s" },
        rotation: { data: [0, 0, 90], width: 3, unit: "deg" },
      },
      GEODETIC,
    );
    const readings = castOf(set, "aircraft").crowds[0]!.readings(0, stateOf(set));
    expect(readings.map(({ label, value, unit }) => [label, Math.round(Number(value)), unit])).toEqual([
      ["speed", 58, "kt"],
      ["altitude", 1000, "ft"],
      ["heading", 90, "°"],
    ]);
  });

  test("show their own numbers with their units, not those of a cockpit", () => {
    const cast = castOf(HARBOUR, "vessel");
    expect(cast.crowds[0]!.readings(0, stateOf(HARBOUR))).toEqual([
      { label: "depth", value: 7.25, unit: "m", digits: 1 },
    ]);
    const moving = setOf({ ...AT, velocity: { data: [3, 4, 0], width: 3, unit: "m/s" } });
    expect(castOf(moving, null).crowds[0]!.readings(0, stateOf(moving))).toEqual([
      { label: "speed", value: 5, unit: "m/s", digits: 1 },
    ]);
  });
});

describe("a town as Foxglove shows it: frames, boxes in them, and the poses of each list", () => {
  const ids = ["other/1", "vehicles/7", "vehicles/8", "walkers/4"];
  const places = [0, 0, 0, 9, 0, 0, 30, 0, 0, 20, 5, 0];
  const sizes = [0.5, 0.5, 0.5, 4, 2, 1.5, 6, 2.5, 2, 0.5, 0.5, 1.8];
  const town = (
    names: readonly string[],
    columns: Columns,
    texts: Readonly<Record<string, readonly string[]>> = {},
  ) => {
    const set = setOf({ position: { data: places, width: 3, unit: "m" }, ...columns });
    const written = Object.entries(texts).map(
      ([name, data]) => [name, { data, width: 1, unit: null, interpolation: "hold" }] as const,
    );
    return { ...set, ids: names, columns: new Map([...set.columns, ...written]) };
  };
  const size = { data: sizes, width: 3, unit: "m" };
  const kind = ["spectator", "vehicle.seat.leon", "vehicle.nissan.patrol", "walker.pedestrian"];
  const state = (): State => ({
    time: 0,
    values: new Map(),
    sets: new Map([
      ["frames", town(ids, {})],
      ["poses", town(["/poses/other[0]", "/poses/vehicles[0]", "/poses/vehicles[1]", "/poses/walkers[0]"], {})],
      ["scene", town(["/a other/1", "/b vehicles/7", "/b vehicles/8", "/c walkers/4"], { size }, { kind, frame: ids })],
    ]),
  });
  const shown = (): Cast => {
    const cast = new Cast(new Origin(), -1);
    cast.show(state());
    return cast;
  };

  test("it is about the largest thing by its name, not about a pose of a list", () => {
    const cast = shown();
    const { crowd, row } = principal(cast.crowds, ["poses", "scene", "frames"])!;
    expect([crowd.set, crowd.poses.ids[row], crowd.label(row)]).toEqual([
      "scene",
      "/b vehicles/8",
      "patrol vehicles/8",
    ]);
    cast.dispose();
  });

  test("what is the same by name is there once, and a pose of a list is no robot", () => {
    const cast = shown();
    expect(cast.describe()).toBe("4 things of scene, 0 robots, 4 poses");
    const frames = cast.crowds.find(({ set }) => set === "frames")!;
    expect(ids.map((_, row) => frames.poses.isDrawn(row))).toEqual([false, false, false, false]);
    expect(thingsIn(cast, 100).map(({ label }) => label)).toEqual([
      "spectator other/1",
      "leon vehicles/7",
      "patrol vehicles/8",
      "pedestrian walkers/4",
    ]);
    cast.dispose();
  });
});

test("a robot is what it is about, not what it sees", () => {
  const texts = (name: string, data: readonly string[]) =>
    [name, { data, width: 1, unit: null, interpolation: "hold" }] as const;
  const at = (count: number) => setOf({ position: { data: Array<number>(3 * count).fill(1), width: 3, unit: "m" } });
  const [poses, frames] = [at(3), at(3)];
  const state: State = {
    time: 0,
    values: new Map(),
    sets: new Map([
      ["frames", named(frames, ["base", "laser", "odom"], texts("parent", ["odom", "base", "map"]))],
      ["poses", named(poses, ["/nearest", "/odometry", "/pose"], texts("frame", ["laser", "odom", "map"]))],
    ]),
  };
  const cast = new Cast(new Origin(), -1);
  cast.show(state);
  const { crowd, row } = principal(cast.crowds, ["poses"])!;
  expect(crowd.label(row)).toBe("pose");
  cast.dispose();
});

function named(set: EntitySet, ids: readonly string[], column: readonly [string, Column]): EntitySet {
  return { ...set, ids, columns: new Map([...set.columns, column]) };
}

test("people are what it is about, not one of their hands", () => {
  const texts = { kind: ["hand.left", "headset"], label: ["Ada", "Ada"] };
  const written = Object.entries(texts).map(
    ([name, data]) => [name, { data, width: 1, unit: null, interpolation: "hold" }] as const,
  );
  const set = setOf({ position: { data: [0, 1, 0, 0, 2, 0], width: 3, unit: "m" } });
  const people = { ...set, ids: ["ada/hand.left", "ada/headset"], columns: new Map([...set.columns, ...written]) };
  const cast = castOf(people, null, "avatars");
  const { crowd, row } = principal(cast.crowds)!;
  expect([crowd.poses.ids[row], crowd.label(row)]).toEqual(["ada/headset", "Ada"]);
  cast.dispose();
});
