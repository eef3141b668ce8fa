import { BudgetError } from "../../src/bytes/budget.ts";
import { type ByteSource, memory } from "../../src/index.ts";
import { Budget } from "../../src/kit.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ColumnBuilder, type MessageBatch } from "../../src/model/messages/batch.ts";
import { readChunks } from "../../src/model/chunks.ts";
import { type Finding, Findings } from "../../src/model/error.ts";
import { FlatFile, type FlatLayout, Walk } from "../../src/model/flat.ts";
import type { NativeRecord } from "../../src/model/native-record.ts";

const GROUP = 0x01;
const MESSAGE = 0x02;
const ODD = 0x03;
const FILL = 0xee;

/**
 * A group is `01 time`, then messages `02 channel length payload` (length: two bytes), `03` being odd ones that are
 * worth a finding. Nothing else holds a 01. What is neither is damage up to the next group.
 */
class Groups implements FlatLayout {
  /** Damage belongs to the group before it: both are given back when the window cuts what follows. */
  readonly #isCautious: boolean;

  constructor(isCautious: boolean) {
    this.#isCautious = isCautious;
  }

  walk(walk: Walk): number {
    const { bytes, view, end } = walk;
    let position = walk.start;
    let time: number | null = null;
    let groupAt = walk.start;
    let groupRows = 0;
    let groupRecords = 0;
    const giveBack = (): number => {
      walk.rollback(groupRows, groupRecords);
      return groupAt;
    };
    while (position < end) {
      const kind = bytes[position]!;
      const isMessage = kind === MESSAGE || kind === ODD;
      let length = kind === GROUP ? 2 : 4;
      let fits = walk.fits(position, length);
      if (isMessage && fits === 1) {
        length += view.getUint16(position + 2, true);
        fits = walk.fits(position, length);
      }
      const isKnown = kind === GROUP || (isMessage && time !== null);
      if (isKnown && fits === 0) return giveBack();
      if (!isKnown || fits < 0) {
        const next = bytes.subarray(0, end).indexOf(GROUP, position + 1);
        if (next < 0 && !walk.isLast) return giveBack();
        const to = next < 0 ? end : next;
        walk.damage(position, to, {
          code: isKnown ? "truncated" : "bad-record",
          severity: "damage",
          message: "no record",
        });
        position = to;
        time = null;
        if (this.#isCautious) continue;
        groupAt = position;
        groupRows = walk.rows.length;
        groupRecords = walk.recordCount;
        continue;
      }
      if (kind === GROUP) {
        groupAt = position;
        groupRows = walk.rows.length;
        groupRecords = walk.recordCount;
        time = bytes[position + 1]!;
        walk.record("group", position, position + 2);
      } else {
        if (kind === ODD) walk.finding(position, { code: "odd-metadata", severity: "note", message: "an odd message" });
        walk.message(time!, bytes[position + 1]!, position + 4, position + length);
        walk.record(kind === ODD ? "odd-metadata" : "message", position, position + length);
      }
      position += length;
    }
    return walk.isLast ? position : giveBack();
  }
}

const GROUPS = new Groups(false);

interface Expected {
  readonly bytes: Uint8Array;
  readonly rows: { time: number; channel: number; payload: number[]; sequence: number }[];
  readonly records: { kind: string; offset: number; length: number }[];
  readonly findings: Pick<Finding, "code" | "offset" | "length">[];
}

type Part = { kind: "message" | "odd-metadata"; channel: number; length: number } | { kind: "damage"; length: number };

const part: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("message", "odd-metadata"),
      channel: fc.integer({ min: 4, max: 6 }),
      length: fc.integer({ min: 4, max: 60 }),
    }),
  },
  fc.record({ kind: fc.constant("damage"), length: fc.integer({ min: 1, max: 90 }) }),
);
const groups = fc.array(
  fc.record({ time: fc.integer({ min: 4, max: 200 }), parts: fc.array(part, { maxLength: 6 }) }),
  { maxLength: 12 },
);

