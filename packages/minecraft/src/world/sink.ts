import { type WorldChunk, type WorldName, WorldReader, WorldWriter } from "simtape/world";
import type { Store } from "simtape";
import { blockAt, type PlacedChunk } from "./packets.ts";

/** A block that differs from the world. */
export interface Edit {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly name: string;
}

/** The state of a chunk. */
interface Known {
  /** Its content in the store; null: it could not be read. */
  hash: string | null;
  /** By place in the chunk: the present block, and since when. */
  readonly edits: Map<number, { readonly name: string; readonly since: number }>;
  /** Updates of the chunk run one after another. */
  turn: Promise<unknown>;
}

const AIR = "minecraft:air";
/** Most chunks that wait to be written; further ones are left out. */
const MOST_WAITING = 1024;
/** Number of new chunks after which the index is written. */
const NAMED_EVERY = 256;

/**
 * Puts the chunks that clients are shown during a recording into a world store. The first chunk of a place counts; a
 * later one shows which blocks have changed since. A chunk that is already in the store counts as the first.
 */
export class ChunkSink {
  readonly world: WorldName;
  readonly #reader: WorldReader;
  readonly #writer: WorldWriter;
  readonly #known = new Map<string, Known>();
  #now = 0;
  #waiting = 0;
  #unnamed = 0;
  /** Number of chunks that were left out. */
  left = 0;

  constructor(store: Store, world: WorldName) {
    this.world = world;
    this.#reader = new WorldReader(store, world);
    this.#writer = new WorldWriter(store, world);
  }

  /** Places of chunks that the store has. */
  get kept(): number {
    return [...this.#known.values()].filter(({ hash }) => hash !== null).length;
  }

  /** Adds a chunk as it is now. Resolves with the blocks whose change was not known. Rejects like the store. */
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

  /** A block has changed. */
  edit(dimension: string, x: number, y: number, z: number, name: string): void {
    const known = this.#known.get(keyOf(dimension, Math.floor(x / 16), Math.floor(z / 16)));
    known?.edits.set(placeOf(x & 15, y, z & 15), { name, since: ++this.#now });
  }

  /** Settles when all added chunks are in the store. Rejects like the store. */
  async flush(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ turn }) => turn));
    await this.#writer.flush();
  }

  /** The first chunk counts; when it fails, the next one does. */
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
