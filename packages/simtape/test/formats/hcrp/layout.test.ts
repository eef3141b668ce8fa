import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as chunk from "../../../src/formats/hcrp/layout/chunk.ts";
import * as entityEvents from "../../../src/formats/hcrp/layout/entity-events.ts";
import * as eventIds from "../../../src/formats/hcrp/layout/events.ts";
import {
  CHUNK_RECORD_BYTES,
  chunkRecordCrc,
  FLAG_EXTENDED,
  HEADER_BYTES,
  headerCrc,
  readChunkRecord,
  readHeader,
  readIndexEntry,
  readString,
  readUuid,
  readVarInt,
  sealHeader,
  segmentName,
  writeChunkRecord,
  writeHeader,
  writeIndexEntry,
  writeString,
  writeUuid,
  writeVarInt,
} from "../../../src/formats/hcrp/layout/framing.ts";
import { readMetadata, readReserved, writeReserved } from "../../../src/formats/hcrp/layout/metadata.ts";
import * as motion from "../../../src/formats/hcrp/layout/motion.ts";
import * as production from "../../../src/formats/hcrp/layout/production.ts";
import * as worldEvents from "../../../src/formats/hcrp/layout/world-events.ts";
import { LayoutError } from "../../../src/index.ts";
import { ByteBuilder, ByteCursor, NBT, nbtCompound, nbtText, writeNbt } from "../../../src/kit.ts";

const int = fc.oneof(fc.nat(200), fc.nat(0x7fff_ffff));
const byte = fc.nat(255);
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffff_ffff);
const wide = fc.oneof(
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.maxSafeInteger().map((value) => Math.trunc(value / 2) + 0),
);
const whole = fc.oneof(fc.nat(100_000), fc.maxSafeNat());
const grid = fc.tuple(wide, wide, wide).map((values) => Float64Array.from(values));
const doubles = fc
  .array(fc.double({ noNaN: true }), { minLength: 3, maxLength: 3 })
  .map((values) => Float64Array.from(values));
const uuid = fc.uuid();
const bytes = fc.uint8Array({ maxLength: 20 });
const optional = fc.option(fc.nat(0x7fff_fffe));
const moderate = fc.double({ min: -20_000, max: 20_000, noNaN: true });
const float = fc.float({ noNaN: true });

const place = { q: grid, yaw: u16, pitch: u16, flags: byte };
const identity = { uuid: fc.option(uuid), profile: fc.option(int) };
const items = fc.array(fc.record({ slot: int, item: int }), { maxLength: 6 });
const entries = fc.array(fc.record({ index: byte, bytes }), { maxLength: 4 });
const entities = fc.array(int, { maxLength: 6 }).map((values) => Uint32Array.from(values));
const setItems = fc.record({ entity: int, items });
const setBlock = fc.record({ delta: grid, block: int });
const metadata = fc.record({ entity: int, entries });

const move = fc
  .record({
    entity: int,
    x: wide,
    y: wide,
    z: wide,
    yaw: wide,
    pitch: wide,
    headYaw: wide,
    onGround: fc.boolean(),
    keep: byte,
  })
  .map(({ onGround, keep, ...fields }) => {
    const result = Object.assign(new motion.Move(), fields);
    if ((keep & 1) === 0) result.x = 0;
    if ((keep & 2) === 0) result.y = 0;
    if ((keep & 4) === 0) result.z = 0;
    if ((keep & 8) === 0) result.headYaw = 0;
    result.mask = motion.moveMask(result, onGround);
    return result;
  });

/** Bytes of a vector made by writing one. */
const lowVector = doubles
  .map((value) => value.map((v) => ((v % 9000) * (Math.abs(v) % 2)) / 3))
  .map((value) => {
    const raw = written((builder) => motion.writeLowVector(builder, { value, raw: null }));
    return motion.readLowVector(new ByteCursor(raw));
  });