/** A file, and what a reading of it must give; `cut`: bytes missing of a last record. */
function make(list: readonly { time: number; parts: readonly Part[] }[], begin: number, cut: number): Expected {
  const out: number[] = Array.from({ length: begin }, () => GROUP);
  const rows: Expected["rows"] = [];
  const records: Expected["records"] = [];
  const findings: Expected["findings"] = [];
  for (const { time, parts } of list) {
    records.push({ kind: "group", offset: out.length, length: 2 });
    out.push(GROUP, time);
    let damage: { kind: string; offset: number; length: number } | null = null;
    for (const of of parts) {
      const offset = out.length;
      if (of.kind === "damage") {
        for (let i = 0; i < of.length; i++) out.push(FILL);
        if (damage === null) {
          damage = { kind: "damaged", offset, length: 0 };
          records.push(damage);
        }
      } else {
        const payload = Array.from({ length: of.length }, (_, i) => 16 + ((rows.length + i) % 100));
        out.push(of.kind === "odd-metadata" ? ODD : MESSAGE, of.channel, of.length, 0, ...payload);
        if (damage === null) {
          if (of.kind === "odd-metadata") findings.push({ code: "odd-metadata", offset });
          rows.push({ time, channel: of.channel, payload, sequence: rows.length });
          records.push({ kind: of.kind, offset, length: payload.length + 4 });
        }
      }
    }
    if (damage !== null) {
      damage.length = out.length - damage.offset;
      findings.push({ code: "bad-record", offset: damage.offset, length: damage.length });
    }
  }
  if (cut > 0 && list.length > 0) {
    const offset = out.length;
    out.push(GROUP, 5, MESSAGE, 0, 20, 0, ...Array.from({ length: 20 - cut }, () => FILL));
    records.push({ kind: "group", offset, length: 2 });
    records.push({ kind: "damaged", offset: offset + 2, length: out.length - offset - 2 });
    findings.push({ code: "truncated", offset: offset + 2, length: out.length - offset - 2 });
  }
  return { bytes: new Uint8Array(out), rows, records, findings };
}

/** A source that notes how much is asked for at once. */
function noted(bytes: Uint8Array): { source: ByteSource; reads: number[] } {
  const inner = memory(bytes);
  const reads: number[] = [];
  const read: ByteSource["read"] = (offset, length, signal) => {
    reads.push(length);
    return inner.read(offset, length, signal);
  };
  return { source: { name: "made", size: () => inner.size(), read, close: () => inner.close() }, reads };
}

/** As a file is read: windows of a scan lie in memory that is used again. */
function intoMemory(bytes: Uint8Array): ByteSource {
  const { source } = noted(bytes);
  const readInto = async (into: Uint8Array, offset: number): Promise<number> => {
    const found = bytes.subarray(offset, offset + into.length);
    into.set(found);
    return found.length;
  };
  return { ...source, readInto };
}

async function rowsOf(batches: AsyncIterable<MessageBatch>): Promise<Expected["rows"]> {
  const rows: Expected["rows"] = [];
  for await (const batch of batches) {
    for (let i = 0; i < batch.length; i++) {
      const [time, channel, sequence] = [batch.time[i]!, batch.channel[i]!, batch.sequence[i]!];
      rows.push({ time, channel, payload: [...batch.payload(i)], sequence });
    }
  }
  return rows;
}

async function recordsOf(file: FlatFile): Promise<NativeRecord[]> {
  const all: NativeRecord[] = [];
  for await (const records of file.records()) all.push(...records);
  return all;
}

const reported = ({ code, offset, length }: Finding): unknown =>
  length === undefined ? { code, offset } : { code, offset, length };

