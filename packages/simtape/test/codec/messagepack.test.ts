import { decode, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeFirst,
  decodeMessagePack,
  encodeMessagePack,
  MessagePackExtension,
  MessagePackFloat,
  type MessagePackValue,
  skipMessagePack,
} from "../../src/codec/messagepack.ts";
import { ByteCursor } from "../../src/kit.ts";
import { sampleBytes, samplesDirectory } from "../samples.ts";
import { bytesOf, hexBytes, survives, thrown } from "./helpers.ts";

const unsafe = fc
  .bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n })
  .filter((value) => !Number.isSafeInteger(Number(value)));

const { value } = fc.letrec<{ value: MessagePackValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.integer({ min: -40, max: 300 }),
    fc.double(),
    unsafe,
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.uint8Array({ maxLength: 40 }),
    fc
      .record({ type: fc.integer({ min: -128, max: 127 }), data: fc.uint8Array({ maxLength: 20 }) })
      .map(({ type, data }) => new MessagePackExtension(type, data)),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 20, noNullPrototype: false }),
  ),
}));

/** Objects with and without prototype compare alike. */
const plain = (item: MessagePackValue): unknown => {
  if (Array.isArray(item)) return item.map(plain);
  if (item === null || typeof item !== "object" || item instanceof Uint8Array) return item;
  if (item instanceof MessagePackExtension || item instanceof MessagePackFloat) return item;
  return new Map(Object.entries(item).map(([key, inner]) => [key, plain(inner)]));
};

