import { InstancedMesh, Matrix4, type Object3D, Points, Quaternion, Vector3 } from "three";
import type { Axes, State } from "simtape";
import { describe, expect, test } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { factsOf, wheelsOf } from "../../src/scene/presenters/wheels.ts";

/** As CARLA's recordings have them. */
const AXES: Axes = {
  handed: "left",
  up: "z",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "x" },
  velocities: "set",
};

interface Given {
  readonly x?: number;
  readonly heading?: number;
  readonly steering?: number;
  readonly lights?: number;
  readonly brake?: number;
  readonly kind?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

function stateOf({ x = 0, heading = 0, steering = 0, lights = 0, brake = 0, kind, values = {} }: Given): State {
  const column = (data: readonly unknown[], width = 1, unit: string | null = null) => ({
    data,
    width,
    unit,
    interpolation: "hold",
  });
  const columns = new Map(
    Object.entries({
      kind: column([kind ?? "vehicle.tesla.model3"]),
      label: column([""]),
      position: column([x, 0, 0], 3, "cm"),
      rotation: column([0, 0, heading], 3, "deg"),
      "box-center": column([0, 0, 75], 3, "cm"),
      "box-extent": column([230, 95, 75], 3, "cm"),
      steering: column([steering]),
      brake: column([brake]),
      lights: column([lights]),
    }),
  );
  return {
    time: 0,
    values: new Map(Object.entries(values)),
    sets: new Map([["vehicles", { ids: [7], columns, axes: AXES }]]),
  } as never;
}

/** Near, from above. */
const EYE = { position: new Vector3(0, 6, 0), pixels: 600, seen: 600 };

/** The shapes that are drawn, by how many of each there are, with their matrices. */
function drawn(root: Object3D): { readonly count: number; readonly matrices: readonly Matrix4[]; corners: number }[] {
  const found: { count: number; matrices: Matrix4[]; corners: number }[] = [];
  root.updateMatrixWorld(true);
  root.traverse((part) => {
    if (!(part instanceof InstancedMesh) || !part.visible) return;
    const matrices = Array.from({ length: part.count }, (_, i) => {
      const matrix = new Matrix4();
      part.getMatrixAt(i, matrix);
      return matrix;
    });
    found.push({ count: part.count, matrices, corners: part.geometry.getAttribute("position").count });
  });
  return found;
}

function wheels(root: Object3D): readonly Matrix4[] {
  return drawn(root).find(({ count, corners }) => count === 4 && corners > 24)!.matrices;
}

/** Where a wheel's own axis and its first spoke look to. */
function looks(matrix: Matrix4): { readonly axis: Vector3; readonly spoke: Vector3 } {
  const turn = new Quaternion();
  matrix.decompose(new Vector3(), turn, new Vector3());
  return { axis: new Vector3(0, 0, 1).applyQuaternion(turn), spoke: new Vector3(1, 0, 0).applyQuaternion(turn) };
}

describe("a vehicle of CARLA", () => {
  function shown(...states: readonly Given[]): Cast {
    const cast = new Cast(new Origin(), -1);
    for (const state of states) {
      cast.show(stateOf(state));
      cast.see(EYE);
    }
    return cast;
  }

  test("is drawn where its box is, as large as that", () => {
    const cast = shown({ heading: 0 });
    const body = drawn(cast.object).find(({ count, corners }) => count === 1 && corners > 24)!.matrices[0]!;
    const [place, size] = [new Vector3(), new Vector3()];
    body.decompose(place, new Quaternion(), size);
    expect(place.toArray()).toEqual([0, 0.75, 0].map((n) => expect.closeTo(n, 4)));
    expect(size.toArray()).toEqual([4.6, 1.5, 1.9].map((n) => expect.closeTo(n, 4)));
    cast.dispose();
  });

  test("stands on four wheels at its corners", () => {
    const cast = shown({});
    const places = wheels(cast.object).map((matrix) => new Vector3().setFromMatrixPosition(matrix));
    expect(new Set(places.map(({ x, z }) => `${Math.sign(x)} ${Math.sign(z)}`)).size).toBe(4);
    for (const { x, y, z } of places) {
      expect(Math.abs(x)).toBeGreaterThan(1.2);
      expect(Math.abs(z)).toBeGreaterThan(0.7);
      expect(y).toBeCloseTo(0.3225, 3);
    }
    cast.dispose();
  });

  test("its wheels turn ahead by the way that it drives, and back again", () => {
    const radius = 0.3225;
    const cast = shown({ x: 0 }, { x: 100 * radius * 0.5 });
    // Half a radian ahead: what looked ahead looks down by as much.
    for (const matrix of wheels(cast.object)) {
      const { spoke } = looks(matrix);
      expect(spoke.x).toBeCloseTo(Math.cos(0.5), 3);
      expect(spoke.y).toBeCloseTo(-Math.sin(0.5), 3);
    }
    cast.show(stateOf({ x: 0 }));
    cast.see(EYE);
    for (const matrix of wheels(cast.object)) expect(looks(matrix).spoke.y).toBeCloseTo(0, 3);
    cast.dispose();
  });

  test("its wheels are the same however it came to a place", () => {
    const place = { x: 1234, heading: 40 };
    const [by, at] = [shown({ x: 0, heading: 90 }, { x: 900, heading: -20 }, place), shown(place)];
    const spokes = [by, at].map((cast) => wheels(cast.object).map((matrix) => looks(matrix).spoke.toArray()));
    expect(spokes[0]).toEqual(spokes[1]);
    for (const cast of [by, at]) cast.dispose();
  });

  test.each([
    [
      "by the recorded angles",
      { values: { "wheels/7": [20, 15, 0, 0].map((steering, location) => ({ location, steering, rotation: 0 })) } },
      [20, 15],
    ],
    ["by the control, up to 70°", { steering: 0.5 }, [35, 35]],
    [
      "by the control, up to what the physics says",
      {
        steering: -0.5,
        values: {
          "physics/7": {
            wheels: [{ maxSteerAngle: 40, radius: 32 }],
            steeringCurve: [
              [0, 1],
              [100, 0.5],
            ],
          },
        },
      },
      [-20, -20],
    ],
  ] as const)("its front wheels steer %s", (_, given, [left, right]) => {
    const cast = shown(given);
    for (const matrix of wheels(cast.object)) {
      const { x, z } = new Vector3().setFromMatrixPosition(matrix);
      const { axis } = looks(matrix);
      // To the right is positive: the axis of a wheel, which looks to the right, turns back.
      const angle = (Math.atan2(-axis.x, axis.z) * 180) / Math.PI;
      expect(angle).toBeCloseTo(x < 0 ? 0 : z < 0 ? left : right, 3);
    }
    cast.dispose();
  });

  test.each([
    ["none", { lights: 0 }, 0],
    ["headlights, and dim ones behind", { lights: 2 }, 4],
    ["brake lamps, from the light state", { lights: 8 }, 2],
    ["no brake lamps where the light state has others on and not these", { lights: 32, brake: 1 }, 2],
    ["brake lamps, from the pedal where no light is on", { lights: 0, brake: 0.6 }, 2],
    ["an indicator in front and one behind", { lights: 16 }, 2],
    ["all four of them", { lights: 48 }, 4],
    ["blue lamps of who has some", { lights: 512, kind: "vehicle.dodge.charger_police" }, 2],
    ["none of who has none", { lights: 512 }, 0],
  ] as const)("shows %s", (_, given, count) => {
    const cast = shown(given);
    let halos = 0;
    cast.object.traverse((part) => {
      if (part instanceof Points && part.visible) halos += part.geometry.drawRange.count;
    });
    expect(halos).toBe(count);
    cast.dispose();
  });

  test("has its wheels looked at, unless there are too many", () => {
    const cast = shown({});
    expect(cast.reads).toEqual(["wheels", "physics"]);
    const one = stateOf({}).sets.get("vehicles")!;
    const ids = Array.from({ length: 151 }, (_, i) => i);
    const columns = new Map(
      [...one.columns].map(([name, column]) => [
        name,
        { ...column, data: ids.flatMap(() => [...(column.data as never[])]) },
      ]),
    );
    const state = { time: 0, values: new Map(), sets: new Map([["vehicles", { ...one, ids, columns }]]) };
    cast.show(state as never);
    expect(cast.reads).toEqual([]);
    cast.dispose();
  });
});

test("wheels and physics are read as both Unreal engines have them, and nothing is made of what is not there", () => {
  expect(wheelsOf(undefined)).toBeNull();
  expect(wheelsOf([] as never)).toBeNull();
  expect(factsOf({ wheels: [{ wheelRadius: 37, maxSteerAngle: 50 }] } as never)).toMatchObject({
    radius: 0.37,
    steering: 50,
  });
  expect(factsOf(undefined)).toMatchObject({ radius: Number.NaN, steering: 70, curve: [] });
});
