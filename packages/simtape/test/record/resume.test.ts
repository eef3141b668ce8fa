import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TICK } from "../../src/formats/hcrp/layout/framing.ts";
import {
  check,
  memoryStore,
  type Recording,
  standardAxes,
  type State,
  type Store,
  type Value,
} from "../../src/index.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { LineProtocol } from "../../src/record/lines/line-protocol.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { record } from "../../src/record/live/recorder.ts";
import { tries } from "../soak.ts";
import { copied, MemoryJournal } from "./memory-journal.ts";
import { Dice } from "./session-lines.ts";
import { openRecording, turn } from "./walk.ts";

/** A thing as its sender knows it; `entity` is its number in the recording. */
interface Thing {
  readonly id: string | number;
  readonly entity: number;
  readonly kind: string;
  readonly uuid: string | null;
  at: readonly number[];
  pose: number;
  slot: number;
  health: number | null;
  item: string | null;
}

interface Moment {
  readonly things: readonly Thing[];
  readonly blocks: ReadonlyMap<string, string>;
  readonly dimension: string | null;
  readonly weather: number | null;
}

const WAYS = ["spawns again", "says who is still there", "says nothing", "says some of each"] as const;
const IDS = ["steve", "a", 7, "7", "é"] as const;

/** What a sender has said, in the plainest way; it shares nothing with the recorder. */
class Model {
  readonly moments = new Map<number, Moment>();
  things = new Map<string | number, Thing>();
  blocks = new Map<string, string>();
  dimension: string | null = null;
  weather: number | null = null;
  next = 1;
  /** Things of a recording that is gone on with, in its first tick: nothing was said of them. */
  readonly unclaimed = new Map<string | number, Thing>();

  note(tick: number): void {
    const things = Array.from(this.things.values(), (thing) => ({ ...thing }));
    this.moments.set(tick, { things, blocks: new Map(this.blocks), dimension: this.dimension, weather: this.weather });
  }

  /** Back to what a recording holds. */
  goBack(tick: number): void {
    for (const later of [...this.moments.keys()]) if (later >= tick) this.moments.delete(later);
    const moment = this.moments.get(tick - 1);
    this.things = new Map(moment?.things.map((thing) => [thing.id, { ...thing }]));
    this.blocks = new Map(moment?.blocks);
    this.dimension = moment?.dimension ?? null;
    this.weather = moment?.weather ?? null;
  }

  /** The line that brings a thing in; `still`: it may be there already. */
  spawn(reported: Omit<Thing, "entity">, isStill: boolean): object {
    const { id, kind, uuid, at } = reported;
    const before = this.things.get(id) ?? this.unclaimed.get(id);
    this.unclaimed.delete(id);
    const isSame = isStill && before?.kind === kind && before.uuid === uuid;
    if (isSame) {
      before.at = at;
      this.things.set(id, before);
    } else {
      this.things.delete(id);
      this.things.set(id, { ...reported, entity: this.next++, pose: 0, slot: 0, health: null, item: null });
    }
    const still = isStill ? { still: true } : {};
    return kind === "minecraft:player"
      ? { join: { id, uuid, name: "N", at, ...still } }
      : { spawn: { id, type: kind, at, ...still } };
  }

  /** Any line that can be taken now. */
  line(dice: Dice): object {
    const id = dice.of(IDS);
    const thing = this.things.get(id);
    const at = [dice.below(999) / 8, dice.below(99) / 4, -dice.below(99) / 2];
    const roll = dice.next();
    if (roll < 0.1) {
      const [x, state] = [dice.below(4), dice.of(["x:stone", "x:log", "x:air"])];
      this.blocks.set(`${x},0,0`, state);
      return { block: { at: [x, 0, 0], state } };
    }
    if (roll < 0.15) {
      this.dimension = dice.of(["x:end", "x:nether"]);
      return { dimension: this.dimension };
    }
    if (roll < 0.2) {
      this.weather = dice.below(3);
      return { world: { weather: this.weather } };
    }
    if (thing === undefined) {
      const kind = dice.of(["minecraft:player", "x:car", "x:pig"]);
      const uuid = kind === "minecraft:player" ? "069a79f4-44e9-4726-a5be-fca90e38aaf5" : null;
      return this.spawn({ id, kind, uuid, at, pose: 0, slot: 0, health: null, item: null }, dice.is(0.3));
    }
    if (roll < 0.3) {
      this.things.delete(id);
      return { [dice.of(["leave", "remove"])]: { id } };
    }
    if (roll < 0.6) {
      thing.at = at;
      return { [dice.of(["move", "teleport"])]: { id, at } };
    }
    if (roll < 0.7) {
      thing.pose = dice.below(8);
      return { state: { id, pose: thing.pose } };
    }
    if (roll < 0.8) {
      thing.slot = dice.below(9);
      return { heldSlot: { id, slot: thing.slot } };
    }
    if (roll < 0.9) {
      thing.health = dice.below(21);
      return { vitals: { id, health: thing.health, food: 1, xp: 2 } };
    }
    thing.item = dice.of(["x:hat", "x:cap"]);
    return { equipment: { id, items: { 3: thing.item } } };
  }
}

