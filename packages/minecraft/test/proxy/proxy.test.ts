import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as later } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GameProxy, type ProxyEvent } from "../../src/proxy/proxy.ts";
import { Sprinter } from "../support/course.ts";
import { type Place, TestServer, Walker } from "../support/squid.ts";

const VERSION = "1.16.5";
const MC = fileURLToPath(new URL("../../bin/simtape-mc.js", import.meta.url));
const SIMTAPE = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
/** Half a step of the grid. */
const NEAR = 1 / 8192 + 1e-9;

let store = "";
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "simtape-proxy-"));
});
afterEach(() => rmSync(store, { recursive: true, force: true, maxRetries: 5 }));

/** Places of each player at each tick, by UUID; a place that stays is there once. */
async function recorded(id: string): Promise<Map<string, Place[]>> {
  await using recording = await open(fromFile(join(store, id, "meta.hcrp")));
  const places = new Map<string, Place[]>();
  const { ticks } = recording.info.metadata as { ticks: number };
  for (let tick = 0; tick < ticks; tick++) {
    const { sets } = await recording.state(tick * 50e6);
    const { ids = [], columns } = sets.get("players") ?? { columns: new Map() };
    for (const [row, entity] of ids.entries()) {
      const position = columns.get("position")!.data as Float64Array;
      const [x, y, z] = position.subarray(row * 3, row * 3 + 3);
      const own = places.get(String(entity)) ?? [];
      places.set(String(entity), own);
      if (own.length === 0 || !isNear(own.at(-1)!, [x!, y!, z!])) own.push([x!, y!, z!]);
    }
  }
  return places;
}

function isNear(a: Place, b: Place): boolean {
  return a.every((value, i) => Math.abs(value - b[i]!) <= NEAR);
}

function isAgreed([, there, sent]: readonly unknown[]): boolean {
  return there !== null && JSON.stringify(there) === JSON.stringify(sent);
}

/** How many of the recorded places were sent, in this order. */
function foundIn(sent: readonly Place[], places: readonly Place[]): number {
  let from = 0;
  for (const [i, place] of places.entries()) {
    while (from < sent.length && !isNear(sent[from]!, place)) from++;
    if (from === sent.length) return i;
  }
  return places.length;
}