type Case = readonly [
  number,
  fc.Arbitrary<unknown>,
  (cursor: ByteCursor) => unknown,
  (builder: ByteBuilder, value: never) => void,
];
const CORE: readonly Case[] = [
  [0, move, motion.readMove, motion.writeMove],
  [1, fc.record({ entity: int, ...place }), entityEvents.readPlaceEvent, entityEvents.writePlaceEvent],
  [2, fc.record({ entity: int, pose: byte, flags: byte }), entityEvents.readStateEvent, entityEvents.writeStateEvent],
  [3, fc.record({ entity: int, hand: byte }), entityEvents.readSwing, entityEvents.writeSwing],
  [4, fc.record({ entity: int, use: byte }), entityEvents.readItemUse, entityEvents.writeItemUse],
  [5, setItems, entityEvents.readSetItems, entityEvents.writeSetItems],
  [6, fc.record({ entity: int, slot: byte }), entityEvents.readHeldSlot, entityEvents.writeHeldSlot],
  [7, setBlock, worldEvents.readSetBlock, worldEvents.writeSetBlock],
  [8, fc.record({ section: grid, blocks: entities }), worldEvents.readSetBlocks, worldEvents.writeSetBlocks],
  [9, fc.record({ entity: int, type: int, ...place, ...identity }), entityEvents.readSpawn, entityEvents.writeSpawn],
  [10, fc.record({ entities }), entityEvents.readRemove, entityEvents.writeRemove],
  [11, fc.record({ entity: int, velocity: lowVector }), entityEvents.readVelocity, entityEvents.writeVelocity],
  [12, fc.record({ kind: byte, entry: bytes }), worldEvents.readPaletteAdd, worldEvents.writePaletteAdd],
  [13, metadata, entityEvents.readEntityMetadata, entityEvents.writeEntityMetadata],
  [14, fc.record({ entity: int, uuid, profile: int }), entityEvents.readJoin, entityEvents.writeJoin],
  [15, fc.record({ entity: int }), entityEvents.readLeave, entityEvents.writeLeave],
  [16, fc.record({ kind: byte, sender: optional, text: int }), worldEvents.readChat, worldEvents.writeChat],
  [
    17,
    fc.record({ sound: int, position: grid, category: byte, volume: byte, pitch: byte }),
    worldEvents.readSound,
    worldEvents.writeSound,
  ],
  [
    18,
    fc.record({ particle: int, position: grid, count: int, spread: fc.uint8Array({ minLength: 3, maxLength: 3 }) }),
    worldEvents.readParticles,
    worldEvents.writeParticles,
  ],
  [
    19,
    fc.record({ entity: int, effect: int, amplifier: byte, ticks: int }),
    entityEvents.readEffect,
    entityEvents.writeEffect,
  ],
  [
    20,
    fc.record({ entity: int, health: byte, food: byte, xp: int }),
    entityEvents.readVitals,
    entityEvents.writeVitals,
  ],
  [21, fc.record({ time: fc.option(whole), weather: fc.option(byte) }), worldEvents.readWorld, worldEvents.writeWorld],
  [22, fc.record({ entity: int, gameMode: byte, camera: optional }), entityEvents.readView, entityEvents.writeView],
  [23, fc.record({ vehicle: int, passengers: entities }), entityEvents.readMount, entityEvents.writeMount],
  [24, fc.record({ entity: int, attacker: optional, yaw: byte }), entityEvents.readHurt, entityEvents.writeHurt],
  [
    25,
    fc.record({ entity: int, position: doubles, yaw: float, pitch: float, velocity: doubles }),
    entityEvents.readExactPlace,
    entityEvents.writeExactPlace,
  ],
  [26, fc.constant(null), () => null, () => undefined],
  [
    27,
    fc.record({ kind: byte, entity: optional, text: int, severity: byte }),
    worldEvents.readMark,
    worldEvents.writeMark,
  ],
];

