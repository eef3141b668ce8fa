/**
 * Many viewers on one clock: `npm run bench:viewers [-- --minutes 10 | --seconds 20] [--viewers 20] [--players 24]`. The server is this
 * process, the clients are another one. Prints what of the recording was read more than once, how far apart viewers get the
 * same tick, and what the server takes of a core and of the memory.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ReplayServer } from "../src/serve/server.ts";
import { SourceReads } from "./source-reads.ts";
import type { Spread } from "./spread.ts";

const SIMTAPE = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const CLIENTS = fileURLToPath(new URL("viewers-clients.ts", import.meta.url));
/** Seconds before the first that counts. */
const BEFORE = 6;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seconds: { type: "string" },
    viewers: { type: "string", default: "20" },
    players: { type: "string", default: "24" },
  },
});
const seconds = values.seconds === undefined ? 60 * Number(values.minutes) : Number(values.seconds);
if (!(seconds > BEFORE)) throw new RangeError(`it takes more than ${BEFORE} seconds, not ${seconds}`);
const folder = mkdtempSync(join(tmpdir(), "simtape-viewers-"));
const reads = new SourceReads("race.hcrp");
try {
  const length = String(Math.ceil(seconds) + 30);
  execFileSync(process.execPath, [
    SIMTAPE,
    "demo",
    "hcrp",
    "-o",
    folder,
    "--seconds",
    length,
    "--entities",
    values.players,
  ]);
  const server = await ReplayServer.listen({ store: folder, port: 0, isInsecure: true });
  const words = [...process.execArgv, CLIENTS, String(server.port), values.viewers, String(seconds)];
  const clients = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  clients.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const ended = once(clients, "close");
  // until all are in, and it plays
  await new Promise((resolve) => setTimeout(resolve, 8000));
  const before = { memory: process.memoryUsage.rss(), cpu: process.cpuUsage(), at: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, (seconds - BEFORE) * 1000));
  const { user, system } = process.cpuUsage(before.cpu);
  const share = (user + system) / 1000 / (performance.now() - before.at);
  const after = process.memoryUsage.rss();
  await ended;
  const spread = JSON.parse(text) as Spread & { readonly packets: number };
  const { ranges, again } = reads.figures;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const ms = (time: number): string => `${time.toFixed(1)} ms`;
  console.log(`${values.viewers} viewers, ${values.players} players, ${seconds} s`);
  console.log(`source ranges  ${ranges}, read more than once: ${again}`);
  console.log(`moves compared ${spread.moves}, the same for all: ${spread.isSame}; ${spread.packets} packets in all`);
  console.log(
    `spread         p50 ${ms(spread.p50)}, p95 ${ms(spread.p95)}, p99 ${ms(spread.p99)}, max ${ms(spread.max)}`,
  );
  console.log(`processor      ${(100 * share).toFixed(1)} % of a core`);
  console.log(`memory         ${mebibytes(before.memory)} at the start, ${mebibytes(after)} at the end`);
  await server.close();
} finally {
  reads[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
}
