import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex } from "../../../bytes/error.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Reporter } from "../../../model/error.ts";
import type { Value } from "../../../model/values/value.ts";
import type { ChannelTable } from "./channel-table.ts";
import {
  BLOCK_BYTES,
  CHUNK_HEADER_BYTES,
  type Dialect,
  type FileHeader,
  INDEX_ENTRY_BYTES,
  type IndexEntry,
  MESSAGE,
  readIndexEntry,
} from "../layout/layout.ts";
import type { BlockSize, ScanObserver, SeenChannel, SeenTable } from "./observer.ts";
import { ChunkShape, measure } from "../layout/shape.ts";
import { readTime } from "./walk.ts";

/** Which reading of the open points a tape uses, spec §9. Null: this tape does not tell. */
export interface Profile extends Dialect {
  readonly version: number;
  /** A4, A12: what offsets of chunks aim at. */
  readonly pointers: Aim | null;
  /** A11: what the offset of a message inside its block counts from, and aims at. */
  readonly insideBase: InsideBase | null;
  readonly insideTarget: Aim | null;
  /** A5. */
  readonly blockSize: BlockSize | null;
  /** Order of the index tables in the file. */
  readonly indexOrder: Order | null;
  /** A6: order of the chain of channel infos. */
  readonly nextOrder: Order | null;
  /** A10: what the data size of a channel info adds up. */
  readonly dataSize: "stored" | "uncompressed" | null;
  /** A2: names of the compressions found, joined by "+"; "unknown" for messages that no known one opens. */
  readonly codec: string | null;
}

/** The type byte of a chunk, or the byte behind its header. */
export type Aim = "header" | "payload";
/** The end of the block's bookkeeping, the block chunk itself, or its payload. */
export type InsideBase = "content" | "block-header" | "block-payload";
/** By name as bytes, by first appearance, or neither. */
export type Order = "name" | "creation" | "other";

/** As JSON, with the keys of the reference tapes' profiles. */
export function profileMetadata(profile: Profile): { readonly [key: string]: Value } {
  return {
    version: profile.version,
    header_bytes: profile.headerBytes,
    endian: profile.isLittle ? "<" : ">",
    size_incl_header: profile.sizeIncludesHeader,
    block_spans: profile.blockSpans,
    ptr: profile.pointers,
    rel_base: profile.insideBase,
    rel_target: profile.insideTarget,
    block_size: profile.blockSize,
    index_order: profile.indexOrder,
    next_order: profile.nextOrder,
    data_size: profile.dataSize,
    codec: profile.codec,
  };
}

/** Tapes up to this length have every index entry looked at; longer ones the first and the last of each table. */
const CHECK_ALL_BYTES = 1 << 20;
/** Bytes read to look at one message: its header with the longest names. */
const LOOK_BYTES = 1024;

const INSIDE_READINGS: readonly (readonly [InsideBase, Aim])[] = [
  ["content", "header"],
  ["content", "payload"],
  ["block-header", "header"],
  ["block-header", "payload"],
  ["block-payload", "header"],
  ["block-payload", "payload"],
];

