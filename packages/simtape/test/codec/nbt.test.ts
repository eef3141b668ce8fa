import fc from "fast-check";
import { Int8, Int32, read, write } from "nbtify";
import { describe, expect, it } from "vitest";
import {
  NBT,
  type NbtDocument,
  type NbtTag,
  nbtCompound,
  nbtEntry,
  nbtLength,
  nbtText,
  nbtToValue,
  readNbt,
  writeNbt,
} from "../../src/codec/nbt.ts";
import { sampleBytes, samplesDirectory } from "../samples.ts";
import { bytesOf, hexBytes, survives, thrown } from "./helpers.ts";

const network = { rootName: "network" } as const;
const sniff = { rootName: "sniff" } as const;

const text = fc.string({ unit: "binary", maxLength: 12 }).map(nbtText);

const { tag } = fc.letrec<{ tag: NbtTag }>((tie) => ({
  tag: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: -128, max: 127 }).map((value): NbtTag => ({ type: NBT.byte, value })),
    fc.integer({ min: -32768, max: 32767 }).map((value): NbtTag => ({ type: NBT.short, value })),
    fc.integer().map((value): NbtTag => ({ type: NBT.int, value })),
    fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }).map((value): NbtTag => ({ type: NBT.long, value })),
    fc.float({ noNaN: true }).map((value): NbtTag => ({ type: NBT.float, value })),
    fc.double({ noNaN: true }).map((value): NbtTag => ({ type: NBT.double, value })),
    fc.uint8Array({ maxLength: 8 }).map((value): NbtTag => ({ type: NBT.byteArray, value })),
    text,
    fc.int32Array({ maxLength: 4 }).map((value): NbtTag => ({ type: NBT.intArray, value })),
    fc.bigInt64Array({ maxLength: 4 }).map((value): NbtTag => ({ type: NBT.longArray, value })),
    fc.array(tie("tag"), { maxLength: 4 }).map((items): NbtTag => {
      const itemType = items[0]?.type ?? NBT.end;
      return { type: NBT.list, itemType, items: items.filter((item) => item.type === itemType) };
    }),
    fc
      .array(fc.record({ name: text, tag: tie("tag") }), { maxLength: 4 })
      .map((entries): NbtTag => ({ type: NBT.compound, entries })),
  ),
}));
const document: fc.Arbitrary<NbtDocument> = fc.record({
  root: fc.array(fc.record({ name: text, tag }), { maxLength: 6 }).map((entries) => ({ type: NBT.compound, entries })),
  name: fc.option(text),
});

