/**
 * Seeking in a day of recording: `npm run bench:seek [-- HOURS]`. On disk, and over HTTP with 30 ms before each answer;
 * requests are counted by the server. Beside it @mcap/core's indexed reader on the same moves.
 */
import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McapIndexedReader, McapWriter } from "@mcap/core";
import { loadZstd } from "../packages/simtape/dist/codec/zstd.js";
import { open, type Recording } from "../packages/simtape/dist/index.js";
import { directoryStore, fromFile, toFile } from "../packages/simtape/dist/io/node/index.js";
import { compact, record } from "../packages/simtape/dist/record/index.js";
import { stanceAt, walk } from "./make/walkers.ts";

const DELAY = 30;
const SEEKS = 200;
const ticks = Math.round(Number(process.argv[2] ?? 24) * 72_000);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

interface Counted {
  readonly url: URL;
  readonly requests: { count: number; bytes: number };
  readonly server: Server;
}

/** Ranges of a file, each after a pause. */
async function served(path: string): Promise<Counted> {
  const requests = { count: 0, bytes: 0 };
  const { size, mtimeMs } = statSync(path);
  const server = createServer((request, response) => {
    requests.count++;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const from = range === null ? 0 : Number(range[1]);
    const to = Math.min(size - 1, range === null || range[2] === "" ? size - 1 : Number(range[2]));
    setTimeout(() => {
      requests.bytes += to - from + 1;
      response.writeHead(range === null ? 200 : 206, {
        "accept-ranges": "bytes",
        etag: `"${size}-${mtimeMs}"`,
        "content-length": to - from + 1,
        ...(range === null ? {} : { "content-range": `bytes ${from}-${to}/${size}` }),
      });
      if (request.method === "HEAD") response.end();
      else createReadStream(path, { start: from, end: to }).pipe(response);
    }, DELAY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/day.hcrp`), requests, server };
}

function summary(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, worst ${sorted.at(-1)!.toFixed(1)} ms`;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

/** Numbers that are the same in every run. */
function moments(): number[] {
  return Array.from({ length: SEEKS }, (_, n) => Math.floor(((n * 0.618_033_988_7) % 1) * ticks) * 5e7);
}

async function seeks(name: string, location: () => Promise<Recording>): Promise<void> {
  const [first, opening] = await timed(location);
  const times: number[] = [];
  for (const time of moments()) times.push((await timed(() => first.state(time)))[1]);
  await first.close();
  console.log(`row 1: ${name}: open ${opening.toFixed(1)} ms, seek ${summary(times)}`);
}

async function overHttp(name: string, path: string): Promise<void> {
  const { url, requests, server } = await served(path);
  // what is loaded once is not the network's
  await (await open(url)).close();
  const opens: number[] = [];
  const cold: number[] = [];
  let [most, mostOpen] = [0, 0];
  for (const time of moments().slice(0, 40)) {
    requests.count = 0;
    const [recording, opening] = await timed(() => open(url));
    opens.push(opening);
    mostOpen = Math.max(mostOpen, requests.count);
    requests.count = 0;
    cold.push((await timed(() => recording.state(time)))[1]);
    most = Math.max(most, requests.count);
    await recording.close();
  }
  const recording = await open(url);
  const start = Math.min(ticks / 2, Math.max(0, ticks - 12_000)) * 5e7;
  requests.count = 0;
  requests.bytes = 0;
  for await (const batch of recording.batches({ start, end: start + 600e9 })) void batch.length;
  const played = `${requests.count} requests, ${Math.round(requests.bytes / 1024)} KiB`;
  await recording.close();
  server.close();
  console.log(`row 26: ${name}, ${DELAY} ms away: open ${summary(opens)} (${mostOpen} requests at most)`);
  console.log(`  cold seek ${summary(cold)} (${most} requests at most); ten minutes of play: ${played}`);
}

async function peer(): Promise<void> {
  const zstd = await loadZstd();
  const path = join(folder, "day.mcap");
  const fd = openSync(path, "w");
  let position = 0n;
  const writer = new McapWriter({
    writable: {
      write: (bytes: Uint8Array) => {
        writeSync(fd, bytes);
        position += BigInt(bytes.length);
        return Promise.resolve();
      },
      position: () => position,
    },
    chunkSize: 256 << 10,
    compressChunk: (chunk) => ({ compression: "zstd", compressedData: zstd.compress(chunk, { level: 3 }) }),
  });
  await writer.start({ profile: "", library: "bench" });
  const channelId = await writer.registerChannel({
    topic: "move",
    messageEncoding: "raw",
    schemaId: 0,
    metadata: new Map(),
  });
  const data = new Uint8Array(34);
  const view = new DataView(data.buffer);
  let sequence = 0;
  for (let tick = 0; tick < ticks; tick++) {
    const time = BigInt(tick) * 50_000_000n;
    for (let player = 0; player < 4; player++) {
      if ((tick + player * 900) % 3600 >= 2400) continue;
      const { x, y, z, yaw, pitch } = stanceAt(player, tick);
      view.setUint8(0, player);
      view.setFloat64(1, x);
      view.setFloat64(9, y);
      view.setFloat64(17, z);
      view.setFloat32(25, yaw);
      view.setFloat32(29, pitch);
      await writer.addMessage({ channelId, sequence: sequence++, logTime: time, publishTime: time, data });
    }
  }
  await writer.end();
  closeSync(fd);
  const read = openSync(path, "r");
  const readable = {
    size: () => Promise.resolve(BigInt(fstatSync(read).size)),
    read: (offset: bigint, length: bigint) => {
      const bytes = new Uint8Array(Number(length));
      readSync(read, bytes, 0, bytes.length, Number(offset));
      return Promise.resolve(bytes);
    },
  };
  const decompressHandlers = {
    zstd: (bytes: Uint8Array, size: bigint) => zstd.decompress(bytes, { size: Number(size) }),
  };
  const [reader, opening] = await timed(() => McapIndexedReader.Initialize({ readable, decompressHandlers }));
  const times: number[] = [];
  // the last move of each of four: what a place at a time takes at least
  for (const time of moments()) {
    const [, taken] = await timed(async () => {
      let left = 4;
      for await (const message of reader.readMessages({ endTime: BigInt(time), reverse: true })) {
        if (message.sequence >= 0 && --left === 0) break;
      }
    });
    times.push(taken);
  }
  closeSync(read);
  console.log(
    `@mcap/core, the last four moves before a time, on disk: open ${opening.toFixed(1)} ms, seek ${summary(times)}`,
  );
}

try {
  let time = 1_767_225_600_000;
  const recorder = await record(directoryStore(folder), { id: "day", now: () => time, limits: { ticks: ticks + 1 } });
  await walk(recorder, 4, ticks, async () => {
    time += 1000;
    await new Promise((resolve) => setImmediate(resolve));
  });
  await recorder.close();
  const segmented = join(folder, "day", "meta.hcrp");
  const compacted = join(folder, "day.hcrp");
  const [report, compaction] = await timed(() => compact(fromFile(segmented), toFile(compacted)));
  const hours = (ticks / 72_000).toFixed(1);
  console.log(
    `${hours} h of 4 players: ${(report.bytesBefore / 1e6).toFixed(1)} MB in segments, ${(report.bytesAfter / 1e6).toFixed(1)} MB compacted in ${(compaction / 1000).toFixed(0)} s, ${report.frames} frames`,
  );
  await seeks("segments on disk", () => open(fromFile(segmented)));
  await seeks("compacted on disk", () => open(fromFile(compacted)));
  await overHttp("compacted", compacted);
  await peer();
} finally {
  rmSync(folder, { recursive: true });
}
