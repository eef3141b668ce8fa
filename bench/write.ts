/**
 * Writing speed, beside `fs.writeSync` of the same bytes and @mcap/core's writer in the same run: `npm run bench:write`.
 * First 100-byte messages into HCRP, MIRA and MCAP; then a recording of each format laid out anew.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMATS, open, rewrite } from "../packages/simtape/dist/index.js";
import { fromFile, toFile } from "../packages/simtape/dist/io/node/index.js";
import { createMcap } from "./make/mcap.ts";

const COUNT = 2_000_000;
/** Each case is run so often; its run of middle speed is told. */
const ROUNDS = 5;
/** Poses that wander: 25 numbers each. */
const PAYLOADS: Uint8Array[] = [];
const walk = new Float32Array(25);
for (let n = 0; n < 4096; n++) {
  for (let k = 0; k < walk.length; k++) walk[k] = walk[k]! + Math.sin(n * 12.9898 + k * 78.233) * 0.01;
  PAYLOADS.push(new Uint8Array(walk.slice().buffer));
}
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

/** `fs.writeSync` of a file's bytes, in MB/s. */
function rawSpeed(path: string): number {
  const bytes = readFileSync(path);
  const fd = openSync(join(folder, "raw"), "w");
  const began = performance.now();
  for (let at = 0; at < bytes.length; at += 1 << 20) writeSync(fd, bytes.subarray(at, at + (1 << 20)));
  closeSync(fd);
  return bytes.length / (performance.now() - began) / 1000;
}

interface Measured {
  readonly name: string;
  readonly messages: number;
  readonly milliseconds: number;
  readonly bytes: number;
  /** `fs.writeSync` of the same bytes in the same process, MB/s. */
  readonly raw: number;
  readonly resident: number;
}

function measured(name: string, messages: number, milliseconds: number, path: string): Measured {
  const resident = process.memoryUsage.rss();
  return { name, messages, milliseconds, bytes: statSync(path).size, raw: rawSpeed(path), resident };
}

async function writeMcap(): Promise<Measured> {
  const path = join(folder, "peer.mcap");
  const began = performance.now();
  const file = await createMcap(path, { chunkSize: 1 << 20, isCompressed: false });
  const channel = await file.channel("a");
  for (let i = 0; i < COUNT; i++) await file.add(channel, i * 1_000_000, PAYLOADS[i & 4095]!);
  await file.close();
  return measured("mcap, 100 B", COUNT, performance.now() - began, path);
}

async function writeSmall(id: "mira" | "hypercube"): Promise<Measured> {
  const path = join(folder, "small");
  const writing = await FORMATS.find((of) => of.id === id)!.writing!();
  const isTicked = id === "hypercube";
  const began = performance.now();
  const writer = await writing.create(toFile(path), { compression: isTicked ? "fast" : "store" });
  const to = writer.channel({ name: isTicked ? "bench:data" : "/bench", schema: "raw" });
  for (let i = 0; i < COUNT; i++) {
    writer.write(to, isTicked ? Math.floor(i / 1000) * 50_000_000 : i * 1_000_000, PAYLOADS[i & 4095]!);
    if (writer.ready !== null) await writer.ready;
  }
  await writer.close();
  return measured(`${id}, 100 B`, COUNT, performance.now() - began, path);
}

async function writeAnew(path: string): Promise<Measured> {
  const recording = await open(fromFile(path));
  const format = FORMATS.find((of) => of.id === recording.info.format)!;
  const writing = await format.writing!();
  const target = join(folder, path.slice(path.lastIndexOf("/") + 1));
  const began = performance.now();
  const { messages } = await rewrite(recording, writing, toFile(target));
  const result = measured(`${format.id} anew`, messages, performance.now() - began, target);
  await recording.close();
  return result;
}

/** Each case has a process of its own, so that none inherits another's heap. */
function inProcess(name: string): Measured {
  const words = ["--import", "tsx", fileURLToPath(import.meta.url), "--case", name];
  return JSON.parse(execFileSync(process.execPath, words).toString()) as Measured;
}

/** The run of middle speed. */
function median(runs: readonly Measured[]): Measured {
  return runs.toSorted((a, b) => a.milliseconds - b.milliseconds)[runs.length >> 1]!;
}

const [flag, name] = process.argv.slice(2);
try {
  if (flag === "--case") {
    const run =
      name === "mcap" ? writeMcap() : name === "mira" || name === "hypercube" ? writeSmall(name) : writeAnew(name!);
    process.stdout.write(JSON.stringify(await run));
  } else {
    const names = ["mcap", "mira", "hypercube", ...process.argv.slice(2)];
    // in turns, as the speed of a machine that is not alone changes from second to second
    const runs = Array.from({ length: ROUNDS }, () => names.map(inProcess));
    const cases = names.map((_, i) => median(runs.map((run) => run[i]!)));
    const mcap = cases[0]!.messages / cases[0]!.milliseconds;
    for (const { name: what, messages, milliseconds, bytes, raw, resident } of cases) {
      const rate = messages / milliseconds;
      const speed = bytes / milliseconds / 1000;
      const peer = what.endsWith("100 B") ? `  ${(rate / mcap).toFixed(1)}x mcap` : "";
      console.log(
        `${what.padEnd(22)} ${(rate / 1000).toFixed(2)} M msg/s  file ${Math.round(speed)} MB/s (writeSync ${Math.round(raw)})${peer}  ${Math.round(resident / 1e6)} MB resident`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
