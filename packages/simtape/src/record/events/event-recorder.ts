import type { LiveTarget } from "./live-target.ts";
import type { LiveEvent, LiveEvents } from "./live-event.ts";
import { StateEvents } from "./states.ts";
import { bytesOf, Things } from "./things.ts";

/**
 * Records events as they come. A recording holds a world or states: the first event of either kind decides. Events are
 * what the types say: a place is finite, a name is not empty (`faultIn`).
 */
export class EventRecorder<T extends LiveTarget = LiveTarget> {
  /** What takes them. */
  readonly target: T;
  #things: Things | null = null;
  #states: StateEvents | null = null;
  #kind: "world" | "states" | null = null;

  constructor(target: T) {
    this.target = target;
  }

  /** Things that found no room in the world. */
  get refused(): number {
    return this.#things?.world.refused ?? 0;
  }

  /** Throws `RangeError` for an event that cannot be recorded now; nothing of it is recorded then. */
  record(event: LiveEvent): void {
    const { target } = this;
    switch (event.kind) {
      case "tick":
        this.goTo(event.value);
        return;
      case "set":
        this.#withStates((states) => states.values(event.value));
        return;
      case "sets":
        this.#withStates((states) => states.declare(event.value));
        return;
      case "entities":
        this.#withStates((states) => states.entities(event.value));
        return;
      case "event":
        this.#write(event.value);
        return;
      case "commit":
        this.settle();
        target.commit();
        return;
      case "snapshot":
        target.snapshot();
        return;
      case "session":
        target.session(event.value);
        return;
      case "versions":
        target.epoch(event.value);
        return;
      case "reset":
        if (this.#kind === "world") this.#things!.reset();
        if (this.#kind === "states") this.#states!.reset();
        return;
      default:
        if (this.#kind === "states")
          throw new RangeError("the recording is one of states; a world needs one of its own");
        this.#things ??= new Things(target);
        this.#things.record(event);
        this.#kind = "world";
    }
  }

  /** To a tick of the recording; what follows belongs to it. Throws `RangeError` for one that is over. */
  goTo(tick: number): void {
    if (tick === this.target.tick) return;
    this.settle();
    this.target.goTo(tick);
  }

  /** The target has all of the present tick. */
  settle(): void {
    // events of the other kind that could not be taken have left nothing
    if (this.#kind === "states") this.#states!.write();
  }

  #withStates(record: (states: StateEvents) => void): void {
    if (this.#kind === "world") throw new RangeError("the recording has a world; states need one of their own");
    this.#states ??= new StateEvents(this.target);
    record(this.#states);
    this.#kind = "states";
  }

  #write({ event, value, base64, version }: LiveEvents["event"]): void {
    if (value !== undefined && base64 !== undefined) throw new RangeError("expected value or base64, found both");
    const payload = base64 === undefined ? new TextEncoder().encode(JSON.stringify(value) ?? "") : bytesOf(base64);
    this.target.write(this.target.channel(event, version), payload);
  }
}

/** Settles when the store has taken enough of what waits for it, or `signal` aborts. */
export async function roomIn(target: Pick<LiveTarget, "ready" | "commit">, signal?: AbortSignal): Promise<void> {
  while (target.ready !== null && signal?.aborted !== true) {
    target.commit();
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal?.addEventListener("abort", stop);
    await Promise.race([target.ready, stopped]);
    signal?.removeEventListener("abort", stop);
  }
}
