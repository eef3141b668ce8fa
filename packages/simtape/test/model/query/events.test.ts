import fc from "fast-check";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { carlaCollisions } from "../../../src/formats/carla/queries/index.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { applyEdits, FORMATS, MemoryFiles, type SourceBundle } from "../../../src/index.ts";
import { openBundle } from "../../../src/model/open.ts";
import type { EventQuery, RecordingEvent } from "../../../src/model/query/event.ts";
import { Recording } from "../../../src/model/recording.ts";
import { Ring } from "../../../src/record/index.ts";
import { type ConformanceCase, type CorpusIndex, loadCorpus } from "../../../src/testing/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { tries } from "../../soak.ts";
import { REAL, SOUND } from "../../specimens.ts";
import { naiveEvents } from "./naive-events.ts";

interface Specimen {
  readonly name: string;
  readonly bundle: () => SourceBundle;
}

const corpus = new URL("../../../../corpus/cases/", import.meta.url);
const index = JSON.parse(readFileSync(new URL("index.json", corpus), "utf8")) as CorpusIndex;
const soundCases: Specimen[] = [];
const read = async (path: string): Promise<Uint8Array> => new Uint8Array(readFileSync(new URL(path, corpus)));
for await (const { case: of, files } of loadCorpus(read, index)) if (isSound(of)) soundCases.push(specimen(of, files));

/** Those that need no dictionary beside them. */
function isSound({ damage, expect: { refused } }: ConformanceCase): boolean {
  return damage === null && refused === null;
}

function specimen({ id }: ConformanceCase, files: Readonly<Record<string, Uint8Array>>): Specimen {
  return { name: id, bundle: () => bundleOfFiles(files) };
}

/** No findings. */
const NOTHING = { list: () => [] };

