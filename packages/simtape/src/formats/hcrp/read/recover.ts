import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Dialect } from "../chunk/context.ts";
import { ENTRY_SNAPSHOT, type IndexEntry, readVarInt } from "../layout/framing.ts";
import { entryOf, type FoundFrame, type Ticks } from "./resync.ts";

/**
 * The entries of a sound index with the places where their frames really are: bytes came in or went missing before
 * them. An entry whose frame is not there gets a place that no chunk can have, so that its ticks are still known.
 */
export function alignEntries(entries: readonly IndexEntry[], frames: readonly FoundFrame[]): IndexEntry[] {
  const places = new Map<number, FoundFrame>();
  // by place in the file
  const order = entries.map((_, i) => i).sort((a, b) => offsetOf(entries[a]!) - offsetOf(entries[b]!));
  let next = 0;
  let shift = 0;
  for (const frame of frames) {
    const expected = firstAt(order, next, (i) => offsetOf(entries[i]!) >= frame.offset - shift);
    let best = -1;
    let distance = Number.POSITIVE_INFINITY;
    for (let k = Math.max(next, expected - MAX_AWAY); k < Math.min(order.length, expected + MAX_AWAY); k++) {
      const entry = entries[order[k]!]!;
      const away = Math.abs(frame.offset - offsetOf(entry) - shift);
      // at the very place the lengths may be what is wrong
      const isSame = entry.compressedLength === frame.length && entry.uncompressedLength === frame.size;
      if ((!isSame && away > 0) || away >= distance) continue;
      best = k;
      distance = away;
    }
    if (best < 0) continue;
    places.set(order[best]!, frame);
    shift = frame.offset - offsetOf(entries[order[best]!]!);
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

/** Entries looked at on either side of where a frame's should be. */
const MAX_AWAY = 64;

/** Place of the first member from `low` on for which `isBehind` holds, as it does for all after it. */
function firstAt(order: readonly number[], low: number, isBehind: (member: number) => boolean): number {
  let from = low;
  let to = order.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBehind(order[middle]!)) to = middle;
    else from = middle + 1;
  }
  return from;
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
 * lies in; `tickCount` is 0 when the header does not tell, `startTick` is where the first frame begins at the earliest.
 * Gives how many entries were found, and where the last of them ends in `area`.
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
    const alike = byLengths.get(key);
    if (alike === undefined) byLengths.set(key, [frame]);
    else alike.push(frame);
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

/** Frames ascend; of two that are as near the first. */
function nearest(frames: readonly FoundFrame[] | undefined, offset: number): FoundFrame | undefined {
  if (frames === undefined) return undefined;
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frames[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  const [before, behind] = [frames[low - 1], frames[low]];
  const isBefore = behind === undefined || (before !== undefined && offset - before.offset <= behind.offset - offset);
  const best = isBefore ? before : behind;
  return best !== undefined && Math.abs(best.offset - offset) <= MAX_SHIFT ? best : undefined;
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

/** Entries of frames of which only the content tells, from `startTick` to `tickCount`, which is 0 when unknown. */
export function placeFrames(frames: readonly FoundFrame[], startTick: number, tickCount: number): IndexEntry[] {
  return placed(frames, () => null, 1, startTick, tickCount);
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
  const located = frames.map((frame) => entryFor(frame));
  dropOddOnes(located, firstTick, tickCount);
  let end = firstTick;
  const following = nextLocated(located);
  frames.forEach((frame, i) => {
    const found = located[i] ?? null;
    const isFirst = entries.length === 0 && firstTick === 0;
    const after = following[i]!;
    const next = after === located.length ? (tickCount > end ? tickCount : null) : located[after]!.ticks.startTick;
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

/** For each place the next one behind it of which something is known; the length when there is none. */
function nextLocated(located: readonly unknown[]): Int32Array {
  const following = new Int32Array(located.length);
  let next = located.length;
  for (let i = located.length - 1; i >= 0; i--) {
    following[i] = next;
    if (located[i] !== null) next = i;
  }
  return following;
}

/**
 * Start and ticks where one of them fits neither what is before nor what follows; `next` is null when that is not
 * known.
 */
function adjusted(ticks: Ticks | null, end: number, next: number | null): Ticks | null {
  if (ticks === null || next === null) return ticks;
  const { startTick, tickCount } = ticks;
  if (startTick + tickCount === next) return ticks;
  if (startTick !== end && end + tickCount === next) return { ...ticks, startTick: end };
  return startTick + tickCount > next && next > startTick ? { ...ticks, tickCount: next - startTick } : ticks;
}

/** A step in time that is not believed when nothing confirms it: 14 hours. */
const MAX_JUMP = 1_000_000;

/**
 * Starts must ascend in the order of the file: those that are in the way of the longest such row are wrong, and so is
 * what lies behind the end.
 */
function dropOddOnes(located: ({ readonly ticks: Ticks } | null)[], firstTick: number, tickCount: number): void {
  const rows: number[] = [];
  const before: number[] = [];
  const startOf = (i: number): number => located[i]!.ticks.startTick;
  for (let i = 0; i < located.length; i++) {
    const ticks = located[i]?.ticks;
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
  for (let i = 0; i < located.length; i++) {
    const ticks = located[i]?.ticks;
    if (ticks === undefined) continue;
    const isJump = tickCount === 0 && ticks.startTick - end > MAX_JUMP;
    if (!kept.has(i) || ticks.startTick < end || isJump) located[i] = null;
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
