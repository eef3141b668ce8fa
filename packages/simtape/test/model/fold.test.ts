import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBuilder } from "../../src/kit.ts";
import type { Query } from "../../src/model/messages/batch-query.ts";
import { ColumnBuilder, type Columns, KEYFRAME } from "../../src/model/messages/batch.ts";
import type { Chunk } from "../../src/model/messages/chunk.ts";
import { readChunks, StatisticsCounter, summarize } from "../../src/model/chunks.ts";
import type { ColumnSpec } from "../../src/model/state/column.ts";
import { Fold } from "../../src/model/fold.ts";
import type { Keyframe } from "../../src/model/messages/keyframe.ts";
import type { Reader } from "../../src/model/reader.ts";
import type { StateModel } from "../../src/model/state/state-model.ts";
import { MutableState } from "../../src/model/state/state.ts";
import { type Channel, RAW } from "../../src/model/values/value.ts";

const SPEED: ColumnSpec = { kind: "f64", width: 1, unit: null };

/** What channels of the made recording are: adding up, or saying everything again with each message. */
interface Plan {
  /** Channel 0 … 3: true when the last message is enough. */
  readonly whole: readonly boolean[];
  /** Channels whose state a keyframe on channel 0 resets; null: no message is a keyframe. */
  readonly reset: readonly number[] | "all" | null;
}

interface Row {
  readonly time: number;
  readonly channel: number;
  readonly value: number;
  readonly isKeyframe: boolean;
}

const COUNT = 4;

/** A reader over rows in file order, `perChunk` to a chunk, that counts what it is asked for. */
class MadeReader implements Reader {
  readonly info = { format: "made", version: "1", bytes: null, seekIndex: "built" as const, metadata: {} };
  readonly channels: readonly Channel[] = Array.from({ length: COUNT }, (_, id) => ({
    id,
    name: `channel ${id}`,
    metadata: {},
    schema: RAW,
  }));
  readonly state: StateModel;
  readonly queries: Query[] = [];
  applied = 0;
  readonly #plan: Plan;
  readonly #chunks: Chunk[] = [];
  readonly #batches = new Map<Chunk, Columns>();

  constructor(plan: Plan, rows: readonly Row[], perChunk: number) {
    this.#plan = plan;
    for (let at = 0; at < rows.length; at += perChunk) {
      const builder = new ColumnBuilder();
      const bytes = new ByteBuilder();
      for (const { time, channel, value, isKeyframe } of rows.slice(at, at + perChunk)) {
        const flags = plan.reset !== null && channel === 0 && isKeyframe ? KEYFRAME : 0;
        builder.add(time, channel, bytes.length, bytes.length + 4, flags);
        bytes.i32le(value);
      }
      const batch = builder.build(bytes.take(), at);
      const chunk = { offset: at * 4, length: batch.bytes.length, sequence: at, ...summarize(batch) };
      this.#chunks.push(chunk);
      this.#batches.set(chunk, batch);
    }
    this.state = {
      motion: null,
      begin: (state) => state.setValue("began", true),
      replacesState: (channel) => plan.whole[channel]!,
      apply: (state, batch, i) => {
        this.applied++;
        this.#apply(state, batch as Columns, i);
      },
    };
  }

