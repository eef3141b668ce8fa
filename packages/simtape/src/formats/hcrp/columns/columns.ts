import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { FORECAST, FORECAST_ALL, FORECAST_MOST, Forecast } from "./forecast.ts";
import { LIMITS, readVarInt } from "../layout/framing.ts";
import { EVENT } from "../layout/events.ts";
import { MOVE_HEAD_YAW, MOVE_PITCH, MOVE_X, MOVE_Y, MOVE_YAW, MOVE_Z } from "../layout/motion.ts";

/**
 * First byte of a chunk in columns: the version of their layout, which is ours (spec §7.5 gives none). Version 1 has no
 * forecasts, and is read only.
 */
export const COLUMNS_VERSION = 2;

/**
 * The streams that a chunk's bytes are sorted into, in the order in which they stand. Every byte goes to one of them as
 * it is, but for ticks, counts and types of moves, which `outline` tells otherwise.
 */
export const STREAM = {
  /** All before the first tick record: the snapshot with its length. */
  head: 0,
  /**
   * For each tick record VarInt ticks since the one before, VarInt events; for each event 0, a move, or VarInt bytes.
   */
  outline: 1,
  /** Events that are no moves, with their types. */
  others: 2,
  /** VarInt ids of the entities that move, in the order in which they first do. */
  entities: 3,
  /** For each move VarInt place in `entities`. */
  movers: 4,
  /**
   * For each move its mask; here and in the numbers all moves of the first entity stand first, then those of the next.
   */
  masks: 5,
  /** The first byte of each number in a move; six streams: x, y, z, yaw, pitch, head yaw. */
  firsts: 6,
  /** The bytes behind it; six streams. */
  further: 12,
  /** All from the first tick record on that cannot be sorted. */
  tail: 18,
  /** For each of `entities` bits of `FORECAST`: which of its numbers are differences from a forecast. */
  forecasts: 19,
} as const;

/** How many there are: in this version, and in the first. */
export const STREAMS = 20;
const STREAMS_1 = 19;
/** The bits of a mask that a number follows, in the order of `firsts` and `further` (events §2, id 0). */
export const FIELD_BITS: readonly number[] = [MOVE_X, MOVE_Y, MOVE_Z, MOVE_YAW, MOVE_PITCH, MOVE_HEAD_YAW];
/** A record without events is two bytes in columns, and at most seven in a chunk. */
const MAX_GROWTH = 4;
/** Type, entity and mask of a move. */
const SMALLEST_MOVE = 3;
/** Bytes of a forecast number in a move, at most; its difference may be shorter. */
const FORECAST_BYTES = 3;
/** Bytes that are copied one by one. */
const SHORT = 16;

/**
 * The chunk that `toColumns` was given. No bytes are a chunk of none. Throws `LayoutError` when these are no columns;
 * what it allocates is checked against the limits of chunks and the columns' own length before.
 */
export function fromColumns(content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (content.length === 0) return content;
  const cursor = new ByteCursor(content);
  const version = cursor.u8();
  if (version !== COLUMNS_VERSION && version !== 1)
    throw new LayoutError("malformed", `columns: expected version 1 or ${COLUMNS_VERSION}, found ${version}`, 0);
  const length = readVarInt(cursor);
  const most = Math.min(LIMITS.uncompressed, content.length * MAX_GROWTH);
  if (length > most)
    throw new LayoutError("malformed", `columns, length: expected at most ${most}, found ${length}`, 1);
  const count = version === 1 ? STREAMS_1 : STREAMS;
  const lengths = Array.from({ length: count }, () => readVarInt(cursor));
  const streams: Stream[] = [];
  let at = cursor.position;
  for (const [number, size] of lengths.entries()) {
    if (size > content.length - at) throw new LayoutError("truncated", `columns, stream ${number}: ${size} bytes`, at);
    streams.push(new Stream(content, number, at, at + size));
    at += size;
  }
  if (at < content.length) throw new LayoutError("malformed", `${content.length - at} bytes follow the columns`, at);
  return chunkOf(streams, length);
}

