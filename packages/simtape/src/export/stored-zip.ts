import { ByteBuilder } from "../bytes/builder.ts";
import { crc32 } from "../bytes/crc32.ts";
import {
  type DirectoryEntry,
  FULL32,
  type LocalHeader,
  STORED,
  writeDirectoryEnd,
  writeDirectoryEnd64,
  writeDirectoryEntry,
  writeLocalHeader,
  writeLocator64,
  writeZip64Extra,
} from "../bytes/zip.ts";
import type { ByteSink } from "../io/sink/sink.ts";
import { RecordingError } from "../model/error.ts";

/** A member whose size is known before its bytes are. */
export interface PlannedMember {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

interface Member extends PlannedMember {
  readonly headerOffset: number;
  readonly dataOffset: number;
  /** Bytes that came so far, and their checksum. */
  filled: number;
  crc: number;
}

/** The name is UTF-8 (APPNOTE 4.4.4, bit 11). */
const UTF8 = 0x0800;
const VERSION_PLAIN = 20;
const VERSION_ZIP64 = 45;
/** 1 January 1980, the first day that there is. */
const DOS_DATE = 0x0021;
/** Made on Unix: all users may read the file, and its owner may write it. */
const MADE_ON_UNIX = 3 << 8;
const ATTRIBUTES = 0o100644 * 0x10000;
/** Where the checksum is in a local header. */
const CRC_AT = 14;
const NOTHING = new Uint8Array(0);
const PIECE = 1 << 20;

/**
 * A zip whose members are filled side by side, so that none of them is held in memory: room for all is made first, and
 * what comes is written into its place. The sink must take `writeAt` at every place. Members are not compressed.
 */
export class StoredZip {
  readonly #sink: ByteSink;
  readonly #members: readonly Member[];

  private constructor(sink: ByteSink, members: readonly Member[]) {
    this.#sink = sink;
    this.#members = members;
  }

  /** Makes room for members whose names differ. */
  static async begin(sink: ByteSink, planned: readonly PlannedMember[]): Promise<StoredZip> {
    const members: Member[] = [];
    const zeros = new Uint8Array(PIECE);
    for (const { name, size } of planned) {
      const header = new ByteBuilder();
      writeLocalHeader(header, headerOf(name, size));
      const headerOffset = sink.position;
      await sink.write(header.take());
      members.push({ name, size, headerOffset, dataOffset: sink.position, filled: 0, crc: 0 });
      for (let left = size; left > 0; left -= PIECE) await sink.write(left < PIECE ? zeros.subarray(0, left) : zeros);
    }
    return new StoredZip(sink, members);
  }

  /** The next bytes of a member. Throws `RecordingError`, code `source-changed`, when they are more than were planned. */
  async put(index: number, bytes: Uint8Array): Promise<void> {
    const member = this.#members[index]!;
    const { name, size, dataOffset, filled } = member;
    if (filled + bytes.length > size) throw changed(name, size);
    member.crc = crc32(bytes, member.crc);
    member.filled += bytes.length;
    await this.#sink.writeAt(dataOffset + filled, bytes);
  }

  /** Writes the directory. Throws `RecordingError`, code `source-changed`, when a member has less than was planned. */
  async end(): Promise<void> {
    for (const { name, size, filled, crc, headerOffset } of this.#members) {
      if (filled !== size) throw changed(name, size);
      const bytes = new ByteBuilder();
      bytes.u32le(crc);
      await this.#sink.writeAt(headerOffset + CRC_AT, bytes.take());
    }
    const directoryOffset = this.#sink.position;
    const out = new ByteBuilder();
    for (const member of this.#members) writeDirectoryEntry(out, entryOf(member));
    const directorySize = out.length;
    const entries = this.#members.length;
    if (directoryOffset >= FULL32) {
      writeDirectoryEnd64(out, {
        ...{ versionMadeBy: VERSION_ZIP64, versionNeeded: VERSION_ZIP64, disk: 0, directoryDisk: 0 },
        ...{ entriesHere: entries, entries, directorySize, directoryOffset, extensible: NOTHING },
      });
      writeLocator64(out, { disk: 0, endOffset: directoryOffset + directorySize, disks: 1 });
    }
    writeDirectoryEnd(out, {
      ...{ disk: 0, directoryDisk: 0, entriesHere: entries, entries, directorySize, comment: NOTHING },
      directoryOffset: Math.min(directoryOffset, FULL32),
    });
    await this.#sink.write(out.take());
  }
}

/** The sizes come from a reading of their own. */
function changed(name: string, size: number): RecordingError {
  return new RecordingError(
    "source-changed",
    `the recording changed while it was read: ${name} is not of ${size} bytes`,
  );
}

function headerOf(name: string, size: number): LocalHeader {
  const isWide = size >= FULL32;
  const extra = new ByteBuilder();
  if (isWide) writeZip64Extra(extra, [size, size]);
  const shown = isWide ? FULL32 : size;
  return {
    ...{ versionNeeded: isWide ? VERSION_ZIP64 : VERSION_PLAIN, flags: UTF8, method: STORED, time: 0, date: DOS_DATE },
    ...{ crc: 0, compressedSize: shown, size: shown, name: new TextEncoder().encode(name), extra: extra.take() },
  };
}

function entryOf({ name, size, crc, headerOffset }: Member): DirectoryEntry {
  const wide = [...(size >= FULL32 ? [size, size] : []), ...(headerOffset >= FULL32 ? [headerOffset] : [])];
  const extra = new ByteBuilder();
  if (wide.length > 0) writeZip64Extra(extra, wide);
  const version = wide.length > 0 ? VERSION_ZIP64 : VERSION_PLAIN;
  return {
    ...headerOf(name, size),
    ...{ versionMadeBy: MADE_ON_UNIX | version, versionNeeded: version, crc, extra: extra.take() },
    ...{ disk: 0, internalAttributes: 0, externalAttributes: ATTRIBUTES },
    ...{ headerOffset: Math.min(headerOffset, FULL32), comment: NOTHING },
  };
}
