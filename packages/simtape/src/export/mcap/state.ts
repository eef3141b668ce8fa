import type { Budget } from "../../bytes/budget.ts";
import type { Origin } from "../../model/axes/geodesy.ts";
import type { MutableState, State } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import type { Clock } from "./clock.ts";
import { Ground } from "./ground.ts";
import { SetMessages } from "./set.ts";
import type { Topics } from "./topics.ts";

/** The state as Foxglove's well-known schemas: for each set that has places, its frames, poses and scene. */
export class StateMessages {
  readonly #topics: Topics;
  readonly #clock: Clock;
  readonly #ground: Ground;
  readonly #only: string | undefined;
  readonly #budget: Budget | null;
  readonly #sets = new Map<string, SetMessages>();

  /**
   * `only`: a set; undefined: all of them. `origin` is set by the first geodetic place unless it is set. `budget`: of what
   * one message may take; null: there is no limit.
   */
  constructor(topics: Topics, clock: Clock, origin: Origin, only: string | undefined, budget: Budget | null = null) {
    this.#topics = topics;
    this.#clock = clock;
    this.#ground = new Ground(origin);
    this.#only = only;
    this.#budget = budget;
  }

  /** Writes what changed since the last call. */
  write(state: MutableState, time: Time): void {
    for (const [name, set] of state.sets) this.#of(name)?.write(set.freeze(), time);
  }

  /** As `write`, of a state that is no longer folded. */
  writeShown({ sets }: State, time: Time): void {
    for (const [name, set] of sets) this.#of(name)?.write(set, time);
  }

  /** The next call writes everything, changed or not. Sets that `state` has not leave the scene, at `time`. */
  restart({ sets }: { readonly sets: ReadonlyMap<string, unknown> }, time: Time): void {
    for (const [name, messages] of this.#sets) messages.restart(sets.has(name) ? null : time);
  }

  /** Null: messages of that set are not wanted. */
  #of(name: string): SetMessages | null {
    if (name.startsWith(".") || (this.#only !== undefined && name !== this.#only)) return null;
    let messages = this.#sets.get(name);
    if (messages === undefined) {
      messages = new SetMessages(name, this.#topics, this.#clock, this.#ground, this.#budget);
      this.#sets.set(name, messages);
    }
    return messages;
  }

  /** Sets that are in the file. */
  get names(): readonly string[] {
    return this.#those((set) => set.count > 0);
  }

  /** Those that are drawn with one metre for each nanometre. */
  get enlarged(): readonly string[] {
    return this.#those((set) => set.isEnlarged && set.count > 0);
  }

  /** Those that are one entity of many shapes, without frames. */
  get crowds(): readonly string[] {
    return this.#those((set) => set.isCrowd && set.count > 0);
  }

  /** Things that have no topic of their own because the set has too many, by set. */
  get withoutTopic(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [name, { withoutTopic }] of this.#sets) if (withoutTopic > 0) counts.set(name, withoutTopic);
    return counts;
  }

  /** Messages written. */
  get count(): number {
    let count = 0;
    for (const set of this.#sets.values()) count += set.count;
    return count;
  }

  #those(is: (set: SetMessages) => boolean): readonly string[] {
    return [...this.#sets].filter(([, set]) => is(set)).map(([name]) => name);
  }
}
