import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { open, type Recording, type State } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { simtapeProcess } from "../cli/run.ts";
import { type Counts, Game } from "../senders/game.ts";
import { compile, has, NO_COMPILER, NO_PYTHON, SENDERS } from "../senders/programs.ts";
import { TestRecorder } from "../support/test-recorder.ts";

const PLAYERS = 24;
const TICK = 5e7;

interface Language {
  readonly id: string;
  readonly name: string;
  readonly missing: string | null;
  readonly command: () => readonly string[];
}

let folder = "";
const running = new Set<{ kill(): unknown }>();

const LANGUAGES: readonly Language[] = [
  {
    id: "cpp",
    name: "C++",
    missing: has("g++") ? null : NO_COMPILER,
    command: () => [join(folder, "play")],
  },
  {
    id: "python",
    name: "Python",
    missing: has("python3") ? null : NO_PYTHON,
    command: () => ["python3", join(SENDERS, "python/tests/play.py")],
  },
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "simtape-senders-"));
  if (has("g++")) await compile("g++", join(SENDERS, "cpp/test/play.cpp"), join(folder, "play"));
});
afterEach(async () => {
  for (const each of running) await each.kill();
  running.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const { id, name, missing, command } of LANGUAGES) {
  const title = `the sender in ${name}${missing === null ? "" : ` (${missing})`}`;
  describe.skipIf(missing !== null)(title, () => {
    const play = (scene: string, to: string, ...words: readonly string[]): Game => {
      const game = new Game([...command(), scene, to, ...words]);
      running.add(game);
      return game;
    };
    const recorderAt = async (out: string, words: readonly string[] = [], port = 0): Promise<TestRecorder> => {
      const recorder = await TestRecorder.start(out, words, port);
      running.add(recorder);
      return recorder;
    };
    /** A scene, recorded from its beginning to its end. */
    const recorded = async (scene: string): Promise<{ path: string; counts: Counts }> => {
      const path = join(folder, `${id}-${scene}`);
      const recorder = await recorderAt(path);
      const counts = await play(scene, `tcp://127.0.0.1:${recorder.port}`).end();
      const { exit, report } = await recorder.end();
      // the header is no line that the sender counts
      expect([exit, report]).toEqual([0, expect.objectContaining({ outcome: "completed", lines: counts.sent + 1 })]);
      expect((await simtapeProcess(["check", path])).exit).toBe(0);
      return { path: join(path, "meta.hcrp"), counts };
    };

    test("records 24 players exactly, with what they wear, say and do", async () => {
      const { path, counts } = await recorded("world");
      expect(counts).toMatchObject({ dropped: 0, lost: 0, merged: 0, refused: 2 });
      await using recording = await open(fromFile(path));
      for (let tick = 0; tick < 60; tick++) {
        const count = tick < 49 ? PLAYERS : PLAYERS - 1;
        const expected = [...Array(count).keys()].map((player) => [`Player${player}`, placeOf(player, tick)]);
        expect(await players(recording, tick), `tick ${tick}`).toEqual(Object.fromEntries(expected));
      }
      const events: unknown[] = [];
      for await (const batch of recording.events({ kinds: ["chat", "checkpoint"] }))
        for (const { time, kind, text } of batch) events.push([time / TICK, kind, text]);
      expect(events).toEqual([
        [20, "chat", 'Player0: half "way"\n'],
        [30, "checkpoint", "checkpoint"],
      ]);
      const { sets, values } = await recording.state(59 * TICK);
      expect([...sets.get("blocks")!.ids]).toEqual(["1,64,-3"]);
      expect(values.get("world/weather")).toBe(1);
      expect([...values].filter(([key]) => key.endsWith("/items/0"))).toHaveLength(1);
    });

    test("records values and sets to the last bit, numbers that are none, and what comes and goes", async () => {
      const { path, counts } = await recorded("state");
      expect(counts).toMatchObject({ dropped: 0, lost: 0, merged: 0, refused: 2 });
      await using recording = await open(fromFile(path));
      // 50 ticks a second, of which a recording has 20: the last of each
      for (let tick = 0; tick < 40; tick++) {
        const sent = Math.floor(tick * 2.5);
        const { sets, values } = await recording.state(tick * TICK);
        const ids = [...sets.get("drones")!.ids];
        expect(ids, `tick ${tick}`).toEqual(sent >= 20 && sent < 80 ? ["one", "two"] : ["one"]);
        const numbers = [sent / 3, sent === 50 ? Number.NaN : 1, sent === 60 ? Number.POSITIVE_INFINITY : -sent / 7];
        const position = sent === 90 ? [1, 2, 3] : numbers.map((number) => number + 0);
        expect(cells(sets, "one", "position")).toEqual(position);
        // a thing that was removed and is there again in one tick has nothing of before
        expect(cells(sets, "one", "armed")).toEqual([sent >= 10 && sent !== 90 ? 1 : 0]);
        if (ids.length > 1) expect(cells(sets, "two", "position")).toEqual([0.1, 0.2, 1e-300]);
        if (ids.length > 1) expect(cells(sets, "two", "label")).toEqual(['d"2"\n']);
        expect(values.get("wind/speed")).toBe(sent === 70 ? undefined : sent * 0.1);
        if (sent >= 30) expect(values.get("scenario")).toEqual({ name: "crossing", seeds: [1, null, "three"] });
      }
      const own: unknown[] = [];
      for (const channel of recording.channels.filter((each) => each.name.startsWith("drones:"))) {
        for await (const batch of recording.batches({ channels: [channel] }))
          for (let row = 0; row < batch.length; row++)
            own.push([channel.name, batch.time[row]! / TICK, [...batch.payload(row)]]);
      }
      expect(own).toEqual([
        ["drones:gust", 16, [...Buffer.from('{"speed":12.5}')]],
        ["drones:image", 17, [0, 1, 255, 127]],
      ]);
    });

    test("never waits for a recorder that reads nothing, keeps its memory, and then sends what holds", async () => {
      const received: string[] = [];
      const [server, sockets] = await silent((text) => received.push(text));
      const game = play("flood", `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const [, most, memory, slowest] = (await game.line("flooded")).split(" ").map(Number);
      // the limit, and what one tick has
      expect(most).toBeLessThan((1 << 20) + 8192);
      expect(memory).toBeLessThan(100 << 20);
      // no call has waited: the recorder has taken nothing for all of the time
      expect(slowest).toBeLessThan(1);
      // the system may take more of it once, and then no more
      const behind = game.lines.filter((line) => /does not keep up|there is room again/.test(line));
      expect(behind.map((line) => line.includes("does not keep up"))).toEqual(behind.map((_, i) => i % 2 === 0));
      expect(behind.length % 2).toBe(1);
      for (const socket of sockets) socket.resume();
      game.say("it reads");
      const { sent, merged, dropped, lost } = await game.end();
      expect(lost).toBe(0);
      expect(merged).toBeGreaterThan(20_000);
      const lines = linesOf(received);
      // the first is the header
      expect(lines).toHaveLength(sent + 1);
      const notes = lines.flatMap(({ event, value }) => (event === "drones:note" ? [value as number] : []));
      const gaps = lines.filter(({ event }) => event === "sender:gap").map(({ value }) => value as Gap);
      const ticks = lines.flatMap(({ tick }) => tick ?? []);
      const last = ticks.at(-1)!;
      expect(notes.length + dropped).toBe(last / 10);
      // what is missing is in the recording
      expect(gaps).toEqual([
        expect.objectContaining({ why: "the recorder did not keep up", ticks: merged, events: dropped }),
      ]);
      expect(ticks.slice(ticks.indexOf(gaps[0]!.after) + 1)).toEqual([last - 1, last]);
      const state: Record<string, unknown> = {};
      for (const line of lines) Object.assign(state, line.entities?.["drones"]);
      for (let id = 0; id < 4; id++) expect(state[id]).toEqual({ position: [last - 1, id, 0.5] });
      expect(lines.findLast((line) => line.set !== undefined)!.set).toEqual({ last: true });
      server.close();
    });

    test("loses no tick of the time in which the recorder was killed and away, and the recording says so", async () => {
      const path = join(folder, `${id}-killed`);
      const first = await recorderAt(path, ["--commit-every", "200ms"], await portOfOurs());
      const game = play("unbroken", `tcp://127.0.0.1:${first.port}`);
      await expect.poll(() => lengthOf(path)).toBeGreaterThan(30);
      await first.kill();
      const committed = await lengthOf(path);
      await game.line("trying again");
      const second = await recorderAt(path, ["--commit-every", "200ms", "--resume"], first.port);
      await expect.poll(() => lengthOf(path)).toBeGreaterThan(committed + 30);
      game.say("it is enough");
      const counts = await game.end();
      expect(counts).toMatchObject({ connections: 2, merged: 0, dropped: 0, lost: 0, waiting: 0 });
      expect((await second.end()).exit).toBe(0);
      expect((await simtapeProcess(["check", path])).exit).toBe(0);

      await using recording = await open(fromFile(join(path, "meta.hcrp")));
      const gaps = await payloadsOf(recording, "sender:gap");
      expect(gaps).toHaveLength(1);
      const [{ tick: at, value: gap }] = gaps as [{ tick: number; value: Gap }];
      expect(gap).toMatchObject({ why: "no connection", ticks: 0, events: 0, lines: 0 });
      expect(at).toBeGreaterThanOrEqual(committed - 1);
      // each tick says its number: they have one hole, of what the killed recorder had taken and not kept
      const sent = await payloadsOf(recording, "drones:tick");
      const numbers = sent.map(({ value }) => value as number);
      const holes = numbers.flatMap((number, i) => (i === 0 || number === numbers[i - 1]! + 1 ? [] : [i]));
      expect(holes.length).toBeLessThanOrEqual(1);
      const resumed = holes[0] ?? numbers.findIndex((number) => number > gap.after);
      // everything that it had not taken waited, while it was away
      expect(numbers[resumed]).toBeLessThanOrEqual(gap.after + 1);
      expect(numbers.length - resumed).toBeGreaterThan(30);
      for (const { tick, value } of sent) {
        const found = await positions(recording, tick);
        expect(found["one"], `tick ${tick}`).toEqual(placeOf(0, value as number));
        if (tick >= sent[resumed]!.tick && tick < at) continue;
        expect(found["still"], `tick ${tick}`).toEqual((value as number) >= 5 ? placeOf(1, 0) : undefined);
        expect((await recording.state(tick * TICK)).values.get("name")).toBe("unbroken");
      }
    });

    test("sends what happened before there was a recorder", async () => {
      const port = await portOfOurs();
      const game = play("unbroken", `tcp://127.0.0.1:${port}`);
      await game.line("trying again");
      // the constructor waits for two seconds
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const path = join(folder, `${id}-late`);
      const recorder = await recorderAt(path, ["--commit-every", "200ms"], port);
      await expect.poll(() => lengthOf(path)).toBeGreaterThan(60);
      game.say("it is enough");
      expect(await game.end()).toMatchObject({ connections: 1, merged: 0, dropped: 0, lost: 0 });
      expect((await recorder.end()).exit).toBe(0);
      await using recording = await open(fromFile(join(path, "meta.hcrp")));
      const numbers = (await payloadsOf(recording, "drones:tick")).map(({ value }) => value);
      expect(numbers).toEqual([...numbers.keys()]);
      expect(await payloadsOf(recording, "sender:gap")).toEqual([]);
    });

    test("merges what has no room while there is no recorder, and says how much", async () => {
      const port = await portOfOurs();
      const game = play("overflow", `tcp://127.0.0.1:${port}`);
      await game.line("no more room");
      const path = join(folder, `${id}-overflow`);
      const recorder = await recorderAt(path, ["--commit-every", "200ms"], port);
      await game.line("there is room again");
      game.say("it is enough");
      const { merged, dropped, lost } = await game.end();
      expect((await recorder.end()).exit).toBe(0);
      expect([merged > 0, dropped, lost]).toEqual([true, merged, 0]);
      await using recording = await open(fromFile(join(path, "meta.hcrp")));
      const gaps = (await payloadsOf(recording, "sender:gap")).map(({ value }) => value as Gap);
      expect(gaps).toEqual([expect.objectContaining({ why: "no connection", ticks: merged, events: dropped })]);
      const numbers = (await payloadsOf(recording, "drones:tick")).map(({ value }) => value as number);
      expect(numbers.at(-1)! + 1 - numbers.length).toBe(dropped);
    });

    test("a thing of a world keeps its number when the recorder is another, and one that left meanwhile is gone", async () => {
      const path = join(folder, `${id}-killed-world`);
      const first = await recorderAt(path, ["--commit-every", "200ms"], await portOfOurs());
      const game = play("unbroken-world", `tcp://127.0.0.1:${first.port}`);
      await expect.poll(() => lengthOf(path)).toBeGreaterThan(20);
      await first.kill();
      await game.line("trying again");
      // the simulation removes a thing at its tick 100
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const second = await recorderAt(path, ["--commit-every", "200ms", "--resume"], first.port);
      await expect.poll(() => lengthOf(path)).toBeGreaterThan(50);
      game.say("it is enough");
      await game.end();
      expect((await second.end()).exit).toBe(0);
      await using recording = await open(fromFile(join(path, "meta.hcrp")));
      const end = (await recording.timeline()).end / TICK;
      const kinds = async (tick: number): Promise<unknown[]> => {
        const { ids, columns } = (await recording.state(tick * TICK)).sets.get("entities")!;
        return [...ids].map((id, row) => [id, columns.get("kind")!.data[row]]);
      };
      const [cow] = await kinds(1);
      expect(cow).toEqual([expect.any(Number), "minecraft:cow"]);
      expect(await kinds(1)).toHaveLength(2);
      expect(await kinds(end - 1)).toEqual([cow]);
    });

    test("any text arrives, as a value and as the name of a thing", async () => {
      const path = join(folder, `${id}-texts`);
      const recorder = await recorderAt(path);
      const words = HOSTILE.map((text) => Buffer.from(text).toString("hex"));
      const counts = await play("texts", `tcp://127.0.0.1:${recorder.port}`, ...words, "61ff62c328").end();
      expect(counts).toMatchObject({ refused: 0, connections: 1 });
      expect((await recorder.end()).exit).toBe(0);
      await using recording = await open(fromFile(join(path, "meta.hcrp")));
      const { ids, columns } = (await recording.state(0)).sets.get("things")!;
      const labels = columns.get("label")!.data as readonly string[];
      const found = new Map([...ids].map((id, row) => [id, labels[row]]));
      for (const [i, text] of HOSTILE.entries()) {
        expect(found.get(String(i))).toBe(text);
        if (Buffer.from(text).length <= 100) expect(found.get(text)).toBe("key");
      }
      // bytes that are no UTF-8
      expect(found.get(String(HOSTILE.length))).toBe("a\ufffdb\ufffd(");
    });

    test("writes into a file, which can be recorded later", async () => {
      const file = join(folder, `${id}.ndjson`);
      await play("state", file).end();
      const path = join(folder, `${id}-file`);
      expect((await simtapeProcess(["record", path, "--input", file])).exit).toBe(0);
      await using later = await open(fromFile(join(path, "meta.hcrp")));
      expect((await later.timeline()).end / TICK).toBe(41);
    });

    test("says that it is refused, and ends in time", async () => {
      const recorder = await recorderAt(join(folder, `${id}-refused`), ["--token", "secret"]);
      const game = new Game([...command(), "state", `tcp://127.0.0.1:${recorder.port}`], { SIMTAPE_TOKEN: "wrong" });
      running.add(game);
      await game.line("wrong token");
      await game.end();
    });

    test("sends its token", async () => {
      const recorder = await recorderAt(join(folder, `${id}-token`), ["--token", "secret"]);
      const game = new Game([...command(), "state", `tcp://127.0.0.1:${recorder.port}`], { SIMTAPE_TOKEN: "secret" });
      running.add(game);
      expect(await game.end()).toMatchObject({ dropped: 0, lost: 0 });
      expect((await recorder.end()).exit).toBe(0);
    });
  });
}

interface Gap {
  readonly why: string;
  readonly ticks: number;
  readonly events: number;
  readonly seconds: number;
  readonly after: number;
}

interface Line {
  readonly tick?: number;
  readonly event?: string;
  readonly value?: unknown;
  readonly set?: Record<string, unknown>;
  readonly entities?: Record<string, Record<string, unknown>>;
}

const HOSTILE = [
  'a "quote" and a \\ and a / and a \n and a \u0000 and a \u007f',
  '"},{"end":"completed"}',
  "\u2028\u2029\ufeff\ufffe\uffff",
  "💀 héllo 日本 שלום",
  "x".repeat(5000),
];

function linesOf(received: readonly string[]): Line[] {
  const lines = received.join("").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Where a thing of the scenes is at a tick: `place` of the scenes. */
function placeOf(player: number, tick: number): number[] {
  return [player * 4 + tick * 0.125, 64 + (tick % 8) / 16, 4 - player / 4];
}

function cells(sets: State["sets"], id: string, name: string): (number | string)[] {
  const set = sets.get("drones")!;
  const { data, spec } = { data: set.columns.get(name)!.data, spec: set.columns.get(name)! };
  const row = set.ids.indexOf(id);
  return Array.from({ length: spec.width }, (_, k) => data[row * spec.width + k]!);
}

/** The names of the players at a tick, and where they are. */
async function players(recording: Recording, tick: number): Promise<Record<string, number[]>> {
  const set = (await recording.state(tick * TICK)).sets.get("players")!;
  const label = set.columns.get("label")!.data as readonly string[];
  const position = set.columns.get("position")!.data as Float64Array;
  return Object.fromEntries(set.ids.map((_, row) => [label[row]!, [...position.slice(row * 3, row * 3 + 3)]]));
}

async function positions(recording: Recording, tick: number): Promise<Record<string, number[]>> {
  const set = (await recording.state(tick * TICK)).sets.get("drones")!;
  const position = set.columns.get("position")!.data as Float64Array;
  return Object.fromEntries(set.ids.map((id, row) => [id, [...position.slice(row * 3, row * 3 + 3)]]));
}

/** Messages of a channel: their ticks, and their payloads. */
async function payloadsOf(recording: Recording, name: string): Promise<{ tick: number; value: unknown }[]> {
  const found: { tick: number; value: unknown }[] = [];
  for await (const batch of recording.batches({ channels: recording.channels.filter((each) => each.name === name) }))
    for (let row = 0; row < batch.length; row++) {
      const value: unknown = JSON.parse(Buffer.from(batch.payload(row)).toString());
      found.push({ tick: batch.time[row]! / TICK, value });
    }
  return found;
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

/** A free port that the system gives to no other program: it is still free when a recorder has been killed. */
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
    await using recording = await open(fromFile(join(path, "meta.hcrp")));
    return (await recording.timeline()).end / TICK;
  } catch {
    return 0;
  }
}
