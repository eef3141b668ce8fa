import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  adler32,
  type DeflateLevel,
  deflateRaw,
  deflateZlib,
  gunzip,
  gzip,
  inflateRaw,
  inflateZlib,
} from "../../src/codec/deflate.ts";
import { inflateStream } from "../../src/kit.ts";
import { bytesOf, fixture, survives, thrown } from "./helpers.ts";

const plain = fixture("plain.bin");
const LIMIT = 1 << 24;

/** Bytes with repeats near and far, so that matches of all kinds occur. */
const content = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 400 })), { maxLength: 12 })
  .map((runs) => bytesOf(...runs.flatMap(([bytes, times]) => Array.from({ length: times % 40 }, () => bytes))));

describe("inflating", () => {
  it("gives back what zlib and our own deflate wrote, at every level and strategy", () => {
    fc.assert(
      fc.property(content, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 4 }), (bytes, level, strategy) => {
        expect(inflateRaw(new Uint8Array(deflateRawSync(bytes, { level, strategy })), LIMIT)).toEqual(bytes);
        expect(inflateZlib(new Uint8Array(deflateSync(bytes, { level, strategy })), LIMIT)).toEqual(bytes);
        expect(inflateRaw(deflateRaw(bytes, level as DeflateLevel), LIMIT)).toEqual(bytes);
        expect(inflateZlib(deflateZlib(bytes, level as DeflateLevel), LIMIT)).toEqual(bytes);
        expect(gunzip(gzip(bytes, level as DeflateLevel), LIMIT)).toMatchObject({ members: 1, damage: null, bytes });
      }),
    );
  });

  it("handles content larger than the window with matches at its full distance", () => {
    const bytes = new Uint8Array(200_000).map((_, i) => (i * 2654435761) >>> 24);
    bytes.copyWithin(150_000, 150_000 - 32_768, 160_000 - 32_768);
    expect(inflateRaw(new Uint8Array(deflateRawSync(bytes, { level: 9 })), LIMIT)).toEqual(bytes);
  });

  it("reads what other programs wrote", () => {
    expect(inflateRaw(fixture("plain.deflate"), LIMIT)).toEqual(plain);
    expect(inflateZlib(fixture("plain.zlib"), LIMIT)).toEqual(plain);
    expect(gunzip(fixture("plain.gz"), LIMIT).bytes).toEqual(plain);
  });

  it("stops at the limit, which a result may reach exactly", () => {
    const bomb = deflateRaw(new Uint8Array(1 << 22), 9);
    expect(bomb.length).toBeLessThan(5000);
    expect(thrown(() => inflateRaw(bomb, (1 << 22) - 1)).message).toContain("more than");
    expect(thrown(() => inflateRaw(bomb, 0)).message).toContain("more than");
    expect(inflateRaw(bomb, 1 << 22)).toHaveLength(1 << 22);
    expect(thrown(() => gunzip(gzip(plain), plain.length - 1)).message).toContain("more than");
    expect(thrown(() => gunzip(bytesOf(gzip(plain), gzip(plain)), plain.length)).message).toContain("more than");
  });

  it("tells cut streams at every length, and gives what came before", () => {
    const stream = deflateRaw(plain);
    for (let length = 0; length < stream.length; length++) {
      const { bytes, damage } = inflateStream(stream.slice(0, length), 0, LIMIT);
      expect(damage?.reason).toBe("truncated");
      expect(bytes).toEqual(plain.subarray(0, bytes.length));
    }
  });

  it("tells bytes that follow the stream, and where it ended", () => {
    const stream = deflateRaw(plain);
    expect(thrown(() => inflateRaw(bytesOf(stream, Uint8Array.of(0)), LIMIT)).message).toContain("1 bytes follow");
    const padded = bytesOf(Uint8Array.of(9, 9), stream, new Uint8Array(5));
    expect(inflateStream(padded, 2, LIMIT).end).toBe(stream.length + 2);
    expect(thrown(() => inflateZlib(bytesOf(deflateZlib(plain), Uint8Array.of(0)), LIMIT)).message).toContain("follow");
  });

  it("throws nothing but LayoutError on bytes that are not deflate", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        survives(() => inflateRaw(bytes, 1 << 16));
        survives(() => inflateZlib(bytes, 1 << 16));
        survives(() => gunzip(bytesOf(Uint8Array.of(0x1f, 0x8b, 8), bytes), 1 << 16));
      }),
      { numRuns: 2000 },
    );
  });

  it("refuses what zlib refuses", () => {
    const refused: [string, number[]][] = [
      ["type 3", [7]],
      ["length check", [1, 1, 0, 0, 0]],
      ["distance before", [0x03, 0x02]],
      ["too many codes", [0xfd, 0xff, 0xff]],
    ];
    for (const [message, bytes] of refused) {
      const padded = bytesOf(Uint8Array.from(bytes), new Uint8Array(20));
      expect(thrown(() => inflateRaw(padded, 100)).message).toContain(message);
    }
  });
});

