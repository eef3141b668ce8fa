/**
 * Compares MCAP with @mcap/core. Both write chunks of the same size into a sink that keeps nothing. Both read from
 * memory: simtape in batches, the peer by its stream reader. Both write with the same zstd: Node's own if it has one,
 * else the WebAssembly that ships with simtape. The peer reads with the decompressors of @mcap/support, which are made
 * for it.
 */
import { crc32 } from "node:zlib";
import { McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { MemoryFiles, open, type SourceBundle } from "../../packages/simtape/dist/index.js";
import { loadZstd } from "../../packages/simtape/dist/codec/zstd.js";
import { Clock } from "../../packages/simtape/dist/export/mcap/clock.js";
import { mcap } from "../../packages/simtape/dist/export/mcap/exporter.js";
import { McapWriter } from "../../packages/simtape/dist/export/mcap/writer.js";
import { fromFile } from "../../packages/simtape/dist/io/node/index.js";
import { createMcap } from "../make/mcap.ts";
import { limit, middle, report, toNowhere } from "./measure.ts";

const CHUNK = 1 << 20;
/** A Unix time of today in nanoseconds: more than 2^53, as in real files. */
const EPOCH = 1_760_000_000_000_000_000n;
const PEER = "@mcap/core";
const zstd = await loadZstd();
const decompressHandlers = await loadDecompressHandlers();

interface Payload {
  readonly topic: string;
  /** Nanoseconds since the epoch. */
  readonly time: number;
  readonly data: Uint8Array;
}

/** Compares writing and then reading payloads of 100 B and of 2 kB, stored and as zstd of the same level. */
export async function compareMcap(isSmall: boolean): Promise<void> {
  for (const bytes of [100, 2000]) {
    const count = Math.round((isSmall ? 4e6 : 80e6) / bytes);
    for (const kind of ["alike", "different"] as const) {
      const payloads = made(count, bytes, kind === "alike");
      for (const isCompressed of kind === "alike" ? [false, true] : [true]) {
        const name = `${bytes} B ${isCompressed ? `zstd, ${kind}` : "stored"}`;
        const own = await middle(() => ours(payloads, isCompressed));
        const peer = await middle(() => theirs(payloads, isCompressed, null));
        const parts: Uint8Array[] = [];
        await theirs(payloads, isCompressed, (part) => parts.push(part));
        const file = new Uint8Array(Buffer.concat(parts));
        const packing = isCompressed ? await packingOf(file) : 0;
        report(`write ${name}`, [PEER, peer], own, count, packing);
        await compareReading(name, file, count);
      }
    }
  }
}

/** Compares the whole export of a recording with the peer, which is given the finished payloads. */
export async function compareRecording(path: string): Promise<void> {
  const recording = await open(fromFile(path));
  const files = new MemoryFiles("x.mcap");
  await mcap.write(recording, files, {});
  const payloads = await payloadsOf(files.bytes);
  const own = await middle(async () => {
    await mcap.write(recording, { name: "x.mcap", open: () => Promise.resolve(toNowhere()) }, {});
  });
  const writing = await middle(() => ours(payloads, true));
  const peer = await middle(() => theirs(payloads, true, null));
  report(`${path}, its payloads`, [PEER, peer], writing, payloads.length);
  report(`${path}, the whole export`, [PEER, peer], own, payloads.length);
  await recording.close();
}

/** Milliseconds that zstd alone takes to compress the chunks of a file. */
async function packingOf(file: Uint8Array): Promise<number> {
  const chunks = chunksOf(file).map(({ records, uncompressedSize }) =>
    zstd.decompress(records, { size: Number(uncompressedSize) }),
  );
  return middle(() => {
    for (const bytes of chunks) zstd.compress(bytes, { level: 3 });
  });
}

async function compareReading(name: string, file: Uint8Array, count: number): Promise<void> {
  const chunks = chunksOf(file);
  let size = 0;
  const unpack = await middle(() => {
    size = 0;
    for (const { compression, records, uncompressedSize } of chunks) {
      const length = Number(uncompressedSize);
      const bytes = compression === "" ? records : zstd.decompress(records, { size: length });
      crc32(bytes);
      size += bytes.length;
    }
  });
  const peer = await middle(() => readTheirs(file, count));
  const isPacked = chunks.some(({ compression }) => compression !== "");
  report(`read ${name}`, [PEER, peer], await middle(() => readOurs(file, count)), count, isPacked ? unpack : 0);
  // a file that is cut before its summary: the peer reads it once, simtape once to open it and once for the messages
  const cut = file.subarray(0, dataEndOf(file));
  report(
    `read ${name}, without summary`,
    [PEER, await middle(() => readTheirs(cut, count))],
    await middle(() => readOurs(cut, count)),
    count,
  );
  limit("unpack and compare CRCs", unpack, size);
}

async function ours(payloads: readonly Payload[], isCompressed: boolean): Promise<void> {
  const writer = await McapWriter.begin(toNowhere(), new Clock(EPOCH), {
    chunkBytes: CHUNK,
    zstd: isCompressed ? (bytes: Uint8Array) => zstd.compress(bytes, { level: 3 }) : null,
  });
  const channels = new Map<string, number>();
  let sequence = 0;
  for (const { topic, time, data } of payloads) {
    let channel = channels.get(topic);
    if (channel === undefined) {
      channel = writer.channel(topic, 0, "json");
      channels.set(topic, channel);
    }
    writer.bytes(channel, time, sequence++, data);
    if (writer.isFull) await writer.drain();
  }
  await writer.finish();
}

async function theirs(
  payloads: readonly Payload[],
  isCompressed: boolean,
  take: ((part: Uint8Array) => void) | null,
): Promise<void> {
  const file = await createMcap(null, { chunkSize: CHUNK, isCompressed, take });
  const channels = new Map<string, number>();
  for (const { topic, time, data } of payloads) {
    let channel = channels.get(topic);
    if (channel === undefined) {
      channel = await file.channel(topic);
      channels.set(topic, channel);
    }
    await file.add(channel, time, data);
  }
  await file.close();
}

async function readOurs(file: Uint8Array, expected: number): Promise<void> {
  const source = {
    name: "a.mcap",
    size: async () => file.length,
    read: async (offset: number, length: number) => file.subarray(offset, offset + length),
    close: async () => undefined,
  };
  const bundle: SourceBundle = { name: "a.mcap", open: async () => source };
  const recording = await open(bundle);
  let count = 0;
  for await (const { length, bytes, start, end } of recording.batches()) {
    for (let i = 0; i < length; i++) if (end[i]! > start[i]! && bytes[start[i]!] !== 0) count++;
  }
  await recording.close();
  if (count !== expected) throw new Error(`${count} messages of ${expected}`);
}

function readTheirs(file: Uint8Array, expected: number): void {
  const reader = new McapStreamReader({ decompressHandlers });
  reader.append(file);
  let count = 0;
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Message" && record.data[0] !== 0) count++;
  }
  if (count !== expected) throw new Error(`${count} messages of ${expected}`);
}

