import type { Walk } from "../../../model/flat.ts";
import { type FrameFault, type FrameShape, MORE } from "../layout/frames.ts";
import { CONTAINER_FRAMES, CONTAINER_HEADER_BYTES } from "../layout/layout.ts";
import { goesWith, isTime, JUMP, NEAR } from "../layout/times.ts";

/** Frames of one length that are looked at to know how records end. */
const FIRST_FRAMES = 4;
/** Frames of the short-term buffer are not further apart, seconds. */
const SHORT_STEP = 5;
/** Frames that follow each other by chance are fewer than this. */
const RUN = 2;
/** Places looked at closely, and frames judged, in one search. */
const MEASURES = 20_000;
const JUDGEMENTS = 200;
/** Buffers of a Normal tape: short, medium, long term (spec §3.2). */
export const BUFFERS = 3;
/** What `judge` says of bytes that are no frame, or that only a larger window can tell. */
export const NO_FRAME = "no frame";
export const UNDECIDED = "undecided";
/** What is to be thought of bytes that have the lengths of a frame; null: it is a sound one. */
export type Verdict = FrameFault | null | typeof NO_FRAME | typeof UNDECIDED;

/** Tells frames and containers from other bytes, by what is in them and by what came before. */
export class FrameJudge {
  /** Native time of the frame before, in the same buffer; null when there is none. */
  last: number | null = null;
  /** Frames that the open container still promises; null: not known after damage. */
  left: number | null = 0;
  /** Containers of frames met so far. */
  buffers = 0;
  readonly #shape: FrameShape;
  /** Bytes by which container sizes count frames; null in tapes without containers. */
  readonly #recordSize: number | null;
  /** Records end with zeros; null while that is not known. */
  #hasFiller: boolean | null = null;

  constructor(shape: FrameShape, recordSize: number | null) {
    this.#shape = shape;
    this.#recordSize = recordSize;
  }

  /** What is to be thought of what lies at `position`, whose lengths lead to `next`: an answer of `measure`. */
  verdict(walk: Walk, position: number, next: number): Verdict {
    const isBlankFrame = this.last !== null && this.last > 0 && next > 0 && isBlank(walk, position, next);
    return next > 0 && !isBlankFrame ? this.#judge(walk, position, next) : NO_FRAME;
  }

  /** The next place behind `position` where a frame or a container can be believed; null: none in this window. */
  next(walk: Walk, position: number): number | null {
    const found = this.#believed(walk, position + 1);
    return found !== null && this.#shape.isFixed && this.last !== null ? this.#nearest(walk, found, this.last) : found;
  }

  #believed(walk: Walk, from: number, until: number = walk.end): number | null {
    for (let at = this.#search(walk, from, until); at !== null; at = this.#search(walk, at + 1, until)) {
      if (this.#recordSize !== null && this.isContainer(walk, at)) return at;
      const end = this.#shape.measure(walk, at);
      if (end === MORE || this.verdict(walk, at, end) !== NO_FRAME) return at;
    }
    return null;
  }

  /**
   * Other numbers in a record rise from frame to frame as times do: of frames of one length that can be believed from
   * `found` on, less than two records behind it, the one whose time is the nearest to `last`.
   */
  #nearest(walk: Walk, found: number, last: number): number {
    const until = Math.min(walk.end, found + 2 * this.#shape.shortest);
    let nearest = found;
    let least = Number.POSITIVE_INFINITY;
    for (let at: number | null = found; at !== null; at = this.#believed(walk, at + 1, until)) {
      if (this.isContainer(walk, at) || at + 8 > walk.end) return nearest;
      const step = Math.abs(walk.view.getFloat64(at, true) - last);
      if (step >= least) continue;
      least = step;
      nearest = at;
    }
    return nearest;
  }

  /** Whether frames go on behind the last that was promised; null: only a larger window can tell. */
  goesOn(walk: Walk, position: number): boolean | null {
    if (this.last === null) return false;
    const next = this.#shape.measure(walk, position);
    if (next === MORE) return null;
    if (next <= 0) return false;
    const native = walk.view.getFloat64(position, true);
    if (!isTime(native) || native <= this.last || native > this.last + JUMP) return false;
    return this.#shape.fault(walk, position, next) === null && this.#shape.hasEvidence(walk, position, next);
  }

