/**
 * Measures what a range of 4 KB costs: `npm run bench:serve [-- OPTIONS OF serve]`. Compares the processor time of an
 * idle server with that of plain node:http, which has as many threads for files. A process of its own asks each for
 * 40,000 random ranges of a file of 1 GB, over connections that are kept alive. The two take turns, because other
 * programs change the speed of the machine.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
const PLAIN = fileURLToPath(new URL("plain.mjs", import.meta.url));
const CLIENT = fileURLToPath(new URL("client.mjs", import.meta.url));
const SIZE = 2 ** 30;
const [ROUNDS, REQUESTS] = [10, 4000];

const folder = mkdtempSync(join(tmpdir(), "simtape-ranges-"));
const library = join(folder, "library");
const started: ChildProcess[] = [];
try {
  execFileSync(process.execPath, [CLI, "demo", "mira", "-o", library, "--seconds", "4"], { stdio: "ignore" });
  const file = join(library, readdirSync(library).find((name) => name.endsWith(".tape"))!);
  truncateSync(file, SIZE);
  const [simtape, address] = await start(CLI, "serve", library, "--port", "0", ...process.argv.slice(2));
  const [plain, plainAddress] = await start(PLAIN, file);
  const url = address + (await indexed(address));
  const costs = { simtape: [] as number[], plain: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [ours, theirs] = [await cost(simtape, url), await cost(plain, plainAddress)];
    // the first one warms up
    if (round > 0) {
      costs.simtape.push(ours);
      costs.plain.push(theirs);
    }
  }
  const [ours, theirs] = [mean(costs.simtape), mean(costs.plain)];
  console.log(`processor time of a range of 4 KB, over ${ROUNDS * REQUESTS} ranges each`);
  console.log(`  simtape serve  ${ours.toFixed(1)} us`);
  console.log(`  node:http      ${theirs.toFixed(1)} us`);
  console.log(`  ratio          ${(ours / theirs).toFixed(2)}`);
} finally {
  for (const child of started) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Microseconds of the server's processor time for each request. */
async function cost({ pid }: ChildProcess, url: string): Promise<number> {
  const before = processorTime(pid!);
  const client = spawn(process.execPath, [CLIENT, url, String(SIZE), String(REQUESTS)], { stdio: "inherit" });
  const [code] = (await once(client, "exit")) as [number];
  if (code !== 0) throw new Error(`the client ended with ${code}`);
  return ((processorTime(pid!) - before) / REQUESTS) * 1e6;
}

/** Seconds, of all threads. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function start(...words: string[]): Promise<[ChildProcess, address: string]> {
  // as many threads for files as the command has
  const env = { UV_THREADPOOL_SIZE: "16", ...process.env };
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"], env });
  started.push(child);
  const [text] = (await once(child.stdout!.setEncoding("utf8"), "data")) as [string];
  return [child, text.trim()];
}

async function indexed(address: string): Promise<string> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { jobs } = await json<{ jobs: { state: string; due: string }[] }>(`${address}/api/jobs`);
    const isDue = (due: string): boolean => Date.parse(due) <= Date.now();
    if (jobs.some(({ state, due }) => state === "running" || (state === "waiting" && isDue(due)))) continue;
    const { recordings } = await json<{ recordings: { url: string; state: string }[] }>(`${address}/api/recordings`);
    const [first] = recordings;
    if (first !== undefined && first.state !== "new") return first.url;
  }
}

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
