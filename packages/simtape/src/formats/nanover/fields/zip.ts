import { ByteCursor } from "../../../bytes/cursor.ts";
import {
  as,
  bits,
  noted,
  oneOf,
  type Part,
  raw,
  struct,
  text,
  u16le,
  u32le,
  u64le,
} from "../../../bytes/field-parts.ts";
import type { Fields } from "../../../bytes/fields.ts";
import {
  DIRECTORY_SIGNATURE,
  END64_SIGNATURE,
  END_SIGNATURE,
  extentOf,
  LOCAL_SIGNATURE,
  LOCATOR64_SIGNATURE,
  readLocalHeader,
} from "../../../bytes/zip.ts";

// Source: PKWARE's APPNOTE 6.3, as for `bytes/zip.ts`.

const signature = noted(u32le, (value) => String.fromCharCode(value & 0xff, (value >>> 8) & 0xff));
const method = noted(u16le, (value) => (value === 0 ? "stored" : value === 8 ? "deflated" : null));
const FULL = "the extra field tells";
const size32 = noted(u32le, (value) => (value === 0xffff_ffff ? FULL : "bytes"));

const COMMON: Readonly<Record<string, Part>> = {
  versionNeeded: noted(u16le, (value) => `${Math.floor(value / 10)}.${value % 10}`),
  flags: bits(u16le, ["encrypted"]),
  method,
  time: noted(u16le, (value) => [value >> 11, (value >> 5) & 63, (value & 31) * 2].map(two).join(":")),
  date: noted(u16le, (value) => [1980 + (value >> 9), (value >> 5) & 15, value & 31].map(two).join("-")),
  crc: u32le,
  compressedSize: size32,
  size: size32,
};

const LOCAL = struct({ signature, ...COMMON });
const DIRECTORY = struct({ signature, versionMadeBy: u16le, ...COMMON });
const END = struct({
  signature,
  disk: u16le,
  directoryDisk: u16le,
  entriesHere: u16le,
  entries: u16le,
  directorySize: size32,
  directoryOffset: noted(u32le, (value) => (value === 0xffff_ffff ? "the zip64 end record tells" : "place")),
});
const END64 = struct({
  signature,
  length: u64le,
  versionMadeBy: u16le,
  versionNeeded: u16le,
  disk: u32le,
  directoryDisk: u32le,
  entriesHere: u64le,
  entries: u64le,
  directorySize: u64le,
  directoryOffset: noted(u64le, "place"),
});
const LOCATOR = struct({ signature, disk: u32le, endOffset: noted(u64le, "place"), disks: u32le });

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** In front of a member's data. */
export function localHeader(fields: Fields): void {
  LOCAL(fields, "");
  const name = u16le(fields, "name.length");
  const extra = u16le(fields, "extra.length");
  as("value", text(name))(fields, "name");
  fields.within(extra, () => extraFields(fields, "extra"));
}

/** Structures of a zip one after another: members with their data, the directory, its end. */
export function zipStructures(fields: Fields): void {
  for (let entry = 0; fields.left >= 4; ) {
    const { cursor } = fields;
    switch (new ByteCursor(cursor.bytes, cursor.position, cursor.end).u32le()) {
      case LOCAL_SIGNATURE:
        member(fields);
        break;
      case DIRECTORY_SIGNATURE:
        directoryEntry(fields, `[${entry++}]`);
        break;
      case END64_SIGNATURE:
        END64(fields, "end64");
        break;
      case LOCATOR64_SIGNATURE:
        LOCATOR(fields, "locator64");
        break;
      case END_SIGNATURE: {
        END(fields, "end");
        const comment = u16le(fields, "end.comment.length");
        as("value", text(comment))(fields, "end.comment");
        break;
      }
      default:
        return;
    }
  }
}

function member(fields: Fields): void {
  const { cursor } = fields;
  const header = readLocalHeader(new ByteCursor(cursor.bytes, cursor.position, cursor.end));
  localHeader(fields);
  const size = Math.min(extentOf(header).compressedSize, fields.left);
  const isText = header.method === 0 && new TextDecoder().decode(header.name).endsWith(".json");
  if (isText) as("value", text(size))(fields, "data");
  else as("payload", raw(size))(fields, "data");
}

function directoryEntry(fields: Fields, path: string): void {
  DIRECTORY(fields, path);
  const name = u16le(fields, `${path}.name.length`);
  const extra = u16le(fields, `${path}.extra.length`);
  const comment = u16le(fields, `${path}.comment.length`);
  u16le(fields, `${path}.disk`);
  bits(u16le, ["text"])(fields, `${path}.internalAttributes`);
  u32le(fields, `${path}.externalAttributes`);
  noted(u32le, (value) => (value === 0xffff_ffff ? FULL : "place"))(fields, `${path}.headerOffset`);
  as("value", text(name))(fields, `${path}.name`);
  fields.within(extra, () => extraFields(fields, `${path}.extra`));
  as("value", text(comment))(fields, `${path}.comment`);
}

/** Blocks of id, length and content; that of zip64 has the 64-bit sizes, of which there are one to three. */
function extraFields(fields: Fields, path: string): void {
  for (let i = 0; fields.left >= 4; i++) {
    const id = oneOf(u16le, ["", "zip64"])(fields, `${path}[${i}].id`);
    const length = u16le(fields, `${path}[${i}].length`);
    fields.within(length, () => {
      if (id === 1) for (let k = 0; fields.left >= 8; k++) u64le(fields, `${path}[${i}].value[${k}]`);
      else as("payload", raw(length))(fields, `${path}[${i}].data`);
    });
  }
}
