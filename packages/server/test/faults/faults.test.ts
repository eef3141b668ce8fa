import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { open } from "simtape";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSoak } from "../../../simtape/test/soak.ts";
import { isCephInstalled } from "../../../simtape/test/support/ceph-server.ts";
import { RoomClient } from "../../src/rooms/index.ts";
import { makeDemos } from "../support/demos.ts";
import { withoutNats } from "../support/nats.ts";
import { json, until } from "../support/node.ts";
import { withoutPostgres } from "../support/postgres.ts";
import { startSender } from "../support/sender.ts";
import { connectRoom } from "../support/sockets.ts";
import { LiveLoad, type Load, ReadLoad, ReportLoad, UploadLoad } from "./load.ts";
import { type Part, startWorld, type World } from "./world.ts";

const CLI = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
/** A kill of each kind twice; in a soak many, in any order and at any moment. */
const KILLS = isSoak ? 200 : 14;
/** Milliseconds: 20 s where nothing else runs. */
const TIMEOUT = isSoak ? 3_600_000 : 300_000;
const PARTS: readonly (Part | "recorder")[] = [
  ...(["first node", "worker", "PostgreSQL", "S3", "recorder", "NATS", "second node"] as const),
];
const without = withoutPostgres ?? withoutNats ?? (isCephInstalled ? null : "Ceph is not installed");

interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly error: string | null;
  readonly seconds: number;
  readonly url: string;
}

