import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Compression, decompress, sniffCompression } from "../../src/codec/any.ts";
import { decompressBzip2 } from "../../src/codec/bzip2.ts";
import { deflateZlib } from "../../src/codec/deflate.ts";
import { decompressLz4 } from "../../src/codec/lz4.ts";
import { loadXxh32 } from "../../src/codec/xxhash.ts";
import { decompressXz } from "../../src/codec/xz.ts";
import { LayoutError } from "../../src/index.ts";
import { sampleBytes, samplesDirectory } from "../samples.ts";
import { bytesOf, fixture, survives, thrown } from "./helpers.ts";

const plain = fixture("plain.bin");

const hasPython = spawnSync("python3", ["-c", "import bz2"]).status === 0;

const hasLz4 = spawnSync("lz4", ["--version"]).status === 0;

const FILES: [string, Compression][] = [
  ["plain.zlib", "zlib"],
  ["plain.gz", "gzip"],
  ["plain.bz2", "bzip2"],
  ["plain-two-streams.bz2", "bzip2"],
  ["plain.xz", "xz"],
  ["plain-sized.zst", "zstd"],
  ["plain-unsized.zst", "zstd"],
  ["plain.lz4", "lz4"],
  ["plain-linked-size-blockchecks.lz4", "lz4"],
  ["plain.deflate", "deflate"],
];

describe.each(FILES)("compressed bytes of %s", (name, kind) => {
  const bytes = fixture(name);

  it(`are reported as ${kind} and decompress`, async () => {
    expect(sniffCompression(bytes)).toBe(kind);
    expect(await decompress(kind, bytes, plain.length)).toEqual(plain);
  });

  it("are refused when another size is expected", async () => {
    for (const size of [0, plain.length - 1, plain.length + 1]) {
      await expect(decompress(kind, bytes, size)).rejects.toBeInstanceOf(LayoutError);
    }
  });

  it("are refused when cut or followed by other bytes", async () => {
    for (let length = 0; length < bytes.length; length += 13) {
      await expect(decompress(kind, bytes.slice(0, length), plain.length)).rejects.toBeInstanceOf(LayoutError);
    }
    await expect(decompress(kind, bytesOf(bytes, plain), plain.length)).rejects.toBeInstanceOf(LayoutError);
  });

  it("give the right content or a LayoutError when a byte is changed", async () => {
    for (let at = 0; at < bytes.length; at += 3) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << (at % 8);
      const result = await decompress(kind, damaged, plain.length).catch((error: unknown) => error);
      if (result instanceof Uint8Array) {
        // raw deflate has no checksum, and most headers have bytes without meaning
        if (kind !== "deflate") expect(result).toEqual(plain);
      } else expect(result).toBeInstanceOf(LayoutError);
    }
  });
});

describe("sniffing", () => {
  it("answers null for anything else", () => {
    expect(sniffCompression(new Uint8Array(0))).toBeNull();
    expect(sniffCompression(plain)).toBeNull();
    expect(sniffCompression(Uint8Array.of(0x78, 0x9d, 1, 2))).toBeNull();
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void sniffCompression(bytes)));
  });

  it("knows zlib at all levels and windows", () => {
    for (const level of [0, 1, 6, 9] as const) expect(sniffCompression(deflateZlib(plain, level))).toBe("zlib");
    expect(sniffCompression(Uint8Array.of(0x68, 0x81, 0))).toBe("zlib");
  });
});

describe("bzip2", () => {
  it("throws nothing but LayoutError on damaged blocks", () => {
    const file = fixture("plain.bz2");
    const edit = fc.tuple(fc.integer({ min: 4, max: file.length - 1 }), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        const bytes = file.slice();
        for (const [at, value] of edits) bytes[at] = value;
        survives(() => decompressBzip2(bytes, 1 << 16));
      }),
      { numRuns: 300 },
    );
  });

  it("stops at the limit", () => {
    expect(thrown(() => decompressBzip2(fixture("plain.bz2"), 100)).message).toContain("more than 100");
  });

  it.runIf(hasPython)("reads long runs and blocks of many tables as Python writes them", () => {
    const script = "import bz2,sys;sys.stdout.buffer.write(bz2.compress(sys.stdin.buffer.read(),1))";
    const bytes = new Uint8Array(250_000).map((_, i) => (i < 50_000 ? 7 : i % 1000 < 5 ? 3 : (i * i) >> 5));
    const packed = execFileSync("python3", ["-c", script], { input: bytes, maxBuffer: 1 << 24 });
    expect(decompressBzip2(new Uint8Array(packed), bytes.length)).toEqual(bytes);
  });
});

