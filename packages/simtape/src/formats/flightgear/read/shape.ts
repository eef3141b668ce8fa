import { memory } from "../../../io/source/memory.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { ColumnBuilder } from "../../../model/messages/batch.ts";
import type { Reporter } from "../../../model/error.ts";
import { FlatFile, Walk } from "../../../model/flat.ts";
import type { OpenOptions } from "../../../model/format.ts";
import { DeflatedFrames, type FrameItem, type FrameShape, PlainFrames } from "../layout/frames.ts";
import { FixedFrames, PacketFrames } from "../layout/frames-normal.ts";
import { type TapeHeader, textAt } from "../layout/header.ts";
import type { SignalList } from "../layout/signals.ts";
import type { FrameLayout } from "../layout/frame-table.ts";
import { isTime } from "../layout/times.ts";
import { FrameWalker } from "./walk.ts";

/** How the frames of a tape lie, and what is known of it from that. */
export interface TapeShape {
  readonly shape: FrameShape;
  /** Names of the channels, by id. */
  readonly channels: readonly string[];
  /** Items of a frame, in order. */
  readonly data: readonly string[];
  /** By which container sizes count frames; null in Continuous tapes. */
  readonly recordSize: number | null;
  readonly frames: FrameLayout;
  /** Bytes of signals in each frame of a Normal tape; null in Continuous tapes. */
  readonly recordBytes: number | null;
  /** Of Normal tapes 1 to 3 (spec §3.3), of Continuous ones 2 for the first layout and 3. */
  readonly generation: 1 | 2 | 3;
}

const SILENT: Reporter = { report: () => undefined };

/**
 * Looks at the first frames of a Continuous tape: headers of some snapshots say nothing of compression (spec §4.3), and a
 * damaged one may have lost the items.
 */
export async function continuousShape(
  source: ByteSource,
  size: number,
  header: TapeHeader,
  report: Reporter,
  signal?: AbortSignal,
): Promise<TapeShape> {
  const { signals } = header;
  if (header.layout === "first") {
    const shape = new PacketFrames("counted", null, signals, [0, 1]);
    const channels = ["signals", "multiplayer"];
    return { shape, channels, data: channels, recordSize: null, frames: "first", recordBytes: null, generation: 2 };
  }
  const start = header.bytes.length;
  const bytes = await source.read(start, Math.min(LOOKED_AT, Math.max(0, size - start)), signal);
  const compressions = [header.isCompressed, !header.isCompressed];
  const candidates = (lists: readonly (readonly string[])[]): TapeShape[] =>
    lists.flatMap((data) => compressions.map((is) => continuous(data, signals, is)));
  const declared = candidates([header.data]);
  const best =
    bytes.length === 0
      ? declared[0]!
      : ((header.isRepaired ? null : fitting(declared, bytes, 2)) ??
        (await bestOf(candidates(itemLists(header.data)), bytes, header.data)));
  if (best.data !== header.data) {
    const message = `the items of a frame are ${best.data.join(", ")}, the header says ${header.data.join(", ") || "none"}`;
    report.report({ code: "bad-header", severity: "damage", message });
  }
  if (best.shape.name !== declared[0]!.shape.name) {
    report.report({
      code: "compression-mismatch",
      severity: "warning",
      message: `the header says frames are ${declared[0]!.shape.name}, they are ${best.shape.name}`,
      offset: start,
    });
  }
  return best;
}

/** A shape, and what walking a Normal tape by it found. */
type FoundShape = TapeShape & { readonly walked: FrameWalker };

/** Bytes behind the header that are looked at. */
const LOOKED_AT = 256 * 1024;
/** Frames that are tried at the beginning of a tape whose header may be damaged. */
const TRIED = 8;
/** What FlightGear writes, most first: one that fits is not taken for one of its parts. */
const USUAL_ITEMS: readonly (readonly string[])[] = [
  ["signals", "multiplayer", "extra-properties"],
  ["signals", "extra-properties"],
  ["signals", "multiplayer"],
  ["signals"],
];
/** Bytes that a place where bytes are skipped counts for. */
const GAP = 64;
/** Bytes that it counts for to be what the header says. */
const DECLARED = 8 * GAP;
/** Name of an item that the header lost. */
const LOST = "lost";

/** What the items may be when the header says `data` and may be damaged: what is usual, or one more, of any name. */
function itemLists(data: readonly string[]): (readonly string[])[] {
  const others = USUAL_ITEMS[0]!.filter((name) => !data.includes(name));
  const longer = [...others, LOST].flatMap((name) =>
    Array.from({ length: data.length + 1 }, (_, k) => data.toSpliced(data.length - k, 0, name)),
  );
  return [data, ...USUAL_ITEMS, ...longer];
}

/** The first candidate of which `most` frames are sound at the beginning of `bytes`; null: none is. */
function fitting(candidates: readonly TapeShape[], bytes: Uint8Array, most: number): TapeShape | null {
  const range = { start: 0, end: bytes.length, limit: bytes.length, isLast: true };
  const walk = new Walk(bytes, 0, range, new ColumnBuilder(), null, null);
  return candidates.find(({ shape }) => soundRun(walk, shape, most) === most) ?? null;
}

