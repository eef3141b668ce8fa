/**
 * Compares MCAP with @mcap/core. Both write chunks of the same size into a sink that keeps nothing, with the same zstd:
 * Node's own if it has one, else the WebAssembly that ships with simtape. Then both read the file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { MemoryFiles, open } from "../../packages/simtape/dist/index.js";
import { loadZstd } from "../../packages/simtape/dist/codec/zstd.js";
import { Clock } from "../../packages/simtape/dist/export/mcap/clock.js";
import { mcap } from "../../packages/simtape/dist/export/mcap/exporter.js";
import { McapWriter } from "../../packages/simtape/dist/export/mcap/writer.js";
import { fromFile } from "../../packages/simtape/dist/io/node/index.js";
import { createMcap } from "../make/mcap.ts";
import { chunksOf } from "./chunks.ts";
import { middle, report, toNowhere } from "./measure.ts";

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
        readInProcess(name, file, count);
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
    for (const bytes of chunks) zstd.compress(bytes, { level: 3, checksum: false });
  });
}

/** Reads in a process of its own. Here the heap is full of payloads, and their collection would count as reading. */
function readInProcess(name: string, file: Uint8Array, count: number): void {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    const path = join(folder, "a.mcap");
    writeFileSync(path, file);
    const words = ["--import", "tsx", fileURLToPath(new URL("mcap-reading.ts", import.meta.url)), name, path];
    execFileSync(process.execPath, [...words, String(count)], { stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function ours(payloads: readonly Payload[], isCompressed: boolean): Promise<void> {
  const writer = await McapWriter.begin(toNowhere(), new Clock(EPOCH), {
    chunkBytes: CHUNK,
    zstd: isCompressed ? (bytes: Uint8Array) => zstd.compress(bytes, { level: 3, checksum: false }) : null,
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

/** Texts of numbers, of which 64 repeat, or none. */
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
