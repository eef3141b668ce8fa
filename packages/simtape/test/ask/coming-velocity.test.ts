import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decidedBy } from "../../src/ask/ask.ts";
import { allNamesIn } from "./support.ts";
import { ask, type Answer } from "../../src/ask/index.ts";
import { lookInto } from "../../src/cli/find/look.ts";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import * as entityEvents from "../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../src/formats/hcrp/layout/events.ts";
import { MOVE_ON_GROUND, Move, writeMove } from "../../src/formats/hcrp/layout/motion.ts";
import { makeSideCar, memory, open as openRecording, type Recording } from "../../src/index.ts";
import { loadZstd } from "../../src/kit.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { type EventBytes, compacted, event } from "../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
const RUNS = Number(process.env["SIMTAPE_RUNS"] ?? 30);

/** What is recorded of one thing in one tick. `gone`: it ceases to exist. Null: nothing. */
type Said =
  | { readonly how: "place"; readonly x: number; readonly velocity: number | null }
  | { readonly how: "velocity"; readonly velocity: number }
  | { readonly how: "gone" | "still" }
  | null;

const bytesOf = (entity: number, said: Said): readonly EventBytes[] => {
  if (said === null) return [];
  if (said.how === "gone")
    return [event(EVENT.remove, (out) => entityEvents.writeRemove(out, { entities: Uint32Array.of(entity) }))];
  if (said.how === "velocity") {
    const velocity = { value: Float64Array.of(said.velocity, 0, 0), raw: null };
    return [event(EVENT.velocity, (out) => entityEvents.writeVelocity(out, { entity, velocity }))];
  }
  // speeds are those between messages of motion: it moves nowhere, and then is somewhere
  const still = event(EVENT.move, (out) => writeMove(out, Object.assign(new Move(), { entity, mask: MOVE_ON_GROUND })));
  if (said.how !== "place") return [still];
  const { x, velocity } = said;
  return [
    still,
    event(EVENT.exactPlace, (out) =>
      entityEvents.writeExactPlace(out, {
        ...{ entity, yaw: 0, pitch: 0, position: Float64Array.of(x, 64, 0) },
        velocity: Float64Array.of(velocity ?? Number.NaN, 0, 0),
      }),
    ),
  ];
};

/** Ticks of two things, by chunks. A snapshot at the beginning of a chunk drops everything. */
type Course = readonly (readonly (readonly Said[])[])[];

function fileOf(course: Course): Uint8Array {
  const chunks = course.map((ticks) => ({
    ticks: ticks.length,
    snapshot: [],
    records: ticks.map((things, tick) => ({ tick, events: things.flatMap((said, k) => bytesOf(k + 1, said)) })),
  }));
  return compacted(zstd, { chunks });
}

const place = (velocity: fc.Arbitrary<number | null>): fc.Arbitrary<Said> =>
  fc.record({ how: fc.constant("place" as const), x: fc.integer({ min: 0, max: 3 }), velocity });
