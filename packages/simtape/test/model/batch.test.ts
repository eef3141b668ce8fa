import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ColumnBuilder, type Columns, KEYFRAME } from "../../src/model/messages/batch.ts";

interface Row {
  readonly time: number;
  readonly channel: number;
  readonly start: number;
  readonly end: number;
  readonly flags: number;
}

const BYTES = Uint8Array.from({ length: 50 }, (_, i) => i);

const row: fc.Arbitrary<Row> = fc
  .tuple(fc.integer({ min: -5, max: 5 }), fc.nat(0xffff), fc.nat(50), fc.nat(50), fc.nat(1))
  .map(([time, channel, a, b, flags]) => ({ time, channel, start: Math.min(a, b), end: Math.max(a, b), flags }));

function fill(builder: ColumnBuilder, rows: readonly Row[]): void {
  for (const { time, channel, start, end, flags } of rows) builder.add(time, channel, start, end, flags);
}

function rowsOf(columns: Columns): unknown[] {
  return Array.from({ length: columns.length }, (_, i) => ({
    time: columns.time[i],
    channel: columns.channel[i],
    start: columns.start[i],
    end: columns.end[i],
    flags: columns.flags[i],
    sequence: columns.sequence[i],
    payload: [...columns.payload(i)],
  }));
}

function expectedOf(rows: readonly Row[], sequence: number): unknown[] {
  return rows
    .map((of, i) => ({ ...of, sequence: sequence + i, payload: [...BYTES.subarray(of.start, of.end)] }))
    .toSorted((a, b) => a.time - b.time || a.sequence - b.sequence);
}

describe("a column builder", () => {
  test("gives rows by time, equal times in the order added, numbered in that order", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), fc.nat(1000), (rows, sequence) => {
        const builder = new ColumnBuilder();
        fill(builder, rows);
        expect(builder.length).toBe(rows.length);
        const context = {};
        const built = builder.build(BYTES, sequence, context);
        expect(rowsOf(built)).toEqual(expectedOf(rows, sequence));
        expect([built.context, built.bytes]).toEqual([context, BYTES]);
        expect(builder.length).toBe(0);
      }),
    );
  });

  test("forgets rows, and what it said of their order", () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 12 }),
        fc.nat(12),
        fc.array(row, { maxLength: 12 }),
        (rows, keep, more) => {
          const builder = new ColumnBuilder();
          fill(builder, rows);
          const kept = rows.slice(0, keep);
          builder.truncate(kept.length);
          fill(builder, more);
          expect(rowsOf(builder.build(BYTES, 3))).toEqual(expectedOf([...kept, ...more], 3));
        },
      ),
    );
  });

  test("holds more rows than it first has room for, and what it built does not change when it is used again", () => {
    const builder = new ColumnBuilder();
    for (let i = 0; i < 5000; i++) builder.add(i, i % 7, 0, i % 50, i % 2);
    const built = builder.build(BYTES, 0);
    for (let i = 0; i < 5000; i++) builder.add(-1, 0, 0, 0, 0);
    expect([built.length, built.time[4999], built.channel[4999], built.end[4999]]).toEqual([5000, 4999, 1, 49]);
    expect(built.flags[4999]! & KEYFRAME).toBe(KEYFRAME);
  });
});

describe("columns", () => {
  const columns = (times: readonly number[]): Columns => {
    const builder = new ColumnBuilder();
    for (const [i, time] of times.entries()) builder.add(time, i, i, i + 1, 0);
    return builder.build(BYTES, 100);
  };

  test("find the first row at or after a time", () => {
    const time = fc.oneof(fc.integer({ min: -6, max: 6 }), fc.double({ min: -6, max: 6, noNaN: true }));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 30 }), time, (times, at) => {
        const sorted = times.toSorted((a, b) => a - b);
        const expected = sorted.findIndex((of) => of >= at);
        expect(columns(times).lowerBound(at)).toBe(expected < 0 ? times.length : expected);
      }),
    );
  });

  test("give a part of their rows as views, and rows by name as copies", () => {
    const all = columns([0, 1, 2, 3, 4]);
    const part = all.slice(1, 3);
    expect(rowsOf(part)).toEqual(rowsOf(all).slice(1, 3));
    expect(part.time.buffer).toBe(all.time.buffer);
    const picked = all.pick(new Uint32Array([4, 0, 0]));
    expect(rowsOf(picked)).toEqual([4, 0, 0].map((i) => rowsOf(all)[i]));
    expect(picked.bytes).toBe(all.bytes);
    expect(all.slice(2, 2).length).toBe(0);
  });
});