  #judge(walk: Walk, position: number, next: number): Verdict {
    const shape = this.#shape;
    const native = walk.view.getFloat64(position, true);
    const isAlone = isTime(native) ? this.#isAlone(walk, next, native) : true;
    if (isAlone === null) return UNDECIDED;
    if (isAlone) {
      const isFrame = shape.isFixed
        ? this.#isAligned(walk, next, this.last)
        : this.#isFollowed(walk, next) && this.#search(walk, position + 1, next) === null;
      return isFrame ? { code: "bad-time", message: `its time is ${native} s`, isFatal: true } : NO_FRAME;
    }
    const fault = shape.fault(walk, position, next);
    if (fault !== null) return shape.isFixed || this.#isFollowed(walk, next) ? fault : NO_FRAME;
    if (shape.isFixed) {
      const hasEvidence = shape.hasEvidence(walk, position, next);
      this.#hasFiller ??= this.#endWithZeros(walk, position);
      return hasEvidence || this.#isAligned(walk, next, native) ? null : NO_FRAME;
    }
    if (shape.isUsual(walk, position, next) || this.#isFollowed(walk, next)) return null;
    // A length that is damaged may reach over other frames.
    return this.#search(walk, position + 1, next) === null ? null : NO_FRAME;
  }

  /**
   * Whether the time of a frame that ends at `next` does not fit between those around it, while these fit each other;
   * null: only a larger window can tell.
   */
  #isAlone(walk: Walk, next: number, native: number): boolean | null {
    const last = this.last;
    if (last !== null && this.#goesWith(native, last)) return false;
    // In a buffer of a Normal tape times rise; going back behind damage means that a container header is lost.
    const isFar = last !== null && Math.abs(native - last) > NEAR;
    const isDoubtful = this.#recordSize === null ? isFar : last !== null && (isFar || this.left !== null);
    if (walk.origin + next >= walk.limit || this.left === 1) return isDoubtful;
    if (next + 8 > walk.end) return walk.isLast ? isDoubtful : null;
    const after = walk.view.getFloat64(next, true);
    if (!isTime(after)) return isDoubtful;
    if (last !== null && this.#recordSize !== null) {
      return this.#goesWith(after, last) || !this.#runsOn(walk, next, native);
    }
    if (last !== null) return goesWith(after, last) || (isDoubtful && Math.abs(after - native) > NEAR);
    if (Math.abs(after - native) <= NEAR) return false;
    // The first frame: the third tells which of two is wrong.
    const third = this.#shape.measure(walk, next);
    if (third === MORE) return null;
    if (third <= 0 || third + 8 > walk.end) return false;
    return goesWith(walk.view.getFloat64(third, true), after);
  }

  /** Whether a frame of `native` may follow one of `last`: in a Normal tape it is later. */
  #goesWith(native: number, last: number): boolean {
    return goesWith(native, last) && (this.#recordSize === null || native > last);
  }

  /** Whether frames that follow each other in time begin at `position`, behind one of `native`. */
  #runsOn(walk: Walk, position: number, native: number): boolean {
    let at = position;
    let before = native;
    for (let n = 0; n < RUN; n++) {
      if (walk.origin + at >= walk.limit || this.isContainer(walk, at)) return true;
      const end = this.#shape.measure(walk, at);
      if (end === MORE) return true;
      const time = at + 8 <= walk.end ? walk.view.getFloat64(at, true) : Number.NaN;
      if (!isTime(time) || !this.#goesWith(time, before)) return false;
      // The last of them may itself be damaged, behind its time.
      if (end <= 0) return n === RUN - 1;
      before = time;
      at = end;
    }
    return true;
  }