interface Facts {
  readonly source: ByteSource;
  readonly size: number;
  readonly header: FileHeader;
  readonly dialect: Dialect;
  readonly table: ChannelTable;
  readonly seen: ScanObserver;
  readonly report: Reporter;
  /** By file offset of a message: the time by its index, where its own cannot be right. Filled here. */
  readonly mistimed: Map<number, number>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Settles the open points of a scanned tape by comparison, spec §8, and reports where pointers and index tables
 * disagree with what the scan found.
 */
export async function calibrate(facts: Facts, codec: string | null): Promise<Profile> {
  const { seen, header, dialect } = facts;
  const pointers = settlePointers(facts);
  const tables = tablesByChannel(facts, pointers);
  const checked = facts.size <= CHECK_ALL_BYTES ? await wholeFile(facts) : null;
  const inside = await settleInside(facts, tables, pointers, checked);
  return {
    ...dialect,
    version: header.version,
    pointers,
    insideBase: inside?.[0] ?? null,
    insideTarget: inside?.[1] ?? null,
    blockSize: seen.blockSize,
    indexOrder: orderOf(
      [...tables].sort((a, b) => a[1].offset - b[1].offset).map(([id]) => id),
      facts,
      "name",
    ),
    nextOrder: orderOf(chain(facts, pointers), facts, "creation"),
    dataSize: settleDataSize(facts),
    codec,
  };
}

/** Whether pointers aim at chunks or at their payloads; those that hit nothing are reported. */
function settlePointers(facts: Facts): Aim | null {
  const { header, seen, table, report } = facts;
  const infos = new Set<number>();
  for (const { info } of seen.channels) if (info !== null) infos.add(info.offset);
  const tables = new Set(seen.tables.map(({ offset }) => offset));
  const pointers: { at: number; aims: ReadonlySet<number>; what: string }[] = [];
  const add = (pointer: bigint, aims: ReadonlySet<number>, what: string): void => {
    if (pointer !== 0n) pointers.push({ at: Number(pointer), aims, what });
  };
  add(header.firstChannel, infos, "the file header's first channel info");
  seen.channels.forEach(({ info }, id) => {
    if (info === null) return;
    const name = JSON.stringify(table.names[id]);
    add(info.next, infos, `the channel info behind that of ${name}`);
    // Where no table is left at all, one finding says so for all of them.
    if (tables.size > 0) add(info.index, tables, `the index table of ${name}`);
  });
  const hits = (shift: number): number => pointers.filter(({ at, aims }) => aims.has(at - shift)).length;
  const atHeader = hits(0);
  const atPayload = hits(CHUNK_HEADER_BYTES);
  const aim = atHeader === 0 && atPayload === 0 ? null : atHeader >= atPayload ? "header" : "payload";
  const shift = aim === "payload" ? CHUNK_HEADER_BYTES : 0;
  for (const { at, aims, what } of pointers) {
    if (aims.has(at - shift)) continue;
    report.report({
      code: "bad-pointer",
      severity: "damage",
      message: `${what} should be at ${hex(at - shift)}, nothing of that kind was found there`,
      offset: at - shift,
    });
  }
  return aim;
}

function tablesByChannel(facts: Facts, pointers: Aim | null): Map<number, SeenTable> {
  const shift = pointers === "payload" ? CHUNK_HEADER_BYTES : 0;
  const byOffset = new Map(facts.seen.tables.map((table) => [table.offset, table]));
  const found = new Map<number, SeenTable>();
  facts.seen.channels.forEach(({ info }, id) => {
    const table = info === null || info.index === 0n ? undefined : byOffset.get(Number(info.index) - shift);
    if (table !== undefined) found.set(id, table);
  });
  return found;
}

/** Channels in the order of the chain that begins in the file header; empty when it cannot be followed. */
function chain(facts: Facts, pointers: Aim | null): number[] {
  const { seen, header } = facts;
  const shift = pointers === "payload" ? CHUNK_HEADER_BYTES : 0;
  const byOffset = new Map<number, number>();
  seen.channels.forEach(({ info }, id) => {
    if (info !== null) byOffset.set(info.offset, id);
  });
  const ids: number[] = [];
  let pointer = header.firstChannel;
  while (pointer !== 0n && ids.length < seen.channels.length) {
    const id = byOffset.get(Number(pointer) - shift);
    if (id === undefined) return [];
    ids.push(id);
    pointer = seen.channels[id]!.info!.next;
  }
  return ids;
}

/** `first` is taken where one order is both. */
function orderOf(ids: readonly number[], facts: Facts, first: "name" | "creation"): Order | null {
  if (ids.length === 0) return null;
  const among = new Set(ids);
  const orders = {
    name: facts.table.byName().filter((id) => among.has(id)),
    creation: [...among].sort((a, b) => a - b),
  };
  const second = first === "name" ? "creation" : "name";
  for (const order of [first, second] as const) if (orders[order].every((id, i) => id === ids[i])) return order;
  return "other";
}

function settleDataSize(facts: Facts): "stored" | "uncompressed" | null {
  const { seen, table, report } = facts;
  let stored = 0;
  let uncompressed = 0;
  const declared = (channel: SeenChannel): number => Number(channel.info?.dataSize ?? 0n);
  for (const channel of seen.channels) {
    if (channel.info === null || declared(channel) === 0 || channel.storedBytes === channel.bytes) continue;
    if (declared(channel) === channel.storedBytes) stored++;
    if (declared(channel) === channel.bytes) uncompressed++;
  }
  const reading = stored + uncompressed === 0 ? null : stored >= uncompressed ? "stored" : "uncompressed";
  seen.channels.forEach((channel, id) => {
    if (channel.info === null || declared(channel) === 0) return;
    const found = reading === "uncompressed" ? channel.bytes : channel.storedBytes;
    if (declared(channel) === found) return;
    report.report({
      code: "data-size-mismatch",
      severity: "damage",
      message: `the channel info of ${JSON.stringify(table.names[id])} counts ${declared(channel)} bytes of data, ${found} were found`,
      offset: channel.info.offset,
    });
  });
  return reading;
}

interface Look {
  readonly channel: number;
  readonly number: number;
  readonly entry: IndexEntry;
  /** File offset of the entry. */
  readonly offset: number;
}

/** Finds the reading under which index entries lead to messages of their channel and time. */
async function settleInside(
  facts: Facts,
  tables: ReadonlyMap<number, SeenTable>,
  pointers: Aim | null,
  whole: Uint8Array | null,
): Promise<readonly [InsideBase, Aim] | null> {
  const { seen, table, report } = facts;
  const looks: Look[] = [];
  for (const [channel, { offset, count }] of tables) {
    const found = seen.channels[channel]!.messages;
    if (count !== found) {
      report.report({
        code: "index-mismatch",
        severity: count > found ? "loss" : "damage",
        message: `the index table of ${JSON.stringify(table.names[channel])} lists ${count} messages, ${found} were found`,
        offset,
      });
    }
    const numbers = whole !== null ? Array.from({ length: count }, (_, i) => i) : [...new Set([0, count - 1])];
    for (const number of count === 0 ? [] : numbers) {
      const at = offset + CHUNK_HEADER_BYTES + 4 + number * INDEX_ENTRY_BYTES;
      const bytes = await read(facts, whole, at, INDEX_ENTRY_BYTES);
      if (bytes.length < INDEX_ENTRY_BYTES) continue;
      looks.push({ channel, number, entry: readIndexEntry(new ByteCursor(bytes), facts.dialect), offset: at });
    }
  }
  if (looks.length === 0) return null;
  const shift = pointers === "payload" ? CHUNK_HEADER_BYTES : 0;
  let reading: readonly [InsideBase, Aim] | null = null;
  let best = 0;
  for (const candidate of INSIDE_READINGS) {
    let hits = 0;
    for (const look of looks) {
      const place = await messageAt(facts, whole, look, candidate, shift);
      if (place?.time === Number(look.entry.time)) hits++;
    }
    if (hits > best) {
      best = hits;
      reading = candidate;
    }
    if (hits === looks.length) return candidate;
  }
  for (const [i, look] of looks.entries()) {
    const place = reading === null ? null : await messageAt(facts, whole, look, reading, shift);
    if (place?.time === Number(look.entry.time)) continue;
    if (place != null && isBetween(look, looks[i - 1], looks[i + 1], place.time))
      facts.mistimed.set(place.offset, Number(look.entry.time));
    report.report({
      code: "index-mismatch",
      severity: "damage",
      message: `entry ${look.number} of the index table of ${JSON.stringify(table.names[look.channel])} does not lead to a message of its time (${look.entry.time} ns)`,
      offset: look.offset,
    });
  }
  return reading;
}

/** The message of its channel that an index entry leads to, read that way; null when it leads to none. */
async function messageAt(
  facts: Facts,
  whole: Uint8Array | null,
  { entry, channel }: Look,
  [base, target]: readonly [InsideBase, Aim],
  shift: number,
): Promise<{ readonly offset: number; readonly time: number } | null> {
  const { dialect, table, size } = facts;
  const from =
    base === "content" ? CHUNK_HEADER_BYTES + BLOCK_BYTES : base === "block-payload" ? CHUNK_HEADER_BYTES : 0;
  const at = Number(entry.block + entry.inside) - shift + from - (target === "payload" ? CHUNK_HEADER_BYTES : 0);
  if (at < dialect.headerBytes || at >= size) return null;
  const bytes = await read(facts, whole, at, LOOK_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shape = new ChunkShape();
  const fit = measure(view, 0, bytes.length, size - at, dialect, shape);
  if ((fit !== "whole" && fit !== "more") || shape.end === 0 || shape.type !== MESSAGE) return null;
  if (table.find(bytes, shape.nameStart, shape.nameLength) !== channel) return null;
  return { offset: at, time: readTime(view, CHUNK_HEADER_BYTES, dialect.isLittle) };
}

/** Whether an entry's time fits those around it in its table, and `other` does not, or cannot be: tables ascend. */
function isBetween(look: Look, before: Look | undefined, after: Look | undefined, other: number): boolean {
  const isNeighbour = (of: Look | undefined, step: number): of is Look =>
    of !== undefined && of.channel === look.channel && of.number === look.number + step;
  const least = isNeighbour(before, -1) ? Number(before.entry.time) : Number.NEGATIVE_INFINITY;
  const most = isNeighbour(after, 1) ? Number(after.entry.time) : Number.POSITIVE_INFINITY;
  const fits = (time: number): boolean => time >= least && time <= most && Number.isSafeInteger(time);
  return least <= most && fits(Number(look.entry.time)) && !fits(other);
}

function wholeFile(facts: Facts): Promise<Uint8Array> {
  return facts.source.read(0, facts.size, facts.signal);
}

async function read(facts: Facts, whole: Uint8Array | null, offset: number, length: number): Promise<Uint8Array> {
  if (whole !== null) return whole.subarray(offset, offset + length);
  return facts.source.read(offset, Math.min(length, facts.size - offset), facts.signal);
}
