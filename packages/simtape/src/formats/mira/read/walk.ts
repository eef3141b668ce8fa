import type { FindingCode } from "../../../model/error.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import type { FlatLayout, Walk } from "../../../model/flat.ts";
import { listOf, membersOf, numbersOf, textIn, wholeOf } from "../../../model/kept/shapes.ts";
import type { Value } from "../../../model/values/value.ts";
import { type ChannelTable, MAX_CHANNELS } from "./channel-table.ts";
import {
  BLOCK,
  CHANNEL_INFO,
  CHUNK_HEADER_BYTES,
  type Dialect,
  INDEX,
  MESSAGE,
  MESSAGE_BYTES,
} from "../layout/layout.ts";
import type { ScanObserver } from "./observer.ts";
import { ChunkShape, type Fit, hasPlausibleNames, MAX_SECOND_BYTES, measure } from "../layout/shape.ts";
import { isPrintable } from "../layout/text.ts";

/** Row flag of a message whose data is compressed; `decode` takes it away again. */
export const COMPRESSED = 2;
/** Row flag of the first message behind a block chunk in the same walk; `decode` takes it away again. */
export const FIRST_IN_BLOCK = 4;

/** Chunk kinds as records name them. */
const KINDS = new Map([
  [BLOCK, "block"],
  [CHANNEL_INFO, "channel-info"],
  [MESSAGE, "message"],
  [INDEX, "index"],
]);

/** Bytes of a doubtful chunk that are searched for a better one. */
const INSIDE_BYTES = 64 << 10;

/** A chunk that cannot be read at once: file offsets of its beginning and end. */
export interface LongChunk {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

type Trouble = Exclude<Fit, "whole" | "more"> | "bad-name" | "bad-data";

const NONE: ReadonlySet<number> = new Set();

/** Walks the chunks of a tape, spec §1, §7.2, §7.3. Rows span the data of messages as it is stored. */
export class TapeLayout implements FlatLayout {
  readonly #dialect: Dialect;
  readonly #table: ChannelTable;
  /** Watches the first walk over the file; null afterwards, when no channel is new any more. */
  observer: ScanObserver | null;
  readonly #shape = new ChunkShape();
  readonly #next = new ChunkShape();
  /** Chunks too long for a window, in file order: they are passed in pieces. */
  readonly #long: LongChunk[] = [];
  /** File offsets of what looks like a message and is none. */
  readonly #distrusted: ReadonlySet<number>;
  /** A block chunk was passed, and no message since. */
  #isFirst = false;

  constructor(
    dialect: Dialect,
    table: ChannelTable,
    observer: ScanObserver | null,
    distrusted: ReadonlySet<number> = NONE,
  ) {
    this.#distrusted = distrusted;
    this.#dialect = dialect;
    this.#table = table;
    this.observer = observer;
  }

  get long(): readonly LongChunk[] {
    return this.#long;
  }

