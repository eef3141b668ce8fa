import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Axes,
  FORMATS,
  MemoryFiles,
  MutableState,
  open as openRecording,
  type Origin,
  placesOf,
  type Recording,
  type State,
  type StateEncoder,
  unsetOrigin,
  type Value,
  type WritingFormat,
} from "../../src/index.ts";
import { type ConversionCheck, type ConversionReport, convert, Ledger } from "../../src/ops/convert.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";

const ENDINGS = {
  mcap: "mcap",
  mira: "tape",
  hcrp: "hcrp",
  nanover: "nanover.zip",
  carla: "log",
  flightgear: "fgtape",
} as const;
type Id = keyof typeof ENDINGS;
const IDS = Object.keys(ENDINGS) as Id[];
const RIGHT: Axes = { handed: "right", up: "z", kind: "local" };

function writingOf(id: Id): Promise<WritingFormat> {
  return FORMATS.find((format) => format.id === id)!.writing!();
}

function open(files: MemoryFiles): Promise<Recording> {
  const others = [...files.files].filter(([name]) => name !== files.name);
  return openRecording(bundleOfFiles(Object.fromEntries([[files.name, files.bytes], ...others])));
}

// ── sources ─────────────────────────────────────────────────────────────

interface Step {
  /** Milliseconds after the step before; 0: at the same time, where the format has that. */
  readonly after: number;
  readonly values: readonly (readonly [name: number, value: Value | undefined])[];
  readonly things: readonly (readonly [id: number, place: readonly number[] | null])[];
}

const VALUE: fc.Arbitrary<Value | undefined> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom("idle", "busy", "ünïcode text"),
  fc.boolean(),
  fc.record({ level: fc.integer({ min: 0, max: 9 }), name: fc.constantFrom("a", "b") }),
  fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 }),
  fc.constant(undefined),
);

const STEP: fc.Arbitrary<Step> = fc.record({
  after: fc.constantFrom(0, 1, 7, 10, 50, 50, 100, 333, 1000),
  values: fc.array(fc.tuple(fc.nat({ max: 4 }), VALUE), { maxLength: 3 }),
  things: fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.option<readonly number[]>(fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 3, maxLength: 3 })),
    ),
    { maxLength: 2 },
  ),
});

/** What the format holds of such steps, written by its own encoder: what it leaves out is none of the source. */
async function sourceOf(id: Id, steps: readonly Step[]): Promise<MemoryFiles> {
  const to = new MemoryFiles(`source.${ENDINGS[id]}`);
  const writing = await writingOf(id);
  const writer = await writing.create(to, { epoch: 1_777_883_400_000_000_000n });
  const encoder: StateEncoder = writing.encoder(writer, new Ledger());
  const state = new MutableState();
  const set = state.set("poses", RIGHT);
  const position = set.column("position", { kind: "f64", width: 3, unit: "m" });
  let time = 0;
  for (const [n, { after, values, things }] of steps.entries()) {
    // Only these two take several steps at one time.
    time += (after === 0 && (n === 0 || (id !== "mira" && id !== "nanover")) ? 1 : after) * 1e6;
    for (const [name, value] of values) {
      if (value === undefined) state.deleteValue(`sensor/${name}`);
      else state.setValue(`sensor/${name}`, value);
    }
    for (const [thing, place] of things) {
      if (place === null) set.remove(thing);
      else position.put3(set.row(thing), place[0]! / 10, place[1]! / 10, place[2]! / 10);
    }
    state.time = time;
    encoder.step(state.freeze());
  }
  encoder.end();
  await writer.close();
  return to;
}

// ── an independent look at both sides ───────────────────────────────────

/** Times of the source at which anything was recorded. */
async function momentsOf(recording: Recording): Promise<number[]> {
  const times = new Set<number>();
  for await (const { time } of recording.messages()) times.add(time);
  return [...times].sort((a, b) => a - b);
}

function isLike(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
    const [x, y] = [Object.entries(a), Object.entries(b)] as [string, Value][][];
    const other = new Map(y);
    return x!.length === other.size && x!.every(([key, item]) => isLike(item, other.get(key)));
  }
  if (a === undefined || b === undefined || typeof a === "object" || typeof b === "object") return false;
  return String(a) === String(b) || Math.abs(Number(a) - Number(b)) <= 1e-5 * Math.abs(Number(a));
}

