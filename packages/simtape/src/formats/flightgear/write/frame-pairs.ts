import { type ContinuousBody, Slot } from "./tape-body.ts";
import { fatalPair, textsOf } from "../layout/text-pairs.ts";

/** From a frame to the one that keeps it from the next, seconds. */
const STEP = 1e-6;

/**
 * Keeps frames apart that would end FlightGear one behind the other (`fatalPair`): between them comes one that repeats
 * the signals of the first a microsecond later, and sets nothing. Signals, because FlightGear does not interpolate to
 * a frame without them (proven in 2024.1.5).
 */
export class FramePairs {
  readonly #body: ContinuousBody;
  readonly #between: readonly Slot[];
  /** The frame before, when it sets extra properties. */
  #item: Uint8Array | null = null;
  #record: Uint8Array | null = null;
  #native = 0;

  /** `names` are the items of a frame. */
  constructor(body: ContinuousBody, names: readonly string[]) {
    this.#body = body;
    this.#between = names.map((name) => new Slot(name));
  }

  /** Before a frame is written that sets these properties. */
  part(native: number, item: Uint8Array): void {
    if (this.#item === null || item.length === 0) return;
    if (fatalPair(textsOf(this.#item), textsOf(item)) === null) return;
    const between = Math.min(this.#native + STEP, (this.#native + native) / 2);
    if (!(between > this.#native && between < native)) return;
    const signals = this.#between.find(({ name }) => name === "signals");
    if (signals !== undefined && this.#record !== null) signals.add(this.#record, 0, this.#record.length, false);
    this.#body.frame(between, this.#between);
    signals?.clear();
  }

  /** Behind a frame that was written; copies what it keeps. */
  passed(native: number, item: Uint8Array, record: Uint8Array | null): void {
    this.#item = item.length === 0 ? null : item.slice();
    this.#record = item.length === 0 || record === null ? null : record.slice();
    this.#native = native;
  }
}
