import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ColumnBuilder, type Columns, KEYFRAME, type MessageBatch } from "../../src/model/messages/batch.ts";
import { boundsOf, findKeyframe, readChunks, StatisticsCounter, summarize } from "../../src/model/chunks.ts";
import type { Chunk } from "../../src/model/messages/chunk.ts";
import type { Query } from "../../src/model/messages/batch-query.ts";
import type { ChannelInfo } from "../../src/model/values/value.ts";

interface Row {
  readonly time: number;
  readonly channel: number;
  readonly keyframe: boolean;
  readonly payload: string;
}

interface Made {
  readonly chunks: readonly Chunk[];
  /** All rows in (time, sequence) order, as `rowsOf` gives them. */
  readonly sorted: readonly SeenRow[];
  readonly decode: (chunk: Chunk) => Promise<Columns>;
  /** How often each chunk was decoded. */
  readonly decoded: Map<Chunk, number>;
}

interface SeenRow extends Row {
  readonly sequence: number;
  readonly context: unknown;
}

const CHANNELS: readonly ChannelInfo[] = [0, 1, 2].map((id) => ({ id, name: `channel ${id}`, metadata: {} }));

/** Chunks in file order, numbered on; `hasChannels` false: their channels are not known before they are decoded. */
function make(lists: readonly (readonly Row[])[], options: { hasChannels?: boolean; contexts?: boolean } = {}): Made {
  const chunks: Chunk[] = [];
  const batches = new Map<Chunk, Columns>();
  const decoded = new Map<Chunk, number>();
  const all: SeenRow[] = [];
  let sequence = 0;
  let offset = 0;
  for (const rows of lists) {
    const bytes = new TextEncoder().encode(rows.map(({ payload }) => payload).join(""));
    const context = options.contexts === true ? { chunk: chunks.length } : null;
    const builder = new ColumnBuilder();
    let place = 0;
    for (const [i, { time, channel, keyframe, payload }] of rows.entries()) {
      builder.add(time, channel, place, place + payload.length, keyframe ? KEYFRAME : 0);
      place += payload.length;
      all.push({ ...rows[i]!, sequence: sequence + i, context });
    }
    const batch = builder.build(bytes, sequence, context);
    const reported = summarize(batch);
    const channels = options.hasChannels === false ? null : reported.channels;
    const chunk = { offset, length: bytes.length, sequence, ...reported, channels };
    chunks.push(chunk);
    batches.set(chunk, batch);
    sequence += rows.length;
    offset += bytes.length;
  }
  return {
    chunks,
    sorted: all.toSorted((a, b) => a.time - b.time || a.sequence - b.sequence),
    decoded,
    decode: async (chunk) => {
      decoded.set(chunk, (decoded.get(chunk) ?? 0) + 1);
      return batches.get(chunk)!;
    },
  };
}

async function rowsOf(batches: AsyncIterable<MessageBatch>, reverse = false): Promise<SeenRow[]> {
  const rows: SeenRow[] = [];
  for await (const batch of batches) {
    expect(batch.length).toBeGreaterThan(0);
    for (let n = 0; n < batch.length; n++) {
      const i = reverse ? batch.length - 1 - n : n;
      rows.push({
        time: batch.time[i]!,
        channel: batch.channel[i]!,
        keyframe: batch.flags[i] === KEYFRAME,
        payload: new TextDecoder().decode(batch.payload(i)),
        sequence: batch.sequence[i]!,
        context: batch.context,
      });
    }
  }
  return rows;
}

const row = (time: fc.Arbitrary<number>): fc.Arbitrary<Row> =>
  fc.record({
    time,
    channel: fc.nat(2),
    keyframe: fc.boolean(),
    payload: fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 }),
  });

/** Chunks each about a place of its own, so that some overlap, some touch in one time, and some stand apart. */
const lists: fc.Arbitrary<Row[][]> = fc
  .array(
    fc
      .tuple(fc.nat(40), fc.nat(12))
      .chain(([start, width]) => fc.array(row(fc.integer({ min: start, max: start + width })), { maxLength: 12 })),
    { maxLength: 9 },
  )
  .map((made) => made.map((rows) => [...rows]));

const query: fc.Arbitrary<Query> = fc.record({
  start: fc.option(fc.integer({ min: -2, max: 55 }), { nil: undefined }),
  end: fc.option(fc.integer({ min: -2, max: 55 }), { nil: undefined }),
  channels: fc.option(fc.subarray([...CHANNELS]), { nil: undefined }),
});

function answersOf(sorted: readonly SeenRow[], { start, end, channels }: Query): SeenRow[] {
  return sorted.filter(
    ({ time, channel }) =>
      (start === undefined || time >= start) &&
      (end === undefined || time < end) &&
      (channels === undefined || channels.some(({ id }) => id === channel)),
  );
}

