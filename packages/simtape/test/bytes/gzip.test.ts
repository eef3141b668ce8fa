import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { GzipHeader, isGzip } from "../../src/bytes/gzip.ts";

describe("a gzip header", () => {
  const header = Uint8Array.of(0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 65, 66, 110, 0, 99, 0, 1, 2);

  test("is passed in pieces of any size, up to the first byte of the content", () => {
    for (let size = 1; size <= header.length; size++) {
      const reader = new GzipHeader();
      for (let at = 0; at < header.length; at += size) {
        expect(reader.state).toBe("more");
        const piece = header.subarray(at, at + size);
        expect(reader.push(piece, 0)).toBe(piece.length);
      }
      expect(reader).toMatchObject({ state: "whole", length: header.length, unknownFlags: 0 });
      expect(reader.push(header, 5)).toBe(5);
    }
  });

  test("of another program ends where its content begins", () => {
    const reader = new GzipHeader();
    expect(reader.push(gzipSync("abc"), 0)).toBe(10);
    expect(reader.state).toBe("whole");
  });

  test("does not begin with other bytes, of which those that fit were used", () => {
    for (const [bytes, used] of [
      [[0], 0],
      [[0x1f, 0], 1],
      [[0x1f, 0x8b, 7], 2],
    ] as const) {
      const reader = new GzipHeader();
      expect(reader.push(Uint8Array.from([9, ...bytes]), 1)).toBe(1 + used);
      expect(reader).toMatchObject({ state: "none", length: used });
    }
  });

  test("is reported anywhere in bytes by its first three", () => {
    expect(isGzip(header)).toBe(true);
    expect(isGzip(Uint8Array.of(9, ...header), 1)).toBe(true);
    expect(isGzip(Uint8Array.of(9, ...header))).toBe(false);
    expect(isGzip(header.subarray(0, 2))).toBe(false);
    expect(isGzip(new Uint8Array(0))).toBe(false);
  });
});
