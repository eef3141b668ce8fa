import { type Group, type Points, Vector3 } from "three";
import type { State, Value } from "simtape";
import { describe, expect, test } from "vitest";
import { Look } from "../../src/scene/drawing/look.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { scanOf, scanPoints } from "../../src/scene/presenters/scan.ts";
import { Scans } from "../../src/scene/presenters/scans.ts";

const PARTS = {
  ros: {
    header: { frame_id: "laser" },
    angle_min: -Math.PI / 2,
    angle_max: Math.PI / 2,
    angle_increment: Math.PI / 2,
    range_min: 0.1,
    range_max: 10,
    ranges: Float32Array.of(2, 3, 4),
    intensities: Float32Array.of(0, 50, 100),
  },
  foxglove: {
    frame_id: "laser",
    pose: { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
    start_angle: -Math.PI / 2,
    end_angle: Math.PI / 2,
    ranges: [2, 3, 4],
    intensities: [0, 50, 100],
  },
  mira: {
    startAngle: -90,
    deltaAngle: 90,
    minimumRange: 0.1,
    maximumRange: 10,
    range: [2, 3, 4],
    reflectance: [0, 50, 100],
  },
} as const;

/** Ends of the beams that met something: ahead, left, as a scanner has them. */
function endsOf(value: unknown): number[][] {
  const scan = scanOf(value as Value)!;
  const beams = scan.range.length;
  const hits = new Float32Array(3 * beams);
  scanPoints(scan, new Float32Array(3 * beams + 3), hits);
  return Array.from({ length: beams }, (_, i) =>
    [hits[3 * i]!, -hits[3 * i + 2]!].map((each) => Math.round(each * 1e4) / 1e4 + 0),
  );
}

describe("a laser scan", () => {
  test.each(Object.entries(PARTS))("of %s has its beams counter-clockwise, and what came back", (_, value) => {
    expect(endsOf(value)).toEqual([
      [0, -2],
      [3, 0],
      [0, 4],
    ]);
    expect(Array.from(scanOf(value as unknown as Value)!.intensity!)).toEqual([0, 50, 100]);
  });

  test.each([
    ["beyond its reach", { ...PARTS.ros, ranges: [2, 10, Number.POSITIVE_INFINITY] }],
    ["too near", { ...PARTS.ros, ranges: [2, 0.05, 0] }],
    ["no number", { ...PARTS.ros, ranges: [2, Number.NaN, null] }],
  ])("has no end of a beam that is %s", (_, value) => {
    expect(endsOf(value)).toEqual([
      [0, -2],
      [0, 0],
      [0, 0],
    ]);
  });

  test.each([
    [{ ...PARTS.ros, intensities: [] }],
    [{ ...PARTS.ros, intensities: [7, 7, 7] }],
    [{ ...PARTS.mira, reflectance: undefined }],
  ])("without intensities that differ says nothing of them", (value) => {
    expect(scanOf(value as unknown as Value)!.intensity).toBeNull();
  });

  test.each([[3], [null], [{}], [{ angle_min: 0, ranges: [1, 2] }], [{ start_angle: 0, end_angle: 1, ranges: [1] }]])(
    "%j is none",
    (value) => {
      expect(scanOf(value as unknown as Value)).toBeNull();
    },
  );
});

describe("what laser scanners see", () => {
  const column = (width: number, data: readonly number[]) => ({
    kind: "f64",
    width,
    unit: null,
    data: Float64Array.from(data),
  });
  const half = Math.SQRT1_2;

  /** A frame at (10, 20, 1) that looks to the left, and one that is elsewhere. */
  function stateOf(values: Readonly<Record<string, unknown>>): State {
    const frames = {
      ids: ["other", "laser"],
      axes: { handed: "right", up: "z", kind: "local" },
      columns: new Map<string, unknown>([
        ["position", column(3, [0, 0, 0, 10, 20, 1])],
        ["orientation", column(4, [0, 0, 0, 1, 0, 0, half, half])],
      ]),
    };
    return {
      time: 0,
      values: new Map(Object.entries(values)),
      sets: new Map([["frames", frames]]),
    } as unknown as State;
  }

  /** Places in the recording of what was met. */
  function metIn(scans: Scans): number[][] {
    scans.object.updateMatrixWorld(true);
    const [here] = (scans.object.children[0] as Group).children as [Group];
    if (!here.visible) return [];
    const points = here.children[2] as Points;
    const places = points.geometry.getAttribute("position");
    return Array.from({ length: places.count }, (_, i) => {
      const { x, y, z } = new Vector3().fromBufferAttribute(places as never, i).applyMatrix4(points.matrixWorld);
      return [x, -z, y].map((each) => Math.round(each * 1e4) / 1e4 + 0);
    });
  }

  test("is where the frame of a scan is, turned as it is", () => {
    const scans = new Scans({ origin: new Origin(), look: new Look(-1) });
    scans.update(stateOf({ "/scan": PARTS.ros }));
    expect(metIn(scans)).toEqual([
      [12, 20, 1],
      [10, 23, 1],
      [6, 20, 1],
    ]);
    expect(scans.intensities).toEqual([0, 100]);
    scans.dispose();
  });

  test("has the colours of its own intensities, whatever was watched before", () => {
    const weak = stateOf({ "/scan": { ...PARTS.ros, intensities: Float32Array.of(10, 20, 30) } });
    const tints = (scans: Scans): ArrayLike<number> => {
      const [here] = (scans.object.children[0] as Group).children as [Group];
      return (here.children[2] as Points).geometry.getAttribute("tint").array;
    };
    const [fresh, watched] = [0, 1].map(() => new Scans({ origin: new Origin(), look: new Look(-1) })) as [
      Scans,
      Scans,
    ];
    watched.update(stateOf({ "/scan": PARTS.ros }));
    for (const scans of [fresh, watched]) scans.update(weak);
    expect(watched.intensities).toEqual([10, 30]);
    expect(fresh.intensities).toEqual([10, 30]);
    expect(Array.from(tints(watched))).toEqual(Array.from(tints(fresh)));
    for (const scans of [fresh, watched]) scans.dispose();
  });

  test("is moved by the pose that a scan has in its frame", async () => {
    const pose = { position: { x: 1, y: 0, z: 0.5 }, orientation: { x: 0, y: 0, z: 1, w: 0 } };
    const scans = new Scans({ origin: new Origin(), look: new Look(-1) });
    scans.update(stateOf({ "/scan": { ...PARTS.foxglove, pose } }));
    // a metre to the left of the map, and turned round
    expect(metIn(scans)).toEqual([
      [8, 21, 1.5],
      [10, 18, 1.5],
      [14, 21, 1.5],
    ]);
    scans.dispose();
  });

  test("is not drawn where nothing says where its frame is", () => {
    const scans = new Scans({ origin: new Origin(), look: new Look(-1) });
    scans.update(stateOf({ "/scan": { ...PARTS.ros, header: { frame_id: "nowhere" } } }));
    expect(metIn(scans)).toEqual([]);
    scans.dispose();
  });
});