/** JSON texts of numbers: 64 that repeat, or many different ones. */
function made(count: number, bytes: number, isAlike: boolean): Payload[] {
  const utf8 = new TextEncoder();
  const payload = (n: number): Uint8Array =>
    utf8.encode(
      JSON.stringify(
        Array.from({ length: bytes >> 2 }, (__, k) => Math.round(1e6 * Math.sin(n * 1.37 + k)) / 1e6),
      ).slice(0, bytes),
    );
  const kinds = Array.from({ length: isAlike ? 64 : Math.min(count, 16_384) }, (_, n) => payload(n));
  return Array.from({ length: count }, (_, i) => ({
    topic: `/${i % 8}`,
    time: i * 1_000_000,
    data: kinds[i % kinds.length]!,
  }));
}

async function payloadsOf(bytes: Uint8Array): Promise<Payload[]> {
  const reader = new McapStreamReader({ decompressHandlers });
  reader.append(bytes);
  const topics = new Map<number, string>();
  const payloads: Payload[] = [];
  let first: bigint | null = null;
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Channel") topics.set(record.id, record.topic);
    if (record.type !== "Message") continue;
    first ??= record.logTime;
    const time = Number(record.logTime - first);
    payloads.push({ topic: topics.get(record.channelId)!, time, data: record.data.slice() });
  }
  return payloads;
}

function chunksOf(
  file: Uint8Array,
): { readonly compression: string; readonly records: Uint8Array; readonly uncompressedSize: bigint }[] {
  const reader = new McapStreamReader({ includeChunks: true, decompressHandlers });
  reader.append(file);
  const chunks: { compression: string; records: Uint8Array; uncompressedSize: bigint }[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Chunk") chunks.push(record);
  }
  return chunks;
}

/** Where the summary begins, as the footer says. */
function dataEndOf(file: Uint8Array): number {
  return Number(Buffer.from(file.buffer, file.byteOffset, file.byteLength).readBigUInt64LE(file.length - 28));
}
