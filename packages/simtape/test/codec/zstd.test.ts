import * as zlib from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadZstd, readZstdFrameHeader, type Zstd, zstdDictionaryId, zstdFrameLength } from "../../src/codec/zstd.ts";
import { LayoutError } from "../../src/index.ts";
import { ByteBuilder } from "../../src/kit.ts";
import { bytesOf, fixture, thrown } from "./helpers.ts";
import { publishedZstd } from "./published-zstd.ts";

let zstd: Zstd;
beforeAll(async () => {
  zstd = await loadZstd();
});

const plain = fixture("plain.bin");
const dictionary = fixture("hcrp-32769.dict");

describe("zstd", () => {
  it("gives back what was compressed, at any level, with and without checksum", () => {
    const level = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), level, fc.boolean(), (bytes, level, checksum) => {
        const frame = zstd.compress(bytes, { level, checksum });
        expect(readZstdFrameHeader(frame)).toMatchObject({ contentSize: bytes.length, hasChecksum: checksum });
        expect(zstdFrameLength(frame)).toBe(frame.length);
        expect(zstd.decompress(frame, { size: bytes.length })).toEqual(bytes);
      }),
      { numRuns: 100 },
    );
  });

  it.runIf("zstdDecompressSync" in zlib)("has the same bytes of the machine's own zstd and of the WebAssembly", () => {
    // nothing is used of an empty dictionary, with which the WebAssembly works
    const inWasm = { dictionary: new Uint8Array(0) };
    const sizes = fc.integer({ min: 16 << 10, max: 300 << 10 });
    const kinds = fc.constantFrom(1, 3, 30, 256);
    const level = fc.integer({ min: 1, max: 19 });
    fc.assert(
      fc.property(sizes, kinds, level, fc.boolean(), fc.nat(), (size, kind, level, checksum, seed) => {
        const bytes = mixed(size, kind, seed);
        const frame = zstd.compress(bytes, { level, checksum });
        expect(Buffer.compare(frame, zstd.compress(bytes, { level, checksum, ...inWasm }))).toBe(0);
        expect(Buffer.compare(zstd.decompress(frame, { size }), bytes)).toBe(0);
        const damaged = frame.slice();
        damaged[10 + (seed % (frame.length - 10))]! ^= 1 + (seed & 127);
        // some bits are not used: one of them may refuse what the other does not look at
        const allowed = [outcome(() => zstd.decompress(damaged, { size, ...inWasm })), outcome(() => bytes)];
        if (checksum) expect(allowed).toContain(outcome(() => zstd.decompress(damaged, { size })));
      }),
      { numRuns: 60 },
    );
  });

  it("reads blocks that are stored as its decoder does, and leaves to it what is wrong with them", () => {
    const block = fc.record({
      kind: fc.constantFrom(0, 0, 0, 1, 2),
      content: fc.uint8Array({ maxLength: 40 }),
      claim: fc.constantFrom(0, 0, 0, 0, 1, 200_000),
    });
    const change = fc.option(fc.record({ at: fc.nat(200), byte: fc.nat(255) }), { freq: 1 });
    const shape = fc.record({ states: fc.boolean(), checksum: fc.boolean(), window: fc.constantFrom(0, 88, 255) });
    const off = fc.constantFrom(0, 0, 0, 0, 1, -1);
    let read = 0;
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), change, shape, off, (blocks, changed, of, more) => {
        const frame = frameOf(blocks, of);
        if (changed !== null && changed.at >= 4 && changed.at < frame.length) frame[changed.at] = changed.byte;
        const size = Math.max(0, sizeOf(blocks) + more);
        const options = { size, allowUnknownSize: true };
        // with a dictionary, of which nothing is used, the decoder itself reads
        const decoded = outcome(() => zstd.decompress(frame, { ...options, dictionary: new Uint8Array(16) }));
        expect(outcome(() => zstd.decompress(frame, options))).toEqual(decoded);
        if (/^[1-9]\d* bytes/.test(decoded)) read++;
      }),
      { seed: 14, numRuns: 5000 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it("writes the bytes of another build of zstd, at any level, with and without a dictionary", async () => {
    const other = await publishedZstd();
    const kinds = fc.constantFrom(1, 3, 30, 256);
    const level = fc.integer({ min: 1, max: 22 });
    const known = fc.constantFrom(undefined, dictionary);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 70_000 }),
        kinds,
        level,
        known,
        fc.nat(),
        (size, kind, level, known, seed) => {
          const bytes = mixed(size, kind, seed);
          const frame = zstd.compress(bytes, { level, checksum: false, ...(known && { dictionary: known }) });
          expect(Buffer.compare(frame, other.compress(bytes, known ?? new Uint8Array(0), level))).toBe(0);
          expect(Buffer.compare(other.decompress(frame, known ?? new Uint8Array(0), size), bytes)).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("notices damage as another build of zstd does", async () => {
    const other = await publishedZstd();
    const known = new Uint8Array(0);
    const change = fc.array(fc.record({ at: fc.nat(), bit: fc.nat(7) }), { minLength: 1, maxLength: 3 });
    const kinds = fc.constantFrom(3, 30, 200, 256);
    const found = { same: 0, refused: 0, refusedByOther: 0, differing: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 40_000 }), kinds, fc.nat(), change, (size, kind, seed, changes) => {
        const frame = zstd.compress(mixed(size, kind, seed), { level: 1 + (seed % 5), checksum: false });
        for (const { at, bit } of changes) frame[9 + (at % (frame.length - 9))]! ^= 1 << bit;
        const ours = contentOf(() => zstd.decompress(frame, { size, dictionary: known }));
        const theirs = contentOf(() => other.decompress(frame, known, size));
        if (ours === null) found.refused++;
        if (theirs === null) found.refusedByOther++;
        if (ours === null || theirs === null ? ours === theirs : Buffer.compare(ours, theirs) === 0) found.same++;
        else found.differing++;
      }),
      { numRuns: 2000, seed: 7 },
    );
    expect(found.refused).toBeGreaterThan(200);
    expect(found.same).toBeGreaterThan(found.refused + 200);
    // where a stream ends too early, what is read behind it depends on how many bits a word has
    expect(found.differing).toBeLessThan(20);
    expect(Math.abs(found.refused - found.refusedByOther)).toBeLessThan(20);
  });

  it("loads once", async () => {
    expect(await loadZstd()).toBe(zstd);
  });

  it("writes frames that the checksum of another implementation confirms", () => {
    const frame = fixture("plain-sized.zst");
    expect(new DataView(frame.buffer).getUint32(frame.length - 4, true)).toBe(zstd.checksum(plain));
    expect(zstd.decompress(frame, { size: plain.length })).toEqual(plain);
  });

  it("uses a trained dictionary both ways and names it in the frame", () => {
    expect(zstdDictionaryId(dictionary)).toBe(32769);
    const frame = zstd.compress(plain, { dictionary });
    expect(readZstdFrameHeader(frame).dictionaryId).toBe(32769);
    expect(zstd.decompress(frame, { size: plain.length, dictionary })).toEqual(plain);
    const foreign = fixture("plain-dictionary.zst");
    expect(zstd.decompress(foreign, { size: plain.length, dictionary })).toEqual(plain);
  });

  it("uses raw content as a dictionary both ways", () => {
    const frame = zstd.compress(plain, { dictionary: plain });
    expect(frame.length).toBeLessThan(40);
    expect(zstd.decompress(frame, { size: plain.length, dictionary: plain })).toEqual(plain);
  });

  it("refuses a frame whose dictionary is missing or another one", () => {
    const frame = fixture("plain-dictionary.zst");
    const other = dictionary.slice();
    other[4] = 2;
    expect(thrown(() => zstd.decompress(frame, { size: plain.length })).message).toContain("needs dictionary 32769");
    expect(thrown(() => zstd.decompress(frame, { size: plain.length, dictionary: other })).message).toContain("32770");
    expect(thrown(() => zstd.decompress(frame, { size: plain.length, dictionary: plain })).message).toContain("32769");
  });

  it("refuses sizes that differ from the expected one", () => {
    const frame = zstd.compress(plain);
    expect(thrown(() => zstd.decompress(frame, { size: plain.length + 1 })).reason).toBe("malformed");
    expect(thrown(() => zstd.decompress(frame, { size: 0 })).reason).toBe("malformed");
  });

  it("takes frames of unknown size only when asked to, and only when the size is right", () => {
    const frame = fixture("plain-unsized.zst");
    const size = plain.length;
    expect(readZstdFrameHeader(frame).contentSize).toBeNull();
    expect(thrown(() => zstd.decompress(frame, { size })).message).toContain("does not state");
    expect(zstd.decompress(frame, { size, allowUnknownSize: true })).toEqual(plain);
    expect(thrown(() => zstd.decompress(frame, { size: size - 1, allowUnknownSize: true })).reason).toBe("malformed");
    expect(thrown(() => zstd.decompress(frame, { size: size + 1, allowUnknownSize: true })).reason).toBe("malformed");
  });

  it("takes no more and no less than one frame", () => {
    const frame = zstd.compress(plain);
    const two = bytesOf(frame, frame);
    expect(zstdFrameLength(two)).toBe(frame.length);
    expect(zstdFrameLength(two, frame.length)).toBe(frame.length);
    expect(thrown(() => zstd.decompress(two, { size: plain.length })).message).toContain(
      `${frame.length} bytes follow`,
    );
    for (let length = 0; length < frame.length; length++) {
      const error = thrown(() => zstd.decompress(frame.slice(0, length), { size: plain.length }));
      expect(error.reason).toBe("truncated");
    }
  });

  it("reports every changed byte of a frame with checksum, or gives the same content", () => {
    const frame = zstd.compress(plain);
    for (let at = 0; at < frame.length; at++) {
      const damaged = frame.slice();
      damaged[at]! ^= 1 << (at % 8);
      let content: Uint8Array | undefined;
      try {
        content = zstd.decompress(damaged, { size: plain.length });
      } catch (error) {
        expect(error).toBeInstanceOf(LayoutError);
      }
      // only the checksum flag itself can go, and then four bytes are left over
      if (content !== undefined) expect(content).toEqual(plain);
    }
    const wrongSum = frame.slice();
    wrongSum[frame.length - 1]! ^= 1;
    expect(thrown(() => zstd.decompress(wrongSum, { size: plain.length })).message).toContain("checksum");
  });

  it("walks skippable frames and refuses to decompress them", () => {
    const skippable = Uint8Array.of(0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
    expect(readZstdFrameHeader(skippable)).toMatchObject({ kind: "skippable", contentSize: 3 });
    expect(zstdFrameLength(bytesOf(skippable, zstd.compress(plain)))).toBe(11);
    expect(thrown(() => zstdFrameLength(skippable.subarray(0, 10))).reason).toBe("truncated");
    expect(thrown(() => zstd.decompress(skippable, { size: 3 })).message).toContain("skippable");
  });

  it("reads all forms of the header", () => {
    const head = (...rest: number[]): Uint8Array => Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, ...rest);
    expect(readZstdFrameHeader(head(0x20, 9))).toMatchObject({ contentSize: 9, windowSize: 9, headerBytes: 6 });
    expect(readZstdFrameHeader(head(0x40, 0, 1, 0))).toMatchObject({ contentSize: 257, windowSize: 1024 });
    expect(readZstdFrameHeader(head(0x07, 0x0b, 1, 2, 3, 4))).toMatchObject({
      contentSize: null,
      windowSize: 2048 + 3 * 256,
      dictionaryId: 0x04030201,
      hasChecksum: true,
    });
    expect(readZstdFrameHeader(head(0xa0, 1, 0, 0, 0x80)).contentSize).toBe(0x80000001);
    expect(readZstdFrameHeader(head(0xe0, 5, 0, 0, 0, 1, 0, 0, 0)).contentSize).toBe(2 ** 32 + 5);
    expect(thrown(() => readZstdFrameHeader(head(0xe0, 0, 0, 0, 0, 0, 0, 0, 1))).reason).toBe("malformed");
    expect(thrown(() => readZstdFrameHeader(head(0x28, 9))).message).toContain("reserved");
    expect(thrown(() => readZstdFrameHeader(Uint8Array.of(1, 2, 3, 4, 5))).message).toContain("not a zstd frame");
  });

  it("refuses a huge stated size without allocating it", () => {
    const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 5, 0, 0, 0, 1, 0, 0, 0, 0x29, 0, 0, 1, 2, 3, 4, 5);
    expect(thrown(() => zstd.decompress(frame, { size: 5 })).message).toContain("states 4294967301 bytes");
  });

  it("keeps no memory from frames that failed", () => {
    // 1,500 frames of 1 MiB are more than WebAssembly can address here
    const frame = zstd.compress(new Uint8Array(1 << 20), { checksum: true });
    frame[frame.length - 1]! ^= 1;
    for (let i = 0; i < 1500; i++) thrown(() => zstd.decompress(frame, { size: 1 << 20 }));
    frame[frame.length - 1]! ^= 1;
    expect(zstd.decompress(frame, { size: 1 << 20 })).toHaveLength(1 << 20);
  });
});

