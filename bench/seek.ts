/**
 * Measures seeking in a recording of a day: `npm run bench:seek [-- HOURS]`. It seeks on disk, and over HTTP with 30 ms
 * before each answer, where the server counts the requests. Beside it, @mcap/core's indexed reader seeks in the same
 * moves.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, type Recording } from "../packages/simtape/dist/index.js";
import { directoryStore, fromFile, toFile } from "../packages/simtape/dist/io/node/index.js";
import { compact, record } from "../packages/simtape/dist/record/index.js";
import { createMcap, openMcap, plainMove } from "./make/mcap.ts";
import { served } from "./make/served.ts";
import { stanceAt, walk } from "./make/walkers.ts";
import { spread, summary } from "./play/figures.ts";

const DELAY = 30;
const SEEKS = 200;
const ticks = Math.round(Number(process.argv[2] ?? 24) * 72_000);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

/** Numbers that are the same in every run. */
function moments(): number[] {
  return Array.from({ length: SEEKS }, (_, n) => Math.floor(spread(n) * ticks) * 5e7);
}

async function seeks(name: string, location: () => Promise<Recording>): Promise<void> {
  const [first, opening] = await timed(location);
  const times: number[] = [];
  for (const time of moments()) times.push((await timed(() => first.state(time)))[1]);
  await first.close();
  console.log(`row 1: ${name}: open ${opening.toFixed(1)} ms, seek ${summary(times)}`);
}

async function overHttp(name: string, path: string): Promise<void> {
  using server = await served(path, DELAY);
  const { url } = server;
  // loads the modules, which does not count for the network
  await (await open(url)).close();
  const opens: number[] = [];
  const cold: number[] = [];
  let [most, mostOpen] = [0, 0];
  for (const time of moments().slice(0, 40)) {
    await server.reset();
    const [recording, opening] = await timed(() => open(url));
    opens.push(opening);
    mostOpen = Math.max(mostOpen, (await server.report()).count);
    await server.reset();
    cold.push((await timed(() => recording.state(time)))[1]);
    most = Math.max(most, (await server.report()).count);
    await recording.close();
  }
  const recording = await open(url);
  const start = Math.min(ticks / 2, Math.max(0, ticks - 12_000)) * 5e7;
  await server.reset();
  for await (const batch of recording.batches({ start, end: start + 600e9 })) void batch.length;
  const { count, bytes } = await server.report();
  await recording.close();
  console.log(`row 26: ${name}, ${DELAY} ms away: open ${summary(opens)} (${mostOpen} requests at most)`);
  console.log(
    `  cold seek ${summary(cold)} (${most} requests at most); ten minutes of play: ${count} requests, ${Math.round(bytes / 1024)} KiB`,
  );
}

async function peer(): Promise<void> {
  const path = join(folder, "day.mcap");
  const file = await createMcap(path, { chunkSize: 256 << 10, isCompressed: true });
  const channel = await file.channel("move");
  for (let tick = 0; tick < ticks; tick++) {
    for (let player = 0; player < 4; player++) {
      if ((tick + player * 900) % 3600 >= 2400) continue;
      await file.add(channel, tick * 50_000_000, plainMove(player, stanceAt(player, tick)));
    }
  }
  await file.close();
  const [input, opening] = await timed(() => openMcap(path));
  const times: number[] = [];
  // the last four moves: no reader needs less for the places at a time
  for (const time of moments()) {
    const [, taken] = await timed(async () => {
      let left = 4;
      for await (const message of input.reader.readMessages({ endTime: BigInt(time), reverse: true })) {
        if (message.sequence >= 0 && --left === 0) break;
      }
    });
    times.push(taken);
  }
  input.close();
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
