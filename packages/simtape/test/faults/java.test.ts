import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { simtapeProcess } from "../cli/run.ts";
import { TestHub } from "../support/test-hub.ts";
import { writeStubs } from "../senders/stubs.ts";

const JAVA = fileURLToPath(new URL("../../../../senders/java/", import.meta.url));
const PLAYERS = 24;
const hasJava = spawnSync("javac", ["-version"]).status === 0;
const title = hasJava
  ? "the Java sender"
  : "the Java sender (no javac: apt-get install --no-install-recommends openjdk-17-jdk-headless)";

let folder = "";
const running = new Set<{ kill(): unknown }>();

/** A game of `senders/java/test/Play.java`, as a process of its own. */
class Game {
  readonly #process: ChildProcess;
  readonly lines: string[] = [];

  constructor(game: string, port: number, ...words: readonly string[]) {
    this.#process = spawn("java", [
      "-XX:TieredStopAtLevel=1",
      "-cp",
      join(folder, "game"),
      "Play",
      game,
      `${port}`,
      ...words,
    ]);
    let rest = "";
    this.#process.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.lines.push(...lines);
    });
    this.#process.stderr!.setEncoding("utf8").on("data", (text: string) => this.lines.push(`stderr ${text}`));
    running.add(this);
  }

  /** The first line that has this text. */
  async line(text: string): Promise<string> {
    await expect.poll(() => this.lines.join("\n")).toContain(text);
    return this.lines.find((line) => line.includes(text))!;
  }

  say(text: string): void {
    this.#process.stdin!.write(`${text}\n`);
  }

  /** What it has counted when it ends by itself. */
  async end(): Promise<{ sent: number; dropped: number }> {
    if (this.#process.exitCode === null) await once(this.#process, "close");
    expect(this.#process.exitCode, this.lines.join("\n")).toBe(0);
    const [, sent, dropped] = /sent=(\d+), dropped=(\d+), waiting=0/.exec(await this.line("status "))!;
    return { sent: Number(sent), dropped: Number(dropped) };
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

async function hubIn(name: string, words: readonly string[] = [], port = 0): Promise<TestHub> {
  const hub = await TestHub.start(join(folder, name), words, port);
  running.add(hub);
  return hub;
}

/** Where a player of the game is at a tick: `Play.stance`. */
function place(player: number, tick: number): number[] {
  return [player * 4 + tick * 0.125, 64 + (tick % 8) / 16, 4 - player / 4];
}

/** The names of the players at a tick, and where they are. */
async function places(recording: Recording, tick: number): Promise<Record<string, number[]>> {
  const players = (await recording.state(tick * 5e7)).sets.get("players")!;
  const label = players.columns.get("label")!.data as readonly string[];
  const position = players.columns.get("position")!.data as Float64Array;
  return Object.fromEntries(players.ids.map((_, row) => [label[row]!, [...position.slice(row * 3, row * 3 + 3)]]));
}

function expected(players: readonly number[], tick: number): Record<string, number[]> {
  return Object.fromEntries(players.map((player) => [`Player${player}`, place(player, tick)]));
}

const all = [...Array(PLAYERS).keys()];

describe.skipIf(!hasJava)(title, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "simtape-java-"));
    const sources = readdirSync(join(JAVA, "src/simtape")).map((name) => join(JAVA, "src/simtape", name));
    const out = ["-Xlint:all", "-Werror", "--release", "17", "-d", join(folder, "game")];
    execFileSync("javac", [...out, ...sources, join(JAVA, "test/Play.java")]);
  });
  afterEach(async () => {
    for (const each of running) await each.kill();
    running.clear();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("records 24 players exactly, in a recording of all, in one of each run, and in a ring", async () => {
    const hub = await hubIn("match", ["--token", "secret"]);
    const game = new Game("match", hub.port, "secret");
    expect(await game.end()).toMatchObject({ dropped: 0 });
    expect(game.lines.filter((line) => line.includes("error"))).toEqual([]);
    expect(await hub.end()).toMatchObject({
      exit: 0,
      counts: { recordings: 1 + PLAYERS, discarded: 1, clips: 1, skipped: 0, unknown: 0 },
    });

    await using match = await open(fromFile(join(hub.store, "match", "meta.hcrp")));
    for (let tick = 0; tick < 60; tick++)
      expect(await places(match, tick)).toEqual(expected(tick < 50 ? all : all.slice(0, -1), tick));
    const { stdout } = await simtapeProcess(["meta", "get", join(hub.store, "match"), "hcrp", "--json"]);
    for (const player of all) expect(stdout).toContain(`"skin-${player}="`);
    expect(stdout.match(/"signed"/g)).toHaveLength(PLAYERS / 2);

    for (const player of all) {
      await using run = await open(fromFile(join(hub.store, `run-${player}`, "meta.hcrp")));
      for (const tick of [0, 1, 33, 59]) expect(await places(run, tick)).toEqual(expected([player], tick));
      const marks: unknown[] = [];
      for await (const events of run.events({ kinds: ["start", "checkpoint"] }))
        for (const { time, kind, text } of events) marks.push([time / 5e7, kind, text]);
      expect(marks).toEqual([
        [0, "start", "start"],
        [20 + player, "checkpoint", `half of ${player}`],
      ]);
      const about = JSON.stringify(run.info.metadata);
      expect(about).toContain(`"duration_ms":${3000 + player}`);
      expect(about).toContain(`"outcome":"${player === 7 ? "reset" : "completed"}"`);
    }
    await using clip = await open(fromFile(join(hub.store, "report-1.hcrp")));
    expect(await places(clip, 40)).toEqual(expected(all, 40));
  });

  test("never waits for a hub that reads nothing, counts what it drops, and then sends what holds", async () => {
    const received: string[] = [];
    const [server, sockets] = await silent((text) => received.push(text));
    const game = new Game("flood", (server.address() as AddressInfo).port, "");
    const [, waited, blocked, most] = (await game.line("flooded")).split(" ").map(Number);
    expect([waited, blocked]).toEqual([0, 0]);
    // the limit, and what one tick has
    expect(most).toBeLessThan((1 << 20) + 8192);
    expect(game.lines.filter((line) => line.includes("does not keep up"))).toHaveLength(1);
    for (const socket of sockets) socket.resume();
    game.say("it reads");
    const { sent, dropped } = await game.end();
    expect(dropped).toBeGreaterThanOrEqual(100_000);
    expect(await game.line("keeps up again")).toContain(`${dropped} lines were dropped`);
    const lines = received
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    // the first says who sends
    expect(lines).toHaveLength(sent + 1);
    expect(lines.filter(({ mark }) => mark !== undefined)).toHaveLength(1);
    for (const player of all) {
      const last = lines.findLast((line) => (line.move ?? line.teleport)?.id === `p${player}`)!;
      expect(last.teleport?.at).toEqual(place(player, 1_000_000));
    }
    server.close();
  });

  test("connects again when what may not be dropped finds no room, and begins with what holds", async () => {
    const received: string[] = [];
    const [server, sockets] = await silent((text) => received.push(text));
    const game = new Game("flood-needed", (server.address() as AddressInfo).port, "");
    await expect.poll(() => sockets.length).toBe(2);
    sockets[1]!.resume();
    const { dropped } = await game.end();
    expect(dropped).toBeGreaterThan(0);
    const lines = received
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, { rec?: string; id?: string; at?: number[] }>);
    expect(lines.map((line) => Object.keys(line).at(-1))).toEqual(["simtape", "begin", "tick", "join", "move", "end"]);
    expect(lines[1]!["begin"]).toMatchObject({ rec: "all.2" });
    expect(lines[4]!["move"]!.at).toEqual(place(0, lines[2]!["tick"] as number));
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test("goes on when the hub is killed and started again, and what was committed is kept", async () => {
    const first = await hubIn("killed", ["--commit-every", "1s"], await portOfOurs());
    const game = new Game("unbroken", first.port, "");
    const path = join(first.store, "run", "meta.hcrp");
    await expect.poll(() => lengthOf(path)).toBeGreaterThan(60);
    const committed = await lengthOf(path);
    await first.kill();
    await game.line("trying again");
    const second = await hubIn("killed", ["--commit-every", "1s"], first.port);
    await game.line('{"rec":"run.2","began":true}');
    await expect.poll(() => lengthOf(join(first.store, "run.2", "meta.hcrp"))).toBeGreaterThan(60);
    game.say("it is enough");
    await game.end();
    expect(await second.end()).toMatchObject({ exit: 0, counts: { recordings: 1, skipped: 0 } });

    expect([0, 3]).toContain((await simtapeProcess(["recover", join(first.store, "run")])).exit);
    await using before = await open(fromFile(path));
    await using after = await open(fromFile(join(first.store, "run.2", "meta.hcrp")));
    const last = (await before.timeline()).end / 5e7 - 1;
    expect(last).toBeGreaterThanOrEqual(committed - 1);
    for (let tick = 0; tick < last; tick += 7) expect(await places(before, tick)).toEqual(expected([0], tick));
    const gone = (await places(after, 0))["Player0"]![0]! / 0.125;
    expect(gone).toBeGreaterThan(last);
    for (const tick of [0, 1, 33, 60]) expect(await places(after, tick)).toEqual(expected([0], gone + tick));
    // what holds is in the second part, too
    expect((await after.state(5e7)).values.get("players/1/items/0")).toBeDefined();
  });

  test("any text arrives, and a place that is none is refused by itself", async () => {
    const texts = HOSTILE;
    const received: string[] = [];
    const [server, sockets] = await silent((text) => received.push(text));
    for (const socket of sockets) socket.resume();
    server.on("connection", (socket: Socket) => socket.resume());
    await new Game("texts", (server.address() as AddressInfo).port, "", ...texts.map(inUnits)).end();
    const lines = received
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(lines.flatMap(({ chat }) => chat?.text ?? [])).toEqual(texts);
    server.close();

    const hub = await hubIn("texts");
    const game = new Game("texts", hub.port, "", ...texts.map(inUnits));
    await game.end();
    const { counts } = await hub.end();
    expect(counts).toMatchObject({ skipped: texts.length, recordings: 1 });
    expect(await game.line("error")).toContain("move.at");
    await using recording = await open(fromFile(join(hub.store, "texts", "meta.hcrp")));
    const chat: unknown[] = [];
    for await (const events of recording.events({ kinds: ["chat"] })) chat.push(...events.map(({ text }) => text));
    // a recording is UTF-8, which has no halves
    expect(chat).toEqual(texts.map((text) => `Player0: ${Buffer.from(text).toString()}`));
  });

  test.each(["paper/src/simtape/paper/SimtapePlugin.java", "minestom/src/simtape/minestom/SimtapeRecorder.java"])(
    "the adapter %s compiles",
    (path) => {
      const stubs = join(folder, "stubs");
      writeStubs(stubs);
      // only what the adapter is made of may warn
      const words = ["-Xlint:all", "-Werror", "-implicit:none", "--release", "17", "-d", join(folder, "adapters")];
      execFileSync("javac", [
        ...words,
        "-cp",
        join(folder, "game"),
        "-sourcepath",
        stubs,
        join(JAVA, "adapters", path),
      ]);
    },
  );

  test("says that it is refused, and ends in time", async () => {
    const hub = await hubIn("refused", ["--token", "secret"]);
    const game = new Game("refused", hub.port, "wrong");
    await game.line("a wrong token");
    await game.line("trying again");
    game.say("it is enough");
    expect(await game.end()).toEqual({ sent: 0, dropped: 0 });
  });
});

interface Line {
  readonly chat?: { readonly text: string };
  readonly mark?: unknown;
  readonly move?: { readonly id: string; readonly at: readonly number[] };
  readonly teleport?: { readonly id: string; readonly at: readonly number[] };
}

const HOSTILE = [
  'a "quote" and a \\ and a / and a \n and a \u0000 and a \u007f',
  '"},{"end":{"rec":"texts"}}',
  "\u2028\u2029\ufeff\ufffe\uffff",
  "💀 héllo 日本 שלום",
  "a half \ud83d, and the other \udc80",
];

function inUnits(text: string): string {
  return [...Array(text.length).keys()].map((at) => text.charCodeAt(at).toString(16).padStart(4, "0")).join("");
}

/** A server that takes connections, and reads nothing until a socket is resumed. */
async function silent(receive: (text: string) => void): Promise<[Server, Socket[]]> {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket);
    socket.setEncoding("utf8");
    socket.on("data", receive).on("error", () => undefined);
    socket.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return [server, sockets];
}

/** A free port that the system gives to no other program: it is still free when a hub has been killed. */
async function portOfOurs(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Ticks of what is committed; 0: nothing yet. */
async function lengthOf(path: string): Promise<number> {
  try {
    await using recording = await open(fromFile(path));
    return (await recording.timeline()).end / 5e7;
  } catch {
    return 0;
  }
}
