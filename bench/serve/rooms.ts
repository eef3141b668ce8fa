/**
 * Measures one room with many viewers on one node: how far apart their clocks are, how fast a change reaches them, and
 * what it costs: `npm run build && npx tsx bench/serve/rooms.ts [--viewers 1000] [--minutes 1]`.
 */
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import WebSocket from "ws";
import { type Move, RoomClient } from "../../packages/server/dist/rooms/index.js";
import { later, print, quantile, useOf } from "./measure.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
/** Processes of the viewers, so that their cost does not count as the server's. */
const PROCESSES = 2;
/** Milliseconds between two changes of the clock, and from a change to a look at all clocks. */
const MOVE_EVERY = 2000;
const LOOK_AFTER = 900;

/** A question to a process of viewers, and its answer. */
type Asked = { readonly ask: "ready" } | { readonly ask: "look"; readonly at: number };
interface Looked {
  readonly connected: number;
  readonly positions: readonly number[];
  /** When each viewer received its newest clock. */
  readonly came: readonly number[];
}

/** Milliseconds by a clock that all processes of this machine share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function enter(url: string, name: string, heard?: (type: string) => void): RoomClient {
  return new RoomClient({
    url,
    name,
    secret: `bench secret of ${name}`,
    now,
    connect: (to, events) => {
      const socket = new WebSocket(to);
      socket.on("open", events.opened);
      socket.on("message", (data) => events.heard((data as Buffer).toString("utf8")));
      socket.on("error", () => undefined);
      socket.on("close", events.closed);
      return socket;
    },
    heard: ({ type }) => heard?.(type),
  });
}

async function watch(url: string, first: number, count: number): Promise<void> {
  const came: number[] = [];
  const clients: RoomClient[] = [];
  for (let n = 0; n < count; n++) {
    clients.push(
      enter(url, `viewer ${first + n}`, (type) => {
        if (type === "clock") came[n] = now();
      }),
    );
    if (n % 20 === 19) await later(50);
  }
  process.on("message", (asked: Asked) => {
    const at = asked.ask === "look" ? asked.at : now();
    process.send!({
      connected: clients.filter(({ state }) => state === "connected").length,
      positions: clients.map((client) => client.position(at) ?? Number.NaN),
      came: [...came],
    } satisfies Looked);
  });
  process.on("disconnect", () => process.exit());
  // some users point at places
  setInterval(() => {
    for (const client of clients.slice(0, 5)) client.point({ at: [Math.random(), 0, 0], thing: null, camera: null });
  }, 200);
}

async function ask(children: readonly ChildProcess[], asked: Asked): Promise<Looked> {
  const answers = await Promise.all(
    children.map(async (child) => {
      const answer = once(child, "message") as Promise<[Looked]>;
      child.send(asked);
      return (await answer)[0];
    }),
  );
  return {
    connected: answers.reduce((sum, { connected }) => sum + connected, 0),
    positions: answers.flatMap(({ positions }) => positions),
    came: answers.flatMap(({ came }) => came),
  };
}

async function main(viewers: number, minutes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  const library = join(folder, "library");
  mkdirSync(library);
  execFileSync(process.execPath, [CLI, "demo", "mira", "-o", library, "--seconds", "60"], { stdio: "ignore" });
  const server = spawn(process.execPath, [CLI, "serve", library, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const children: ChildProcess[] = [];
  try {
    const [line] = (await once(server.stdout!, "data")) as [Buffer];
    const address = line.toString().trim();
    const room = await roomAt(address);
    const url = `${address.replace("http", "ws")}${room}`;
    const leader = enter(url, "leader");
    while (!leader.isLeader) await later(50);
    const each = Math.ceil(viewers / PROCESSES);
    for (let n = 0; n < PROCESSES; n++)
      children.push(
        fork(fileURLToPath(import.meta.url), ["--watch", url, "--first", String(n * each), "--viewers", String(each)]),
      );
    while ((await ask(children, { ask: "ready" })).connected < each * PROCESSES) await later(500);
    await later(3000);
    const moves: readonly Move[] = [
      { move: "play" },
      { move: "rate", rate: 2 },
      { move: "seek", time: 40 },
      { move: "rate", rate: -1 },
      { move: "loop", range: { start: 10, end: 30 } },
      { move: "seek", time: 20 },
      { move: "rate", rate: 1 },
    ];
    const apart: number[] = [];
    const late: number[] = [];
    const memory: number[] = [];
    const before = useOf(server.pid!);
    const began = now();
    for (let n = 0; now() - began < minutes * 60_000; n++) {
      const moved = now();
      leader.control(moves[n % moves.length]!);
      await later(LOOK_AFTER);
      const { positions, came } = await ask(children, { ask: "look", at: now() });
      const middle = quantile(positions, 0.5);
      const rate = Math.abs(leader.clock!.rate) || 1;
      for (const position of positions) apart.push((Math.abs(position - middle) / rate) * 1000);
      for (const at of came) late.push(at - moved);
      memory.push(useOf(server.pid!).memory);
      await later(MOVE_EVERY - (now() - moved));
    }
    const after = useOf(server.pid!);
    const third = Math.ceil(memory.length / 3);
    const row = {
      viewers: each * PROCESSES,
      minutes,
      "apart, p50 ms": quantile(apart, 0.5),
      "apart, p95 ms": quantile(apart, 0.95),
      "apart, most ms": Math.max(...apart.slice(-100_000)),
      "change reaches all, p50 ms": quantile(late, 0.5),
      "change reaches all, p95 ms": quantile(late, 0.95),
      "of a core, %": ((after.cpu - before.cpu) / ((now() - began) / 1000)) * 100,
      "memory, first third MiB": quantile(memory.slice(0, third), 0.5),
      "memory, last third MiB": quantile(memory.slice(-third), 0.5),
    };
    print(row);
    leader.close();
  } finally {
    for (const child of children) child.kill();
    server.kill();
    await once(server, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The path of the socket of a new room. */
async function roomAt(address: string): Promise<string> {
  for (;;) {
    const page = (await (await fetch(`${address}/api/recordings`)).json()) as {
      readonly recordings: readonly { readonly id: string; readonly state: string }[];
    };
    const [recording] = page.recordings;
    if (recording?.state === "indexed") {
      const answer = await fetch(`${address}/api/rooms`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "bench", recordings: [recording.id] }),
      });
      return ((await answer.json()) as { readonly socket: string }).socket;
    }
    await later(200);
  }
}

const { values } = parseArgs({
  options: {
    viewers: { type: "string", default: "1000" },
    minutes: { type: "string", default: "1" },
    watch: { type: "string" },
    first: { type: "string", default: "0" },
  },
});
if (values.watch === undefined) await main(Number(values.viewers), Number(values.minutes));
else await watch(values.watch, Number(values.first), Number(values.viewers));