const item = fc.constantFrom(
  Uint8Array.of(0),
  writeNbt({ root: nbtCompound({ id: nbtText("minecraft:feather"), n: { type: NBT.byte, value: 3 } }), name: null }),
);
const PRODUCTION: readonly Case[] = [
  [
    0,
    fc.record({
      entity: int,
      delta: grid,
      yaw: fc.integer({ min: -32768, max: 32767 }),
      pitch: fc.integer({ min: -32768, max: 32767 }),
      velocity: lowVector,
    }),
    production.readDeltaMove,
    production.writeDeltaMove,
  ],
  [
    1,
    fc.record({ entity: int, position: doubles, yaw: float, pitch: float, velocity: lowVector }),
    production.readAbsoluteMove,
    production.writeAbsoluteMove,
  ],
  [
    2,
    fc.record({ entity: int, pose: int, flags: byte }),
    production.readProductionState,
    production.writeProductionState,
  ],
  [3, fc.record({ entity: int, hand: int }), production.readHandAnimation, production.writeHandAnimation],
  [
    4,
    fc.record({ entity: int, using: fc.boolean(), hand: int }),
    production.readProductionItemUse,
    production.writeProductionItemUse,
  ],
  [
    5,
    fc.record({ entity: int, items: fc.array(fc.record({ slot: int, item }), { maxLength: 4 }) }),
    production.readProductionSetItems,
    production.writeProductionSetItems,
  ],
  [6, fc.record({ entity: int, slot: int }), production.readProductionHeldSlot, production.writeProductionHeldSlot],
  [9, fc.record({ entity: int }), production.readDestroy, production.writeDestroy],
  [10, fc.constant(null), () => null, () => undefined],
  [
    11,
    fc.record({ checkpoint: fc.string(), milliseconds: whole }),
    production.readCheckpointReached,
    production.writeCheckpointReached,
  ],
  [
    12,
    fc.record({ reason: int, milliseconds: whole }),
    production.readCheckpointReset,
    production.writeCheckpointReset,
  ],
  [13, fc.record({ result: int, milliseconds: whole }), production.readRunEnd, production.writeRunEnd],
  [14, fc.constant(null), () => null, () => undefined],
];

function written(write: (builder: ByteBuilder) => void): Uint8Array {
  const builder = new ByteBuilder();
  write(builder);
  return builder.take();
}

/** What was written is read as it was, to its last byte, and written again gives the same bytes. */
function roundTrips<T>(
  arbitrary: fc.Arbitrary<T>,
  read: (cursor: ByteCursor) => unknown,
  write: (builder: ByteBuilder, value: T) => void,
  skip?: (cursor: ByteCursor) => boolean,
): void {
  fc.assert(
    fc.property(arbitrary, fc.nat(3), (value, before) => {
      const bytes = written((builder) => {
        builder.zeros(before);
        write(builder, value);
      });
      const cursor = new ByteCursor(bytes, before);
      const again = read(cursor);
      expect(again).toEqual(value);
      expect(cursor.remaining).toBe(0);
      expect(written((builder) => write(builder.zeros(before), again as T))).toEqual(bytes);
      if (skip === undefined) return;
      const skipping = new ByteCursor(bytes, before);
      expect(skip(skipping)).toBe(true);
      expect(skipping.remaining).toBe(0);
      for (let end = before; end < bytes.length; end++) {
        expect(() => skip(new ByteCursor(bytes, before, end))).toThrow(LayoutError);
      }
    }),
  );
}

describe("primitives", () => {
  test("a VarInt is at most five bytes and 2^31 - 1; padded forms are read", () => {
    roundTrips(int, readVarInt, writeVarInt);
    expect(readVarInt(new ByteCursor(Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0)))).toBe(1);
    expect(() => readVarInt(new ByteCursor(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0)))).toThrow("longer than 5");
    expect(() => readVarInt(new ByteCursor(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x08)))).toThrow("above 2^31 - 1");
    expect(() => writeVarInt(new ByteBuilder(), 2 ** 31)).toThrow(RangeError);
  });

  test("a UUID is sixteen bytes in the order of its text", () => {
    roundTrips(uuid, readUuid, writeUuid);
    const bytes = written((builder) => writeUuid(builder, "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab"));
    expect(Array.from(bytes.subarray(0, 6))).toEqual([0x0f, 0x5b, 0xa7, 0xa2, 0x6a, 0x0e]);
    expect(() => writeUuid(new ByteBuilder(), "no")).toThrow(RangeError);
  });

  test("text is its byte length and UTF-8", () => roundTrips(fc.string({ unit: "grapheme" }), readString, writeString));

  test("segments are named by eight digits, more when they need more", () => {
    expect([0, 17, 0xffff_ffff].map(segmentName)).toEqual([
      "seg-00000000.hcs",
      "seg-00000017.hcs",
      "seg-4294967295.hcs",
    ]);
  });
});

