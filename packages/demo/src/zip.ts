import {
  ByteBuilder,
  crc32,
  DEFLATED,
  deflateRaw,
  type DirectoryEntry,
  writeDirectoryEnd,
  writeDirectoryEntry,
  writeLocalHeader,
} from "simtape/making";

/** The version that is needed to inflate. */
const VERSION = 20;
/** 1 January 1980, the first day that there is. */
const DOS_DATE = 0x0021;
const NOTHING = new Uint8Array(0);

/** A zip of small files by name, all deflated. */
export function zipOf(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const out = new ByteBuilder();
  const entries: DirectoryEntry[] = [];
  for (const [name, bytes] of files) {
    const packed = deflateRaw(bytes, 9);
    const header = {
      ...{ versionNeeded: VERSION, flags: 0, method: DEFLATED, time: 0, date: DOS_DATE, crc: crc32(bytes) },
      ...{ compressedSize: packed.length, size: bytes.length, name: new TextEncoder().encode(name), extra: NOTHING },
    };
    const place = { disk: 0, internalAttributes: 0, externalAttributes: 0, headerOffset: out.length };
    entries.push({ ...header, ...place, versionMadeBy: VERSION, comment: NOTHING });
    writeLocalHeader(out, header);
    out.raw(packed);
  }
  const directoryOffset = out.length;
  for (const entry of entries) writeDirectoryEntry(out, entry);
  writeDirectoryEnd(out, {
    ...{ disk: 0, directoryDisk: 0, entriesHere: entries.length, entries: entries.length, comment: NOTHING },
    ...{ directorySize: out.length - directoryOffset, directoryOffset },
  });
  return out.take();
}
