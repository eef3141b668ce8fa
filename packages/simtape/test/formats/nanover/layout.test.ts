import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readDirectoryEnd,
  readDirectoryEnd64,
  readDirectoryEntry,
  readLocalHeader,
  readLocator64,
  writeDirectoryEnd,
  writeDirectoryEnd64,
  writeDirectoryEntry,
  writeLocalHeader,
  writeLocator64,
} from "../../../src/bytes/zip.ts";
import {
  findIndexEntry,
  readArraySize,
  readIndexEntry,
  writeArraySize,
  writeIndexEntry,
} from "../../../src/formats/nanover/layout/index.ts";
import type { Frame, StateUpdate } from "../../../src/formats/nanover/layout/layout.ts";
import {
  outlineOf,
  readFrame,
  readPart,
  readState,
  valueEnd,
  writeFrame,
  writeMessage,
  writeState,
} from "../../../src/formats/nanover/layout/messagepack.ts";
import {
  frameIndexOf,
  readFrameData,
  readFrameResponse,
  readStateUpdate,
  writeFrameData,
  writeFrameResponse,
  writeStateUpdate,
} from "../../../src/formats/nanover/layout/protobuf.ts";
import {
  HEADER_BYTES,
  readFileHeader,
  readRecordHeader,
  sniffHeaderless,
  writeFileHeader,
  writeRecordHeader,
} from "../../../src/formats/nanover/layout/record.ts";
import { openArchive, openMember } from "../../../src/formats/nanover/read/archive.ts";
import { LayoutError, memory, type Value } from "../../../src/index.ts";
import { ByteBuilder, ByteCursor } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";

const safe = fc.maxSafeNat();
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffff_ffff);
const raw = fc.uint8Array({ maxLength: 20 });
const key = fc.string({ unit: "grapheme", maxLength: 12 });
const double = fc.double({ noNaN: true });
const document: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    double,
    key,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: false }),
  ),
})).value;
const floats = fc.float32Array({ noNaN: true, maxLength: 12 });
const texts = fc.array(key, { minLength: 1, maxLength: 5 });

/** `read(write(x)) = x` and `write(read(bytes)) = bytes`. */
function roundTrips<T>(
  arbitrary: fc.Arbitrary<T>,
  write: (builder: ByteBuilder, value: T) => void,
  read: (cursor: ByteCursor) => T,
): void {
  fc.assert(
    fc.property(arbitrary, (value) => {
      const builder = new ByteBuilder();
      write(builder, value);
      const written = builder.take();
      const cursor = new ByteCursor(written);
      const got = read(cursor);
      expect(cursor.remaining).toBe(0);
      expect(plain(got)).toEqual(plain(value));
      const again = new ByteBuilder();
      write(again, got);
      expect(again.take()).toEqual(written);
    }),
  );
}

