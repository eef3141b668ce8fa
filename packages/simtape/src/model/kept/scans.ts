import { LayoutError } from "../../bytes/error.ts";
import type { Value } from "../values/value.ts";
import type { Members } from "./shapes.ts";

/**
 * What the scans of an opening learned, each part under a name of its own. One opening keeps it; another is given it, and
 * does not scan. A reader asks for a part by `known`, makes it when it is not there, and says how it is kept by `keep`.
 */
export class Scans {
  readonly #known: Members;
  readonly #kept = new Map<string, () => Value>();
  readonly #isKeeping: boolean;
  #used = false;

  /** `known`: what another opening kept; null: nothing. `isKeeping`: this opening is asked for what it learned. */
  constructor(known: Members | null, isKeeping = false) {
    this.#known = known ?? {};
    this.#isKeeping = isKeeping;
  }

  /** Some part was known. */
  get areUsed(): boolean {
    return this.#used;
  }

  /** Undefined: to be found out. */
  known(name: string): Value | undefined {
    const found = Object.hasOwn(this.#known, name) ? this.#known[name] : undefined;
    if (found !== undefined) this.#used = true;
    return found;
  }

  /** `learned` is called once the recording is open, if at all; of two parts of one name the later is kept. */
  keep(name: string, learned: () => Value): void {
    if (this.#isKeeping) this.#kept.set(name, learned);
  }

  /** All that was learned. */
  learned(): Members {
    return Object.fromEntries([...this.#kept].map(([name, learned]) => [name, learned()]));
  }
}

/** Runs what reads kept content. Content that does not fit may fail in any way: all of them become `LayoutError`. */
export function recalled<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LayoutError) throw error;
    if (error instanceof TypeError || error instanceof RangeError)
      throw new LayoutError("malformed", `what was kept of a scan does not fit: ${error.message}`, 0);
    throw error;
  }
}
