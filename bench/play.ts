/**
 * Measures playing of large recordings, beside @mcap/core in the same run: `npm run bench:play [-- PART…]`, with the
 * parts below. Makes recordings of 1 GB in a temporary folder, and removes them. Each part has a process of its own.
 */
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeCarla } from "./make/carla.ts";
import { CROWD, makeCrowd, repeat, walks } from "./make/crowd.ts";
import { createMcap, plainMove } from "./make/mcap.ts";
import { served } from "./make/served.ts";
import { stanceAt } from "./make/walkers.ts";

const SIZE = 1e9;
/** Seconds of the crowd that are recorded, and repeated. The peer gets them once, so it has less to search. */
const SECONDS = 600;
const DELAY = 30;
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

function inProcess(part: string, ...words: string[]): void {
  const file = fileURLToPath(new URL(`play/${part}.ts`, import.meta.url));
  execFileSync(process.execPath, ["--expose-gc", "--import", "tsx", file, ...words], { stdio: "inherit" });
}

async function crowd(): Promise<string> {
  const path = join(folder, "crowd.hcrp");
  if (existsSync(path)) return path;
  const some = join(folder, "some.hcrp");
  await makeCrowd(folder, some, SECONDS * 20);
  const { ticks } = repeat(some, path, SIZE);
  console.log(`crowd.hcrp: ${CROWD} things for ${(ticks / 72_000).toFixed(1)} hours, a tenth of them on its way`);
  return path;
}

async function peer(): Promise<void> {
  const file = await createMcap(join(folder, "crowd.mcap"), { chunkSize: 1 << 20, isCompressed: true });
  const channels: number[] = [];
  for (let thing = 0; thing < CROWD; thing++) channels.push(await file.channel(`/crowd/${thing}`));
  for (let tick = 0; tick < SECONDS * 20; tick++) {
    for (const [thing, channel] of channels.entries()) {
      if (tick > 0 && !walks(thing, tick)) continue;
      await file.add(channel, tick * 50_000_000, plainMove(thing, stanceAt(thing, tick)));
    }
  }
  await file.close();
}

function town(): string {
  const path = join(folder, "town.log");
  const fd = openSync(path, "w");
  for (const piece of makeCarla(SIZE)) writeSync(fd, piece);
  closeSync(fd);
  return path;
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  state: async () => {
    await crowd();
    await peer();
    inProcess("state", folder, String(SECONDS));
  },
  scrub: async () => {
    await crowd();
    inProcess("scrub", folder);
  },
  reverse: async () => {
    const path = await crowd();
    inProcess("reverse", path, "crowd of 1,000, disk", "20");
    {
      using server = await served(path, DELAY);
      inProcess("reverse", server.url.href, `crowd of 1,000, HTTP ${DELAY} ms`, "20");
    }
    inProcess("reverse", town(), "town of 80, disk", "20");
  },
  loop: async () => {
    await crowd();
    inProcess("loop", folder);
  },
  ticks: () => Promise.resolve(inProcess("ticks")),
};

const words = process.argv.slice(2);
try {
  for (const [name, run] of Object.entries(PARTS)) if (words.length === 0 || words.includes(name)) await run();
} finally {
  rmSync(folder, { recursive: true });
}