describe("LZ4", () => {
  it("checks with XXH32 as published, of long content too", async () => {
    const xxh32 = await loadXxh32();
    expect(xxh32(new Uint8Array(0))).toBe(0x02cc5d05);
    expect(xxh32(new TextEncoder().encode("Nobody inspects the spammish repetition"))).toBe(0xe2293b2f);
    // Debian's `xxhsum -H0`, 200,000 bytes
    expect(xxh32(new Uint8Array(200_000).map((_, i) => (i * i) >> 3))).toBe(0x53fdd22f);
  });

  it("rejects with nothing but LayoutError for damaged frames", async () => {
    const file = fixture("plain-linked-size-blockchecks.lz4");
    const edit = fc.tuple(fc.integer({ min: 0, max: file.length - 1 }), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 5 }), async (edits) => {
        const bytes = file.slice();
        for (const [at, value] of edits) bytes[at] = value;
        const found = await decompressLz4(bytes, 1 << 16).catch((error: unknown) => error);
        if (!(found instanceof LayoutError)) expect(found).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it("passes skippable frames and stops at the limit", async () => {
    const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9);
    const file = fixture("plain.lz4");
    expect(await decompressLz4(bytesOf(skippable, file, skippable), plain.length)).toEqual(plain);
    await expect(decompressLz4(file, 100)).rejects.toThrow("more than 100");
    await expect(decompressLz4(file, 100)).rejects.toThrow(LayoutError);
  });

  it.runIf(hasLz4)("reads long runs, near and far matches as the command packs them", async () => {
    const bytes = new Uint8Array(600_000).map((_, i) => (i < 90_000 ? 7 : i % 700 < 60 ? i % 13 : (i * i) >> 5));
    for (const words of [["-1"], ["-9", "-B4", "-BD"], ["-9", "-B7", "--no-frame-crc"]]) {
      const packed = execFileSync("lz4", ["-c", ...words], { input: bytes, maxBuffer: 1 << 24 });
      expect(await decompressLz4(new Uint8Array(packed), bytes.length)).toEqual(bytes);
    }
  });
});

describe("xz", () => {
  it("joins streams and stops at the limit", async () => {
    const file = fixture("plain.xz");
    expect(await decompressXz(bytesOf(file, file), plain.length * 2)).toEqual(bytesOf(plain, plain));
    await expect(decompressXz(file, 100)).rejects.toThrow("more than 100");
  });
});

describe.runIf(samplesDirectory !== null)("messages of real tapes", () => {
  it.each([
    ["mira/compressed.tape", "zlib"],
    ["mira/variants/compressed.gzip.tape", "gzip"],
    ["mira/variants/compressed.raw.tape", "deflate"],
  ] as const)("of %s are %s and decompress to the stated size", async (path, kind) => {
    const tape = sampleBytes(path);
    const view = new DataView(tape.buffer);
    let count = 0;
    for (let at = 32; at < tape.length; ) {
      const size = view.getUint32(at + 1, true);
      if (tape[at] === 0x0c) {
        let field = at + 13;
        field += 4 + view.getUint32(field, true);
        field += 4 + view.getUint32(field, true);
        const stored = view.getUint32(field + 4, true);
        if (tape[field + 8] === 1) {
          const data = tape.subarray(field + 13, field + 13 + stored);
          expect(sniffCompression(data)).toBe(kind);
          await decompress(kind, data, view.getUint32(field + 9, true));
          count++;
        }
      }
      at += 5 + size;
    }
    expect(count).toBeGreaterThan(0);
  });
});