  learned(): Value {
    return { names: this.#table.stored, long: this.#long.map(({ from, to, kind }): Value => [from, to, kind]) };
  }

  recall(learned: Value): void {
    const { names, long } = membersOf(learned);
    for (const name of listOf(names)) {
      const bytes = numbersOf(name, Uint8Array);
      this.#table.add(bytes, 0, bytes.length);
    }
    for (const item of listOf(long)) {
      const [from, to, kind] = listOf(item);
      if (!(wholeOf(to) > wholeOf(from))) throw new LayoutError("malformed", "a long chunk out of place", 0);
      this.#long.push({ from: wholeOf(from), to: wholeOf(to), kind: textIn(kind) });
    }
  }

  /** A `Uint32Array` as context is filled with the places of the messages in the bytes, in file order. */
  walk(walk: Walk): number {
    let position = walk.start;
    this.#isFirst = false;
    while (position < walk.end) {
      position = this.#takePlain(walk, position);
      if (position === walk.end) break;
      if (this.#long.length > 0) {
        const behind = this.#passLong(walk, position);
        if (behind > position) {
          position = behind;
          continue;
        }
      }
      const limit = walk.limit - walk.origin;
      const fit = measure(walk.view, position, walk.end, limit, this.#dialect, this.#shape);
      if (fit === "whole") {
        if (this.#distrusted.has(walk.origin + position)) {
          position = this.#resynchronize(walk, position, "bad-data");
          continue;
        }
        if (this.#take(walk, position)) {
          position = this.#shape.end;
          continue;
        }
        position = this.#resynchronize(walk, position, "bad-name");
        continue;
      }
      if (fit === "more") {
        if (walk.isLast) {
          position = this.#resynchronize(walk, position, "overrun");
          continue;
        }
        const { end, type } = this.#shape;
        const isTooLong = end !== 0 && walk.fits(position, end - position) === -1;
        // An index table is passed in pieces when it alone fills a window: its entries are read on their own.
        if (!isTooLong && (type !== INDEX || end === 0 || position > walk.start)) return position;
        this.#beginLong(walk, position, end);
        continue;
      }
      position = this.#resynchronize(walk, position, fit);
    }
    if (walk.isLast) this.observer?.closeBlock(walk);
    return position;
  }

  /**
   * Takes messages from `position` on as long as they follow each other and have nothing that is not usual: nearly all
   * of a tape. Gives the place of the first that it leaves to `measure`, which judges likewise.
   */
  #takePlain(walk: Walk, position: number): number {
    if (this.#isFirst || this.#distrusted.size > 0) return position;
    const { observer } = this;
    const shape = this.#shape;
    const { bytes, view, rows, keepsRecords } = walk;
    const end = this.#longAfter(walk, position);
    const heads = walk.context as Uint32Array | null;
    const table = this.#table;
    const { isLittle } = this.#dialect;
    const counted = this.#dialect.sizeIncludesHeader ? CHUNK_HEADER_BYTES : 0;
    let at = position;
    while (at + CHUNK_HEADER_BYTES + MESSAGE_BYTES <= end && bytes[at] === MESSAGE) {
      const body = at + CHUNK_HEADER_BYTES;
      const size = view.getUint32(at + 1, isLittle) - counted;
      const next = body + size;
      const nameLength = view.getUint32(body + 8, isLittle);
      if (next > end || nameLength > size - MESSAGE_BYTES) break;
      const frame = body + 12 + nameLength;
      const frameLength = view.getUint32(frame, isLittle);
      if (frameLength > MAX_SECOND_BYTES || frameLength > size - MESSAGE_BYTES - nameLength) break;
      const data = frame + 4 + frameLength + 9;
      if (bytes[data - 1] !== 0 || view.getUint32(data - 5, isLittle) !== next - data) break;
      const id = table.find(bytes, body + 12, nameLength);
      if (id < 0) break;
      const time = readTime(view, body, isLittle);
      if (observer !== null) {
        if (!Number.isSafeInteger(time)) break;
        shape.nameLength = nameLength;
        shape.secondLength = frameLength;
        shape.dataStart = data;
        shape.dataEnd = next;
        shape.isCompressed = false;
        observer.message(walk, id, time, shape);
      }
      if (heads !== null) heads[rows.length] = at;
      rows.add(time, id, data, next, 0);
      if (keepsRecords) walk.record("message", at, next);
      at = next;
    }
    return at;
  }

  /** Deals with the whole chunk measured at `position`; false when its name cannot be one. */
  #take(walk: Walk, position: number): boolean {
    const shape = this.#shape;
    const { type, end } = shape;
    if (type === MESSAGE) {
      const id = this.#channel(walk, shape);
      if (id < 0) return false;
      const time = readTime(walk.view, position + CHUNK_HEADER_BYTES, this.#dialect.isLittle);
      if (this.observer !== null) {
        if (!Number.isSafeInteger(time)) {
          walk.finding(position, {
            code: "bad-time",
            severity: "warning",
            message: `the message at ${hex(walk.origin + position)} has the time ${time} ns, which is only known to about ${ulp(time)} ns`,
          });
        }
        this.observer.message(walk, id, time, shape);
      }
      const flags = (shape.isCompressed ? COMPRESSED : 0) | (this.#isFirst ? FIRST_IN_BLOCK : 0);
      if (walk.context !== null) (walk.context as Uint32Array)[walk.rows.length] = position;
      walk.message(time, id, shape.dataStart, end, flags);
      this.#isFirst = false;
      walk.record("message", position, end);
      return true;
    }
    if (type === CHANNEL_INFO) {
      const id = this.#channel(walk, shape);
      if (id < 0) return false;
      this.observer?.info(walk, position, id, shape);
    } else if (type === BLOCK) {
      this.observer?.block(walk, position);
      this.#isFirst = true;
    } else this.observer?.table(walk, position, end);
    walk.record(KINDS.get(type)!, position, end);
    return true;
  }

  /** Id of the measured chunk's channel, which is taken up when new; -1 when its name cannot be one. */
  #channel(walk: Walk, shape: ChunkShape): number {
    const { nameStart, nameLength } = shape;
    const id = this.#table.find(walk.bytes, nameStart, nameLength);
    if (id >= 0 || this.observer === null) return id;
    if (this.#table.size >= MAX_CHANNELS || !isPrintable(walk.bytes, nameStart, nameLength)) return -1;
    return this.#table.add(walk.bytes, nameStart, nameLength);
  }

  /** Remembers a chunk that no window holds. */
  #beginLong(walk: Walk, position: number, end: number): void {
    const { type } = this.#shape;
    if (type === INDEX) this.observer?.table(walk, position, end);
    else {
      walk.finding(position, {
        code: "too-long",
        severity: "loss",
        message: `the ${KINDS.get(type)} at ${hex(walk.origin + position)} is ${end - position} bytes, longer than can be read at once`,
      });
    }
    this.#long.push({ from: walk.origin + position, to: walk.origin + end, kind: KINDS.get(type)! });
  }

  /** Passes what the window holds of a long chunk; gives `position` when it is in none. */
  #passLong(walk: Walk, position: number): number {
    const at = walk.origin + position;
    for (const { from, to, kind } of this.#long) {
      if (at < from || at >= to) continue;
      const end = Math.min(walk.end, to - walk.origin);
      walk.record(kind, position, end);
      return end;
    }
    return position;
  }

  /** Where a long chunk is in what the window holds from `position` on; its end when there is none. */
  #longAfter(walk: Walk, position: number): number {
    const at = walk.origin + position;
    for (const { from, to } of this.#long) if (to > at) return Math.min(walk.end, Math.max(from, at) - walk.origin);
    return walk.end;
  }

  /** Finds the next chunk behind a place that is none, and leaves what is between as damage. */
  #resynchronize(walk: Walk, position: number, trouble: Trouble): number {
    let next = position + 1;
    for (; next < walk.end; next++) {
      const evidence = this.#evidence(walk, next);
      if (evidence === "none") continue;
      if (evidence === "alone") next = this.#followedInside(walk, next) ?? next;
      break;
    }
    const isTail = next >= walk.end && walk.isLast;
    walk.damage(position, next, this.#describe(walk, position, next, trouble, isTail));
    return next;
  }

  /**
   * Whether a walk can go on at `position`: a chunk whose inner lengths fit exactly, and that another chunk or the end
   * of the file follows. One with names that can be names may also stand alone, because what follows it may be damaged,
   * too. A place where too little can be seen is taken, because the next window begins there.
   */
  #evidence(walk: Walk, position: number): "none" | "alone" | "followed" {
    const type = walk.bytes[position]!;
    if (type < BLOCK || type > INDEX || this.#distrusted.has(walk.origin + position)) return "none";
    const shape = this.#next;
    const limit = walk.limit - walk.origin;
    const fit = measure(walk.view, position, walk.end, limit, this.#dialect, shape);
    if (fit === "more") return shape.end === 0 || hasPlausibleNames(walk.bytes, shape) ? "followed" : "none";
    if (fit !== "whole" || !hasPlausibleNames(walk.bytes, shape)) return "none";
    const isNamed = type === MESSAGE || type === CHANNEL_INFO;
    const { end } = shape;
    if (end === limit) return "followed";
    const following = measure(walk.view, end, walk.end, limit, this.#dialect, shape);
    const isFollowed = (following === "whole" || following === "more") && hasPlausibleNames(walk.bytes, shape);
    return isFollowed ? "followed" : isNamed ? "alone" : "none";
  }

  /**
   * Damage can move the beginning of a chunk so that it reaches over the next one: a followed chunk that begins inside
   * one that stands alone is believed before it.
   */
  #followedInside(walk: Walk, position: number): number | null {
    measure(walk.view, position, walk.end, walk.limit - walk.origin, this.#dialect, this.#next);
    const end = Math.min(this.#next.end, position + INSIDE_BYTES);
    for (let at = position + 1; at < end; at++) {
      const type = walk.bytes[at]!;
      if ((type === MESSAGE || type === CHANNEL_INFO) && this.#evidence(walk, at) === "followed") return at;
    }
    return null;
  }

  #describe(
    walk: Walk,
    position: number,
    next: number,
    trouble: Trouble,
    isTail: boolean,
  ): { code: FindingCode; severity: "damage"; message: string } {
    const at = hex(walk.origin + position);
    const rest = `${next - position} bytes cannot be read`;
    switch (trouble) {
      case "overrun": {
        const left = walk.limit - walk.origin - position;
        if (isTail)
          return {
            code: "truncated",
            severity: "damage",
            message: `the file ends inside the chunk at ${at}: ${left} bytes of it are there`,
          };
        return {
          code: "bad-length",
          severity: "damage",
          message: `the chunk at ${at} would end behind the file; ${rest}`,
        };
      }
      case "bad-length":
        return {
          code: "bad-length",
          severity: "damage",
          message: `the size of the chunk at ${at} does not agree with the lengths inside it; ${rest}`,
        };
      case "unknown-type":
        return {
          code: "unknown-record",
          severity: "damage",
          message: `expected a chunk of type 0xa to 0xd at ${at}, found ${hex(walk.bytes[position]!)}; ${rest}`,
        };
      case "bad-name":
        return {
          code: "bad-name",
          severity: "damage",
          message: `the chunk at ${at} has an invalid channel name; ${rest}`,
        };
      case "bad-data":
        return {
          code: "bad-data",
          severity: "damage",
          message: `the message at ${at} has damaged data, and no chunk follows it; ${rest}`,
        };
      default:
        return trouble satisfies never;
    }
  }
}

/** A signed 64-bit time as a number: exact up to 2^53 ns, rounded beyond. */
export function readTime(view: DataView, position: number, isLittle: boolean): number {
  const high = view.getInt32(isLittle ? position + 4 : position, isLittle);
  const low = view.getUint32(isLittle ? position : position + 4, isLittle);
  return high * 0x1_0000_0000 + low;
}

function ulp(value: number): number {
  return 2 ** (Math.floor(Math.log2(Math.abs(value))) - 52);
}
