import type { Store } from "simtape";
import { type WorldChunk, type WorldName, WorldReader } from "simtape/world";
import { blockAt } from "./packets.ts";

/** The name of the block at `"x,y,z"` without edits; null: not known. */
export type Base = (place: string) => string | null;

/** Most chunks that are kept. */
const KEPT = 64;

/** The world below a recording, as far as the store has it. */
export class Backdrop {
  readonly world: WorldName;
  readonly #reader: WorldReader;
  readonly #chunks = new Map<string, Promise<WorldChunk | null>>();
  /** By dimension and place: the blocks below the edits. */
  readonly #bases = new Map<string, Map<string, string | null>>();

  constructor(store: Pick<Store, "get" | "list">, world: WorldName) {
    this.world = world;
    this.#reader = new WorldReader(store, world);
  }

  /** Whether the store has any of it. Rejects like the store. */
  async isThere(): Promise<boolean> {
    for await (const _ of this.#reader.regions()) return true;
    return false;
  }

  /** Places of the chunks of a dimension. */
  async *places(dimension: string): AsyncGenerator<readonly [x: number, z: number]> {
    for await (const { dimension: of, x, z } of this.#reader.regions()) {
      if (of !== dimension) continue;
      for (const chunk of (await this.#reader.region(of, x, z)) ?? []) yield [32 * x + chunk.x, 32 * z + chunk.z];
    }
  }

  /** The SHA-256 of a chunk; null: it does not exist. Rejects like the store. */
  hash(dimension: string, x: number, z: number): Promise<string | null> {
    return this.#reader.hash(dimension, x, z);
  }

  /** Null: it does not exist. Rejects like the store, and with `RecordingError` for a damaged chunk. */
  chunk(dimension: string, x: number, z: number): Promise<WorldChunk | null> {
    const key = `${dimension} ${x},${z}`;
    const known = this.#chunks.get(key);
    this.#chunks.delete(key);
    const chunk = known ?? this.#reader.chunk(dimension, x, z);
    this.#chunks.set(key, chunk);
    chunk.catch(() => this.#chunks.delete(key));
    if (this.#chunks.size > KEPT) this.#chunks.delete(this.#chunks.keys().next().value!);
    return chunk;
  }

  /** Reads the blocks below edits, which `base` then returns. Blocks that cannot be read stay unknown. */
  async learn(dimension: string, places: Iterable<string>): Promise<void> {
    const bases = this.#basesOf(dimension);
    for (const place of places) {
      if (bases.has(place)) continue;
      const [x, y, z] = place.split(",").map(Number) as [number, number, number];
      const chunk = await this.chunk(dimension, Math.floor(x / 16), Math.floor(z / 16)).catch(() => null);
      bases.set(place, chunk === null ? null : blockAt(chunk, x & 15, y, z & 15));
    }
  }

  /** The known blocks below the edits. */
  base(dimension: string): Base {
    const bases = this.#basesOf(dimension);
    return (place) => bases.get(place) ?? null;
  }

  #basesOf(dimension: string): Map<string, string | null> {
    let bases = this.#bases.get(dimension);
    if (bases === undefined) {
      bases = new Map();
      this.#bases.set(dimension, bases);
    }
    return bases;
  }
}
