import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { ColumnBuilder, type Columns, KEYFRAME } from "../../../model/messages/batch.ts";
import { ChunkContext, type ChunkSource, type Dialect, Palettes } from "./context.ts";
import type { HcrpChunk } from "./plan.ts";
import { LIMITS, readVarInt, TICK } from "../layout/framing.ts";
import { readEventId, readPalettes, readSections, readTickHead, SECTION } from "../layout/chunk.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../layout/events.ts";
import { moveEnd } from "../layout/motion.ts";
import { type ProductionVersion, readProductionTickHead, skipProductionEvent } from "../layout/production.ts";
import type { NameFix } from "./names.ts";
import { readPaletteAdd } from "../layout/world-events.ts";

/** Which channel takes what. */
export interface ChannelMap {
  /** Id of the channel of snapshots. */
  readonly snapshot: number;
  /** Channel of a sized event's type in a chunk; null: no channel of its own. */
  sized(type: number, chunk: number): number | null;
  /** Takes sized events without a channel of their own, whole. */
  readonly extension: number;
}

/** A chunk as `decodeChunk` gives it, and its inflated bytes. */
export interface OpenedChunk {
  readonly chunk: HcrpChunk;
  readonly raw: Uint8Array;
  readonly columns: Columns;
}

/** Why a chunk, or the rest of it, cannot be had. */
export interface ChunkProblem {
  readonly code: "unsupported-event" | "unsupported-schema" | "unsupported-version" | "damaged-chunk";
  readonly message: string;
}

export interface DecodedChunk {
  readonly columns: Columns;
  readonly problem: ChunkProblem | null;
}

/** A chunk without messages: what stands in for one that cannot be read. */
export function emptyChunk(chunk: HcrpChunk, dialect: Dialect): Columns {
  const context = new ChunkContext(dialect, chunk.index, chunk.entry.startTick, 0, new Palettes());
  SHARED.truncate(0);
  return SHARED.build(new Uint8Array(0), chunk.sequence, context);
}

/** Chunks of usual size are decoded in the same room, one after the other: what is handed out is copied from it. */
const SHARED = new ColumnBuilder();
const SHARED_BYTES = 2 << 20;

/**
 * The messages in a chunk's inflated bytes: the snapshot, then every event (spec §6). What breaks the layout ends the
 * chunk there; an unknown event type refuses the whole chunk (spec §6.4).
 */
export function decodeChunk(
  raw: Uint8Array,
  chunk: HcrpChunk,
  dialect: Dialect,
  dataVersion: number,
  channels: ChannelMap,
  source?: ChunkSource,
  names: NameFix | null = null,
): DecodedChunk {
  if (raw.length === 0 && !chunk.hasKeyframe) return { columns: emptyChunk(chunk, dialect), problem: null };
  const version = dialect === 1 ? 1 : (chunk.entry.formatVersion ?? dialect);
  if (version !== 1 && version !== 4 && version !== 5) {
    const message = `format version: expected 4 or 5, found ${version}`;
    return { columns: emptyChunk(chunk, dialect), problem: { code: "unsupported-version", message } };
  }
  const palettes = new Palettes(names);
  const context = new ChunkContext(version, chunk.index, chunk.entry.startTick, dataVersion, palettes, source);
  const rows = raw.length > SHARED_BYTES ? new ColumnBuilder(raw.length >>> 4) : SHARED;
  rows.truncate(0);
  const cursor = new ByteCursor(raw);
  let problem: ChunkProblem | null = null;
  try {
    if (version === 1) walkEvents(cursor, chunk, rows, context.palettes, channels);
    else walkProduction(cursor, chunk, rows, version, channels);
  } catch (error) {
    if (error instanceof UnknownEvent) {
      rows.truncate(0);
      problem = { code: "unsupported-event", message: error.message };
    } else if (error instanceof LayoutError) {
      const message = `${error.message} of its content; ${rows.length} messages before it are kept`;
      problem = { code: "damaged-chunk", message };
    } else throw error;
  }
  if (problem === null) context.count = rows.length;
  return { columns: rows.build(raw, chunk.sequence, context), problem };
}

class UnknownEvent extends Error {
  constructor(type: number) {
    super(`event type ${type} is not known and has no length`);
  }
}