/** Without prototypes, so that objects made in either way compare. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(plain);
  return new Map(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

describe("records", () => {
  test("file headers round-trip", () => roundTrips(safe, writeFileHeader, readFileHeader));
  test("record headers round-trip", () =>
    roundTrips(fc.record({ microseconds: safe, size: safe }), writeRecordHeader, readRecordHeader));
  test("times of more than 64 bits are malformed", () => {
    const bytes = new Uint8Array(24);
    bytes[9] = 1;
    expect(() => readRecordHeader(new ByteCursor(bytes))).toThrow(LayoutError);
  });
  test("a run of zeros is no file without header", () => {
    expect(sniffHeaderless(new Uint8Array(4096), 100_000)).toBeNull();
  });
});

describe("protobuf", () => {
  const frame = fc
    .tuple(
      fc.nat(0xffff_ffff),
      fc.dictionary(
        key,
        document.filter((value) => !isTexts(value)),
        { maxKeys: 5 },
      ),
      fc.dictionary(key, fc.oneof(floats, fc.uint32Array({ maxLength: 9 }), texts), { maxKeys: 4 }),
    )
    .map(([index, values, arrays]): Frame => ({ "frame.index": index, ...without(values), ...without(arrays) }));
  test("frames round-trip", () => roundTrips(frame, writeFrameResponse, readFrameResponse));
  test("frames without index round-trip", () => {
    const bare = frame.map((value): Frame => without(value));
    roundTrips(bare, writeFrameData, (cursor) => {
      const read: { [name: string]: Value } = Object.create(null);
      readFrameData(cursor, cursor.end, read);
      return read;
    });
  });
  test("state updates round-trip", () => {
    const value = document.filter((item) => item !== null);
    const update = fc
      .tuple(fc.dictionary(key, value, { maxKeys: 6 }), fc.uniqueArray(key, { maxLength: 4 }))
      .map(([updates, removals]): StateUpdate => {
        return { updates, removals: removals.filter((name) => !Object.hasOwn(updates, name) && !isIndexLike(name)) };
      });
    roundTrips(update, writeStateUpdate, readStateUpdate);
  });
  test("the index is found without decoding, wherever it stands and however it is padded", () => {
    fc.assert(
      fc.property(frame, (value) => {
        const builder = new ByteBuilder();
        writeFrameResponse(builder, value);
        const bytes = builder.take();
        expect(frameIndexOf(bytes, 0, bytes.length)).toBe(value["frame.index"]);
      }),
    );
    const late = Uint8Array.of(0x12, 0x00, 0x08, 0x85, 0x80, 0x00);
    expect(frameIndexOf(late, 0, late.length)).toBe(5);
    expect(readFrameResponse(new ByteCursor(late))["frame.index"]).toBe(5);
    const unknown = Uint8Array.of(0x1a, 0x01, 0xff, 0x08, 0x07);
    expect(frameIndexOf(unknown, 0, unknown.length)).toBe(7);
    expect(frameIndexOf(new Uint8Array(0), 0, 0)).toBe(0);
    expect(frameIndexOf(Uint8Array.of(0x12, 0x05, 0x00), 0, 3)).toBe(-1);
  });
  test("arrays that are not packed are read as packed ones are", () => {
    const unpacked = [
      0x12, 0x12, 0x0a, 0x01, 0x78, 0x12, 0x0d, 0x0a, 0x0b, 0x0d, 0, 0, 0x80, 0x3f, 0x0a, 4, 0, 0, 0, 0x40,
    ];
    const frames: { [name: string]: Value } = {};
    const bytes = Uint8Array.from(unpacked);
    readFrameData(new ByteCursor(bytes), bytes.length, frames);
    expect(frames["x"]).toEqual(Float32Array.of(1, 2));
  });
  test("a field that reaches beyond its message is malformed", () => {
    const bytes = Uint8Array.of(0x12, 0x04, 0x0a, 0x06, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x08);
    expect(() => readFrameResponse(new ByteCursor(bytes))).toThrow(LayoutError);
  });
  test("any bytes decode or throw a layout error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const read of [readFrameResponse, readStateUpdate]) {
          try {
            read(new ByteCursor(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(LayoutError);
          }
        }
        expect(frameIndexOf(bytes, 0, bytes.length)).toBeGreaterThanOrEqual(-1);
      }),
    );
  });
});

describe("MessagePack", () => {
  const frame = fc
    .record({
      "frame.index": fc.nat(),
      "particle.count": fc.nat(),
      "particle.positions": fc.float32Array({ noNaN: true, minLength: 6, maxLength: 6 }),
      "particle.elements": fc.uint8Array({ maxLength: 4 }),
      "bond.pairs": fc.uint32Array({ minLength: 4, maxLength: 4 }),
      "particle.names": texts,
      "energy.kinetic": double,
      "residue.ids": fc.float64Array({ noNaN: true, minLength: 1, maxLength: 3 }),
    })
    .map((value): Frame => value);
  test("frames round-trip, packed by key", () => roundTrips(frame, writeFrame, readFrame));
  test("state parts round-trip", () => {
    const update = fc.record({ updates: fc.dictionary(key, document), removals: fc.array(key, { maxLength: 3 }) });
    roundTrips<StateUpdate>(update, writeState, readState);
  });
  test("plain lists are taken for packed arrays, as older builds sent them", () => {
    const bytes = Uint8Array.from([0x81, 0xab, ...new TextEncoder().encode("bond.orders"), 0x92, 1, 2]);
    expect(readFrame(new ByteCursor(bytes))["bond.orders"]).toEqual(Uint8Array.of(1, 2));
  });
  test("a packed array that does not fit its groups is malformed", () => {
    const bytes = Uint8Array.from([0x81, 0xaa, ...new TextEncoder().encode("bond.pairs"), 0xc4, 4, 0, 0, 0, 0]);
    expect(() => readFrame(new ByteCursor(bytes))).toThrow(/bond.pairs is 4 bytes/);
  });
  test("parts are found among others, and must be there", () => {
    const builder = new ByteBuilder();
    writeMessage(builder, { frame: { "frame.index": 3 }, state: { updates: {}, removals: ["a"] } });
    const bytes = builder.take();
    expect(readPart(bytes, "state", readState)).toEqual({ updates: {}, removals: ["a"] });
    expect(outlineOf(bytes, 0, bytes.length)).toEqual({
      types: ["frame", "state"],
      frameIndex: 3,
      serverTimestamp: null,
    });
    expect(() => readPart(bytes, "command", (cursor) => cursor.remaining)).toThrow(LayoutError);
    expect(() => readPart(bytes.subarray(0, -1), "frame", readFrame)).toThrow(LayoutError);
  });
  test("the end of a value is found, or how many bytes are missing at the least", () => {
    fc.assert(
      fc.property(fc.dictionary(key, document), fc.nat(), (updates, at) => {
        const builder = new ByteBuilder();
        writeState(builder, { updates, removals: [] });
        const bytes = builder.take();
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        expect(valueEnd(view, 0, bytes.length)).toBe(bytes.length);
        const cut = at % bytes.length;
        const missing = valueEnd(view, 0, cut);
        expect(missing).toBeLessThan(-cut);
        expect(missing).toBeGreaterThanOrEqual(-bytes.length);
      }),
    );
  });
});

describe("zip", () => {
  const local = {
    ...{ versionNeeded: u16, flags: u16, method: u16, time: u16, date: u16 },
    ...{ crc: u32, compressedSize: u32, size: u32, name: raw, extra: raw },
  };
  test("local headers round-trip", () => roundTrips(fc.record(local), writeLocalHeader, readLocalHeader));
  test("directory entries round-trip", () => {
    const more = { versionMadeBy: u16, disk: u16, internalAttributes: u16, externalAttributes: u32, headerOffset: u32 };
    roundTrips(fc.record({ ...local, ...more, comment: raw }), writeDirectoryEntry, readDirectoryEntry);
  });
  test("end records round-trip", () => {
    const counts = { disk: u16, directoryDisk: u16, entriesHere: u16, entries: u16 };
    const end = { ...counts, directorySize: u32, directoryOffset: u32, comment: raw };
    roundTrips(fc.record(end), writeDirectoryEnd, readDirectoryEnd);
    const places = { entriesHere: safe, entries: safe, directorySize: safe, directoryOffset: safe };
    const versions = { versionMadeBy: u16, versionNeeded: u16, disk: u32, directoryDisk: u32 };
    roundTrips(fc.record({ ...versions, ...places, extensible: raw }), writeDirectoryEnd64, readDirectoryEnd64);
    roundTrips(fc.record({ disk: u32, endOffset: safe, disks: u32 }), writeLocator64, readLocator64);
  });
});

describe("the index", () => {
  const entry = fc.record({
    offset: safe,
    length: safe,
    timestamp: fc.option(
      fc.oneof(
        safe,
        double.filter((value) => Number.isFinite(value) && !Object.is(value, -0)),
      ),
    ),
    types: fc.option(fc.array(key, { maxLength: 3 })),
    frameIndex: fc.option(fc.nat()),
  });
  test("entries round-trip", () => roundTrips(entry, writeIndexEntry, readIndexEntry));
  test("array sizes round-trip", () => roundTrips(u32, writeArraySize, readArraySize));
  test("an entry is found behind damage", () => {
    const builder = new ByteBuilder().raw(Uint8Array.of(0xc1, 0xa6, 0x6f, 0x83, 0x00));
    writeIndexEntry(builder, { offset: 1, length: 2, timestamp: 3, types: null, frameIndex: null });
    const bytes = builder.take();
    expect(findIndexEntry(bytes, 1, bytes.length)).toBe(5);
    expect(findIndexEntry(bytes, 6, bytes.length)).toBe(-1);
  });
});

describe.runIf(samplesDirectory !== null)("real files are what their content gives when it is written again", () => {
  test.each(sampleNames("nanover").filter((name) => name.endsWith(".traj") || name.endsWith(".state")))(
    "%s",
    (name) => {
      const bytes = sampleBytes(`nanover/${name}`);
      const isFrames = name.endsWith(".traj");
      const cursor = new ByteCursor(bytes);
      const out = new ByteBuilder();
      writeFileHeader(out, readFileHeader(cursor));
      expect(cursor.position).toBe(HEADER_BYTES);
      while (cursor.remaining > 0) {
        const header = readRecordHeader(cursor);
        const payload = cursor.view(header.size);
        writeRecordHeader(out, header);
        const written = new ByteBuilder();
        if (isFrames) writeFrameResponse(written, readFrameResponse(new ByteCursor(payload)));
        else {
          const update = readStateUpdate(new ByteCursor(payload));
          writeStateUpdate(written, update);
          // Removals may stand anywhere among the updates; they are written behind them.
          if (update.removals.length > 0) {
            expect(written.length).toBe(header.size);
            out.raw(payload);
            continue;
          }
        }
        out.raw(written.take());
      }
      expect(Buffer.compare(out.take(), bytes)).toBe(0);
    },
  );
  test.each(sampleNames("nanover").filter((name) => name.endsWith(".zip")))("index of %s", async (name) => {
    const source = memory(sampleBytes(`nanover/${name}`), name);
    const archive = await openArchive(source, new Findings());
    const member = await openMember(archive, archive.index!, new Findings(), undefined);
    const bytes = await member.source.read(0, member.size);
    const cursor = new ByteCursor(bytes);
    const out = new ByteBuilder();
    writeArraySize(out, readArraySize(cursor));
    while (cursor.remaining > 0) writeIndexEntry(out, readIndexEntry(cursor));
    expect(Buffer.compare(out.take(), bytes)).toBe(0);
  });
});

function isTexts(value: Value): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

/** Objects keep such keys in another order than they were met. */
function isIndexLike(name: string): boolean {
  return /^\d+$/.test(name);
}

function without<T>(map: { readonly [name: string]: T }): { [name: string]: T } {
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== "frame.index"));
}
