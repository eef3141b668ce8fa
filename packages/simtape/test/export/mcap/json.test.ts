import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Clock } from "../../../src/export/mcap/clock.ts";
import { base64, jsonOf, jsonPieces, jsonUpTo } from "../../../src/export/mcap/json.ts";
import { McapWriter } from "../../../src/export/mcap/writer.ts";
import { MemoryFiles } from "../../../src/index.ts";
import type { Value } from "../../../src/kit.ts";
import { streamed } from "./judge.ts";

/** The pieces of a value's JSON, the last one, too. */
function piecesOf(value: Value): string[] {
  const pieces: string[] = [];
  pieces.push(jsonPieces(value, (text) => pieces.push(text)));
  return pieces;
}

/** Values whose JSON is long: each has more parts than a piece has room for. */
const LONG: Readonly<Record<string, Value>> = {
  nothings: new Array<null>(100_000).fill(null),
  numbers: Float64Array.from({ length: 50_000 }, (_, i) => i / 7),
  bytes: Uint8Array.from({ length: 300_001 }, (_, i) => (i * 31) & 255),
  lists: Array.from({ length: 30_000 }, (_, i) => [[], [i], ["ü", "😀"]]),
  members: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, { left: i, right: [true] }])),
  text: "äöü 😀 ".repeat(300_000),
};

describe("JSON in pieces", () => {
  it("is the JSON of the whole value", () => {
    const values = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, Number.NaN, -0, 2 ** 60),
        fc.double(),
        fc.string({ unit: "binary" }),
        fc.bigInt(),
        fc.uint8Array({ maxLength: 200 }),
        fc.float32Array(),
        fc.array(tie("value")),
        fc.dictionary(fc.string(), tie("value")),
      ) as fc.Arbitrary<Value>,
    })).value;
    fc.assert(
      fc.property(values, (value) => {
        expect(piecesOf(value).join("")).toBe(jsonOf(value));
        expect(() => JSON.parse(jsonOf(value)) as unknown).not.toThrow();
      }),
    );
  });

  it.each(Object.entries(LONG))("gives %s away in several pieces", (name, value) => {
    const pieces = piecesOf([name, value]);
    expect(pieces.join("")).toBe(jsonOf([name, value]));
    expect(pieces.length).toBeGreaterThan(1);
    // a text is one part
    if (name !== "text") expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(140_000);
  });

  it.each(Object.entries(LONG))("writes %s into a message of a file", async (name, value) => {
    const files = new MemoryFiles("x.mcap");
    const sink = await files.open();
    const writer = await McapWriter.begin(sink, new Clock(0n), {});
    const channel = writer.channel("/a", 0, "json");
    writer.json(channel, 1, 0, { small: 1 });
    writer.json(channel, 2, 1, { [name]: value });
    writer.json(channel, 3, 2, { small: 2 });
    await writer.drain();
    writer.json(channel, 4, 3, { small: 3 });
    await writer.finish();
    await sink.close();
    const texts = (await streamed(files.bytes)).messages.map(({ data }) => new TextDecoder().decode(data));
    expect(texts).toEqual(['{"small":1}', jsonOf({ [name]: value }), '{"small":2}', '{"small":3}']);
  });

  it("ends where it would be longer than allowed", () => {
    for (const value of Object.values(LONG)) {
      const text = jsonOf(value);
      expect(jsonUpTo(value, text.length)).toBe(text);
      expect(jsonUpTo(value, text.length - 1)).toBeNull();
      expect(jsonUpTo(value, 0)).toBeNull();
    }
  });
});

describe("base64", () => {
  it("is that of Node, at every length", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 151 + length) & 255);
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }
  });
});
