import type { Time } from "../model/values/time.ts";
import type { Machine } from "./machine.ts";
import type { Root } from "./program.ts";
import type { Rows } from "./rows.ts";

/** A time at which an expression is true. */
export interface Answer {
  /** Nanoseconds since the start; the interval is `[from, until)`. Of an instant both are the same. */
  readonly from: Time;
  readonly until: Time;
  /** Of the number that `Question.measure` names, the extreme inside; null: it has none, or it is unknown. */
  readonly extreme: number | null;
  /** When it was so first. */
  readonly at: Time | null;
  /** The thing that it is about: that of `each`, or the one that had the extreme: `vehicles/24`. */
  readonly thing: string | null;
}

/** Makes answers of a column of booleans, batch after batch. */
export class AnswerMaker {
  readonly #root: Root;
  readonly #end: Time;
  #from: Time = Number.NaN;
  #extreme = Number.NaN;
  #at: Time = Number.NaN;
  #who = -1;

  /** `end`: what is still true when all is read is true until then. */
  constructor(root: Root, end: Time) {
    this.#root = root;
    this.#end = end;
  }

  take(machine: Machine, { time, length }: Rows, into: Answer[]): void {
    const { register, isInstant, measure, who } = this.#root;
    const condition = machine.register(register);
    const measured = measure < 0 ? null : machine.register(measure);
    const whose = who < 0 ? null : machine.register(who);
    for (let i = 0; i < length; i++) {
      const isTrue = condition[i] === 1;
      if (!isTrue) {
        if (!Number.isNaN(this.#from)) this.#close(time[i]!, into);
        continue;
      }
      if (Number.isNaN(this.#from)) this.#from = time[i]!;
      if (measured !== null) this.#measure(measured[i]!, time[i]!, whose === null ? -1 : whose[i]!);
      if (isInstant) this.#close(time[i]!, into);
    }
  }

  /** Whether it is true at `time`, that of the last row, and will be an answer whatever follows. */
  isOpen(time: Time): boolean {
    return time - this.#from >= this.#root.least;
  }

  finish(into: Answer[]): void {
    if (!Number.isNaN(this.#from)) this.#close(this.#end, into);
  }

  #measure(now: number, time: Time, who: number): void {
    if (Number.isNaN(now)) return;
    const so = this.#extreme;
    if (!Number.isNaN(so) && (this.#root.isLeast ? now >= so : now <= so)) return;
    this.#extreme = now;
    this.#at = time;
    this.#who = who;
  }

  #close(until: Time, into: Answer[]): void {
    const { least, things, label, scale } = this.#root;
    const isKnown = !Number.isNaN(this.#extreme);
    if (until - this.#from >= least) {
      into.push({
        from: this.#from,
        until,
        extreme: isKnown ? (scale === 1 ? this.#extreme : this.#extreme * scale) : null,
        at: isKnown ? this.#at : null,
        thing: label ?? things[this.#who] ?? null,
      });
    }
    this.#from = this.#extreme = this.#at = Number.NaN;
    this.#who = -1;
  }
}
