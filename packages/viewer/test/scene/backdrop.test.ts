import type { EntitySet, State } from "simtape";
import { type Mesh, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import type { ChunkMesh, FaceArrays } from "../../src/blocks/chunk-mesh.ts";
import { Faces } from "../../src/blocks/faces.ts";
import { blockLook } from "../../src/blocks/block-look.ts";
import type { ChunkAsk } from "../../src/protocol.ts";
import { Backdrop } from "../../src/scene/surroundings/backdrop.ts";
import { Edits } from "../../src/scene/surroundings/edits.ts";
import { Origin } from "../../src/scene/things/origin.ts";

const NO_FACES: FaceArrays = new Faces().take();

function blocksAt(...places: readonly (readonly [number, number, number])[]): EntitySet {
  const data = Int32Array.from(places.flat());
  return {
    ids: places.map((place) => place.join(",")),
    axes: null,
    columns: new Map([["position", { width: 3, unit: "block", interpolation: "hold", data }]]),
  };
}

function stateOf(blocks: EntitySet, dimension = "minecraft:overworld"): State {
  return { time: 0, values: new Map([["world/dimension", dimension]]), sets: new Map([["blocks", blocks]]) };
}

describe("edits", () => {
  test("are in their chunk, and in those that a block at an edge touches", () => {
    const edits = new Edits();
    edits.update(blocksAt([5, 64, 5], [16, 70, -1]));
    expect([...edits.around(0, 0)]).toEqual([5, 64, 5, 16, 70, -1]);
    expect([...edits.around(1, -1)]).toEqual([0, 70, 15]);
    expect([...edits.around(0, -1)]).toEqual([16, 70, 15]);
    expect([...edits.around(7, 7)]).toEqual([]);
    expect(edits.sumOf("7,7")).toBe(0);
  });

  test("have sums that tell whether a chunk has become another one, in whatever order they came", () => {
    const edits = new Edits();
    const sumOf = (blocks: EntitySet | undefined): number => {
      edits.update(blocks);
      return edits.sumOf("0,0");
    };
    const [a, b] = [[3, 64, 3] as const, [4, 64, 3] as const];
    const sums = [undefined, blocksAt(a), blocksAt(b), blocksAt(a, b)].map(sumOf);
    expect(new Set(sums).size).toBe(4);
    expect(sumOf(blocksAt(b, a))).toBe(sums[3]);
    expect(sumOf(blocksAt(a, [40, 64, 3]))).toBe(sums[1]);
  });
});

describe("the backdrop", () => {
  const HERE = new Vector3(8, 65, 8);
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 200; i++) await Promise.resolve();
  };

  function backdrop(triangles = 1e6): { readonly made: Backdrop; readonly asked: ChunkAsk[] } {
    const asked: ChunkAsk[] = [];
    const origin = new Origin();
    origin.local(Float64Array.of(0, 64, 0), 0);
    const ask = async (one: ChunkAsk): Promise<ChunkMesh | null> => {
      asked.push(one);
      if (one.x < 0) return null;
      const faces = new Faces();
      faces.add(3, 0, 0, 0, 16, 16, blockLook("minecraft:stone")!, 0xff);
      return { bottom: 0, opaque: faces.take(), clear: NO_FACES };
    };
    const made = new Backdrop(ask, origin, { radius: 2, triangles }, false, () => undefined);
    return { made, asked };
  }

  test("asks for what is near first, each chunk once, and again for one whose edits are others", async () => {
    const { made, asked } = backdrop();
    made.update(stateOf(blocksAt()));
    made.look(HERE, null);
    await settle();
    const away = asked.map(({ x, z }) => Math.hypot(x, z));
    expect(away).toEqual(away.toSorted((a, b) => a - b));
    expect(asked).toHaveLength(13);
    // west of it there are none
    const { geometry } = made.object.children[0]!.children[0] as Mesh;
    expect(
      [...geometry.getAttribute("position").array].map((value) => Math.round(value) + 0).sort((a, b) => a - b),
    ).toEqual([0, 0, 0, 0, 16, 16, 16, 16, 256, 256, 256, 256]);
    expect(made.describe()).toBe("9 chunks of the world");
    made.update(stateOf(blocksAt([20, 64, 5])));
    made.look(HERE, null);
    await settle();
    expect(asked.slice(13).map(({ x, z, edits }) => [x, z, ...edits])).toEqual([[1, 0, 4, 64, 5]]);
    made.update(stateOf(blocksAt()));
    made.look(HERE, null);
    await settle();
    expect(asked.slice(14).map(({ x, z, edits }) => [x, z, ...edits])).toEqual([[1, 0]]);
    made.dispose();
  });

  test("lets go of what is far, and of all in another dimension", async () => {
    const { made, asked } = backdrop();
    made.update(stateOf(blocksAt()));
    made.look(HERE, null);
    await settle();
    made.look(new Vector3(8 + 160, 65, 8), null);
    await settle();
    expect(made.object.children).toHaveLength(13);
    made.update(stateOf(blocksAt(), "minecraft:the_nether"));
    expect(made.object.children).toHaveLength(0);
    made.look(HERE, null);
    await settle();
    expect(asked.at(-1)!.dimension).toBe("minecraft:the_nether");
    made.isOn = false;
    expect(made.describe()).toBe("");
    made.dispose();
  });

  test("has no more triangles than it may, and is cut over the head of who is looked at", async () => {
    const { made, asked } = backdrop(5);
    made.update(stateOf(blocksAt()));
    made.isCut = true;
    made.look(HERE, 64);
    await settle();
    expect(asked.length).toBeLessThan(8);
    expect(new Set(asked.map(({ top }) => top))).toEqual(new Set([67]));
    // a jump and a step down leave the cut where it is
    const before = asked.length;
    for (const feet of [63, 60, 64]) made.look(HERE, feet);
    await settle();
    expect(asked).toHaveLength(before);
    made.look(HERE, 40);
    await settle();
    expect(asked.at(-1)!.top).toBe(43);
    made.isCut = false;
    made.look(HERE, 40);
    await settle();
    expect(asked.at(-1)!.top).toBeNull();
    made.dispose();
  });
});
