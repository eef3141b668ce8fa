import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { TestHub } from "../support/test-hub.ts";
import { simtapeProcess } from "../cli/run.ts";

let folder = "";
const running = new Set<TestHub>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-hub-"));
});
afterEach(async () => {
  for (const hub of running) await hub.kill();
  running.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const JOIN = { join: { id: "p", uuid: UUID, name: "Steve", at: [0, 64, 0] } };

async function hubIn(name: string, words: readonly string[] = []): Promise<TestHub> {
  const hub = await TestHub.start(join(folder, name), words);
  running.add(hub);
  return hub;
}

async function senderTo({ port }: TestHub): Promise<TestSender> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return new TestSender(socket);
}

/** A connection, and what is answered to it. */
class TestSender {
  readonly #socket: Socket;
  readonly #answers: Record<string, unknown>[] = [];
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    let rest = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#answers.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
      this.#wake();
    });
    socket.on("close", () => {
      this.#isOver = true;
      this.#wake();
    });
    socket.on("error", () => undefined);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  send(...lines: readonly unknown[]): void {
    for (const line of lines) this.#socket.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  }

  /** The first answer that has this member. */
  async answer(member: string): Promise<Record<string, unknown>> {
    for (;;) {
      const index = this.#answers.findIndex((answer) => member in answer);
      if (index >= 0) return this.#answers.splice(index, 1)[0]!;
      if (this.#isOver) throw new Error(`closed without an answer with ${member}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Forgets the answers that have this member, and gives how many they were. */
  drop(member: string): number {
    const left = this.#answers.filter((answer) => !(member in answer));
    return this.#answers.splice(0, this.#answers.length, ...left).length - left.length;
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** Where the player is in a recording, at a tick. */
async function placeAt(path: string, tick: number): Promise<number[]> {
  await using recording = await open(fromFile(path));
  const players = (await recording.state(tick * 5e7)).sets.get("players")!;
  return [...(players.columns.get("position")!.data as Float64Array)].slice(0, 3);
}

describe("a hub", () => {
  test("keeps recordings of many senders apart, with one tick line for all of a sender", async () => {
    const hub = await hubIn("apart");
    const [one, other] = [await senderTo(hub), await senderTo(hub)];
    for (const [sender, names] of [
      [one, ["a", "b"]],
      [other, ["c"]],
    ] as const) {
      for (const rec of names) sender.send({ begin: { rec, header: { server: "test" } } }, { rec, ...JOIN });
      for (let tick = 0; tick < 40; tick++) {
        sender.send({ tick });
        for (const rec of names) sender.send({ rec, move: { id: "p", at: [tick * (rec === "b" ? 2 : 1), 64, 0] } });
      }
      for (const rec of names) sender.send({ end: { rec, outcome: "completed", durationMs: 1987 } });
      const ended: unknown[] = [];
      for (const _ of names) {
        const answer = await sender.answer("ended");
        expect(answer).toMatchObject({ ended: { ticks: 40 } });
        ended.push(answer["rec"]);
      }
      // they are closed side by side
      expect(new Set(ended)).toEqual(new Set(names));
    }
    expect(await hub.end()).toMatchObject({ exit: 0, counts: { recordings: 3, skipped: 0, unknown: 0 } });
    for (const [rec, x] of [
      ["a", 30],
      ["b", 60],
      ["c", 30],
    ] as const) {
      const path = join(hub.store, rec, "meta.hcrp");
      expect(await placeAt(path, 30), rec).toEqual([x, 64, 0]);
      await using recording = await open(fromFile(path));
      expect(JSON.stringify(recording.info.metadata)).toContain('"duration_ms":1987');
      expect((await simtapeProcess(["check", join(hub.store, rec)])).exit).toBe(0);
    }
  });

  test("takes the example of its page", async () => {
    const page = readFileSync(new URL("../../../../docs/line-protocol.md", import.meta.url), "utf8");
    const [, example] = /^```jsonl\n([\s\S]*?)^```$/m.exec(page)!;
    const hub = await hubIn("example");
    const sender = await senderTo(hub);
    sender.send(...example!.trim().split("\n"));
    expect(await sender.answer("ended")).toMatchObject({ rec: "run-1", ended: { outcome: "completed", ticks: 60 } });
    expect(await hub.end()).toMatchObject({ exit: 0, counts: { skipped: 0, unknown: 0 } });
  });

  test("throws runs away that are shorter than asked for", async () => {
    const hub = await hubIn("short");
    const sender = await senderTo(hub);
    sender.send({ begin: { rec: "run", least: 20 } }, { rec: "run", ...JOIN }, { tick: 0 }, { tick: 19 });
    sender.send({ end: { rec: "run" } });
    expect(await sender.answer("discarded")).toEqual({ rec: "run", discarded: { ticks: 19 } });
    expect(readdirSync(hub.store)).toEqual([]);
    sender.send({ begin: { rec: "run", least: 20 } }, { rec: "run", ...JOIN }, { tick: 0 }, { tick: 20 });
    sender.send({ rec: "run", end: "reset" });
    expect(await sender.answer("ended")).toMatchObject({ ended: { outcome: "reset", ticks: 20 } });
    expect(await hub.end()).toMatchObject({ exit: 0, counts: { recordings: 1, discarded: 1 } });
  });

  test("drops bad lines and unknown fields, counts them, and records on", async () => {
    const hub = await hubIn("lenient");
    const sender = await senderTo(hub);
    sender.send({ begin: { rec: "run", colour: "red" } }, { rec: "run", ...JOIN });
    expect(await sender.answer("began")).toEqual({ rec: "run", began: true });
    const bad = ["no json", '{"rec":"run","move":{"id":"p","at":[1,2]}}', '{"rec":"nothing","tick":1}', '{"rec":7}'];
    for (const line of [...bad, { end: { rec: "run", outcome: "won" } }, { begin: { rec: "../up" } }]) {
      sender.send(line);
      expect(typeof (await sender.answer("error"))["error"]).toBe("string");
    }
    sender.send({ tick: 0 }, { rec: "run", move: { id: "p", at: [5, 64, 0], sparkle: true } });
    sender.send({ rec: "run", shine: { brightly: true } }, { tick: 30 }, { end: { rec: "run" } });
    await sender.answer("ended");
    expect(await hub.end()).toMatchObject({ exit: 3, counts: { recordings: 1, skipped: 6, unknown: 3 } });
    expect(await placeAt(join(hub.store, "run", "meta.hcrp"), 10)).toEqual([5, 64, 0]);
    expect(readdirSync(folder)).not.toContain("up");
  });

  test("saves the last minutes of a ring, with a tail, as a clip", async () => {
    const hub = await hubIn("rings");
    const sender = await senderTo(hub);
    sender.send({ ring: { rec: "world", seconds: 20 } }, { rec: "world", ...JOIN });
    for (let tick = 0; tick < 1000; tick++)
      sender.send({ tick }, { rec: "world", move: { id: "p", at: [tick / 10, 64, 0] } });
    sender.send({ save: { rec: "world", as: "report-1", tailSeconds: 5, reason: "flying" } });
    for (let tick = 1000; tick < 1200; tick++)
      sender.send({ tick }, { rec: "world", move: { id: "p", at: [tick / 10, 64, 0] } });
    const { saved } = (await sender.answer("saved")) as { saved: { as: string; ticks: number } };
    expect(saved.as).toBe("report-1");
    // twenty seconds and the tail, and as much of a chunk as is needed to begin with one
    expect(saved.ticks).toBeGreaterThanOrEqual(500);
    expect(saved.ticks).toBeLessThanOrEqual(720);
    const path = join(hub.store, "report-1.hcrp");
    const [first] = await placeAt(path, 0);
    const [last] = await placeAt(path, saved.ticks - 1);
    expect(last! - first!).toBeCloseTo((saved.ticks - 1) / 10, 1);
    expect((await simtapeProcess(["check", path])).exit).toBe(0);
    sender.send({ save: { rec: "world", as: "report-1" } });
    const { error } = await sender.answer("error");
    expect(error).toMatch(/^the name is already in use: report-1\.hcrp in .*Choose another name/);
    expect(error).not.toContain("etag");
    expect(await hub.end()).toMatchObject({ exit: 3, counts: { clips: 1, failed: 1 } });
  });

  test("keeps what a player's profile has, as the skin", async () => {
    const hub = await hubIn("skins");
    const sender = await senderTo(hub);
    const properties = [{ name: "textures", value: "eyJ0ZXh0dXJlcyI6e319", signature: "c2lnbmVk" }];
    sender.send({ begin: { rec: "run" } }, { rec: "run", join: { ...JOIN.join, properties } });
    sender.send({ tick: 0 }, { tick: 20 }, { end: { rec: "run" } });
    await sender.answer("ended");
    await hub.end();
    const { stdout } = await simtapeProcess(["info", "--json", join(hub.store, "run")]);
    expect(stdout).toContain("eyJ0ZXh0dXJlcyI6e319");
    expect(stdout).toContain("c2lnbmVk");
  });

  test("lets one sender alone write into what it has begun, until it is gone", async () => {
    const hub = await hubIn("owned", ["--token", "secret"]);
    const stranger = await senderTo(hub);
    stranger.send({ token: "wrong" }, { begin: { rec: "run" } });
    expect(await stranger.answer("error")).toEqual({ error: "a wrong token" });
    const [owner, other] = [await senderTo(hub), await senderTo(hub)];
    owner.send({ token: "secret" }, { begin: { rec: "run" } }, { rec: "run", ...JOIN }, { tick: 0 });
    await owner.answer("began");
    other.send({ token: "secret" }, { rec: "run", move: { id: "p", at: [9, 64, 0] } });
    expect((await other.answer("error"))["error"]).toContain("another sender");
    owner.leave();
    for (let tries = 0; tries < 100; tries++) {
      other.send({ rec: "run", move: { id: "p", at: [3, 64, 0] } }, { begin: { rec: `probe-${tries}` } });
      await other.answer("began");
      if (other.drop("error") === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    other.send({ rec: "run", tick: 20 }, { end: { rec: "run" } });
    expect(await other.answer("ended")).toMatchObject({ rec: "run" });
    await hub.end();
    expect(await placeAt(join(hub.store, "run", "meta.hcrp"), 10)).toEqual([3, 64, 0]);
  });

  test("killed at any moment, leaves recordings that are recovered", async () => {
    const hub = await hubIn("killed");
    const sender = await senderTo(hub);
    for (const rec of ["a", "b"]) sender.send({ begin: { rec } }, { rec, ...JOIN });
    for (let tick = 0; tick < 600; tick++)
      sender.send({ tick }, ...["a", "b"].map((rec) => ({ rec, move: { id: "p", at: [tick, 64, 0] } })));
    sender.send({ rec: "a", commit: true });
    for (let waited = 0; !existsSync(join(hub.store, "a", "seg-00000000.hcs")) && waited < 100; waited++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 700));
    await hub.kill();
    for (const rec of ["a", "b"]) {
      const recovered = await simtapeProcess(["recover", join(hub.store, rec)]);
      expect([0, 3], recovered.stderr).toContain(recovered.exit);
      expect((await simtapeProcess(["check", join(hub.store, rec)])).exit).toBe(0);
      expect(await placeAt(join(hub.store, rec, "meta.hcrp"), 590)).toEqual([590, 64, 0]);
    }
  });

  test("keeps no more than a bound for a sender that never reads, and for who does not read what it prints", async () => {
    const hub = await hubIn("deaf");
    hub.hearing(false);
    const socket = connect(hub.port, "127.0.0.1").setEncoding("utf8");
    await once(socket, "connect");
    socket.pause();
    // each is a bad line, and is answered with some 8 kB
    const lines = 15_000;
    const block = `{"rec":"${"x".repeat(4000)}"}\n`.repeat(100);
    socket.write('{"begin":{"rec":"run"}}\n');
    for (let sent = 0; sent < lines; sent += 100) if (!socket.write(block)) await once(socket, "drain");
    const other = await senderTo(hub);
    other.send({ begin: { rec: "other" } });
    expect(await other.answer("began")).toEqual({ rec: "other", began: true });
    const peak = hub.peak;
    const parts: string[] = [];
    const until = async (answer: string): Promise<void> => {
      while (!parts.slice(-2).join("").includes(answer)) await once(socket, "data");
    };
    socket.on("data", (more: string) => parts.push(more)).resume();
    // the count of what was dropped comes as soon as there is room, also for what is answered next
    await until('"dropped"');
    socket.write('{"end":{"rec":"run"}}\n');
    await until('"ended"');
    const answers = parts.join("").trim().split("\n");
    const reported = answers.map((line) => JSON.parse(line) as { error?: string; dropped?: number });
    const errors = reported.filter(({ error }) => error !== undefined).length;
    const dropped = reported.reduce((sum, { dropped: count = 0 }) => sum + count, 0);
    expect(errors + dropped).toBe(lines);
    // what the system itself has taken for the two is some MiB
    expect(errors).toBeLessThan(lines / 2);
    if (peak !== null) expect(peak).toBeLessThan(200 << 20);
    hub.hearing(true);
    expect((await hub.end()).counts).toMatchObject({ skipped: lines, recordings: 2, unread: dropped });
  });

  test("refuses what is for one recording, and says what it needs", async () => {
    for (const words of [
      ["out", "--hub", folder],
      ["--hub", folder, "--id", "x"],
      ["--hub", folder, "--resume"],
      ["--hub", folder, "--input", "-"],
      [],
    ])
      expect((await simtapeProcess(["record", ...words])).exit, words.join(" ")).toBe(2);
  });
});
