import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { readZstdFrameHeader, type Zstd, zstdFrameLength } from "../../codec/zstd.ts";
import type { ByteSource } from "../../io/source.ts";
import type { Dialect } from "./chunk-context.ts";
import { HypercubeChunk } from "./chunk-plan.ts";
import { type ChannelMap, decodeChunk } from "./decode.ts";
import { ENTRY_SNAPSHOT, type IndexEntry, LIMITS, readVarInt, TICK } from "./layout.ts";

/** A frame that inflates, found without the index. */
export interface FoundFrame {
  readonly offset: number;
  readonly length: number;
  /** Its content. */
  readonly size: number;
  /** Of the first tick record: in the production dialect the chunk's start; null when there is none. */
  readonly firstTick: number | null;
  /** Tick of the last event when it is read with and without a snapshot; null where that does not fit. */
  readonly lastTick: { readonly withSnapshot: number | null; readonly without: number | null };
}

/** Bytes read at once while looking for frames. */
const STEP = 1 << 20;

/** Every frame of a file from `from` on that inflates, wherever it lies. Reads the whole file. */
export async function findFrames(
  source: ByteSource,
  from: number,
  zstd: Zstd,
  dictionary: Uint8Array | null,
  dialect: Dialect,
  signal: AbortSignal | undefined,
): Promise<FoundFrame[]> {
  const frames: FoundFrame[] = [];
  let base = from;
  for (;;) {
    const bytes = await source.read(base, STEP + 3, signal);
    let next = -1;
    for (let at = 0; at + 4 <= bytes.length; at++) {
      if (bytes[at] !== 0x28 || bytes[at + 1] !== 0xb5 || bytes[at + 2] !== 0x2f || bytes[at + 3] !== 0xfd) continue;
      const frame = await frameAt(source, base + at, zstd, dictionary, dialect, signal);
      if (frame === null) continue;
      frames.push(frame);
      next = base + at + frame.length;
      break;
    }
    if (next >= 0) base = next;
    else if (bytes.length < STEP + 3) return frames;
    else base += STEP;
  }
}

async function frameAt(
  source: ByteSource,
  offset: number,
  zstd: Zstd,
  dictionary: Uint8Array | null,
  dialect: Dialect,
  signal: AbortSignal | undefined,
): Promise<FoundFrame | null> {
  for (let room = 1 << 16; ; room *= 16) {
    const bytes = await source.read(offset, Math.min(room, LIMITS.compressed), signal);
    let length: number;
    try {
      const { contentSize } = readZstdFrameHeader(bytes);
      if (contentSize === null || contentSize > LIMITS.uncompressed) return null;
      length = zstdFrameLength(bytes);
      if (contentSize > LIMITS.freeUncompressed && contentSize > length * LIMITS.ratio) return null;
      const frame = bytes.subarray(0, length);
      const options = { size: contentSize };
      const raw = zstd.decompress(frame, dictionary === null ? options : { ...options, dictionary });
      return { offset, length, size: contentSize, firstTick: firstTick(raw), lastTick: lastTicks(raw, dialect) };
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      if (error.reason !== "truncated" || bytes.length < room || room >= LIMITS.compressed) return null;
    }
  }
}

