import type { HcrpWriter } from "../../formats/hcrp/write/writer.ts";
import type { EventSink, Mark, World } from "./world.ts";

/** A snapshot is due when events came to so many times its size, but not too soon and not too late (HCRP events §6). */
const SNAPSHOT_SHARE = 4;
const SOONEST = 200;
const LATEST = 1200;
/**
 * But in a crowd one is due when a seek would have to go through so many bytes of events: then a chunk ends, too. Two
 * such chunks do not fit into one frame when they are compacted.
 */
const HEAVY = 128 << 10;
/** Snapshots above this are not taken: readers fold from the one before. */
const SNAPSHOT_BYTES = 8 << 20;

/**
 * Puts a world's events into a recording: every chunk begins where its first event is about to be made, with a snapshot
 * when one is due.
 */
export class WorldSink implements EventSink {
  readonly #writer: HcrpWriter;
  readonly #world: () => World;
  readonly #onMark: (mark: Mark) => void;
  /** Tick of a snapshot that was taken on the way into the present one. */
  #taken: number | null = null;
  #snapshotTick = -LATEST;
  #snapshotBytes = 0;
  #eventBytes = 0;

  readonly #isAlways: boolean;

  /** `isAlways`: every chunk gets a snapshot, whatever it costs. */
  constructor(writer: HcrpWriter, world: () => World, onMark: (mark: Mark) => void, isAlways = false) {
    this.#isAlways = isAlways;
    this.#writer = writer;
    this.#world = world;
    this.#onMark = onMark;
    writer.snapshotHook = (tick, isWanted) => this.#snapshot(tick, isWanted);
    writer.wantSnapshot();
  }

  room(): number {
    return this.#writer.room;
  }

  enter(tick: number, isAnew: boolean): number | null {
    this.#taken = null;
    const snapshot = isAnew ? this.#take(tick) : null;
    if (snapshot !== null) this.#writer.snapshot(tick, snapshot);
    else {
      if (this.#isHeavy(tick)) {
        this.#writer.endChunk(tick);
        this.#writer.wantSnapshot();
      }
      this.#writer.goTo(tick);
    }
    return this.#taken;
  }

  event(core: number, tick: number, payload: Uint8Array): void {
    this.#eventBytes += payload.length + 1;
    this.#writer.event(core, tick, payload);
  }

  mark(mark: Mark): void {
    this.#onMark(mark);
  }

  /** Nothing of the tick may be written yet. */
  #isHeavy(tick: number): boolean {
    if (this.#isAlways || this.#eventBytes < HEAVY * this.#writer.growth || tick < this.#writer.tick) return false;
    return this.#eventBytes >= this.#snapshotBytes * SNAPSHOT_SHARE;
  }

  #snapshot(tick: number, isWanted: boolean): Uint8Array | null {
    const age = tick - this.#snapshotTick;
    const isDue = age >= LATEST || (age >= SOONEST && this.#eventBytes >= this.#snapshotBytes * SNAPSHOT_SHARE);
    const snapshot = isWanted || this.#isAlways || isDue ? this.#take(tick) : null;
    if (snapshot === null) this.#world().snapshot(false);
    return snapshot;
  }

  /** Null: it is larger than a chunk should begin with, and is left to the one before. */
  #take(tick: number): Uint8Array | null {
    const payload = this.#world().snapshot(true)!;
    if (payload.length > SNAPSHOT_BYTES) {
      this.#snapshotTick = tick;
      this.#eventBytes = 0;
      return null;
    }
    this.#taken = tick;
    this.#snapshotTick = tick;
    this.#snapshotBytes = payload.length;
    this.#eventBytes = 0;
    return payload;
  }
}
