import type { SnapshotSource } from "../../formats/hcrp/write/chunk-series.ts";
import type { World } from "./world.ts";

/** A snapshot is due when events came to so many times its size, but not too soon and not too late (HCRP events §6). */
const SNAPSHOT_SHARE = 4;
const SOONEST = 200;
const LATEST = 1200;
/** Snapshots above this are not taken: readers fold from the one before. */
const SNAPSHOT_BYTES = 8 << 20;

/** Gives a writer the snapshots of a world when they are due. */
export class WorldSnapshots implements SnapshotSource {
  readonly #world: () => World;
  readonly #isAlways: boolean;
  #taken: number | null = null;
  #snapshotTick = -LATEST;
  #snapshotBytes = 0;
  #eventBytes = 0;

  /** `world` is asked when a snapshot is; `isAlways`: every chunk gets one, whatever it costs. */
  constructor(world: () => World, isAlways = false) {
    this.#world = world;
    this.#isAlways = isAlways;
  }

  /** Tick of the snapshot that was taken since `enter`; null: none was. */
  get taken(): number | null {
    return this.#taken;
  }

  /** A tick begins. */
  enter(): void {
    this.#taken = null;
  }

  /** An event of so many bytes was written. */
  wrote(bytes: number): void {
    this.#eventBytes += bytes;
  }

  /** Whether a chunk may end for the sake of a snapshot: events came to `bytes`, and to enough beside its size. */
  isWorth(bytes: number): boolean {
    return !this.#isAlways && this.#eventBytes >= bytes && this.#isOutgrown;
  }

  snapshot(tick: number, isWanted: boolean): Uint8Array | null {
    const age = tick - this.#snapshotTick;
    const isDue = age >= LATEST || (age >= SOONEST && this.#isOutgrown);
    const snapshot = isWanted || this.#isAlways || isDue ? this.take(tick) : null;
    if (snapshot === null) this.#world().snapshot(false);
    return snapshot;
  }

  /** Null: it is larger than a chunk should begin with, and is left to the one before. */
  take(tick: number): Uint8Array | null {
    const payload = this.#world().snapshot(true)!;
    this.#snapshotTick = tick;
    this.#eventBytes = 0;
    if (payload.length > SNAPSHOT_BYTES) return null;
    this.#taken = tick;
    this.#snapshotBytes = payload.length;
    return payload;
  }

  get #isOutgrown(): boolean {
    return this.#eventBytes >= this.#snapshotBytes * SNAPSHOT_SHARE;
  }
}
