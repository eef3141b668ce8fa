import { NBT } from "simtape/kit";
import { Damage } from "./damage.ts";
import type { Longs } from "./longs.ts";

/** A tag in the document: `at` is the start of its content, `end` is after it. */
export interface Tag {
  readonly type: number;
  readonly at: number;
  readonly end: number;
}

/** Items in chests have NBT of their own, to any depth. */
const MOST_DEPTH = 512;
/** Bytes of tags of fixed size; 0: other tags. */
const SIZES = [0, 1, 2, 4, 8, 4, 8, 0, 0, 0, 0, 0, 0];

/**
 * An NBT document of the game's files, read in place: only requested values are made, so that no document takes more
 * memory than its bytes. The game ignores bytes after the root. All methods throw `Damage` when the bytes end too
 * early, or are no NBT.
 */
export class Tags {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Its name is skipped. */
  root(): Tag {
    const type = this.#within(1) && this.#bytes[0]!;
    if (type !== NBT.compound) throw new Damage(`NBT that begins with a tag ${type}`);
    return this.#tag(type, this.#behindText(1), MOST_DEPTH);
  }

  /** The entries of a compound with these names, in their order; of equal names the last counts. */
  members(compound: Tag, names: readonly string[]): (Tag | undefined)[] {
    const found: (Tag | undefined)[] = names.map(() => undefined);
    for (const { name, tag } of this.entries(compound)) {
      const place = names.indexOf(name);
      if (place >= 0) found[place] = tag;
    }
    return found;
  }

  *entries(compound: Tag): Generator<{ readonly name: string; readonly start: number; readonly tag: Tag }> {
    for (let at = compound.at; at < compound.end - 1; ) {
      const begin = this.#behindText(at + 1);
      const tag = this.#tag(this.#bytes[at]!, begin, MOST_DEPTH);
      yield { name: this.#bytes.toString("latin1", at + 3, begin), start: at, tag };
      at = tag.end;
    }
  }

  /** The items of a list of such tags; none of a list of other tags. */
  *items(list: Tag | undefined, type: number): Generator<Tag> {
    if (list?.type !== NBT.list || this.#bytes[list.at] !== type) return;
    for (let at = list.at + 5; at < list.end; ) {
      const tag = this.#tag(type, at, MOST_DEPTH);
      yield tag;
      at = tag.end;
    }
  }

  /** Null: it does not exist, or has another type. */
  number(tag: Tag | undefined): number | null {
    if (tag?.type === NBT.byte) return this.#bytes.readInt8(tag.at);
    if (tag?.type === NBT.short) return this.#bytes.readInt16BE(tag.at);
    return tag?.type === NBT.int ? this.#bytes.readInt32BE(tag.at) : null;
  }

  /** Null: it does not exist, or has another type. */
  text(tag: Tag | undefined): string | null {
    return tag?.type === NBT.string ? this.#bytes.toString("utf8", tag.at + 2, tag.end) : null;
  }

  /** The numbers of an array; null: it does not exist, or is no array of numbers. */
  ints(tag: Tag | undefined): Int32Array | null {
    if (tag?.type !== NBT.intArray) return null;
    return Int32Array.from({ length: (tag.end - tag.at - 4) / 4 }, (_, i) =>
      this.#bytes.readInt32BE(tag.at + 4 + 4 * i),
    );
  }

  /** Number of longs; null: it does not exist, or is no array of longs. */
  countOfLongs(tag: Tag | undefined): number | null {
    return tag?.type === NBT.longArray ? (tag.end - tag.at - 4) / 8 : null;
  }

  longs(tag: Tag): Longs {
    const words = new Uint32Array((tag.end - tag.at - 4) / 4);
    for (let i = 0; i < words.length; i++) words[i] = this.#bytes.readUInt32BE(tag.at + 4 + 4 * (i ^ 1));
    return words;
  }

  /** The document of a compound without these entries; its root has no name. */
  without(compound: Tag, names: readonly string[]): Uint8Array {
    const document = Buffer.alloc(1 + compound.end - compound.at);
    document[0] = NBT.compound;
    let end = 1;
    for (const { name, start, tag } of this.entries(compound))
      if (!names.includes(name)) end += this.#bytes.copy(document, end, start, tag.end);
    // the rest is zero, which is the tag that ends
    return document.subarray(0, end + 1);
  }

  #tag(type: number, at: number, depth: number): Tag {
    return { type, at, end: this.#behind(type, at, depth) };
  }

  #behind(type: number, at: number, depth: number): number {
    const size = SIZES[type];
    if (size === undefined || type === NBT.end) throw new Damage(`NBT with a tag ${type}`);
    if (size > 0) return this.#within(at + size);
    if (depth === 0) throw new Damage("NBT nested too deep");
    if (type === NBT.string) return this.#behindText(at);
    if (type === NBT.compound) return this.#behindCompound(at, depth);
    if (type === NBT.list) return this.#behindList(at, depth);
    const each = type === NBT.byteArray ? 1 : type === NBT.intArray ? 4 : 8;
    return this.#within(at + 4 + each * this.#countAt(at));
  }

  #behindCompound(start: number, depth: number): number {
    for (let at = start; ; ) {
      this.#within(at + 1);
      const type = this.#bytes[at]!;
      if (type === NBT.end) return at + 1;
      at = this.#behind(type, this.#behindText(at + 1), depth - 1);
    }
  }

  #behindList(start: number, depth: number): number {
    const [type, count] = [this.#bytes[start]!, this.#countAt(start + 1)];
    let at = start + 5;
    if (count === 0) return at;
    const size = SIZES[type] ?? 0;
    if (size > 0) return this.#within(at + size * count);
    for (let i = 0; i < count; i++) at = this.#behind(type, at, depth - 1);
    return at;
  }

  #behindText(at: number): number {
    return this.#within(at + 2) && this.#within(at + 2 + this.#bytes.readUInt16BE(at));
  }

  /** The game takes a negative count for zero. */
  #countAt(at: number): number {
    this.#within(at + 4);
    return Math.max(0, this.#bytes.readInt32BE(at));
  }

  /** Returns `end` if there are enough bytes. */
  #within(end: number): number {
    if (end > this.#bytes.length) throw new Damage(`NBT of ${this.#bytes.length} bytes that goes on until ${end}`);
    return end;
  }
}
