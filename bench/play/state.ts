/**
 * Measures the state of 1,000 things at random times of 1 GB, beside @mcap/core on the same moves:
 * `state.ts FOLDER SECONDS`.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { McapTypes } from "@mcap/core";
import { type ByteSource, open } from "../../packages/simtape/dist/index.js";
import { fromFile } from "../../packages/simtape/dist/io/node/index.js";
import { CROWD } from "../make/crowd.ts";
import { openMcap } from "../make/mcap.ts";
import { median, spread, summary, timed } from "./figures.ts";

const SEEKS = 400;
const [folder, seconds] = process.argv.slice(2) as [string, string];

/** A source that notes the place of each read. */
class Noted implements ByteSource {
  readonly name: string;
  reads: { readonly offset: number; readonly length: number }[] = [];
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
    this.name = source.name;
  }

  size(): Promise<number | null> {
    return this.#source.size();
  }

  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.reads.push({ offset, length });
    return this.#source.read(offset, length, signal);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

const path = join(folder, "crowd.hcrp");
const source = new Noted((await fromFile(path).open())!);
const opening = await timed(() => open(source));
const recording = opening.result;
const { end } = await recording.timeline();
console.log(`open, 1 GB: ${opening.wall.toFixed(0)} ms, ${source.reads.length} reads`);
const [walls, processors, raws]: [number[], number[], number[]] = [[], [], []];
let mostReads = 0;
const fd = openSync(path, "r");
for (let n = 0; n < SEEKS; n++) {
  source.reads = [];
  const { result, wall, processor } = await timed(() => recording.state(Math.floor(spread(n) * end)));
  if (result.sets.get("entities")!.ids.length !== CROWD) throw new Error("not the whole crowd");
  mostReads = Math.max(mostReads, source.reads.length);
  // in the first ones Node compiles the code
  if (n < 100) continue;
  walls.push(wall);
  processors.push(processor);
  const began = performance.now();
  for (const { offset, length } of source.reads) readSync(fd, new Uint8Array(length), 0, length, offset);
  raws.push(performance.now() - began);
}
closeSync(fd);
await recording.close();
console.log(`state of ${CROWD}: ${summary(walls)}; ${mostReads} read at most`);
console.log(`  processor: ${summary(processors)}; the bytes alone: ${summary(raws)}`);

const { reader, close, reads } = await openMcap(join(folder, "crowd.mcap"));
const topics = [...reader.channelsById.values()].map(({ topic }) => topic);
const length = Number(seconds) * 1e9;

/** Reads back in one pass until it has the last message of every channel. */
async function inOnePass(endTime: bigint): Promise<number> {
  const seen = new Set<number>();
  for await (const { channelId } of reader.readMessages({ endTime, reverse: true })) {
    if (seen.add(channelId).size === topics.length) break;
  }
  return seen.size;
}

async function oneByOne(endTime: bigint): Promise<number> {
  const found: McapTypes.TypedMcapRecords["Message"][] = [];
  for (const topic of topics) {
    for await (const message of reader.readMessages({ topics: [topic], endTime, reverse: true })) {
      found.push(message);
      break;
    }
  }
  return found.length;
}

async function peer(name: string, seeks: number, latest: (endTime: bigint) => Promise<number>): Promise<void> {
  const times: number[] = [];
  const before = reads();
  for (let n = 0; n < seeks; n++) {
    const time = BigInt(Math.floor((0.05 + 0.95 * spread(n)) * length));
    const { result, processor } = await timed(() => latest(time));
    if (result !== CROWD) throw new Error(`@mcap/core found ${result}`);
    times.push(processor);
  }
  const ratio = (median(times) / median(processors)).toFixed(0);
  const each = Math.round((reads() - before) / seeks);
  console.log(`@mcap/core, ${name}: ${summary(times)} of processor, ${each} reads; ${ratio} times as long`);
}

await peer("last message of each channel, one pass back", 20, inOnePass);
await peer("last message of each channel, one by one", 2, oneByOne);
close();
