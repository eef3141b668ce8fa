import type { ChunkMesh } from "./chunk-mesh.ts";
import { Faces } from "./faces.ts";
import type { BlockLook } from "./block-look.ts";
import { cellAt, LAYER, ROW, SIDE, type Volume } from "./volume.ts";

/** The six ways to look at a block: -x, +x, -y, +y, -z, +z. */
export const WAYS = [0, 1, 2, 3, 4, 5] as const;
export type Way = (typeof WAYS)[number];

/** Along each axis, from a cell to the next. */
const STEPS = [1, LAYER, ROW] as const;
/** For each axis that is looked along, the axes of a face: sides stand upright. */
const ACROSS = [2, 0, 0] as const;
const ALONG = [1, 2, 1] as const;

/**
 * What is seen of a chunk, in few rectangles: each face of a block that nothing covers is in exactly one. Faces become one
 * where the picture stays the same: of the same look, and as dark at the corners all along.
 */
export function meshOf(volume: Volume): ChunkMesh {
  const covers = new Covers(volume.looks);
  const opaque = new Faces();
  const clear = new Faces();
  const sizes = [SIDE, volume.height, SIDE] as const;
  for (const way of WAYS) {
    const axis = way >> 1;
    const [u, v] = [ACROSS[axis]!, ALONG[axis]!];
    const mask = new Int32Array(sizes[u]! * sizes[v]!);
    for (let slice = 0; slice < sizes[axis]!; slice++) {
      if (look(volume, covers, way, slice, sizes[u]!, sizes[v]!, mask))
        join(volume, way, slice, sizes[u]!, sizes[v]!, mask, opaque, clear);
    }
  }
  addCrosses(volume, covers, opaque);
  return { bottom: volume.bottom, opaque: opaque.take(), clear: clear.take() };
}

/** Adds plants that are no boxes. */
function addCrosses({ height, cells, looks }: Volume, covers: Covers, into: Faces): void {
  if (!covers.hasCrosses) return;
  for (let y = 0; y < height; y++) {
    for (let z = 0; z < SIDE; z++) {
      for (let x = 0, cell = cellAt(0, y, z); x < SIDE; x++, cell++) {
        const number = cells[cell]!;
        if (covers.isCross(number)) into.addCross(x, y, z, looks[number]!);
      }
    }
  }
}

/** Whether one look covers a face of another beside it. */
export class Covers {
  readonly #looks: readonly (BlockLook | null)[];
  /** Whether it is a cube that nothing is seen through. */
  readonly #cubes: Uint8Array;
  /** Whether it is no box. */
  readonly #crosses: Uint8Array;
  readonly hasCrosses: boolean;

