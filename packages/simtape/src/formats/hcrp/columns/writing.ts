import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { COLUMNS_VERSION, FIELD_BITS, STREAM, STREAMS } from "./columns.ts";
import { FORECAST, FORECAST_MOST, Forecast } from "./forecast.ts";
import { readVarInt, writeVarInt } from "../layout/framing.ts";
import { readEventId, readTickHead } from "../layout/chunk.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../layout/events.ts";
import { moveEnd } from "../layout/motion.ts";

/**
 * A chunk's content sorted into streams of like bytes, which compress better; `fromColumns` gives it back, to the last
 * byte, whatever it is: from the first tick record on that is not as a writer makes it, bytes stand in one stream.
 */
export function toColumns(raw: Uint8Array, hasSnapshot: boolean): Uint8Array {
  if (raw.length === 0) return raw;
  const start = hasSnapshot ? snapshotEnd(raw) : 0;
  const end = recordsEnd(raw, start);
  const streams = Array.from({ length: STREAMS }, () => new ByteBuilder());
  streams[STREAM.head]!.raw(raw.subarray(0, start));
  streams[STREAM.tail]!.raw(raw.subarray(end));
  sortMoves(raw, sortRecords(raw, start, end, streams), streams);
  const content = new ByteBuilder(raw.length + 64);
  content.u8(COLUMNS_VERSION);
  writeVarInt(content, raw.length);
  for (const stream of streams) writeVarInt(content, stream.length);
  for (const stream of streams) content.raw(stream.lend());
  return content.take();
}

/** A snapshot that is cut reaches to the end. */
function snapshotEnd(raw: Uint8Array): number {
  const cursor = new ByteCursor(raw);
  try {
    cursor.skip(readVarInt(cursor));
    return cursor.position;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return raw.length;
  }
}

/**
 * Place behind the last of the tick records that can be written in columns: all before it are sound, in order,
 * unpadded.
 */
