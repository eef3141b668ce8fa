/**
 * Measures writing speed, beside `fs.writeSync` of the same bytes and @mcap/core's writer in the same run, each until
 * its file is on the disk: `npm run bench:write [-- FILE…]`. First it writes 100-byte messages into HCRP, MIRA and
 * MCAP, then the same messages without the disk: two million in a new process, while what runs is still compiled, and
 * four million more, of which the last two million count. Last, it writes each FILE, a recording, again in its own
 * format.
 */
import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMATS, open, rewrite } from "../packages/simtape/dist/index.js";
import { fromFile, toFile } from "../packages/simtape/dist/io/node/index.js";
import { COUNT, writeMcap, writeOwn } from "./make/payloads.ts";

/** Each case is run so often; its run of middle speed is reported. */
const ROUNDS = 5;
/** The cases with the same payloads; the peer is first. */
const SMALL: readonly string[] = ["mcap", "mira", "hcrp", "hcrp+zstd"];
const NOWHERE = " to nowhere";
/** How often a process writes all messages: the first time and the last are reported. */
const TIMES = 3;
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

/** `fs.writeSync` of a file's bytes, in MB/s. */
function rawSpeed(path: string): number {
  const bytes = readFileSync(path);
  const fd = openSync(join(folder, "raw"), "w");
  const began = performance.now();
  for (let at = 0; at < bytes.length; at += 1 << 20) writeSync(fd, bytes.subarray(at, at + (1 << 20)));
  fsyncSync(fd);
  closeSync(fd);
  return bytes.length / (performance.now() - began) / 1000;
}

interface Measured {
  readonly name: string;
  readonly messages: number;
  /** What it took the first time; 0 where there is no other. */
  readonly first: number;
  readonly milliseconds: number;
  readonly bytes: number;
  /** `fs.writeSync` of the same bytes in the same process, MB/s. */
  readonly raw: number;
  readonly resident: number;
}

function measured(
  name: string,
  messages: number,
  times: { first: number; milliseconds: number },
  path: string | null,
): Measured {
  const resident = process.memoryUsage.rss();
  if (path === null) return { name, messages, ...times, bytes: 0, raw: 0, resident };
  return { name, messages, ...times, bytes: statSync(path).size, raw: rawSpeed(path), resident };
}

/** Writes the payloads of all cases, with the peer or with one of simtape's writers: `mira`, `hcrp`, `hcrp+zstd`. */
async function writeSmall(name: string): Promise<Measured> {
  const path = name.endsWith(NOWHERE) ? null : join(folder, "small");
  const [id, codec] = name.replace(NOWHERE, "").split("+");
  // Loads the writer before the time counts; the peer is already loaded.
  await FORMATS.find((of) => of.id === id)?.writing?.();
  const took: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now();
    if (id === "mcap") await writeMcap(path);
    else await writeOwn(path, id as "mira" | "hcrp", codec === undefined ? "store" : "fast");
    took.push(performance.now() - began);
  }
  return measured(`${name}, 100 B`, COUNT, { first: took[0]!, milliseconds: took.at(-1)! }, path);
}

async function writeAgain(path: string): Promise<Measured> {
  const recording = await open(fromFile(path));
  const format = FORMATS.find((of) => of.id === recording.info.format)!;
  const writing = await format.writing!();
  const target = join(folder, path.slice(path.lastIndexOf("/") + 1));
  const began = performance.now();
  const { messages } = await rewrite(recording, writing, toFile(target));
  const times = { first: 0, milliseconds: performance.now() - began };
  const result = measured(`${format.id} again`, messages, times, target);
  await recording.close();
  return result;
}

/** Each case has a process of its own, so that none inherits another's heap. */
function inProcess(name: string): Measured {
  const words = ["--import", "tsx", fileURLToPath(import.meta.url), "--case", name];
  return JSON.parse(execFileSync(process.execPath, words).toString()) as Measured;
}

/** The run of middle speed, with the middle of what the first time took. */
function median(runs: readonly Measured[]): Measured {
  const first = runs.map((run) => run.first).toSorted((a, b) => a - b)[runs.length >> 1]!;
  return { ...runs.toSorted((a, b) => a.milliseconds - b.milliseconds)[runs.length >> 1]!, first };
}

const [flag, name] = process.argv.slice(2);
try {
  if (flag === "--case") {
    const run = SMALL.includes(name!.replace(NOWHERE, "")) ? writeSmall(name!) : writeAgain(name!);
    process.stdout.write(JSON.stringify(await run));
  } else {
    const names = [...SMALL, ...SMALL.map((of) => of + NOWHERE), ...process.argv.slice(2)];
    // in turns, because other programs change the speed of the machine from second to second
    const runs = Array.from({ length: ROUNDS }, () => names.map(inProcess));
    const cases = names.map((_, i) => median(runs.map((run) => run[i]!)));
    const rateOf = ({ messages, milliseconds }: Measured): number => messages / milliseconds;
    const mcap = { disk: cases[0]!, nowhere: cases[SMALL.length]! };
    for (const { name: what, messages, first, milliseconds, bytes, raw, resident } of cases) {
      const rate = messages / milliseconds;
      const speed = bytes / milliseconds / 1000;
      const beside = what.includes(NOWHERE) ? mcap.nowhere : mcap.disk;
      const times = (beside.first / first).toFixed(1);
      const peer = what.endsWith("100 B")
        ? `  ${(rate / rateOf(beside)).toFixed(1)}x mcap, ${times}x the first time`
        : "";
      const disk = bytes === 0 ? "" : `  file ${Math.round(speed)} MB/s (writeSync ${Math.round(raw)})`;
      console.log(
        `${what.padEnd(28)} ${(rate / 1000).toFixed(2)} M msg/s${disk}${peer}  ${Math.round(resident / 1e6)} MB resident`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
