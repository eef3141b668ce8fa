import { existsSync, mkdtempSync, rmSync, truncateSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, type Recording, type Time } from "simtape";
import { fromFile } from "simtape/node";
import { ghostOf } from "simtape/record";
import { runOf } from "simtape/retention";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clockText } from "../../src/ghosts/split.ts";
import { GameProxy, type ProxyEvent } from "../../src/proxy/proxy.ts";
import { COURSE, type Past, placeOf, Sprinter, ticksOf, uuidFor, writePast } from "../support/course.ts";
import type { Looker } from "../support/looker.ts";
import { Rules } from "../support/rules.ts";
import { valuesOf } from "../support/recorded.ts";
import { TestServer } from "../support/squid.ts";

const FIRST_GHOST = 2_000_000;
/** Slower than the runner, and beside it; none is as fast as another. */
const PASTS: readonly Past[] = Array.from({ length: 8 }, (_, i) => ({
  player: `past${i}`,
  speed: 2500 - 150 * i,
  z: 10 + 4 * i,
}));

let store = "";
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "simtape-ghosts-"));
});
afterEach(() => rmSync(store, { recursive: true, force: true, maxRetries: 5 }));

interface Shown {
  readonly ghost: number;
  readonly tick: number;
}

/** Notes at each packet where the ghosts are: at which tick of its run each of them stands; NaN: nowhere on its way. */
function watch(looker: Looker): Shown[] {
  const shown: Shown[] = [];
  looker.client.on("packet", ({ entityId = -1 }: { entityId?: number }, { name }: { name: string }) => {
    const at = looker.entities.get(entityId);
    if (at === undefined || entityId < FIRST_GHOST || !/spawn|move$|move_look$|position$|teleport$/.test(name)) return;
    const ghost = entityId - FIRST_GHOST;
    const past = PASTS[ghost]!;
    const tick = Math.round(((at.x - 3) * 4096) / past.speed);
    const [x, y, z] = placeOf(past, tick);
    const last = ticksOf(past);
    shown.push({ ghost, tick: at.x === x && at.y === y && at.z === z && tick <= last ? tick : Number.NaN });
  });
  return shown;
}

/** The rules of the game over what the proxy adds to the server's packets. */
function rulesOfGhosts({ client, version }: Looker): Rules {
  const rules = new Rules(version);
  rules.hear("login", "success", {});
  if (version >= "1.20.2") {
    rules.hear("configuration", "registry_data", {});
    rules.hear("configuration", "finish_configuration", {});
  }
  rules.hear("play", "login", { entityId: 0, viewDistance: 10, gameMode: 0 });
  const uuids = new Set<string>();
  // biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own
  client.on("packet", (params: any, { name }: { name: string }) => {
    if (name === "player_info")
      for (const { uuid, player, name: own } of params.data) if (/ /.test(player?.name ?? own ?? "")) uuids.add(uuid);
    const listed = name === "player_info" ? params.data.map(({ uuid }: { uuid: string }) => uuid) : params.players;
    const isOfGhost =
      params.entityId >= FIRST_GHOST ||
      params.entityIds?.some((id: number) => id >= FIRST_GHOST) === true ||
      params.team === "simtape-ghosts" ||
      (/^player_(info|remove)$/.test(name) && listed.some((uuid: string) => uuids.has(uuid)));
    if (isOfGhost) rules.hear("play", name, params);
  });
  return rules;
}

const ghostsSeenBy = ({ entities }: Looker): number[] => [...entities.keys()].filter((id) => id >= FIRST_GHOST);