/** A recorder and the lines that go into it, until it dies. */
async function life(store: Store, journal: MemoryJournal, dice: Dice, resume: boolean) {
  const clock = { time: 0 };
  const every = dice.of([100, 2000, 30_000]);
  const lines = new LineProtocol({
    open: () =>
      record(store, { id: "run", resume, journal, now: () => 0, elapsed: () => clock.time, commit: { every } }),
    now: () => clock.time,
  });
  const say = async (line: object): Promise<void> => {
    await lines.feed(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    clock.time += dice.below(90);
  };
  await say({ simtape: 1 });
  return { lines, say, clock };
}

async function expectMoment(recording: Recording, tick: number, moment: Moment): Promise<void> {
  const state = await recording.state(tick * 50e6);
  const found: unknown[] = [];
  for (const name of ["players", "entities"]) {
    const set = state.sets.get(name)!;
    const column = (of: string): ArrayLike<unknown> => set.columns.get(of)!.data as ArrayLike<unknown>;
    for (const [row, entity] of set.ids.entries()) {
      const [position, health] = [column("position"), column("health")[row] as number];
      found.push({
        entity,
        kind: column("kind")[row],
        at: [0, 1, 2].map((k) => (position[3 * row + k] as number) + 0),
        pose: column("pose")[row],
        slot: column("held-slot")[row],
        health: Number.isNaN(health) ? null : health,
        item: state.values.get(`${name}/${entity}/items/3`) ?? null,
      });
    }
  }
  const byNumber = (list: readonly unknown[]) => (list as { entity: number }[]).toSorted((a, b) => a.entity - b.entity);
  const reported = moment.things.map(({ entity, kind, at, pose, slot, health, item }) => ({
    ...{ entity, kind, pose, slot, health, item },
    at: at.map((one) => one + 0),
  }));
  expect(byNumber(found), `tick ${tick}`).toEqual(byNumber(reported));
  const blocks = state.sets.get("blocks");
  const kinds = blocks?.columns.get("kind")?.data as readonly string[] | undefined;
  expect(new Map(Array.from(blocks?.ids ?? [], (id, row) => [id, kinds![row]])), `tick ${tick}`).toEqual(moment.blocks);
  expect(state.values.get("world/dimension") ?? null).toBe(moment.dimension);
  expect(state.values.get("world/weather") ?? null).toBe(moment.weather);
}

describe("a world that is gone on with", () => {
  test("holds what its sender says, however that comes back, and every snapshot agrees", async () => {
    const seeds = fc.record({
      seed: fc.noShrink(fc.integer()),
      length: fc.integer({ min: 1, max: 80 }),
      way: fc.constantFrom(...WAYS),
    });
    const property = fc.asyncProperty(seeds, async ({ seed, length, way }) => {
      const dice = new Dice(seed);
      let store: Store = memoryStore();
      let journal = new MemoryJournal();
      const model = new Model();
      let kept = 0;
      for (const part of [0, 1, 2]) {
        const { lines, say, clock } = await life(store, journal, dice, part > 0);
        const start = lines.recorder!.tick;
        if (part > 0) {
          expect(start).toBeLessThanOrEqual(kept);
          const sent = [...model.things.values()];
          model.goBack(start);
          // numbers of what is lost may be given out again, those in the recording never
          model.next = lines.recorder!.world.nextEntity;
          await say({ tick: 0 });
          model.blocks.clear();
          for (const [id, thing] of model.things) model.unclaimed.set(id, thing);
          model.things.clear();
          for (const { entity: _, ...thing } of sent) {
            const isSaid = way !== "says nothing" && (way !== "says some of each" || dice.is(0.7));
            if (!isSaid) continue;
            const isStill = way === "says who is still there" || (way === "says some of each" && dice.is(0.5));
            await say(model.spawn(thing, isStill));
          }
          await say({ block: { at: [9, 9, 9], state: "x:post" } });
          model.blocks.set("9,9,9", "x:post");
        } else await say({ tick: 0 });
        let tick = 0;
        for (let n = 0; n < length; n++) {
          if (dice.is(0.35)) {
            const more = dice.is(0.9) ? 1 : dice.of([3, 300]);
            model.unclaimed.clear();
            for (let k = 0; k < more; k++) model.note(start + tick + k);
            tick += more;
            await say({ tick });
          } else if (dice.is(0.1)) await say(dice.of([{ commit: true }, { snapshot: true }]));
          else await say(model.line(dice));
          if (dice.is(0.2)) await turn();
        }
        model.unclaimed.clear();
        model.note(start + tick);
        if (part === 2) {
          await say({ end: "completed" });
          await lines.recorder!.close();
          break;
        }
        // dies; what was under way has arrived
        for (let n = 0; n < 20; n++) await turn();
        clock.time += dice.of([0, 600]);
        lines.recorder!.poll();
        for (let n = 0; n < 20; n++) await turn();
        store = await copied(store);
        const left = new MemoryJournal();
        left.bytes = journal.bytes;
        journal = left;
        kept = lines.recorder!.tick + 1;
        await lines.recorder!.abort();
      }
      const verified = await verify(recordingBundle(store, "run"));
      expect(verified.findings, `seed ${seed}`).toEqual([]);
      expect(verified).toMatchObject({ status: "sound", snapshotsDiffering: 0, isFinished: true });
      await using recording = await openRecording(store, "run");
      expect((await check(recording)).findings).toEqual([]);
      expect(JSON.stringify(recording.info.metadata)).not.toContain('"things"');
      const moments = [...model.moments];
      const step = Math.ceil(moments.length / 16);
      for (const [n, [at, moment]] of moments.entries())
        if (n % step === 0 || n > moments.length - 3) await expectMoment(recording, at, moment);
    });
    await fc.assert(property, { numRuns: tries(30, 2000), seed: Number(process.env["RESUME_SEED"] ?? 26) });
  });
});

describe("a recording of whole states that is gone on with", () => {
  const stateAt = (tick: number, ids: readonly number[]): State => ({
    time: 0,
    values: new Map<string, Value>([["tick", tick], ...ids.map((id) => [`thing/${id}`, `is ${id}`] as const)]),
    sets: new Map([
      [
        "things",
        {
          ids,
          axes: standardAxes("right", "z"),
          columns: new Map([
            [
              "position",
              {
                width: 3,
                unit: "m",
                interpolation: "linear",
                data: Float64Array.from(ids.flatMap((id) => [id, tick, 0])),
              },
            ],
          ]),
        },
      ],
    ]),
  });

  test("takes out by events what no state says again, and every snapshot agrees", async () => {
    const store = memoryStore();
    const sessions = [[1, 2], [2, 3], [], [4], null, [4]];
    const said: State[] = [];
    for (const [i, ids] of sessions.entries()) {
      const recorder = await record(store, { id: "run", resume: i > 0 });
      // ticks without anything are not there again
      said.length = recorder.tick;
      for (let n = 0; n < 3; n++, recorder.endTick()) {
        // an event may come before the first state
        if (i % 2 === 1 || ids === null) recorder.write(recorder.channel("my:event"), new Uint8Array(1));
        if (ids !== null) recorder.state(stateAt(said.length, ids));
        said.push(ids === null ? said.at(-1)! : stateAt(said.length, ids));
      }
      const isLast = i === sessions.length - 1;
      if (isLast) await recorder.close();
      else {
        recorder.commit();
        for (let n = 0; n < 100; n++) await turn();
        await recorder.abort();
      }
    }
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    expect((await verify(recordingBundle(store, "run"))).findings).toEqual([]);
    for (const [tick, { values, sets }] of said.entries()) {
      const found = await recording.state(tick * TICK);
      expect(found.values, `tick ${tick}`).toEqual(values);
      expect(found.sets.get("things")?.ids ?? [], `tick ${tick}`).toEqual(sets.get("things")!.ids);
    }
  });
});
