import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import type { ByteSink } from "../../../io/sink/sink.ts";
import type { Time } from "../../../model/values/time.ts";
import { FRAME, MICROSECOND } from "../layout/layout.ts";
import { IndexEntryWriter, writeArraySize } from "../layout/index.ts";
import { frameIndexOf, outlineOf } from "../layout/messagepack.ts";
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
} from "../../../bytes/zip.ts";
import { INDEX_NAME, MESSAGES_NAME, PROVENANCE_NAME } from "../layout/zip.ts";
import { type Carried, carryMember, damagedOf, type LostBeside, NOTHING_CARRIED } from "./carry.ts";
import type { ForeignMember } from "../read/foreign.ts";
import { Outlet } from "./outlet.ts";
import type { Target } from "./target.ts";
import { MAX_TYPES } from "../layout/types.ts";

/** 1980-01-01 00:00 (spec §4). */
const DOS_DATE = 0x21;
/** Files of NanoVer's own writer (seen in samples/nanover): versions needed with and without zip64; owner may read and write. */
const VERSION_ZIP64 = 45;
const VERSION_PLAIN = 20;
const ATTRIBUTES = 0x0180_0000;

/** A 16-bit field that is full: the 64-bit end record tells. */
const FULL16 = 0xffff;

interface Member {
  readonly name: string;
  readonly headerOffset: number;
  readonly size: number;
  readonly crc: number;
}

/**
 * A `.nanover.zip` as NanoVer lays it out (spec §4). Messages are written as they come; of each 22 bytes stay in
 * memory until the index is written at the end, as NanoVer does too.
 */
export class ZipTarget implements Target {
  readonly #outlet: Outlet;
  readonly #dataOffset: number;
  readonly #index = new IndexColumns();
  /** Types of messages with one part, by channel id. */
  readonly #types: (readonly string[])[] = [];
  /** Types of messages with several: their number is their place here, behind all channels. */
  readonly #combined: (readonly string[])[] = [];
  readonly #numbers = new Map<string, number>();

  readonly #provenance: Uint8Array | null;

  readonly #carried: Carried;
  damaged: readonly LostBeside[] = [];

  /** Takes over the sink. `provenance` becomes a member of its own; what is `carried` comes behind all others. */
  constructor(sink: ByteSink, provenance: string | null = null, carried: Carried = NOTHING_CARRIED) {
    this.#carried = carried;
    this.#provenance = provenance === null ? null : new TextEncoder().encode(provenance);
    this.#outlet = new Outlet(sink, true);
    writeLocalHeader(this.#outlet.out, messagesHeader(0, 0));
    this.#dataOffset = this.#outlet.position;
    this.#outlet.hand();
    this.#outlet.crc = 0;
  }

  put(channel: number, time: Time, bytes: Uint8Array, view: DataView, start: number, end: number): void {
    if (!Number.isFinite(time)) throw new RangeError(`a NanoVer zip cannot hold the time ${time} ns`);
    let index = Number.NaN;
    let types: number;
    if (channel >= 0) {
      types = channel;
      if (channel === FRAME) index = frameIndexOf(bytes, view, start, end);
    } else {
      const outline = outlineOf(bytes, start, end);
      types = this.#numberOf(outline.types);
      index = outline.frameIndex ?? Number.NaN;
    }
    this.#outlet.out.raw(bytes.subarray(start, end));
    this.#index.add(end - start, time, types, index);
    this.#outlet.spill();
  }

  announce(id: number, name: string): void {
    if (id >= MAX_TYPES) throw new RangeError(`a NanoVer recording has at most ${MAX_TYPES} channels`);
    this.#types.push([name]);
  }

  get ready(): Promise<void> | null {
    return this.#outlet.ready;
  }

  /** The messages are safe then, their times are not: the index comes last. */
  flush(): Promise<void> {
    return this.#outlet.flush();
  }

  async finish(): Promise<void> {
    const outlet = this.#outlet;
    outlet.hand();
    const messages: Member = {
      name: MESSAGES_NAME,
      headerOffset: 0,
      size: outlet.position - this.#dataOffset,
      crc: outlet.crc,
    };
    const header = new ByteBuilder();
    writeLocalHeader(header, messagesHeader(messages.size, messages.crc));
    outlet.patch(0, header.take());
    const index = await this.#writeIndex();
    const own = this.#provenance === null ? [] : [this.#writeOwn(this.#provenance)];
    const entries = [messages, index, ...own].map(directoryEntry);
    const damaged: ForeignMember[] = [];
    for (const member of this.#carried.members) {
      const { entry, isDamaged } = await carryMember(outlet, member);
      entries.push(entry);
      if (isDamaged) damaged.push(member);
    }
    this.damaged = damagedOf(damaged);
    this.#writeDirectory(entries);
    await outlet.close();
  }

  abort(): Promise<void> {
    return this.#outlet.abort();
  }

  #numberOf(types: readonly string[]): number {
    const key = JSON.stringify(types);
    const found = this.#numbers.get(key);
    if (found !== undefined) return found;
    const number = MAX_TYPES + this.#combined.length;
    if (number > 0xffff) throw new RangeError("messages with too many combinations of parts");
    this.#numbers.set(key, number);
    this.#combined.push(types);
    return number;
  }