describe("ghosts", () => {
  test.each(["1.16.5", "1.20.4", "1.21.4"])(
    "row 5, %s: 8 ghosts, seen by one client only, splits right to the tick",
    async (version) => {
      for (const [i, past] of PASTS.entries()) await writePast(store, `past-${i}`, past, uuidFor(i));
      await using game = await TestServer.start(version);
      const events: ProxyEvent[] = [];
      const server = { host: "127.0.0.1", port: game.port };
      const report = (event: ProxyEvent): number => events.push(event);
      const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, course: COURSE, report });
      let ranAt: bigint | null = null;
      try {
        const runner = await Sprinter.join(proxy.port, version, "runner");
        const { looker } = runner;
        const bars: string[] = [];
        looker.client.on("packet", () => {
          if (bars.at(-1) !== looker.bar) bars.push(looker.bar);
        });
        const shown = watch(looker);
        const ruled = rulesOfGhosts(looker);
        runner.step(1);
        looker.say("/ghost top");
        await expect.poll(() => looker.chat.at(-1)).toMatch(/^Ghosts: past-0, .*past-7$/);
        // comes when the runner is there: the server of 1.21.4 fails to tell of far jumps
        const bystander = await Sprinter.join(proxy.port, version, "bystander");
        const before = game.entities;
        expect(before).toHaveLength(2);
        await runner.run(2, 50);
        await expect.poll(() => ghostsSeenBy(looker)).toHaveLength(8);
        expect(game.entities).toEqual(before);
        await runner.run(51, 60);
        const isKept = (): string | undefined => events.flatMap((event) => ("run" in event ? [event.run] : []))[0];
        await expect.poll(isKept).toBeDefined();

        // every frame has all ghosts that are seen at the same tick, and none goes back
        const ticks = shown.map(({ tick }) => tick);
        expect(ticks.length).toBeGreaterThan(100);
        expect(ticks.filter((tick) => Number.isNaN(tick))).toEqual([]);
        expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
        expect(new Set(shown.map(({ ghost }) => ghost)).size).toBe(8);
        expect(looker.strange).toEqual([]);
        // of the server's own packets others speak
        expect(ruled.problems).toEqual([]);
        expect(ruled.things.size).toBe(8);
        expect(ghostsSeenBy(looker).map((id) => looker.entities.get(id)!.flags)).toEqual(new Array(8).fill(0x20));
        // nothing of it anywhere else
        expect(ghostsSeenBy(bystander.looker)).toEqual([]);
        expect([...bystander.looker.names.values()].filter((name) => name.includes("past"))).toEqual([]);
        expect(bystander.looker.counts.get("teams")).toBeUndefined();
        expect(bystander.looker.bar).toBe("");
        expect(game.entities).toEqual(before);

        // the run is kept, and what the runner was shown at its checkpoints is what the recording says
        const path = join(store, `${isKept()!}.hcrp`);
        const run = await runOf(fromFile(path));
        expect(run).toMatchObject({ map: COURSE.map, subjects: [{ name: "runner" }] });
        await using kept = await open(fromFile(path));
        ranAt = (await kept.timeline()).epoch;
        const marks = [...(await valuesOf(kept, "mark"))];
        expect(marks.map(({ label }) => label)).toEqual(["Start", "Checkpoint 1", "Checkpoint 2", "Finish"]);
        const at = await ticksOfMarks(path);
        const expected = [1, 2, 3].map((checkpoint) => {
          const ticks = at[checkpoint]!;
          const splits = PASTS.map((past, i) => {
            const split = (ticks - ticksOf(past, checkpoint)) / 20;
            return `${split < 0 ? "-" : "+"}${Math.abs(split).toFixed(2)} ${i + 1} ${past.player}`;
          });
          return [`${checkpoint === 3 ? "Finish" : `Checkpoint ${checkpoint}`} ${clockText(ticks)}`, ...splits].join(
            "  ",
          );
        });
        const isSplit = (bar: string): boolean => /^(Checkpoint|Finish) /.test(bar);
        expect(bars.filter(isSplit)).toEqual(expected);
        // between them, how far the runner is ahead of each ghost, or behind
        const gaps = bars.filter((bar) => bar !== "" && !isSplit(bar));
        for (const gap of gaps) expect(gap).toMatch(/^[-+±]\d+\.\d\d [1-8] \S+( {2}[-+±]\d+\.\d\d [1-8] \S+)*$/);
        expect(Math.abs(run!.durationMs - at[3]! * 50)).toBeLessThanOrEqual(50);
        // it is a ghost itself: first where it was in the tick in which it left the start, last at the finish
        const ghost = await ghostOf(fromFile(path));
        expect([ghost!.step, ghost!.x.at(-1)! / 4096]).toEqual([1, 60]);
        expect(ghost!.x[0]! / 4096).toBeGreaterThanOrEqual(3);
        expect(ghost!.x[0]! / 4096).toBeLessThan(20);
        expect(ghost!.x).toHaveLength(at[3]! + 1);

        await bystander.looker[Symbol.asyncDispose]();
        // back at the start they are gone, and so is what was reported of them
        runner.step(1);
        await expect.poll(() => ghostsSeenBy(looker)).toEqual([]);
        expect([...looker.names.values()].filter((name) => name.includes("past"))).toEqual([]);

        // a file that is damaged, and one that is gone: a line each, and the run goes on
        truncateSync(join(store, "past-1.hcrp"), 400);
        unlinkSync(join(store, "past-2.hcrp"));
        looker.say("/ghost off");
        await expect.poll(() => looker.chat.at(-1)).toBe("No ghosts.");
        looker.say("/ghost past-0 past-1 past-2");
        await expect.poll(() => looker.chat.at(-1)).toBe("Ghosts: past-0");
        expect(looker.chat.filter((line) => /past-[12]/.test(line) && !line.startsWith("Ghosts"))).toEqual([
          expect.stringContaining("past-2"),
          expect.stringContaining("past-1"),
        ]);
        await runner.run(2, 30, 10);
        await expect.poll(() => ghostsSeenBy(looker)).toEqual([FIRST_GHOST]);
        expect(looker.ended).toBeNull();
        await runner.looker[Symbol.asyncDispose]();
      } finally {
        await proxy.close();
      }
      expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
      expect(events.filter((event) => "error" in event || "blind" in event)).toEqual([]);
      // the recording of the world has the players and no ghost
      const world = events.flatMap((event) => ("began" in event ? [event.began] : []))[0]!;
      await using recording = await open(fromFile(join(store, world, "meta.hcrp")));
      const labels = (await valuesOf(recording, "spawn")).concat(await valuesOf(recording, "join"));
      expect(labels.filter((value) => JSON.stringify(value).includes("past"))).toEqual([]);
      expect((await valuesOf(recording, "mark")).map(({ label }) => label)).toContain("Finish");
      // the run began when the world's recording says that it did
      const { epoch } = await recording.timeline();
      expect(ranAt).toBe(epoch! + BigInt(await startIn(recording)));
    },
  );

  test("the first player of all, where there is no folder yet, sees that there are no runs and no error", async () => {
    await using game = await TestServer.start("1.16.5");
    const server = { host: "127.0.0.1", port: game.port };
    const events: ProxyEvent[] = [];
    const report = (event: ProxyEvent): number => events.push(event);
    const fresh = { store: join(store, "new", "folder"), course: COURSE, report };
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, ...fresh });
    // however soon runs are asked for
    expect(existsSync(fresh.store)).toBe(true);
    const runner = await Sprinter.join(proxy.port, "1.16.5", "first");
    runner.step(1);
    runner.looker.say("/ghost list");
    await expect.poll(() => runner.looker.chat).toContain("There are no runs yet.");
    await proxy.close();
    expect(runner.looker.chat.filter((line) => /ENOENT|cannot/.test(line))).toEqual([]);
    expect(events.filter((event) => "error" in event)).toEqual([]);
  });
});

/** When the first run of a recording starts. */
async function startIn(recording: Recording): Promise<Time> {
  for await (const { time } of recording.messages("mark")) return time;
  throw new Error("no run starts");
}

/** Ticks from the start to each mark of a recording. */
async function ticksOfMarks(path: string): Promise<readonly number[]> {
  await using recording = await open(fromFile(path));
  const times: number[] = [];
  for await (const { time } of recording.messages("mark")) times.push(time / 50e6);
  return times.map((time) => time - times[0]!);
}
