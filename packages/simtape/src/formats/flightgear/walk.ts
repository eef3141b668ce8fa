import { hex } from "../../bytes/error.ts";
import type { Chunk } from "../../model/chunk.ts";
import type { FlatLayout, Walk } from "../../model/flat.ts";
import { FrameTable, type TapeLayout } from "./frame-table.ts";
import { CUT, type FrameFault, type FrameShape, MORE } from "./frames.ts";
import { CONTAINER_FRAMES, CONTAINER_HEADER_BYTES } from "./layout.ts";

/** Inflated bytes after which a walk ends, so that a chunk of compressed frames stays small. */
const UNPACKED_BYTES = 8 << 20;
/** Seconds that are believed as a frame's time: session time, or Unix time (spec §7). */
const MAX_TIME = 1e11;
/** Frames that are searched for lie this close in time to the last good one, seconds. */
export const NEAR = 1e5;
/** Frames of one recording are hardly further apart than this, seconds; odd tapes go back a little. */
const JUMP = 600;
const BACK = 10;
/** Frames of one length that are looked at to know how records end. */
const FIRST_FRAMES = 4;
/** Frames of the short-term buffer are not further apart, seconds. */
const SHORT_STEP = 5;
/** The second frame is hardly later than this after the first. */
const FIRST_STEP = 5;
/** A time that is not 0 and smaller than this is no time but other bytes. */
const MIN_TIME = 1e-9;
/** Places looked at closely, and frames judged, in one search. */
const MEASURES = 20_000;
const JUDGEMENTS = 200;
const NO_CONTAINER = -1;
/** What `#judge` says of bytes that are no frame, or that only a larger window can tell. */
const NO_FRAME = "no frame";
const UNDECIDED = "undecided";
/** Buffers of a Normal tape: short, medium, long term (spec §3.2). */
const BUFFERS = 3;

/**
 * Walks frames; in a Normal tape also the three containers around them. The first time through it judges and learns;
 * after `settle()` it only reads what was found good.
 */
export class FrameWalker implements FlatLayout {
  /** Frames that were read. */
  frames = 0;
  /** Bytes of frames that look good and follow in time, and of all others: how well the shape fits the file. */
  soundBytes = 0;
  doubtfulBytes = 0;
  /** Sound bytes before the first that are doubtful. */
  cleanBytes = 0;
  /** Containers of frames met so far. */
  buffers = 0;
  /** Native times, null while no frame was met. */
  first: number | null = null;
  earliest: number | null = null;
  latest: number | null = null;
  /** Native time of the last frame of the short-term buffer, the newest of all; null while that is not known. */
  newest: number | null = null;
  /** Frames that the open container still promises; null: not known after damage. */
  left: number | null = 0;
  readonly #shape: FrameShape;
  /** Bytes by which container sizes count frames; null in tapes without containers. */
  readonly #recordSize: number | null;
  /** Native time at time 0. */
  #zero: number | null;
  /** Time of a first frame that is lost, NaN when it cannot be read. */
  #lost: number | null = null;
  /** Set when the scan is over. */
  #layout: TapeLayout | null = null;
  #last: number | null = null;
  /** Records end with zeros; null while that is not known. */
  #hasFiller: boolean | null = null;
  /** File offsets of container headers, and where bytes begin that belong to none. */
  readonly #headers = new Set<number>();
  /** File offsets of frames that are damaged inside. */
  readonly #faulty = new Set<number>();
  #trailing = Number.POSITIVE_INFINITY;

  constructor(shape: FrameShape, recordSize: number | null, zero: number | null) {
    this.#shape = shape;
    this.#recordSize = recordSize;
    this.#zero = zero;
  }

  /** Native time at time 0; null while no frame was met. */
  get zero(): number | null {
    return this.#zero;
  }

  settle(layout: TapeLayout): void {
    this.#layout = layout;
  }

  context(chunk: Chunk): FrameTable | null {
    return this.#layout === null ? null : new FrameTable(chunk.sequence, this.#layout);
  }

  walk(walk: Walk): number {
    return this.#layout !== null ? this.#read(walk) : this.#scan(walk);
  }

