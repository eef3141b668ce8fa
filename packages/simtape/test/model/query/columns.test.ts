import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { corrupt, FORMATS, planCorruption as plan } from "../../../src/index.ts";
import { RecordingError } from "../../../src/model/error.ts";
import { openBundle } from "../../../src/model/open.ts";
import type { SeriesPath } from "../../../src/model/state/path.ts";
import type { SeriesOptions } from "../../../src/model/query/series.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { ColumnComparison, hasColumns } from "../../../src/testing/columns.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { everyRecording } from "../../recordings.ts";
import { tries } from "../../soak.ts";

/** Paths that are asked for of each recording. */
const PATHS = 200;
/** What is nowhere. */
const LOST: readonly SeriesPath[] = [
  { value: "no such", keys: ["value"] },
  { set: "vehicles", id: 4711, column: "position", item: 0 },
];

const recordings = await everyRecording();

function open(files: Readonly<Record<string, Uint8Array>>): Promise<Recording> {
  return openBundle(bundleOfFiles(files), FORMATS);
}

/** Some of the paths, all of them once, and any other number of a cell or key of a value now and then. */
async function pathsOf(recording: Recording, seed: number): Promise<SeriesPath[]> {
  const listed = (await recording.paths()).map(({ path }) => path);
  if (listed.length <= PATHS) return listed;
  return fc.sample(fc.shuffledSubarray(listed, { minLength: PATHS, maxLength: PATHS }), { numRuns: 1, seed })[0]!;
}

interface Ask {
  readonly paths: SeriesPath[];
  readonly options: SeriesOptions;
  readonly rows: number | null;
}

function asked(paths: readonly SeriesPath[], moments: readonly number[]): fc.Arbitrary<Ask> {
  const [first, last] = [moments[0]!, moments.at(-1)!];
  const time = fc.oneof(
    fc.constantFrom(...moments),
    fc.integer({ min: Math.floor(first) - 1e6, max: Math.ceil(last) + 1e6 }),
  );
  const range = fc.oneof(fc.constant({}), fc.record({ start: time, end: time }), fc.record({ start: time }));
  const mode = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.constant({ isAligned: true }),
    fc.record({ points: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ every: fc.integer({ min: Math.max(1, Math.floor((last - first) / 200)), max: 1e9 + last - first }) }),
  );
  const path = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...paths) }, fc.constantFrom(...LOST));
  return fc.record({
    paths: fc.oneof(
      { weight: 4, arbitrary: fc.array(path, { minLength: 1, maxLength: 5 }) },
      fc.array(path, { minLength: 20, maxLength: 60 }),
    ),
    options: fc.tuple(range, mode).map(([a, b]) => ({ ...a, ...b })),
    rows: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.integer({ min: 1, max: 300 })),
  });
}

async function momentsOf(recording: Recording): Promise<number[]> {
  const times = new Set<number>();
  for await (const { time } of recording.batches()) for (const one of time) times.add(one);
  const all = [...times];
  const step = Math.max(1, Math.floor(all.length / 500));
  return all.filter((_, i) => i % step === 0);
}

async function compareAll(recording: Recording, seed: number, runs: number): Promise<void> {
  const moments = await momentsOf(recording);
  const paths = await pathsOf(recording, seed);
  if (moments.length === 0 || paths.length === 0) return;
  const comparison = new ColumnComparison(recording);
  await comparison.compare({ paths, options: {}, rows: null });
  await fc.assert(
    fc.asyncProperty(asked(paths, moments), (ask) => comparison.compare(ask)),
    { numRuns: runs, seed },
  );
}

describe.each(recordings)("series of $name", ({ files }) => {
  let recording: Recording | null = null;
  beforeAll(async () => {
    recording = await open(files);
  });
  afterAll(() => recording?.close());

  test("by columns equal those that are folded", { timeout: 120_000 }, () => compareAll(recording!, 5, tries(12, 200)));
});

describe.each(recordings.filter(({ isDamaged }) => !isDamaged))("damaged series of $name", ({ files }) => {
  test("by columns equal those that are folded", { timeout: 120_000 }, async () => {
    const [name, bytes] = Object.entries(files)[0]!;
    if (bytes.length > 4 << 20) return;
    for (let seed = 1; seed <= tries(3, 40); seed++) {
      const copy = corrupt(bytes, plan(bytes.length, seed, 1 + (seed % 5)), seed);
      try {
        const damaged = await open({ ...files, [name]: copy });
        await compareAll(damaged, seed, tries(4, 20));
        await damaged.close();
      } catch (error) {
        if (!RecordingError.is(error)) throw error;
      }
    }
  });
});

test("the formats of which a fold costs more than what is asked for read columns", async () => {
  const found = new Set<string>();
  for (const { files } of recordings) {
    const recording = await open(files);
    if (hasColumns(recording, await pathsOf(recording, 1))) found.add(recording.info.format);
    await recording.close();
  }
  expect([...found].sort()).toEqual(["carla", "flightgear", "hcrp", "mira", "nanover"]);
});
