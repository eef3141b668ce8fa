import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LayoutError } from "../../src/bytes/error.ts";
import { KEYFRAME, type MessageBatch } from "../../src/model/batch.ts";
import { Findings } from "../../src/model/error.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Format, Query } from "../../src/model/reader.ts";
import type { Recording } from "../../src/model/recording.ts";
import { MutableState, type State } from "../../src/model/state.ts";
import { FORMATS } from "../formats.ts";
import { tries } from "../soak.ts";
import { bundleOfFiles, decodeOrLayoutError, mutate, mutation, readsOrRefuses } from "./mutate.ts";

export { bundleOfFiles };

/** Files of one recording: the first is the main one. */
export interface Specimen {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** The bytes that `records()` gives back; absent: those of the main file. */
  readonly stream?: Uint8Array | undefined;
  /** The file is damaged on purpose: findings are expected. */
  readonly isDamaged?: boolean | undefined;
}

/** What every format must do with every recording of its own. */
export function describeFormat(format: Format, specimens: readonly Specimen[]): void {
  describe.each(specimens.map((specimen) => ({ ...specimen, toString: () => specimen.name })))("$name", (specimen) => {
    const isLarge = Object.values(specimen.files)[0]!.length > 100_000;
    const open = (): Promise<Recording> => openBundle(bundleOfFiles(specimen.files), FORMATS);

    test("is recognised by this format alone", () => {
      const [name, bytes] = Object.entries(specimen.files)[0]!;
      const hint = { name: null, size: bytes.length };
      const answers = FORMATS.filter((other) => sniffs(other, bytes, hint));
      const certain = FORMATS.filter((other) => sniffs(other, bytes, hint) === "certain");
      expect(certain.length > 0 ? certain : answers, name).toEqual([format]);
    });

    test("gives back every byte as records", async () => {
      await using recording = await open();
      const expected = specimen.stream ?? Object.values(specimen.files)[0]!;
      let place = 0;
      for await (const records of recording.records()) {
        for (const { bytes } of records) {
          expect(Buffer.compare(bytes, expected.subarray(place, place + bytes.length)), `at ${place}`).toBe(0);
          place += bytes.length;
        }
      }
      expect(place).toBe(expected.length);
    });

    test("reports findings exactly when it is damaged", async () => {
      await using recording = await open();
      for await (const _ of recording.batches());
      const bad = recording.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
      expect(bad.length > 0).toBe(specimen.isDamaged === true);
    });

    test("decodes every message, and its statistics count them", async () => {
      await using recording = await open();
      const counts = recording.channels.map(() => 0);
      const bytes = recording.channels.map(() => 0);
      for await (const batch of recording.batches()) {
        for (let i = 0; i < batch.length; i++) {
          counts[batch.channel[i]!]!++;
          bytes[batch.channel[i]!]! += batch.end[i]! - batch.start[i]!;
          const { schema } = recording.channels[batch.channel[i]!]!;
          if (specimen.isDamaged === true) decodeOrLayoutError(() => schema.decode(batch.payload(i), batch.context));
          else schema.decode(batch.payload(i), batch.context);
        }
      }
      const statistics = await recording.statistics();
      expect(statistics.map(({ messages }) => messages)).toEqual(counts);
      expect(statistics.map((of) => of.bytes)).toEqual(bytes);
      expect(recording.channels.map(({ id }) => id)).toEqual(recording.channels.map((_, i) => i));
    });

    test("answers ranges and channels as a filtered scan does, and backwards in reverse", async () => {
      await using recording = await open();
      const all = await rows(recording, {});
      for (let i = 1; i < all.length; i++) {
        expect(
          all[i - 1]!.time < all[i]!.time ||
            (all[i - 1]!.time === all[i]!.time && all[i - 1]!.sequence < all[i]!.sequence),
        ).toBe(true);
      }
      expect(await rows(recording, { reverse: true })).toEqual(all.toReversed());
      const { start, end } = await recording.timeline();
      const time = fc.oneof(
        fc.integer({ min: start - 5, max: end + 5 }),
        fc.constantFrom(...all.map((row) => row.time), start),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.option(time, { nil: undefined }),
          fc.option(time, { nil: undefined }),
          fc.option(fc.subarray([...recording.channels]), { nil: undefined }),
          async (from, until, channels) => {
            const query: Query = { start: from, end: until, channels };
            const wanted = channels === undefined ? null : new Set(channels.map(({ id }) => id));
            const expected = all.filter(
              (row) =>
                (from === undefined || row.time >= from) &&
                (until === undefined || row.time < until) &&
                (wanted === null || wanted.has(row.channel)),
            );
            expect(await rows(recording, query)).toEqual(expected);
            expect(await rows(recording, { ...query, reverse: true })).toEqual(expected.toReversed());
          },
        ),
        { numRuns: isLarge ? tries(3, 15) : tries(8, 15) },
      );
    });

    test("state at any time is the fold from the start", async () => {
      await using recording = await open();
      const { start, end } = await recording.timeline();
      const between = fc.integer({ min: Math.floor(start), max: Math.ceil(end) });
      const times = [...fc.sample(between, tries(8, 40)), end];
      const expected = await foldFromStart(format, specimen, times);
      for (const time of times) {
        expect(comparable(await recording.state(time)), `at ${time}`).toEqual(comparable(expected.get(time)!));
      }
    });

    test("gives keyframes that are messages at or before the time asked for", async () => {
      await using recording = await open();
      const all = await rows(recording, {});
      const { end } = await recording.timeline();
      const keyframe = await recording.keyframe(end);
      expect(keyframe === null).toBe(!all.some((row) => row.keyframe));
      if (keyframe !== null)
        expect(all.some(({ sequence, time }) => sequence === keyframe.sequence && time === keyframe.time)).toBe(true);
    });

    test("opens or refuses clearly when it is cut anywhere", async () => {
      const [name, bytes] = Object.entries(specimen.files)[0]!;
      const cuts = new Set<number>([0, 1, bytes.length - 1]);
      const parts = isLarge ? tries(4, 40) : tries(20, 40);
      for (let i = 0; i < parts; i++) cuts.add(Math.floor((bytes.length * i) / parts));
      for (const cut of cuts) await readsOrRefuses({ ...specimen.files, [name]: bytes.slice(0, cut) });
    });

    test("survives random mutations", async () => {
      const [name, bytes] = Object.entries(specimen.files)[0]!;
      await fc.assert(
        fc.asyncProperty(fc.array(mutation(bytes.length), { minLength: 1, maxLength: 4 }), async (mutations) => {
          await readsOrRefuses({ ...specimen.files, [name]: mutate(bytes, mutations) });
        }),
        { numRuns: isLarge ? tries(2, 25) : tries(15, 25) },
      );
    });
  });
}

