import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { decidedBy } from "../../src/ask/ask.ts";
import { ask, AskError } from "../../src/ask/index.ts";
import { FORMATS, makeSideCar, memory, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import type { NameFacts } from "../../src/model/query/name-facts.ts";
import { simtapeProcess as simtape } from "../cli/run.ts";
import { allNamesIn, answersOf, example } from "./support.ts";

const RUNS = Number(process.env["SIMTAPE_RUNS"] ?? 60);

async function namesOf(file: string, paths = true): Promise<NameFacts> {
  const { bytes } = await makeSideCar(fromFile(file), FORMATS, { paths, room: 1 << 24 });
  return allNamesIn(memory(bytes));
}

/** Truths about numbers of the recording: constants lie within what each ever is, at its ends, and outside. */
function truths({ named, columns }: NameFacts): fc.Arbitrary<string> {
  const compared = [
    ...named!.values.flatMap(({ text, unit, kind, extent }) =>
      extent === null || kind === null || kind === "text" ? [] : [{ name: `\`${text}\``, unit, extent, set: null }],
    ),
    ...columns.flatMap(({ set, column, units, kind, extents }) =>
      extents.flatMap(({ item, ...extent }) =>
        kind === "text" || typeof item === "string" || !/^\w+$/.test(column)
          ? []
          : [{ name: column + (item === null ? "" : `[${item}]`), unit: units[item ?? 0] ?? null, extent, set }],
      ),
    ),
  ].filter(({ unit }) => unit === null || /^[a-z/²·%°]+$/i.test(unit));
  const comparison = fc
    .tuple(
      fc.constantFrom(...compared),
      fc.constantFrom("<", "<=", ">", ">=", "="),
      fc.constantFrom(-1, -0.001, 0, 0.5, 1, 1.001, 2),
      fc.constantFrom("any", "all", "count"),
      fc.boolean(),
    )
    .map(([{ name, unit, extent, set }, operator, at, how, isUnited]) => {
      const width = Math.max(extent.most - extent.least, 1);
      const value = extent.least + at * width;
      const truth = `${name} ${operator} ${value.toFixed(9)}${isUnited && unit !== null ? ` ${unit}` : ""}`;
      if (set === null) return truth;
      return how === "count" ? `count ${set} (${truth}) > 0` : `${how} ${set} (${truth})`;
    });
  const { truth } = fc.letrec<{ truth: string }>((tie) => ({
    truth: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      comparison,
      fc.tuple(tie("truth"), fc.constantFrom("and", "or"), tie("truth")).map(([a, by, b]) => `(${a} ${by} ${b})`),
      tie("truth").map((inner) => `not (${inner})`),
      tie("truth").map((inner) => `rising(${inner})`),
    ),
  }));
  return truth;
}

describe("an expression that is never true by what a side-car keeps of the names", () => {
  test.each(["town.log", "flight.fgtape", "race.hcrp", "patrol.tape", "buckyball.nanover.zip"])(
    "is never true when %s is read",
    async (file) => {
      const names = await namesOf(example(file));
      expect([names.isSound, names.columns.length + names.named!.values.length > 0]).toEqual([true, true]);
      const recording = await open(fromFile(example(file)), { seekIndex: false });
      let never = 0;
      try {
        await fc.assert(
          fc.asyncProperty(truths(names), async (text) => {
            const whole = decidedBy(text)(names);
            // what the sets alone decide is no other with the values
            const bySets = decidedBy(text)({ ...names, named: null });
            if (bySets !== null) expect(bySets, text).toEqual(whole);
            if (whole !== "never") return;
            never++;
            // what does not fit the recording is no never
            const question = await ask(recording, text);
            expect(await question.isEverTrue(), text).toBe(false);
          }),
          { numRuns: RUNS },
        );
      } finally {
        await recording.close();
      }
      expect(never).toBeGreaterThan(0);
    },
    60_000,
  );

  test("is not known of things, of accelerations, and of recordings in which something is wrong", async () => {
    const names = await namesOf(example("town.log"));
    const never = "any vehicles (throttle > 1000)";
    for (const text of ["vehicles[24].throttle > 1000", "any vehicles (acceleration > 100000 m/s²)", "frame"])
      expect(decidedBy(text)(names), text).toBe(null);
    expect(decidedBy(never)(names)).toBe("never");
    expect(decidedBy(never)({ ...names, isSound: false })).toBe(null);
  });

  test("is one about a set that never has a thing", async () => {
    const names = await namesOf(example("town.log"));
    expect(names.sets.filter(({ hasThings }) => !hasThings).map(({ set }) => set)).toEqual(["other"]);
    for (const text of [
      "any other",
      "all other (present(it))",
      "count other > 2",
      "each other",
      "any vehicles and any other",
    ]) {
      expect(decidedBy(text)(names), text).toBe("never");
      expect(await answersIn("town.log", text), text).toEqual([]);
    }
    for (const text of ["not any other", "count other = 0"]) {
      expect(decidedBy(text)(names), text).toBe(null);
      expect(await answersIn("town.log", text), text).toHaveLength(1);
    }
  });
});