describe("header, index, chunk record", () => {
  const i64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
  const extension = fc.record({
    version: byte,
    ticksPerSecond: byte,
    reserved: u16,
    dataVersion: fc.integer(),
    dictionaryId: u32,
    totalLength: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    metadataCrc: u32,
    indexCrc: u32,
    recordingId: uuid,
    generation: u32,
    nextSegment: u32,
    finishedAt: i64,
    rest: fc.uint8Array({ minLength: 127, maxLength: 127 }),
  });
  const fields = {
    worldId: uuid,
    worldVersion: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    startedAt: i64,
    dictionaryId: u16,
    metadataLength: u32,
    indexLength: u32,
    tickCount: u32,
    chunkCount: u32,
    crc: u32,
  };
  const extended = fc.record({ ...fields, flags: u16, extension, padding: fc.constant(new Uint8Array(0)) });
  const plain = fc.record({
    ...fields,
    flags: u16,
    extension: fc.constant(null),
    padding: fc.uint8Array({ minLength: 187, maxLength: 187 }),
  });

  test("a header keeps all its 256 bytes, with extension and without", () => {
    roundTrips(
      extended.map((header) => ({ ...header, flags: header.flags | FLAG_EXTENDED })),
      readHeader,
      writeHeader,
    );
    roundTrips(
      plain.map((header) => ({ ...header, flags: header.flags & ~FLAG_EXTENDED })),
      readHeader,
      writeHeader,
    );
  });

  test("any 256 bytes behind the magic read as a header and are written again as they were", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: HEADER_BYTES, maxLength: HEADER_BYTES }), (bytes) => {
        bytes.set([0x48, 0x43, 0x52, 0x50, 1]);
        const header = readHeader(new ByteCursor(bytes));
        expect(written((builder) => writeHeader(builder, header))).toEqual(bytes);
      }),
    );
  });

  test("a sealed header has the crc of its own bytes", () => {
    fc.assert(
      fc.property(extended, (header) => {
        const sealed = sealHeader({ ...header, flags: FLAG_EXTENDED }, new ByteBuilder());
        const bytes = written((builder) => writeHeader(builder, sealed));
        expect(headerCrc(bytes)).toBe(sealed.crc);
        expect(new DataView(bytes.buffer).getUint32(252)).toBe(sealed.crc);
      }),
    );
  });

  const entry = (isVersioned: boolean) =>
    fc.record({
      startTick: int,
      tickCount: int,
      flags: byte,
      offsetHigh: u32,
      offsetLow: u32,
      compressedLength: int,
      uncompressedLength: int,
      formatVersion: isVersioned ? int : fc.constant(null),
      dataVersion: isVersioned ? int : fc.constant(null),
    });

  test.each([false, true])("index entries round trip, production's versions: %s", (isVersioned) => {
    roundTrips(
      fc.array(entry(isVersioned), { maxLength: 30 }),
      (cursor) => {
        const entries = [];
        while (cursor.remaining > 0) entries.push(readIndexEntry(cursor, isVersioned));
        return entries;
      },
      (builder, list) => {
        for (const each of list) writeIndexEntry(builder, each);
      },
    );
  });

  test("segment 0xFFFFFFFF and offset 0xFFFFFFFF survive packing", () => {
    const most = {
      startTick: 0,
      tickCount: 1,
      flags: 1,
      offsetHigh: 0xffff_ffff,
      offsetLow: 0xffff_ffff,
      compressedLength: 1,
      uncompressedLength: 0,
      formatVersion: null,
      dataVersion: null,
    };
    const bytes = written((builder) => writeIndexEntry(builder, most));
    expect(readIndexEntry(new ByteCursor(bytes), false)).toEqual(most);
    expect(bytes.length).toBe(13);
  });

  test("a chunk record is 72 bytes, and its crc is over what is before it", () => {
    const record = fc.record({
      version: byte,
      flags: byte,
      reserved: u16,
      recordingId: uuid,
      startTick: u32,
      tickCount: u32,
      compressedLength: u32,
      uncompressedLength: u32,
      dataVersion: fc.integer(),
      schemaVersion: u32,
      epoch: u32,
      frameCrc: u32,
      generation: u32,
      crc: u32,
    });
    roundTrips(record, readChunkRecord, writeChunkRecord);
    fc.assert(
      fc.property(record, (each) => {
        const bytes = written((builder) => writeChunkRecord(builder, each));
        expect(bytes.length).toBe(CHUNK_RECORD_BYTES);
        expect(chunkRecordCrc(bytes)).toBe(chunkRecordCrc(written((b) => writeChunkRecord(b, { ...each, crc: 0 }))));
      }),
    );
    expect(() => readChunkRecord(new ByteCursor(new Uint8Array(72)))).toThrow("not a chunk record");
  });
});

