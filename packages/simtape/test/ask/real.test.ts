import { describe, expect, test } from "vitest";
import { ask } from "../../src/ask/index.ts";
import { carlaBlocked, type CarlaBlocked, carlaCollisions } from "../../src/formats/carla/queries/index.ts";
import { open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { sample, sampleNames, samplesDirectory } from "../samples.ts";
import { corpus } from "../sql/support.ts";
import { answersOf, example } from "./support.ts";

const LOGS = [
  example("town.log"),
  ...sampleNames("carla")
    .filter((name) => name.endsWith(".log"))
    .map((name) => sample(`carla/${name}`)),
];
const TAPES = [
  example("flight.fgtape"),
  ...sampleNames("flightgear")
    .filter((name) => /^c172p-(normal|recovery)\.fgtape$/.test(name))
    .map((name) => sample(`flightgear/${name}`)),
];

async function within(path: string, work: (recording: Recording) => Promise<void>): Promise<void> {
  const recording = await open(fromFile(path));
  try {
    await work(recording);
  } finally {
    await recording.close();
  }
}

async function eventTimes(
  recording: Recording,
  kind: string,
  wanted: (text: string) => boolean = () => true,
): Promise<number[]> {
  const times: number[] = [];
  for await (const events of recording.events({ kinds: [kind] })) {
    for (const { time, text } of events) if (wanted(text)) times.push(time);
  }
  return [...new Set(times)];
}

test("real recordings are there, or are skipped", () => {
  expect(LOGS.length).toBeGreaterThan(samplesDirectory === null ? 0 : 1);
});

describe.each(LOGS)("%s", (path) => {
  test(
    "CARLA's collision query and event(collision) have the same times",
    () =>
      within(path, async (recording) => {
        const rows: number[] = [];
        for await (const _ of carlaCollisions(recording, { onRow: ({ time }) => rows.push(time) }));
        if (rows.length === 0) {
          await expect(answersOf(recording, "event(collision)")).resolves.toEqual([]);
          return;
        }
        const answers = await answersOf(recording, "event(collision)");
        expect(answers.map(({ from }) => from)).toEqual([...new Set(rows)]);
      }),
    60_000,
  );

  test(
    "CARLA's query for blocked actors, said as an expression, has the same actors, times and durations",
    () =>
      within(path, async (recording) => {
        const sets = ["vehicles", "walkers"];
        const ids = new Set<string>();
        const found: { id: number; from: number; until: number }[] = [];
        for (const set of sets) {
          for (const id of (await recording.things()).get(set) ?? []) ids.add(`${id}`);
          if (((await recording.things()).get(set)?.size ?? 0) === 0) continue;
          for (const { from, until, thing } of await answersOf(recording, `each ${set} (still(it, 10 cm) for 500 ms)`))
            found.push({ id: Number(thing!.split("/")[1]), from, until });
        }
        const rows: CarlaBlocked[] = [];
        const options = { minTime: 0.5, minDistance: 10, onRow: (row: CarlaBlocked) => void rows.push(row) };
        for await (const _ of carlaBlocked(recording, options));
        const frames: number[] = [];
        for await (const batch of recording.batches())
          for (const time of batch.time.slice(0, batch.length)) if (time !== frames.at(-1)) frames.push(time);
        const longest = frames.reduce((most, time, i) => Math.max(most, i === 0 ? 0 : time - frames[i - 1]!), 0);
        // CARLA counts whole frames, from that before; an interval that short may be in one list alone
        const clear = (length: number): boolean => length > 0.5e9 + 2 * longest;
        for (const { id, time, duration } of rows.filter(({ id, duration }) => ids.has(`${id}`) && clear(duration))) {
          const same = found.find((one) => one.id === id && Math.abs(one.from - time) <= 1000);
          expect(same, `${id} at ${time}`).toBeDefined();
          expect(Math.abs(same!.until - same!.from - duration)).toBeLessThanOrEqual(longest + 1000);
        }
        for (const { id, from } of found.filter(({ from, until }) => clear(until - from))) {
          expect(
            rows.some((row) => row.id === id && Math.abs(row.time - from) <= 1000),
            `${id} at ${from}`,
          ).toBe(true);
        }
      }),
    60_000,
  );
});

describe.each(TAPES)("%s", (path) => {
  test(
    "FlightGear's touchdowns and liftoffs are edges of the wheels' signals",
    () =>
      within(path, async (recording) => {
        const wheels = (await recording.paths({ at: 0 }))
          .map(({ text }) => text)
          .filter((text) => text.endsWith("/wow"));
        for (const [kind, edge] of [
          ["touchdown", "rising"],
          ["liftoff", "falling"],
        ] as const) {
          const wanted = await eventTimes(recording, kind);
          const got = new Set<number>();
          for (const wheel of wheels)
            for (const { from } of await answersOf(recording, `${edge}(\`${wheel}\` > 0)`)) got.add(from);
          expect([...got].sort((a, b) => a - b)).toEqual(wanted);
        }
      }),
    60_000,
  );

  test(
    "FlightGear's flags are changes of boolean signals",
    () =>
      within(path, async (recording) => {
        const flags = (await recording.paths({ at: 0 }))
          .filter(({ kind }) => kind === "boolean")
          .map(({ text }) => text);
        const wanted = new Set(["flag", "touchdown", "liftoff", "crash"]);
        const times = new Set<number>();
        for await (const events of recording.events())
          for (const { kind, time } of events) if (wanted.has(kind)) times.add(time);
        const got = new Set<number>();
        const asked = flags.map((flag) => `changed(\`${flag}\`)`);
        for (let i = 0; i < asked.length; i += 50) {
          for (const { from } of await answersOf(recording, asked.slice(i, i + 50).join(" or "))) got.add(from);
        }
        for (const time of times) expect(got.has(time), `${time}`).toBe(true);
      }),
    120_000,
  );
});

describe("HCRP", () => {
  test.each(["production-4", "production-5"])(
    "%s: spawns and removals are the times at which things begin and cease to exist",
    (name) =>
      within(corpus(`hcrp/${name}/run.hcrp`), async (recording) => {
        const { start } = await recording.timeline();
        for (const [kind, edge] of [
          ["spawn", "rising"],
          ["removal", "falling"],
        ] as const) {
          const wanted: string[] = [];
          for await (const events of recording.events({ kinds: [kind] })) {
            for (const { time, who } of events) if (time > start) wanted.push(`${time} ${who[0]!.set}/${who[0]!.id}`);
          }
          expect(wanted.length).toBeGreaterThan(0);
          const got: string[] = [];
          for (const set of ["players", "entities"]) {
            if (((await recording.things()).get(set)?.size ?? 0) === 0) continue;
            for (const { from, thing } of await answersOf(recording, `each ${set} (${edge}(present(it)))`))
              got.push(`${from} ${thing}`);
          }
          expect(got.sort()).toEqual(wanted.sort());
        }
      }),
  );

  test("an event's participant is a part of the question", () =>
    within(example("race.hcrp"), async (recording) => {
      const all = await answersOf(recording, "event(checkpoint)");
      expect(all.map(({ from }) => from)).toEqual(await eventTimes(recording, "checkpoint"));
      const one = await answersOf(recording, "event(checkpoint, players[1])");
      expect(one.length).toBeGreaterThan(0);
      expect(one.length).toBeLessThan(all.length);
      const { measure } = await ask(recording, "any players (speed > 1 m/s)");
      expect(measure).toEqual({ how: "max", unit: "m/s" });
    }));
});
