import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBuilder } from "../../src/bytes/builder.ts";
import { ByteCursor } from "../../src/bytes/cursor.ts";
import { LayoutError } from "../../src/bytes/error.ts";
import { readVarint, readVarintBig, readZigzag, writeVarint, writeZigzag } from "../../src/bytes/varint.ts";

const EDGES = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER];
const natural = fc.oneof(fc.maxSafeNat(), fc.nat(1000), fc.constantFrom(...EDGES));

function varint(value: number): Uint8Array {
  const builder = new ByteBuilder();
  writeVarint(builder, value);
  return builder.take();
}

/** LEB128 of any size, by the book. */
function reference(value: bigint, padding = 0): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  } while (rest > 0n);
  for (let i = 0; i < padding; i++) bytes.push(0x80);
  bytes.push(bytes.pop()! & 0x7f);
  return new Uint8Array(bytes);
}

function reasonOf(work: () => unknown): [string, number] {
  try {
    work();
  } catch (error) {
    if (error instanceof LayoutError) return [error.reason, error.offset];
    throw error;
  }
  return expect.unreachable("nothing was thrown");
}

describe("varints", () => {
  test("are written in their shortest form and read back", () => {
    fc.assert(
      fc.property(natural, (value) => {
        const bytes = varint(value);
        expect(bytes).toEqual(reference(BigInt(value)));
        const cursor = new ByteCursor(bytes);
        expect(readVarint(cursor)).toBe(value);
        expect(cursor.remaining).toBe(0);
        expect(readVarintBig(new ByteCursor(bytes))).toBe(BigInt(value));
      }),
    );
  });

  test("are read padded up to the limit, and refused beyond it", () => {
    fc.assert(
      fc.property(natural, fc.nat(12), fc.integer({ min: 1, max: 10 }), (value, padding, limit) => {
        const bytes = reference(BigInt(value), padding);
        const cursor = new ByteCursor(bytes, 0, bytes.length, 0x40);
        if (bytes.length <= limit) expect(readVarint(cursor, limit)).toBe(value);
        else expect(reasonOf(() => readVarint(cursor, limit))).toEqual(["malformed", 0x40]);
      }),
      { numRuns: 500 },
    );
  });

  test("above 53 bits are refused as numbers, and whole as bigints up to 64 bits", () => {
    const large = fc.oneof(
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
      fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n),
    );
    fc.assert(
      fc.property(large, (value) => {
        const bytes = reference(value);
        expect(reasonOf(() => readVarint(new ByteCursor(bytes)))).toEqual(["malformed", 0]);
        expect(readVarintBig(new ByteCursor(bytes))).toBe(value);
      }),
    );
    expect(reasonOf(() => readVarintBig(new ByteCursor(reference(2n ** 64n))))).toEqual(["malformed", 0]);
    expect(reasonOf(() => readVarintBig(new ByteCursor(reference(1n, 10))))).toEqual(["malformed", 0]);
    expect(readVarintBig(new ByteCursor(reference(1n, 9)))).toBe(1n);
  });

  test("cut anywhere are truncated", () => {
    fc.assert(
      fc.property(fc.integer({ min: 128, max: Number.MAX_SAFE_INTEGER }), fc.nat(7), (value, cut) => {
        const bytes = varint(value);
        const end = cut % bytes.length;
        for (const read of [readVarint, readVarintBig, readZigzag])
          expect(reasonOf(() => read(new ByteCursor(bytes, 0, end)))).toEqual(["truncated", end]);
      }),
    );
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])("of %s are not written", (value) => {
    const builder = new ByteBuilder();
    expect(() => writeVarint(builder, value)).toThrow(RangeError);
    expect(builder.length).toBe(0);
  });
});

describe("zigzag", () => {
  test.each([
    [0, 0],
    [-1, 1],
    [1, 2],
    [-2, 3],
    [2147483647, 4294967294],
    [-2147483648, 4294967295],
  ])("of %d is the varint %d", (value, coded) => {
    const builder = new ByteBuilder();
    writeZigzag(builder, value);
    expect(builder.take()).toEqual(varint(coded));
  });

  test("is read back as it was written, both signs to the edge", () => {
    const edge = (Number.MAX_SAFE_INTEGER - 1) / 2;
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.integer({ min: -edge - 1, max: edge }), fc.constantFrom(edge, -edge - 1)),
        (value) => {
          const builder = new ByteBuilder();
          writeZigzag(builder, value);
          const cursor = new ByteCursor(builder.take());
          expect(readZigzag(cursor)).toBe(value);
          expect(cursor.remaining).toBe(0);
        },
      ),
    );
    expect(() => writeZigzag(new ByteBuilder(), Number.MAX_SAFE_INTEGER)).toThrow(RangeError);
    expect(() => writeZigzag(new ByteBuilder(), Number.MIN_SAFE_INTEGER)).toThrow(RangeError);
  });

  test("keeps to the limit of its varint", () => {
    expect(readZigzag(new ByteCursor(reference(4294967295n)), 5)).toBe(-2147483648);
    expect(reasonOf(() => readZigzag(new ByteCursor(reference(1n, 5)), 5))).toEqual(["malformed", 0]);
  });
});
