import fc from "fast-check";
import { expect, test } from "vitest";
import { memory } from "../../src/index.ts";
import { Findings } from "../../src/model/error.ts";
import { FlatFile, type FlatLayout, type Walk } from "../../src/model/flat.ts";

const CLOCK = 1;
const MESSAGE = 2;
const FILL = 0xee;

/** `01 time` sets the time, `02 x` is a message at it; anything else is damage up to the next of the two. */
const CLOCKED: FlatLayout = {
  walk(walk: Walk): number {
    const { bytes, end } = walk;
    let time = walk.carried;
    let position = walk.start;
    while (position < end) {
      const kind = bytes[position]!;
      if (kind !== CLOCK && kind !== MESSAGE) {
        let to = position + 1;
        while (to < end && bytes[to] !== CLOCK && bytes[to] !== MESSAGE) to++;
        walk.damage(position, to, { code: "bad-record", severity: "damage", message: "no record" }, time);
        position = to;
        continue;
      }
      if (walk.fits(position, 2) === 0) break;
      if (walk.fits(position, 2) < 0) {
        walk.damage(position, end, { code: "truncated", severity: "loss", message: "cut" }, time);
        return end;
      }
      if (kind === CLOCK) time = bytes[position + 1]!;
      else walk.message(time, 0, position + 1, position + 2);
      walk.record(kind === CLOCK ? "clock" : "message", position, position + 2);
      position += 2;
    }
    walk.handOver(time);
    return position;
  },
};

test("what a walk hands over, and damage carries, is given to the walk behind it, now and later", async () => {
  const part = fc.oneof(
    fc.integer({ min: 10, max: 200 }).map((time) => [CLOCK, time]),
    fc.integer({ min: 10, max: 200 }).map((value) => [MESSAGE, value]),
    fc.integer({ min: 1, max: 9 }).map((length) => Array.from({ length }, () => FILL)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40 }), fc.integer({ min: 2, max: 30 }), async (parts, window) => {
      const bytes = Uint8Array.from(parts.flat());
      const expected: [number, number][] = [];
      let time = 0;
      for (const [kind, value] of parts) {
        if (kind === CLOCK) time = value!;
        else if (kind === MESSAGE) expected.push([time, value!]);
      }
      const scanned: [number, number][] = [];
      const options = {
        window,
        onBatch: (batch: {
          length: number;
          time: Float64Array;
          sequence: Float64Array;
          payload(i: number): Uint8Array;
        }) => {
          for (let i = 0; i < batch.length; i++) scanned[batch.sequence[i]!] = [batch.time[i]!, batch.payload(i)[0]!];
        },
      };
      const file = await FlatFile.scan(
        memory(bytes),
        CLOCKED,
        { begin: 0, end: bytes.length },
        new Findings(),
        options,
      );
      expect(scanned).toEqual(expected);
      const decoded: [number, number][] = [];
      for (const chunk of file.chunks.toReversed()) {
        const batch = await file.decode(chunk);
        for (let i = 0; i < batch.length; i++) decoded[batch.sequence[i]!] = [batch.time[i]!, batch.payload(i)[0]!];
      }
      expect(decoded).toEqual(expected);
      let length = 0;
      for await (const records of file.records()) for (const record of records) length += record.bytes.length;
      expect(length).toBe(bytes.length);
    }),
    { numRuns: 400 },
  );
});