function walkEvents(
  cursor: ByteCursor,
  chunk: HcrpChunk,
  rows: ColumnBuilder,
  palettes: Palettes,
  channels: ChannelMap,
): void {
  const { startTick, tickCount } = chunk.entry;
  const { bytes } = cursor;
  if (chunk.hasKeyframe) {
    const length = readVarInt(cursor);
    const start = cursor.position;
    cursor.skip(length);
    addPalettes(new ByteCursor(cursor.bytes, start, cursor.position), palettes);
    rows.add(startTick * TICK, channels.snapshot, start, cursor.position, KEYFRAME);
  }
  let previous = 0;
  // of the sized event before, as the next is often of the same type; `sizedByte` where that is one byte
  let sizedType = -1;
  let sizedByte = -1;
  let sizedChannel: number | null = null;
  while (cursor.remaining > 0) {
    const at = cursor.offset;
    const { tick, count } = readTickHead(cursor);
    if (tick < previous || tick >= tickCount) {
      const range = `${previous} to ${tickCount - 1}`;
      throw new LayoutError("malformed", `tick of a record: expected ${range}, found ${tick}`, at);
    }
    previous = tick;
    checkCount(rows, count, cursor);
    const time = (startTick + tick) * TICK;
    for (let i = 0; i < count; i++) {
      const event = cursor.position;
      if (bytes[event] === EVENT.move) {
        const end = moveEnd(bytes, event + 1, bytes.length);
        if (end >= 0) {
          cursor.seek(end);
          rows.add(time, EVENT.move, event + 1, end, 0);
          continue;
        }
      }
      if (bytes[event] === sizedByte && event + 1 < bytes.length && bytes[event + 1]! < 0x80) {
        const end = event + 2 + bytes[event + 1]!;
        if (end <= bytes.length) {
          cursor.seek(end);
          if (sizedChannel === null) rows.add(time, channels.extension, event, end, 0);
          else rows.add(time, sizedChannel, event + 2, end, 0);
          continue;
        }
      }
      const type = readEventId(cursor);
      if (type < FIRST_SIZED) {
        const start = cursor.position;
        if (!skipEvent(cursor, type)) throw new UnknownEvent(type);
        rows.add(time, type, start, cursor.position, 0);
        if (type === EVENT.paletteAdd) {
          const { kind, entry } = readPaletteAdd(new ByteCursor(cursor.bytes, start));
          palettes.add(kind, entry);
        }
      } else {
        const length = readVarInt(cursor);
        const start = cursor.position;
        cursor.skip(length);
        if (type !== sizedType) {
          sizedType = type;
          sizedByte = type < 0x80 ? type : -1;
          sizedChannel = channels.sized(type, chunk.index);
        }
        if (sizedChannel === null) rows.add(time, channels.extension, event, cursor.position, 0);
        else rows.add(time, sizedChannel, start, cursor.position, 0);
      }
    }
  }
}

/** Sections must be sound as far as events depend on them: their framing and the palettes. */
function addPalettes(snapshot: ByteCursor, palettes: Palettes): void {
  for (const { type, body } of readSections(snapshot)) {
    if (type !== SECTION.palettes) continue;
    readPalettes(new ByteCursor(body)).forEach((entries, kind) => {
      for (const entry of entries) palettes.add(kind, entry);
    });
  }
}

/** The snapshot of the production dialect is the first events of the chunk: its message is empty (spec §14). */
function walkProduction(
  cursor: ByteCursor,
  chunk: HcrpChunk,
  rows: ColumnBuilder,
  version: ProductionVersion,
  channels: ChannelMap,
): void {
  const { startTick, tickCount } = chunk.entry;
  if (chunk.hasKeyframe) rows.add(chunk.first, channels.snapshot, 0, 0, KEYFRAME);
  let previous = startTick;
  while (cursor.remaining > 0) {
    const at = cursor.offset;
    const { tick, count } = readProductionTickHead(cursor);
    if (tick < previous || tick >= startTick + tickCount) {
      const range = `${previous} to ${startTick + tickCount - 1}`;
      throw new LayoutError("malformed", `tick of a record: expected ${range}, found ${tick}`, at);
    }
    previous = tick;
    checkCount(rows, count, cursor);
    for (let i = 0; i < count; i++) {
      const type = readEventId(cursor);
      const start = cursor.position;
      if (!skipProductionEvent(cursor, type, version)) throw new UnknownEvent(type);
      rows.add(tick * TICK, type, start, cursor.position, 0);
    }
  }
}

function checkCount(rows: ColumnBuilder, count: number, cursor: ByteCursor): void {
  if (count > cursor.remaining) {
    const message = `event count: expected at most ${cursor.remaining}, the bytes left, found ${count}`;
    throw new LayoutError("truncated", message, cursor.offset - 2);
  }
  if (rows.length + count > LIMITS.events) {
    throw new LayoutError("malformed", `more than ${LIMITS.events} events in a chunk`, cursor.offset);
  }
}
