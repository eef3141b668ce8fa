import type { Column, EntitySet, State, Value } from "simtape";
import { Box3, type BufferAttribute, type InstancedMesh, Matrix4, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { itemAt, nameOfItem } from "../../src/scene/presenters/items.ts";

const HANDS = { main: "items/0", off: "items/1" };

function valuesOf(items: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(items));
}

test("an item is named by text, or by its components; air is none", () => {
  expect(nameOfItem("minecraft:stone")).toBe("minecraft:stone");
  expect(nameOfItem("minecraft:diamond_boots[damage=3]")).toBe("minecraft:diamond_boots");
  expect(nameOfItem({ id: "minecraft:bow", count: 1 })).toBe("minecraft:bow");
  expect([nameOfItem("minecraft:air"), nameOfItem(""), nameOfItem(null), nameOfItem(undefined), nameOfItem(7)]).toEqual(
    Array.from({ length: 5 }, () => null),
  );
});

test("hands hold what is in their slots, and nothing where a thing counts slots in another way", () => {
  const values = valuesOf({
    "players/1/items/0": "minecraft:stone",
    "players/2/items/0": "minecraft:stone",
    "players/2/items/36": "minecraft:bow",
  });
  expect(itemAt(values, "players/1", HANDS.main)).toBe("minecraft:stone");
  expect(itemAt(values, "players/1", HANDS.off)).toBeNull();
  expect(itemAt(values, "players/2", HANDS.main)).toBeNull();
});

describe("in the scene", () => {
  const AXES = { handed: "right", up: "y" } as EntitySet["axes"];

  function setOf(columns: Readonly<Record<string, readonly number[]>>, ids: readonly number[], kind = ""): EntitySet {
    const all = Object.entries(columns).map(([name, data]): [string, Column] => [
      name,
      {
        width: data.length / ids.length,
        unit: name === "rotation" ? "deg" : null,
        interpolation: "hold",
        data: Float64Array.from(data),
      },
    ]);
    all.push(["kind", { width: 1, unit: null, interpolation: "hold", data: ids.map(() => kind) }]);
    return { ids: [...ids], axes: AXES, columns: new Map(all) };
  }

  function shown(sets: Readonly<Record<string, EntitySet>>, values: ReadonlyMap<string, Value>, hands = true): Cast {
    const origin = new Origin();
    origin.local(Float64Array.of(0, 0, 0), 0);
    const cast = new Cast(origin, -1, hands ? { hands: HANDS } : {});
    const state: State = { time: 0, values, sets: new Map(Object.entries(sets)) };
    cast.show(state);
    cast.see({ position: new Vector3(0, 2, 10), pixels: 500, seen: 500 });
    return cast;
  }

  /** Places of all instances of all shapes that are drawn. */
  function places(cast: Cast): Vector3[] {
    const found: Vector3[] = [];
    cast.object.traverse((object) => {
      const { isInstancedMesh, count } = object as InstancedMesh;
      for (let i = 0; isInstancedMesh && i < count; i++) {
        const matrix = new Matrix4();
        (object as InstancedMesh).getMatrixAt(i, matrix);
        found.push(new Vector3().setFromMatrixPosition(matrix));
      }
    });
    return found;
  }

  const player = (extra: Readonly<Record<string, readonly number[]>> = {}): EntitySet =>
    setOf({ position: [4, 64, 4], rotation: [0, 0, 0], ...extra }, [1]);

  test("a block is drawn at the right hand, and none where slots have no meaning", async () => {
    const values = valuesOf({ "players/1/items/0": "minecraft:stone" });
    const [without, held, unknown] = [
      shown({ players: player() }, valuesOf({})),
      shown({ players: player() }, values),
      shown({ players: player() }, values, false),
    ];
    // what draws items is loaded with the first of them
    const seen = places(held).length;
    await expect
      .poll(() => {
        held.see({ position: new Vector3(0, 2, 10), pixels: 500, seen: 500 });
        return places(held).length;
      })
      .toBe(seen + 1);
    expect(places(unknown)).toHaveLength(places(without).length);
    const more = places(held).filter((place) => !places(without).some((other) => other.distanceTo(place) < 1e-6));
    expect(more).toHaveLength(1);
    // of who looks to the south (+z), the right hand is in the west, below the shoulder and above the knees
    const [hand] = more as [Vector3];
    expect(hand.x).toBeLessThan(4 - 0.2);
    expect(hand.y).toBeGreaterThan(64.5);
    expect(hand.y).toBeLessThan(65.2);
  });

  test("who glides has wings on the back where elytra are worn, and no one else", async () => {
    const GLIDING = player({ flags: [128], rotation: [0, 0, 0] });
    const worn = valuesOf({ "players/1/items/4": "minecraft:elytra" });
    const drawn = (cast: Cast): Vector3[] => {
      cast.see({ position: new Vector3(0, 2, 10), pixels: 500, seen: 500 });
      return places(cast);
    };
    const [bare, gliding, standing, unknown] = [
      shown({ players: GLIDING }, valuesOf({ "players/1/items/4": "minecraft:iron_chestplate" })),
      shown({ players: GLIDING }, worn),
      shown({ players: player() }, worn),
      shown({ players: GLIDING }, worn, false),
    ];
    const count = drawn(bare).length;
    await expect.poll(() => drawn(gliding).length).toBe(count + 1);
    for (const cast of [standing, unknown]) expect(drawn(cast)).toHaveLength(count);
    // both wings, as they lie over who looks south (+z), face down: as far to the west as to the east, above the middle
    let found: Box3 | null = null;
    gliding.object.traverse((object) => {
      const mesh = object as InstancedMesh;
      if (!mesh.isInstancedMesh || mesh.count !== 1) return;
      const box = new Box3().setFromBufferAttribute(mesh.geometry.getAttribute("position") as BufferAttribute);
      const matrix = new Matrix4();
      mesh.getMatrixAt(0, matrix);
      box.applyMatrix4(matrix);
      if (box.max.x - box.min.x > 1.4) found = box;
    });
    const { min, max } = found! as Box3;
    expect(4 - min.x).toBeCloseTo(max.x - 4, 4);
    expect(max.y).toBeGreaterThan(64.4);
  });

  test("who rides sits on what is ridden, wherever the rider got on, and stands again after it", () => {
    const horse = setOf({ position: [40, 70, -8], rotation: [0, 0, 0] }, [9], "minecraft:horse");
    const cast = shown({ players: player({ parent: [9] }), entities: horse }, valuesOf({}));
    const [crowd] = cast.crowds.filter(({ set }) => set === "players");
    expect([...crowd!.poses.positions.subarray(0, 3)]).toEqual([40, expect.closeTo(71.15, 4), -8]);
    cast.show({
      time: 1e9,
      values: new Map(),
      sets: new Map([
        ["players", player({ parent: [Number.NaN] })],
        ["entities", horse],
      ]),
    });
    expect([...crowd!.poses.positions.subarray(0, 3)]).toEqual([4, 64, 4]);
    // what is ridden is not there
    cast.show({
      time: 2e9,
      values: new Map(),
      sets: new Map([
        ["players", player({ parent: [77] })],
        ["entities", horse],
      ]),
    });
    expect([...crowd!.poses.positions.subarray(0, 3)]).toEqual([4, 64, 4]);
  });
});
