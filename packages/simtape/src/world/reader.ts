import { gunzip } from "../codec/deflate.ts";
import { Sha256 } from "../bytes/sha256.ts";
import type { Store } from "../io/store/store.ts";
import { RecordingError } from "../model/error.ts";
import { decodeChunk, type WorldChunk } from "./chunk.ts";
import { chunkKey, REGION, regionKey, regionOf, versionPrefix, type WorldName } from "./keys.ts";
import { Region } from "./region.ts";

/** Bytes that a chunk may have: more than any of the game's, with all that its block entities hold. */
const MOST_BYTES = 32 << 20;
/** Regions that are kept. */
const KEPT = 64;

/** Something in a store that is not as it should be. */
export interface WorldProblem {
  readonly key: string;
  readonly message: string;
}

/**
 * The chunks of one world in a store: a folder, a bucket, or a server that is asked by URL. Rejects with `StoreError` as the
 * store does, and with `RecordingError` for what is damaged.
 */
export class WorldReader {
  readonly world: WorldName;
  readonly #store: Pick<Store, "get" | "list">;
  readonly #regions = new Map<string, Promise<Region | null>>();

  constructor(store: Pick<Store, "get" | "list">, world: WorldName) {
    this.#store = store;
    this.world = world;
  }

  /** All that there are of this version of the world; not for stores that cannot be listed. */
  async *regions(): AsyncGenerator<{ readonly dimension: string; readonly x: number; readonly z: number }> {
    for await (const { key } of this.#store.list(versionPrefix(this.world))) {
      const region = regionOf(this.world, key);
      if (region !== null) yield region;
    }
  }

  /** Null: the store has none. It is asked once, until `forget`. */
  async region(dimension: string, x: number, z: number): Promise<Region | null> {
    const key = regionKey(this.world, dimension, x, z);
    const known = this.#regions.get(key);
    this.#regions.delete(key);
    const region = known ?? this.#load(key);
    this.#regions.set(key, region);
    if (this.#regions.size > KEPT) this.#regions.delete(this.#regions.keys().next().value!);
    return region;
  }

  /** Looks at the store again when it is asked next: chunks may have come. */
  forget(): void {
    this.#regions.clear();
  }

  /** The SHA-256 of a chunk, by its numbers: the place of its blocks, divided by 16. Null: there is none. */
  async hash(dimension: string, x: number, z: number): Promise<string | null> {
    const region = await this.region(dimension, Math.floor(x / REGION), Math.floor(z / REGION));
    return region?.get(x, z) ?? null;
  }

  /** A chunk, by its numbers; null: there is none. */
  async chunk(dimension: string, x: number, z: number): Promise<WorldChunk | null> {
    const hash = await this.hash(dimension, x, z);
    return hash === null ? null : this.chunkOf(hash);
  }

  /** A chunk, by its SHA-256. */
  async chunkOf(hash: string): Promise<WorldChunk> {
    return this.#decoded(hash, await this.#content(hash));
  }

  /** Looks whether all chunks that are named are there and are what they were; yields what is not. */
  async *check(): AsyncGenerator<WorldProblem> {
    const looked = new Set<string>();
    for await (const { dimension, x, z } of this.regions()) {
      const region = await this.#problemOf(regionKey(this.world, dimension, x, z), this.region(dimension, x, z));
      if (region instanceof Region) {
        for (const { hash } of region) {
          if (looked.has(hash)) continue;
          looked.add(hash);
          const problem = await this.#problemOf(chunkKey(this.world, hash), this.#examine(hash));
          if (problem !== null) yield problem;
        }
      } else if (region !== null) yield region;
    }
  }

  async #problemOf<T>(key: string, work: Promise<T>): Promise<T | WorldProblem> {
    try {
      return await work;
    } catch (error) {
      if (!RecordingError.is(error)) throw error;
      return { key, message: error.message };
    }
  }

  async #examine(hash: string): Promise<null> {
    const content = await this.#content(hash);
    const found = new Sha256().update(content).digest();
    if (found !== hash) throw this.#damaged(hash, new RangeError(`expected SHA-256 ${hash}, found ${found}`));
    this.#decoded(hash, content);
    return null;
  }

  async #load(key: string): Promise<Region | null> {
    const found = await this.#store.get(key).catch((error: unknown) => {
      this.#regions.delete(key);
      throw error;
    });
    try {
      return found === null ? null : Region.decode(found.bytes);
    } catch (error) {
      throw RecordingError.from(error, "world", key);
    }
  }

  async #content(hash: string): Promise<Uint8Array> {
    const key = chunkKey(this.world, hash);
    const found = await this.#store.get(key);
    if (found === null) throw new RecordingError("truncated", `a chunk that is named is not there: ${key}`);
    try {
      const { bytes, damage } = gunzip(found.bytes, MOST_BYTES);
      if (damage !== null) throw damage;
      return bytes;
    } catch (error) {
      throw RecordingError.from(error, "world", key);
    }
  }

  #decoded(hash: string, content: Uint8Array): WorldChunk {
    try {
      return decodeChunk(content);
    } catch (error) {
      throw RecordingError.from(error, "world", chunkKey(this.world, hash));
    }
  }

  #damaged(hash: string, { message }: Error): RecordingError {
    return new RecordingError("malformed", `${chunkKey(this.world, hash)}: ${message}`);
  }
}