  #read(walk: Walk): number {
    const shape = this.#shape;
    const zero = this.#zero ?? 0;
    const { view, end, rows } = walk;
    const table = walk.context instanceof FrameTable ? walk.context : null;
    if (table !== null) table.bytes = walk.bytes;
    let buffer = this.#recordSize === null ? -1 : this.#bufferAt(walk.origin + walk.start);
    let position = walk.start;
    while (position < end) {
      const offset = walk.origin + position;
      let next: number;
      if (offset >= this.#trailing) {
        next = end;
        walk.record("trailing", position, next);
      } else if (this.#headers.has(offset)) {
        next = position + CONTAINER_HEADER_BYTES;
        walk.record("container", position, next);
        buffer++;
      } else {
        next = shape.measure(walk, position);
        if (next <= 0) return end;
        const native = view.getFloat64(position, true);
        const row = rows.length;
        shape.emit(walk, position, next, timeOf(native, zero));
        table?.add(row, rows.length, native, position, next, buffer, !this.#faulty.has(offset));
        walk.record("frame", position, next);
      }
      position = next;
    }
    return position;
  }

  /** The buffer that holds what begins at `offset`, when no container begins there. */
  #bufferAt(offset: number): number {
    let buffer = -1;
    for (const header of this.#headers) if (header < offset) buffer++;
    return buffer;
  }

  #scan(walk: Walk): number {
    const shape = this.#shape;
    const { end } = walk;
    let position = walk.start;
    while (position < end) {
      if (walk.unpacked.length >= UNPACKED_BYTES) return position;
      if (this.#recordSize !== null) {
        const container = this.#containerAt(walk, position);
        if (container === MORE) return position;
        if (container !== NO_CONTAINER) {
          position = container;
          continue;
        }
      }
      const next = shape.measure(walk, position);
      if (next === MORE) return position;
      const isFrame = next > 0 && !(this.#last !== null && this.#last > 0 && isBlank(walk, position, next));
      const verdict = isFrame ? this.#judge(walk, position, next) : NO_FRAME;
      switch (verdict) {
        case UNDECIDED:
          return position;
        case NO_FRAME:
          position = this.#resume(walk, position, next === CUT);
          break;
        default:
          this.#take(walk, position, next, verdict);
          position = next;
      }
    }
    return position;
  }

  /** Place behind the container that begins here, or behind all frames; `NO_CONTAINER` when a frame should begin, `MORE` as ever. */
  #containerAt(walk: Walk, position: number): number {
    if (this.left !== null && this.left > 0) {
      if (!this.#isMiscounted(walk, position)) return NO_CONTAINER;
    } else {
      if (this.left === 0 && this.buffers === BUFFERS) {
        const goesOn = this.#goesOn(walk, position);
        if (goesOn === null) return MORE;
        if (!goesOn) return this.#trail(walk, position);
        this.#miscount(walk, position, "more frames follow than its buffer should hold");
        this.left = null;
        return NO_CONTAINER;
      }
      if (walk.fits(position, CONTAINER_HEADER_BYTES) === 0) return MORE;
      if (!this.#isContainer(walk, position)) {
        this.left = null;
        return NO_CONTAINER;
      }
    }
    // A chunk does not go on from one buffer into the next, so that chunks do not overlap in time.
    return position > walk.start ? MORE : this.#container(walk, position);
  }

  /** Whether a buffer ends here although more frames were promised. */
  #isMiscounted(walk: Walk, position: number): boolean {
    if (this.buffers === BUFFERS || position + CONTAINER_HEADER_BYTES > walk.end) return false;
    if (isTime(walk.view.getFloat64(position, true))) return false;
    if (!this.#isContainer(walk, position)) return false;
    // Judged again when the next walk begins here.
    if (position === walk.start) {
      this.#miscount(walk, position, `its buffer ends here, ${this.left} frames more were promised`);
    }
    return true;
  }