describe("a file that is a run of records", () => {
  const anywhere = fc.record({
    list: groups,
    begin: fc.nat(9),
    cut: fc.nat(19),
    window: fc.integer({ min: 1, max: 150 }),
    layout: fc.constantFrom(GROUPS, new Groups(true)),
  });

  test("gives every message once, in order, whatever windows it is read by", async () => {
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ list, begin, cut, window, layout }) => {
        const { bytes, rows } = make(list, begin, cut);
        const seen: number[] = [];
        const budget = new Budget();
        const file = await FlatFile.scan(
          intoMemory(bytes),
          layout,
          { begin, end: bytes.length, sequence: 7 },
          new Findings(),
          {
            window,
            budget,
            onBatch: (batch) => seen.push(...batch.sequence.toSorted()),
          },
        );
        const expected = rows.map((row) => ({ ...row, sequence: row.sequence + 7 }));
        const read = await rowsOf(readChunks(file.chunks, (chunk) => file.decode(chunk), {}));
        expect(read).toEqual(expected.toSorted((a, b) => a.time - b.time || a.sequence - b.sequence));
        // The rows that the scan kept are given up when something else needs the room: the file is walked again.
        if (bytes.length > begin) expect(() => budget.fit("all", budget.limit)).toThrow(BudgetError);
        expect(await rowsOf(readChunks(file.chunks, (chunk) => file.decode(chunk), {}))).toEqual(read);
        expect(seen).toEqual(expected.map(({ sequence }) => sequence));
        expect(file.count).toBe(rows.length);
        expect(file.statistics(7).map(({ messages }) => messages)).toEqual(
          [0, 1, 2, 3, 4, 5, 6].map((id) => rows.filter(({ channel }) => channel === id).length),
        );
      }),
      { numRuns: 400 },
    );
  });

  test("gives every byte back as records, damage included", async () => {
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ list, begin, cut, window, layout }) => {
        const { bytes, records } = make(list, begin, cut);
        const file = await FlatFile.scan(memory(bytes), layout, { begin, end: bytes.length }, new Findings(), {
          window,
        });
        const read = await recordsOf(file);
        expect(read.map(({ kind, offset, bytes: of }) => ({ kind, offset, length: of.length }))).toEqual(records);
        expect(new Uint8Array(read.flatMap(({ bytes: of }) => [...of]))).toEqual(bytes.subarray(begin));
      }),
      { numRuns: 400 },
    );
  });

  test("reports what is wrong once, though windows end in the middle of it and chunks are decoded again", async () => {
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ list, begin, cut, window, layout }) => {
        const { bytes, findings } = make(list, begin, cut);
        const report = new Findings();
        const file = await FlatFile.scan(memory(bytes), layout, { begin, end: bytes.length }, report, { window });
        for (let n = 0; n < 2; n++) for (const chunk of file.chunks) await file.decode(chunk);
        await recordsOf(file);
        expect(report.list().map(reported)).toEqual(findings);
      }),
      { numRuns: 400 },
    );
  });

  test("is covered by its chunks without a gap, read a window at a time, or more where a group is longer", async () => {
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ list, begin, cut, window, layout }) => {
        const { bytes } = make(list, begin, cut);
        const { source, reads } = noted(bytes);
        const progress: number[] = [];
        const file = await FlatFile.scan(source, layout, { begin, end: bytes.length }, new Findings(), {
          window,
          onProgress: (done, total) => progress.push(done, total!),
        });
        let place = begin;
        for (const { offset, length } of file.chunks) {
          expect(offset).toBe(place);
          expect(length).toBeGreaterThan(0);
          place += length;
        }
        expect(place).toBe(bytes.length);
        expect(progress).toEqual(file.chunks.flatMap(({ offset, length }) => [offset + length, bytes.length]));
        // The longest run that cannot be cut is a group with its damage, and a window is doubled until it holds it. Four
        // windows are read ahead at once, and a quarter of one more at most.
        const longest = Math.max(0, ...file.chunks.map(({ length }) => length));
        for (const length of reads) expect(length).toBeLessThanOrEqual(4.25 * Math.max(window, 2 * (longest + 2)));
      }),
      { numRuns: 200 },
    );
  });

  test("holds records longer than the usual window of a mebibyte", async () => {
    const payload = new Uint8Array(60_000).fill(0x20);
    const message = [MESSAGE, 0, payload.length & 0xff, payload.length >> 8];
    const parts: Uint8Array[] = [];
    for (let group = 0; group < 3; group++) {
      parts.push(new Uint8Array([GROUP, 10 + group]));
      for (let n = 0; n < 40; n++) parts.push(new Uint8Array(message), payload);
    }
    const bytes = new Uint8Array(Buffer.concat(parts));
    const file = await FlatFile.scan(memory(bytes), GROUPS, { begin: 0, end: bytes.length }, new Findings());
    expect(file.chunks.map(({ count }) => count)).toEqual([40, 40, 40]);
    expect(file.chunks.every(({ length }) => length > 1 << 20)).toBe(true);
    expect((await file.decode(file.chunks[2]!)).payload(39)).toEqual(payload);
  });

  test("that is empty has no chunks and no messages", async () => {
    const file = await FlatFile.scan(memory(new Uint8Array(5)), GROUPS, { begin: 5, end: 5 }, new Findings());
    expect([file.chunks, file.count, await recordsOf(file)]).toEqual([[], 0, []]);
  });

  test("ends its scan with the reason of an aborted signal", async () => {
    const { bytes } = make([{ time: 9, parts: [{ kind: "message", channel: 0, length: 9 }] }], 0, 0);
    const range = { begin: 0, end: bytes.length };
    const reason = new Error("enough");
    const scan = FlatFile.scan(memory(bytes), GROUPS, range, new Findings(), { signal: AbortSignal.abort(reason) });
    await expect(scan).rejects.toBe(reason);
  });
});

