import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBuilder } from "../../src/bytes/builder.ts";
import { ByteCursor } from "../../src/bytes/cursor.ts";

interface Write {
  readonly put: (builder: ByteBuilder) => void;
  readonly get: (cursor: ByteCursor) => unknown;
  readonly value: unknown;
  readonly size: number;
}

/** Something written, with how it is read back. */
function write<T>(
  value: fc.Arbitrary<T>,
  size: number,
  put: (builder: ByteBuilder, value: T) => unknown,
  get: (cursor: ByteCursor) => unknown,
): fc.Arbitrary<Write> {
  return value.map((of) => ({ put: (builder) => void put(builder, of), get, value: of, size }));
}

const integer = (bits: number, isSigned: boolean): fc.Arbitrary<number> =>
  isSigned
    ? fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
    : fc.integer({ min: 0, max: 2 ** bits - 1 });
const wide = fc.maxSafeInteger();
const natural = fc.maxSafeNat();
const big = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  write(
    integer(8, false),
    1,
    (b, v) => b.u8(v),
    (c) => c.u8(),
  ),
  write(
    integer(8, true),
    1,
    (b, v) => b.i8(v),
    (c) => c.i8(),
  ),
  write(
    integer(16, false),
    2,
    (b, v) => b.u16le(v),
    (c) => c.u16le(),
  ),
  write(
    integer(16, false),
    2,
    (b, v) => b.u16be(v),
    (c) => c.u16be(),
  ),
  write(
    integer(16, true),
    2,
    (b, v) => b.i16le(v),
    (c) => c.i16le(),
  ),
  write(
    integer(16, true),
    2,
    (b, v) => b.i16be(v),
    (c) => c.i16be(),
  ),
  write(
    integer(32, false),
    4,
    (b, v) => b.u32le(v),
    (c) => c.u32le(),
  ),
  write(
    integer(32, false),
    4,
    (b, v) => b.u32be(v),
    (c) => c.u32be(),
  ),
  write(
    integer(32, true),
    4,
    (b, v) => b.i32le(v),
    (c) => c.i32le(),
  ),
  write(
    integer(32, true),
    4,
    (b, v) => b.i32be(v),
    (c) => c.i32be(),
  ),
  write(
    fc.float(),
    4,
    (b, v) => b.f32le(v),
    (c) => c.f32le(),
  ),
  write(
    fc.float(),
    4,
    (b, v) => b.f32be(v),
    (c) => c.f32be(),
  ),
  write(
    fc.double(),
    8,
    (b, v) => b.f64le(v),
    (c) => c.f64le(),
  ),
  write(
    fc.double(),
    8,
    (b, v) => b.f64be(v),
    (c) => c.f64be(),
  ),
  write(
    wide,
    8,
    (b, v) => b.i64le(v),
    (c) => c.i64le(),
  ),
  write(
    wide,
    8,
    (b, v) => b.i64be(v),
    (c) => c.i64be(),
  ),
  write(
    natural,
    8,
    (b, v) => b.i64le(v),
    (c) => c.u64le(),
  ),
  write(
    natural,
    8,
    (b, v) => b.i64be(v),
    (c) => c.u64be(),
  ),
  write(
    big,
    8,
    (b, v) => b.bigI64le(v),
    (c) => c.bigI64le(),
  ),
  write(
    big,
    8,
    (b, v) => b.bigI64be(v),
    (c) => c.bigI64be(),
  ),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({
    put: (b: ByteBuilder) => void b.raw(bytes),
    get: (c: ByteCursor) => c.view(bytes.length).slice(),
    value: bytes,
    size: bytes.length,
  })),
  fc.nat(40).map((count) => ({
    put: (b: ByteBuilder) => void b.zeros(count),
    get: (c: ByteCursor) => c.view(count).slice(),
    value: new Uint8Array(count),
    size: count,
  })),
  fc.string({ unit: "grapheme" }).map((text) => {
    const size = Buffer.byteLength(text);
    return { put: (b: ByteBuilder) => void b.utf8(text), get: (c: ByteCursor) => c.utf8(size), value: text, size };
  }),
);

describe("a builder", () => {
  test("gives back through a cursor whatever was put in, however small it began", () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 60 }), fc.nat(64), (writes, capacity) => {
        const builder = new ByteBuilder(capacity);
        for (const { put } of writes) put(builder);
        const size = writes.reduce((sum, of) => sum + of.size, 0);
        expect(builder.length).toBe(size);
        const cursor = new ByteCursor(builder.take());
        for (const { get, value } of writes) expect(get(cursor)).toEqual(value);
        expect(cursor.remaining).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test("grows without losing what was written", () => {
    const builder = new ByteBuilder(16);
    for (let i = 0; i < 100_000; i++) builder.u32le(i);
    const bytes = builder.take();
    expect(bytes.length).toBe(400_000);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < 100_000; i += 997) expect(view.getUint32(i * 4, true)).toBe(i);
  });

  test("copies what it is given: the giver may write to it again", () => {
    const given = new Uint8Array([1, 2, 3]);
    const builder = new ByteBuilder().raw(given);
    given.fill(9);
    expect([...builder.take()]).toEqual([1, 2, 3]);
  });

  test("clears room that was used before for zeros", () => {
    const builder = new ByteBuilder(16);
    const at = builder.reserve(8);
    builder.patch(at, new Uint8Array(8).fill(7));
    expect([...builder.zeros(2).take()]).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 0, 0]);
  });

  test("begins again after take, and what was taken stays as it is", () => {
    const builder = new ByteBuilder().u8(1).u8(2);
    const taken = builder.take();
    expect(builder.length).toBe(0);
    builder.u8(8).u8(9);
    expect([...taken]).toEqual([1, 2]);
    expect([...builder.take()]).toEqual([8, 9]);
    expect(builder.take()).toHaveLength(0);
  });

  test("patches what was written, in either order of bytes", () => {
    const builder = new ByteBuilder().zeros(14);
    builder.patchU32le(0, 0x01020304);
    builder.patchU32be(4, 0x01020304);
    builder.patchU16le(8, 0x0506);
    builder.patchU16be(10, 0x0506);
    builder.patch(12, new Uint8Array([7, 8]));
    expect([...builder.take()]).toEqual([4, 3, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7, 8]);
  });

  test("refuses patches outside what was written", () => {
    const builder = new ByteBuilder(64).zeros(6);
    expect(() => builder.patchU32le(3, 0)).toThrow(RangeError);
    expect(() => builder.patchU32be(-1, 0)).toThrow(RangeError);
    expect(() => builder.patchU16le(5, 0)).toThrow(RangeError);
    expect(() => builder.patchU16be(6, 0)).toThrow(RangeError);
    expect(() => builder.patch(6, new Uint8Array(1))).toThrow("patch of 1 bytes at 6, 6 written");
    expect([...builder.take()]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