function chunkOf(streams: readonly Stream[], length: number): Uint8Array<ArrayBuffer> {
  const [head, outline, others, entities, movers] = streams as readonly [Stream, Stream, Stream, Stream, Stream];
  const tail = streams[STREAM.tail]!;
  const moves = streams[STREAM.masks]!.left;
  if (moves * SMALLEST_MOVE > length) throw streams[STREAM.masks]!.wrong(`${moves} moves in ${length} bytes`);
  const ids = idsOf(entities, moves);
  const next = firstMoves(movers, ids.length - 1, moves);
  const { bytes: bodies, starts } = bodiesOf(streams, next);
  const content = head.bytes;
  const chunk = new Uint8Array(length);
  let to = copied(content, head.at, head.left, chunk, 0);
  for (let tick = 0; outline.left > 0; ) {
    tick += outline.varint();
    const count = outline.varint();
    if (tick > 0x7fff_ffff || count > 0xffff) throw outline.wrong(`tick ${tick} with ${count} events`);
    to = tickHead(tick, count, chunk, to);
    for (let i = 0; i < count; i++) {
      const size = outline.varint();
      if (size > 0) {
        to = copied(content, others.take(size), size, chunk, to);
        continue;
      }
      const entity = movers.varint();
      const move = next[entity]!++;
      chunk[to++] = EVENT.move;
      for (let at = ids[entity]!; at < ids[entity + 1]!; at++) chunk[to++] = content[at]!;
      const end = starts[move + 1]!;
      for (let at = starts[move]!; at < end; at++) chunk[to++] = bodies[at]!;
    }
  }
  to = copied(content, tail.at, tail.left, chunk, to);
  for (const stream of [others, movers]) if (stream.left > 0) throw stream.wrong(`${stream.left} bytes are left`);
  if (to === length) return chunk;
  throw new LayoutError("malformed", `columns, length: expected ${to}, found ${length}`, 1);
}

/**
 * Copies bytes and gives the place behind them, also when there is no room for them: the length is judged in the end.
 */
function copied(from: Uint8Array, start: number, length: number, into: Uint8Array, at: number): number {
  if (length <= SHORT) for (let i = 0; i < length; i++) into[at + i] = from[start + i]!;
  else if (at + length <= into.length) into.set(from.subarray(start, start + length), at);
  return at + length;
}

/** Spec §6.3. */
function tickHead(tick: number, count: number, into: Uint8Array, at: number): number {
  let to = at;
  let rest = tick;
  for (; rest > 0x7f; rest >>>= 7) into[to++] = (rest & 0x7f) | 0x80;
  into[to++] = rest;
  into[to++] = count >>> 8;
  into[to++] = count & 0xff;
  return to;
}

/** Where the id of each entity begins; the last is where they end. */
function idsOf(entities: Stream, moves: number): number[] {
  const starts: number[] = [];
  while (entities.left > 0) {
    if (starts.length === moves) throw entities.wrong(`more entities than ${moves} moves`);
    starts.push(entities.at);
    entities.varint();
  }
  starts.push(entities.end);
  return starts;
}

/** The place of each entity's first move among all, as they stand entity by entity. The stream begins again. */
function firstMoves(movers: Stream, entities: number, moves: number): Uint32Array {
  const first = new Uint32Array(entities + 1);
  const start = movers.at;
  let movedCount = 0;
  for (; movers.left > 0; movedCount++) {
    const entity = movers.varint();
    if (entity >= entities) throw movers.wrong(`${entities} entities, ${entity} is asked for`);
    first[entity + 1]!++;
  }
  if (movedCount !== moves) throw movers.wrong(`${movedCount} movers of ${moves} moves`);
  movers.at = start;
  for (let i = 0; i < entities; i++) first[i + 1]! += first[i]!;
  return first;
}

/** All moves without types and entities, as they stand entity by entity. */
interface Bodies {
  readonly bytes: Uint8Array;
  /** Where each begins; the last is where they end. */
  readonly starts: Uint32Array;
}

/** `first`: the place of each entity's first move, and how many moves there are. */
function bodiesOf(streams: readonly Stream[], first: Uint32Array): Bodies {
  const { bytes: content, at: firstMask, left: moves } = streams[STREAM.masks]!;
  const forecasts = forecastsOf(streams, first.length - 1);
  let size = moves;
  for (let i: number = STREAM.firsts; i < STREAM.tail; i++)
    size += streams[i]!.left * (i < STREAM.further && forecasts !== null ? FORECAST_BYTES : 1);
  const bytes = new Uint8Array(size);
  const starts = new Uint32Array(moves + 1);
  const places = Int32Array.from(streams, ({ at }) => at);
  const forecast = new Forecast();
  let to = 0;
  for (let entity = 0; entity + 1 < first.length; entity++) {
    const forecastBits = forecasts === null ? 0 : content[forecasts.at + entity]!;
    forecast.begin();
    for (let move = first[entity]!; move < first[entity + 1]!; move++) {
      starts[move] = to;
      const mask = content[firstMask + move]!;
      bytes[to++] = mask;
      if (forecastBits === 0) {
        if ((mask & MOVE_X) !== 0) to = copyNumber(content, places, 0, bytes, to);
        if ((mask & MOVE_Y) !== 0) to = copyNumber(content, places, 1, bytes, to);
        if ((mask & MOVE_Z) !== 0) to = copyNumber(content, places, 2, bytes, to);
        if ((mask & MOVE_YAW) !== 0) to = copyNumber(content, places, 3, bytes, to);
      } else to = predicted(content, places, mask, forecastBits, forecast, bytes, to);
      if ((mask & MOVE_PITCH) !== 0) to = copyNumber(content, places, 4, bytes, to);
      if ((mask & MOVE_HEAD_YAW) !== 0) to = copyNumber(content, places, 5, bytes, to);
    }
  }
  starts[moves] = to;
  // a look at the ends once: whatever went over one did so here
  for (let i: number = STREAM.firsts; i < STREAM.tail; i++)
    if (places[i] !== streams[i]!.end) throw streams[i]!.wrong("its length does not fit the masks");
  return { bytes, starts };
}