function sniffs(
  format: Format,
  bytes: Uint8Array,
  hint: { name: string | null; size: number },
): "certain" | "possible" | null {
  try {
    return format.sniff(bytes.subarray(0, 4096), hint);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

interface Row {
  time: number;
  sequence: number;
  channel: number;
  keyframe: boolean;
  payload: string;
}

async function rows(recording: Recording, query: Query): Promise<Row[]> {
  const found: Row[] = [];
  for await (const batch of recording.batches(query)) {
    for (let n = 0; n < batch.length; n++) found.push(rowOf(batch, query.reverse === true ? batch.length - 1 - n : n));
  }
  return found;
}

function rowOf(batch: MessageBatch, i: number): Row {
  const payload = batch.payload(i);
  let digest = 2166136261 ^ payload.length;
  for (const byte of payload) digest = Math.imul(digest ^ byte, 16777619);
  return {
    time: batch.time[i]!,
    sequence: batch.sequence[i]!,
    channel: batch.channel[i]!,
    keyframe: (batch.flags[i]! & KEYFRAME) !== 0,
    payload: `${payload.length}:${digest >>> 0}`,
  };
}

/** Order of sets and values does not matter; order of rows and columns is by id and name. */
function comparable(state: State): unknown {
  const sets = [...state.sets]
    .filter(([, set]) => set.ids.length > 0)
    .map(([name, set]) => [name, { ids: set.ids, axes: set.axes, columns: Object.fromEntries(set.columns) }]);
  return { time: state.time, values: Object.fromEntries(state.values), sets: Object.fromEntries(sets) };
}

/** State at each of the times, folded from nothing in one go. */
async function foldFromStart(
  format: Format,
  specimen: Specimen,
  times: readonly number[],
): Promise<ReadonlyMap<number, State>> {
  const reader = await format.open(bundleOfFiles(specimen.files), new Findings(), {});
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
