import type { EntitySet } from "simtape";

const SIDE = 16;
const NONE = new Int32Array(0);

interface Chunk {
  /** x, y and z in the world. */
  readonly places: number[];
  /** Of all places, in whatever order they came. */
  sum: number;
}

/** The blocks that a recording has edited, by chunk: sums of them tell which chunks have become others. */
export class Edits {
  #ids: EntitySet["ids"] | null = null;
  /** By "x,z"; a block at an edge is in the chunk beside it, too. */
  #chunks = new Map<string, Chunk>();

  /** Takes the edits that there are now; without effect where they are the same. */
  update(blocks: EntitySet | undefined): void {
    const ids = blocks?.ids ?? null;
    if (ids === this.#ids) return;
    this.#ids = ids;
    this.#chunks = new Map();
    const data = blocks?.columns.get("position")?.data;
    if (blocks === undefined || data === undefined) return;
    for (let row = 0; row < blocks.ids.length; row++) {
      const [x, y, z] = [0, 1, 2].map((k) => Number(data[3 * row + k])) as [number, number, number];
      const [low, high] = [Math.floor((x - 1) / SIDE), Math.floor((x + 1) / SIDE)];
      const [near, far] = [Math.floor((z - 1) / SIDE), Math.floor((z + 1) / SIDE)];
      for (let i = low; i <= high; i++) for (let j = near; j <= far; j++) this.#add(`${i},${j}`, x, y, z);
    }
  }

  /** Others when a block of the chunk, or one beside it, came or went; 0: there is none. */
  sumOf(key: string): number {
    return this.#chunks.get(key)?.sum ?? 0;
  }

  /** Those of a chunk and one block beyond it: x and z in the chunk, y in the world. */
  around(x: number, z: number): Int32Array {
    const chunk = this.#chunks.get(`${x},${z}`);
    if (chunk === undefined) return NONE;
    return Int32Array.from(chunk.places, (value, i) => value - (i % 3 === 0 ? SIDE * x : i % 3 === 2 ? SIDE * z : 0));
  }

  #add(key: string, x: number, y: number, z: number): void {
    let chunk = this.#chunks.get(key);
    if (chunk === undefined) {
      chunk = { places: [], sum: 0 };
      this.#chunks.set(key, chunk);
    }
    chunk.places.push(x, y, z);
    chunk.sum = (chunk.sum + mixed(x, y, z)) >>> 0;
  }
}

/** A number of 32 bits, never 0. */
function mixed(x: number, y: number, z: number): number {
  let hash = Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) | 1;
}