/** Whose places they are. */
function ownerOf(walkers: readonly Walker[], places: readonly Place[]): Walker | undefined {
  return walkers.find(({ sent }) => foundIn(sent, places) === places.length);
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;

describe("a proxy", () => {
  test.each([
    ["1.16.5", 12],
    ["1.20.1", 4],
    ["1.21.4", 4],
  ])(
    "row 3, %s, %i players: records what each has sent, and the server has them where they are without it",
    async (version, bots) => {
      await using game = await TestServer.start(version);
      const events: ProxyEvent[] = [];
      const server = { host: "127.0.0.1", port: game.port };
      const proxy = await GameProxy.listen({
        port: 0,
        host: "127.0.0.1",
        server,
        store,
        report: (e) => events.push(e),
      });
      const walkers = Array.from({ length: bots }, (_, i) => new Walker(proxy.port, `bot${i}`, version));
      const bystander = new Walker(game.port, "bystander", version);
      try {
        await Promise.all([...walkers, bystander].map((walker, i) => walker.walk(i)));
        for (const { sent } of [...walkers, bystander]) await expect.poll(() => sent.length).toBeGreaterThan(60);
        for (const walker of [...walkers, bystander]) walker.stop();
        // those who come through the proxy are where they say, and so is the one who does not
        for (const walker of [...walkers, bystander])
          await expect.poll(() => [walker.name, game.placeOf(walker.name), walker.sent.at(-1)]).toSatisfy(isAgreed);
      } finally {
        for (const walker of [...walkers, bystander]) await walker[Symbol.asyncDispose]();
        await expect.poll(() => events.filter((event) => "left" in event).length).toBe(bots);
        await proxy.close();
      }
      expect(events.filter((event) => "error" in event || "blind" in event)).toEqual([]);
      expect(events.map((event) => ("left" in event ? event.faults : 0)).every((faults) => faults === 0)).toBe(true);
      expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
      const [id] = readdirSync(store);
      const players = await recorded(id!);
      // who does not come through the proxy is there as the others see it; this server shows no players since 1.20.2
      const seen = version === "1.21.4" ? [] : [""];
      const owners = [...players.values()].map((places) => ownerOf(walkers, places)?.name ?? "");
      expect(owners.sort()).toEqual([...seen, ...walkers.map(({ name }) => name)].sort());
      for (const places of players.values()) expect(places.length).toBeGreaterThan(3);
    },
  );

  test("what a client sends in bursts is recorded place by place", async () => {
    await using game = await TestServer.start(VERSION);
    const server = { host: "127.0.0.1", port: game.port };
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store });
    const player = await Sprinter.join(proxy.port, VERSION, "burst");
    const sent: Place[] = [];
    player.step(1);
    for (let burst = 0; burst < 4; burst++) {
      // a client that was held up for so long makes up for it
      await later(450);
      for (let i = 0; i < 8; i++) {
        const x = 2 + burst * 8 + i;
        player.step(x);
        sent.push([x, 64, 1]);
      }
    }
    await later(100);
    await player.looker[Symbol.asyncDispose]();
    await proxy.close();
    expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
    const [places] = [...(await recorded(readdirSync(store)[0]!)).values()];
    expect(places!.slice(places!.findIndex(([x]) => x === 1) + 1)).toEqual(sent);
  });

  test("row 4: what was recorded before a kill is there after recovery, and clients are let go", async () => {
    await using game = await TestServer.start(VERSION);
    const words = ["proxy", "--listen", "0", "--server", `127.0.0.1:${game.port}`, "--store", store, "--json"];
    const proxy = spawn(process.execPath, [MC, ...words], { stdio: ["ignore", "pipe", "ignore"] });
    const exited = once(proxy, "exit");
    try {
      const [line] = (await once(proxy.stdout.setEncoding("utf8"), "data")) as [string];
      const { port } = (JSON.parse(line) as { listening: { port: number } }).listening;
      const walker = new Walker(port, "one", VERSION);
      await walker.walk(0);
      await expect.poll(() => walker.sent.length).toBeGreaterThan(40);
      const journal = (): number => statSync(journalIn(store)).size;
      // nothing is committed yet: that is done every 30 seconds
      for (let grown = 0, size = journal(); grown < 4; grown++) {
        await expect.poll(journal).not.toBe(size);
        size = journal();
      }
      proxy.kill("SIGKILL");
      await exited;
      await expect.poll(() => walker.ended).toBe(true);
      const [id] = readdirSync(store);
      execFileSync(process.execPath, [SIMTAPE, "recover", join(store, id!)], { stdio: "ignore" });
      const [places] = [...(await recorded(id!)).values()];
      expect(places!.length).toBeGreaterThan(10);
      expect(foundIn(walker.sent, places!)).toBe(places!.length);
    } finally {
      proxy.kill("SIGKILL");
    }
  });

  test("Ctrl+C lets players go and finishes the recording", async () => {
    await using game = await TestServer.start(VERSION);
    const words = ["proxy", "--listen", "0", "--server", `127.0.0.1:${game.port}`, "--store", store, "--json"];
    const proxy = spawn(process.execPath, [MC, ...words], { stdio: ["ignore", "pipe", "ignore"] });
    const closed = once(proxy, "close");
    let said = "";
    proxy.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    try {
      await expect.poll(() => said).toContain("\n");
      const { port } = (JSON.parse(said) as { listening: { port: number } }).listening;
      const walker = new Walker(port, "one", VERSION);
      await walker.walk(0);
      await expect.poll(() => walker.sent.length).toBeGreaterThan(20);
      proxy.kill("SIGINT");
      expect(await closed).toEqual([0, null]);
      await expect.poll(() => walker.ended).toBe(true);
      const lines = said.trim().split("\n");
      expect(lines.map((line) => Object.keys(JSON.parse(line) as object)[0])).toEqual([
        "listening",
        "began",
        "joined",
        "ended",
      ]);
      const [id] = readdirSync(store);
      expect(JSON.parse(lines[3]!)).toMatchObject({ ended: { id, outcome: "completed" } });
      const [places] = [...(await recorded(id!)).values()];
      expect(foundIn(walker.sent, places!)).toBe(places!.length);
    } finally {
      proxy.kill("SIGKILL");
    }
  });

  test.each([
    ["--server", "nowhere"],
    ["--server", "127.0.0.1:70000"],
    ["--listen", "x"],
  ])("%s %s is wrong usage", (option, value) => {
    const usual = { "--listen": "0", "--server": "127.0.0.1:25565", "--store": store, [option]: value };
    const { status, stderr } = spawnSync(process.execPath, [MC, "proxy", ...Object.entries(usual).flat()]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringContaining(option)]);
  });

  test("bytes that are no packets pass unchanged both ways", async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
    await once(echo, "listening");
    const events: ProxyEvent[] = [];
    const server = { host: "127.0.0.1", port: portOf(echo) };
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, report: (e) => events.push(e) });
    try {
      const bytes = Buffer.concat([Buffer.alloc(8, 0xff), randomBytes(3_000_000)]);
      const client = connect(proxy.port, "127.0.0.1");
      const back: Buffer[] = [];
      const ended = once(
        client.on("data", (part: Buffer) => back.push(part)),
        "end",
      );
      client.end(bytes);
      await ended;
      expect(Buffer.concat(back).equals(bytes)).toBe(true);
      expect(events.map((event) => Object.keys(event)[0])).toEqual(["blind"]);
      expect(readdirSync(store)).toEqual([]);
    } finally {
      await proxy.close();
      echo.close();
    }
  });

  test("a client is reported when the server is not there", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const server = { host: "127.0.0.1", port: portOf(gone) };
    gone.close();
    await once(gone, "close");
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store });
    try {
      const walker = new Walker(proxy.port, "one", VERSION);
      await expect.poll(() => walker.ended).toBe(true);
      expect(walker.sent).toEqual([]);
    } finally {
      await proxy.close();
    }
  });
});

function journalIn(folder: string): string {
  return join(folder, readdirSync(folder)[0]!, "journal.hcj");
}
