import { ByteCursor } from "../../../bytes/cursor.ts";
import { type Kept, Late } from "../../../model/state/late.ts";
import type { Value } from "../../../model/values/value.ts";
import { COLLISION_BYTES, readCollision } from "../layout/layout.ts";

const NO_BYTES = new Uint8Array(0);

/**
 * The collisions of a frame so far: those that were there, and those of one packet more. They are decoded and put
 * together when they are looked at, so that a frame of many packets does not cost the square of them.
 */
export class Collisions extends Late {
  readonly #before: Kept | undefined;
  readonly #more: Uint8Array;

  /** `more`: whole records, which must not be written to any more. */
  constructor(before: Kept | undefined, more: Uint8Array) {
    super(NO_BYTES, 0, () => this.#all());
    this.#before = before;
    this.#more = more;
  }

  #all(): Value {
    const packets = [decoded(this.#more)];
    let at = this.#before;
    for (; at instanceof Collisions; at = at.#before) packets.push(decoded(at.#more));
    if (Array.isArray(at)) packets.push(at as readonly Value[]);
    return packets.reverse().flat();
  }
}

function decoded(records: Uint8Array): readonly Value[] {
  const cursor = new ByteCursor(records);
  return Array.from({ length: records.length / COLLISION_BYTES }, () => ({ ...readCollision(cursor) }));
}