describe("a source that is shorter than it said", () => {
  const { bytes } = make(
    Array.from({ length: 20 }, (_, i) => ({
      time: 10 + i,
      parts: [{ kind: "message" as const, channel: 0, length: 50 }],
    })),
    0,
    0,
  );

  test.each([[bytes.length - 1], [100], [3], [0]])(
    "fails the scan as changed when it holds %d bytes",
    async (length) => {
      const scan = FlatFile.scan(
        memory(bytes.slice(0, length)),
        GROUPS,
        { begin: 0, end: bytes.length },
        new Findings(),
        {
          window: 64,
        },
      );
      await expect(scan).rejects.toMatchObject({ name: "SourceError", reason: "changed" });
    },
  );

  test("fails decoding and records as changed", async () => {
    let held = bytes;
    const read: ByteSource["read"] = async (offset, length) => held.subarray(offset, offset + length);
    const source: ByteSource = { name: "made", size: async () => held.length, read, close: async () => {} };
    const file = await FlatFile.scan(source, GROUPS, { begin: 0, end: bytes.length }, new Findings(), { window: 64 });
    held = bytes.slice(0, bytes.length - 10);
    await expect(file.decode(file.chunks.at(-1)!)).rejects.toMatchObject({ reason: "changed" });
    await expect(recordsOf(file)).rejects.toMatchObject({ reason: "changed" });
    expect((await file.decode(file.chunks[0]!)).length).toBeGreaterThan(0);
  });
});

test("a layout that leaves bytes of the last window undone is a mistake, and is reported so", async () => {
  const lazy: FlatLayout = { walk: (walk) => walk.start };
  const scan = FlatFile.scan(memory(new Uint8Array(100)), lazy, { begin: 0, end: 100 }, new Findings(), { window: 8 });
  await expect(scan).rejects.toThrow("layout left 100 bytes of the last window");
});

describe("whether a record fits", () => {
  const walk = (isLast: boolean, limit: number): Walk =>
    new Walk(new Uint8Array(100), 1000, { start: 0, end: 80, limit, isLast }, new ColumnBuilder(), null, null);

  test("is yes inside the window, whatever follows", () => {
    expect(walk(false, 2 ** 40).fits(70, 10)).toBe(1);
    expect(walk(true, 1080).fits(70, 10)).toBe(1);
  });

  test("is later when the file holds it and the window does not", () => {
    expect(walk(false, 2 ** 40).fits(70, 11)).toBe(0);
    expect(walk(false, 1081).fits(70, 11)).toBe(0);
    expect(walk(false, 2 ** 40).fits(70, 64 << 20)).toBe(0);
  });

  test("is never when the file ends before, nothing follows, or no record is that long", () => {
    expect(walk(false, 1080).fits(70, 11)).toBe(-1);
    expect(walk(true, 2 ** 40).fits(70, 11)).toBe(-1);
    expect(walk(false, 2 ** 40).fits(70, (64 << 20) + 1)).toBe(-1);
    expect(walk(false, 2 ** 40).fits(0, 2 ** 52)).toBe(-1);
  });
});
