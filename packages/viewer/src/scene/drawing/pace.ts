import { type Effort, QUALITIES, type Quality } from "./effort.ts";

/** What drawing is timed and waited for with; a made one in tests. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back in the next animation frame, until the function given back is called. */
  frame(callback: () => void): () => void;
  /** Calls back in so many milliseconds, until the function given back is called. */
  later(callback: () => void, milliseconds: number): () => void;
  /** Tells, asked later, whether all that was drawn so far is done. */
  fence(): () => boolean;
}

/** Between two questions whether a picture is done, milliseconds, and when nothing is waited for any more. */
const ASKED = 4;
const LOST = 3000;
/** Milliseconds without a change: the picture rests. */
const REST = 250;

/**
 * When the scene is drawn, and with how much of it. Where drawing is slow, a change waits until the picture under way
 * is done, so that what is seen is one picture behind and no more, and what has changed meanwhile is drawn once. What
 * rests is drawn with everything.
 */
export class Pace {
  readonly #draw: (quality: Quality) => void;
  readonly #effort: Effort;
  readonly #clock: Clock;
  /** Whether there are changes that wait for the picture under way. */
  #isStale = false;
  /** Of the picture under way: whether it is done, since when and with what it is drawn, and how long it was not done. */
  #isDone: (() => boolean) | null = null;
  #since = 0;
  #least = 0;
  #measured: Quality = QUALITIES[0];
  /** Whether nothing is drawn but what `complete` asks for: each picture of a video is drawn once. */
  isHeld = false;
  /** As it was drawn last. */
  #shown: Quality = QUALITIES[0];
  #cancelFrame: (() => void) | null = null;
  #cancelLater: (() => void) | null = null;

  constructor(draw: (quality: Quality) => void, effort: Effort, clock: Clock) {
    this.#draw = draw;
    this.#effort = effort;
    this.#clock = clock;
  }

  /** Something has changed: drawn in the next animation frame, or as `change` does. */
  request(): void {
    if (this.isHeld) return;
    this.#cancelFrame ??= this.#clock.frame(() => {
      this.#cancelFrame = null;
      this.change();
    });
  }

  /** Something has changed: drawn now, or as soon as the picture under way is done. */
  change(): void {
    if (this.isHeld) return;
    if (this.#isDone !== null && this.#effort.isLimited) this.#isStale = true;
    else this.drawNow();
  }

  /** Draws without waiting for anything. */
  drawNow(quality: Quality = this.#effort.quality): void {
    this.#cancelFrame?.();
    this.#cancelFrame = null;
    this.#isStale = false;
    this.#shown = quality;
    this.#draw(quality);
    if (this.#isDone !== null) return;
    this.#measured = quality;
    this.#since = this.#clock.now();
    this.#least = 0;
    this.#isDone = this.#clock.fence();
    this.#wait(() => this.#ask(), ASKED);
  }

  /** Draws everything, now. */
  complete(): void {
    this.drawNow(QUALITIES[0]);
  }

  dispose(): void {
    this.#cancelFrame?.();
    this.#cancelLater?.();
  }

  #ask(): void {
    const passed = this.#clock.now() - this.#since;
    if (!this.#isDone!() && passed < LOST) {
      this.#least = passed;
      this.#wait(() => this.#ask(), ASKED);
      return;
    }
    this.#isDone = null;
    if (this.#measured === this.#effort.quality) this.#effort.note(this.#least, passed);
    if (this.#isStale) this.drawNow();
    else if (this.#shown !== QUALITIES[0]) this.#wait(() => this.complete(), REST);
  }

  #wait(callback: () => void, milliseconds: number): void {
    this.#cancelLater?.();
    this.#cancelLater = this.#clock.later(callback, milliseconds);
  }
}

/** The browser's, for what is drawn in a context. */
export function clockOf(context: WebGL2RenderingContext): Clock {
  return {
    now: () => performance.now(),
    frame: (callback) => {
      const request = requestAnimationFrame(callback);
      return () => cancelAnimationFrame(request);
    },
    later: (callback, milliseconds) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    fence: () => {
      const sync = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
      context.flush();
      return () => {
        // Without an answer the context is lost, and nothing is under way.
        if (sync !== null && context.getSyncParameter(sync, context.SYNC_STATUS) === context.UNSIGNALED) return false;
        context.deleteSync(sync);
        return true;
      };
    },
  };
}
