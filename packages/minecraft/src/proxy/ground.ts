import { createHash } from "node:crypto";
import { LayoutError } from "simtape/kit";
import type { LiveEvent } from "simtape/record";
import type { GameData } from "../game/data.ts";
import { chunkIn } from "../world/packets.ts";
import type { ChunkSink } from "../world/sink.ts";

/** Milliseconds between two times at which the store gets the index of new chunks. */
const NAMED_EVERY = 5000;

/** The fields of a packet `map_chunk` that are used here. */
interface ChunkParams {
  readonly x: number;
  readonly z: number;
  readonly chunkData: Uint8Array;
}

export interface GroundOptions {
  readonly sink: ChunkSink;
  readonly dimension: string;
  readonly data: GameData;
  /** Called with a block that differs from the recorded one. */
  readonly write: (event: LiveEvent) => void;
  /** Called once, when the world cannot be kept. */
  readonly failed: (error: unknown) => void;
}

/**
 * Stores the chunks of a dimension that its clients are shown. The first chunk at a place goes into the world store;
 * blocks that differ in a later chunk become edits.
 */
export class Ground {
  readonly #options: GroundOptions;
  /** By place: the chunk that was seen last, while no block of it has changed since. */
  readonly #seen = new Map<string, string>();
  #failure: unknown = null;
  /** Since when the index in the store lacks chunks; null: it lacks none. */
  #unnamed: number | null = null;

  constructor(options: GroundOptions) {
    this.#options = options;
  }

  /** Adds a packet `map_chunk`. */
  see(params: ChunkParams): void {
    if (this.#failure !== null) return;
    const { sink, dimension, data, write } = this.#options;
    // several clients get the same chunk
    const place = `${params.x},${params.z}`;
    const content = createHash("sha1").update(params.chunkData).digest("base64");
    if (this.#seen.get(place) === content) return;
    this.#seen.set(place, content);
    const placed = orNull(() => chunkIn(data, params));
    if (placed === null) return;
    this.#unnamed ??= performance.now();
    sink.see(dimension, placed).then(
      (edits) => {
        for (const { x, y, z, name } of edits) write({ kind: "block", value: { at: [x, y, z], state: name } });
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Adds an event of the recording. */
  hear(event: LiveEvent): void {
    if (event.kind !== "block") return;
    const { at, state } = event.value;
    const [x, , z] = at;
    this.#seen.delete(`${Math.floor(x / 16)},${Math.floor(z / 16)}`);
    this.#options.sink.edit(this.#options.dimension, ...at, state);
  }

  /** Call this a few times in a second: a killed proxy then loses only the last seconds. */
  poll(): void {
    if (this.#unnamed === null || performance.now() - this.#unnamed < NAMED_EVERY) return;
    this.#unnamed = null;
    void this.close();
  }

  /** Settles when all chunks are in the store, and all differences were written. */
  async close(): Promise<void> {
    await this.#options.sink.flush().catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#options.failed(error);
  }
}

/** Null: the chunk cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}