/** The stream of forecasts; null where there is none. */
function forecastsOf(streams: readonly Stream[], entities: number): Stream | null {
  const stream = streams[STREAM.forecasts];
  if (stream === undefined) return null;
  if (stream.left !== entities) throw stream.wrong(`forecasts of ${entities} entities: found ${stream.left}`);
  let all = 0;
  for (let at = stream.at; at < stream.end; at++) all |= stream.bytes[at]!;
  if (all > FORECAST_ALL) throw stream.wrong(`no forecast ${all}`);
  return all === 0 ? null : stream;
}

/** The fields x, y, z and yaw of a move whose entity is forecast; gives the place behind them. */
function predicted(
  content: Uint8Array,
  places: Int32Array,
  mask: number,
  forecastBits: number,
  forecast: Forecast,
  into: Uint8Array,
  at: number,
): number {
  let yaw = 0;
  if ((mask & MOVE_YAW) !== 0) {
    yaw = numberOf(content, places, 3) + ((forecastBits & FORECAST.turn) === 0 ? 0 : forecast.yaw);
  }
  forecast.look(mask, yaw);
  const isAcross = (forecastBits & FORECAST.across) !== 0;
  let x = 0;
  let y = 0;
  let z = 0;
  let to = at;
  if ((mask & MOVE_X) !== 0) {
    x = numberOf(content, places, 0) + (isAcross ? forecast.x : 0);
    to = putNumber(x, into, to);
  }
  if ((mask & MOVE_Y) !== 0) {
    y = numberOf(content, places, 1) + ((forecastBits & FORECAST.up) === 0 ? 0 : forecast.y);
    to = putNumber(y, into, to);
  }
  if ((mask & MOVE_Z) !== 0) {
    z = numberOf(content, places, 2) + (isAcross ? forecast.z : 0);
    to = putNumber(z, into, to);
  }
  if ((mask & MOVE_YAW) !== 0) to = putNumber(yaw, into, to);
  forecast.follow(mask, x, y, z, yaw);
  return to;
}

/** One ZigZag number from where its field goes on. */
function numberOf(content: Uint8Array, places: Int32Array, field: number): number {
  let byte = content[places[STREAM.firsts + field]!++]!;
  let value = byte & 0x7f;
  for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
    byte = content[places[STREAM.further + field]!++]!;
    value |= (byte & 0x7f) << shift;
  }
  return (value >>> 1) ^ -(value & 1);
}

/** Puts a ZigZag number in its shortest form; gives the place behind it. */
function putNumber(value: number, into: Uint8Array, at: number): number {
  if (value > FORECAST_MOST || value < -FORECAST_MOST)
    throw new LayoutError("malformed", `columns, a number that was forecast: ${value} is out of range`, 0);
  let to = at;
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 0x7f; rest >>>= 7) into[to++] = (rest & 0x7f) | 0x80;
  into[to++] = rest;
  return to;
}

/** One number of a move from where its field goes on; gives the place behind it. */
function copyNumber(content: Uint8Array, places: Int32Array, field: number, into: Uint8Array, at: number): number {
  let to = at;
  let byte = content[places[STREAM.firsts + field]!++]!;
  into[to++] = byte;
  while (byte >= 0x80) {
    byte = content[places[STREAM.further + field]!++]!;
    into[to++] = byte;
  }
  return to;
}

/** One stream while it is read. */
class Stream {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
  readonly #number: number;

  constructor(bytes: Uint8Array, number: number, start: number, end: number) {
    this.bytes = bytes;
    this.end = end;
    this.at = start;
    this.#number = number;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** At most 5 bytes. */
  varint(): number {
    const first = this.#u8();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 128; scale < 2 ** 32; scale *= 128) {
      const byte = this.#u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw this.wrong("a number is longer than 5 bytes");
  }

  /** Place of the next `length` bytes. */
  take(length: number): number {
    const start = this.at;
    if (length > this.left) throw this.wrong(`${length} bytes are asked for, ${this.left} are left`);
    this.at = start + length;
    return start;
  }

  wrong(what: string): LayoutError {
    return new LayoutError("malformed", `columns, stream ${this.#number}: ${what}`, this.at);
  }

  #u8(): number {
    if (this.at >= this.end) throw this.wrong("ends too early");
    return this.bytes[this.at++]!;
  }
}
