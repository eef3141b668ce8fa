/**
 * Reading beside @mcap/core in the same run: two million messages of 100 bytes, each payload touched. Ours as batches and
 * one by one; the peer one by one, as it gives them. Part of `npm run bench`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "../packages/simtape/dist/index.js";
import { fromFile } from "../packages/simtape/dist/io/node/index.js";
import { openMcap } from "./make/mcap.ts";
import { COUNT, writeMcap, writeOwn } from "./make/payloads.ts";

const KINDS = ["mcap", "mira batches", "mira messages", "hypercube batches", "hypercube messages"] as const;
const ROUNDS = 5;

/** Milliseconds to open a file and go through all of it. */
async function read(kind: string, folder: string): Promise<number> {
  const [format, how] = kind.split(" ");
  const began = performance.now();
  let [count, sum] = [0, 0];
  if (format === "mcap") {
    const { reader, close } = await openMcap(join(folder, "mcap"));
    for await (const { data } of reader.readMessages()) {
      count++;
      sum += data[0]! + data.length;
    }
    close();
  } else {
    const recording = await open(fromFile(join(folder, format!)));
    const { channels } = recording;
    const channel = channels.find(({ name }) => name === "/bench" || name === "bench:data")!;
    if (how === "batches")
      for await (const { length, bytes, start, end } of recording.batches({ channels: [channel] })) {
        count += length;
        for (let i = 0; i < length; i++) sum += bytes[start[i]!]! + end[i]! - start[i]!;
      }
    else
      for await (const { payload } of recording.messages(channel)) {
        count++;
        sum += payload[0]! + payload.length;
      }
    await recording.close();
  }
  const milliseconds = performance.now() - began;
  if (count !== COUNT || sum < COUNT * 100) throw new Error(`${kind}: ${count} messages`);
  return milliseconds;
}

/** Prints the rates and their ratios to the peer's. */
export async function comparePeers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    await writeMcap(join(folder, "mcap"));
    for (const id of ["mira", "hypercube"] as const) await writeOwn(join(folder, id), id, "store");
    const words = ["--import", "tsx", fileURLToPath(import.meta.url)];
    const inProcess = (kind: string): number =>
      Number(execFileSync(process.execPath, [...words, folder, kind]).toString());
    // in turns, as the speed of a machine that is not alone changes from second to second
    const runs = Array.from({ length: ROUNDS }, () => KINDS.map(inProcess));
    const middle = KINDS.map((_, i) => runs.map((run) => run[i]!).toSorted((a, b) => a - b)[ROUNDS >> 1]!);
    for (const [i, kind] of KINDS.entries()) {
      const ratio = i === 0 ? "" : `  ${(middle[0]! / middle[i]!).toFixed(1)}x @mcap/core`;
      console.log(`read 100 B, ${kind}`.padEnd(34) + `${(COUNT / middle[i]! / 1000).toFixed(2)} M msg/s${ratio}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, kind] = process.argv.slice(2);
  process.stdout.write(String(await read(kind!, folder!)));
}
