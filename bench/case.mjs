/** One measured case in a process of its own: node --expose-gc bench/case.mjs FILE. Prints one line of JSON. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "../packages/simtape/dist/index.js";
import { fromFile } from "../packages/simtape/dist/io/node/index.js";

const [file] = process.argv.slice(2);

/** Best of three, in milliseconds. */
async function best(work) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const began = performance.now();
    await work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

const buffer = Buffer.alloc(1 << 20);
const fd = openSync(file);
const bytes = fstatSync(fd).size;
const raw = await best(() => {
  for (let at = 0; at < bytes; at += buffer.length) readSync(fd, buffer, 0, buffer.length, at);
});
closeSync(fd);

const opened = await best(async () => (await open(fromFile(file))).close());
const recording = await open(fromFile(file));
let messages = 0;
let payload = 0;
/**
 * The largest memory while scanning. The system's own peak would also count what the parent process held at the fork.
 */
let peak = 0;
const scanned = await best(async () => {
  messages = 0;
  payload = 0;
  for await (const batch of recording.batches()) {
    messages += batch.length;
    payload += batch.bytes.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
});
const reversed = await best(async () => {
  for await (const batch of recording.batches({ reverse: true })) void batch.length;
});
let sum = 0;
const limit = 200_000;
let decodedMessages = 0;
const decoded = await best(async () => {
  decodedMessages = 0;
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length && decodedMessages < limit; i++, decodedMessages++) {
      if (recording.channels[batch.channel[i]].schema.decode(batch.payload(i), batch.context) !== undefined) sum++;
    }
    if (decodedMessages >= limit) break;
  }
});
const { start, end } = await recording.timeline();
const firstState = performance.now();
await recording.state(start + (end - start) / 2);
const state = performance.now() - firstState;
console.log(
  JSON.stringify({
    bytes,
    messages,
    payload,
    raw,
    opened,
    scanned,
    reversed,
    decodedPerSecond: (decodedMessages / decoded) * 1000,
    state,
    peak,
    sum,
  }),
);
await recording.close();
