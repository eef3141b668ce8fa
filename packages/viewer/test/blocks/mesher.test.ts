import fc from "fast-check";
import type { WorldChunk } from "simtape/world";
import { describe, expect, test } from "vitest";
import { type BlockLook, blockLook } from "../../src/blocks/block-look.ts";
import { buffersOf, type FaceArrays } from "../../src/blocks/chunk-mesh.ts";
import { meshOf, WAYS } from "../../src/blocks/mesher.ts";
import { tries } from "../../../simtape/test/soak.ts";
import { clear, Looks, type Neighbours, volumeOf } from "../../src/blocks/volume.ts";

const KINDS = [
  "minecraft:air",
  "minecraft:stone",
  "minecraft:dirt",
  "minecraft:water[level=0]",
  "minecraft:glass",
  "minecraft:oak_slab[type=bottom]",
  "minecraft:oak_slab[type=top]",
  "minecraft:red_carpet",
  "minecraft:oak_fence",
  "minecraft:poppy",
];
const LIGHT = [0.5, 0.68, 0.84, 1] as const;
const NONE: Neighbours = { west: null, east: null, north: null, south: null };
const EVERYTHING = 10_000;

type At = (x: number, y: number, z: number) => string;

/** A chunk of one section from y = 0 on, or of two. */
function chunkOf(at: At, sections = 1, minSection = 0): WorldChunk {
  return {
    dataVersion: 3000,
    minSection,
    blockEntities: [],
    sections: Array.from({ length: sections }, (_, s) => {
      const names = Array.from({ length: 4096 }, (__, i) =>
        at(i & 15, 16 * (minSection + s) + (i >> 8), (i >> 4) & 15),
      );
      const palette = [...new Set(names)];
      return { biomes: null, blocks: { palette, indices: Uint16Array.from(names, (name) => palette.indexOf(name)) } };
    }),
  };
}

/** Many blocks of few kinds, so that much is alike and much is not. */
const places: fc.Arbitrary<At> = fc
  .record({
    kinds: fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 5 }),
    seed: fc.nat(),
    coarse: fc.constantFrom(1, 2, 5, 16),
  })
  .map(({ kinds, seed, coarse }) => (x, y, z) => {
    const [i, j, k] = [x, y, z].map((value) => Math.floor(value / coarse)) as [number, number, number];
    let hash = Math.imul(i * 73_856_093 + seed, 2_654_435_761) ^ Math.imul(j * 19_349_663 + 7, 40_503);
    hash = Math.imul(hash ^ (k * 83_492_791) ^ (hash >>> 13), 1_274_126_177);
    return kinds[((hash ^ (hash >>> 16)) >>> 0) % kinds.length]!;
  });

/** Each face that is seen, by place and way: its colour, and the light at the corners as bounds of it. */
type Seen = Map<string, string>;

/** Looks at every face of every block by itself, at 256 points of it. */
function naive(at: At, top: number, height: number): Seen {
  const seen: Seen = new Map();
  const lookAt = (x: number, y: number, z: number): BlockLook | null =>
    y < 0 || y >= Math.min(top, height) ? null : blockLook(at(x, y, z));
  const isCube = (look: BlockLook | null): boolean =>
    look !== null && !look.isClear && look.inset === 0 && look.height === 1;
  for (let y = 0; y < Math.min(top, height); y++) {
    for (let z = 0; z < 16; z++) {
      for (let x = 0; x < 16; x++) {
        const look = lookAt(x, y, z);
        if (look === null) continue;
        for (const way of WAYS) {
          const [axis, sign] = [way >> 1, way % 2 === 0 ? -1 : 1];
          const front = [x, y, z].map((value, k) => (k === axis ? value + sign : value)) as [number, number, number];
          if (isHidden(look, lookAt(...front), way)) continue;
          const others = [0, 1, 2].filter((k) => k !== axis);
          const corners = [0, 1, 2, 3].map((corner) => {
            if (!isCube(look)) return 3;
            const [du, dv] = [(corner & 1) * 2 - 1, (corner >> 1) * 2 - 1];
            const beside = (u: number, v: number): boolean =>
              isCube(
                lookAt(
                  ...(front.map((value, k) => value + (k === others[0] ? u : k === others[1] ? v : 0)) as [
                    number,
                    number,
                    number,
                  ]),
                ),
              );
            const [one, other] = [beside(du, 0), beside(0, dv)];
            return one && other ? 0 : 3 - [one, other, beside(du, dv)].filter(Boolean).length;
          });
          seen.set(`${x},${y},${z} ${way}`, shade(look, corners));
        }
      }
    }
  }
  return seen;
}

