import { createHash } from "node:crypto";
import { LayoutError } from "simtape/kit";
import type { Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import { chunkIn } from "../world/packets.ts";
import type { ChunkSink } from "../world/sink.ts";

/** Milliseconds between two times at which the chunks that came are named in the store. */
const NAMED_EVERY = 5000;

/** The fields of a packet `map_chunk` that are looked at here. */
interface ChunkParams {
  readonly x: number;
  readonly z: number;
  readonly chunkData: Uint8Array;
}

export interface GroundOptions {
  readonly sink: ChunkSink;
  readonly dimension: string;
  readonly data: GameData;
  /** Takes a block that is another than the recording has it. */
  readonly write: (line: Line) => void;
  /** Called once: the world is not kept. */
  readonly failed: (error: unknown) => void;
}

/**
 * The chunks of a dimension, as its clients are shown them. The first of a place goes into the world store; of a later one
 * the blocks that are others by then are edits.
 */
export class Ground {
  readonly #options: GroundOptions;
  /** By place: what was seen last, while no block of it has changed since. */
  readonly #seen = new Map<string, string>();
  #failure: unknown = null;
  /** Since when there are chunks that the store does not name; null: there are none. */
  #unnamed: number | null = null;

  constructor(options: GroundOptions) {
    this.#options = options;
  }

  /** A packet `map_chunk`. */
  see(params: ChunkParams): void {
    if (this.#failure !== null) return;
    const { sink, dimension, data, write } = this.#options;
    // several clients are sent the same
    const place = `${params.x},${params.z}`;
    const content = createHash("sha1").update(params.chunkData).digest("base64");
    if (this.#seen.get(place) === content) return;
    this.#seen.set(place, content);
    const placed = orNull(() => chunkIn(data, params));
    if (placed === null) return;
    this.#unnamed ??= performance.now();
    sink.see(dimension, placed).then(
      (edits) => {
        for (const { x, y, z, name } of edits) write({ block: { at: [x, y, z], state: name } });
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** A line of the recording. */
  hear({ block }: Line): void {
    if (block === undefined) return;
    const { at, state } = block as { readonly at: readonly [number, number, number]; readonly state: string };
    const [x, , z] = at;
    this.#seen.delete(`${Math.floor(x / 16)},${Math.floor(z / 16)}`);
    this.#options.sink.edit(this.#options.dimension, ...at, state);
  }

  /** To be called a few times in a second: what a killed proxy has seen is in the store but for the last seconds. */
  poll(): void {
    if (this.#unnamed === null || performance.now() - this.#unnamed < NAMED_EVERY) return;
    this.#unnamed = null;
    void this.close();
  }

  /** Settles when all is in the store, and what differs has been written. */
  async close(): Promise<void> {
    await this.#options.sink.flush().catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#options.failed(error);
  }
}

/** Null: it cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}
