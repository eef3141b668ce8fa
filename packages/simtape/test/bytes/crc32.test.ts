import { crc32 as reference } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32 } from "../../src/bytes/crc32.ts";
import { crc32Long } from "../../src/bytes/crc32-words.ts";

/** The one that Node gets, and the one of pages. */
const BOTH = [
  ["with zlib", crc32],
  ["in JavaScript", (bytes: Uint8Array, seed = 0) => crc32Long(bytes, seed)],
] as const;

describe.each(BOTH)("CRC-32 %s", (_, crc32Of) => {
  test.each([
    ["", 0],
    ["123456789", 0xcbf43926],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339],
    ["\0", 0xd202ef8d],
  ])("of %j is the known one", (text, value) => {
    expect(crc32Of(new TextEncoder().encode(text))).toBe(value);
  });

  test("is that of zlib", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(0xffffffff), (bytes, seed) => {
        expect(crc32Of(bytes)).toBe(reference(bytes));
        expect(crc32Of(bytes, seed)).toBe(reference(bytes, seed));
      }),
    );
  });

  test("is the same from any place in a buffer and for every length", () => {
    const bytes = new Uint8Array(64).map((_, i) => (i * 151) & 255);
    for (let from = 0; from < 20; from++) {
      let one = 0;
      for (let to = from; to < 50; to++) {
        expect(crc32Of(bytes.subarray(from, to))).toBe(one);
        one = crc32Of(bytes.subarray(to, to + 1), one);
      }
    }
  });

  test("continues from the result of the bytes before", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(crc32Of(b, crc32Of(a))).toBe(crc32Of(new Uint8Array([...a, ...b])));
      }),
    );
  });
});
