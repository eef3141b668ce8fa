import { InstancedMesh, Matrix4, type Object3D, Vector3 } from "three";
import type { Axes, State, Value } from "simtape";
import { describe, expect, test, vi } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { JOINTS, jointOf, placeJoints } from "../../src/scene/presenters/skeleton.ts";

type Numbers = readonly [number, number, number];

/** As CARLA's recordings have them. */
const AXES: Axes = {
  handed: "left",
  up: "z",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "x" },
  velocities: "set",
};

/** Who stands with hanging arms, cm: ahead, right, up of the joint above. */
const STANDING: Readonly<Record<string, Numbers>> = {
  crl_root: [0, 0, 0],
  crl_hips__C: [0, 0, 95],
  crl_spine__C: [0, 0, 12],
  crl_spine01__C: [0, 0, 18],
  crl_neck__C: [0, 0, 24],
  crl_Head__C: [0, 0, 10],
  ...both((side, name) => ({
    [`ctrl_shoulder__${name}`]: [0, 6 * side, 18],
    [`crl_arm__${name}`]: [0, 12 * side, 0],
    [`crl_foreArm__${name}`]: [0, 2 * side, -28],
    [`crl_hand__${name}`]: [0, 1 * side, -26],
    [`crl_thigh__${name}`]: [0, 9 * side, -6],
    [`crl_leg__${name}`]: [0, 0, -42],
    [`crl_foot__${name}`]: [0, 0, -40],
    [`crl_toe__${name}`]: [14, 0, -5],
  })),
};

function both(of: (side: -1 | 1, name: string) => Record<string, Numbers>): Record<string, Numbers> {
  return { ...of(-1, "L"), ...of(1, "R") };
}

/** `turns`: roll, pitch and yaw by the name of a bone, degrees. */
function bones(turns: Readonly<Record<string, Numbers>> = {}, without: readonly string[] = []): Value {
  return Object.entries(STANDING)
    .filter(([name]) => !without.includes(name))
    .map(([name, location]) => ({ name, location, rotation: turns[name] ?? [0, 0, 0] })) as never;
}

function placed(value: Value): (name: string) => readonly number[] {
  const out = new Float64Array(3 * JOINTS);
  expect(placeJoints(value, out)).toBe(true);
  return (name) =>
    [...out.subarray(3 * jointOf(name), 3 * jointOf(name) + 3)].map((each) => Math.round(each * 1e6) / 1e6 + 0);
}

describe("the skeleton of a walker", () => {
  test("hangs each bone below the one above it: ahead, up and to the right of the feet", () => {
    const at = placed(bones());
    expect(at("hips__c")).toEqual([0, 0.95, 0]);
    expect(at("head__c")).toEqual([0, 1.59, 0]);
    expect(at("hand__r")).toEqual([0, 0.89, 0.21]);
    expect(at("toe__l")).toEqual([0.14, 0.02, -0.09]);
  });

  test("turns as Unreal does: yaw to the right, pitch up, roll to the right", () => {
    // an arm that hangs goes ahead by a pitch upwards
    expect(placed(bones({ crl_arm__L: [0, 90, 0] }))("hand__l")).toEqual([0.54, 1.43, -0.21]);
    // and the right arm goes out to the side by a roll to the left
    expect(placed(bones({ crl_arm__R: [-90, 0, 0] }))("hand__r")).toEqual([0, 1.46, 0.72]);
    // a foot is turned outwards
    expect(placed(bones({ crl_foot__R: [0, 0, 90] }))("toe__r")).toEqual([0, 0.02, 0.23]);
  });

  test("looks ahead, whatever quarter turn its own axes have", () => {
    const straight = placed(bones());
    for (const yaw of [-90, 90, 180]) {
      const turned = placed(bones({ crl_root: [0, 0, yaw] }));
      for (const name of ["toe__l", "hand__r", "head__c"]) expect(turned(name)).toEqual(straight(name));
    }
    // hips that are turned a little stay so
    const [ahead, , right] = placed(bones({ crl_root: [0, 0, 30] }))("toe__r");
    expect([ahead, right]).toEqual([expect.closeTo(0.0762, 3), expect.closeTo(0.1479, 3)]);
  });

  test("is none without head, hands or feet, or with numbers that are none; a shoulder may be missing", () => {
    const out = new Float64Array(3 * JOINTS);
    expect(placeJoints(undefined, out)).toBe(false);
    expect(placeJoints("bones", out)).toBe(false);
    for (const name of ["crl_Head__C", "crl_hand__L", "crl_foot__R"])
      expect(placeJoints(bones({}, [name]), out)).toBe(false);
    expect(placeJoints(bones({ crl_hips__C: [Number.NaN, 0, 0] }), out)).toBe(false);
    const [, , right] = placed(bones({}, ["ctrl_shoulder__R"]))("arm__r");
    expect(right).toBe(0.12);
  });
});

