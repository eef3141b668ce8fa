import type { FindingCode } from "../../../model/error.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import { readTag, skipField } from "../../../codec/protobuf.ts";
import { KEYFRAME } from "../../../model/messages/batch.ts";
import type { FlatLayout, Walk } from "../../../model/flat.ts";
import { FRAME, MICROSECOND, STATE } from "../layout/layout.ts";
import { frameIndexOf } from "../layout/protobuf.ts";
import {
  type Content,
  contentAt,
  isRecordHeader,
  RECORD_HEADER_BYTES,
  recordMicroseconds,
  recordSize,
  VERSION,
} from "../layout/record.ts";

/** Answers of `#measure` that are no length. */
const UNKNOWN = 0;
const NONE = -1;

/** Walks the records of one v1 or v2 file: all of them are messages of one channel. */
export class RecordWalk implements FlatLayout {
  readonly #begin: number;
  readonly #content: Content;
  readonly #version: number;

  /** `begin` is the file offset of the first record. */
  constructor(begin: number, content: Content, version: number) {
    this.#begin = begin;
    this.#content = content;
    this.#version = version;
  }

  learned(): null {
    return null;
  }

  walk(walk: Walk): number {
    const { view, bytes, origin } = walk;
    const isFrames = this.#content === "frame";
    const channel = isFrames ? FRAME : STATE;
    const hasIndex = isFrames && this.#version === VERSION;
    let position = walk.start;
    while (position < walk.end) {
      const length = this.#measure(walk, position);
      if (length === UNKNOWN) return position;
      if (length === NONE) {
        const next = this.#resync(walk, position);
        walk.damage(position, next, this.#damageOf(walk, position, next));
        position = next;
        continue;
      }
      const start = position + RECORD_HEADER_BYTES;
      const end = position + length;
      let flags = 0;
      // The first frame of a file is a full one, whatever its index (spec §3.1).
      if (isFrames && origin + position === this.#begin) flags = KEYFRAME;
      else if (hasIndex && frameIndexOf(bytes, start, end) === 0) flags = KEYFRAME;
      walk.message(recordMicroseconds(view, position) * MICROSECOND, channel, start, end, flags);
      walk.record(this.#content, position, end);
      position = end;
    }
    return position;
  }

  /**
   * Bytes of the record at `position`: a sound one is followed by another, or by the end, or is itself a message.
   * `UNKNOWN`: only a larger window tells; `NONE`: no record begins there.
   */
  #measure(walk: Walk, position: number): number {
    const { view, bytes, origin, limit } = walk;
    const header = walk.fits(position, RECORD_HEADER_BYTES);
    if (header !== 1) return header === 0 ? UNKNOWN : NONE;
    const room = limit - origin - position;
    if (!isRecordHeader(view, position, room, origin + position === this.#begin)) return NONE;
    const length = RECORD_HEADER_BYTES + recordSize(view, position);
    const behind = Math.min(RECORD_HEADER_BYTES, room - length);
    const fit = walk.fits(position, length + behind);
    if (fit === 0) return UNKNOWN;
    // The window ends at damage known before: what lies up to there was judged then.
    if (fit === -1) return walk.fits(position, length) === 1 ? length : NONE;
    if (behind < RECORD_HEADER_BYTES) return length;
    const next = position + length;
    if (isRecordHeader(view, next, room - length, false)) return length;
    // A cut last record has a sound header but for its size.
    if (isRecordHeader(view, next, Number.POSITIVE_INFINITY, false) && this.#isMessageStart(walk, next)) return length;
    if (!isMessage(bytes, position + RECORD_HEADER_BYTES, next)) return NONE;
    return this.#swallows(walk, position + RECORD_HEADER_BYTES, next) ? NONE : length;
  }

  /**
   * Whether another record begins in `[from, to)` and is followed by one: the one that reaches up to `to` has moved
   * here from elsewhere, or its size is damaged.
   */
  #swallows(walk: Walk, from: number, to: number): boolean {
    const { view, bytes, origin, limit } = walk;
    const last = Math.min(to, walk.end - RECORD_HEADER_BYTES);
    for (let position = from; position < last; position++) {
      if (view.getUint32(position + 12, true) !== 0 || view.getUint32(position + 8, true) !== 0) continue;
      const room = limit - origin - position;
      if (!isRecordHeader(view, position, room, false)) continue;
      const start = position + RECORD_HEADER_BYTES;
      const next = start + recordSize(view, position);
      const isFileEnd = origin + next === limit;
      if (next <= to || (next + RECORD_HEADER_BYTES > walk.end && !isFileEnd)) continue;
      if (contentAt(bytes, start, next, this.#version) !== this.#content) continue;
      if (isFileEnd) return true;
      if (isRecordHeader(view, next, limit - origin - next, false) && this.#isMessageStart(walk, next)) return true;
    }
    return false;
  }

  #isMessageStart(walk: Walk, position: number): boolean {
    const start = position + RECORD_HEADER_BYTES;
    return start >= walk.end || contentAt(walk.bytes, start, walk.end, this.#version) === this.#content;
  }

  /** The next place at which a record begins; the end of the window when there is none in it. */
  #resync(walk: Walk, from: number): number {
    const { view, bytes, origin, limit } = walk;
    const last = walk.end - RECORD_HEADER_BYTES;
    for (let position = from + 1; position <= last; position++) {
      // Cheapest test first: half of the time is zero in every recording.
      if (view.getUint32(position + 12, true) !== 0 || view.getUint32(position + 8, true) !== 0) continue;
      const room = limit - origin - position;
      if (!isRecordHeader(view, position, room, false)) continue;
      const start = position + RECORD_HEADER_BYTES;
      const next = start + recordSize(view, position);
      if (next > start && contentAt(bytes, start, Math.min(next, walk.end), this.#version) !== this.#content) {
        // Too little of the message may be in the window to tell.
        if (walk.isLast || start + 16 < walk.end) continue;
        return position;
      }
      const length = this.#measure(walk, position);
      if (length === NONE) continue;
      if (next === start && length !== UNKNOWN && room - length < RECORD_HEADER_BYTES && room > length) continue;
      return position;
    }
    return walk.isLast ? walk.end : Math.max(from + 1, last + 1);
  }

  #damageOf(walk: Walk, from: number, to: number): { code: FindingCode; severity: "damage"; message: string } {
    const { view, origin, limit } = walk;
    const left = limit - origin - from;
    const place = hex(origin + from);
    if (origin + to === limit) {
      if (left < RECORD_HEADER_BYTES) {
        const message = `file ends in the header of a record at ${place}: ${left} of ${RECORD_HEADER_BYTES} bytes are there`;
        return { code: "truncated", severity: "damage", message };
      }
      if (isRecordHeader(view, from, Number.POSITIVE_INFINITY, origin + from === this.#begin)) {
        const size = recordSize(view, from);
        const message = `file ends in a record at ${place}: ${left - RECORD_HEADER_BYTES} of ${size} bytes are there`;
        return { code: "truncated", severity: "damage", message };
      }
    }
    const message = `no record at ${place}: ${to - from} bytes passed over up to ${hex(origin + to)}`;
    return { code: "bad-record", severity: "damage", message };
  }
}

/** Whether `bytes[start, end)` are fields of a protobuf message to the last byte; no bytes tell nothing. */
function isMessage(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return false;
  const cursor = new ByteCursor(bytes, start, end);
  try {
    while (cursor.remaining > 0) {
      const tag = readTag(cursor);
      // Fields 1 and 2 are all there are (spec §2).
      if (tag >>> 3 > 2) return false;
      skipField(cursor, tag);
    }
    return true;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}
