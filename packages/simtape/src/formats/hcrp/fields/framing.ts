import {
  as,
  bits,
  exact,
  i32be,
  i64be,
  noted,
  type Part,
  part,
  raw,
  struct,
  text,
  u16be,
  u32be,
  u32le,
  u64be,
  u8,
} from "../../../bytes/field-parts.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import type { Fields } from "../../../bytes/fields.ts";
import { readZstdFrameHeader } from "../../../codec/zstd-frame.ts";
import { uuid, varInt } from "./values.ts";
import { FLAG_EXTENDED } from "../layout/framing.ts";

const FLAGS = ["extended", "segmented", "finished", "columns", "", "", "", "", "clip"];
const wallClock = as(
  "value",
  noted(i64be, (value) => dateText(Number(value))),
);

function dateText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return milliseconds === 0 || Number.isNaN(date.getTime()) ? "ms since 1970" : date.toISOString();
}

const LENGTHS: Readonly<Record<string, Part>> = {
  metadataLength: u32be,
  indexLength: u32be,
  tickCount: as("value", u32be),
  chunkCount: u32be,
};

/** Spec §3.2. */
const EXTENSION = struct({
  version: u8,
  ticksPerSecond: as("value", u8),
  reserved: u16be,
  dataVersion: as("value", i32be),
  dictionaryId: u32be,
  totalLength: u64be,
  metadataCrc: u32be,
  indexCrc: u32be,
  recordingId: as("value", uuid),
  generation: u32be,
  nextSegment: u32be,
  finishedAt: wallClock,
  rest: raw(127),
});

/** Spec §3. */
export function headerFields(fields: Fields): void {
  text(4)(fields, "magic");
  u8(fields, "version");
  const flags = bits(u16be, FLAGS)(fields, "flags");
  as("value", uuid)(fields, "worldId");
  as("value", raw(16))(fields, "worldVersion");
  struct({ startedAt: wallClock, dictionaryId: u16be, ...LENGTHS })(fields, "");
  if ((flags & FLAG_EXTENDED) === 0) raw(187)(fields, "padding");
  else EXTENSION(fields, "extension");
  u32be(fields, "crc");
}

/** Spec §14. */
export function productionHeaderFields(fields: Fields): void {
  text(4)(fields, "magic");
  u16be(fields, "version");
  u16be(fields, "flags");
  as("value", uuid)(fields, "worldId");
  const length = u8(fields, "worldVersion.length");
  as("value", raw(length))(fields, "worldVersion");
  struct({ startedAt: wallClock, dictionaryId: u16be, ...LENGTHS, dataVersion: as("value", i32be) })(fields, "");
  raw(fields.left)(fields, "padding");
}

/** Spec §5; entries of production format 5 have two versions more. */
export function indexFields(fields: Fields, isSegmented: boolean, isVersioned: boolean): void {
  const place: Readonly<Record<string, Part>> = isSegmented
    ? { segment: u32be, offset: noted(u32be, "place in the segment") }
    : { offset: noted(u64be, "place in the file") };
  const entry = struct({
    startTick: varInt,
    tickCount: varInt,
    flags: bits(u8, ["snapshot"]),
    ...place,
    compressedLength: noted(varInt, "bytes"),
    uncompressedLength: noted(varInt, "bytes"),
    ...(isVersioned ? { formatVersion: varInt, dataVersion: varInt } : undefined),
  });
  for (let i = 0; fields.left > 0; i++) entry(fields, `[${i}]`);
}

/** Spec §8.2. */
export const chunkRecordFields: Part = struct({
  "frame magic": noted(u32le, "a frame that zstd skips"),
  "frame length": u32le,
  magic: text(4),
  version: u8,
  flags: bits(u8, ["snapshot"]),
  reserved: u16be,
  recordingId: as("value", uuid),
  startTick: as("value", u32be),
  tickCount: as("value", u32be),
  compressedLength: noted(u32be, "bytes"),
  uncompressedLength: noted(u32be, "bytes"),
  dataVersion: as("value", i32be),
  schemaVersion: u32be,
  epoch: u32be,
  frameCrc: u32be,
  generation: u32be,
  crc: u32be,
});

const little = (width: number): Part<number | bigint> =>
  part((cursor: ByteCursor) => {
    let value = 0n;
    for (let i = 0; i < width; i++) value |= BigInt(cursor.u8()) << BigInt(8 * i);
    return exact(value);
  });
const BLOCK_KINDS = ["stored", "one byte repeated", "compressed", "reserved"];

/** A zstd frame: its header, its blocks as they are, its checksum (RFC 8878 §3.1.1). */
export function zstdFields(fields: Fields): void {
  const { bytes, position } = fields.cursor;
  const { contentSize, hasChecksum } = readZstdFrameHeader(bytes, position);
  noted(u32le, "zstd")(fields, "magic");
  const descriptor = u8(fields, "descriptor");
  fields.note(hasChecksum ? "with checksum" : null);
  const isSingle = (descriptor & 0x20) !== 0;
  if (!isSingle) u8(fields, "window");
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  if (dictionary > 0) little(dictionary)(fields, "dictionaryId");
  const size = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  if (size > 0) noted(little(size), `${contentSize} bytes, inflated`)(fields, "contentSize");
  for (let i = 0, isLast = false; !isLast; i++) {
    const head = Number(little(3)(fields, `block[${i}]`));
    isLast = (head & 1) === 1;
    const kind = (head >> 1) & 3;
    const length = kind === 1 ? 1 : head >> 3;
    fields.note(`${BLOCK_KINDS[kind]}, ${length} bytes${isLast ? ", the last" : ""}`);
    as("payload", raw(length))(fields, `block[${i}].data`);
  }
  if (hasChecksum) u32le(fields, "checksum");
}