function isHidden(look: BlockLook, other: BlockLook | null, way: number): boolean {
  const low = [look.inset, look.from, look.inset];
  const high = [1 - look.inset, look.from + look.height, 1 - look.inset];
  const axis = way >> 1;
  const isAtSide = way % 2 === 0 ? low[axis] === 0 : high[axis] === 1;
  const isSame = JSON.stringify(other) === JSON.stringify(look);
  if (!isAtSide || other === null || (other.isClear && !isSame)) return false;
  const [low2, high2] = [
    [other.inset, other.from, other.inset],
    [1 - other.inset, other.from + other.height, 1 - other.inset],
  ];
  if (way % 2 === 0 ? high2[axis] !== 1 : low2[axis] !== 0) return false;
  const [u, v] = [0, 1, 2].filter((k) => k !== axis) as [number, number];
  if ([...low, ...high].join() === [...low2, ...high2].join()) return true;
  for (let i = 0; i < 16; i++) {
    for (let j = 0; j < 16; j++) {
      const [a, b] = [(i + 0.5) / 16, (j + 0.5) / 16];
      const isOn = a > low[u]! && a < high[u]! && b > low[v]! && b < high[v]!;
      if (isOn && !(a > low2[u]! && a < high2[u]! && b > low2[v]! && b < high2[v]!)) return false;
    }
  }
  return true;
}

function shade({ color, isClear }: BlockLook, corners: readonly number[]): string {
  const parts = corners.map((light) => color.map((part) => Math.round(part * 65_535 * LIGHT[light as 0])).join("/"));
  return `${parts.join(" ")} ${isClear}`;
}

/** Takes rectangles apart again; one that is in two of them fails. */
function apart(arrays: FaceArrays, into: Seen, isClear = false): void {
  const { position, normal, color, place, index } = arrays;
  for (let face = 0; face < position.length / 16; face++) {
    const corner = (k: number): number[] => [...position.subarray(16 * face + 4 * k, 16 * face + 4 * k + 3)];
    const facing = [...normal.subarray(16 * face, 16 * face + 3)];
    const axis = facing.findIndex((part) => part !== 0);
    const way = 2 * axis + (facing[axis]! > 0 ? 1 : 0);
    const corners = [0, 1, 2, 3].map(corner);
    // both triangles are seen from the side that the normal is on
    for (const triangle of [0, 3]) {
      const [a, b, c] = [0, 1, 2].map((k) => corner(index[6 * face + triangle + k]! - 4 * face)) as [
        number[],
        number[],
        number[],
      ];
      const [p, q] = [b.map((value, k) => value - a[k]!), c.map((value, k) => value - a[k]!)];
      const cross = p[(axis + 1) % 3]! * q[(axis + 2) % 3]! - p[(axis + 2) % 3]! * q[(axis + 1) % 3]!;
      if (Math.sign(cross) !== Math.sign(facing[axis]!)) throw new Error(`face ${face} is turned away`);
    }
    const others = [0, 1, 2].filter((k) => k !== axis) as [number, number];
    const low = [0, 1, 2].map((k) => Math.min(...corners.map((one) => one[k]!)));
    const high = [0, 1, 2].map((k) => Math.max(...corners.map((one) => one[k]!)));
    const shades = [0, 1, 2, 3].map((k) => {
      const wanted = [k & 1, k >> 1];
      const found = corners.findIndex((one) => others.every((o, n) => one[o] === (wanted[n] === 0 ? low : high)[o]!));
      return [...color.subarray(16 * face + 4 * found, 16 * face + 4 * found + 3)].join("/");
    });
    const cells = [0, 1, 2].map((k) => {
      if (k === axis) return [way % 2 === 0 ? Math.floor(low[k]! / 16) : Math.ceil(low[k]! / 16) - 1];
      const from = Math.floor(low[k]! / 16);
      return Array.from({ length: Math.ceil(high[k]! / 16) - from }, (_, n) => from + n);
    });
    for (const x of cells[0]!) {
      for (const y of cells[1]!) {
        for (const z of cells[2]!) {
          const key = `${x},${y},${z} ${way}`;
          if (into.has(key)) throw new Error(`twice: ${key}`);
          into.set(key, `${shades.join(" ")} ${isClear}`);
        }
      }
    }
    for (const [k, one] of corners.entries()) {
      const [u, v] = axis === 0 ? [one[2], one[1]] : [one[0], one[axis === 1 ? 2 : 1]];
      if (place[8 * face + 2 * k] !== u || place[8 * face + 2 * k + 1] !== v)
        throw new Error(`face ${face} has no place`);
    }
  }
}