const moving = fc.constantFrom(0, 0.125, 0.5);
/** Velocities are always there, never, or now and then. */
const said: readonly fc.Arbitrary<Said>[] = [
  fc.oneof(
    { weight: 3, arbitrary: place(moving) },
    { weight: 1, arbitrary: fc.record({ how: fc.constant("velocity" as const), velocity: moving }) },
    { weight: 1, arbitrary: fc.constant({ how: "still" as const }) },
  ),
  place(fc.constant(null)),
  fc.oneof(
    { weight: 6, arbitrary: place(fc.option(moving)) },
    { weight: 2, arbitrary: fc.record({ how: fc.constant("velocity" as const), velocity: moving }) },
    { weight: 1, arbitrary: fc.constant({ how: "gone" as const }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
];
const course: fc.Arbitrary<Course> = fc.tuple(fc.constantFrom(...said), fc.constantFrom(...said)).chain(([a, b]) => {
  const tick = fc.tuple(a, b);
  return fc.array(fc.array(tick, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 2 });
});

/** Speeds are 0, 2.5 and 10 blocks a second by velocity, and any multiple of 20 by place. */
const expressions = fc
  .tuple(
    fc.constantFrom("speed", "it.speed", "speed(it)", "acceleration", "velocity.length"),
    fc.constantFrom("<", "<=", ">", ">=", "="),
    fc.constantFrom(-1, 0, 2.5, 5, 10, 20, 45, 1000),
    fc.constantFrom("any", "all", "each", "count", "not any", "rising(any", "entities[1]"),
  )
  .map(([what, operator, value, how]) => {
    const unit = what === "acceleration" ? "block/s²" : "block/s";
    const name = how === "entities[1]" ? `entities[1].${what.replace(/^it\.|\(it\)$/, "")}` : what;
    const truth = `${name} ${operator} ${value} ${unit}`;
    if (how === "entities[1]") return truth;
    if (how === "count") return `count entities (${truth}) > 0`;
    return how === "rising(any" ? `rising(any entities (${truth}))` : `${how} entities (${truth})`;
  });

async function answers(recording: Recording, text: string): Promise<readonly Answer[]> {
  const found: Answer[] = [];
  for await (const some of (await ask(recording, text)).answers()) found.push(...some);
  return found;
}

const opened = (bytes: Uint8Array, kept?: Uint8Array): Promise<Recording> =>
  openRecording(bundleOfFiles({ "run.hcrp": bytes }), {
    formats: [hcrp],
    ...(kept === undefined ? {} : { seekIndex: memory(kept) }),
  });

async function keptOf(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return (await makeSideCar(bundleOfFiles({ "run.hcrp": bytes }), [hcrp], { room: 1 << 20 })).bytes;
}

describe("of things whose velocity comes and goes", () => {
  test("when, find, and what a side-car says by itself agree", async () => {
    const seen = { never: 0, some: 0 };
    await fc.assert(
      fc.asyncProperty(course, fc.array(expressions, { minLength: 4, maxLength: 4 }), async (what, texts) => {
        const bytes = fileOf(what);
        const kept = await keptOf(bytes);
        const names = await allNamesIn(memory(kept));
        await using plain = await opened(bytes);
        await using indexed = await opened(bytes, kept);
        expect(indexed.sideCar).not.toBe(null);
        for (const text of texts) {
          const there = names.sets.some(({ set }) => set === "entities");
          const wanted = there ? await answers(plain, text).catch(() => null) : null;
          if (wanted === null) continue;
          expect(await answers(indexed, text), text).toEqual(wanted);
          if (decidedBy(text)(names) === "never") {
            seen.never++;
            expect(wanted, text).toEqual([]);
          }
          if (wanted.length > 0) seen.some++;
          for (const open of [(): Promise<Recording> => opened(bytes), (): Promise<Recording> => opened(bytes, kept)]) {
            const found = await lookInto(open, { expression: text, isWhether: false });
            expect(found.how === "answered" && found.fits.count, text).toBe(wanted.length);
            const whether = await lookInto(open, { expression: text, isWhether: true });
            expect(whether.how === "answered" && whether.fits.count, text).toBe(wanted.length > 0 ? null : 0);
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect([seen.never > 0, seen.some > 0]).toEqual([true, true]);
  });

  test("a speed is that of the velocity where it is known, and that of the place elsewhere", async () => {
    await fc.assert(
      fc.asyncProperty(course, fc.constantFrom(0, 2.5, 5, 10, 20), async (what, least) => {
        await using recording = await opened(fileOf(what));
        const known = "known(velocity.x)";
        const apart = `${known} and velocity.length > ${least} block/s or not ${known} and position.speed > ${least} block/s`;
        const wanted = await answers(recording, `each entities (${apart})`).catch(() => null);
        if (wanted === null) return;
        const found = await answers(recording, `each entities (speed > ${least} block/s)`);
        const spans = (list: readonly Answer[]): unknown => list.map(({ from, until, thing }) => [from, until, thing]);
        expect(spans(found)).toEqual(spans(wanted));
      }),
      { numRuns: RUNS },
    );
  });

  const at = (x: number, velocity: number | null): Said => ({ how: "place", x, velocity });
  test.each([
    ["every velocity is there at first", [at(0, 0.125), at(1, null), at(3, null)]],
    ["each is there at some time", [at(0, null), at(1, 0.125), at(3, null)]],
  ] as const)("where %s", async (_, list) => {
    const bytes = fileOf([list.map((one) => [one, at(5, 0)])]);
    const kept = await keptOf(bytes);
    const names = await allNamesIn(memory(kept));
    // 2.5 by its velocity; from place to place it is 20, and then 40
    const text = "any entities (speed > 30 block/s)";
    expect(decidedBy(text)(names)).toBe(null);
    for (const open of [(): Promise<Recording> => opened(bytes), (): Promise<Recording> => opened(bytes, kept)]) {
      await using recording = await open();
      expect((await answers(recording, text)).map(({ extreme, at: when }) => [extreme, when! / 50e6])).toEqual([
        [40, 2],
      ]);
      const found = await lookInto(open, { expression: text, isWhether: false });
      expect(found.how === "answered" && found.fits.count).toBe(1);
    }
  });
});
