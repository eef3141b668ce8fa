import { type WorldChunk, type WorldName, WorldReader, WorldWriter } from "simtape/world";
import type { Store } from "simtape";
import { blockAt, type PlacedChunk } from "./packets.ts";

/** A block that is another than the world has. */
export interface Edit {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly name: string;
}

/** What is known of a chunk. */
interface Known {
  /** Its content in the store; null: that could not be found out. */
  hash: string | null;
  /** By place in the chunk: what is there now, and since when. */
  readonly edits: Map<number, { readonly name: string; readonly since: number }>;
  /** What was said of it is worked off one by one. */
  turn: Promise<unknown>;
}

const AIR = "minecraft:air";
/** Chunks that wait to be written; more are left out. */
const MOST_WAITING = 1024;
/** Chunks between two times at which those that came are named. */
const NAMED_EVERY = 256;

/**
 * Takes the chunks that clients are shown while something is recorded, into a world store. The first of a place counts; one
 * that comes later says which blocks are others by then. What is in the store already counts as the first.
 */
export class ChunkSink {
  readonly world: WorldName;
  readonly #reader: WorldReader;
  readonly #writer: WorldWriter;
  readonly #known = new Map<string, Known>();
  #now = 0;
  #waiting = 0;
  #unnamed = 0;
  /** Chunks that found no room. */
  left = 0;

  constructor(store: Store, world: WorldName) {
    this.world = world;
    this.#reader = new WorldReader(store, world);
    this.#writer = new WorldWriter(store, world);
  }

  /** Places of which the store has a chunk. */
  get kept(): number {
    return [...this.#known.values()].filter(({ hash }) => hash !== null).length;
  }

  /** A chunk as it is now. Resolves with the blocks that were not known to be so. Rejects as the store does. */
  async see(dimension: string, placed: PlacedChunk): Promise<Edit[]> {
    if (this.#waiting === MOST_WAITING) {
      this.left++;
      return [];
    }
    this.#waiting++;
    const since = ++this.#now;
    const key = keyOf(dimension, placed.x, placed.z);
    const known = this.#known.get(key) ?? { hash: null, edits: new Map(), turn: Promise.resolve() };
    this.#known.set(key, known);
    const turn = known.turn.then(() => this.#take(known, dimension, placed, since));
    known.turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting--;
    }
  }

  /** A block is another by now. */
  edit(dimension: string, x: number, y: number, z: number, name: string): void {
    const known = this.#known.get(keyOf(dimension, Math.floor(x / 16), Math.floor(z / 16)));
    known?.edits.set(placeOf(x & 15, y, z & 15), { name, since: ++this.#now });
  }

  /** Settles when all that came is in the store. Rejects as the store does. */
  async flush(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ turn }) => turn));
    await this.#writer.flush();
  }

  /** The first one counts, and after a failure the next. */
  async #take(known: Known, dimension: string, placed: PlacedChunk, since: number): Promise<Edit[]> {
    const { x, z, chunk } = placed;
    known.hash ??= await this.#reader.hash(dimension, x, z);
    if (known.hash !== null) return this.#compare(known.edits, await this.#reader.chunkOf(known.hash), placed, since);
    known.hash = await this.#writer.put(dimension, x, z, chunk);
    if (++this.#unnamed % NAMED_EVERY === 0) await this.#writer.flush();
    return [];
  }

  #compare(edits: Known["edits"], first: WorldChunk, { x, z, chunk }: PlacedChunk, since: number): Edit[] {
    const found: Edit[] = [];
    const [low, high] = [16 * chunk.minSection, 16 * (chunk.minSection + chunk.sections.length)];
    for (let y = low; y < high; y++)
      for (let dz = 0; dz < 16; dz++)
        for (let dx = 0; dx < 16; dx++) {
          const place = placeOf(dx, y, dz);
          const edit = edits.get(place);
          if (edit !== undefined && edit.since > since) continue;
          const name = blockAt(chunk, dx, y, dz) ?? AIR;
          if (name === (edit?.name ?? blockAt(first, dx, y, dz) ?? AIR)) continue;
          edits.set(place, { name, since });
          found.push({ x: 16 * x + dx, y, z: 16 * z + dz, name });
        }
    return found;
  }
}

function keyOf(dimension: string, x: number, z: number): string {
  return `${dimension} ${x},${z}`;
}

function placeOf(x: number, y: number, z: number): number {
  return y * 256 + z * 16 + x;
}