describe("core events", () => {
  test("every named event is covered", () =>
    expect(CORE.map(([id]) => id)).toEqual(eventIds.EVENT_NAMES.map((_, id) => id)));

  test.each(CORE)("event %i round trips, is skipped to its end, and refused when cut", (id, arbitrary, read, write) => {
    roundTrips(arbitrary, read, write as (builder: ByteBuilder, value: unknown) => void, (cursor) =>
      eventIds.skipEvent(cursor, id),
    );
  });

  test("reserved ids are unknown", () => {
    for (const id of [28, 29, 30, 31]) expect(eventIds.skipEvent(new ByteCursor(new Uint8Array(9)), id)).toBe(false);
  });

  test("bits that mean nothing are malformed", () => {
    expect(() => motion.readMove(new ByteCursor(Uint8Array.of(0, 0x80)))).toThrow("bit 7");
    expect(() => worldEvents.readWorld(new ByteCursor(Uint8Array.of(4)))).toThrow("unknown bits");
    expect(() => entityEvents.readIdentity(new ByteCursor(Uint8Array.of(8)))).toThrow("unknown bits");
  });

  test("a count is checked before anything is allocated for it", () => {
    const huge = Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 0x07, 1);
    expect(() => entityEvents.readSetItems(new ByteCursor(huge))).toThrow(LayoutError);
    expect(() => entityEvents.readMount(new ByteCursor(huge))).toThrow(LayoutError);
  });

  test("angles wrap, and a change is the shorter way", () => {
    expect(motion.turnOf(-0.0055)).toBe(65535);
    expect(motion.turnOf(3600 * 12 + 90)).toBe(16384);
    expect(motion.degreesOf(16384)).toBe(90);
    expect(motion.degreesOf(49152)).toBe(-90);
    fc.assert(
      fc.property(u16, u16, (from, to) => {
        const change = motion.turnChange(from, to);
        expect(Math.abs(change)).toBeLessThanOrEqual(32768);
        expect(motion.wrapTurn(from + change)).toBe(to);
      }),
    );
  });

  test("a low-precision vector is as near as its scale allows, and zero is one byte", () => {
    fc.assert(
      fc.property(fc.tuple(moderate, moderate, moderate), (values) => {
        const value = Float64Array.from(values);
        const bytes = written((builder) => motion.writeLowVector(builder, { value, raw: null }));
        const longest = Math.max(...value.map((v) => Math.abs(v)));
        const again = motion.readLowVector(new ByteCursor(bytes));
        // half of one of the 32,766 steps from -scale to +scale
        const step = Math.ceil(longest) / 32_766 + 1e-9;
        for (let k = 0; k < 3; k++) expect(Math.abs(again.value[k]! - value[k]!)).toBeLessThanOrEqual(step);
      }),
    );
    expect(written((b) => motion.writeLowVector(b, { value: new Float64Array(3), raw: null }))).toEqual(
      Uint8Array.of(0),
    );
  });
});

