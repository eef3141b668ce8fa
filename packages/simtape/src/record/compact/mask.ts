import { ByteCursor } from "../../bytes/cursor.ts";
import { NBT, type NbtCompound, type NbtTag, type NbtText, nbtText } from "../../codec/nbt.ts";
import { readEventId, readSections, readTickHead, SECTION } from "../../formats/hcrp/layout/chunk.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";
import { readVarInt, uuidBytes, uuidText } from "../../formats/hcrp/layout/framing.ts";

/** Who is to be unknown: names and UUIDs. */
export interface MaskedSubject {
  readonly names: readonly string[];
  readonly uuids: readonly string[];
}

/** What stands for a letter of a name. */
const STAR = 0x2a;
const UTF8 = new TextEncoder();

interface Pattern {
  readonly bytes: Uint8Array;
  readonly by: Uint8Array;
}

/**
 * Lays others over names and UUIDs, of the same length, so that nothing else of a recording moves: a name becomes
 * asterisks, a UUID one that is made up. Names of others that hold one of the names stay. Large and small letters are
 * the same.
 */
export class Mask {
  readonly #binary: readonly Pattern[];
  readonly #texts: readonly Pattern[];
  readonly #spared: readonly Uint8Array[];
  readonly #made: ReadonlyMap<string, string>;

  /** `others`: names that are known of others. */
  constructor({ names, uuids }: MaskedSubject, others: readonly string[]) {
    this.#made = new Map(uuids.map((uuid) => [uuidText(uuidBytes(uuid)), crypto.randomUUID()]));
    const made = [...this.#made];
    this.#binary = made.map(([uuid, by]) => ({ bytes: uuidBytes(uuid), by: uuidBytes(by) }));
    const written = made.flatMap(([uuid, by]) => [
      [uuid, by] as const,
      [uuid.replaceAll("-", ""), by.replaceAll("-", "")] as const,
    ]);
    const called = names.filter((name) => name !== "").map((name) => [name, starsFor(name)] as const);
    this.#texts = [...written, ...called].map(([text, by]) => ({
      bytes: lower(UTF8.encode(text)),
      by: UTF8.encode(by),
    }));
    const isNamed = (other: string): boolean => names.some((name) => name.toLowerCase() === other.toLowerCase());
    this.#spared = others.filter((other) => other !== "" && !isNamed(other)).map((other) => lower(UTF8.encode(other)));
  }

  /** Lays over what is in an inflated chunk, in its own bytes. Throws `LayoutError` for one that is not sound. */
  chunk(raw: Uint8Array, hasSnapshot: boolean): void {
    for (const pattern of this.#binary) replace(raw, raw, pattern, []);
    const cursor = new ByteCursor(raw);
    if (hasSnapshot) {
      for (const { type, body } of readSections(new ByteCursor(cursor.view(readVarInt(cursor)))))
        if (type !== SECTION.entities && type !== SECTION.blocks) this.#text(body);
    }
    while (cursor.remaining > 0) {
      const { count } = readTickHead(cursor);
      for (let i = 0; i < count; i++) {
        const type = readEventId(cursor);
        const start = cursor.position;
        if (type >= FIRST_SIZED) cursor.skip(readVarInt(cursor));
        else skipEvent(cursor, type);
        if (type >= FIRST_SIZED || type === EVENT.paletteAdd || type === EVENT.metadata)
          this.#text(raw.subarray(start, cursor.position));
      }
    }
  }

  /** The same in metadata; the very tag where nothing is of it. */
  tag<T extends NbtTag>(tag: T): T {
    return this.#tag(tag) as T;
  }

  #tag(tag: NbtTag): NbtTag {
    switch (tag.type) {
      case NBT.string:
        return this.#said(tag);
      case NBT.byteArray: {
        const value = tag.value.slice();
        for (const pattern of this.#binary) replace(value, value, pattern, []);
        return this.#text(value) || value.some((byte, i) => byte !== tag.value[i]) ? { ...tag, value } : tag;
      }
      case NBT.intArray: {
        if (tag.value.length !== 4) return tag;
        const bytes = new DataView(new ArrayBuffer(16));
        for (const [i, part] of tag.value.entries()) bytes.setInt32(4 * i, part);
        const by = this.#made.get(uuidText(new Uint8Array(bytes.buffer)));
        if (by === undefined) return tag;
        const view = new DataView(uuidBytes(by).buffer);
        return { ...tag, value: Int32Array.from({ length: 4 }, (_, i) => view.getInt32(4 * i)) };
      }
      case NBT.list: {
        const items = tag.items.map((item) => this.#tag(item));
        return items.every((item, i) => item === tag.items[i]) ? tag : { ...tag, items };
      }
      case NBT.compound: {
        const entries = tag.entries.map((entry) => {
          const [name, inner] = [this.#said(entry.name), this.#tag(entry.tag)];
          return name === entry.name && inner === entry.tag ? entry : { name, tag: inner };
        });
        return entries.every((entry, i) => entry === tag.entries[i]) ? tag : ({ ...tag, entries } as NbtCompound);
      }
      default:
        return tag;
    }
  }

  #said(text: NbtText): NbtText {
    const bytes = UTF8.encode(text.value);
    return this.#text(bytes) ? nbtText(new TextDecoder().decode(bytes)) : text;
  }

  /** True: something was there. */
  #text(bytes: Uint8Array): boolean {
    const folded = lower(bytes);
    let isFound = false;
    for (const pattern of this.#texts) if (replace(bytes, folded, pattern, this.#spared)) isFound = true;
    return isFound;
  }
}

/** As many bytes. */
function starsFor(name: string): string {
  return String.fromCharCode(STAR).repeat(UTF8.encode(name).length);
}

function replace(into: Uint8Array, folded: Uint8Array, { bytes, by }: Pattern, spared: readonly Uint8Array[]): boolean {
  let isFound = false;
  for (let at = folded.indexOf(bytes[0]!); at >= 0; at = folded.indexOf(bytes[0]!, at + 1)) {
    if (!isAt(folded, at, bytes) || spared.some((other) => isWithin(folded, at, bytes, other))) continue;
    into.set(by, at);
    folded.set(by, at);
    isFound = true;
  }
  return isFound;
}

function isAt(all: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at < 0 || at + wanted.length > all.length) return false;
  for (let i = 0; i < wanted.length; i++) if (all[at + i] !== wanted[i]) return false;
  return true;
}

/** Whether what was found at `at` is only a part of another name. */
function isWithin(all: Uint8Array, at: number, found: Uint8Array, other: Uint8Array): boolean {
  for (let before = 0; before + found.length <= other.length; before++)
    if (isAt(other, before, found) && isAt(all, at - before, other)) return true;
  return false;
}

/** Large letters of ASCII as small ones; a copy. */
function lower(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
}
