import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  channelInfoBytes,
  type Dialect,
  MESSAGE,
  messageBytes,
  readBlock,
  readChannelInfo,
  readChunkHeader,
  readFileHeader,
  readIndex,
  readMessage,
  startMessage,
  writeBlock,
  writeChannelInfo,
  writeChunkHeader,
  writeFileHeader,
  writeIndex,
  writeMessage,
} from "../../../src/formats/mira/layout/layout.ts";
import { decodeText, encodeText, printableRuns } from "../../../src/formats/mira/layout/text.ts";
import { LayoutError } from "../../../src/index.ts";
import { ByteBuilder, ByteCursor } from "../../../src/kit.ts";

const dialect: fc.Arbitrary<Dialect> = fc.record({
  isLittle: fc.boolean(),
  sizeIncludesHeader: fc.boolean(),
  blockSpans: fc.boolean(),
  headerBytes: fc.constantFrom(20, 24, 28, 32, 36, 40, 44, 48),
});
const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const u32 = fc.nat(0xffff_ffff);
const bytes = (max: number) => fc.uint8Array({ maxLength: max });
/** Names are raw bytes: most are text, some are not. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  bytes(30).map((raw) => decodeText(raw)),
);

/** `write(read(bytes)) = bytes` and `read(write(x)) = x`. */
function roundTrips<T>(
  arbitrary: fc.Arbitrary<T>,
  write: (builder: ByteBuilder, value: T, dialect: Dialect) => void,
  read: (cursor: ByteCursor, dialect: Dialect) => T,
): void {
  fc.assert(
    fc.property(arbitrary, dialect, (value, of) => {
      const builder = new ByteBuilder();
      write(builder, value, of);
      const written = builder.take();
      const cursor = new ByteCursor(written);
      const got = read(cursor, of);
      expect(cursor.remaining).toBe(0);
      expect(got).toEqual(value);
      const again = new ByteBuilder();
      write(again, got, of);
      expect(again.take()).toEqual(written);
    }),
  );
}

describe("every structure is written back as it was read", () => {
  test("chunk header", () => {
    roundTrips(fc.record({ type: fc.nat(255), size: fc.nat(0xffff_fffa) }), writeChunkHeader, readChunkHeader);
  });

  test("block", () => {
    roundTrips(fc.record({ messages: u32, size: u32, first: i64, last: i64 }), writeBlock, readBlock);
  });

  test("channel info", () => {
    const info = fc.record({
      next: u64,
      first: i64,
      last: i64,
      name,
      type: name,
      meta: bytes(50),
      dataSize: u64,
      index: u64,
    });
    roundTrips(info, writeChannelInfo, readChannelInfo);
  });

  test("message", () => {
    const message = fc.record({
      time: i64,
      channel: name,
      frameId: name,
      sequenceId: u32,
      uncompressedSize: fc.option(u32),
      data: bytes(50),
    });
    roundTrips(message, writeMessage, readMessage);
  });

  test("index table", () => {
    const entry = fc.record({ block: u64, inside: u64, time: i64 });
    roundTrips(fc.array(entry, { maxLength: 10 }), writeIndex, readIndex);
  });

  test("file header of every length", () => {
    fc.assert(
      fc.property(dialect, fc.uint8Array({ minLength: 48, maxLength: 48 }), (of, raw) => {
        const whole = raw.subarray(0, of.headerBytes);
        const header = readFileHeader(new ByteCursor(whole), of);
        const builder = new ByteBuilder();
        writeFileHeader(builder, header, of);
        expect(builder.take()).toEqual(whole);
        expect(header.start === null).toBe(of.headerBytes < 24);
        expect(header.zoneOffset === null).toBe(of.headerBytes < 32);
      }),
    );
  });
});

describe("lengths", () => {
  test("stated beforehand are those written", () => {
    const plain: Dialect = { isLittle: true, sizeIncludesHeader: false, blockSpans: false, headerBytes: 32 };
    fc.assert(
      fc.property(name, name, bytes(20), fc.option(u32), (first, second, data, uncompressedSize) => {
        const builder = new ByteBuilder();
        const message = { time: 1n, channel: first, frameId: second, sequenceId: 3, uncompressedSize, data };
        writeMessage(builder, message, plain);
        expect(builder.take().length).toBe(messageBytes(message));
        const info = { next: 0n, first: 0n, last: 0n, name: first, type: second, meta: data, dataSize: 0n, index: 0n };
        writeChannelInfo(builder, info, plain);
        expect(builder.take().length).toBe(channelInfoBytes(info));
      }),
    );
  });

  test("of a table that claims more entries than there are bytes are refused before anything is made", () => {
    const of: Dialect = { isLittle: true, sizeIncludesHeader: false, blockSpans: false, headerBytes: 32 };
    const claim = new ByteBuilder().u32le(0xffff_ffff).zeros(48).take();
    expect(() => readIndex(new ByteCursor(claim), of)).toThrow(LayoutError);
  });

  test("a chunk size smaller than the header it counts is malformed", () => {
    const of: Dialect = { isLittle: true, sizeIncludesHeader: true, blockSpans: false, headerBytes: 32 };
    expect(() => readChunkHeader(new ByteCursor(Uint8Array.of(12, 4, 0, 0, 0)), of)).toThrow(LayoutError);
  });
});

describe("text", () => {
  test("keeps bytes that are not UTF-8", () => {
    fc.assert(
      fc.property(bytes(40), (raw) => {
        expect(encodeText(decodeText(raw))).toEqual(raw);
      }),
    );
  });

  test("differs where the bytes differ", () => {
    fc.assert(
      fc.property(bytes(6), bytes(6), (a, b) => {
        expect(decodeText(a) === decodeText(b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });

  test("of opaque bytes is found in runs of four characters and more, each once", () => {
    const meta = Buffer.from("\0\x01name\x02xyz\x03name\0pose.phi\x7f", "latin1");
    expect(printableRuns(meta, 4096)).toEqual(["name", "pose.phi"]);
    expect(printableRuns(meta, 6)).toEqual(["name", "po"]);
  });
});

test("the beginning of a message is the same without objects and bigints", () => {
  const message = fc.record({
    time: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(-(2 ** 63), 2 ** 62, 2 ** 53 + 2)),
    channel: name,
    frameId: name,
    sequenceId: u32,
    uncompressedSize: fc.option(u32),
    data: bytes(20),
  });
  fc.assert(
    fc.property(message, dialect, ({ time, ...rest }, of) => {
      const whole = { ...rest, time: BigInt(time) };
      const expected = new ByteBuilder();
      writeChunkHeader(expected, { type: MESSAGE, size: messageBytes(whole) }, of);
      writeMessage(expected, whole, of);
      const { channel, frameId, sequenceId, uncompressedSize, data } = rest;
      const [nameBytes, frame] = [encodeText(channel), encodeText(frameId)];
      const found = new ByteBuilder();
      startMessage(found, time, nameBytes, frame, sequenceId, data.length, uncompressedSize ?? -1, of);
      found.raw(data);
      expect(found.take()).toEqual(expected.take());
    }),
  );
});