describe("chunks", () => {
  test("sections of a snapshot round trip, unknown ones too", () => {
    const section = fc.record({ type: int, body: bytes });
    roundTrips(fc.array(section, { maxLength: 5 }), chunk.readSections, chunk.writeSections);
    roundTrips(fc.array(fc.array(bytes, { maxLength: 4 }), { maxLength: 9 }), chunk.readPalettes, chunk.writePalettes);
    roundTrips(fc.array(setBlock, { maxLength: 5 }), chunk.readBlockEdits, chunk.writeBlockEdits);
    roundTrips(fc.array(setItems, { maxLength: 5 }), chunk.readInventories, chunk.writeInventories);
    roundTrips(fc.array(metadata, { maxLength: 5 }), chunk.readMetadataList, chunk.writeMetadataList);
    roundTrips(fc.record({ namespace: fc.string(), bytes }), chunk.readHostState, chunk.writeHostState);
  });

  test("entities of a snapshot round trip in the long form and in the short one", () => {
    const details = fc.record({ type: int, pose: byte, flags: byte, heldSlot: byte, itemUse: byte, ...identity });
    const small = fc.integer({ min: -2000, max: 2000 });
    const near = fc.record({ ...place, q: fc.tuple(small, small, small).map((q) => Float64Array.from(q)) });
    const long = fc.record({ entity: int, place: near, details });
    const short = fc.record({ entity: fc.nat(100), place: near, details: fc.constant(null) });
    roundTrips(fc.array(long, { maxLength: 5 }), wholeBody(chunk.readEntities), chunk.writeEntities);
    // one entity cannot be mistaken: the long form needs more bytes behind the place
    roundTrips(fc.array(short, { minLength: 1, maxLength: 1 }), wholeBody(chunk.readEntities), chunk.writeEntities);
  });

  test("heads of tick records round trip", () => {
    roundTrips(fc.record({ tick: int, count: u16 }), chunk.readTickHead, chunk.writeTickHead);
    const count = fc.nat(0x7fff);
    roundTrips(fc.record({ tick: int, count }), production.readProductionTickHead, production.writeProductionTickHead);
    expect(() => production.readProductionTickHead(new ByteCursor(Uint8Array.of(0, 0x80, 0)))).toThrow("-32768 events");
    expect(() => chunk.writeTickHead(new ByteBuilder(), { tick: 0, count: 65_536 })).toThrow(RangeError);
  });
});

/** For readers that take a whole body and not a cursor. */
function wholeBody<T>(read: (body: Uint8Array) => T): (cursor: ByteCursor) => T {
  return (cursor) => read(cursor.view(cursor.remaining));
}