/** As the formats' pages say: the same path, one on a channel, or a property below /simtape; members on their own. */
function holds(target: Id, found: State, path: string, value: Value): boolean {
  const { values } = found;
  const names = {
    hcrp: [path],
    nanover: [path],
    mcap: [path],
    mira: [path.startsWith("/") ? path : `/${path}`],
    flightgear: [path, ...propertiesOf(path)],
    carla: [],
  }[target];
  if (names.some((name) => values.has(name) && isLike(value, values.get(name)))) return true;
  if (typeof value !== "object" || value === null || target === "hcrp" || target === "nanover") return false;
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (isList && target !== "flightgear") return false;
  return Object.entries(value).every(([key, item]) => {
    const member = isList ? (key === "0" ? path : `${path}[${key}]`) : `${path}/${key}`;
    return holds(target, found, member, item as Value);
  });
}

function propertiesOf(path: string): string[] {
  const steps = path.split("/").filter((step) => step !== "");
  const names = steps.map((step) => {
    const clean = step.replace(/\[0\]$/, "").replace(/[^\w.\-[\]]/g, "_");
    return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
  });
  return [`/simtape/${names.join("/")}`];
}

/** What does not fly is where its properties say, in the source's own numbers. */
function isProperty(state: State, found: State, set: string, id: number | string): boolean {
  const { ids, columns } = state.sets.get(set)!;
  const cells = columns.get("position")!.data as Float64Array;
  const [base] = propertiesOf(`${set}/${id}/position`);
  const row = ids.indexOf(id);
  return [0, 1, 2].every((k) => isLike(cells[3 * row + k]!, found.values.get(k === 0 ? base! : `${base}[${k}]`)));
}

function add(counts: Map<string, number>, path: string): void {
  counts.set(path, (counts.get(path) ?? 0) + 1);
}

/** By path, how many changes of the source the result does not show when they happened. */
async function unseen(source: Recording, result: Recording, target: Id): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const times = await momentsOf(source);
  const { start } = await source.timeline();
  const tick = target === "hcrp" ? 50e6 : 1;
  const [ownOrigin, origin]: [Origin, Origin] = [unsetOrigin(), unsetOrigin()];
  if (target === "flightgear") origin.isSet = true;
  let before: State | null = null;
  const known = new Map<string, string>();
  for (const time of times) {
    const state = await source.state(time);
    // A tape of FlightGear has times of single precision.
    const late = target === "flightgear" ? 200 + (time - start) * 2 ** -23 : 0;
    const found = await result.state(Math.ceil((time - start) / tick) * tick + late);
    for (const [path, value] of state.values) {
      if (before !== null && isLike(before.values.get(path), value)) continue;
      if (!holds(target, found, path, value)) add(counts, path);
    }
    for (const path of before?.values.keys() ?? []) {
      if (!state.values.has(path) && (target !== "hcrp" || found.values.has(path)) && target !== "nanover") {
        // CARLA, MIRA and FlightGear: the last word stays, or there was none.
        if (target !== "flightgear" || holds(target, found, path, before!.values.get(path)!)) add(counts, path);
      }
    }
    const places = placesOf(state, ownOrigin);
    // Where both are on the earth, the plane is the same.
    if ((target === "flightgear" || target === "hcrp") && ownOrigin.isSet) Object.assign(origin, ownOrigin);
    const there = placesOf(found, origin);
    for (const { set, id, x, y, z } of places) {
      const key = `${set} ${typeof id} ${id}`;
      const place = `${x} ${y} ${z}`;
      if (known.get(key) === place) continue;
      known.set(key, place);
      if (target === "flightgear" && isProperty(state, found, set, id)) continue;
      const near = 0.002 + 1e-6 * Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
      if (!there.some((place) => Math.hypot(place.x - x, place.y - y, place.z - z) <= near))
        add(counts, `${set}/position`);
    }
    before = state;
  }
  return counts;
}

/** How much of what is at `path`, above or below it, is said to be lost. */
function reported(lost: ConversionReport["lost"], path: string): number {
  return lost
    .filter((of) => of.path === path || path.startsWith(`${of.path}/`) || of.path.startsWith(`${path}/`))
    .reduce((sum, { count }) => sum + count, 0);
}

const PAIRS = IDS.flatMap((from) => IDS.filter((to) => to !== from).map((to) => [from, to] as const));