  async #writeIndex(): Promise<Member> {
    const outlet = this.#outlet;
    const headerOffset = outlet.position;
    writeLocalHeader(outlet.out, indexHeader(0, 0));
    outlet.hand();
    outlet.crc = 0;
    const dataOffset = outlet.position;
    const entries = this.#index;
    writeArraySize(outlet.out, entries.length);
    const writer = new IndexEntryWriter();
    let offset = 0;
    for (let i = 0; i < entries.length; i++) {
      const length = entries.lengthOf(i);
      const number = entries.typesOf(i);
      const types = number < MAX_TYPES ? this.#types[number]! : this.#combined[number - MAX_TYPES]!;
      writer.write(outlet.out, offset, length, types, entries.indexOf(i), entries.timeOf(i) / MICROSECOND);
      offset += length;
      outlet.spill();
      if ((i & 1023) === 0 && outlet.ready !== null) await outlet.ready;
    }
    outlet.hand();
    const member: Member = {
      name: INDEX_NAME,
      headerOffset,
      size: outlet.position - dataOffset,
      crc: outlet.crc,
    };
    if (member.size >= FULL32) throw new RangeError("the index of a NanoVer zip is at most 4 GiB long");
    const header = new ByteBuilder();
    writeLocalHeader(header, indexHeader(member.size, member.crc));
    outlet.patch(headerOffset, header.take());
    return member;
  }

  #writeOwn(bytes: Uint8Array): Member {
    const headerOffset = this.#outlet.position;
    const crc = crc32(bytes);
    writeLocalHeader(this.#outlet.out, plainHeader(PROVENANCE_NAME, bytes.length, crc));
    this.#outlet.out.raw(bytes);
    return { name: PROVENANCE_NAME, headerOffset, size: bytes.length, crc };
  }

  #writeDirectory(list: readonly DirectoryEntry[]): void {
    const { out, position: directoryOffset } = this.#outlet;
    for (const entry of list) writeDirectoryEntry(out, entry);
    const directorySize = this.#outlet.position - directoryOffset;
    const entries = list.length;
    if (directoryOffset >= FULL32 || entries >= FULL16) {
      const endOffset = this.#outlet.position;
      writeDirectoryEnd64(out, {
        ...{ versionMadeBy: VERSION_ZIP64, versionNeeded: VERSION_ZIP64, disk: 0, directoryDisk: 0 },
        ...{ entriesHere: entries, entries, directorySize, directoryOffset, extensible: NOTHING },
      });
      writeLocator64(out, { disk: 0, endOffset, disks: 1 });
    }
    writeDirectoryEnd(out, {
      ...{ disk: 0, directoryDisk: 0, directorySize },
      ...{ entriesHere: Math.min(entries, FULL16), entries: Math.min(entries, FULL16) },
      directoryOffset: Math.min(directoryOffset, FULL32),
      comment: this.#carried.comment,
    });
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);

