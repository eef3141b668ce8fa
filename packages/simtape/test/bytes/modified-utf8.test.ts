import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBuilder } from "../../src/bytes/builder.ts";
import { LayoutError } from "../../src/bytes/error.ts";
import { decodeModifiedUtf8, writeModifiedUtf8 } from "../../src/bytes/modified-utf8.ts";

function encode(text: string): Uint8Array {
  const builder = new ByteBuilder();
  writeModifiedUtf8(builder, text);
  return builder.take();
}

describe("modified UTF-8", () => {
  test.each([
    ["text", "abc", [0x61, 0x62, 0x63]],
    ["NUL", "\0", [0xc0, 0x80]],
    ["two bytes", "é߿", [0xc3, 0xa9, 0xdf, 0xbf]],
    ["three bytes", "ࠀ€\uffff", [0xe0, 0xa0, 0x80, 0xe2, 0x82, 0xac, 0xef, 0xbf, 0xbf]],
    ["a character beyond the BMP", "😀", [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ["a lone high surrogate", "\ud800a", [0xed, 0xa0, 0x80, 0x61]],
    ["a lone low surrogate", "\udfff", [0xed, 0xbf, 0xbf]],
    ["nothing", "", []],
  ])("writes and reads %s", (_, text, bytes) => {
    expect([...encode(text)]).toEqual(bytes);
    expect(decodeModifiedUtf8(new Uint8Array(bytes))).toBe(text);
  });

  test("gives back every sequence of UTF-16 units", () => {
    const unit = fc.oneof(
      fc.nat(0xffff),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.constantFrom(0, 0x7f, 0x80, 0x7ff, 0x800),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
        const text = String.fromCharCode(...units);
        expect(decodeModifiedUtf8(encode(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("reads text longer than what fits the arguments of a call", () => {
    const text = "añ€😀\0".repeat(40_000);
    expect(decodeModifiedUtf8(encode(text))).toBe(text);
  });

  test.each([
    ["a four-byte form", [0x61, 0xf0, 0x9f, 0x98, 0x80], 1],
    ["a lone continuation", [0x61, 0x80], 1],
    ["a pair cut short", [0x61, 0xc3], 2],
    ["a pair with a wrong second byte", [0xc3, 0x29], 1],
    ["a triple cut short", [0xe2, 0x82], 2],
    ["a triple with a wrong second byte", [0xe2, 0x29, 0xac], 1],
    ["a byte that never occurs", [0xff], 0],
  ])("refuses %s and tells where", (_, bytes, at) => {
    try {
      decodeModifiedUtf8(new Uint8Array(bytes), 0x100);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(LayoutError);
      expect(error).toMatchObject({ reason: "malformed", offset: 0x100 + at });
    }
  });
});
