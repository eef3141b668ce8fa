import type { MessageBatch } from "../model/messages/batch.ts";
import type { Time } from "../model/values/time.ts";
import type { Side } from "./side.ts";

/**
 * Goes through both sides as long as their messages are equal byte for byte: what equal messages come to is equal, so that
 * none has to be folded. Compares columns and bytes; makes nothing for a message.
 */
export class Lockstep {
  readonly #a: Side;
  readonly #b: Side;
  #contextA: unknown = NOTHING;
  #contextB: unknown = NOTHING;
  #isAlike = false;

  constructor(a: Side, b: Side) {
    this.#a = a;
    this.#b = b;
  }

  /** Whether messages of the two can be compared by their bytes at all. */
  static isFit(a: Side, b: Side): boolean {
    const [one, other] = [a.recording, b.recording];
    if (one.reader.state.isAlike === undefined || other.reader.state.isAlike === undefined) return false;
    if (one.channels.length !== other.channels.length) return false;
    return one.channels.every(({ name, id, schema }) => {
      const there = other.channels[id];
      return there !== undefined && there.name === name && there.schema.name === schema.name;
    });
  }

  /** The time of the first message that is not equal, of A; null: all are. `onMoment` gets the time that it has come to. */
  async run(onProgress: (time: Time) => void | Promise<void>): Promise<Time | null> {
    const [a, b] = [this.#a, this.#b];
    for (;;) {
      const [next, other] = [a.next ?? (await a.more()), b.next ?? (await b.more())];
      if (next === null || other === null) {
        if (next === null && other === null) return null;
        return next ?? other;
      }
      if (next !== other) return Math.min(next, other);
      const { batch: one, row: i } = a.at;
      const { batch: two, row: k } = b.at;
      const rows = Math.min(one!.length - i, two!.length - k);
      const equal = this.#areAlike(one!, two!) ? equalRows(one!, i, two!, k, rows, a.shift, b.shift) : 0;
      if (equal < rows) return Math.min(one!.time[i + equal]! + a.shift, two!.time[k + equal]! + b.shift);
      a.pass(rows);
      b.pass(rows);
      const waiting = onProgress(next);
      if (waiting !== undefined) await waiting;
    }
  }

  #areAlike({ context: a }: MessageBatch, { context: b }: MessageBatch): boolean {
    if (a !== this.#contextA || b !== this.#contextB) {
      this.#contextA = a;
      this.#contextB = b;
      const model = this.#a.recording.reader.state;
      this.#isAlike = model.isAlike!(this.#b.recording.reader.state, a, b);
    }
    return this.#isAlike;
  }
}

const NOTHING = {};

/** How many of `rows` rows are equal: time, channel and bytes. */
function equalRows(
  a: MessageBatch,
  i: number,
  b: MessageBatch,
  k: number,
  rows: number,
  shiftA: Time,
  shiftB: Time,
): number {
  const [timeA, timeB, channelA, channelB] = [a.time, b.time, a.channel, b.channel];
  const [startA, startB, endA, endB] = [a.start, b.start, a.end, b.end];
  const [bytesA, bytesB] = [new Words(a.bytes), new Words(b.bytes)];
  for (let n = 0; n < rows; n++) {
    const [p, q] = [i + n, k + n];
    if (timeA[p]! + shiftA !== timeB[q]! + shiftB || channelA[p] !== channelB[q]) return n;
    const [from, to, other] = [startA[p]!, endA[p]!, startB[q]!];
    if (to - from !== endB[q]! - other) return n;
    if (!bytesA.areEqual(from, to, bytesB, other)) return n;
  }
  return rows;
}

/** Bytes, and the whole words of four that they lie in. */
class Words {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** From the first word to the first byte. */
  readonly #offset: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#offset = bytes.byteOffset;
    this.#words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >>> 2);
  }

  /** Word by word where both lie alike in their words, as those of two equal files do. */
  areEqual(from: number, to: number, others: Words, at: number): boolean {
    const [own, other] = [this.#bytes, others.#bytes];
    let i = from;
    let k = at;
    const [start, otherStart] = [this.#offset + from, others.#offset + at];
    if ((start & 3) === (otherStart & 3) && to - from >= 16) {
      for (; ((this.#offset + i) & 3) !== 0; i++, k++) if (own[i] !== other[k]) return false;
      const [words, otherWords] = [this.#words, others.#words];
      let w = (this.#offset + i) >>> 2;
      let v = (others.#offset + k) >>> 2;
      const end = (this.#offset + to) >>> 2;
      i += (end - w) * 4;
      k += (end - w) * 4;
      for (; w < end; w++, v++) if (words[w] !== otherWords[v]) return false;
    }
    for (; i < to; i++, k++) if (own[i] !== other[k]) return false;
    return true;
  }
}
