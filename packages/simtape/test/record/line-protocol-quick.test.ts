import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/io/memory-store.ts";
import { LineProtocol } from "../../src/record/lines/line-protocol.ts";
import { QuickLine } from "../../src/record/lines/quick.ts";
import { record } from "../../src/record/live/recorder.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.constantFrom(0, -0, 0.5, -0.000122, 1e-9, 123_456.789_012_345_67),
);
const point = fc.tuple(number, number, number);
const move = fc.record(
  {
    id: fc.oneof(fc.string(), fc.integer()),
    at: point,
    look: fc.tuple(number, number),
    head: number,
    onGround: fc.boolean(),
  },
  { requiredKeys: ["id"] },
);

/** That a number is the same but for its last bits. */
function expectNear(found: number, told: number | undefined): void {
  if (told === undefined) expect(found).toBeNaN();
  else expect(Math.abs(found - told)).toBeLessThanOrEqual(Math.abs(told) * 2e-15);
}

describe("reading moves and ticks from their bytes", () => {
  test("gives what JSON gives, or leaves the line to it", () => {
    const quick = new QuickLine();
    let count = 0;
    fc.assert(
      fc.property(move, (told) => {
        const text = JSON.stringify({ move: told });
        // with the spaces that json.dumps of Python has
        const spaced = text.replace(/([:,])(?=(?:[^"]*"[^"]*")*[^"]*$)/g, "$1 ");
        const isRead = quick.move(bytesOf(text));
        if (!text.includes("\\")) expect(quick.move(bytesOf(spaced))).toBe(isRead);
        if (!isRead) return;
        count++;
        expect(quick.id).toBe(told.id);
        const [x, y, z] = told.at ?? [];
        expectNear(quick.x, x);
        expectNear(quick.y, y);
        expectNear(quick.z, z);
        expectNear(quick.yaw, told.look?.[0]);
        expectNear(quick.pitch, told.look?.[1]);
        expectNear(quick.head, told.head);
        expect(quick.onGround).toBe(told.onGround ?? null);
      }),
      { numRuns: 2000 },
    );
    expect(count).toBeGreaterThan(100);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (tick) => {
        expect(quick.tick(bytesOf(`{"tick":${tick}}`))).toBe(tick);
      }),
    );
  });

  test.each([
    '{"move":{"id":"a","at":[1,2]}}',
    '{"move":{"id":"a","at":[1,2,3}}',
    '{"move":{"id":"a","at":[01,2,3]}}',
    '{"move":{"id":"a","at":[1.,2,3]}}',
    '{"move":{"id":"a","at":[.5,2,3]}}',
    '{"move":{"id":"a","at":[1e3,2,3]}}',
    '{"move":{"id":"a","at":[-,2,3]}}',
    '{"move":{"id":"a","at":[1,2,null]}}',
    '{"move":{"id":"a","at":[123456789012345678901,2,3]}}',
    '{"move":{"id":"a","onGround":tru}}',
    '{"move":{"id":"a","onGround":1}}',
    '{"move":{"id":"a","fly":1}}',
    '{"move":{"id":"a",}}',
    '{"move":{"id":"a"}',
    '{"move":{"id":"a"}} ',
    '{"move":{"id":"a"},"tick":1}',
    '{"move":{"id":"a\\n"}}',
    '{"move":{"id":"ü"}}',
    '{"move":{"id":1.5}}',
    '{"move":{"id":"a}}',
    '{"move":{"at":[1,2,3],"id":"a"}}',
    '{"move":  {"id":"a"}}',
    '{"move":{"id":"a","at":[ 1,2,3]}}',
    '{"move":{',
    "",
  ])("leaves %s to who reads all of JSON", (line) => {
    const quick = new QuickLine();
    expect(quick.move(bytesOf(line))).toBe(false);
    expect(quick.tick(bytesOf(line))).toBe(-1);
  });

  test.each(['{"tick":-1}', '{"tick":1.5}', '{"tick":1}}', '{"tick":01}', '{"tick":"1"}', '{"tick":1', '{"tick":}'])(
    "takes %s for no tick",
    (line) => expect(new QuickLine().tick(bytesOf(line))).toBe(-1),
  );

  test("knows ids apart whose hashes are the same", () => {
    const quick = new QuickLine();
    for (const id of ["Aa", "BB", "Aa", "AaBB", "BBAa", "BB"]) {
      expect(quick.move(bytesOf(`{"move":{"id":"${id}"}}`))).toBe(true);
      expect(quick.id).toBe(id);
    }
  });

  test("makes the recording that JSON makes, and tells the same errors", async () => {
    const lines: string[] = [
      '{"tick":0}',
      '{"spawn":{"id":"a","type":"x:y","at":[0,64,0]}}',
      '{"spawn":{"id":7,"type":"x:y","at":[9,64,0]}}',
    ];
    for (let tick = 1; tick < 500; tick++) {
      lines.push(`{"tick":${tick}}`);
      const at = [Math.sin(tick) * 20, 64 + tick / 7, -tick * 0.1];
      lines.push(JSON.stringify({ move: { id: "a", at, look: [tick * 7.3, 5], onGround: tick % 9 < 4 } }));
      lines.push(JSON.stringify({ move: { id: 7, ...(tick % 2 === 0 ? { at } : { head: tick }) } }));
      if (tick % 50 === 0)
        lines.push(
          '{"move":{"id":"b","at":[1,2,3]}}',
          '{"move":{"id":"a","at":[1,2,3e99]}}',
          '{"move":{"id":"a","at":[1,2,9999999999]}}',
          '{"tick":0}',
        );
    }
    const [quick, slow] = await Promise.all(
      [lines, lines.map((line) => line.replace("{", "{  "))].map(async (each) => {
        const store = memoryStore();
        const told: string[] = [];
        const into = new LineProtocol({
          open: (header) => record(store, { id: "run", now: () => 0, ...header }),
          skipped: ({ message }) => void told.push(message),
        });
        await into.feed(bytesOf(`${each.join("\n")}\n`));
        await into.finish();
        await into.recorder!.close();
        const { eventHash, stateHash, events } = await verify(recordingBundle(store, "run"));
        return { told, eventHash, stateHash, events, lines: into.lines, skipped: into.skipped };
      }),
    );
    expect(quick!.told).toHaveLength(36);
    expect(quick).toEqual(slow);
  });
});
