import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  expectWire,
  readBool,
  readBytes,
  readDoubles,
  readFloats,
  readInt32,
  readMessage,
  readString,
  readTag,
  readUint32,
  readUint32s,
  skipField,
  WIRE,
  writeBoolField,
  writeBytesField,
  writeDoubleField,
  writeDoublesField,
  writeFloatField,
  writeFloatsField,
  writeMessageField,
  writeStringField,
  writeTag,
  writeUint32sField,
  writeVarintField,
} from "../../src/codec/protobuf.ts";
import { ByteBuilder, ByteCursor } from "../../src/kit.ts";
import { bytesOf, hexBytes, survives, thrown } from "./helpers.ts";

const field = fc.integer({ min: 1, max: 536_870_911 });
const cursorOf = (hex: string): ByteCursor => new ByteCursor(hexBytes(hex));

function built(write: (builder: ByteBuilder) => void): Uint8Array<ArrayBuffer> {
  const builder = new ByteBuilder();
  write(builder);
  return builder.take();
}

describe("protobuf fields", () => {
  it("have the golden bytes of the encoding guide", () => {
    expect(built((b) => writeVarintField(b, 1, 150))).toEqual(hexBytes("08 96 01"));
    expect(built((b) => writeStringField(b, 2, "testing"))).toEqual(hexBytes("12 07 74657374696e67"));
    expect(built((b) => writeMessageField(b, 3, (inner) => writeVarintField(inner, 1, 150)))).toEqual(
      hexBytes("1a 03 08 96 01"),
    );
    expect(built((b) => writeUint32sField(b, 6, Uint32Array.of(3, 270, 86942)))).toEqual(
      hexBytes("32 06 03 8e02 9ea705"),
    );
    expect(built((b) => writeBoolField(b, 4, false))).toEqual(hexBytes("20 00"));
    expect(built((b) => writeDoubleField(b, 2, 0))).toEqual(hexBytes("11 0000000000000000"));
  });

  it("give back what was written", () => {
    const whole = fc.integer({ min: 0, max: 0xffffffff });
    const sample = fc.record({
      field,
      text: fc.string({ unit: "grapheme" }),
      bytes: fc.uint8Array(),
      whole,
      yes: fc.boolean(),
    });
    fc.assert(
      fc.property(sample, fc.double(), ({ field, text, bytes, whole, yes }, number) => {
        const all = built((b) => {
          writeStringField(b, field, text);
          writeBytesField(b, field, bytes);
          writeVarintField(b, field, whole);
          writeBoolField(b, field, yes);
          writeDoubleField(b, field, number);
          writeFloatField(b, field, number);
        });
        const cursor = new ByteCursor(all);
        const next = (wire: number): void => {
          const tag = readTag(cursor);
          expect(tag >>> 3).toBe(field);
          expectWire(cursor, tag, wire);
        };
        next(WIRE.bytes);
        expect(readString(cursor)).toBe(text);
        next(WIRE.bytes);
        expect(readBytes(cursor)).toEqual(bytes);
        next(WIRE.varint);
        expect(readUint32(cursor)).toBe(whole);
        next(WIRE.varint);
        expect(readBool(cursor)).toBe(yes);
        next(WIRE.fixed64);
        expect(cursor.f64le()).toBe(number);
        next(WIRE.fixed32);
        expect(cursor.f32le()).toBe(Math.fround(number));
        expect(cursor.remaining).toBe(0);
      }),
    );
  });

  it("are skipped whatever their kind, groups in groups included", () => {
    const fields = [
      "08 ffffffffffffffffff01",
      "09 0102030405060708",
      "0a 03 616263",
      "0d 01020304",
      "0b 0b 1001 0c 0c",
    ];
    for (const hex of fields) {
      const cursor = cursorOf(hex);
      skipField(cursor, readTag(cursor));
      expect(cursor.remaining).toBe(0);
      for (let cut = 1; cut < hexBytes(hex).length; cut++) {
        const short = new ByteCursor(hexBytes(hex).slice(0, cut));
        expect(thrown(() => skipField(short, readTag(short))).reason).toBe("truncated");
      }
    }
  });

  it("are refused with impossible tags, lengths and groups", () => {
    for (const hex of ["00", "07", "0e", "0f", "06", "ffffffffff01", "8080808080"]) {
      expect(thrown(() => readTag(cursorOf(hex))).reason).toBe("malformed");
    }
    expect(readTag(cursorOf("f8ffffff0f")) >>> 3).toBe(536_870_911);
    const skip = (hex: string): unknown => {
      const cursor = cursorOf(hex);
      return thrown(() => skipField(cursor, readTag(cursor))).reason;
    };
    expect(skip("0c")).toBe("malformed");
    expect(skip("0b 14")).toBe("malformed");
    expect(skip("0a 7f 61")).toBe("truncated");
    expect(skip("0a ffffffffffffffff7f")).toBe("malformed");
    expect(skip("08 ffffffffffffffffffff01")).toBe("malformed");
    const bomb = new ByteCursor(new Uint8Array(200_000).fill(0x0b));
    expect(thrown(() => skipField(bomb, readTag(bomb))).message).toContain("too deep");
    expect(thrown(() => expectWire(cursorOf(""), 8, WIRE.bytes)).message).toContain("wire type 0, not 2");
  });

  it("keep the low 32 bits of a longer varint", () => {
    expect(readInt32(cursorOf("ffffffffffffffffff01"))).toBe(-1);
    expect(readUint32(cursorOf("ffffffff7f"))).toBe(0xffffffff);
    expect(readUint32(cursorOf("8080808010"))).toBe(0);
    expect(readUint32(cursorOf("808000"))).toBe(0);
    expect(readBool(cursorOf("8080808010"))).toBe(true);
    expect(thrown(() => readUint32(cursorOf("8080808080808080808000"))).reason).toBe("malformed");
    expect(thrown(() => readBool(cursorOf("8080808080808080808000"))).reason).toBe("malformed");
  });

  it("give embedded messages as cursors that speak of the file", () => {
    const cursor = new ByteCursor(hexBytes("0a 02 08 96 ff"), 0, 5, 1000);
    readTag(cursor);
    const inner = readMessage(cursor);
    expect([inner.offset, inner.remaining, cursor.offset]).toEqual([1002, 2, 1004]);
    readTag(inner);
    expect(thrown(() => readUint32(inner)).offset).toBe(1004);
  });
});

