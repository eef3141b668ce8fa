import { type Kept, Late } from "../../../model/state/late.ts";
import type { Value } from "../../../model/values/value.ts";

const NO_BYTES = new Uint8Array(0);

/**
 * The collisions of a frame so far: those that were there, and those of one packet more. They are put together when
 * they are looked at, so that a frame of many packets does not cost the square of them.
 */
export class Collisions extends Late {
  readonly #before: Kept | undefined;
  readonly #more: readonly Value[];

  constructor(before: Kept | undefined, more: readonly Value[]) {
    super(NO_BYTES, 0, () => this.#all());
    this.#before = before;
    this.#more = more;
  }

  #all(): Value {
    const packets = [this.#more];
    let at = this.#before;
    for (; at instanceof Collisions; at = at.#before) packets.push(at.#more);
    if (Array.isArray(at)) packets.push(at as readonly Value[]);
    return packets.reverse().flat();
  }
}