describe("NBT", () => {
  it("tells the length of a nameless tag that stands among other bytes, and refuses one that does not end", () => {
    fc.assert(
      fc.property(document, fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 }), (document, a, b) => {
        const bytes = writeNbt({ root: document.root, name: null });
        const all = Uint8Array.of(...a, ...bytes, ...b);
        expect(nbtLength(all, a.length)).toBe(bytes.length);
        expect(thrown(() => nbtLength(all, a.length, a.length + bytes.length - 1)).reason).toBe("truncated");
      }),
    );
    expect(nbtLength(Uint8Array.of(0, 7), 0)).toBe(1);
    expect(nbtLength(Uint8Array.of(8, 0, 1, 65, 7), 0)).toBe(4);
  });

  it("gives back every document that was written, and its bytes", () => {
    fc.assert(
      fc.property(document, (document) => {
        const bytes = writeNbt(document);
        const again = readNbt(bytes, { rootName: document.name === null ? "network" : "named" });
        expect(again).toEqual(document);
        expect(writeNbt(again)).toEqual(bytes);
      }),
    );
  });

  it("has an empty document of two bytes", () => {
    expect(writeNbt({ root: nbtCompound({}), name: null })).toEqual(hexBytes("0a 00"));
    expect(readNbt(hexBytes("0a 00"), sniff)).toEqual({ root: nbtCompound({}), name: null });
  });

  it("takes 0A 00 00 with more than two bytes for a root with an empty name when sniffing", () => {
    const named = hexBytes("0a 0000 01 0001 61 05 00");
    expect(readNbt(named, sniff).name?.value).toBe("");
    expect(nbtToValue(readNbt(named, sniff).root)).toEqual({ a: 5 });
    const nameless = hexBytes("0a 01 0001 61 05 00");
    expect(readNbt(nameless, sniff).name).toBeNull();
    expect(thrown(() => readNbt(named, network)).message).toContain("follow");
    expect(thrown(() => readNbt(nameless, { rootName: "named" })).reason).toBe("truncated");
  });

  it("keeps NaN payloads and text in unusual encodings byte for byte", () => {
    const kept = [
      "0a 05 0001 66 7fa00001 00", // signalling NaN as float
      "0a 06 0001 64 fff0000000000001 00", // signalling NaN as double
      "0a 08 0001 73 0003 610062 00", // NUL as one byte
      "0a 08 0001 73 0002 c1a1 00", // 'a' in two bytes
      "0a 08 0001 73 0003 eda080 00", // a lone surrogate
      "0a 08 0001 73 0002 c080 00", // NUL as Java writes it
      "0a 09 0001 6c 08 00000000 00", // empty list with a type
      "0a 01 0001 61 01 01 0001 61 02 00", // the same name twice
    ];
    for (const hex of kept) expect(writeNbt(readNbt(hexBytes(hex), network))).toEqual(hexBytes(hex));
  });

  it("gives plain values, the last of equal names, and bigint only where a number is not exact", () => {
    const { root } = readNbt(hexBytes("0a 04 0001 61 7fffffffffffffff 04 0001 62 0000000000000005 00"), network);
    expect(nbtToValue(root)).toEqual({ a: 0x7fffffffffffffffn, b: 5 });
    expect(nbtToValue({ type: NBT.longArray, value: BigInt64Array.of(-1n, 1n << 60n) })).toEqual([-1, 1n << 60n]);
    expect(nbtToValue({ type: NBT.intArray, value: Int32Array.of(1, -2) })).toEqual([1, -2]);
    expect(nbtToValue({ type: NBT.byteArray, value: Uint8Array.of(255) })).toEqual(Uint8Array.of(255));
    const twice = readNbt(hexBytes("0a 01 0001 61 01 01 0001 61 02 00"), network).root;
    expect(nbtToValue(twice)).toEqual({ a: 2 });
    expect(nbtEntry(twice, "a")).toEqual({ type: NBT.byte, value: 2 });
    expect(nbtEntry(twice, "b")).toBeUndefined();
  });

  it("makes no prototype out of names", () => {
    const value = nbtToValue(nbtCompound({ ["__proto__"]: nbtCompound({ polluted: nbtText("yes") }) }));
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("agrees with nbtify both ways", async () => {
    const data = {
      name: "zażółć 🐢\0",
      list: [new Int32(1), new Int32(-2)],
      deep: { flag: new Int8(1), big: 1n << 40n },
    };
    const bytes = await write(data, { rootName: null, endian: "big", compression: null, bedrockLevel: false });
    const { root } = readNbt(bytes, network);
    expect(nbtToValue(root)).toEqual({ name: data.name, list: [1, -2], deep: { flag: 1, big: 2 ** 40 } });
    expect(writeNbt({ root, name: null })).toEqual(new Uint8Array(bytes));
    const back = await read<typeof data>(writeNbt({ root, name: null }), {
      rootName: false,
      endian: "big",
      compression: null,
    });
    expect(back.data.name).toBe(data.name);
  });

  it("refuses gzip, other roots, bytes left over and documents above the limit", () => {
    expect(thrown(() => readNbt(hexBytes("1f8b0800"), sniff)).message).toContain("gzipped NBT");
    expect(thrown(() => readNbt(hexBytes("09 00 00000000"), sniff)).message).toContain("root is tag 9");
    expect(thrown(() => readNbt(hexBytes("0a 00 00"), network)).message).toContain("1 bytes follow");
    expect(thrown(() => readNbt(new Uint8Array(11), { ...network, maxBytes: 10 })).message).toContain("10 are allowed");
    expect(thrown(() => readNbt(new Uint8Array(0), sniff)).reason).toBe("truncated");
    expect(thrown(() => readNbt(hexBytes("0a 0d 0001 61 00"), network)).message).toContain("tag 13");
  });

  it("refuses lengths beyond the bytes before allocating", () => {
    for (const type of ["07", "0b", "0c"]) {
      expect(thrown(() => readNbt(hexBytes(`0a ${type} 0001 61 7fffffff 00`), network)).reason).toBe("truncated");
      expect(thrown(() => readNbt(hexBytes(`0a ${type} 0001 61 ffffffff 00`), network)).reason).toBe("malformed");
    }
    for (let type = 1; type <= 12; type++) {
      const list = hexBytes(`0a 09 0001 61 ${type.toString(16).padStart(2, "0")} 7fffffff 00`);
      expect(thrown(() => readNbt(list, network)).reason).toBe("truncated");
    }
    expect(thrown(() => readNbt(hexBytes("0a 09 0001 61 00 7fffffff 00"), network)).message).toContain("end tags");
    expect(thrown(() => readNbt(hexBytes("0a 08 ffff 61"), network)).reason).toBe("truncated");
  });

  it("allows exactly 64 levels and refuses depth bombs", () => {
    const nested = (depth: number): Uint8Array => {
      const open = Array.from({ length: depth - 1 }, () => hexBytes("0a 0000"));
      return bytesOf(hexBytes("0a"), ...open, new Uint8Array(depth));
    };
    expect(readNbt(nested(64), network).root.entries).toHaveLength(1);
    expect(thrown(() => readNbt(nested(65), network)).message).toContain("too deep");
    const lists = bytesOf(hexBytes("0a 09 0001 61"), ...Array.from({ length: 20_000 }, () => hexBytes("09 00000001")));
    expect(thrown(() => readNbt(lists, network)).message).toContain("too deep");
  });

  it("throws nothing but LayoutError on damaged bytes", () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (document, at, value, cut) => {
        const bytes = writeNbt(document);
        bytes[at % bytes.length] = value;
        survives(() => readNbt(bytes.subarray(0, bytes.length - (cut % 5)), sniff));
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses to write what has no form", () => {
    const mixed: NbtTag = { type: NBT.list, itemType: NBT.byte, items: [nbtText("a")] };
    expect(() => writeNbt({ root: nbtCompound({ mixed }), name: null })).toThrow(RangeError);
    expect(() => writeNbt({ root: nbtCompound({ long: nbtText("x".repeat(65_536)) }), name: null })).toThrow(
      RangeError,
    );
  });
});

describe.runIf(samplesDirectory !== null)("the golden recording", () => {
  it("has metadata that is read and written byte for byte", () => {
    const file = sampleBytes("hypercube/golden-v1.hcrp");
    const length = new DataView(file.buffer).getUint32(49);
    const metadata = file.subarray(256, 256 + length);
    const document = readNbt(metadata, sniff);
    expect(nbtEntry(document.root, "hcrp")?.type).toBe(NBT.compound);
    expect(writeNbt(document)).toEqual(metadata);
  });
});