describe("repeated numbers", () => {
  it("come back packed, unpacked and mixed, with other fields between", () => {
    const runs = fc.array(
      fc.record({ packed: fc.boolean(), values: fc.float32Array({ maxLength: 5 }), noise: fc.boolean() }),
    );
    fc.assert(
      fc.property(runs, (runs) => {
        const all = runs.flatMap((run) => Array.from(run.values));
        const floats = built((b) => {
          for (const { packed, values, noise } of runs) {
            if (noise) writeStringField(b, 2, "x");
            if (packed) writeFloatsField(b, 1, values);
            else for (const value of values) writeFloatField(b, 1, value);
          }
        });
        expect(readFloats(new ByteCursor(floats), 1)).toEqual(Float32Array.from(all));
        const doubles = built((b) => {
          for (const { packed, values } of runs) {
            if (packed) writeDoublesField(b, 1, Float64Array.from(values));
            else for (const value of values) writeDoubleField(b, 1, value);
          }
        });
        expect(readDoubles(new ByteCursor(doubles), 1)).toEqual(Float64Array.from(all));
      }),
    );
  });

  it("come back as uint32, packed and unpacked", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.uint32Array({ maxLength: 6 }))), (runs) => {
        const bytes = built((b) => {
          for (const [packed, values] of runs) {
            if (packed) writeUint32sField(b, 1, values);
            else for (const value of values) writeVarintField(b, 1, value);
          }
        });
        const all = runs.flatMap(([, values]) => Array.from(values));
        expect(readUint32s(new ByteCursor(bytes), 1)).toEqual(Uint32Array.from(all));
      }),
    );
    expect(readUint32s(cursorOf("0a 0a ffffffffffffffffff01"), 1)).toEqual(Uint32Array.of(0xffffffff));
  });

  it("are arrays of their own, wherever the bytes lie", () => {
    const bytes = bytesOf(
      hexBytes("ff"),
      built((b) => writeFloatsField(b, 1, Float32Array.of(1, 2))),
    );
    const floats = readFloats(new ByteCursor(bytes, 1), 1);
    floats[0] = 9;
    expect(readFloats(new ByteCursor(bytes, 1), 1)).toEqual(Float32Array.of(1, 2));
    const buffer = Buffer.from(bytes);
    readFloats(new ByteCursor(buffer, 1), 1)[0] = 9;
    expect(readFloats(new ByteCursor(buffer, 1), 1)).toEqual(Float32Array.of(1, 2));
  });

  it("are refused when cut, of the wrong kind, or of a length that does not divide", () => {
    expect(thrown(() => readFloats(cursorOf("0a 03 000000"), 1)).message).toContain("not times 4");
    expect(thrown(() => readFloats(cursorOf("0a fcffffff0f 00"), 1)).reason).toBe("truncated");
    expect(thrown(() => readFloats(cursorOf("09 0000000000000000"), 1)).message).toContain("wire type 1");
    expect(thrown(() => readUint32s(cursorOf("0a 02 01 80"), 1)).message).toContain("inside a varint");
    expect(thrown(() => readUint32s(cursorOf("0a 0b 8080808080808080808000"), 1)).reason).toBe("malformed");
    expect(readFloats(cursorOf(""), 1)).toHaveLength(0);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        survives(() => readFloats(new ByteCursor(bytes), 1));
        survives(() => readDoubles(new ByteCursor(bytes), 1));
        survives(() => readUint32s(new ByteCursor(bytes), 1));
      }),
      { numRuns: 1000 },
    );
  });

  it("write tags for any field number", () => {
    fc.assert(
      fc.property(field, fc.constantFrom(0, 1, 2, 3, 4, 5), (field, wire) => {
        const tag = readTag(new ByteCursor(built((b) => writeTag(b, field, wire))));
        expect([tag >>> 3, tag & 7]).toEqual([field, wire]);
      }),
    );
  });
});