describe("reading chunks", () => {
  test("answers every query as a sorted scan does, and backwards in reverse", async () => {
    await fc.assert(
      fc.asyncProperty(lists, query, fc.boolean(), fc.boolean(), async (made, asked, hasChannels, contexts) => {
        const { chunks, decode, sorted } = make(made, { hasChannels, contexts });
        const expected = answersOf(sorted, asked);
        expect(await rowsOf(readChunks(chunks, decode, asked))).toEqual(expected);
        const reversed = await rowsOf(readChunks(chunks, decode, { ...asked, reverse: true }), true);
        expect(reversed).toEqual(expected.toReversed());
      }),
      { numRuns: 500 },
    );
  });

  test("gives the same when there is hardly any room to hold decoded chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        query,
        fc.boolean(),
        fc.integer({ min: 1, max: 2000 }),
        async (made, asked, reverse, room) => {
          const { chunks, decode, sorted } = make(made, { contexts: true });
          const expected = answersOf(sorted, asked);
          const rows = await rowsOf(readChunks(chunks, decode, { ...asked, reverse }, room), reverse);
          expect(rows).toEqual(reverse ? expected.toReversed() : expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("decodes each chunk once when there is room, and no chunk that cannot answer", async () => {
    await fc.assert(
      fc.asyncProperty(lists, query, fc.boolean(), async (made, asked, reverse) => {
        const { chunks, decode, decoded } = make(made);
        await rowsOf(readChunks(chunks, decode, { ...asked, reverse }), reverse);
        for (const [chunk, times] of decoded) {
          expect(times).toBe(1);
          expect(chunk.first < (asked.end ?? 99) && chunk.last >= (asked.start ?? -99)).toBe(true);
          expect(asked.channels?.some(({ id }) => chunk.channels!.has(id)) ?? true).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each([false, true])(
    "decodes no chunk for each row when all overlap and few can be held (reverse: %s)",
    async (reverse) => {
      const count = 40;
      const perChunk = 250;
      const made = make(
        Array.from({ length: count }, (_, k) =>
          Array.from({ length: perChunk }, (_, i) => ({
            time: i * count + k,
            channel: 0,
            keyframe: false,
            payload: "xyz",
          })),
        ),
      );
      // A row weighs 35 bytes: room for 8 chunks, and for 43 rows of each that is let go.
      const room = 8 * perChunk * 35;
      const rows = await rowsOf(readChunks(made.chunks, made.decode, { reverse }, room), reverse);
      expect(rows.map(({ sequence }) => sequence)).toEqual(
        (reverse ? made.sorted.toReversed() : made.sorted).map(({ sequence }) => sequence),
      );
      const most = Math.max(...made.decoded.values());
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(1 + Math.ceil((perChunk * 35) / (room / 2 / count)));
    },
  );

  test("passes a chunk that overlaps none through without a copy", async () => {
    const rows = (from: number): Row[] =>
      [0, 1].map((i) => ({ time: from + i, channel: 0, keyframe: false, payload: "p" }));
    const made = make([rows(0), rows(10), rows(5)]);
    const given: MessageBatch[] = [];
    for await (const batch of readChunks(made.chunks, made.decode, {})) given.push(batch);
    expect(given).toEqual([
      await made.decode(made.chunks[0]!),
      await made.decode(made.chunks[2]!),
      await made.decode(made.chunks[1]!),
    ]);
    expect(given[0]).toBe(await made.decode(made.chunks[0]!));
  });

  test("passes the long rest of an overlapping chunk through without a copy", async () => {
    const rows = (from: number, count: number): Row[] =>
      Array.from({ length: count }, (_, i) => ({ time: from + i, channel: 0, keyframe: false, payload: "p" }));
    const made = make([rows(0, 1000), rows(990, 1000)]);
    const held = new Set([(await made.decode(made.chunks[0]!)).bytes, (await made.decode(made.chunks[1]!)).bytes]);
    let passed = 0;
    for await (const batch of readChunks(made.chunks, made.decode, {}))
      if (held.has(batch.bytes)) passed += batch.length;
    expect(passed).toBeGreaterThan(1900);
  });

  test("cuts merged rows into batches of bounded size", async () => {
    const interleaved = [0, 1].map((k) =>
      Array.from({ length: 6000 }, (_, i) => ({ time: i * 2 + k, channel: 0, keyframe: false, payload: "" })),
    );
    const made = make(interleaved);
    const lengths: number[] = [];
    for await (const batch of readChunks(made.chunks, made.decode, {})) lengths.push(batch.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4096);
    expect(lengths.reduce((a, b) => a + b)).toBe(12_000);
  });

  test("decodes little more than what the consumer takes", async () => {
    const made = make(Array.from({ length: 100 }, (_, k) => [{ time: k, channel: 0, keyframe: false, payload: "x" }]));
    for await (const batch of readChunks(made.chunks, made.decode, {})) if (batch.time[0] === 3) break;
    expect(made.decoded.size).toBeGreaterThanOrEqual(4);
    expect(made.decoded.size).toBeLessThanOrEqual(12);
  });
});

test("a chunk of many rows is decoded ahead alone, however few bytes are stored of it", async () => {
  const row: Row = { time: 0, channel: 0, keyframe: false, payload: "" };
  const rows = Array.from({ length: 70_000 }, () => row);
  const made = make(Array.from({ length: 12 }, () => rows));
  let taken = 0;
  for await (const batch of readChunks(made.chunks, made.decode, {})) {
    expect(batch.length).toBe(rows.length);
    taken++;
    expect(made.decoded.size).toBeLessThanOrEqual(taken + 1);
  }
  expect(taken).toBe(12);
});

describe("failures of reading chunks", () => {
  const apart = Array.from({ length: 6 }, (_, k) => [{ time: k, channel: 0, keyframe: false, payload: "x" }]);
  const together = Array.from({ length: 6 }, (_, k) => [
    { time: 0, channel: 0, keyframe: false, payload: "x" },
    { time: 10 + k, channel: 0, keyframe: false, payload: "x" },
  ]);

  /** Unhandled promise rejections while `work` ran. */
  async function unhandled(work: () => Promise<void>): Promise<unknown[]> {
    const found: unknown[] = [];
    const note = (reason: unknown): void => void found.push(reason);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
    try {
      await work();
      // Node tells of unhandled rejections after the microtasks of a turn.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", note);
      for (const other of others) process.on("unhandledRejection", other);
    }
    return found;
  }

  test.each([
    ["apart", apart],
    ["overlapping", together],
  ])("a chunk that cannot be decoded fails the reading once, where it comes (%s)", async (_, rows) => {
    const made = make(rows);
    const failure = new Error("cannot");
    const seen: number[] = [];
    let failures = 0;
    const left = await unhandled(async () => {
      try {
        for await (const batch of readChunks(
          made.chunks,
          async (chunk) => {
            if (chunk !== made.chunks[3]) return made.decode(chunk);
            failures++;
            throw failure;
          },
          {},
        ))
          seen.push(...batch.time);
        expect.unreachable();
      } catch (error) {
        expect(error).toBe(failure);
      }
    });
    expect(left).toEqual([]);
    expect(failures).toBe(1);
    expect(seen).toEqual(rows === apart ? [0, 1, 2] : []);
  });

  test("a consumer that stops early leaves no rejection behind, though chunks read ahead fail", async () => {
    const made = make(apart);
    let failed = 0;
    const left = await unhandled(async () => {
      let seen = 0;
      for await (const batch of readChunks(
        made.chunks,
        async (chunk) => {
          if (chunk !== made.chunks.at(-1)) return made.decode(chunk);
          failed++;
          throw new Error("never seen");
        },
        {},
      )) {
        expect(batch.length).toBe(1);
        // nothing is read ahead for who looks at one batch only, or at two
        expect(failed).toBe(++seen === 3 ? 1 : 0);
        if (seen === 3) break;
      }
    });
    expect(failed).toBeGreaterThan(0);
    expect(left).toEqual([]);
  });

  test.each([
    ["apart", apart],
    ["overlapping", together],
  ])("an aborted signal reaches decoding and ends the reading with its reason (%s)", async (_, rows) => {
    const made = make(rows);
    const controller = new AbortController();
    const reason = new Error("enough");
    const signals = new Set<AbortSignal | undefined>();
    const reading = readChunks(
      made.chunks,
      async (chunk, signal) => {
        signals.add(signal);
        if (chunk === made.chunks[2]) controller.abort(reason);
        return made.decode(chunk);
      },
      { signal: controller.signal },
    );
    await expect(rowsOf(reading)).rejects.toBe(reason);
    expect([...signals]).toEqual([controller.signal]);
  });
});

describe("finding a keyframe", () => {
  test("gives the latest flagged message at or before the time, as a scan would", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: -1, max: 55 }), async (made, time) => {
        const { chunks, decode, sorted } = make(made);
        const expected = sorted.findLast((of) => of.keyframe && of.time <= time);
        const found = await findKeyframe(chunks, decode, time, [1]);
        expect(found).toEqual(
          expected === undefined ? null : { time: expected.time, sequence: expected.sequence, channels: [1] },
        );
      }),
      { numRuns: 400 },
    );
  });

  test("decodes only the chunk that holds it when chunks do not overlap", async () => {
    const made = make(
      Array.from({ length: 50 }, (_, k) => [{ time: k, channel: 0, keyframe: k % 10 === 0, payload: "" }]),
    );
    expect(await findKeyframe(made.chunks, made.decode, 37, null)).toEqual({ time: 30, sequence: 30, channels: null });
    expect([...made.decoded.keys()]).toEqual([made.chunks[30]]);
  });
});

test("statistics count messages, bytes, first and last time of each channel", async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (made) => {
      const { chunks, decode, sorted } = make(made);
      const counter = new StatisticsCounter();
      for (const chunk of chunks) counter.add(await decode(chunk));
      const expected = [0, 1, 2, 3].map((id) => {
        const of = sorted.filter(({ channel }) => channel === id);
        const bytes = of.reduce((sum, { payload }) => sum + payload.length, 0);
        return { messages: of.length, bytes, first: of[0]?.time ?? null, last: of.at(-1)?.time ?? null };
      });
      expect(counter.result(4)).toEqual(expected);
      const bounds = { start: sorted[0]?.time ?? 0, end: sorted.at(-1)?.time ?? 0 };
      expect(boundsOf(chunks)).toEqual(bounds);
    }),
    { numRuns: 100 },
  );
});