describe("XXH64", () => {
  it.each([65_535, 65_536, 65_537, 131_072, 200_001])("of %i bytes is the one decompressing checks", (length) => {
    const long = new Uint8Array(length).map((_, i) => (i >> 8) * 7);
    const frame = zstd.compress(long);
    expect(frame.length).toBeLessThan(length / 2);
    expect(zstd.decompress(frame, { size: long.length })).toEqual(long);
    frame[frame.length - 1]! ^= 1;
    expect(() => zstd.decompress(frame, { size: long.length })).toThrow("zstd checksum does not match");
  });

  // low halves as the zstd program appends them to frames of that many bytes of plain.bin
  it.each([
    [0, 0x51d8e999],
    [1, 0x1244afec],
    [3, 0x422b375c],
    [4, 0x758d6eba],
    [7, 0xa2385de5],
    [8, 0xfeabe68b],
    [12, 0x5ff1b217],
    [31, 0x4debc6e1],
    [32, 0x9d51ac39],
    [33, 0x7630c807],
    [63, 0xb11b3c50],
    [100, 0xfefddb70],
    [1000, 0xa2e90dc1],
  ])("of %i bytes is the one zstd writes", (length, expected) => {
    expect(zstd.checksum(plain.subarray(0, length))).toBe(expected);
  });

  it("agrees with the check that decompressing makes, whatever the content", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 900 }), (bytes) => {
        expect(zstd.decompress(zstd.compress(bytes), { size: bytes.length })).toEqual(bytes);
      }),
    );
  });
});

