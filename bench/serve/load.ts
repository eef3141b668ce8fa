/**
 * Measures a mixed load on one node: 500 ranges of 4 KB a second, 20 live recordings, and 200 viewers in one room, all
 * at the same time. Beside it, plain node:http serves the same ranges:
 * `npm run bench:load [-- --minutes 10 --database embedded|postgres]`. Without `--database` it measures first the one,
 * then the other.
 */
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../../packages/server/test/support/postgres.ts";
import { later, print, quantile, useOf } from "./measure.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
const [PLAIN, READERS, ROOMS] = ["plain.mjs", "readers.mjs", "rooms.ts"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string, string];
const SIZE = 2 ** 30;
/** Ranges a second; live recordings, and things that move in each; viewers; milliseconds of a tick. */
const [RATE, LIVE, THINGS, VIEWERS, TICK] = [500, 20, 10, 200, 50];
/** Seconds until everything runs; and seconds that plain node:http is measured, which is the same all the time. */
const [BEGINNING, PLAIN_SECONDS] = [10, 30];

interface Answers {
  readonly took: readonly number[];
  readonly failed: number;
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" }, database: { type: "string" } } });
const seconds = Number(values.minutes) * 60;
const folder = mkdtempSync(join(tmpdir(), "simtape-load-"));
const started: ChildProcess[] = [];
try {
  const large = join(folder, "large.tape");
  execFileSync(process.execPath, [CLI, "demo", "mira", "-o", join(folder, "made"), "--seconds", "60"]);
  const made = join(folder, "made", readdirSync(join(folder, "made"))[0]!);
  execFileSync("cp", [made, large]);
  truncateSync(large, SIZE);
  await measurePlain(large);
  for (const database of values.database === undefined ? ["embedded", "postgres"] : [values.database]) {
    const postgres = database === "postgres" ? await startPostgres() : null;
    await measureServer(database, made, postgres === null ? [] : ["--database", await postgres.database()]);
    await postgres?.stop();
  }
} finally {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

async function measurePlain(file: string): Promise<void> {
  const [server, address] = await start(PLAIN, file);
  await read(address, 3);
  const before = useOf(server.pid!);
  const answers = await read(address, PLAIN_SECONDS);
  const cpu = useOf(server.pid!).cpu - before.cpu;
  process.stdout.write(`plain node:http, ${RATE} ranges a second\n`);
  print({ ...timesOf(answers), "of a core, %": (cpu / PLAIN_SECONDS) * 100, "memory, MiB": useOf(server.pid!).memory });
  await end(server);
}

async function measureServer(name: string, recording: string, words: readonly string[]): Promise<void> {
  const library = join(folder, `library-${name}`);
  mkdirSync(library);
  execFileSync("cp", [recording, join(library, "watched.tape")]);
  execFileSync("cp", [recording, join(library, "read.tape")]);
  truncateSync(join(library, "read.tape"), SIZE);
  const [server, address] = await start(CLI, "serve", library, "--port", "0", ...words);
  const { watched, url } = await indexed(address);
  const room = await fetch(`${address}/api/rooms`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "load", recordings: [watched] }),
  });
  const { socket } = (await room.json()) as { readonly socket: string };
  const watching = ["--watch", address.replace("http", "ws") + socket, "--viewers", String(VIEWERS)];
  const viewers = fork(ROOMS, watching);
  started.push(viewers);
  const [senders, stop] = record(address);
  await later(BEGINNING * 1000);
  viewers.send({ ask: "ready" });
  const [{ connected }] = (await once(viewers, "message")) as [{ readonly connected: number }];
  const memory: number[] = [];
  const looking = setInterval(() => memory.push(useOf(server.pid!).memory), 1000);
  const before = useOf(server.pid!);
  const answers = await read(address + url, seconds);
  const after = useOf(server.pid!);
  clearInterval(looking);
  const third = Math.ceil(memory.length / 3);
  process.stdout.write(`\nsimtape serve, ${name}: and ${LIVE} live recordings, ${VIEWERS} viewers, ${seconds} s\n`);
  print({
    ...timesOf(answers),
    "of a core, %": ((after.cpu - before.cpu) / seconds) * 100,
    "of it the first thread, %": ((after.first - before.first) / seconds) * 100,
    "memory, first third MiB": quantile(memory.slice(0, third), 0.5),
    "memory, last third MiB": quantile(memory.slice(-third), 0.5),
    "viewers connected": connected,
    "live recordings at the end": senders.filter(({ destroyed }) => !destroyed).length,
  });
  stop();
  viewers.kill();
  await end(server);
}

/** Sends lines to all live recordings until `stop` is called. */
function record(address: string): [senders: readonly ClientRequest[], stop: () => void] {
  const senders = Array.from({ length: LIVE }, (_, n) =>
    request(`${address}/api/live/load-${n}`, { method: "POST", agent: false }).on("error", () => undefined),
  );
  let tick = 0;
  const sending = setInterval(() => {
    tick++;
    let text = `{"tick":${tick}}\n`;
    for (let thing = 0; thing < THINGS; thing++) {
      const position = [(tick * 0.7 + thing).toFixed(3), Math.sin(tick / 9 + thing).toFixed(4), 0].join(",");
      text += `{"entities":{"cars":{"${thing}":{"position":[${position}]}}}}\n`;
    }
    for (const sender of senders) sender.write(text);
  }, TICK);
  return [
    senders,
    () => {
      clearInterval(sending);
      for (const sender of senders) sender.destroy();
    },
  ];
}

async function read(url: string, during: number): Promise<Answers> {
  const child = spawn(process.execPath, [READERS, url, String(SIZE), String(RATE), String(during)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await once(child, "close");
  return JSON.parse(text) as Answers;
}

function timesOf({ took, failed }: Answers): Record<string, number> {
  return {
    "ranges, p50 ms": quantile(took, 0.5),
    "ranges, p99 ms": quantile(took, 0.99),
    "ranges, most ms": took.reduce((most, one) => Math.max(most, one), 0),
    "ranges that failed": failed,
  };
}

async function start(...words: string[]): Promise<[ChildProcess, address: string]> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  const [text] = (await once(child.stdout!.setEncoding("utf8"), "data")) as [string];
  return [child, text.trim()];
}

async function end(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, "exit");
}

/** The id of the recording that is watched, and the path of the bytes of the large one. */
async function indexed(address: string): Promise<{ readonly watched: string; readonly url: string }> {
  for (;;) {
    const answer = await fetch(`${address}/api/recordings`);
    const page = (await answer.json()) as {
      readonly recordings: readonly {
        readonly id: string;
        readonly name: string;
        readonly url: string;
        readonly state: string;
      }[];
    };
    const [watched, large] = ["watched", "read"].map((name) =>
      page.recordings.find((one) => one.name.startsWith(name) && one.state !== "new"),
    );
    if (watched !== undefined && large !== undefined) return { watched: watched.id, url: large.url };
    await later(500);
  }
}
