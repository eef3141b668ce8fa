import type { HcrpWriter } from "../../formats/hcrp/write/writer.ts";
import type { EventSink, Mark } from "./world.ts";
import type { WorldSnapshots } from "./world-snapshots.ts";

/**
 * In a crowd a snapshot is due when a seek would have to go through so many bytes of events: then a chunk ends, too.
 * Two such chunks do not fit into one frame when they are compacted.
 */
const HEAVY = 128 << 10;

/**
 * Puts a world's events into a recording: every chunk begins where its first event is about to be made, with a snapshot
 * when one is due.
 */
export class WorldSink implements EventSink {
  readonly #writer: HcrpWriter;
  readonly #snapshots: WorldSnapshots;
  readonly #onMark: (mark: Mark) => void;

  /** `writer` was made with `snapshots`. */
  constructor(writer: HcrpWriter, snapshots: WorldSnapshots, onMark: (mark: Mark) => void) {
    this.#writer = writer;
    this.#snapshots = snapshots;
    this.#onMark = onMark;
    writer.wantSnapshot();
  }

  room(): number {
    return this.#writer.room;
  }

  enter(tick: number, needsSnapshot: boolean): number | null {
    this.#snapshots.enter();
    const snapshot = needsSnapshot ? this.#snapshots.take(tick) : null;
    if (snapshot !== null) this.#writer.snapshot(tick, snapshot);
    else {
      if (this.#isHeavy(tick)) {
        this.#writer.endChunk(tick);
        this.#writer.wantSnapshot();
      }
      this.#writer.goTo(tick);
    }
    return this.#snapshots.taken;
  }

  event(core: number, tick: number, payload: Uint8Array): void {
    this.#snapshots.wrote(payload.length + 1);
    this.#writer.event(core, tick, payload);
  }

  mark(mark: Mark): void {
    this.#onMark(mark);
  }

  /** Nothing of the tick may be written yet. */
  #isHeavy(tick: number): boolean {
    return tick >= this.#writer.tick && this.#snapshots.isWorth(HEAVY * this.#writer.growth);
  }
}