function recordsEnd(raw: Uint8Array, start: number): number {
  const cursor = new ByteCursor(raw, start);
  let end = start;
  let previous = 0;
  try {
    while (cursor.remaining > 0) {
      const { tick, count } = readTickHead(cursor);
      if (tick < previous || cursor.position - end !== varIntLength(tick) + 2) return end;
      for (let i = 0; i < count; i++) if (!skipAny(cursor)) return end;
      previous = tick;
      end = cursor.position;
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return end;
}

/** Moves the cursor over one event; false: it is unknown. */
function skipAny(cursor: ByteCursor): boolean {
  const id = readEventId(cursor);
  if (id < FIRST_SIZED) return skipEvent(cursor, id);
  cursor.skip(readVarInt(cursor));
  return true;
}

/** The masks of the moves of one entity. */
type Moves = number[];

/**
 * Everything of sound tick records but what is in moves behind the entity; gives that by entity, as they first move.
 */
function sortRecords(raw: Uint8Array, start: number, end: number, streams: readonly ByteBuilder[]): readonly Moves[] {
  const outline = streams[STREAM.outline]!;
  const others = streams[STREAM.others]!;
  const cursor = new ByteCursor(raw, start, end);
  const ranks = new Map<number, number>();
  const moves: Moves[] = [];
  let previous = 0;
  while (cursor.remaining > 0) {
    const { tick, count } = readTickHead(cursor);
    writeVarInt(outline, tick - previous);
    writeVarInt(outline, count);
    previous = tick;
    for (let i = 0; i < count; i++) {
      const at = cursor.position;
      const behind = raw[at] === EVENT.move ? moveEnd(raw, at + 1, end) : -1;
      if (behind < 0) {
        skipAny(cursor);
        writeVarInt(outline, cursor.position - at);
        others.raw(raw.subarray(at, cursor.position));
        continue;
      }
      outline.u8(0);
      const mask = varIntEnd(raw, at + 1);
      const key = keyOf(raw, at + 1, mask);
      let rank = ranks.get(key);
      if (rank === undefined) {
        rank = moves.length;
        ranks.set(key, rank);
        moves.push([]);
        streams[STREAM.entities]!.raw(raw.subarray(at + 1, mask));
      }
      writeVarInt(streams[STREAM.movers]!, rank);
      moves[rank]!.push(mask);
      cursor.seek(behind);
    }
  }
  return moves;
}

function sortMoves(raw: Uint8Array, entities: readonly Moves[], streams: readonly ByteBuilder[]): void {
  const forecaster = new Forecaster(raw);
  for (const moves of entities) {
    const forecastBits = forecaster.choose(moves);
    streams[STREAM.forecasts]!.u8(forecastBits);
    forecaster.begin(forecastBits);
    for (const move of moves) sortMove(raw, move, forecastBits === 0 ? null : forecaster, streams);
  }
}

/** The mask and the numbers of one move; of those that are forecast what they differ by. */
function sortMove(raw: Uint8Array, move: number, forecaster: Forecaster | null, streams: readonly ByteBuilder[]): void {
  const mask = raw[move]!;
  streams[STREAM.masks]!.u8(mask);
  forecaster?.next(move);
  let at = move + 1;
  for (const [k, bit] of FIELD_BITS.entries()) {
    if ((mask & bit) === 0) continue;
    const end = varIntEnd(raw, at);
    if (forecaster !== null && k < FORECAST_FIELDS) {
      let rest = zigzag(forecaster.differences[k]!);
      streams[STREAM.firsts + k]!.u8(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
      while (rest > 0x7f) {
        rest >>>= 7;
        streams[STREAM.further + k]!.u8(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
      }
    } else {
      streams[STREAM.firsts + k]!.u8(raw[at]!);
      streams[STREAM.further + k]!.raw(raw.subarray(at + 1, end));
    }
    at = end;
  }
}

/** Fields that may be forecast: x, y, z, yaw. */
const FORECAST_FIELDS = 4;
/** The bit of each field's forecast. */
const FORECAST_BITS = [FORECAST.across, FORECAST.up, FORECAST.across, FORECAST.turn] as const;

/** Follows the moves of one entity, and tells how their numbers differ from what was to be expected. */
class Forecaster {
  readonly #raw: Uint8Array;
  readonly #forecast = new Forecast();
  readonly #values = new Int32Array(FORECAST_FIELDS);
  /** Of the move that `next` was given: the numbers to be written. */
  readonly differences: Int32Array = new Int32Array(FORECAST_FIELDS);
  #forecastBits = 0;

  constructor(raw: Uint8Array) {
    this.#raw = raw;
  }

  begin(forecastBits: number): void {
    this.#forecastBits = forecastBits;
    this.#forecast.begin();
  }

  /**
   * The forecasts that make the numbers of these moves smaller; none where a number is not in its shortest form, or too
   * large.
   */
  choose(moves: Moves): number {
    const bits = new Float64Array(FORECAST_FIELDS);
    this.begin(FORECAST.across | FORECAST.up | FORECAST.turn);
    for (const move of moves) {
      if (!this.next(move)) return 0;
      const mask = this.#raw[move]!;
      for (let k = 0; k < FORECAST_FIELDS; k++)
        if ((mask & FIELD_BITS[k]!) !== 0) bits[k]! += bitsOf(this.differences[k]!) - bitsOf(this.#values[k]!);
    }
    return (
      (bits[0]! + bits[2]! < 0 ? FORECAST.across : 0) |
      (bits[1]! < 0 ? FORECAST.up : 0) |
      (bits[3]! < 0 ? FORECAST.turn : 0)
    );
  }

  /** False when the move has numbers that a forecast cannot give back to the last byte. */
  next(move: number): boolean {
    const values = this.#values;
    const mask = this.#raw[move]!;
    let at = move + 1;
    for (let k = 0; k < FORECAST_FIELDS; k++) {
      values[k] = 0;
      if ((mask & FIELD_BITS[k]!) === 0) continue;
      const end = varIntEnd(this.#raw, at);
      let value = 0;
      for (let i = end - 1; i >= at; i--) value = value * 128 + (this.#raw[i]! & 0x7f);
      if (end - at !== varIntLength(value) || value > 2 * FORECAST_MOST) return false;
      values[k] = (value >>> 1) ^ -(value & 1);
      at = end;
    }
    const [x, y, z, yaw] = values as unknown as [number, number, number, number];
    const forecast = this.#forecast;
    const turn = forecast.yaw;
    forecast.look(mask, yaw);
    const expected = [forecast.x, forecast.y, forecast.z, turn] as const;
    for (let k = 0; k < FORECAST_FIELDS; k++)
      this.differences[k] = values[k]! - ((this.#forecastBits & FORECAST_BITS[k]!) === 0 ? 0 : expected[k]!);
    forecast.follow(mask, x, y, z, yaw);
    return true;
  }
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function bitsOf(value: number): number {
  return 32 - Math.clz32(zigzag(value));
}

/** The bytes of an entity's id, of which there are up to four, as one number: padded ids are entities of their own. */
function keyOf(raw: Uint8Array, start: number, end: number): number {
  let key = 0;
  for (let at = start; at < end; at++) key = key * 256 + raw[at]!;
  return key;
}

function varIntEnd(raw: Uint8Array, start: number): number {
  let at = start;
  while (raw[at]! >= 0x80) at++;
  return at + 1;
}

function varIntLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) length++;
  return length;
}