  /** The values of each channel are its own: a sum and the values met, or the last value. */
  #apply(state: MutableState, batch: Columns, i: number): void {
    const channel = batch.channel[i]!;
    const payload = batch.payload(i);
    const value = new DataView(payload.buffer, payload.byteOffset).getInt32(0, true);
    if ((batch.flags[i]! & KEYFRAME) !== 0) {
      if (this.#plan.reset === "all") {
        state.clear();
        state.setValue("began", true);
      } else {
        for (const id of this.#plan.reset ?? []) {
          state.deleteValue(`sum/${id}`);
          state.deleteValue(`last/${id}`);
          state.set(`set/${id}`).clear();
        }
      }
    }
    if (this.#plan.whole[channel]!) {
      state.setValue(`last/${channel}`, value);
      return;
    }
    state.setValue(`sum/${channel}`, ((state.value(`sum/${channel}`) as number | undefined) ?? 0) * 3 + value);
    const set = state.set(`set/${channel}`);
    set.column("speed", SPEED).put(set.row(value % 5), value);
  }

  async timeline(): Promise<never> {
    throw new Error("not asked for");
  }
  async statistics(): Promise<ReturnType<StatisticsCounter["result"]>> {
    const counter = new StatisticsCounter();
    for (const batch of this.#batches.values()) counter.add(batch);
    return counter.result(COUNT);
  }
  batches(query: Query): AsyncGenerator<Columns> {
    this.queries.push(query);
    return readChunks(this.#chunks, async (chunk) => this.#batches.get(chunk)!, query);
  }
  async keyframe(time: number): Promise<Keyframe | null> {
    let best: Keyframe | null = null;
    const { reset } = this.#plan;
    for await (const batch of readChunks(this.#chunks, async (chunk) => this.#batches.get(chunk)!, {})) {
      for (let i = 0; i < batch.length && batch.time[i]! <= time; i++) {
        if (batch.flags[i] !== KEYFRAME) continue;
        best = { time: batch.time[i]!, sequence: batch.sequence[i]!, channels: reset === "all" ? null : reset };
      }
    }
    return best;
  }
  async *records(): AsyncGenerator<never> {}
  async close(): Promise<void> {}

  /** State by the plain rule: everything at or before `time`, in order. */
  async foldAll(time: number): Promise<MutableState> {
    const state = new MutableState();
    this.state.begin!(state);
    for await (const batch of readChunks(this.#chunks, async (chunk) => this.#batches.get(chunk)!, {}))
      for (let i = 0; i < batch.length && batch.time[i]! <= time; i++) this.#apply(state, batch, i);
    state.time = time;
    return state;
  }
}

/** Sets without rows do not count: whether one is there says nothing. */
function plain(state: MutableState): unknown {
  const { time, values, sets } = state.freeze();
  const full = [...sets].filter(([, { ids }]) => ids.length > 0);
  return { time, values: Object.fromEntries(values), sets: Object.fromEntries(full) };
}

const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      step: fc.constantFrom(0, 0, 1, 2, 5),
      back: fc.constantFrom(0, 0, 0, 3),
      channel: fc.nat(COUNT - 1),
      value: fc.nat(1000),
      isKeyframe: fc.nat(4).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let time = 0;
    return steps.map(({ step, back, channel, value, isKeyframe }) => {
      time += step;
      return { time: time - back, channel, value, isKeyframe };
    });
  });

const plan: fc.Arbitrary<Plan> = fc.record({
  // Channel 0 carries the keyframes, and is folded.
  whole: fc.tuple(fc.constant(false), fc.boolean(), fc.boolean(), fc.boolean()),
  reset: fc.constantFrom<Plan["reset"][]>(null, "all", [0], [0, 1], [0, 2, 3]),
});

describe("state at a time", () => {
  test("is the fold of everything before it, with keyframes, checkpoints and channels that are whole", async () => {
    let laid = 0;
    await fc.assert(
      fc.asyncProperty(
        plan,
        rows,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 4, max: 60 }),
        fc.constantFrom(0, 500, 1e6),
        fc.array(fc.oneof(fc.integer({ min: -5, max: 130 }), fc.double({ min: -5, max: 130, noNaN: true })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (made, list, perChunk, every, room, times) => {
          const reader = new MadeReader(made, list, perChunk);
          const fold = new Fold(reader, every, room);
          for (const time of times) {
            reader.queries.length = 0;
            expect(plain(await fold.at(time))).toEqual(plain(await reader.foldAll(time)));
            if (reader.queries.some(({ start }) => start !== undefined)) laid++;
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(laid).toBeGreaterThan(100);
  });

  test("is the caller's own: changing it changes no later answer", async () => {
    const list = Array.from({ length: 50 }, (_, time) => ({ time, channel: 0, value: time, isKeyframe: false }));
    const reader = new MadeReader({ whole: [false, false, false, false], reset: null }, list, 5);
    const fold = new Fold(reader, 1);
    const before = plain(await fold.at(30));
    const own = await fold.at(30);
    own.clear();
    own.set("set/0").row(77);
    expect(plain(await fold.at(30))).toEqual(before);
    expect(plain(await fold.at(35))).toEqual(plain(await reader.foldAll(35)));
  });
});

describe("what state at a time costs", () => {
  const line = (channels: number): Row[] =>
    Array.from({ length: 1000 }, (_, i) => ({
      time: i,
      channel: i % channels,
      value: i,
      isKeyframe: i % 200 === 0,
    }));

  test.each<[string, Plan["reset"], readonly boolean[]]>([
    ["without keyframes", null, [false, false, false, false]],
    ["with channels that are whole", null, [false, true, false, true]],
  ])("is little the second time, by checkpoints (%s)", async (_, reset, whole) => {
    const reader = new MadeReader({ whole, reset }, line(4), 10);
    const fold = new Fold(reader, 200);
    await fold.at(990);
    reader.applied = 0;
    expect(plain(await fold.at(995))).toEqual(plain(await reader.foldAll(995)));
    expect(reader.applied).toBeLessThan(150);
    reader.applied = 0;
    await fold.at(500);
    expect(reader.applied).toBeLessThan(150);
  });

  test("is little the second time behind the only keyframe of some channels", async () => {
    const list = line(4).map((row) => ({ ...row, isKeyframe: row.time === 0 }));
    const reader = new MadeReader({ whole: [false, false, false, false], reset: [0, 1] }, list, 10);
    const fold = new Fold(reader, 200);
    await fold.at(990);
    reader.applied = 0;
    expect(plain(await fold.at(995))).toEqual(plain(await reader.foldAll(995)));
    expect(reader.applied).toBeLessThan(150);
  });

  test("is what follows the last keyframe, when it holds for all channels", async () => {
    const reader = new MadeReader({ whole: [false, false, true, true], reset: "all" }, line(4), 10);
    await new Fold(reader).at(995);
    expect(reader.applied).toBeLessThanOrEqual(200);
    expect(reader.queries.map(({ start }) => start)).toEqual([800, 800]);
  });

  test("is one message of each channel that is whole, read from the end", async () => {
    const reader = new MadeReader({ whole: [true, true, true, true], reset: null }, line(4), 10);
    const state = await new Fold(reader).at(600);
    expect(reader.applied).toBe(4);
    expect(Object.fromEntries(state.values)).toEqual({
      began: true,
      "last/0": 600,
      "last/1": 597,
      "last/2": 598,
      "last/3": 599,
    });
    expect(reader.queries.map(({ reverse }) => reverse)).toEqual([true]);
  });

  test("is nothing before the first message", async () => {
    const reader = new MadeReader({ whole: [true, false, true, true], reset: null }, line(4), 10);
    expect(plain(await new Fold(reader).at(-1))).toEqual({ time: -1, values: { began: true }, sets: {} });
    expect(reader.applied).toBe(0);
  });

  test("stays in bounds everywhere, though checkpoints over the limit are thinned out", async () => {
    const reader = new MadeReader({ whole: [false, false, false, false], reset: null }, line(4), 10);
    const one = (await reader.foldAll(500)).byteLength;
    const costs: number[] = [];
    for (const time of [100, 400, 700, 999]) {
      const fold = new Fold(reader, 40, 4 * one);
      await fold.at(999);
      reader.applied = 0;
      expect(plain(await fold.at(time))).toEqual(plain(await reader.foldAll(time)));
      costs.push(reader.applied);
    }
    // Room for four of the hundred laid at first: about 320 messages lie between those that are left.
    expect(Math.max(...costs)).toBeLessThanOrEqual(320);
    expect(Math.max(...costs)).toBeGreaterThan(100);
  });
});

test("a keyframe spares the messages before it of the channels it holds for alone", async () => {
  const list: Row[] = [
    { time: 0, channel: 0, value: 1, isKeyframe: false },
    { time: 1, channel: 1, value: 2, isKeyframe: false },
    { time: 2, channel: 0, value: 3, isKeyframe: true },
    { time: 2, channel: 1, value: 4, isKeyframe: false },
    { time: 3, channel: 0, value: 5, isKeyframe: false },
  ];
  const reader = new MadeReader({ whole: [false, false, false, false], reset: [0] }, list, 2);
  const state = await new Fold(reader).at(3);
  expect(Object.fromEntries(state.values)).toEqual({ began: true, "sum/0": 14, "sum/1": 10 });
  expect(reader.applied).toBe(4);
});