describe("production dialect", () => {
  test.each(PRODUCTION)(
    "event %i round trips, is skipped to its end, and refused when cut",
    (id, arbitrary, read, write) => {
      roundTrips(arbitrary, read, write as (builder: ByteBuilder, value: unknown) => void, (cursor) =>
        production.skipProductionEvent(cursor, id, 5),
      );
    },
  );

  test.each([4, 5] as const)("blocks and types are ids in format 4 and names in format 5: %i", (version) => {
    const name = version === 4 ? int : fc.string();
    const coordinate = fc.integer({ min: -(2 ** 25), max: 2 ** 25 - 1 });
    const y = fc.integer({ min: -2048, max: 2047 });
    roundTrips(
      fc.record({ x: coordinate, y, z: coordinate, state: name }),
      (cursor) => production.readProductionSetBlock(cursor, version),
      production.writeProductionSetBlock,
      (cursor) => production.skipProductionEvent(cursor, 7, version),
    );
    roundTrips(
      fc.record({ entity: int, type: name, position: doubles, yaw: float, pitch: float }),
      (cursor) => production.readProductionSpawn(cursor, version),
      production.writeProductionSpawn,
      (cursor) => production.skipProductionEvent(cursor, 8, version),
    );
  });

  test("headers round trip with world versions of 0 to 32 bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 32 }),
        fc.bigInt({ min: 0n, max: 1n << 62n }),
        u32,
        (worldVersion, startedAt, n) => {
          const header = {
            version: 5 as const,
            flags: 0,
            worldId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab",
            worldVersion,
            startedAt,
            dictionaryId: 0,
            metadataLength: 2,
            indexLength: n,
            tickCount: n,
            chunkCount: 1,
            dataVersion: 4903,
            padding: new Uint8Array(HEADER_BYTES - 55 - worldVersion.length),
          };
          const bytes = written((builder) => production.writeProductionHeader(builder, header));
          expect(bytes.length).toBe(HEADER_BYTES);
          expect(production.readProductionHeader(new ByteCursor(bytes))).toEqual(header);
        },
      ),
    );
  });

  test("with sixteen bytes of world version the fields stand where the specification says", () => {
    const header = {
      version: 4 as const,
      flags: 0,
      worldId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab",
      worldVersion: new Uint8Array(16),
      startedAt: 0x0102030405060708n,
      dictionaryId: 0x1112,
      metadataLength: 0x21222324,
      indexLength: 0x31323334,
      tickCount: 0x41424344,
      chunkCount: 0x51525354,
      dataVersion: 0x61626364,
      padding: new Uint8Array(0),
    };
    const view = new DataView(written((builder) => production.writeProductionHeader(builder, header)).buffer);
    expect([view.getUint8(41), view.getUint16(49), view.getUint32(51), view.getUint32(55)]).toEqual([
      1, 0x1112, 0x21222324, 0x31323334,
    ]);
    expect([view.getUint32(59), view.getUint32(63), view.getUint32(67)]).toEqual([0x41424344, 0x51525354, 0x61626364]);
  });
});

describe("metadata", () => {
  const epoch = fc.record({
    chunk: fc.nat(1000),
    dataVersion: fc.integer(),
    protocol: fc.integer(),
    schema: fc.string(),
    schemaVersion: fc.integer(),
    server: fc.string(),
    started: fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  });
  const hostEvent = fc.record({ id: fc.integer(), name: fc.string(), version: fc.integer(), sinceChunk: fc.integer() });
  const subject = fc.record({ entity: fc.integer(), uuid, name: fc.string({ unit: "binary" }) });

  test("what is ours comes back as it was written, epochs by chunk", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(epoch, { maxLength: 3, selector: (each) => each.chunk }),
        fc.array(hostEvent, { maxLength: 3 }),
        fc.array(subject, { maxLength: 3 }),
        fc.option(fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: 64, maxLength: 64 })),
        (epochs, hostEvents, subjects, dictionarySha256) => {
          const hcrp = writeReserved({ epochs, events: hostEvents, subjects, dictionarySha256 });
          const document = readMetadata(writeNbt({ root: nbtCompound({ hcrp }), name: null }));
          const sorted = [...epochs].sort((a, b) => a.chunk - b.chunk);
          expect(readReserved(document)).toEqual({
            epochs: sorted,
            events: hostEvents,
            subjects,
            dictionarySha256,
            oddities: [],
          });
        },
      ),
    );
  });

  test("what is not as it should be is reported, not thrown", () => {
    const hcrp = nbtCompound({
      epochs: nbtText("none"),
      subjects: { type: NBT.list, itemType: NBT.compound, items: [nbtCompound({ uuid: nbtText("x") })] },
      dict_sha256: { type: NBT.byteArray, value: new Uint8Array(3) },
    });
    expect(readReserved({ root: nbtCompound({ hcrp }), name: null }).oddities).toHaveLength(3);
    expect(readReserved({ root: nbtCompound({ hcrp: nbtText("x") }), name: null }).oddities).toHaveLength(1);
  });
});
