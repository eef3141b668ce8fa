import { LayoutError } from "../bytes/error.ts";
import type { Field } from "../bytes/fields.ts";
import { FORMATS } from "../formats.ts";
import { filesBundle } from "../io/source/bundle.ts";
import { KEYFRAME } from "../model/messages/batch.ts";
import { Findings, RecordingError } from "../model/error.ts";
import type { Format } from "../model/format.ts";
import type { Recording } from "../model/recording.ts";
import { MutableState, type State } from "../model/state/state.ts";
import { corrupt, plan } from "../ops/corrupt.ts";
import { sameByColumns } from "./columns.ts";
import { difference } from "./difference.ts";
import { failsWithItsOutput } from "./failing.ts";
import { ObservationError, observe, openFiles } from "./observe.ts";
import { compareRanges } from "./ranges.ts";

/** Files of one recording of the format: the first is the main one. */
export interface Specimen {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** The bytes that `records()` gives back; absent: those of the main file. */
  readonly stream?: Uint8Array | undefined;
  /** The file is damaged on purpose: findings are expected. */
  readonly isDamaged?: boolean | undefined;
}

/** Where the tests go: `describe` and `test` of vitest, Jest, `node:test` or any other runner. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: (name: string, run: () => Promise<void>) => unknown;
}

/** How a format is tested. Everything is optional. */
export interface DescribeOptions {
  /** All that are known, its own among them; absent: those of simtape, and this one. */
  readonly formats?: readonly Format[] | undefined;
  /** How many damaged copies are read; 20 by default. */
  readonly copies?: number | undefined;
}

/**
 * What every format must do with every recording of its own: a test for each. Small recordings do best: each is read
 * many times. A test that fails throws an error that says what was expected and found, and where.
 */
export function describeFormat(
  format: Format,
  specimens: readonly Specimen[],
  { describe, test }: TestRunner,
  options: DescribeOptions = {},
): void {
  const formats = options.formats ?? [...FORMATS.filter(({ id }) => id !== format.id), format];
  for (const specimen of specimens) {
    const { name, files } = specimen;
    const isDamaged = specimen.isDamaged === true;
    const using = async (work: (recording: Recording) => Promise<void>): Promise<void> => {
      const recording = await openFiles(files, formats);
      try {
        await work(recording);
      } finally {
        await recording.close();
      }
    };
    describe(name, () => {
      test("is recognised by this format alone", async () => recognizedAlone(format, formats, mainOf(files)));

      test("gives back every byte as records", () => using((of) => sameRecords(of, specimen.stream ?? mainOf(files))));

      test("reports findings exactly when it is damaged", () => using((of) => hasFindings(of, isDamaged)));

      test("decodes every message, and its statistics count them", () => using((of) => sameStatistics(of, isDamaged)));

      test("answers ranges and channels as a filtered scan does, and backwards in reverse", () =>
        using(async (of) => {
          await compareRanges(of);
        }));

      test("state at any time is the fold from the start", () => using((of) => sameStates(of, format, files)));

      test("reads series by columns as they are folded", () => using(sameByColumns));

      test("gives keyframes that are messages at or before the time asked for", () => using(hasKeyframes));

      test("names every byte of its records and messages", () => using(namesAllBytes));

      test("writes what it reads, and makes damaged recordings whole", async () => {
        await observe(files, formats, ["writing", "repair"]);
      });

      test("fails with its output, clearly and as a whole", () =>
        using(async (of) => {
          const writing = isDamaged ? undefined : await format.writing?.();
          if (writing !== undefined) await failsWithItsOutput(of, writing, Object.keys(files)[0]!);
        }));

      test("opens or refuses clearly when it is cut anywhere", () =>
        survivesCuts(files, formats, options.copies ?? 20));

      test("survives damage", () => survivesDamage(files, formats, options.copies ?? 20));
    });
  }
}

type Files = Specimen["files"];

/** States asked for. */
const STATES = 8;
/** Records of a kind, and messages of a channel, whose fields are looked at. */
const NAMED = 8;

