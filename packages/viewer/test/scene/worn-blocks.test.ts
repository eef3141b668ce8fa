import type { BufferGeometry, Group, Mesh } from "three";
import type { Column, EntitySet } from "simtape";
import { describe, expect, test } from "vitest";
import type { BlockSkins } from "../../src/blocks/skins.ts";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { WornBlocks } from "../../src/scene/presenters/worn-blocks.ts";

const PICTURES = { side: 1, count: 3, pixels: new Uint8Array(12).fill(200) };
const BLOCKS: BlockSkins = {
  layers: new Map([
    ["minecraft:block/stone", 1],
    ["minecraft:block/poppy", 2],
    ["minecraft:block/oak_log_top", 3],
  ]),
  holed: new Set(["minecraft:block/poppy"]),
  states: new Map(),
};
const SKINS = { blocks: BLOCKS, pictures: PICTURES };

function setOf(blocks: readonly (readonly [x: number, y: number, z: number, kind: string])[]): EntitySet {
  const column = (width: number, data: Column["data"]): Column => ({ width, unit: null, interpolation: "hold", data });
  return {
    ids: blocks.map(([x, y, z]) => `${x},${y},${z}`),
    axes: { handed: "right", up: "y" } as EntitySet["axes"],
    columns: new Map([
      ["position", column(3, Float64Array.from(blocks.flatMap(([x, y, z]) => [x, y, z])))],
      [
        "kind",
        column(
          1,
          blocks.map(([, , , kind]) => kind),
        ),
      ],
    ]),
  };
}

function worn(): { readonly origin: Origin; readonly blocks: WornBlocks } {
  const origin = new Origin();
  // far out, where the zero of the scene is elsewhere
  origin.local(Float64Array.of(5000, 64, -300), 0);
  return { origin, blocks: new WornBlocks(SKINS, origin) };
}

/** Middle of each face in the scene, in metres, and its layer. */
function facesOf({ object }: WornBlocks): { readonly middle: readonly number[]; readonly layer: number }[] {
  return object.children.flatMap((group) =>
    (group as Group).children
      .filter((_, i) => i === 0 || (group.children[i] as Mesh).geometry !== (group.children[i - 1] as Mesh).geometry)
      .flatMap((mesh) => {
        const geometry: BufferGeometry = (mesh as Mesh).geometry;
        const [places, layers] = [geometry.getAttribute("position"), geometry.getAttribute("layer")];
        return Array.from({ length: places.count / 4 }, (_, face) => ({
          middle: [0, 1, 2].map((k) => {
            const along = [0, 1, 2, 3].map((corner) => places.array[3 * (4 * face + corner) + k]!);
            return (
              Math.round(10 * ((along[0]! + along[1]! + along[2]! + along[3]!) / 64 + group.position.toArray()[k]!)) /
              10
            );
          }),
          layer: layers.getX(4 * face),
        }));
      }),
  );
}

describe("edited blocks with a pack", () => {
  test("wear its textures where they were edited, and those without one have their colour", () => {
    const { origin, blocks } = worn();
    expect(
      blocks.draw(
        setOf([
          [5003, 70, -301, "minecraft:stone"],
          [5003, 90, -301, "minecraft:dirt"],
        ]),
      ),
    ).toBe(2);
    const faces = facesOf(blocks);
    const { offset } = origin;
    const stone = faces
      .filter(({ layer }) => layer === 1)
      .map(({ middle }) => middle.map((each, k) => each + offset[k]!));
    expect(stone).toHaveLength(6);
    expect(new Set(stone.map(String))).toEqual(
      new Set(
        [
          [5003, 70.5, -300.5],
          [5004, 70.5, -300.5],
          [5003.5, 70, -300.5],
          [5003.5, 71, -300.5],
          [5003.5, 70.5, -301],
          [5003.5, 70.5, -300],
        ].map(String),
      ),
    );
    expect(faces.filter(({ layer }) => layer === 0)).toHaveLength(6);
    blocks.dispose();
  });

  test("cover each other's faces, are crosses where they are plants, and are not there where they are air", () => {
    const { blocks } = worn();
    const seen = blocks.draw(
      setOf([
        [0, 0, 0, "minecraft:stone"],
        [1, 0, 0, "minecraft:stone"],
        [5, 0, 0, "minecraft:poppy"],
        [6, 0, 0, "minecraft:air"],
      ]),
    );
    expect(seen).toBe(3);
    const faces = facesOf(blocks);
    expect(faces.filter(({ layer }) => layer === 1)).toHaveLength(10);
    expect(faces.filter(({ layer }) => layer === 2)).toHaveLength(4);
    blocks.dispose();
  });

  test("are made again where an edit has changed them, and nowhere else", () => {
    const { blocks } = worn();
    blocks.draw(
      setOf([
        [0, 0, 0, "minecraft:stone"],
        [40, 0, 0, "minecraft:stone"],
      ]),
    );
    const [near, far] = [...blocks.object.children];
    blocks.draw(
      setOf([
        [0, 0, 0, "minecraft:dirt"],
        [40, 0, 0, "minecraft:stone"],
      ]),
    );
    expect(blocks.object.children).toHaveLength(2);
    expect(blocks.object.children).toContain(far);
    expect(blocks.object.children).not.toContain(near);
    blocks.draw(undefined);
    expect(blocks.object.children).toEqual([]);
    blocks.dispose();
  });

  test("are drawn so in the scene while it has a pack, and plain before and after", async () => {
    const origin = new Origin();
    const cast = new Cast(origin, -1);
    const layers = (): number => {
      let count = 0;
      cast.object.traverse((object) => {
        if (((object as Mesh).geometry as BufferGeometry | undefined)?.getAttribute("layer") !== undefined) count++;
      });
      return count;
    };
    cast.show({ time: 0, values: new Map(), sets: new Map([["blocks", setOf([[1, 2, 3, "minecraft:stone"]])]]) });
    expect([layers(), cast.describe()]).toEqual([0, "0 players, 0 entities, 1 edited block"]);
    cast.choose({ skins: SKINS });
    await expect.poll(layers).toBeGreaterThan(0);
    expect(cast.describe()).toBe("0 players, 0 entities, 1 edited block");
    cast.choose({ skins: null });
    expect(layers()).toBe(0);
    cast.dispose();
  });
});
