import fc from "fast-check";
import { expect, test } from "vitest";
import { isUtf8 } from "../../src/bytes/is-utf8.ts";

const FATAL = new TextDecoder("utf-8", { fatal: true });
/** First and last bytes of every kind that the encoding tells apart. */
const EDGES = [
  ...[0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1],
  ...[0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];

test("takes what a fatal decoder takes, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EDGES), { maxLength: 6 }), (bytes) => {
      const text = Uint8Array.from(bytes);
      let isDecoded = true;
      try {
        FATAL.decode(text);
      } catch {
        isDecoded = false;
      }
      expect(isUtf8(text)).toBe(isDecoded);
    }),
    { numRuns: 5000 },
  );
});