function mainOf(files: Files): Uint8Array {
  return Object.values(files)[0]!;
}

function must(what: string, expected: unknown, found: unknown): void {
  const where = difference(expected, found);
  if (where !== null) throw new ObservationError(`${what}: ${where}`);
}

function recognizedAlone(format: Format, formats: readonly Format[], bytes: Uint8Array): void {
  const answers = new Map(formats.map((other) => [other.id, sniff(other, bytes)]));
  const certain = [...answers].filter(([, answer]) => answer === "certain");
  const known = certain.length > 0 ? certain : [...answers].filter(([, answer]) => answer === "possible");
  must(
    "formats that know its first bytes",
    [format.id],
    known.map(([id]) => id),
  );
}

function sniff(format: Format, bytes: Uint8Array): ReturnType<Format["sniff"]> {
  try {
    return format.sniff(bytes.subarray(0, 4096), { name: null, size: bytes.length });
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

async function sameRecords(recording: Recording, expected: Uint8Array): Promise<void> {
  let place = 0;
  for await (const records of recording.records()) {
    for (const { kind, bytes } of records) {
      must(`bytes of the record ${kind} at ${place}`, expected.subarray(place, place + bytes.length), bytes);
      place += bytes.length;
    }
  }
  must("bytes of all records", expected.length, place);
}

async function hasFindings(recording: Recording, isDamaged: boolean): Promise<void> {
  for await (const _ of recording.batches());
  const bad = recording.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
  const what = `findings of damage or loss${bad[0] === undefined ? "" : ` (${bad[0].code}: ${bad[0].message})`}`;
  must(what, isDamaged, bad.length > 0);
}

async function sameStatistics(recording: Recording, isDamaged: boolean): Promise<void> {
  const counts = recording.channels.map(() => 0);
  const bytes = recording.channels.map(() => 0);
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { id, name, schema } = recording.channels[batch.channel[i]!]!;
      counts[id]!++;
      bytes[id]! += batch.end[i]! - batch.start[i]!;
      try {
        schema.decode(batch.payload(i), batch.context);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        if (!isDamaged)
          throw new ObservationError(`message ${batch.sequence[i]} of ${name} does not decode: ${error.message}`);
      }
    }
  }
  const statistics = await recording.statistics();
  must(
    "messages by channel",
    counts,
    statistics.map(({ messages }) => messages),
  );
  must(
    "payload bytes by channel",
    bytes,
    statistics.map((of) => of.bytes),
  );
  must(
    "ids of channels",
    counts.map((_, i) => i),
    recording.channels.map(({ id }) => id),
  );
}

async function sameStates(recording: Recording, format: Format, files: Files): Promise<void> {
  const { start, end } = await recording.timeline();
  // Not in order, so that none is the way to the next.
  const times = Array.from({ length: STATES }, (_, i) =>
    Math.round(start + ((end - start) * ((i * 5) % STATES)) / (STATES - 1)),
  );
  const expected = await foldFromStart(format, files, times);
  for (const time of times)
    must(`state at ${time}`, comparable(expected.get(time)!), comparable(await recording.state(time)));
}

/** State at each of the times, folded from nothing in one go. */
async function foldFromStart(
  format: Format,
  files: Files,
  times: readonly number[],
): Promise<ReadonlyMap<number, State>> {
  const reader = await format.open(filesBundle(new Map(Object.entries(files))), new Findings(), {});
  const state = new MutableState();
  const states = new Map<number, State>();
  const rising = [...new Set(times)].sort((a, b) => a - b);
  const take = (): void => {
    state.time = rising[states.size]!;
    states.set(state.time, state.freeze());
  };
  reader.state.begin?.(state);
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      while (states.size < rising.length && batch.time[i]! > rising[states.size]!) take();
      reader.state.apply(state, batch, i);
    }
  }
  while (states.size < rising.length) take();
  await reader.close();
  return states;
}

