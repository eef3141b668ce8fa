/**
 * Reads a file in one way, in a process of its own without a loader of TypeScript, as a user's program does: node
 * bench/peer.mjs FILE KIND COUNT. KIND is `mcap`, `batches` or `messages`; the file holds COUNT messages of 100 bytes.
 * Prints one line of JSON with milliseconds by the clock and of this process's processor time for three steps: load the
 * modules; open the file and go through all of it; go through it again, the median of three.
 */
import { fstatSync, openSync, readSync } from "node:fs";

const [path, kind, expected] = process.argv.slice(2);
const [loaded, open] = await timed(kind === "mcap" ? peer : own);
const [first, pass] = await timed(async () => {
  const going = await open();
  await going();
  return going;
});
const passes = [];
for (let i = 0; i < 3; i++) passes.push((await timed(pass))[0]);
const middle = (of) => passes.map((one) => one[of]).sort((a, b) => a - b)[1];
const again = { wall: middle("wall"), processor: middle("processor") };
process.stdout.write(JSON.stringify({ loaded, first, again }), () => process.exit());

/** The time that `work` takes, and its result. */
async function timed(work) {
  const before = process.cpuUsage();
  const began = performance.now();
  const result = await work();
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  return [{ wall, processor: (user + system) / 1000 }, result];
}

function check(count, sum) {
  if (count !== Number(expected) || sum < count * 100) throw new Error(`${path}, ${kind}: ${count} messages`);
}

async function peer() {
  const { McapIndexedReader } = await import("@mcap/core");
  return async () => {
    const fd = openSync(path, "r");
    const readable = {
      size: async () => BigInt(fstatSync(fd).size),
      read: async (offset, length) => {
        const bytes = new Uint8Array(Number(length));
        readSync(fd, bytes, 0, bytes.length, Number(offset));
        return bytes;
      },
    };
    const reader = await McapIndexedReader.Initialize({ readable });
    return async () => {
      let [count, sum] = [0, 0];
      for await (const { data } of reader.readMessages()) {
        count++;
        sum += data[0] + data.length;
      }
      check(count, sum);
    };
  };
}

async function own() {
  const simtape = await import("../packages/simtape/dist/index.js");
  const { fromFile } = await import("../packages/simtape/dist/io/node/index.js");
  return async () => {
    const recording = await simtape.open(fromFile(path));
    const channel = recording.channels.find(({ name }) => name === "/bench" || name === "bench:data");
    const one = async () => {
      let [count, sum] = [0, 0];
      for await (const { payload } of recording.messages(channel)) {
        count++;
        sum += payload[0] + payload.length;
      }
      check(count, sum);
    };
    const many = async () => {
      let [count, sum] = [0, 0];
      for await (const { length, bytes, start, end } of recording.batches({ channels: [channel] })) {
        count += length;
        for (let i = 0; i < length; i++) sum += bytes[start[i]] + end[i] - start[i];
      }
      check(count, sum);
    };
    return kind === "messages" ? one : many;
  };
}
