import { RecordingError } from "../../model/error.ts";
import type { Time, Timeline } from "../../model/values/time.ts";
import { mcap } from "../../formats/mcap/format.ts";
import { Clock } from "../../export/mcap/clock.ts";
import { after } from "../../model/values/time.ts";
import type { Frame } from "../../play/frame.ts";
import type { Loaded } from "../deck.ts";
import type { Board } from "./board.ts";
import type { Subscription } from "./client.ts";
import { MadeProgramme, STATE_TOPICS } from "./made.ts";
import type { Programme } from "./programme.ts";
import { RecordedProgramme } from "./recorded.ts";

/** A step forward that is no longer is said message by message, nanoseconds. */
const NEAR: Time = 2e9;
/** Milliseconds. What could not be said in this time is left out: the next frame is a jump. */
const LATE = 10_000;

/** What a show calls. */
export interface Audience {
  /** The recording is known, its channels are on the board. */
  ready(): void;
  /** What was said before no longer holds: what follows is the state at `time`. */
  jumped(time: Time): void;
  failed(message: string): void;
}

/** Shows one loaded recording on a board, until it is stopped. */
export class Show {
  readonly #board: Board;
  readonly #loaded: Loaded;
  readonly #audience: Audience;
  #programme: Programme | null = null;
  #leave: () => void = () => undefined;
  #isStopped = false;
  /** Frames and wishes, one after the other. */
  #work: Promise<void> = Promise.resolve();
  /** Everything up to here has been said; null: nothing. */
  #at: Time | null = null;
  #takenAt = 0;
  timeline: Timeline | null = null;
  /** Frames that were left out because their messages could not be said in time. */
  skippedFrames = 0;

  constructor(board: Board, loaded: Loaded, audience: Audience) {
    this.#board = board;
    this.#loaded = loaded;
    this.#audience = audience;
  }

  begin(): void {
    this.#work = this.#do(() => this.#begin());
  }

  /** Subscriptions that have had nothing yet get what their channels say now. */
  feed(subscriptions: readonly Subscription[]): void {
    this.#work = this.#work.then(() => this.#do(() => this.#feed(subscriptions)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    await this.#programme?.close();
    await this.#work;
  }

  async #begin(): Promise<void> {
    const { recording, player } = this.#loaded;
    const timeline = await recording.timeline();
    if (this.#isStopped) return;
    const { clock } = Clock.of(timeline.epoch, timeline.start, Math.max(after(timeline.end), timeline.start));
    const isRecorded = recording.is(mcap);
    this.#board.begin(clock, isRecorded ? "" : STATE_TOPICS);
    const made = isRecorded ? RecordedProgramme : MadeProgramme;
    this.#programme = new made(recording, this.#board, timeline);
    await this.#programme.introduce();
    if (this.#isStopped) return;
    this.timeline = timeline;
    this.#audience.ready();
    this.#leave = player.subscribe((frame) => {
      this.#work = this.#work.then(() => this.#do(() => this.#take(frame)));
      return this.#work;
    });
  }

  async #take(frame: Frame): Promise<void> {
    const programme = this.#programme!;
    const { time, since, recorded, cause } = frame;
    const at = this.#at;
    this.#at = time;
    const now = performance.now();
    const isLate = at !== null && since !== null && now - this.#takenAt > LATE;
    this.#takenAt = now;
    const isRun = at !== null && time >= at && (since !== null || (cause === "step" && time - at <= NEAR));
    const isBack = at !== null && time < at && since !== null;
    if (isLate) this.skippedFrames++;
    if (isRun && !isLate) await programme.run(time);
    else if (isBack && !isLate) await programme.back(time, at, recorded);
    else {
      this.#audience.jumped(time);
      if (time <= this.timeline!.start) {
        await programme.rewind();
        await programme.run(time);
      } else await programme.jump(time, recorded);
    }
    this.#board.flush();
    this.#board.tick(time);
  }

  async #feed(subscriptions: readonly Subscription[]): Promise<void> {
    const programme = this.#programme;
    if (programme === null || this.#at === null) return;
    const hungry = subscriptions.filter(({ isFed, channel }) => !isFed && this.#board.has(channel));
    if (hungry.length === 0) return;
    programme.refresh();
    for (const subscription of hungry) this.#board.feed(subscription);
    this.#board.only = new Set(hungry.filter(({ isFed }) => !isFed));
    try {
      if (this.#board.only.size > 0) await programme.sayLast(this.#at, programme.channelsOn(this.#board.only));
    } finally {
      this.#board.only = null;
    }
  }

  async #do(work: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    try {
      await work();
    } catch (error) {
      const isClosed = error instanceof RecordingError && error.code === "closed";
      if (this.#isStopped || isClosed) return;
      this.#audience.failed(error instanceof Error ? error.message : String(error));
      this.#loaded.player.pause();
    }
  }
}