describe.skipIf(without !== null)(`a server whose parts are killed${without === null ? "" : ` (${without})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-faults-"));
  const demo = join(folder, "demos", "race.hcrp");
  let world: World;
  let database: pg.Pool;
  let recorder: RecorderLoad | null = null;

  const all = async (address: string): Promise<readonly Item[]> => {
    const found: Item[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path: string = `/api/recordings?limit=500${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: { recordings: readonly Item[]; cursor: string | null } = await json(address, path);
      found.push(...page.recordings);
      cursor = page.cursor;
    }
    return found;
  };

  beforeAll(async () => {
    await makeDemos(join(folder, "demos"));
    world = await startWorld(join(folder, "data"));
    database = new pg.Pool({ connectionString: world.database });
    database.on("error", () => undefined);
    await world.library.put("race.hcrp", readFileSync(demo));
    await until(
      () => all(world.nodes[0]),
      ([first]) => first?.state === "indexed",
    );
  });

  afterAll(async () => {
    recorder?.end();
    await database?.end();
    await world?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("answers alike on every node, from S3; browsers read there themselves where that is wanted", async () => {
    const content = readFileSync(demo);
    const race = await demoAt(world.nodes[1]);
    for (const address of world.nodes) {
      const answer = await fetch(address + race.url, { headers: { range: "bytes=10-99" } });
      expect(answer.status).toBe(206);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(content.subarray(10, 100));
    }
    const direct = await world.another(["--direct", "on"]);
    try {
      const answer = await fetch(direct.address + race.url, { redirect: "manual" });
      expect(answer.status).toBe(307);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const there = await fetch(answer.headers.get("location")!, { headers: { range: "bytes=10-99" } });
      expect(there.status).toBe(206);
      expect(Buffer.from(await there.arrayBuffer())).toEqual(content.subarray(10, 100));
      await using recording = await open(direct.address + race.url);
      expect((await recording.timeline()).end / 1e9).toBeCloseTo(race.seconds);
    } finally {
      await direct.stop();
    }
  });

  test("hands a live recording from a node that ends to another, in S3", async () => {
    const third = await world.another([]);
    const sender = startSender(third.address, "handed");
    sender.seconds(2);
    await until(
      async () => (await all(world.nodes[0])).find(({ id }) => id === "handed"),
      (found) => found !== undefined,
    );
    expect(await third.stop()).toBe(0);
    expect((await sender.answer).status).toBe(503);
    const next = startSender(world.nodes[1], "handed", {}, 40);
    next.seconds(1);
    expect((await next.end()).body).toMatchObject({ outcome: "completed" });
    const { url } = await until(
      async () => (await all(world.nodes[0])).find(({ id }) => id === "handed")!,
      ({ state }) => state === "indexed",
    );
    await using recording = await open(world.nodes[0] + url);
    for (const second of [1, 1.9, 2.5]) {
      const state = await recording.state(second * 1e9);
      expect(Number(state.sets.get("things")?.columns.get("position")?.data[0])).toBeCloseTo(second, 1);
    }
  });

  // takes long on a busy machine
  test.runIf(isSoak)(
    "loses nothing that was acknowledged, does nothing twice, and comes back by itself",
    async () => {
      const { nodes } = world;
      const race = await demoAt(nodes[0]);
      const live = new LiveLoad("sent", nodes);
      const reports = new ReportLoad(nodes, race.id);
      const uploads = new UploadLoad(world.library, demo);
      const reads = new ReadLoad(nodes, race.url, demo);
      recorder = new RecorderLoad(`${nodes[1]}/api/live/recorded`);
      const room = await opened(race.id);
      await until(
        () => all(nodes[0]),
        (found) => ["sent", "recorded"].every((id) => found.some((one) => one.id === id && one.seconds > 0)),
      );
      const loads: readonly Load[] = [reports, uploads, reads, room];
      let seed = Number(process.env["SEED"] ?? Date.now()) & 0x7fffffff;
      console.log(`SEED=${seed}`);
      const random = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
        return seed % below;
      };
      for (let kill = 0; kill < KILLS; kill++) {
        const part = isSoak ? PARTS[random(PARTS.length)]! : PARTS[kill % PARTS.length]!;
        await new Promise((resolve) => setTimeout(resolve, 100 + random(isSoak ? 3000 : 900)));
        if (part === "recorder") await recorder.kill();
        else await world.kill(part);
      }
      await Promise.all([...loads, live, recorder].map((load) => load.stop()));

      const settled = await until(
        async () => ({ found: await all(nodes[0]), reviews: await countOf("reviews") }),
        ({ found, reviews }) =>
          found.every(({ state }) => state === "indexed") &&
          found.filter(({ key }) => key.startsWith("clips/")).length === reviews,
        90,
      );
      const first = settled.found;
      const second = await all(nodes[1]);
      expect(second).toEqual(first);
      // every upload once, every report with one clip
      const keys = first.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of uploads.acknowledged) expect(keys).toContain(key);
      expect(uploads.acknowledged.length).toBeGreaterThan(3);
      for (const id of reports.acknowledged.keys()) expect(keys).toContain(`clips/${id}.hcrp`);
      expect(reports.acknowledged.size).toBeGreaterThan(3);
      expect(reads.wrong).toEqual([]);
      expect(reads.counts.right).toBeGreaterThan(20);
      const sent = first.find(({ id }) => id === "sent")!;
      expect(sent.seconds).toBeGreaterThanOrEqual(live.report!.seconds - 0.06);
      await isAsSent(nodes[0] + sent.url, live);
      const recorded = first.find(({ id }) => id === "recorded")!;
      expect(recorded.seconds).toBeGreaterThan(1);
      await room.isAt(nodes[0]);
      const jobs = await database.query<{ kind: string; subject: string; error: string }>(
        "select kind, subject, error from jobs where state = 'failed' and kind not in ('scan', 'live', 'sweep', 'sweep-jobs')",
      );
      expect(jobs.rows).toEqual([]);
    },
    TIMEOUT,
  );

  const demoAt = async (address: string): Promise<Item> => (await all(address)).find(({ key }) => key === "race.hcrp")!;

  const countOf = async (rows: string): Promise<number> =>
    Number((await database.query<{ count: string }>(`select count(*) from ${rows}`)).rows[0]!.count);

  /** A room whose leader moves the clock; the last move that was heard is where it is. */
  async function opened(recording: string): Promise<Load & { isAt(address: string): Promise<void> }> {
    const answer = await fetch(`${world.nodes[0]}/api/rooms`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "faults", recordings: [recording] }),
    });
    const { id } = (await answer.json()) as { id: string };
    const client = (address: string, name: string): RoomClient =>
      new RoomClient({
        url: `${address.replace("http", "ws")}/api/rooms/${id}/socket`,
        name,
        secret: `this is the secret of ${name}`,
        connect: connectRoom,
      });
    const leader = client(world.nodes[0], "leader");
    let turn = 0;
    const moving = setInterval(() => leader.control({ move: "seek", time: (++turn % 30) / 10 }), 500);
    return {
      stop: async () => {
        clearInterval(moving);
        await until(
          async () => {
            leader.control({ move: "seek", time: 3.25 });
            return leader.clock?.anchor;
          },
          (anchor) => anchor === 3.25,
        );
        leader.close();
      },
      isAt: async (address) => {
        const other = client(address, "other");
        await until(
          async () => other.clock?.anchor,
          (anchor) => anchor === 3.25,
        );
        other.close();
      },
    };
  }
});

/** The thing is where it was at every second that was said to be safe: what was sent later did not take its place. */
async function isAsSent(url: string, { safe }: LiveLoad): Promise<void> {
  await using recording = await open(url);
  let before = 0;
  for (const { seconds, tick } of safe.filter((one) => one.seconds > 0).toSorted((a, b) => a.seconds - b.seconds)) {
    const state = await recording.state(Math.round((seconds - 0.05) * 1e9));
    const value = Number(state.sets.get("things")?.columns.get("position")?.data[0]);
    expect(value, `at ${seconds} s`).toBeLessThan(tick);
    expect(value, `at ${seconds} s`).toBeGreaterThanOrEqual(before);
    before = value;
  }
}

/** A recorder beside a simulator: however it ends, it is started again and goes on. */
class RecorderLoad implements Load {
  readonly #address: string;
  #child: ChildProcess;
  #tick = 0;
  #isOver = false;
  readonly #timer: NodeJS.Timeout;

  constructor(address: string) {
    this.#address = address;
    this.#child = this.#start([]);
    this.#timer = setInterval(() => this.#say({ tick: this.#tick }, { set: { count: this.#tick++ } }), 50);
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** At once, whatever comes of it. */
  end(): void {
    clearInterval(this.#timer);
    this.#isOver = true;
    this.#child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isOver = true;
    for (let code = 1; code !== 0; ) {
      this.#say({ end: "completed" });
      this.#child.stdin!.end();
      if (this.#child.exitCode === null) await once(this.#child, "exit");
      code = this.#child.exitCode ?? 1;
      if (code !== 0) this.#child = this.#start(["--resume"]);
    }
  }

  #say(...lines: readonly object[]): void {
    if (this.#child.stdin!.writable)
      this.#child.stdin!.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  #start(words: readonly string[]): ChildProcess {
    const command = [CLI, "record", this.#address, "--commit-every", "300ms", ...words];
    const child = spawn(process.execPath, command, { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.on("error", () => undefined);
    child.once("exit", () => {
      if (!this.#isOver) this.#child = this.#start(["--resume"]);
    });
    return child;
  }
}
