import { LayoutError } from "../../../bytes/error.ts";

/** Memory that the values of one message may take, about. */
const ROOM = 64 << 20;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the parts of a FlatBuffer (FlatBuffers: "Internals"). Places are checked before they are read, and what lists
 * and objects take is counted: several places may share one object, so that a small payload could say much.
 */
export class FlatBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  #room = ROOM;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** `at`, when `size` bytes are there. */
  at(at: number, size: number): number {
    if (at >= 0 && size <= this.bytes.length - at) return at;
    throw new LayoutError("truncated", `a FlatBuffer speaks of ${size} bytes at ${at}`, Math.max(0, at));
  }

  u8(at: number): number {
    return this.view.getUint8(this.at(at, 1));
  }

  u16(at: number): number {
    return this.view.getUint16(this.at(at, 2), true);
  }

  u32(at: number): number {
    return this.view.getUint32(this.at(at, 4), true);
  }

  /** The place that the word at `at` speaks of. */
  target(at: number): number {
    return this.at(at + this.u32(at), 4);
  }

  /** The place of a member of a table; 0: it is absent. `slot` is its place in the list of members. */
  member(table: number, slot: number): number {
    const list = this.at(table - this.view.getInt32(this.at(table, 4), true), 4);
    const offset = slot + 2 <= this.u16(list) ? this.u16(list + slot) : 0;
    return offset === 0 ? 0 : this.at(table + offset, 1);
  }

  /** Items of a list, each of so many bytes. */
  length(list: number, size: number): number {
    const length = this.u32(list);
    this.at(list + 4, length * size);
    return length;
  }

  text(at: number): string {
    const length = this.length(at, 1);
    try {
      return UTF8.decode(this.bytes.subarray(at + 4, at + 4 + length));
    } catch {
      throw new LayoutError("malformed", "text of a FlatBuffer that is not UTF-8", at);
    }
  }

  /** Asked before values are made: `bytes` is the memory that they will take, about. */
  claim(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw new LayoutError("malformed", "more values than one message may have", 0);
  }
}