describe("a walker", () => {
  test("is drawn by the bones that were recorded, one without as one who walks", async () => {
    const cast = new Cast(new Origin(), -1);
    const raised = { crl_arm__L: [0, 170, 0], crl_arm__R: [0, 170, 0] } as const;
    const show = (): void => {
      cast.show(stateOf({ "bones/1": bones(raised) }));
      cast.see(EYE);
    };
    show();
    expect(cast.reads).toContain("bones");
    const before = shapes(cast.object);
    await vi.waitFor(() => expect(shapes(cast.object).length).toBeGreaterThan(before.length));
    show();
    const places = shapes(cast.object).flat();
    // the first looks to the right of the scene's x: ahead of it is z, and its right is behind x
    const hand = jointOf("hand__r");
    const joints = new Float64Array(3 * JOINTS);
    placeJoints(bones(raised), joints);
    const [ahead, up, right] = joints.subarray(3 * hand) as unknown as Numbers;
    const isAt = (x: number, y: number, z: number): boolean =>
      places.some((place) => place.distanceTo(new Vector3(x, y, z)) < 1e-4);
    expect(up).toBeGreaterThan(1.9);
    expect(isAt(2 - right, up, ahead)).toBe(true);
    expect(isAt(2, 1.65, 0)).toBe(true);
    // the second has none: a trunk at its place, and no joints
    expect(isAt(5, 1.65, 0)).toBe(false);
    expect(places.some(({ x }) => Math.abs(x - 5) < 0.2)).toBe(true);
    cast.dispose();
  });

  test("whose bones are few walks by its speed, and nothing is loaded", () => {
    const cast = new Cast(new Origin(), -1);
    cast.show(stateOf({ "bones/1": (bones() as Value[]).slice(0, 8) as never }));
    cast.see(EYE);
    expect(
      shapes(cast.object)
        .flat()
        .filter(({ x }) => Math.abs(x - 2) < 0.3).length,
    ).toBeGreaterThan(5);
    cast.dispose();
  });
});

/** Near, from above. */
const EYE = { position: new Vector3(0, 6, 0), pixels: 600, seen: 600 };

/** Two walkers who look to the right, two and five metres ahead. */
function stateOf(values: Readonly<Record<string, Value>>): State {
  const column = (data: readonly unknown[], width = 1, unit: string | null = null) => ({
    data,
    width,
    unit,
    interpolation: "hold",
  });
  const columns = new Map(
    Object.entries({
      kind: column(["walker.pedestrian.0001", "walker.pedestrian.0002"]),
      position: column([200, 0, 93, 500, 0, 93], 3, "cm"),
      rotation: column([0, 0, 90, 0, 0, 90], 3, "deg"),
      "box-center": column([0, 0, 0, 0, 0, 0], 3, "cm"),
      "box-extent": column([19, 19, 93, 19, 19, 93], 3, "cm"),
    }),
  );
  return {
    time: 0,
    values: new Map(Object.entries(values)),
    sets: new Map([["walkers", { ids: [1, 2], columns, axes: AXES }]]),
  } as never;
}

/** Of each shape that is drawn, where its copies are. */
function shapes(root: Object3D): Vector3[][] {
  const found: Vector3[][] = [];
  root.updateMatrixWorld(true);
  root.traverse((part) => {
    if (!(part instanceof InstancedMesh) || !part.visible) return;
    const matrix = new Matrix4();
    found.push(
      Array.from({ length: part.count }, (_, i) => {
        part.getMatrixAt(i, matrix);
        return new Vector3().setFromMatrixPosition(matrix);
      }),
    );
  });
  return found;
}
