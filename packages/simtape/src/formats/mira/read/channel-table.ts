import type { Budget } from "../../../bytes/budget.ts";
import { decodeText } from "../layout/text.ts";

/** Ids of channels are 16 bits wide in batches. */
export const MAX_CHANNELS = 0xffff;

/** Memory of all that is kept of a channel while its tape is open, and while it is shown; and of each byte of its name. */
const CHANNEL_MEMORY = 6144;
const NAME_MEMORY = 8;

/** Names of the channels by their bytes; ids in order of first appearance. */
export class ChannelTable {
  readonly names: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #byHash = new Map<number, number[]>();
  /** The channel found last, and by channel the one found behind it: the same will often follow again. */
  #last = 0;
  readonly #following: number[] = [];
  readonly #budget: Budget;

  /** Channels are held in `budget`. */
  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.names.length;
  }

  /** Id of the name `bytes[start, start + length)`, or -1. */
  find(bytes: Uint8Array, start: number, length: number): number {
    const likely = this.#following[this.#last];
    if (likely !== undefined && isEqual(this.#bytes[likely]!, bytes, start, length)) {
      this.#last = likely;
      return likely;
    }
    const id = this.#search(bytes, start, length);
    if (id >= 0) {
      this.#following[this.#last] = id;
      this.#last = id;
    }
    return id;
  }

  #search(bytes: Uint8Array, start: number, length: number): number {
    const ids = this.#byHash.get(hash(bytes, start, length));
    if (ids === undefined) return -1;
    for (let k = 0; k < ids.length; k++) {
      if (isEqual(this.#bytes[ids[k]!]!, bytes, start, length)) return ids[k]!;
    }
    return -1;
  }

  /** Takes up a new name; the caller has made sure that it is new. Throws `BudgetError` when there is no room for it. */
  add(bytes: Uint8Array, start: number, length: number): number {
    this.#budget.hold("the list of channels", CHANNEL_MEMORY + length * NAME_MEMORY);
    const own = bytes.slice(start, start + length);
    const id = this.names.length;
    this.names.push(decodeText(own));
    this.#bytes.push(own);
    this.#following.push(id);
    const key = hash(own, 0, length);
    const ids = this.#byHash.get(key);
    if (ids === undefined) this.#byHash.set(key, [id]);
    else ids.push(id);
    return id;
  }

  /** The names as they are in the file, by id. */
  get stored(): readonly Uint8Array[] {
    return this.#bytes;
  }

  /** Ids by the bytes of their names: the order of an ordered map of strings, spec §5. */
  byName(): number[] {
    return this.names.map((_, id) => id).sort((a, b) => compareBytes(this.#bytes[a]!, this.#bytes[b]!));
  }
}

/** FNV-1a. */
function hash(bytes: Uint8Array, start: number, length: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < start + length; i++) value = Math.imul(value ^ bytes[i]!, 0x01000193);
  return value;
}

function isEqual(name: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let i = 0; i < length; i++) if (name[i] !== bytes[start + i]) return false;
  return true;
}

/** The order of an ordered map of strings, spec §5. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
