import type { SignalList, SignalType } from "../layout/signals.ts";

/** A signal that is on or off. */
interface Flag {
  readonly property: string;
  /** Place of its byte among those that are compared, and its bits there. */
  readonly place: number;
  readonly mask: number;
}

export interface FlagChange {
  readonly property: string;
  readonly isOn: boolean;
}

const NONE: readonly FlagChange[] = [];

/** Bytes of a whole number that says only whether a wheel bears weight: the lowest tells. */
const WIDTH: Partial<Record<SignalType, number>> = { int: 4, int16: 2, int8: 1 };

/**
 * Which of a tape's flags change from frame to frame: signals of type bool, and the wheels' `wow`, a whole number. Only
 * the bytes that hold them are compared.
 */
export class Flags {
  readonly #flags: readonly Flag[];
  /** Where the bytes are in a record. */
  readonly #places: readonly number[];
  readonly #bytes: number;
  readonly #before: Uint8Array;
  #isKnown = false;

  constructor({ signals, counts, bytes }: SignalList) {
    const flags: Flag[] = [];
    const places: number[] = [];
    // spec §2.2
    let at = 8 * counts.double + 4 * counts.float;
    let bit = 0;
    for (const { property, type } of signals) {
      const width = WIDTH[type];
      if (width !== undefined) {
        if (property.endsWith("/wow")) flags.push({ property, place: places.push(at) - 1, mask: 0xff });
        at += width;
      } else if (type === "bool") {
        if (bit % 8 === 0) places.push(at++);
        flags.push({ property, place: places.length - 1, mask: 1 << (bit++ % 8) });
      }
    }
    this.#flags = flags;
    this.#places = places;
    this.#bytes = bytes;
    this.#before = new Uint8Array(places.length);
  }

  get count(): number {
    return this.#flags.length;
  }

  /** Flags that are otherwise in the record `bytes[start, end)` than in the record compared before; of the first none. */
  compare(bytes: Uint8Array, start: number, end: number): readonly FlagChange[] {
    if (end - start < this.#bytes) return NONE;
    const places = this.#places;
    const before = this.#before;
    let isSame = this.#isKnown;
    for (let n = 0; n < places.length && isSame; n++) isSame = bytes[start + places[n]!] === before[n];
    if (isSame) return NONE;
    const changes: FlagChange[] = [];
    for (const { property, place, mask } of this.#isKnown ? this.#flags : []) {
      const isOn = (bytes[start + places[place]!]! & mask) !== 0;
      if (isOn !== ((before[place]! & mask) !== 0)) changes.push({ property, isOn });
    }
    for (let n = 0; n < places.length; n++) before[n] = bytes[start + places[n]!]!;
    this.#isKnown = true;
    return changes;
  }
}
