import type { Budget } from "../../bytes/budget.ts";
import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { deflateRaw, inflateRaw } from "../../codec/deflate.ts";
import type { ByteSource } from "../../io/source/source.ts";
import { isLittleEndian, type Plain, readPlain, writePlain } from "./plain.ts";
import { listOf, membersOf, textIn, wholeOf } from "../kept/shapes.ts";
import type { Value } from "../values/value.ts";

/** First bytes of a side-car (docs/index-file.md, Header). */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x53, 0x54, 0x49, 0x58, 0x0d, 0x0a, 0x1a);
/**
 * Another one is not read. To be raised whenever the layout changes, or what a scan or a fold learns of the same bytes:
 * `test/model/side-car.test.ts` finds that out.
 */
export const VERSION = 9;
const HEADER_BYTES = 24;
/** Read at once, at the beginning: nearly always all of the directory. */
const FIRST_READ = 32 << 10;
/** The longest directory, and section, that are read. */
const MAX_DIRECTORY = 16 << 20;
const MAX_SECTION = 256 << 20;

/** Memory of values, for each byte that they are written as. */
const GROWTH = 4;

/** Where a section lies, deflated. */
interface Section {
  readonly offset: number;
  readonly length: number;
  /** Bytes when inflated. */
  readonly size: number;
  /** Of the bytes as they are stored. */
  readonly crc: number;
}

/** A section as it is written: packed when it is made, as there may be many. */
export interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly crc: number;
}

/** Throws `TypeError` for what is no value. */
export function packed(value: Plain): Packed {
  const builder = new ByteBuilder();
  writePlain(builder, value);
  const plain = builder.take();
  const bytes = deflateRaw(plain, 6);
  return { bytes, size: plain.length, crc: crc32(bytes) };
}

/** A whole side-car: `about` can be read without any section. */
export function writeSideCar(about: Value, sections: ReadonlyMap<string, Packed>): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const list = [...sections].map(([name, { bytes, size, crc }]): Value => {
    const item = [name, offset, bytes.length, size, crc];
    offset += bytes.length;
    return item;
  });
  const directory = new ByteBuilder();
  writePlain(directory, { about, sections: list });
  const head = directory.take();
  const builder = new ByteBuilder(HEADER_BYTES + head.length + offset);
  builder.raw(MAGIC).u32le(VERSION).u32le(head.length).u32le(crc32(head)).u32le(offset);
  builder.raw(head);
  for (const { bytes } of sections.values()) builder.raw(bytes);
  return builder.take();
}

/** An open side-car: its sections are read when they are asked for. It is not trusted in anything. */
export class SideCarFile {
  readonly about: Value;
  readonly bytes: number;
  readonly #source: ByteSource;
  readonly #budget: Budget;
  readonly #sections: ReadonlyMap<string, Section>;

  private constructor(
    source: ByteSource,
    budget: Budget,
    bytes: number,
    about: Value,
    sections: ReadonlyMap<string, Section>,
  ) {
    this.#source = source;
    this.#budget = budget;
    this.bytes = bytes;
    this.about = about;
    this.#sections = sections;
  }

  /** Rejects with `LayoutError` when it is none, is of another version, is damaged or was cut. */
  static async open(source: ByteSource, budget: Budget, signal?: AbortSignal): Promise<SideCarFile> {
    const first = await source.read(0, FIRST_READ, signal);
    const cursor = new ByteCursor(first);
    if (first.length < HEADER_BYTES || MAGIC.some((byte) => cursor.u8() !== byte))
      throw new LayoutError("malformed", "no seek index begins there", 0);
    const version = cursor.u32le();
    if (version !== VERSION || !isLittleEndian)
      throw new LayoutError(
        "malformed",
        `it has version ${version}, and this simtape reads version ${VERSION}`,
        MAGIC.length,
      );
    const [length, crc, rest] = [cursor.u32le(), cursor.u32le(), cursor.u32le()];
    if (length > MAX_DIRECTORY) throw new LayoutError("malformed", `a directory of ${length} bytes`, MAGIC.length);
    const begin = HEADER_BYTES + length;
    const size = await source.size();
    if (size !== null && size !== begin + rest)
      throw new LayoutError("truncated", `it has ${size} bytes, ${begin + rest} were written`, 0);
    const head =
      begin <= first.length ? first.subarray(HEADER_BYTES, begin) : await source.read(HEADER_BYTES, length, signal);
    if (head.length !== length || crc32(head) !== crc)
      throw new LayoutError("malformed", "its directory does not match its checksum", HEADER_BYTES);
    const { about, sections } = membersOf(readPlain(new ByteCursor(head)));
    const byName = new Map<string, Section>();
    for (const item of listOf(sections)) {
      const [name, offset, stored, inflated, checksum] = listOf(item);
      const section = { offset: begin + wholeOf(offset), length: wholeOf(stored), size: wholeOf(inflated) };
      if (section.offset + section.length > begin + rest || section.size > MAX_SECTION)
        throw new LayoutError("malformed", "a section out of place", HEADER_BYTES);
      byName.set(textIn(name), { ...section, crc: wholeOf(checksum) });
    }
    return new SideCarFile(source, budget, begin + rest, about ?? null, byName);
  }

  /** Names of its sections. */
  get names(): readonly string[] {
    return [...this.#sections.keys()];
  }

  has(name: string): boolean {
    return this.#sections.has(name);
  }

  /** Rejects with `LayoutError` when it is not there, or damaged; with `BudgetError` when there is no room for it. */
  async section(name: string, signal?: AbortSignal): Promise<Plain> {
    const section = this.#sections.get(name);
    if (section === undefined) throw new LayoutError("malformed", `it has no section ${name}`, 0);
    const { offset, length, size, crc } = section;
    this.#budget.fit("a section of the seek index", length + size * GROWTH);
    const bytes = await this.#source.read(offset, length, signal);
    if (bytes.length !== length || crc32(bytes) !== crc)
      throw new LayoutError("malformed", `section ${name} does not match its checksum`, offset);
    const plain = inflateRaw(bytes, size);
    if (plain.length !== size) throw new LayoutError("malformed", `section ${name} has another size`, offset);
    const cursor = new ByteCursor(plain);
    const value = readPlain(cursor);
    if (cursor.remaining > 0) throw new LayoutError("malformed", `section ${name} has bytes left over`, offset);
    return value;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