  #miscount(walk: Walk, position: number, message: string): void {
    walk.finding(position, {
      code: "bad-count",
      severity: "damage",
      message: `${message}, at ${hex(walk.origin + position)}`,
    });
  }

  /** Whether frames go on behind the last that was promised; null: only a larger window can tell. */
  #goesOn(walk: Walk, position: number): boolean | null {
    if (this.#last === null) return false;
    const next = this.#shape.measure(walk, position);
    if (next === MORE) return null;
    if (next <= 0) return false;
    const native = walk.view.getFloat64(position, true);
    if (!isTime(native) || native <= this.#last || native > this.#last + JUMP) return false;
    return this.#shape.fault(walk, position, next) === null && this.#shape.hasEvidence(walk, position, next);
  }

  /** What is to be thought of bytes that have the lengths of a frame; null: it is a sound one. */
  #judge(walk: Walk, position: number, next: number): FrameFault | null | typeof NO_FRAME | typeof UNDECIDED {
    const shape = this.#shape;
    const native = walk.view.getFloat64(position, true);
    const isAlone = isTime(native) ? this.#isAlone(walk, next, native) : true;
    if (isAlone === null) return UNDECIDED;
    if (isAlone) {
      const isFrame = shape.isFixed
        ? this.#isAligned(walk, next, this.#last)
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
    const last = this.#last;
    if (last !== null && this.#goesWith(native, last)) return false;
    // In a buffer of a Normal tape times rise; going back means that a container header is lost.
    const isDoubtful = last !== null && (this.#recordSize !== null || Math.abs(native - last) > NEAR);
    if (walk.origin + next >= walk.limit || this.left === 1) return isDoubtful;
    if (next + 8 > walk.end) return walk.isLast ? isDoubtful : null;
    const after = walk.view.getFloat64(next, true);
    if (!isTime(after)) return isDoubtful;
    if (last !== null && this.#recordSize !== null) {
      return this.#goesWith(after, last) || !this.#goesWith(after, native);
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
    if (after === MORE || (this.#recordSize !== null && this.#isContainer(walk, next))) return true;
    if (after <= 0) return false;
    const time = walk.view.getFloat64(next, true);
    if (this.#hasFiller !== false && !this.#shape.hasEvidence(walk, next, after)) return false;
    if (before === null) return isTime(time);
    return isTime(time) && time > before && goesWith(time, before);
  }

  #take(walk: Walk, position: number, next: number, fault: FrameFault | null): void {
    const at = hex(walk.origin + position);
    if (fault?.isFatal === true) {
      this.#guess(walk, position);
      this.doubtfulBytes += next - position;
      if (this.left !== null) this.left--;
      const message = `the frame at ${at} is lost: ${fault.message}`;
      walk.damage(position, next, { code: fault.code, severity: "damage", message });
      return;
    }
    if (fault !== null) {
      const message = `the frame at ${at} is damaged: ${fault.message}`;
      walk.finding(position, { code: fault.code, severity: "damage", message, length: next - position });
      this.#faulty.add(walk.origin + position);
    }
    this.#accept(walk, position, next, walk.view.getFloat64(position, true));
  }

  /** Remembers the time of a first frame that is lost: it is time 0 nevertheless. */
  #guess(walk: Walk, position: number): void {
    if (this.first !== null || this.#lost !== null || position + 8 > walk.end) return;
    const native = walk.view.getFloat64(position, true);
    this.#lost = isTime(native) ? native : Number.NaN;
  }

  #accept(walk: Walk, position: number, next: number, native: number): void {
    this.#zero ??=
      this.#lost !== null && native > this.#lost && native - this.#lost <= FIRST_STEP ? this.#lost : native;
    this.first ??= native;
    let isLater = true;
    if (this.#last !== null && native <= this.#last) {
      isLater = false;
      walk.finding(position, {
        code: "time-order",
        severity: "warning",
        message: `the frame at ${hex(walk.origin + position)} is of ${native} s, the one before it of ${this.#last} s`,
      });
    }
    if (isLater) {
      this.soundBytes += next - position;
      if (this.doubtfulBytes === 0) this.cleanBytes = this.soundBytes;
    } else this.doubtfulBytes += next - position;
    this.#last = native;
    this.earliest = Math.min(this.earliest ?? native, native);
    this.latest = Math.max(this.latest ?? native, native);
    this.frames++;
    if (this.left !== null) this.left--;
    this.#shape.emit(walk, position, next, timeOf(native, this.#zero));
    walk.record("frame", position, next);
  }

  /** Goes on at the next frame or container that can be found behind `position`. */
  #resume(walk: Walk, position: number, isCut: boolean): number {
    this.#guess(walk, position);
    const found = this.#search(walk, position + 1);
    const to = found ?? (walk.isLast ? walk.end : Math.max(position + 1, walk.end - 16));
    this.doubtfulBytes += to - position;
    const at = hex(walk.origin + position);
    if (isCut && found === null && walk.isLast) {
      const message = `the last frame, at ${at}, is cut off: ${to - position} bytes of it are left`;
      walk.damage(position, to, { code: "truncated", severity: "loss", message });
      return to;
    }
    const message = `no frame at ${at}; ${to - position} bytes skipped to the next one`;
    walk.damage(position, to, { code: "bad-frame", severity: "damage", message });
    if (this.#recordSize !== null) this.left = null;
    return to;
  }

  /** The next place from `from` to `until` where a frame or a container can be believed. */
  #search(walk: Walk, from: number, until: number = walk.end): number | null {
    const shape = this.#shape;
    const { view } = walk;
    let measures = 0;
    let judgements = 0;
    for (let at = from; at < until && at + 12 <= walk.end; at++) {
      if (this.#recordSize !== null && this.buffers < BUFFERS && this.#isContainer(walk, at)) return at;
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
    if (this.#last === null && !shape.isDistinct && walk.origin + next < walk.limit) {
      // Nothing came before that its time could be compared with.
      const after = next + 8 <= walk.end ? walk.view.getFloat64(next, true) : Number.NaN;
      const native = walk.view.getFloat64(position, true);
      if (!isTime(after) || after <= native || !goesWith(after, native)) return false;
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
    if (this.left === null && this.#recordSize !== null && this.#isContainer(walk, next)) return true;
    if (after <= 0) return false;
    const time = walk.view.getFloat64(next, true);
    return isTime(time) && (this.#last === null || goesWith(time, this.#last));
  }

  #isNear(native: number): boolean {
    if (!isTime(native)) return false;
    return this.#last === null || Math.abs(native - this.#last) <= NEAR;
  }

  /** Whether a container of frames begins at `position`; after damage, only if its first frame looks good. */
  #isContainer(walk: Walk, position: number): boolean {
    const { view } = walk;
    if (position + CONTAINER_HEADER_BYTES > walk.end || this.buffers === BUFFERS) return false;
    if (view.getUint32(position, true) !== CONTAINER_FRAMES || view.getUint32(position + 8, true) > 0xffff)
      return false;
    if (this.left === 0) return true;
    const frame = position + CONTAINER_HEADER_BYTES;
    if (sizeAt(walk, position) < this.#recordSize!) return walk.origin + frame >= walk.limit;
    return frame + 8 > walk.end || this.#isNear(view.getFloat64(frame, true));
  }

  #container(walk: Walk, position: number): number {
    if (this.buffers === 1) this.newest = this.#last;
    this.left = Math.floor(sizeAt(walk, position) / this.#recordSize!);
    this.buffers++;
    // Each buffer is older than the one before it.
    this.#last = null;
    this.#headers.add(walk.origin + position);
    walk.record("container", position, position + CONTAINER_HEADER_BYTES);
    return position + CONTAINER_HEADER_BYTES;
  }

  #trail(walk: Walk, position: number): number {
    const offset = walk.origin + position;
    if (offset < this.#trailing) {
      this.#trailing = offset;
      const count = walk.limit - offset;
      walk.finding(position, {
        code: "trailing-bytes",
        severity: "warning",
        message: `${count} bytes follow the last frame`,
        length: count,
      });
    }
    walk.record("trailing", position, walk.end);
    return walk.end;
  }
}

/** Nanoseconds since native time `zero`. */
function timeOf(native: number, zero: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round((native - zero) * 1e9) + 0;
}

/** Whether this can be the time of a frame. */
export function isTime(native: number): boolean {
  return native === 0 || (Math.abs(native) <= MAX_TIME && Math.abs(native) >= MIN_TIME);
}

/** Whether a frame of `native` may follow one of `last`, as frames of one recording do. */
export function goesWith(native: number, last: number): boolean {
  return native >= last - BACK && native <= last + JUMP;
}

function sizeAt(walk: Walk, position: number): number {
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