describe("MessagePack", () => {
  it("gives back every value, and its bytes", () => {
    fc.assert(
      fc.property(value, (value) => {
        const bytes = encodeMessagePack(value);
        const again = decodeMessagePack(bytes);
        expect(plain(again)).toEqual(plain(value));
        expect(encodeMessagePack(again)).toEqual(bytes);
        const cursor = new ByteCursor(bytes);
        skipMessagePack(cursor);
        expect(cursor.remaining).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("agrees with @msgpack/msgpack both ways", () => {
    // the library writes -0 as the integer 0; ours keeps it
    const plainValue = fc
      .json({ maxDepth: 4 })
      .filter((text) => !text.includes("__proto__"))
      .map((text) => JSON.parse(text, (_, item: unknown) => (item === 0 ? 0 : item)) as MessagePackValue);
    fc.assert(
      fc.property(plainValue, (value) => {
        expect(plain(decode(encodeMessagePack(value)) as MessagePackValue)).toEqual(plain(value));
        expect(plain(decodeMessagePack(encode(value)))).toEqual(plain(value));
        expect(encodeMessagePack(value)).toEqual(new Uint8Array(encode(value)));
      }),
    );
  });

  it.each<[string, MessagePackValue]>([
    ["00", 0],
    ["7f", 127],
    ["cc80", 128],
    ["ccff", 255],
    ["cd0100", 256],
    ["ce00010000", 65536],
    ["cf0000000100000000", 2 ** 32],
    ["cf001fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["cf0020000000000000", 2n ** 53n],
    ["cfffffffffffffffff", 2n ** 64n - 1n],
    ["ff", -1],
    ["e0", -32],
    ["d0df", -33],
    ["d1ff7f", -129],
    ["d2ffff7fff", -32769],
    ["d3ffffffff7fffffff", -(2 ** 31) - 1],
    ["d38000000000000000", -(2n ** 63n)],
    ["cb8000000000000000", -0],
    ["cb3fe0000000000000", 0.5],
    ["cb7ff0000000000000", Number.POSITIVE_INFINITY],
    ["c0", null],
    ["c2", false],
    ["c3", true],
    ["a0", ""],
    ["a161", "a"],
    ["c400", new Uint8Array(0)],
    ["c4020102", Uint8Array.of(1, 2)],
    ["90", []],
    ["80", Object.create(null)],
    ["92c0c3", [null, true]],
    ["d40501", new MessagePackExtension(5, Uint8Array.of(1))],
    ["c703ff010203", new MessagePackExtension(-1, Uint8Array.of(1, 2, 3))],
  ])("%s is one golden value both ways", (hex, value) => {
    expect(decodeMessagePack(hexBytes(hex))).toEqual(value);
    expect(encodeMessagePack(value)).toEqual(hexBytes(hex));
  });

  it("reads longer forms than needed, and float32", () => {
    for (const hex of [
      "cc05",
      "cd0005",
      "ce00000005",
      "cf0000000000000005",
      "d005",
      "d10005",
      "d200000005",
      "ca40a00000",
    ]) {
      expect(decodeMessagePack(hexBytes(hex))).toBe(5);
    }
    for (const hex of ["d90161", "da000161", "db0000000161"]) expect(decodeMessagePack(hexBytes(hex))).toBe("a");
    for (const hex of ["dc000101", "dd0000000101"]) expect(decodeMessagePack(hexBytes(hex))).toEqual([1]);
    for (const hex of ["de0001a16101", "df00000001d9016101"]) {
      expect(plain(decodeMessagePack(hexBytes(hex)))).toEqual(new Map([["a", 1]]));
    }
  });

  it("crosses every length boundary", () => {
    for (const length of [15, 16, 31, 32, 255, 256, 65_535, 65_536]) {
      const values: MessagePackValue[] = [
        "é".repeat(length),
        new Uint8Array(length),
        Array.from({ length }, () => null),
      ];
      for (const value of values) expect(decodeMessagePack(encodeMessagePack(value))).toEqual(value);
    }
  });

  it("writes whole numbers as float64 when asked to", () => {
    expect(encodeMessagePack(new MessagePackFloat(100))).toEqual(hexBytes("cb4059000000000000"));
    expect(encodeMessagePack({ a: 1, b: undefined as never })).toEqual(hexBytes("81a16101"));
    expect(() => encodeMessagePack(1n << 64n)).toThrow(RangeError);
  });

  it("walks values that follow one another", () => {
    const bytes = bytesOf(encodeMessagePack({ a: [1, 2] }), encodeMessagePack("next"), Uint8Array.of(0xc1));
    const first = decodeFirst(bytes);
    const second = decodeFirst(bytes, first.length);
    expect([plain(first.value), second.value, first.length, second.length]).toEqual([
      new Map([["a", [1, 2]]]),
      "next",
      6,
      5,
    ]);
    expect(thrown(() => decodeFirst(bytes, first.length + second.length)).offset).toBe(11);
    expect(thrown(() => decodeMessagePack(bytes)).message).toContain("bytes follow");
  });

  it("hands out binary as views", () => {
    const bytes = hexBytes("c4020102");
    expect((decodeMessagePack(bytes) as Uint8Array).buffer).toBe(bytes.buffer);
  });

  it("refuses hostile lengths before allocating", () => {
    const zeros = "00".repeat(15);
    for (const mark of ["dd", "df", "c6", "c9", "db"]) {
      const bytes = hexBytes(`${mark}ffffffff${zeros}`);
      expect(thrown(() => decodeMessagePack(bytes)).reason).toBe("truncated");
      expect(thrown(() => skipMessagePack(new ByteCursor(bytes))).reason).toBe("truncated");
    }
    expect(thrown(() => decodeMessagePack(hexBytes("de0003a16101"))).reason).toBe("truncated");
  });

  it("refuses depth bombs and allows 128 levels", () => {
    const nested = (depth: number): Uint8Array => bytesOf(new Uint8Array(depth).fill(0x91), Uint8Array.of(0xc0));
    expect(decodeFirst(nested(128)).length).toBe(129);
    skipMessagePack(new ByteCursor(nested(128)));
    for (const depth of [129, 1_000_000]) {
      const bytes = new Uint8Array(depth + 1).fill(0x91);
      bytes[depth] = 0xc0;
      expect(thrown(() => decodeMessagePack(bytes)).message).toContain("too deep");
      expect(thrown(() => skipMessagePack(new ByteCursor(bytes))).message).toContain("too deep");
    }
  });

  it("refuses text that is not UTF-8, keys that are not text and the unused byte", () => {
    expect(thrown(() => decodeMessagePack(hexBytes("a1ff"))).message).toContain("UTF-8");
    expect(thrown(() => decodeMessagePack(bytesOf(hexBytes("d91e"), new Uint8Array(30).fill(0xff)))).message).toContain(
      "UTF-8",
    );
    expect(thrown(() => decodeMessagePack(hexBytes("810102"))).message).toContain("key");
    expect(thrown(() => decodeMessagePack(hexBytes("c1"))).message).toContain("0xc1");
    skipMessagePack(new ByteCursor(hexBytes("810102")));
  });

  it("makes no prototype out of keys", () => {
    const value = decodeMessagePack(encodeMessagePack(JSON.parse('{"__proto__":{"polluted":1}}')));
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });

  it("throws nothing but LayoutError on any bytes, and skips what it decodes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        let length = -1;
        survives(() => {
          length = decodeFirst(bytes).length;
        });
        const cursor = new ByteCursor(bytes);
        if (length < 0) survives(() => skipMessagePack(cursor));
        else {
          skipMessagePack(cursor);
          expect(cursor.position).toBe(length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("tells a cut at every place", () => {
    const bytes = encodeMessagePack({ text: "words", list: [1, 2.5, -70_000, 2n ** 60n], bin: new Uint8Array(300) });
    for (let length = 0; length < bytes.length; length++) {
      expect(thrown(() => decodeMessagePack(bytes.slice(0, length))).reason).toBe("truncated");
      expect(thrown(() => skipMessagePack(new ByteCursor(bytes, 0, length))).reason).toBe("truncated");
    }
  });
});

describe.runIf(samplesDirectory !== null)("messages of a real recording", () => {
  it("decode as @msgpack/msgpack decodes them, one after another", () => {
    const zip = sampleBytes("nanover/nanotube-methane-01.nanover.zip");
    const view = new DataView(zip.buffer);
    // stored member: local header, name, extra (NanoVer spec §4)
    let at = 30 + view.getUint16(26, true) + view.getUint16(28, true);
    for (let count = 0; count < 200; count++) {
      const { value, length } = decodeFirst(zip, at);
      const bytes = zip.subarray(at, at + length);
      expect(plain(value)).toEqual(plain(decode(bytes) as MessagePackValue));
      at += length;
    }
  });
});
