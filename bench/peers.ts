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

const KINDS = ["mcap", "mira batches", "mira messages", "hcrp batches", "hcrp messages"] as const;
const ROUNDS = 5;

interface Measured {
  /** Milliseconds to open a file and go through all of it, by a process that has done nothing yet. */
  readonly first: number;
  /** To go through it again, the best of three. */
  readonly again: number;
}

/** Goes through every payload; gives a way to do so again. */
async function opened(kind: string, folder: string): Promise<() => Promise<void>> {
  const [format, how] = kind.split(" ");
  const path = join(folder, format!);
  const done = (count: number, sum: number): void => {
    if (count !== COUNT || sum < COUNT * 100) throw new Error(`${kind}: ${count} messages`);
  };
  if (format === "mcap") {
    const { reader } = await openMcap(path);
    return async () => {
      let [count, sum] = [0, 0];
      for await (const { data } of reader.readMessages()) {
        count++;
        sum += data[0]! + data.length;
      }
      done(count, sum);
    };
  }
  const recording = await open(fromFile(path));
  const channel = recording.channels.find(({ name }) => name === "/bench" || name === "bench:data")!;
  if (how === "batches")
    return async () => {
      let [count, sum] = [0, 0];
      for await (const { length, bytes, start, end } of recording.batches({ channels: [channel] })) {
        count += length;
        for (let i = 0; i < length; i++) sum += bytes[start[i]!]! + end[i]! - start[i]!;
      }
      done(count, sum);
    };
  return async () => {
    let [count, sum] = [0, 0];
    for await (const { payload } of recording.messages(channel)) {
      count++;
      sum += payload[0]! + payload.length;
    }
    done(count, sum);
  };
}

async function measured(kind: string, folder: string): Promise<Measured> {
  const began = performance.now();
  const pass = await opened(kind, folder);
  await pass();
  const first = performance.now() - began;
  let again = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await pass();
    again = Math.min(again, performance.now() - start);
  }
  return { first, again };
}

/** Prints the rates and their ratios to the peer's. */
export async function comparePeers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    await writeMcap(join(folder, "mcap"));
    for (const id of ["mira", "hcrp"] as const) await writeOwn(join(folder, id), id, "store");
    const words = ["--import", "tsx", fileURLToPath(import.meta.url)];
    const inProcess = (kind: string): Measured =>
      JSON.parse(execFileSync(process.execPath, [...words, folder, kind]).toString()) as Measured;
    // in turns, as the speed of a machine that is not alone changes from second to second
    const runs = Array.from({ length: ROUNDS }, () => KINDS.map(inProcess));
    const middle = (of: keyof Measured, kind: number): number =>
      runs.map((run) => run[kind]![of]).toSorted((a, b) => a - b)[ROUNDS >> 1]!;
    for (const [i, kind] of KINDS.entries()) {
      const told = (of: keyof Measured): string => {
        const ratio = i === 0 ? "" : ` (${(middle(of, 0) / middle(of, i)).toFixed(1)}x @mcap/core)`;
        return `${(COUNT / middle(of, i) / 1000).toFixed(2)} M msg/s${ratio}`.padEnd(34);
      };
      console.log(`read 100 B, ${kind}`.padEnd(34) + `opened and read ${told("first")} read again ${told("again")}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, kind] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await measured(kind!, folder!)), () => process.exit());
}