function firstTick(raw: Uint8Array): number | null {
  try {
    return readVarInt(new ByteCursor(raw));
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** Takes all events alike. */
const ANY_CHANNEL: ChannelMap = { snapshot: 28, extension: 29, sized: () => 29 };

function lastTicks(raw: Uint8Array, dialect: Dialect): FoundFrame["lastTick"] {
  const lastWith = (flags: number): number | null => {
    const entry = entryOf({ startTick: 0, tickCount: 0x7fff_ffff, flags }, 0, raw.length, raw.length, dialect);
    const { columns, problem } = decodeChunk(raw, new HypercubeChunk(0, entry, 0, null), dialect, 0, ANY_CHANNEL);
    if (problem !== null) return null;
    return columns.length === 0 ? 0 : columns.time[columns.length - 1]! / TICK;
  };
  // in the production dialect the bit says nothing of the content
  return { withSnapshot: lastWith(ENTRY_SNAPSHOT), without: lastWith(0) };
}

interface Ticks {
  readonly startTick: number;
  readonly tickCount: number;
  readonly flags: number;
}

function entryOf(ticks: Ticks, offset: number, length: number, size: number, dialect: Dialect): IndexEntry {
  return {
    ...ticks,
    offsetHigh: Math.floor(offset / 2 ** 32),
    offsetLow: offset % 2 ** 32,
    compressedLength: length,
    uncompressedLength: size,
    formatVersion: dialect === 5 ? 5 : null,
    dataVersion: null,
  };
}

/**
 * The entries of a sound index with the places where their frames really are: bytes came in or went missing before
 * them. An entry whose frame is not there gets a place that no chunk can have, so that its ticks are still known.
 */
export function alignEntries(entries: readonly IndexEntry[], frames: readonly FoundFrame[]): IndexEntry[] {
  const places = new Map<number, FoundFrame>();
  let next = 0;
  let shift = 0;
  for (const frame of frames) {
    let best = -1;
    let distance = Number.POSITIVE_INFINITY;
    for (let i = next; i < entries.length; i++) {
      const entry = entries[i]!;
      const away = Math.abs(frame.offset - offsetOf(entry) - shift);
      // at the very place the lengths may be what is wrong
      const isSame = entry.compressedLength === frame.length && entry.uncompressedLength === frame.size;
      if (!isSame && away > 0) continue;
      if (away < distance) {
        best = i;
        distance = away;
      }
    }
    if (best < 0) continue;
    places.set(best, frame);
    shift = frame.offset - offsetOf(entries[best]!);
    next = best + 1;
  }
  return entries.map((entry, i) => {
    const frame = places.get(i);
    if (frame === undefined) return { ...entry, offsetHigh: 0, offsetLow: 0 };
    const { startTick, tickCount, flags, formatVersion, dataVersion } = entry;
    const found = entryOf({ startTick, tickCount, flags }, frame.offset, frame.length, frame.size, 1);
    return { ...found, formatVersion, dataVersion };
  });
}

function offsetOf({ offsetHigh, offsetLow }: IndexEntry): number {
  return offsetHigh * 2 ** 32 + offsetLow;
}

/** The entries at the start of a damaged index that follow each other in time and in the file. */
export function soundPrefix(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  let end = 0;
  let offset = 0;
  const count = entries.findIndex((entry) => {
    const fits =
      entry.startTick === end &&
      entry.tickCount > 0 &&
      entry.tickCount < MAX_JUMP &&
      (entry.flags & ~ENTRY_SNAPSHOT) === 0 &&
      (offset === 0 || offsetOf(entry) === offset);
    end = entry.startTick + entry.tickCount;
    offset = offsetOf(entry) + entry.compressedLength;
    return !fits;
  });
  return count < 0 ? entries : entries.slice(0, count);
}

/** Bytes that may have come in or gone missing before a frame for its entry to be taken for it still. */
const MAX_SHIFT = 1 << 16;

/**
 * Entries of frames out of what is left of a damaged index: each is found by offset and lengths, which its frame tells,
 * and read on its own. What a lost one said of ticks follows from its neighbours. `area` are the bytes that the index
 * lies in; `tickCount` is 0 when the header does not tell, `startTick` is where the first frame begins at the earliest. Gives how many entries were found, and where the last of them
 * ends in `area`.
 */
export function recoverEntries(
  area: Uint8Array,
  frames: readonly FoundFrame[],
  dialect: Dialect,
  startTick: number,
  tickCount: number,
): { readonly entries: IndexEntry[]; readonly found: number; readonly end: number } {
  const byLengths = new Map<string, FoundFrame[]>();
  for (const frame of frames) {
    const key = `${frame.length},${frame.size}`;
    byLengths.set(key, [...(byLengths.get(key) ?? []), frame]);
  }
  const known = new Map<FoundFrame, { ticks: Ticks; versions: Pick<IndexEntry, "formatVersion" | "dataVersion"> }>();
  const view = new DataView(area.buffer, area.byteOffset, area.byteLength);
  const last = frames.at(-1)?.offset ?? 0;
  let end = 0;
  for (let at = 3; at + 10 <= area.length; at++) {
    const offset = view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
    if (offset > last + MAX_SHIFT) continue;
    const tail = tailAt(area, at + 8, dialect);
    const frame = tail === null ? undefined : nearest(byLengths.get(tail.key), offset);
    if (tail === null || frame === undefined || known.has(frame)) continue;
    const ticks = headBefore(area, at);
    if (ticks === null) continue;
    known.set(frame, { ticks, versions: tail.versions });
    end = tail.end;
  }
  const entries = placed(frames, (frame) => known.get(frame) ?? null, dialect, startTick, tickCount);
  return { entries, found: known.size, end };
}

function nearest(frames: readonly FoundFrame[] | undefined, offset: number): FoundFrame | undefined {
  let best: FoundFrame | undefined;
  for (const frame of frames ?? []) {
    const away = Math.abs(frame.offset - offset);
    if (away <= MAX_SHIFT && (best === undefined || away < Math.abs(best.offset - offset))) best = frame;
  }
  return best;
}

function tailAt(
  area: Uint8Array,
  at: number,
  dialect: Dialect,
): { key: string; versions: Pick<IndexEntry, "formatVersion" | "dataVersion">; end: number } | null {
  const cursor = new ByteCursor(area, at);
  try {
    const key = `${readVarInt(cursor)},${readVarInt(cursor)}`;
    if (dialect !== 5) return { key, versions: { formatVersion: null, dataVersion: null }, end: cursor.position };
    const versions = { formatVersion: readVarInt(cursor), dataVersion: readVarInt(cursor) };
    return { key, versions, end: cursor.position };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** Start tick, ticks and flags that end at `end`, read backwards: what is before them ends with a byte below 128. */
function headBefore(area: Uint8Array, end: number): Ticks | null {
  const flags = area[end - 1]!;
  if ((flags & ~ENTRY_SNAPSHOT) !== 0) return null;
  const ticksAt = varintBefore(area, end - 1);
  const startAt = ticksAt === null ? null : varintBefore(area, ticksAt);
  if (ticksAt === null || startAt === null) return null;
  try {
    const startTick = readVarInt(new ByteCursor(area, startAt));
    const tickCount = readVarInt(new ByteCursor(area, ticksAt));
    return tickCount < 1 ? null : { startTick, tickCount, flags };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

function varintBefore(area: Uint8Array, end: number): number | null {
  let at = end - 1;
  if (at < 0 || area[at]! >= 0x80) return null;
  while (at > 0 && end - at < 5 && area[at - 1]! >= 0x80) at--;
  return at;
}

/** Ticks of a chunk when nothing tells (spec §8.1). */
const USUAL_TICKS = 200;

/** Puts frames one behind the other in time. */
function placed(
  frames: readonly FoundFrame[],
  entryFor: (
    frame: FoundFrame,
  ) => { readonly ticks: Ticks; readonly versions: Pick<IndexEntry, "formatVersion" | "dataVersion"> } | null,
  dialect: Dialect,
  firstTick: number,
  tickCount: number,
): IndexEntry[] {
  const entries: IndexEntry[] = [];
  const told = frames.map((frame) => entryFor(frame));
  dropOddOnes(told, firstTick, tickCount);
  let end = firstTick;
  frames.forEach((frame, i) => {
    const found = told[i] ?? null;
    const isFirst = entries.length === 0 && firstTick === 0;
    const nextAt = told.findIndex((other, k) => k > i && other !== null);
    const next = nextAt < 0 ? (tickCount > end ? tickCount : null) : told[nextAt]!.ticks.startTick;
    const after = nextAt < 0 ? frames.length : nextAt;
    const flags = found?.ticks.flags ?? flagsOf(frame, dialect, isFirst);
    const known = adjusted(found?.ticks ?? null, end, next);
    // ticks of the production dialect are absolute: the content tells where it begins
    const begins = dialect === 1 ? null : frame.firstTick;
    const startTick = Math.max(end, begins ?? known?.startTick ?? end);
    const reach = reachOf(frame, flags, dialect, startTick);
    let ticks = known?.tickCount ?? null;
    if (ticks === null) {
      const isOnly = after - i === 1;
      ticks = next !== null && isOnly ? next - startTick : Math.max(reach, USUAL_TICKS);
      if (next !== null && !isOnly) ticks = Math.max(reach, Math.min(ticks, next - startTick - (after - i - 1)));
    }
    const entry = entryOf(
      { startTick, tickCount: Math.max(1, ticks, reach), flags },
      frame.offset,
      frame.length,
      frame.size,
      dialect,
    );
    entries.push({ ...entry, ...(found?.versions ?? (dialect === 5 ? { formatVersion: 5, dataVersion: 0 } : {})) });
    end = startTick + Math.max(1, ticks, reach);
  });
  return entries;
}

/** Start and ticks where one of them fits neither what is before nor what follows; `next` is null when that is not known. */
function adjusted(ticks: Ticks | null, end: number, next: number | null): Ticks | null {
  if (ticks === null || next === null) return ticks;
  const { startTick, tickCount } = ticks;
  if (startTick + tickCount === next) return ticks;
  if (startTick !== end && end + tickCount === next) return { ...ticks, startTick: end };
  return startTick + tickCount > next && next > startTick ? { ...ticks, tickCount: next - startTick } : ticks;
}

/** A step in time that nobody believes when nothing confirms it: 14 hours. */
const MAX_JUMP = 1_000_000;

/**
 * Starts must ascend in the order of the file: those that are in the way of the longest such row are wrong, and so is
 * what lies behind the end.
 */
function dropOddOnes(told: ({ readonly ticks: Ticks } | null)[], firstTick: number, tickCount: number): void {
  const rows: number[] = [];
  const before: number[] = [];
  const startOf = (i: number): number => told[i]!.ticks.startTick;
  for (let i = 0; i < told.length; i++) {
    const ticks = told[i]?.ticks;
    if (ticks === undefined) continue;
    if (tickCount > 0 && ticks.startTick + ticks.tickCount > tickCount) continue;
    // the row that ends lowest of each length, as in patience sorting
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (startOf(rows[middle]!) < ticks.startTick) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : rows[low - 1]!;
    rows[low] = i;
  }
  const kept = new Set<number>();
  for (let i = rows.at(-1) ?? -1; i >= 0; i = before[i]!) kept.add(i);
  let end = firstTick;
  for (let i = 0; i < told.length; i++) {
    const ticks = told[i]?.ticks;
    if (ticks === undefined) continue;
    const isJump = tickCount === 0 && ticks.startTick - end > MAX_JUMP;
    if (!kept.has(i) || ticks.startTick < end || isJump) told[i] = null;
    else end = ticks.startTick + ticks.tickCount;
  }
}

function flagsOf({ lastTick }: FoundFrame, dialect: Dialect, isFirst: boolean): number {
  if (dialect !== 1) return ENTRY_SNAPSHOT;
  const { withSnapshot, without } = lastTick;
  if (withSnapshot !== null && (without === null || isFirst)) return ENTRY_SNAPSHOT;
  return 0;
}

/** Ticks that the events of a frame take at least. */
function reachOf({ lastTick }: FoundFrame, flags: number, dialect: Dialect, startTick: number): number {
  const last = (flags === 0 ? lastTick.without : lastTick.withSnapshot) ?? 0;
  return dialect === 1 ? last + 1 : last - startTick + 1;
}