/** The candidate that fits; else, as the first frames are damaged or few, the one by which most of `bytes` makes sense. */
async function bestOf(
  candidates: readonly TapeShape[],
  bytes: Uint8Array,
  declared: readonly string[],
): Promise<TapeShape> {
  const found = fitting(candidates, bytes, TRIED);
  if (found !== null) return found;
  const source = memory(bytes);
  let best = candidates[0]!;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const candidate of candidates) {
    const walker = new FrameWalker(candidate.shape, null, null);
    await FlatFile.scan(source, walker, { begin: 0, end: bytes.length }, SILENT);
    const score = scoreOf(walker, candidate, bytes.length) + (candidate.data === declared ? DECLARED : 0);
    if (score <= bestScore) continue;
    bestScore = score;
    best = candidate;
  }
  return best;
}

/**
 * What is sound from the beginning on says more than all that happens to look so behind damage. Damage is in few places;
 * by a wrong list something is left over in every frame. An item that the header does not name takes more than one frame
 * to be believed.
 */
function scoreOf(walker: FrameWalker, { data }: TapeShape, size: number): number {
  const { frames, soundBytes, doubtfulBytes, cleanBytes, cleanFrames, gaps } = walker;
  if (frames < 2 && data.includes(LOST)) return Number.NEGATIVE_INFINITY;
  return soundBytes - doubtfulBytes - GAP * gaps + cleanBytes * (cleanFrames >= 2 ? size : 2);
}

function continuous(data: readonly string[], signals: SignalList, isCompressed: boolean): TapeShape {
  const channels = [...new Set(data)];
  const items: FrameItem[] = data.map((name) => ({ name, channel: channels.indexOf(name) }));
  const shape = isCompressed ? new DeflatedFrames(items, signals) : new PlainFrames(items, signals);
  const frames = isCompressed ? "deflate" : "plain";
  return { shape, channels, data, recordSize: null, frames, recordBytes: null, generation: 3 };
}

/**
 * Tells the generations of Normal tapes apart by walking the file as each of them and taking the first that ends well,
 * else the one by which most of it makes sense (spec §3.3).
 */
export async function normalShape(
  source: ByteSource,
  size: number,
  header: TapeHeader,
  options: OpenOptions,
): Promise<FoundShape> {
  let best: FoundShape | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [i, candidate] of candidates(header).entries()) {
    const walker = new FrameWalker(candidate.shape, candidate.recordSize, null);
    const range = { begin: header.bytes.length, end: size };
    await FlatFile.scan(source, walker, range, SILENT, { signal: options.signal });
    const found = { ...candidate, walked: walker };
    if (walker.buffers === 3 && walker.left === 0 && walker.doubtfulBytes === 0) return found;
    const score = scoreOf(walker, candidate, size) + (i === 0 ? DECLARED : 0);
    if (score > bestScore) {
      bestScore = score;
      best = found;
    }
  }
  return best!;
}

/** How many sound frames lie behind each other at the walk's start, up to `most`. */
function soundRun(walk: Walk, shape: FrameShape, most: number): number {
  let position = walk.start;
  for (let run = 0; run < most; run++) {
    const end = shape.measure(walk, position);
    if (end <= 0 || !isTime(walk.view.getFloat64(position, true)) || shape.fault(walk, position, end) !== null)
      return run;
    position = end;
  }
  return most;
}

function candidates(header: TapeHeader): TapeShape[] {
  const { signals, normalPackets } = header;
  const isOld = isOlderThan(textAt(header.meta, "version/flightgear"), 2020, 2);
  // 2020.2 and 2020.3 say nothing of data items (spec §3.4).
  const isNew = normalPackets === "listed" || (normalPackets === null && header.data.length > 0);
  const result: TapeShape[] = [];
  for (const size of new Set([signals.declaredSize ?? signals.recordSize, signals.recordSize])) {
    const first: TapeShape = {
      shape: new FixedFrames(size, signals, 0),
      channels: ["signals"],
      data: ["signals"],
      recordSize: size,
      frames: "fixed",
      recordBytes: size - 8,
      generation: 1,
    };
    const fixed: TapeShape = {
      shape: new FixedFrames(size + 8, signals, 0),
      channels: ["signals"],
      data: ["signals"],
      recordSize: size,
      frames: "fixed",
      recordBytes: size,
      generation: isNew ? 3 : 2,
    };
    const withPackets = (packets: "counted" | "listed"): TapeShape => ({
      shape: new PacketFrames(packets, size, signals, [0, 1]),
      channels: ["signals", "multiplayer"],
      data: ["signals", "multiplayer"],
      recordSize: size,
      frames: packets,
      recordBytes: size,
      generation: packets === "counted" ? 2 : 3,
    });
    const other = normalPackets === "listed" ? "counted" : "listed";
    if (normalPackets !== null) result.push(withPackets(normalPackets));
    result.push(...(isOld ? [first, fixed] : [fixed, first]));
    result.push(withPackets(other));
    if (normalPackets === null) result.push(withPackets("counted"));
  }
  return result.filter(({ recordSize }) => recordSize! >= 8);
}

function isOlderThan(version: string, major: number, minor: number): boolean {
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  return Number(found[1]) < major || (Number(found[1]) === major && Number(found[2]) < minor);
}
