import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32 } from "../../src/bytes/crc32.ts";

/** Node has it since 20.15 and 22.2. */
const reference = (zlib as { crc32?: (bytes: Uint8Array, seed?: number) => number }).crc32;

describe("CRC-32", () => {
  test.each([
    ["", 0],
    ["123456789", 0xcbf43926],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339],
    ["\0", 0xd202ef8d],
  ])("of %j is the known one", (text, value) => {
    expect(crc32(new TextEncoder().encode(text))).toBe(value);
  });

  test.runIf(reference !== undefined)("is that of zlib", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(0xffffffff), (bytes, seed) => {
        expect(crc32(bytes)).toBe(reference!(bytes));
        expect(crc32(bytes, seed)).toBe(reference!(bytes, seed));
      }),
    );
  });

  test("is the same from any place in a buffer and for every length", () => {
    const bytes = new Uint8Array(64).map((_, i) => (i * 151) & 255);
    for (let from = 0; from < 20; from++) {
      let one = 0;
      for (let to = from; to < 50; to++) {
        expect(crc32(bytes.subarray(from, to))).toBe(one);
        one = crc32(bytes.subarray(to, to + 1), one);
      }
    }
  });

  test("continues from the result of the bytes before", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(crc32(b, crc32(a))).toBe(crc32(new Uint8Array([...a, ...b])));
      }),
    );
  });
});