/** Always zip64, also when the messages are few (spec §4). */
function messagesHeader(size: number, crc: number): LocalHeader {
  const extra = new ByteBuilder();
  writeZip64Extra(extra, [size, size]);
  return {
    ...{ versionNeeded: VERSION_ZIP64, flags: 0, method: STORED, time: 0, date: DOS_DATE, crc },
    ...{ compressedSize: FULL32, size: FULL32, name: new TextEncoder().encode(MESSAGES_NAME), extra: extra.take() },
  };
}

function indexHeader(size: number, crc: number): LocalHeader {
  return plainHeader(INDEX_NAME, size, crc);
}

function plainHeader(name: string, size: number, crc: number): LocalHeader {
  return {
    ...{ versionNeeded: VERSION_PLAIN, flags: 0, method: STORED, time: 0, date: DOS_DATE, crc },
    ...{ compressedSize: size, size, name: new TextEncoder().encode(name), extra: NOTHING },
  };
}

function directoryEntry({ name, headerOffset, size, crc }: Member): DirectoryEntry {
  const version = name === MESSAGES_NAME || headerOffset >= FULL32 ? VERSION_ZIP64 : VERSION_PLAIN;
  const wide: number[] = [];
  if (size >= FULL32) wide.push(size, size);
  if (headerOffset >= FULL32) wide.push(headerOffset);
  const extra = new ByteBuilder();
  if (wide.length > 0) writeZip64Extra(extra, wide);
  return {
    ...{ versionMadeBy: version, versionNeeded: version, flags: 0, method: STORED, time: 0, date: DOS_DATE, crc },
    ...{ compressedSize: Math.min(size, FULL32), size: Math.min(size, FULL32), name: new TextEncoder().encode(name) },
    ...{ extra: extra.take(), disk: 0, internalAttributes: 0, externalAttributes: ATTRIBUTES },
    ...{ headerOffset: Math.min(headerOffset, FULL32), comment: NOTHING },
  };
}

/** Index entries that one block holds. */
const BLOCK = 1 << 14;

/** What an index entry says, in 22 bytes for each message; messages follow each other, so that offsets are sums. */
class IndexColumns {
  length = 0;
  readonly #lengths: Uint32Array[] = [];
  readonly #times: Float64Array[] = [];
  readonly #types: Uint16Array[] = [];
  readonly #indices: Float64Array[] = [];

  add(length: number, time: Time, types: number, index: number): void {
    const row = this.length % BLOCK;
    if (row === 0) {
      this.#lengths.push(new Uint32Array(BLOCK));
      this.#times.push(new Float64Array(BLOCK));
      this.#types.push(new Uint16Array(BLOCK));
      this.#indices.push(new Float64Array(BLOCK));
    }
    const block = this.#lengths.length - 1;
    this.#lengths[block]![row] = length;
    this.#times[block]![row] = time;
    this.#types[block]![row] = types;
    this.#indices[block]![row] = index;
    this.length++;
  }

  lengthOf(i: number): number {
    return this.#lengths[Math.floor(i / BLOCK)]![i % BLOCK]!;
  }

  timeOf(i: number): Time {
    return this.#times[Math.floor(i / BLOCK)]![i % BLOCK]!;
  }

  typesOf(i: number): number {
    return this.#types[Math.floor(i / BLOCK)]![i % BLOCK]!;
  }

  /** NaN: none. */
  indexOf(i: number): number {
    return this.#indices[Math.floor(i / BLOCK)]![i % BLOCK]!;
  }
}
