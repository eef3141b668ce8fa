import { gzip } from "../codec/deflate.ts";
import { Sha256 } from "../bytes/sha256.ts";
import { type Condition, type Store, StoreError } from "../io/store/store.ts";
import { RecordingError } from "../model/error.ts";
import { encodeChunk, type WorldChunk } from "./chunk.ts";
import { chunkKey, REGION, regionKey, type WorldName } from "./keys.ts";
import { Region } from "./region.ts";

/** How often a region is tried that others write, too. */
const TRIES = 20;
/** Hashes of chunks that are known to be there. */
const KNOWN = 100_000;

interface Place {
  readonly dimension: string;
  readonly x: number;
  readonly z: number;
  readonly hash: string;
}

/** How a world is written. */
export interface WorldWriterOptions {
  /** Whether a chunk takes the place of one that is there. Without it the first one stays. */
  readonly replaces?: boolean | undefined;
}

/**
 * Puts chunks of one world into a store; several may write the same world. A chunk is there before it is named, so what is
 * named is there whenever it ends. Rejects with `StoreError` as the store does.
 */
export class WorldWriter {
  readonly world: WorldName;
  readonly #store: Store;
  readonly #replaces: boolean;
  readonly #known = new Set<string>();
  /** Places that no region names yet, by region; each by its key. */
  readonly #waiting = new Map<string, Map<string, Place>>();

  constructor(store: Store, world: WorldName, { replaces = false }: WorldWriterOptions = {}) {
    this.#store = store;
    this.world = world;
    this.#replaces = replaces;
  }

  /**
   * Puts a chunk, by its numbers: the place of its blocks, divided by 16. It is found after `flush`. Resolves with its
   * SHA-256. Throws `RangeError` for what is no chunk.
   */
  async put(dimension: string, x: number, z: number, chunk: WorldChunk): Promise<string> {
    const content = encodeChunk(chunk);
    const hash = new Sha256().update(content).digest();
    const region = regionKey(this.world, dimension, Math.floor(x / REGION), Math.floor(z / REGION));
    if (!this.#known.has(hash)) await this.#keep(hash, content);
    const waiting = this.#waiting.get(region) ?? new Map<string, Place>();
    const place = `${x},${z}`;
    if (this.#replaces || !waiting.has(place)) waiting.set(place, { dimension, x, z, hash });
    this.#waiting.set(region, waiting);
    return hash;
  }

  /** Names all chunks that were put. Resolves with the count of those that were not there, or are others now. */
  async flush(): Promise<number> {
    let count = 0;
    for (const [key, places] of [...this.#waiting]) {
      this.#waiting.delete(key);
      try {
        count += await this.#name(key, [...places.values()]);
      } catch (error) {
        // to be tried again with the next flush
        this.#waiting.set(key, new Map([...places, ...(this.#waiting.get(key) ?? [])]));
        throw error;
      }
    }
    return count;
  }

  async #keep(hash: string, content: Uint8Array): Promise<void> {
    const key = chunkKey(this.world, hash);
    if ((await this.#store.head(key)) === null) {
      await this.#store.put(key, gzip(content, 6), { condition: { absent: true }, idempotencyKey: hash }).catch(
        ignore("conflict"), // it has come in between, and is the same
      );
    }
    if (this.#known.size >= KNOWN) this.#known.clear();
    this.#known.add(hash);
  }

  async #name(key: string, places: readonly Place[]): Promise<number> {
    for (let tries = 1; ; tries++) {
      const found = await this.#store.get(key);
      const region = found === null ? new Region() : decoded(found.bytes, key);
      const isNew = ({ x, z, hash }: Place): boolean => {
        const there = region.get(x, z);
        return there === undefined || (this.#replaces && there !== hash);
      };
      const fresh = places.filter(isNew);
      if (fresh.length === 0) return 0;
      for (const { x, z, hash } of fresh) region.set(x, z, hash);
      const condition: Condition = found === null ? { absent: true } : { etag: found.etag };
      try {
        await this.#store.put(key, region.encode(), { condition });
        return fresh.length;
      } catch (error) {
        if (!(error instanceof StoreError && error.code === "conflict") || tries === TRIES) throw error;
      }
    }
  }
}

function decoded(bytes: Uint8Array, key: string): Region {
  try {
    return Region.decode(bytes);
  } catch (error) {
    throw RecordingError.from(error, "world", key);
  }
}

function ignore(code: StoreError["code"]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof StoreError && error.code === code)) throw error;
  };
}
