import { hex, LayoutError } from "../../../bytes/error.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { FlatLayout, Walk } from "../../../model/flat.ts";
import { membersOf, numbersOf, wholeOf } from "../../../model/kept/shapes.ts";
import type { Value } from "../../../model/values/value.ts";
import { FrameTable, type TapeLayout } from "../layout/frame-table.ts";
import { CUT, type FrameFault, type FrameShape, MORE } from "../layout/frames.ts";
import { BUFFERS, FrameJudge, NO_FRAME, sizeAt, UNDECIDED } from "./judge.ts";
import { CONTAINER_HEADER_BYTES } from "../layout/layout.ts";
import { isSoonAfter, isTime } from "../layout/times.ts";

/** Inflated bytes after which a walk ends, so that a chunk of compressed frames stays small. */
const UNPACKED_BYTES = 8 << 20;
/** The second frame is hardly later than this after the first, seconds. */
const FIRST_STEP = 5;
const NO_CONTAINER = -1;

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
  /** Sound bytes, and their frames, before the first that are doubtful. */
  cleanBytes = 0;
  cleanFrames = 0;
  /** Places where bytes were skipped. */
  gaps = 0;
  /** Native times, null while no frame was met. */
  first: number | null = null;
  earliest: number | null = null;
  latest: number | null = null;
  /** Native time of the last frame of the short-term buffer, the newest of all; null while that is not known. */
  newest: number | null = null;
  readonly #shape: FrameShape;
  readonly #judge: FrameJudge;
  /** Bytes by which container sizes count frames; null in tapes without containers. */
  readonly #recordSize: number | null;
  /** Native time at time 0. */
  #zero: number | null;
  /** Time of a first frame that is lost, NaN when it cannot be read. */
  #lost: number | null = null;
  /** Set when the scan is over. */
  #layout: TapeLayout | null = null;
  /** File offsets of container headers, and where bytes begin that belong to none. */
  readonly #headers = new Set<number>();
  /** File offsets of frames that are damaged inside. */
  readonly #faulty = new Set<number>();
  #trailing = Number.POSITIVE_INFINITY;

  constructor(shape: FrameShape, recordSize: number | null, zero: number | null) {
    this.#shape = shape;
    this.#judge = new FrameJudge(shape, recordSize);
    this.#recordSize = recordSize;
    this.#zero = zero;
  }

  /** Containers of frames met so far. */
  get buffers(): number {
    return this.#judge.buffers;
  }

  /** Whether an item of any frame is damaged. */
  get isFaulty(): boolean {
    return this.#faulty.size > 0;
  }

  /** Frames that the open container still promises; null: not known after damage. */
  get left(): number | null {
    return this.#judge.left;
  }

  /** Native time at time 0; null while no frame was met. */
  get zero(): number | null {
    return this.#zero;
  }

  learned(): Value {
    const { frames, soundBytes, doubtfulBytes, cleanBytes, cleanFrames, gaps } = this;
    const { first, earliest, latest, newest, left, buffers } = this;
    return {
      ...{ frames, soundBytes, doubtfulBytes, cleanBytes, cleanFrames, gaps },
      ...{ first, earliest, latest, newest, left, buffers, zero: this.#zero, trailing: this.#trailing },
      headers: Float64Array.from(this.#headers),
      faulty: Float64Array.from(this.#faulty),
    };
  }

  recall(learned: Value): void {
    const members = membersOf(learned);
    this.frames = wholeOf(members["frames"]);
    this.soundBytes = wholeOf(members["soundBytes"]);
    this.doubtfulBytes = wholeOf(members["doubtfulBytes"]);
    this.cleanBytes = wholeOf(members["cleanBytes"]);
    this.cleanFrames = wholeOf(members["cleanFrames"]);
    this.gaps = wholeOf(members["gaps"]);
    const timeIn = (name: string): number | null => {
      const time = members[name];
      if (time === null || typeof time === "number") return time;
      throw new LayoutError("malformed", `${name} is no time`, 0);
    };
    this.first = timeIn("first");
    this.earliest = timeIn("earliest");
    this.latest = timeIn("latest");
    this.newest = timeIn("newest");
    this.#zero = timeIn("zero");
    this.#judge.left = timeIn("left");
    this.#judge.buffers = wholeOf(members["buffers"]);
    this.#trailing = timeIn("trailing") ?? Number.POSITIVE_INFINITY;
    for (const offset of numbersOf(members["headers"], Float64Array)) this.#headers.add(offset);
    for (const offset of numbersOf(members["faulty"], Float64Array)) this.#faulty.add(offset);
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
    if (table !== null) {
      table.bytes = walk.bytes;
      table.isLast = walk.origin + end === walk.limit;
    }
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
        const native = position + 8 <= end ? view.getFloat64(position, true) : 0;
        const row = rows.length;
        next = shape.take?.(walk, position, timeOf(native, zero)) ?? 0;
        if (next === 0) {
          next = shape.measure(walk, position);
          if (next <= 0) return end;
          shape.emit(walk, position, next, timeOf(native, zero));
        }
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
      position = this.#run(walk, position);
      if (position === end) break;
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
      const verdict = this.#judge.verdict(walk, position, next);
      switch (verdict) {
        case UNDECIDED:
          return position;
        case NO_FRAME: {
          const found = this.#resume(walk, position, next === CUT);
          if (found === position) return position;
          position = found;
          break;
        }
        default:
          this.#take(walk, position, next, verdict);
          position = next;
      }
    }
    return position;
  }

  /** Takes frames that are as most are and follow in time; the place of the first that has to be judged. */
  #run(walk: Walk, start: number): number {
    const judge = this.#judge;
    const shape = this.#shape;
    const { view } = walk;
    const zero = this.#zero;
    if (shape.take === undefined || this.#recordSize !== null || zero === null || judge.last === null) return start;
    let last = judge.last;
    let frames = 0;
    let position = start;
    while (position + 8 <= walk.end) {
      const native = view.getFloat64(position, true);
      if (!isTime(native) || !isSoonAfter(native, last)) break;
      const next = shape.take(walk, position, timeOf(native, zero));
      if (next === 0) break;
      walk.record("frame", position, next);
      last = native;
      position = next;
      frames++;
    }
    if (frames > 0) this.#count(frames, position - start, last);
    return position;
  }

  /** Frames that are sound and follow in time, the last of them at `native`. */
  #count(frames: number, bytes: number, native: number): void {
    this.frames += frames;
    this.soundBytes += bytes;
    if (this.doubtfulBytes === 0) {
      this.cleanBytes = this.soundBytes;
      this.cleanFrames += frames;
    }
    this.latest = Math.max(this.latest ?? native, native);
    this.#judge.last = native;
    if (this.#judge.left !== null) this.#judge.left -= frames;
  }

  /** Place behind the container that begins here, or behind all frames; `NO_CONTAINER` when a frame should begin, `MORE` as ever. */
  #containerAt(walk: Walk, position: number): number {
    const judge = this.#judge;
    if (judge.left !== null && judge.left > 0) {
      if (!this.#isMiscounted(walk, position)) return NO_CONTAINER;
    } else {
      if (judge.left === 0 && judge.buffers === BUFFERS) {
        const goesOn = judge.goesOn(walk, position);
        if (goesOn === null) return MORE;
        if (!goesOn) return this.#trail(walk, position);
        this.#miscount(walk, position, "more frames follow than its buffer should hold");
        judge.left = null;
        return NO_CONTAINER;
      }
      if (walk.fits(position, CONTAINER_HEADER_BYTES) === 0) return MORE;
      if (!judge.isContainer(walk, position)) {
        judge.left = null;
        return NO_CONTAINER;
      }
    }
    // A chunk does not go on from one buffer into the next, so that chunks do not overlap in time.
    return position > walk.start ? MORE : this.#container(walk, position);
  }

  /** Whether a buffer ends here although more frames were promised. */
  #isMiscounted(walk: Walk, position: number): boolean {
    const judge = this.#judge;
    if (judge.buffers === BUFFERS || position + CONTAINER_HEADER_BYTES > walk.end) return false;
    if (isTime(walk.view.getFloat64(position, true))) return false;
    if (!judge.isContainer(walk, position)) return false;
    // Judged again when the next walk begins here.
    if (position === walk.start) {
      this.#miscount(walk, position, `its buffer ends here, ${judge.left} frames before its count`);
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

  #take(walk: Walk, position: number, next: number, fault: FrameFault | null): void {
    const judge = this.#judge;
    if (fault?.isFatal === true) {
      this.#guess(walk, position);
      this.doubtfulBytes += next - position;
      if (judge.left !== null) judge.left--;
      const message = `the frame at ${hex(walk.origin + position)} is lost: ${fault.message}`;
      walk.damage(position, next, { code: fault.code, severity: "damage", message });
      return;
    }
    if (fault !== null) {
      const message = `the frame at ${hex(walk.origin + position)} is damaged: ${fault.message}`;
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
    const judge = this.#judge;
    this.#zero ??=
      this.#lost !== null && native > this.#lost && native - this.#lost <= FIRST_STEP ? this.#lost : native;
    this.first ??= native;
    let isLater = true;
    if (judge.last !== null && native <= judge.last) {
      isLater = false;
      walk.finding(position, {
        code: "time-order",
        severity: "warning",
        message: `the frame at ${hex(walk.origin + position)} has the time ${native} s, the one before it has ${judge.last} s`,
      });
    }
    this.earliest = Math.min(this.earliest ?? native, native);
    if (!isLater) this.doubtfulBytes += next - position;
    this.#count(1, isLater ? next - position : 0, native);
    this.#shape.emit(walk, position, next, timeOf(native, this.#zero));
    walk.record("frame", position, next);
  }

  /** Goes on at the next frame or container that can be found behind `position`. */
  #resume(walk: Walk, position: number, isCut: boolean): number {
    const judge = this.#judge;
    this.#guess(walk, position);
    const { left } = judge;
    if (this.#recordSize !== null) judge.left = null;
    const found = judge.next(walk, position);
    if (found === null && !walk.isLast && position > walk.start) {
      // A window that begins here shows more.
      judge.left = left;
      return position;
    }
    // Not all of the window: a frame near its end is known by those that follow.
    const to = found ?? (walk.isLast ? walk.end : position + Math.max(1, (walk.end - position) >> 1));
    this.doubtfulBytes += to - position;
    this.gaps++;
    const at = hex(walk.origin + position);
    if (isCut && found === null && walk.isLast) {
      const message = `the last frame, at ${at}, is cut off: ${to - position} bytes of it are left`;
      walk.damage(position, to, { code: "truncated", severity: "loss", message });
      judge.left = left;
      return to;
    }
    const message = `no frame at ${at}; ${to - position} bytes skipped to the next one`;
    walk.damage(position, to, { code: "bad-frame", severity: "damage", message });
    return to;
  }

  #container(walk: Walk, position: number): number {
    const judge = this.#judge;
    if (judge.buffers === 1) this.newest = judge.last;
    judge.left = Math.floor(sizeAt(walk, position) / this.#recordSize!);
    judge.buffers++;
    // Each buffer is older than the one before it.
    judge.last = null;
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