/** Numbers below `kind` by a seed, and between them bytes that change slowly. */
function mixed(size: number, kind: number, seed: number): Uint8Array<ArrayBuffer> {
  let random = seed;
  return new Uint8Array(size).map((_, i) => {
    random = (Math.imul(random, 1664525) + 1013904223) | 0;
    return i % 7 < 4 ? (random >>> 16) % kind : i >> 3;
  });
}

interface Block {
  readonly kind: number;
  readonly content: Uint8Array;
  readonly claim: number;
}

/** A frame of stored (0) and repeating (1) blocks; others are compressed and no good. */
function frameOf(
  blocks: readonly Block[],
  { states, checksum, window }: { states: boolean; checksum: boolean; window: number },
): Uint8Array<ArrayBuffer> {
  const out = new ByteBuilder().u32le(0xfd2fb528);
  out.u8((states ? 0x80 : 0) | (checksum ? 4 : 0)).u8(window);
  if (states) out.u32le(sizeOf(blocks));
  const all = new ByteBuilder();
  for (const [i, { kind, content, claim }] of blocks.entries()) {
    const head = ((content.length + claim) << 3) | (kind << 1) | (i === blocks.length - 1 ? 1 : 0);
    out.u8(head & 0xff).u16le(head >> 8);
    if (kind === 1) {
      out.u8(7);
      all.raw(new Uint8Array(content.length + claim).fill(7));
    } else {
      out.raw(content);
      all.raw(content);
    }
  }
  if (checksum) out.u32le(zstd.checksum(all.take()));
  return out.take();
}

function sizeOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { kind, content, claim }) => sum + content.length + (kind === 1 ? claim : 0), 0);
}

/** Null: the frame is refused. */
function contentOf(work: () => Uint8Array): Uint8Array | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** What was read, in short, or the error. */
function outcome(work: () => Uint8Array): string {
  try {
    const bytes = work();
    return `${bytes.length} bytes, ${zstd.checksum(bytes)}`;
  } catch (error) {
    return error instanceof LayoutError ? error.message : `untyped: ${String(error)}`;
  }
}