  /** Whether records do, as all do that FlightGear writes: not when the first frames follow in time and none does. */
  #endWithZeros(walk: Walk, position: number): boolean {
    const shape = this.#shape;
    let before: number | null = null;
    for (let n = 0; n < FIRST_FRAMES; n++) {
      const at = position + n * shape.shortest;
      if (at + shape.shortest > walk.end) break;
      const native = walk.view.getFloat64(at, true);
      const follows = isTime(native) && (before === null || (native > before && native <= before + SHORT_STEP));
      if (!follows || shape.hasEvidence(walk, at, at + shape.shortest)) return true;
      before = native;
    }
    return false;
  }

  /** Of frames of one length: whether the next one, or the end, is where it should be, not long after `before`. */
  #isAligned(walk: Walk, next: number, before: number | null): boolean {
    if (walk.origin + next >= walk.limit || this.left === 1) return true;
    const after = this.#shape.measure(walk, next);
    if (after === MORE || (this.#recordSize !== null && this.isContainer(walk, next))) return true;
    if (after <= 0) return false;
    const time = walk.view.getFloat64(next, true);
    if (this.#hasFiller !== false && !this.#shape.hasEvidence(walk, next, after)) return false;
    if (before === null) return isTime(time);
    return isTime(time) && time > before && goesWith(time, before);
  }

  /** The next place from `from` to `until` where a frame or a container can be believed. */
  #search(walk: Walk, from: number, until: number = walk.end): number | null {
    const shape = this.#shape;
    const { view } = walk;
    let measures = 0;
    let judgements = 0;
    for (let at = from; at < until && at + 12 <= walk.end; at++) {
      if (this.#recordSize !== null && this.buffers < BUFFERS && this.isContainer(walk, at)) return at;
      if (!shape.mayBegin(walk, at) || !this.#isNear(view.getFloat64(at, true))) continue;
      if (++measures > MEASURES) return null;
      const next = shape.measure(walk, at);
      if (next === MORE) return at;
      const isBare = shape.isFixed && this.#hasFiller !== false && !shape.hasEvidence(walk, at, next);
      if (next <= 0 || isBare) continue;
      if (++judgements > JUDGEMENTS) return null;
      const native = view.getFloat64(at, true);
      if (shape.isFixed ? this.#isAligned(walk, next, native) : this.#isFrame(walk, at, next)) return at;
    }
    return null;
  }

  #isFrame(walk: Walk, position: number, next: number): boolean {
    const shape = this.#shape;
    if (shape.fault(walk, position, next) !== null) return false;
    if (this.#recordSize !== null) {
      const native = walk.view.getFloat64(position, true);
      // Where nothing came before that its time goes on from, what follows has to go on from its own.
      const goesOn = this.last !== null && this.#goesWith(native, this.last);
      if (!goesOn && !this.#runsOn(walk, next, native)) return false;
    }
    return (
      (shape.isUsual(walk, position, next) && shape.hasEvidence(walk, position, next)) || this.#isFollowed(walk, next)
    );
  }

  /** Whether what follows a frame that ends at `next` looks as it should. */
  #isFollowed(walk: Walk, next: number): boolean {
    if (walk.origin + next >= walk.limit || this.left === 1) return true;
    const after = this.#shape.measure(walk, next);
    if (after === MORE) return true;
    if (this.left === null && this.#recordSize !== null && this.isContainer(walk, next)) return true;
    if (next + 8 > walk.end) return false;
    const time = walk.view.getFloat64(next, true);
    // One that is damaged or cut off behind its time follows, too, where that time is known to fit.
    if (this.last === null) return after > 0 && isTime(time);
    return isTime(time) && goesWith(time, this.last) && (after > 0 || time > this.last);
  }

  #isNear(native: number): boolean {
    if (!isTime(native)) return false;
    // Zeros are no time behind another one.
    return this.last === null || (Math.abs(native - this.last) <= NEAR && (native !== 0 || this.last <= 0));
  }

  /** Whether a container of frames begins at `position`; after damage, only if its first frame looks good. */
  isContainer(walk: Walk, position: number): boolean {
    const { view } = walk;
    if (position + CONTAINER_HEADER_BYTES > walk.end || this.buffers === BUFFERS) return false;
    if (view.getUint32(position, true) !== CONTAINER_FRAMES || view.getUint32(position + 8, true) > 0xffff)
      return false;
    if (this.left === 0) return true;
    const frame = position + CONTAINER_HEADER_BYTES;
    const frames = sizeAt(walk, position) / this.#recordSize!;
    const rest = walk.limit - walk.origin - frame;
    if (frames < 1) return rest <= 0;
    if (!Number.isInteger(frames) || frames * this.#shape.shortest > rest) return this.#isSound(walk, frame);
    return frame + 8 > walk.end || this.#isNear(view.getFloat64(frame, true));
  }

  /** Whether what begins at `position` is a frame without fault, with what hardly anything else would hold. */
  #isSound(walk: Walk, position: number): boolean {
    const next = this.#shape.measure(walk, position);
    if (next <= 0 || !this.#isNear(walk.view.getFloat64(position, true))) return false;
    return this.#shape.fault(walk, position, next) === null && this.#shape.hasEvidence(walk, position, next);
  }
}

/** The size that the container header at `position` tells. */
export function sizeAt(walk: Walk, position: number): number {
  return walk.view.getUint32(position + 8, true) * 0x1_0000_0000 + walk.view.getUint32(position + 4, true);
}

/**
 * Nothing but zeros: FlightGear takes them for a frame at time 0 (spec §8), but behind later frames they are what a
 * crash leaves of blocks that were never written.
 */
function isBlank(walk: Walk, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (walk.bytes[at] !== 0) return false;
  return true;
}