describe.each(PAIRS)("from %s to %s", (from, to) => {
  test("each change is found in the result, or said to be lost", { timeout: tries(60_000, 1_200_000) }, async () => {
    const writing = await writingOf(to);
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 25 }), async (steps) => {
        const files = await sourceOf(from, steps);
        await using source = await open(files);
        if ((await momentsOf(source)).length === 0) return;
        const target = new MemoryFiles(`result.${ENDINGS[to]}`);
        const report = await convert(source, writing, target, {
          verify: { reopen: (written) => openRecording(written) },
        });
        expect(report.verified).toBe(true);
        expect(report.exact).toBe(false);
        await using result = await open(target);
        for (const [path, count] of await unseen(source, result, to)) {
          expect(reported(report.lost, path), `${path} of ${JSON.stringify(report.lost)}`).toBeGreaterThanOrEqual(
            count,
          );
        }
      }),
      { numRuns: tries(4, 5000), seed: 1 },
    );
  });
});

// ── what was lost in silence ────────────────────────────────────────────

const fixture = new Uint8Array(
  readFileSync(new URL("../fixtures/convert/slow-pose-fast-sensor.tape", import.meta.url)),
);

describe("a pose once a second beside a number 20 times a second", () => {
  test.each(["hcrp", "nanover", "flightgear"] as const)("comes through whole to %s", async (to) => {
    await using source = await openRecording(bundleOfFiles({ "slow.tape": fixture }));
    const target = new MemoryFiles(`fast.${ENDINGS[to]}`);
    const report = await convert(source, await writingOf(to), target, {
      verify: { reopen: (written) => openRecording(written) },
    });
    expect(report.moments).toBe(200);
    expect(report.carried).toContainEqual({ path: "/Sensor", count: 200 });
    expect(report.lost.filter(({ path }) => path === "/Sensor")).toEqual([]);
    await using result = await open(target);
    for await (const { time, value } of source.messages(source.channel("/Sensor"))) {
      const late = to === "flightgear" ? 2000 : 0;
      expect(holds(to, await result.state(time + late), "/Sensor", value)).toBe(true);
    }
  });

  test("is lost to CARLA with every reading", async () => {
    await using source = await openRecording(bundleOfFiles({ "slow.tape": fixture }));
    const target = new MemoryFiles("fast.log");
    const report = await convert(source, await writingOf("carla"), target);
    expect(report.lost).toContainEqual(expect.objectContaining({ path: "/Sensor", count: 200 }));
    // Frames are written where things move, and not for what CARLA has no room for.
    await using result = await open(target);
    expect((await result.timeline()).tick!.count).toBe(10);
  });
});

test("what one moment says twice counts as lost", async () => {
  const writing = await writingOf("mira");
  const files = new MemoryFiles("twice.tape");
  const writer = await writing.create(files, { epoch: 0n });
  const channel = writer.channel({ name: "/level", schema: "double" });
  for (const [time, level] of [
    [0, 1],
    [5e7, 2],
    [5e7, 3],
    [5e7, 4],
    [1e8, 4],
    [1e8, 4],
  ] as const)
    writer.write(channel, time, new Uint8Array(Float64Array.of(level).buffer));
  await writer.close();
  await using source = await open(files);
  const target = new MemoryFiles("twice.hcrp");
  const report = await convert(source, await writingOf("hcrp"), target, {
    verify: { reopen: (written) => openRecording(written) },
  });
  expect(report.moments).toBe(3);
  expect(report.lost).toEqual([expect.objectContaining({ path: "/level", count: 2 })]);
});

test("what an encoder leaves out is found missing when the result is read back", async () => {
  const hcrp = await writingOf("hcrp");
  const forgetful: WritingFormat = {
    ...hcrp,
    encoder: (writer, account) => {
      const encoder = hcrp.encoder(writer, account);
      let n = 0;
      return {
        step: (state) => {
          if (n++ % 5 !== 3) encoder.step(state);
        },
        end: () => encoder.end(),
        witness: () => encoder.witness(),
      };
    },
  };
  await using source = await openRecording(bundleOfFiles({ "slow.tape": fixture }));
  const to = new MemoryFiles("fast.hcrp");
  const trusting = await convert(source, forgetful, to);
  expect(trusting).toMatchObject({ verified: false, lost: [] });
  const again = new MemoryFiles("fast.hcrp");
  const verify: ConversionCheck = { reopen: (written) => openRecording(written) };
  const report = await convert(source, forgetful, again, { verify });
  expect(report.verified).toBe(true);
  expect(report.lost).toContainEqual(expect.objectContaining({ path: "/Sensor", count: 40 }));
  expect([...again.files.keys()]).toEqual(["fast.hcrp"]);
  const none = new MemoryFiles("fast.hcrp");
  const refused = await convert(source, forgetful, none, { verify, strict: true });
  expect(refused.lost).toEqual(report.lost);
  expect(none.files.size).toBe(0);
});