describe("zlib streams", () => {
  it("are refused with a wrong checksum, header or a preset dictionary", () => {
    const stream = deflateZlib(plain);
    const wrong = stream.slice();
    wrong[wrong.length - 1]! ^= 1;
    expect(thrown(() => inflateZlib(wrong, LIMIT)).message).toContain("checksum");
    expect(thrown(() => inflateZlib(stream.slice(0, -1), LIMIT)).reason).toBe("truncated");
    expect(thrown(() => inflateZlib(Uint8Array.of(0x79, 1, 0, 0, 0, 0), LIMIT)).message).toContain("not a zlib");
    expect(thrown(() => inflateZlib(Uint8Array.of(0x78, 0xbb, 0, 0, 0, 0), LIMIT)).message).toContain("dictionary");
  });

  it("have the checksum of RFC 1950", () => {
    expect(adler32(new TextEncoder().encode("Wikipedia"))).toBe(0x11e60398);
    expect(adler32(new Uint8Array(100_000).fill(255))).toBe(
      new DataView(new Uint8Array(deflateSync(new Uint8Array(100_000).fill(255)).subarray(-4)).buffer).getUint32(0),
    );
  });
});

describe("gunzip", () => {
  it("joins all members and tells what follows them", () => {
    const file = bytesOf(gzip(plain), gzip(new Uint8Array(0)), gzip(plain.subarray(0, 7)), Uint8Array.of(1, 2, 3));
    const result = gunzip(file, LIMIT);
    expect(result).toMatchObject({ members: 3, consumed: file.length - 3, damage: null });
    expect(result.bytes).toEqual(bytesOf(plain, plain.subarray(0, 7)));
  });

  it("passes names, comments, extra fields and header checksums", () => {
    const member = gzip(plain);
    const extra = Uint8Array.of(0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 65, 66, 110, 0, 99, 0, 1, 2);
    expect(gunzip(bytesOf(extra, member.subarray(10)), LIMIT)).toMatchObject({ damage: null, bytes: plain });
    for (let length = 2; length < extra.length; length++) {
      expect(gunzip(extra.slice(0, length), LIMIT).damage?.reason).toBe("truncated");
    }
  });

  it("keeps what a cut or damaged member still holds and says what is wrong", () => {
    const member = gzip(plain);
    const noTrailer = gunzip(member.slice(0, -8), LIMIT);
    expect(noTrailer.bytes).toEqual(plain);
    expect(noTrailer.damage?.reason).toBe("truncated");
    const wrongSum = member.slice();
    wrongSum[member.length - 8]! ^= 1;
    expect(gunzip(wrongSum, LIMIT)).toMatchObject({ bytes: plain, members: 1 });
    expect(gunzip(wrongSum, LIMIT).damage?.message).toContain("checksum");
    const wrongLength = member.slice();
    wrongLength[member.length - 1]! ^= 1;
    expect(gunzip(wrongLength, LIMIT).damage?.message).toContain("length");
    const secondCut = gunzip(bytesOf(member, member.subarray(0, 100)), LIMIT);
    expect(secondCut.members).toBe(2);
    expect(secondCut.bytes.subarray(0, plain.length)).toEqual(plain);
    expect(secondCut.damage?.reason).toBe("truncated");
  });

  it("refuses bytes that are not gzip", () => {
    expect(thrown(() => gunzip(plain, LIMIT)).message).toContain("not gzip");
    expect(thrown(() => gunzip(new Uint8Array(0), LIMIT)).message).toContain("not gzip");
  });

  it("reads the members Node writes, and writes the same bytes every time", () => {
    expect(gunzip(new Uint8Array(gzipSync(plain)), LIMIT).bytes).toEqual(plain);
    expect(gzip(plain)).toEqual(gzip(plain));
    expect(gzip(plain).subarray(4, 8)).toEqual(new Uint8Array(4));
  });
});