/** A walker who is hurt, dies, rides and changes its ways, over several snapshots. */
const adventure: Specimen = await (async () => {
  const ring = await Ring.create({ dataVersion: 4903 });
  const { world } = ring;
  const at = (tick: number): { x: number; y: number; z: number; yaw: number; pitch: number; onGround: boolean } => {
    return { x: tick / 9, y: 64, z: Math.sin(tick), yaw: tick, pitch: 0, onGround: true };
  };
  const ada = world.join({ uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Ada" }, at(0));
  const bo = world.join({ uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf6", name: "Bo" }, at(1));
  const boat = world.spawn("minecraft:boat", at(2));
  const steps: Readonly<Record<number, () => void>> = {
    0: () => {
      world.vitals(ada, 20, 20, 0);
      world.view(ada, 0);
      world.effect(ada, "speed", 0, 300);
      world.world(6000, 0);
      world.dimension("minecraft:overworld");
    },
    100: () => world.mount(boat, [ada, bo]),
    150: () => world.hurt(ada, bo),
    // reported of one that was never mentioned
    210: () => world.vitals(bo, 0, 20, 0),
    250: () => world.world(null, 1),
    // the first effect is over by then
    320: () => world.effect(ada, "speed", 0, 100),
    330: () => world.effect(ada, "speed", 1, 200),
    400: () => world.vitals(ada, 0, 20, 0),
    401: () => world.vitals(ada, 0, 20, 1),
    405: () => world.vitals(ada, 20, 20, 1),
    450: () => world.mount(boat, [bo]),
    600: () => world.view(ada, 3, bo),
    620: () => world.view(ada, 3),
    700: () => world.dimension("minecraft:the_nether"),
    720: () => world.mark("report", "cheating?", ada, 3),
    730: () => world.chat("I did not", ada),
    800: () => world.remove(boat),
    820: () => world.leave(ada),
  };
  for (let tick = 0; tick < 1000; tick++) {
    for (const entity of [ada, bo]) if (tick < 820 || entity === bo) world.move(entity, at(tick + entity));
    steps[tick]?.();
    ring.endTick();
  }
  const files = new MemoryFiles("adventure.hcrp");
  await ring.save("end", 0, () => files);
  return { name: "an adventure", bundle: () => bundleOfFiles({ "adventure.hcrp": files.bytes }) };
})();

const ALL: readonly Specimen[] = [...SOUND, ...REAL, ...soundCases];
const opened = new Map<Specimen, Recording>();
afterAll(async () => {
  for (const recording of opened.values()) await recording.close();
});

async function open(specimen: Specimen): Promise<Recording> {
  const known = opened.get(specimen);
  if (known !== undefined) return known;
  const recording = await openBundle(specimen.bundle(), FORMATS);
  opened.set(specimen, recording);
  return recording;
}

async function eventsOf(recording: Recording, query: EventQuery = {}): Promise<RecordingEvent[]> {
  const all: RecordingEvent[] = [];
  for await (const events of recording.events(query)) all.push(...events);
  return all;
}

/** `0.6 collision 24 25`: seconds, kind, ids. */
function brief({ time, kind, who }: RecordingEvent): string {
  return [time / 1e9, kind, ...who.map(({ id }) => id)].join(" ");
}

describe("events of a recording", () => {
  test.each(ALL)("are those of all its messages, decoded one by one: $name", async (specimen) => {
    const recording = await open(specimen);
    const reported = (await eventsOf(recording)).filter(({ channel }) => channel !== null);
    expect(
      reported.map(({ time, sequence, kind, who }) => ({ time, sequence, kind, who: who.map(({ id }) => id) })),
    ).toEqual(await naiveEvents(recording));
  });

  test.each(ALL)("ascend, and have a channel and a line for people: $name", async (specimen) => {
    const recording = await open(specimen);
    const names = recording.channels.map(({ name }) => name);
    let [time, sequence] = [Number.NEGATIVE_INFINITY, -1];
    for (const event of await eventsOf(recording)) {
      expect(event.time).toBeGreaterThanOrEqual(time);
      if (event.sequence !== null && event.time === time) expect(event.sequence).toBeGreaterThanOrEqual(sequence);
      ({ time } = event);
      sequence = event.sequence ?? sequence;
      expect(event.text.length).toBeGreaterThan(0);
      if (event.channel !== null) expect(names).toContain(event.channel);
    }
  });

  test.each([...ALL, adventure])(
    "of a part, of some kinds or of one thing, are those of the whole: $name",
    async (specimen) => {
      const recording = await open(specimen);
      const all = await eventsOf(recording);
      const { start, end } = await recording.timeline();
      const times = [
        start - 1,
        start,
        end,
        end + 1,
        ...all.map(({ time }) => time),
        ...all.map(({ time }) => time + 1),
      ];
      const kinds = [...new Set(all.map(({ kind }) => kind)), "nothing"];
      const labels = [...new Set(all.flatMap(({ who }) => who.map(({ label, id }) => label || String(id))))];
      const optional = <T>(from: readonly T[]): fc.Arbitrary<T | undefined> =>
        fc.option(fc.constantFrom(...from), { nil: undefined });
      const query = fc.record({
        start: optional(times),
        end: optional(times),
        kinds: fc.option(fc.subarray(kinds, { minLength: 1 }), { nil: undefined }),
        who: labels.length === 0 ? fc.constant(undefined) : optional(labels),
      });
      const property = fc.asyncProperty(query, async ({ start: from, end: until, kinds: some, who }) => {
        const wanted = all.filter(
          (event) =>
            (from === undefined || event.time >= from) &&
            (until === undefined || event.time < until) &&
            (some === undefined || some.includes(event.kind)) &&
            (who === undefined ||
              event.who.some(({ id, label }) => String(id) === who || label.toLowerCase().includes(who.toLowerCase()))),
        );
        expect(await eventsOf(recording, { start: from, end: until, kinds: some, who })).toEqual(wanted);
      });
      await fc.assert(property, { seed: 15, numRuns: tries(8, 200) });
    },
  );

  test("of people in HCRP are reported when they change, and not again behind each snapshot", async () => {
    const recording = await open(adventure);
    let snapshots = 0;
    for await (const { length } of recording.batches({ channels: [recording.channel("snapshot")] }))
      snapshots += length;
    expect(snapshots).toBeGreaterThan(3);
    const reported = await eventsOf(recording);
    const since = reported.filter(({ time }) => time > 0);
    expect(since.map(({ time, kind, text }) => `${time / 5e7} ${kind}: ${text}`)).toEqual([
      "100 mount: Ada gets on minecraft:boat",
      "100 mount: Bo gets on minecraft:boat",
      "150 hurt: Ada is hurt by Bo",
      "210 death: Bo dies",
      "250 weather: rain",
      "320 effect: Ada has speed",
      "400 death: Ada dies",
      "450 dismount: Ada gets off minecraft:boat",
      "600 game-mode: Ada: spectator",
      "600 camera: Ada looks through the eyes of Bo",
      "620 camera: Ada looks through its own eyes again",
      "700 dimension: minecraft:the_nether",
      "720 report: cheating?",
      "730 chat: Ada: I did not",
      "800 removal: minecraft:boat is removed",
      "820 leave: Ada leaves",
      "820 removal: Ada is removed",
      "1000 report: end",
    ]);
  });

  test.each(SOUND.filter(({ format }) => format === "carla"))(
    "of CARLA are the collisions that its own query prints: $name",
    async (specimen) => {
      const recording = await open(specimen);
      await expectCollisions(recording);
    },
  );

  test.each(REAL.filter(({ format }) => format === "carla"))(
    "of a real CARLA file are the collisions that its own query prints: $name",
    async (specimen) => expectCollisions(await open(specimen)),
  );

  async function expectCollisions(recording: Recording): Promise<void> {
    let text = "";
    for await (const part of carlaCollisions(recording)) text += part;
    const lines = text.split("\n");
    const first = lines.findIndex((line) => line.includes("Actor 1")) + 1;
    const rows = lines.slice(first, lines.indexOf("", first)).map((line) => {
      const [time, id1, id2] = [line.slice(0, 8), line.slice(16, 22), line.slice(59, 65)].map((cell) => cell.trim());
      return `${time} ${id1} ${id2}`;
    });
    const reported = await eventsOf(recording, { kinds: ["collision"] });
    expect(
      reported.map(({ time, value }) => {
        const { id1, id2 } = value as { readonly id1: number; readonly id2: number };
        // its columns are six wide
        return [Math.round(time / 1e9), ...[id1, id2].map((id) => String(id).slice(0, 6))].join(" ");
      }),
    ).toEqual(rows);
  }

  test("of real recordings are as many as there are", async () => {
    const counts: Record<string, Record<string, number>> = {};
    for (const specimen of REAL) {
      const kinds: Record<string, number> = {};
      for (const { kind } of await eventsOf(await open(specimen))) kinds[kind] = (kinds[kind] ?? 0) + 1;
      counts[specimen.name] = kinds;
    }
    const facts: Record<string, Record<string, number>> = {
      "2020-DistanceBetweenVehicles.log": { spawn: 181, attach: 5, removal: 3, "traffic-light": 108 },
      "2021-DistanceToLaneCenter.log": { spawn: 183, attach: 5, removal: 5, "traffic-light": 12 },
      "c172p-continuous-full.fgtape": { property: 42, join: 1, flag: 9, chat: 2 },
      "c172p-continuous-full-compressed.fgtape": { property: 42, join: 1, flag: 7, chat: 2 },
      "c172p-normal-2020.3.16-mp.fgtape": { message: 1, join: 2, flag: 9 },
      "c172p-normal.fgtape": { message: 1, flag: 47 },
      "ufo-continuous.fgtape": { flag: 8 },
      "multi.tape": { "/robot/Mileage": 4, "/robot/Bumper": 2, "/navigation/PilotEvent": 2 },
      "17-ala-multiple.nanover.zip": { reset: 4 },
      "nanotube-methane-01.nanover.zip": { reset: 1, simulation: 1, join: 1, grab: 1, release: 1 },
      "nanotube-rust.traj": { reset: 2, join: 1, grab: 1, release: 1, leave: 1 },
      "sim-switching.traj": { reset: 3 },
    };
    for (const { name } of REAL) if (facts[name] !== undefined) expect(counts[name], name).toEqual(facts[name]);
  });

  test("say who it was, by name", async () => {
    const race = await open(SOUND.find(({ name }) => name === "tower-race.hcrp")!);
    const checkpoints = await eventsOf(race, { kinds: ["checkpoint"], who: "elif" });
    expect(checkpoints.map(({ text }) => text)).toEqual(
      [1, 2, 3].map((n) => `Elif: checkpoint ${n}`).concat("Elif: finish"),
    );
    expect(checkpoints[0]!.who).toEqual([{ set: "players", id: 5, label: "Elif" }]);
    const town = await open(SOUND[0]!);
    const [first] = await eventsOf(town, { kinds: ["collision"], start: 500_000_000 });
    expect(first!.text).toBe("vehicle.tesla.model3 (hero) 24 hits vehicle.yamaha.yzf (autopilot) 25");
    expect(first!.who.map(({ set, id }) => `${set} ${id}`)).toEqual(["vehicles 24", "vehicles 25"]);
  });

  test("read no channel that cannot tell them", async () => {
    const recording = await open(SOUND[0]!);
    const asked: string[][] = [];
    const { reader } = recording;
    const spied = new Recording(
      new Proxy(reader, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key, target);
          if (key !== "batches") return typeof member === "function" ? (member.bind(target) as unknown) : member;
          return (query: Parameters<typeof reader.batches>[0]) => {
            asked.push((query.channels ?? []).map(({ name }) => name));
            return target.batches(query);
          };
        },
      }),
      NOTHING,
      FORMATS.find(({ id }) => id === "carla")!,
    );
    await eventsOf(spied, { kinds: ["removal"] });
    await eventsOf(spied, { kinds: ["collision"] });
    await eventsOf(spied, { kinds: ["chat"] });
    expect(asked).toEqual([
      ["event-add", "event-del"],
      ["frame-start", "event-add", "event-del", "collision"],
    ]);
  });

  test("that a file lists are known without reading a message, and reported once", async () => {
    const race = await open(SOUND.find(({ name }) => name === "tower-race.hcrp")!);
    const listed = await eventsOf(race, { listed: true });
    expect(listed.length).toBe(24);
    expect(listed.every(({ channel, sequence }) => channel === null && sequence === null)).toBe(true);
    const marks = (await eventsOf(race)).filter(({ kind }) => kind === "bookmark" || kind === "checkpoint");
    expect(marks.map(brief)).toEqual(listed.map(brief));
    expect(marks.every(({ channel }) => channel === "mark")).toBe(true);
  });

  test("that only the metadata lists come where they belong", async () => {
    const recording = await open(adventure);
    const all = await eventsOf(recording);
    expect(all.at(-1)).toMatchObject({ kind: "report", text: "end", channel: null, time: 1000 * 5e7 });
    expect(all.filter(({ text }) => text === "cheating?").map(({ channel }) => channel)).toEqual(["mark"]);
  });

  test("of an edited recording are at its times, without what its source lists", async () => {
    const recording = await openBundle(adventure.bundle(), FORMATS);
    const all = (await eventsOf(recording)).filter(({ channel }) => channel !== null);
    const writing = await hcrp.writing!();
    const context = { writing, open: () => Promise.reject(new Error("no other")), matching: () => () => true };
    const list = { version: 1 as const, operations: [{ op: "shift" as const, by: 5e7 }] };
    const { reader } = await applyEdits(recording.reader, list, context);
    await using shifted = new Recording(reader, NOTHING, hcrp);
    expect((await eventsOf(shifted)).map(brief)).toEqual(
      all.map((event) => brief({ ...event, time: event.time + 5e7 })),
    );
  });

  test("stop when they are called off, and are not reported of a closed recording", async () => {
    const recording = await openBundle(SOUND[0]!.bundle(), FORMATS);
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await expect(eventsOf(recording, { signal: controller.signal })).rejects.toThrow("enough");
    await recording.close();
    await expect(eventsOf(recording)).rejects.toMatchObject({ code: "closed" });
  });

  test("are none where the format tells none", async () => {
    const recording = await open(SOUND[0]!);
    expect(await eventsOf(new Recording(recording.reader, NOTHING))).toEqual([]);
  });

  test("tell how far reading has come", async () => {
    const recording = await open(SOUND[0]!);
    const reached: number[] = [];
    await eventsOf(recording, { onProgress: (time) => void reached.push(time) });
    expect(reached.at(-1)).toBe((await recording.timeline()).end);
  });
});
