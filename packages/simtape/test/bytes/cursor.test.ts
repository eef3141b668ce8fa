import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteCursor } from "../../src/bytes/cursor.ts";
import { hex, LayoutError } from "../../src/bytes/error.ts";

type Read = (cursor: ByteCursor) => number | bigint;

/** Each scalar beside the method of `DataView` that says what it must be. */
const SCALARS: readonly (readonly [string, number, Read, (view: DataView) => number | bigint])[] = [
  ["u8", 1, (c) => c.u8(), (v) => v.getUint8(0)],
  ["i8", 1, (c) => c.i8(), (v) => v.getInt8(0)],
  ["u16le", 2, (c) => c.u16le(), (v) => v.getUint16(0, true)],
  ["u16be", 2, (c) => c.u16be(), (v) => v.getUint16(0)],
  ["i16le", 2, (c) => c.i16le(), (v) => v.getInt16(0, true)],
  ["i16be", 2, (c) => c.i16be(), (v) => v.getInt16(0)],
  ["u32le", 4, (c) => c.u32le(), (v) => v.getUint32(0, true)],
  ["u32be", 4, (c) => c.u32be(), (v) => v.getUint32(0)],
  ["i32le", 4, (c) => c.i32le(), (v) => v.getInt32(0, true)],
  ["i32be", 4, (c) => c.i32be(), (v) => v.getInt32(0)],
  ["f32le", 4, (c) => c.f32le(), (v) => v.getFloat32(0, true)],
  ["f32be", 4, (c) => c.f32be(), (v) => v.getFloat32(0)],
  ["f64le", 8, (c) => c.f64le(), (v) => v.getFloat64(0, true)],
  ["f64be", 8, (c) => c.f64be(), (v) => v.getFloat64(0)],
  ["bigU64le", 8, (c) => c.bigU64le(), (v) => v.getBigUint64(0, true)],
  ["bigU64be", 8, (c) => c.bigU64be(), (v) => v.getBigUint64(0)],
  ["bigI64le", 8, (c) => c.bigI64le(), (v) => v.getBigInt64(0, true)],
  ["bigI64be", 8, (c) => c.bigI64be(), (v) => v.getBigInt64(0)],
];

/** The four that give exact numbers or refuse. */
const WIDE: readonly (readonly [string, (cursor: ByteCursor) => number, (view: DataView) => bigint])[] = [
  ["u64le", (c) => c.u64le(), (v) => v.getBigUint64(0, true)],
  ["u64be", (c) => c.u64be(), (v) => v.getBigUint64(0)],
  ["i64le", (c) => c.i64le(), (v) => v.getBigInt64(0, true)],
  ["i64be", (c) => c.i64be(), (v) => v.getBigInt64(0)],
];

