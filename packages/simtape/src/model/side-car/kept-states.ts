import { LayoutError } from "../../bytes/error.ts";
import type { StatesAtHand } from "../fold.ts";
import type { MutableState } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import type { SideCarFile } from "./layout.ts";
import { stateOf } from "./plain-state.ts";
import { isMisfit } from "./misfit.ts";
import { recalled } from "../kept/scans.ts";

/** The states of a side-car: places from which to fold. Each holds everything at or before its time. */
export class KeptStates implements StatesAtHand {
  readonly #file: SideCarFile;
  readonly #onDamage: (why: string) => void;
  /** Ascending. */
  #times: Float64Array;

  constructor(file: SideCarFile, times: Float64Array, onDamage: (why: string) => void) {
    this.#file = file;
    this.#times = times;
    this.#onDamage = onDamage;
  }

  get count(): number {
    return this.#times.length;
  }

  /** Time of the latest at or before `time`; null: there is none. */
  before(time: Time): Time | null {
    const at = this.#countUntil(time);
    return at === 0 ? null : this.#times[at - 1]!;
  }

  /** Time of the first in `[start, end)`. */
  first(start: Time, end: Time): Time | null {
    const found = this.#times.find((time) => time >= start);
    return found !== undefined && found < end ? found : null;
  }

  /** The state kept for exactly `time`, the caller's own; null when it cannot be read: then none is there any more. */
  async at(time: Time, signal?: AbortSignal): Promise<MutableState | null> {
    const name = stateName(this.#countUntil(time) - 1);
    try {
      const plain = await this.#file.section(name, signal);
      const state = recalled(() => stateOf(plain ?? null));
      if (state.time !== time) throw new LayoutError("malformed", `${name} is of another time`, 0);
      return state;
    } catch (error) {
      if (!isMisfit(error)) throw error;
      this.#times = new Float64Array(0);
      this.#onDamage(error.message);
      return null;
    }
  }

  #countUntil(time: Time): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Of the section that holds the state with that place among all. */
export function stateName(index: number): string {
  return `state/${index}`;
}