  constructor(looks: readonly (BlockLook | null)[]) {
    this.#looks = looks;
    this.#cubes = Uint8Array.from(looks, (one) =>
      one !== null && !one.isClear && one.isOpen !== true && one.inset === 0 && one.height === 1 ? 1 : 0,
    );
    this.#crosses = Uint8Array.from(looks, (one) => (one?.cross === undefined ? 0 : 1));
    this.hasCrosses = this.#crosses.includes(1);
  }

  isCross(number: number): boolean {
    return this.#crosses[number] === 1;
  }

  isCube(number: number): boolean {
    return this.#cubes[number] === 1;
  }

  /** Whether the face of `number` in that way is not seen, as `other` is there. */
  hides(other: number, number: number, way: Way): boolean {
    if (other === 0 || this.#crosses[other] === 1) return false;
    if (this.#cubes[number] === 1 && this.#cubes[other] === 1) return true;
    const [a, b] = [this.#looks[number]!, this.#looks[other]!];
    if (!reaches(a, way) || !reaches(b, (way ^ 1) as Way)) return false;
    // what is the same goes on behind the face, also where one sees through it
    if ((b.isClear || b.isOpen === true) && other !== number) return false;
    if (way === 2 || way === 3) return b.inset <= a.inset;
    return b.from <= a.from && b.from + b.height >= a.from + a.height;
  }
}

/** Whether a face is at the side of the block's place. */
export function reaches({ from, height, inset }: BlockLook, way: Way): boolean {
  return way === 2 ? from === 0 : way === 3 ? from + height === 1 : inset === 0;
}

/** How many of three neighbours a corner of a face is darkened by: 3 is the least. */
function corner(side: boolean, other: boolean, between: boolean): number {
  return side && other ? 0 : 3 - (side ? 1 : 0) - (other ? 1 : 0) - (between ? 1 : 0);
}

/**
 * Writes what is seen in one way of a slice, row by row: the look times 256 and the light at four corners, 2 bits each, at
 * (0, 0), (1, 0), (0, 1) and (1, 1); 0: nothing. Whether there is anything.
 */
function look(
  { cells }: Volume,
  covers: Covers,
  way: Way,
  slice: number,
  width: number,
  length: number,
  mask: Int32Array,
): boolean {
  const axis = way >> 1;
  const [u, v] = [STEPS[ACROSS[axis]!]!, STEPS[ALONG[axis]!]!];
  const out = (way & 1) === 0 ? -STEPS[axis]! : STEPS[axis]!;
  const start = cellAt(0, 0, 0) + slice * STEPS[axis]!;
  let count = 0;
  for (let j = 0, at = 0; j < length; j++) {
    for (let i = 0, cell = start + j * v; i < width; i++, at++, cell += u) {
      const number = cells[cell]!;
      if (number === 0 || covers.isCross(number)) {
        mask[at] = 0;
        continue;
      }
      const front = cell + out;
      if (covers.hides(cells[front]!, number, way)) {
        mask[at] = 0;
        continue;
      }
      count++;
      let light = 0xff;
      if (covers.isCube(number)) {
        const isDark = (place: number): boolean => covers.isCube(cells[place]!);
        const [left, right] = [isDark(front - u), isDark(front + u)];
        const [below, above] = [isDark(front - v), isDark(front + v)];
        light =
          corner(left, below, isDark(front - u - v)) |
          (corner(right, below, isDark(front + u - v)) << 2) |
          (corner(left, above, isDark(front - u + v)) << 4) |
          (corner(right, above, isDark(front + u + v)) << 6);
      }
      mask[at] = (number << 8) | light;
    }
  }
  return count > 0;
}

/** Adds what is in a mask in rectangles, and empties it. */
function join(
  { looks }: Volume,
  way: Way,
  slice: number,
  width: number,
  length: number,
  mask: Int32Array,
  opaque: Faces,
  clear: Faces,
): void {
  for (let j = 0, at = 0; j < length; j++) {
    for (let i = 0; i < width; ) {
      const key = mask[at]!;
      if (key === 0) {
        i++;
        at++;
        continue;
      }
      const one = looks[key >>> 8]!;
      const light = key & 0xff;
      const [near, far] = [light & 0x0f, light >>> 4];
      const isSide = way !== 2 && way !== 3;
      // along which axes the light stays the same, and no gap is between two of them
      const isWide = (near & 3) === near >>> 2 && (far & 3) === far >>> 2 && one.inset === 0;
      const isLong = near === far && (isSide ? one.height === 1 : one.inset === 0);
      let w = 1;
      while (isWide && i + w < width && mask[at + w] === key) w++;
      let l = 1;
      while (isLong && j + l < length && isAll(mask, at + l * width, w, key)) l++;
      for (let k = 0; k < l; k++) mask.fill(0, at + k * width, at + k * width + w);
      (one.isClear ? clear : opaque).add(way, slice, i, j, w, l, one, light);
      i += w;
      at += w;
    }
  }
}

function isAll(mask: Int32Array, at: number, count: number, key: number): boolean {
  for (let k = at; k < at + count; k++) if (mask[k] !== key) return false;
  return true;
}
