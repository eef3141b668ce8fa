/**
 * Writing MCAP beside @mcap/core's writer in the same run, both to nowhere: `npx tsx bench/export-mcap.ts [FILE…]` after
 * `npm run build`. First 100-byte messages and ones of 2 kB, stored and as zstd of the same level. Then each recording
 * named: the whole export of it, decoding and JSON included, beside @mcap/core that is given the payloads ready.
 */
import { McapStreamReader } from "@mcap/core";
import { type ByteSink, MemoryFiles, open } from "../packages/simtape/dist/index.js";
import { loadZstd } from "../packages/simtape/dist/codec/zstd.js";
import { Clock } from "../packages/simtape/dist/export/mcap/clock.js";
import { mcap } from "../packages/simtape/dist/export/mcap/exporter.js";
import { McapWriter } from "../packages/simtape/dist/export/mcap/writer.js";
import { fromFile } from "../packages/simtape/dist/io/node/index.js";
import { createMcap } from "./make/mcap.ts";

const ROUNDS = 3;
const CHUNK = 1 << 20;
/** Unix nanoseconds of today: a time of more than 2^53, as files have. */
const EPOCH = 1_760_000_000_000_000_000n;

interface Payload {
  readonly topic: string;
  /** Nanoseconds since the epoch. */
  readonly time: number;
  readonly data: Uint8Array;
}

function toNowhere(): ByteSink {
  let position = 0;
  const done = Promise.resolve();
  return {
    name: "nowhere",
    get position() {
      return position;
    },
    write: ({ length }) => {
      position += length;
      return done;
    },
    writeAt: () => done,
    flush: () => done,
    close: () => done,
    abort: () => done,
  };
}

async function ours(payloads: readonly Payload[], isCompressed: boolean): Promise<void> {
  const zstd = await loadZstd();
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

async function theirs(payloads: readonly Payload[], isCompressed: boolean): Promise<void> {
  const file = await createMcap(null, { chunkSize: CHUNK, isCompressed });
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

/** The run of middle speed, in milliseconds of the processor, so that neighbours do not count. The first is not counted. */
async function middle(work: () => Promise<void>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

function made(count: number, bytes: number): Payload[] {
  const kinds = Array.from({ length: 64 }, (_, n) =>
    new TextEncoder().encode(
      JSON.stringify(Array.from({ length: 400 }, (__, k) => Math.round(1e6 * Math.sin(n + k)) / 1e6)).slice(0, bytes),
    ),
  );
  return Array.from({ length: count }, (_, i) => ({
    topic: `/${i % 8}`,
    time: i * 1_000_000,
    data: kinds[i % kinds.length]!,
  }));
}

function report(name: string, own: number, peer: number, count: number): void {
  const speed = (milliseconds: number): string => `${(count / milliseconds / 1000).toFixed(2)} M messages/s`;
  console.log(`${name}: ${speed(own)}, @mcap/core ${speed(peer)}: ${(peer / own).toFixed(1)} times as fast`);
}

for (const [count, bytes] of [
  [200_000, 100],
  [20_000, 2000],
] as const) {
  const payloads = made(count, bytes);
  for (const isCompressed of [false, true]) {
    const own = await middle(() => ours(payloads, isCompressed));
    const peer = await middle(() => theirs(payloads, isCompressed));
    report(`${bytes} B ${isCompressed ? "zstd" : "stored"}`, own, peer, count);
  }
}

for (const path of process.argv.slice(2)) {
  const recording = await open(fromFile(path));
  const files = new MemoryFiles("x.mcap");
  await mcap.write(recording, files, {});
  const payloads = await payloadsOf(files.bytes);
  const own = await middle(async () => {
    await mcap.write(recording, { name: "x.mcap", open: () => Promise.resolve(toNowhere()) }, {});
  });
  const writing = await middle(() => ours(payloads, true));
  const peer = await middle(() => theirs(payloads, true));
  report(`${path}, its payloads`, writing, peer, payloads.length);
  report(`${path}, the whole export`, own, peer, payloads.length);
  await recording.close();
}

async function payloadsOf(bytes: Uint8Array): Promise<Payload[]> {
  const zstd = await loadZstd();
  const reader = new McapStreamReader({
    decompressHandlers: { zstd: (frame, size) => zstd.decompress(frame, { size: Number(size) }) },
  });
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