/** What reading says of an expression: its answers, or what is wrong with it. */
async function answersIn(file: string, text: string): Promise<unknown> {
  const recording = await open(fromFile(example(file)), { seekIndex: false });
  try {
    return await answersOf(recording, text);
  } catch (error) {
    if (!AskError.is(error)) throw error;
    return wrong(error);
  } finally {
    await recording.close();
  }
}

function wrong({ code, message, offset, length }: AskError): object {
  return { code, message, offset, length };
}

describe("an expression that does not fit by what a side-car keeps of the names", () => {
  /** Those of all examples: most do not fit the others. */
  const TEXTS = [
    ...[
      "ships[1].depth > 3 m",
      "any ships (depth > 3 m)",
      "event(eclipse)",
      "any vehicles (brakes > 0.5)",
      "any players (speed > 1 m/s)",
    ],
    ...[
      "any vehicles (throttle > 2 m)",
      "any vehicles (position.x)",
      "energy.kinetic > 0",
      "energy.kinetik > 0",
      "/position/altitude-ft > 3 s",
    ],
    ...[
      "each poses (length(position) > 1 m)",
      "any players (health < 5 s)",
      "any `*` (it > 3)",
      "/controls/engines/*/rpm > 1",
      "any a/*/b (it > 1)",
    ],
    ...[
      "other[5].speed > 1",
      "any aircraft (velocity.x > 1 kg)",
      "min particles (position.x) > 1 nm",
      "vehicles[24].brake > 3 m",
      "speed(x) > 1",
    ],
    ...[
      "event(collision)",
      "event(touchdown)",
      "weather/cloudiness > 5 m",
      "weather/cloudines > 5",
      "any avatars (name = 3)",
      "robot > 1",
    ],
  ];
  test.each(["town.log", "flight.fgtape", "race.hcrp", "patrol.tape", "buckyball.nanover.zip"])(
    "gives for %s the error that reading gives",
    async (file) => {
      let unfit = 0;
      for (const paths of [false, true]) {
        const names = await namesOf(example(file), paths);
        for (const text of TEXTS) {
          const decided = decidedBy(text)(names);
          const bySets = decidedBy(text)({ ...names, named: null });
          if (bySets !== null) expect(bySets, text).toEqual(decided);
          if (decided === null) continue;
          const read = await answersIn(file, text);
          expect(decided === "never" ? [] : wrong(decided), text).toEqual(read);
          if (decided !== "never") unfit++;
        }
        for (const text of ["ships[1].depth > 3 m", "any ships (depth > 3 m)", "event(eclipse)"])
          expect(decidedBy(text)(names), text).toBeInstanceOf(AskError);
      }
      expect(unfit).toBeGreaterThan(20);
    },
  );
});

describe("simtape find asks without opening", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-never-test-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const where = "any vehicles (throttle > 1000)";
  const of = async (runs: string, ...more: readonly string[]): Promise<unknown[]> => {
    const { stdout, exit } = await simtape(["find", runs, "--where", where, "--json", ...more]);
    const { asked, decided } = JSON.parse(stdout) as { asked: number; decided: number };
    return [asked, decided, exit];
  };

  test("no file that was changed since its index was made, and none in which something is wrong", async () => {
    const runs = join(folder, "runs");
    mkdirSync(runs);
    for (const name of ["a.log", "b.log", "c.log"]) cpSync(example("town.log"), join(runs, name));
    const bytes = readFileSync(example("town.log"));
    writeFileSync(join(runs, "d.log"), bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    await simtape(["index", "--paths", ...["a.log", "b.log", "c.log", "d.log"].map((name) => join(runs, name))]);
    // the damaged one is opened, decided by its paths, and its damage is said
    expect(await of(runs)).toEqual([4, 4, 3]);
    expect(await of(runs, "--no-index")).toEqual([4, 0, 3]);
    rmSync(join(runs, "d.log"));
    expect(await of(runs)).toEqual([3, 3, 0]);
    utimesSync(join(runs, "b.log"), 1e9, 1e9);
    writeFileSync(join(runs, "c.log"), readFileSync(example("town.log")).fill(0, bytes.length - 5000));
    expect((await of(runs)).slice(0, 2)).toEqual([3, 1]);
  });
});
