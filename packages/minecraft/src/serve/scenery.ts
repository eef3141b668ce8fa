import type { Adapter } from "../scene/adapter.ts";
import { adapterFor } from "../scene/families.ts";
import { GameData } from "../game/data.ts";
import type { Backdrop } from "../world/backdrop.ts";
import { encodedAll } from "../game/encoding.ts";

/** A chunk as its viewers get it. */
interface Encoded {
  readonly buffers: readonly Buffer[];
  /** Names of blocks that the viewers' version does not have. */
  readonly unknown: readonly string[];
}

/** Most bytes of chunks that are kept for all viewers. */
const MOST_BYTES = 64 << 20;

const NONE: ReadonlySet<string> = new Set();

/** Chunks as packets, each made once for all viewers of a version. */
export class ChunkCache {
  readonly #adapters = new Map<string, Promise<Adapter>>();
  readonly #kept = new Map<string, Encoded>();
  readonly #coming = new Map<string, Promise<Encoded | null>>();
  readonly #most: number;
  bytes = 0;
  /** Chunks that were made. */
  made = 0;

  /** `most`: most bytes that are kept. */
  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  /** Null: there is no such chunk. Rejects like `Backdrop.chunk`. */
  async get(backdrop: Backdrop, version: string, dimension: string, x: number, z: number): Promise<Encoded | null> {
    const hash = await backdrop.hash(dimension, x, z);
    if (hash === null) return null;
    // its packet also contains its position
    const key = `${version} ${backdrop.world.id} ${hash} ${x},${z}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    let coming = this.#coming.get(key);
    if (coming === undefined) {
      coming = this.#make(key, backdrop, version, dimension, x, z).finally(() => this.#coming.delete(key));
      this.#coming.set(key, coming);
    }
    return coming;
  }

  async #make(
    key: string,
    backdrop: Backdrop,
    version: string,
    dimension: string,
    x: number,
    z: number,
  ): Promise<Encoded | null> {
    const chunk = await backdrop.chunk(dimension, x, z);
    if (chunk === null) return null;
    const data = GameData.of(version);
    const names = new Set(chunk.sections.flatMap(({ blocks }) => blocks.palette));
    const unknown = [...names].filter((name) => data.stateOf(name) === null);
    const encoded = { buffers: encodedAll(version, (await this.#adapter(version)).chunk({ x, z, chunk })), unknown };
    this.made++;
    this.bytes += sizeOf(encoded);
    this.#kept.set(key, encoded);
    for (const [oldest, old] of this.#kept) {
      if (this.bytes <= this.#most) break;
      this.#kept.delete(oldest);
      this.bytes -= sizeOf(old);
    }
    return encoded;
  }

  #adapter(version: string): Promise<Adapter> {
    const adapter = this.#adapters.get(version) ?? adapterFor(version);
    this.#adapters.set(version, adapter);
    return adapter;
  }
}

/** The world below a recording, and the parts of it that cannot be shown unchanged. */
export class Scenery {
  readonly backdrop: Backdrop;
  /** Problems with the world. */
  readonly problems: Set<string> = new Set();
  readonly #unknown = new Map<string, Set<string>>();
  readonly #cache: ChunkCache;

  constructor(backdrop: Backdrop, cache: ChunkCache) {
    this.backdrop = backdrop;
    this.#cache = cache;
  }

  /** Null: the chunk does not exist, or cannot be read, which is then one of the problems. */
  async chunk(version: string, dimension: string, x: number, z: number): Promise<readonly Buffer[] | null> {
    try {
      const encoded = await this.#cache.get(this.backdrop, version, dimension, x, z);
      if (encoded === null) return null;
      if (encoded.unknown.length > 0)
        this.#unknown.set(version, new Set([...this.unknown(version), ...encoded.unknown]));
      return encoded.buffers;
    } catch (error) {
      this.problems.add(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /** Names of blocks that a viewer's version does not have. */
  unknown(version: string): ReadonlySet<string> {
    return this.#unknown.get(version) ?? NONE;
  }
}

function sizeOf({ buffers }: Encoded): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}