describe("the mesher", () => {
  test("covers every face that is seen once, and no other, in the light a face alone has", () => {
    fc.assert(
      fc.property(places, fc.boolean(), fc.constantFrom(EVERYTHING, 7), (at, isAlone, top) => {
        const away = (dx: number, dz: number): WorldChunk => chunkOf((x, y, z) => at(x + dx, y, z + dz));
        const around = { west: away(-16, 0), east: away(16, 0), north: away(0, -16), south: away(0, 16) };
        // diagonally there is nothing
        const there: At = (x, y, z) => {
          const [isX, isZ] = [x >= 0 && x < 16, z >= 0 && z < 16];
          return (isX && isZ) || (!isAlone && (isX || isZ)) ? at(x, y, z) : KINDS[0]!;
        };
        const volume = volumeOf(chunkOf(at), isAlone ? NONE : around, new Looks(), top);
        const expected = naive(there, top, 16);
        const found: Seen = new Map();
        if (volume !== null) {
          const mesh = meshOf(volume);
          expect(mesh.bottom).toBe(0);
          apart(mesh.opaque, found);
          apart(mesh.clear, found, true);
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: tries(8, 200) },
    );
  });

  test("draws a plain in one rectangle for each side", () => {
    const flat = chunkOf((_, y) => (y < -60 ? "minecraft:stone" : "minecraft:air"), 2, -4);
    const mesh = meshOf(volumeOf(flat, NONE, new Looks(), EVERYTHING)!);
    expect(mesh.bottom).toBe(-64);
    expect(mesh.opaque.position.length / 16).toBe(6);
    expect(mesh.clear.position).toHaveLength(0);
    expect(Math.max(...mesh.opaque.position)).toBe(16 * 16);
    expect(new Set(buffersOf(mesh)).size).toBe(12);
  });

  test("sees what was behind a block that was removed, in the chunk or beside it", () => {
    const full = chunkOf(() => "minecraft:stone");
    const beside = { ...NONE, west: full };
    const faces = (places: readonly number[]): number => {
      const volume = volumeOf(full, beside, new Looks(), EVERYTHING)!;
      clear(volume, Int32Array.from(places));
      const seen: Seen = new Map();
      apart(meshOf(volume).opaque, seen);
      return seen.size;
    };
    const whole = faces([]);
    expect(whole).toBe(5 * 256);
    expect(faces([5, 8, 5])).toBe(whole + 6);
    expect(faces([5, 15, 5])).toBe(whole + 4);
    expect(faces([-1, 8, 5])).toBe(whole + 1);
    expect(faces([40, 8, 5, 5, 400, 5])).toBe(whole);
  });

  test("makes nothing of air, nor of what is above the cut", () => {
    const sky = chunkOf((_, y) => (y === 12 ? "minecraft:stone" : "minecraft:air"));
    expect(
      volumeOf(
        chunkOf(() => "minecraft:air"),
        NONE,
        new Looks(),
        EVERYTHING,
      ),
    ).toBeNull();
    expect(volumeOf(sky, NONE, new Looks(), 0)).toBeNull();
    expect(volumeOf(sky, NONE, new Looks(), 13)!.height).toBe(13);
  });
});
