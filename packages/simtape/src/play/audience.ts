import type { Time } from "../model/values/time.ts";
import type { Frame, FrameListener } from "./frame.ts";

/** A frame before a listener has seen it. */
export type Picture = Omit<Frame, "since">;

/** All listeners. Each gets frames as fast as it takes them: never two at once, always the newest. */
export class Audience {
  readonly #seats = new Set<Seat>();
  #newest: Picture | null = null;
  #onFree: (() => void)[] = [];

  /** The listener gets what is shown now, if anything is, and then what follows. */
  join(listener: FrameListener): () => void {
    const seat = new Seat(listener, () => this.#freed());
    this.#seats.add(seat);
    if (this.#newest !== null) seat.show({ ...this.#newest, cause: "seek" });
    return () => {
      this.#seats.delete(seat);
      seat.leave();
      this.#freed();
    };
  }

  show(picture: Picture): void {
    this.#newest = picture;
    for (const seat of [...this.#seats]) seat.show(picture);
  }

  /** Settles when a listener is free; null: one is free now, or there is none. */
  whenFree(): Promise<void> | null {
    if (this.#seats.size === 0 || [...this.#seats].some((seat) => !seat.isBusy)) return null;
    return new Promise((resolve) => {
      this.#onFree.push(resolve);
    });
  }

  #freed(): void {
    const waiting = this.#onFree;
    this.#onFree = [];
    for (const resolve of waiting) resolve();
  }
}

class Seat {
  isBusy = false;
  readonly #listener: FrameListener;
  readonly #onFree: () => void;
  /** The newest that came while the listener was busy. */
  #next: Picture | null = null;
  #last: Time | null = null;
  #hasLeft = false;

  constructor(listener: FrameListener, onFree: () => void) {
    this.#listener = listener;
    this.#onFree = onFree;
  }

  show(picture: Picture): void {
    const missed = this.#next;
    const cause = picture.cause === "play" && missed !== null ? missed.cause : picture.cause;
    const next = { ...picture, cause };
    if (this.isBusy) this.#next = next;
    else this.#give(next);
  }

  leave(): void {
    this.#hasLeft = true;
    this.#next = null;
  }

  #give(picture: Picture): void {
    const since = picture.cause === "play" ? this.#last : null;
    this.#last = picture.time;
    this.isBusy = true;
    void this.#call({ ...picture, since });
  }

  async #call(frame: Frame): Promise<void> {
    try {
      const taken = this.#listener(frame);
      if (taken !== undefined) await taken;
    } catch (error) {
      // A listener that fails is its owner's mistake: it is reported there, and does not stop the others.
      queueMicrotask(() => {
        throw error;
      });
    }
    this.isBusy = false;
    const next = this.#next;
    this.#next = null;
    if (this.#hasLeft) return;
    if (next !== null) this.#give(next);
    else this.#onFree();
  }
}