/** Order of sets and values does not matter, nor that a set is there and empty; that of rows is by id. */
function comparable({ time, values, sets }: State): unknown {
  const full = [...sets].filter(([, { ids }]) => ids.length > 0);
  return {
    time,
    values: Object.fromEntries(values),
    sets: Object.fromEntries(
      full.map(([name, { ids, axes, columns }]) => [name, { ids, axes, columns: Object.fromEntries(columns) }]),
    ),
  };
}

async function hasKeyframes(recording: Recording): Promise<void> {
  const keyframes = new Set<string>();
  for await (const { flags, length, time, sequence } of recording.batches()) {
    for (let i = 0; i < length; i++) if ((flags[i]! & KEYFRAME) !== 0) keyframes.add(`${time[i]} ${sequence[i]}`);
  }
  const found = await recording.keyframe((await recording.timeline()).end);
  must("whether there is a keyframe", keyframes.size > 0, found !== null);
  if (found !== null) must("the keyframe is a message", true, keyframes.has(`${found.time} ${found.sequence}`));
}

async function namesAllBytes(recording: Recording): Promise<void> {
  if (recording.reader.dissector === undefined) return;
  const dissector = await recording.dissector();
  const kinds = new Map<string, number>();
  const isLookedAt = (kind: string): boolean => {
    const seen = kinds.get(kind) ?? 0;
    kinds.set(kind, seen + 1);
    return seen < NAMED;
  };
  for await (const records of recording.records()) {
    for (const record of records) {
      if (!isLookedAt(record.kind)) continue;
      const { fields, contents } = await dissector.record(record);
      mustCover(fields, record.bytes, `record ${record.kind} at ${record.offset}`);
      if (contents !== null) mustCover(contents.fields, contents.bytes, `contents of ${record.kind}`);
    }
  }
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      if (isLookedAt(`message ${name}`))
        mustCover(dissector.message(batch, i), batch.payload(i), `message ${batch.sequence[i]} of ${name}`);
    }
  }
}

function mustCover(fields: readonly Field[], bytes: Uint8Array, what: string): void {
  let at = 0;
  for (const { name, start, end } of fields) {
    must(`fields of ${what}: where ${name} begins`, at, start);
    must(`fields of ${what}: ${name} has bytes`, true, end > start);
    at = end;
  }
  must(`fields of ${what}: where they end`, bytes.length, at);
}

async function survivesCuts(files: Files, formats: readonly Format[], copies: number): Promise<void> {
  const { length } = mainOf(files);
  const cuts = new Set([
    0,
    1,
    length - 1,
    ...Array.from({ length: copies }, (_, i) => Math.floor((length * i) / copies)),
  ]);
  for (const cut of cuts) {
    await survives(withMain(files, mainOf(files).slice(0, cut)), formats, `cut to ${cut} bytes`);
  }
}

async function survivesDamage(files: Files, formats: readonly Format[], copies: number): Promise<void> {
  const bytes = mainOf(files);
  for (let seed = 1; seed <= copies; seed++) {
    const corruptions = plan(bytes.length, seed, 1 + (seed % 4));
    const copy = corrupt(bytes, corruptions, seed);
    await survives(withMain(files, copy), formats, `seed ${seed}: ${JSON.stringify(corruptions)}`);
  }
}

function withMain(files: Files, bytes: Uint8Array): Files {
  return { ...files, [Object.keys(files)[0]!]: bytes };
}

/** Reads everything there is; only a `RecordingError` or findings may come of it. */
async function survives(files: Files, formats: readonly Format[], what: string): Promise<void> {
  try {
    await readAll(files, formats);
  } catch (error) {
    if (!RecordingError.is(error)) throw new ObservationError(`${what}: ${String(error)}`, { cause: error });
  }
}

/** Opens it, and asks for everything: messages, values, state, records. */
async function readAll(files: Files, formats: readonly Format[]): Promise<void> {
  const recording = await openFiles(files, formats);
  try {
    await sameStatistics(recording, true);
    const { start, end } = await recording.timeline();
    await recording.state(start + (end - start) / 2);
    for await (const _ of recording.records());
  } finally {
    await recording.close();
  }
}