function failure(work: () => unknown): LayoutError {
  try {
    work();
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
  return expect.unreachable("nothing was thrown");
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

describe("a cursor", () => {
  test.each(SCALARS)("reads %s where it stands and moves behind it", (_, size, read, expected) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: size, maxLength: size }),
        fc.nat(9),
        fc.nat(9),
        (value, before, behind) => {
          // A view into a larger buffer, so that an offset forgotten anywhere shows.
          const buffer = new Uint8Array(5 + before + size + behind).fill(0xa5);
          buffer.set(value, 5 + before);
          const cursor = new ByteCursor(buffer.subarray(5), before);
          expect(read(cursor)).toBe(expected(viewOf(value)));
          expect(cursor.position).toBe(before + size);
        },
      ),
    );
  });

  test.each(SCALARS)("refuses %s that its bytes end before, and stays where it was", (name, size, read) => {
    for (let length = 0; length < size; length++) {
      const cursor = new ByteCursor(new Uint8Array(20), 3, 3 + length, 0x1000);
      const { reason, offset, message } = failure(() => read(cursor));
      expect([reason, offset, cursor.position, cursor.remaining]).toEqual(["truncated", 0x1003, 3, length]);
      const kind = name
        .replace(/^big/, "")
        .replace(/[lb]e$/, "")
        .toLowerCase();
      expect(message).toBe(`${kind} needs ${size} bytes, ${length} are left at 0x1003`);
    }
  });

  test.each(WIDE)("gives %s exactly up to 53 bits, and refuses more", (_, read, expected) => {
    const edge = 2n ** 53n;
    const value = fc.oneof(
      fc.bigInt({ min: -edge - 3n, max: edge + 3n }),
      fc.constantFrom(edge - 1n, edge, 1n - edge, -edge, 0n, -1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 63n),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    );
    fc.assert(
      fc.property(value, fc.boolean(), (number, isLittle) => {
        const bytes = new Uint8Array(10);
        new DataView(bytes.buffer).setBigUint64(1, BigInt.asUintN(64, number), isLittle);
        const cursor = new ByteCursor(bytes, 1, 9, 0x20);
        const is = expected(viewOf(bytes.subarray(1, 9)));
        if (is < edge && is > -edge) {
          expect(read(cursor)).toBe(Number(is));
          expect(cursor.position).toBe(9);
        } else {
          const { reason, offset } = failure(() => read(cursor));
          expect([reason, offset, cursor.position]).toEqual(["malformed", 0x21, 1]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each(WIDE)("refuses %s that its bytes end before, and stays where it was", (_, read) => {
    const cursor = new ByteCursor(new Uint8Array(7));
    expect(failure(() => read(cursor)).reason).toBe("truncated");
    expect(cursor.position).toBe(0);
  });

  test("tells places in the file by its origin", () => {
    const cursor = new ByteCursor(new Uint8Array(8), 2, 6, 100);
    expect([cursor.position, cursor.offset, cursor.end, cursor.remaining]).toEqual([2, 102, 6, 4]);
    cursor.skip(3);
    expect([cursor.position, cursor.offset, cursor.remaining]).toEqual([5, 105, 1]);
    expect(failure(() => cursor.skip(2)).offset).toBe(105);
    expect(cursor.position).toBe(5);
  });

  test("ends with its bytes, whatever end was asked for", () => {
    const cursor = new ByteCursor(new Uint8Array(4), 0, 100);
    expect(cursor.end).toBe(4);
    expect(failure(() => cursor.skip(5)).message).toBe("skip needs 5 bytes, 4 are left at 0x0");
  });

  test("seeks between its beginning and its end, and no further", () => {
    const cursor = new ByteCursor(new Uint8Array(8), 2, 6);
    cursor.seek(6);
    expect(cursor.remaining).toBe(0);
    cursor.seek(0);
    expect(cursor.position).toBe(0);
    for (const position of [-1, 7]) expect(failure(() => cursor.seek(position)).reason).toBe("truncated");
    expect(cursor.position).toBe(0);
  });

  test("hands out views of the bytes it was given", () => {
    const bytes = new Uint8Array([1, 2, 3, 4, 5]);
    const cursor = new ByteCursor(bytes, 1);
    const view = cursor.view(3);
    expect([...view]).toEqual([2, 3, 4]);
    expect(view.buffer).toBe(bytes.buffer);
    expect(cursor.view(0)).toHaveLength(0);
    for (const length of [2, -1, 2 ** 40]) expect(failure(() => cursor.view(length)).reason).toBe("truncated");
    expect(cursor.position).toBe(4);
  });
});

describe("text of a cursor", () => {
  test("is what was encoded, byte order marks and NULs included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("", "\ufeff", "\0"), (text, extra) => {
        const bytes = new TextEncoder().encode(extra + text);
        const cursor = new ByteCursor(bytes);
        expect(cursor.utf8(bytes.length)).toBe(extra + text);
        expect(cursor.remaining).toBe(0);
      }),
    );
  });

  test.each([
    ["a lone continuation", [0x80]],
    ["a sequence cut short", [0xe2, 0x82]],
    ["an overlong form", [0xc0, 0x80]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a value above Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["a byte that never occurs", [0xff]],
  ])("refuses %s and stays where it was", (_, wrong) => {
    const cursor = new ByteCursor(new Uint8Array([0x41, 0x42, ...wrong]), 1, undefined, 0x10);
    const { reason, offset } = failure(() => cursor.utf8(1 + wrong.length));
    expect([reason, offset, cursor.position]).toEqual(["malformed", 0x11, 1]);
  });

  test("refuses a length beyond the end", () => {
    const cursor = new ByteCursor(new Uint8Array(3));
    expect(failure(() => cursor.utf8(4)).message).toBe("text needs 4 bytes, 3 are left at 0x0");
    expect(failure(() => cursor.utf8(-1)).reason).toBe("truncated");
  });
});

test("offsets in messages are hexadecimal", () => {
  expect(hex(8000)).toBe("0x1f40");
  expect(new LayoutError("malformed", "no such kind", 8000).message).toBe("no such kind at 0x1f40");
});
