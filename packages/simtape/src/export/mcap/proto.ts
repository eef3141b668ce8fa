import type { Clock } from "./clock.ts";
import type { Time } from "../../model/values/time.ts";

const UTF8 = new TextEncoder();
/** Wire types (Protocol Buffers, "Encoding"). */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
/** Bytes of a double field whose number is below 16: its tag and the double. */
const DOUBLE = 9;
/** Bytes of `Vector3`, of `Quaternion` and `Color`, and of a `Pose` of both with tags and lengths. */
const THREE = 3 * DOUBLE;
const FOUR = 4 * DOUBLE;
const POSE = 2 + THREE + 2 + FOUR;

/**
 * Builds one protobuf message after the other in the same memory. Field numbers are below 16, as all are here, so that a
 * tag is one byte. Nothing is allocated for a field.
 */
export class ProtoBuilder {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** Where the content of each message that is open begins. */
  readonly #open: number[] = [];

  /** A number of 64 bits; 0 is written, too. */
  double(field: number, value: number): void {
    const at = this.#room(DOUBLE);
    this.#bytes[at] = (field << 3) | FIXED64;
    this.#view.setFloat64(at + 1, value, true);
  }

  fixed32(field: number, value: number): void {
    const at = this.#room(5);
    this.#bytes[at] = (field << 3) | FIXED32;
    this.#view.setUint32(at + 1, value, true);
  }

  /** A whole number from 0 to 2^53, of any integer type but zigzag ones; an enum's, and a boolean's. */
  varint(field: number, value: number): void {
    const at = this.#room(1);
    this.#bytes[at] = (field << 3) | VARINT;
    this.#varint(value);
  }

  text(field: number, text: string): void {
    const at = this.#room(2 + 3 * text.length);
    const bytes = this.#bytes;
    bytes[at] = (field << 3) | LENGTH;
    let to = at + 2;
    let i = 0;
    // short ASCII is quicker by hand
    if (text.length < 128) {
      for (; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        bytes[to++] = code;
      }
    }
    if (i === text.length) {
      bytes[at + 1] = text.length;
      this.#length = to;
      return;
    }
    this.#length = at + 1;
    this.raw(null, UTF8.encode(text));
  }

  /** Bytes; null: the tag is there. */
  raw(field: number | null, content: Uint8Array): void {
    if (field !== null) this.#bytes[this.#room(1)] = (field << 3) | LENGTH;
    this.#varint(content.length);
    const at = this.#room(content.length);
    this.#bytes.set(content, at);
  }

  /** Begins a message, or packed numbers, within this one. */
  begin(field: number): void {
    const at = this.#room(1);
    this.#bytes[at] = (field << 3) | LENGTH;
    this.#open.push(at + 1);
  }

  /** Ends what was begun last. */
  end(): void {
    const start = this.#open.pop()!;
    const length = this.#length - start;
    let size = 1;
    for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#room(8);
    this.#bytes.copyWithin(start + size, start, start + length);
    this.#length = start;
    this.#varint(length);
    this.#length += length;
  }

  /** A number among packed ones. */
  packedDouble(value: number): void {
    const at = this.#room(8);
    this.#view.setFloat64(at, value, true);
  }

  packedFloat(value: number): void {
    const at = this.#room(4);
    this.#view.setFloat32(at, value, true);
  }

  packedByte(value: number): void {
    this.#bytes[this.#room(1)] = value;
  }

  /** `google.protobuf.Timestamp`. */
  time(field: number, clock: Clock, time: Time): void {
    clock.split(time);
    this.begin(field);
    this.varint(1, clock.second);
    this.varint(2, clock.nano);
    this.end();
  }

  /** `foxglove.Vector3`. */
  vector(field: number, x: number, y: number, z: number): void {
    this.#bytes[this.#room(1)] = (field << 3) | LENGTH;
    this.#bytes[this.#room(1)] = THREE;
    this.double(1, x);
    this.double(2, y);
    this.double(3, z);
  }

  /** `foxglove.Quaternion`: x, y, z, w; `foxglove.Color`: red, green, blue, alpha from 0 to 1. */
  four(field: number, a: number, b: number, c: number, d: number): void {
    this.#bytes[this.#room(1)] = (field << 3) | LENGTH;
    this.#bytes[this.#room(1)] = FOUR;
    this.double(1, a);
    this.double(2, b);
    this.double(3, c);
    this.double(4, d);
  }

  /** `foxglove.Pose`, of 7 numbers from `at` on: position, then quaternion. */
  pose(field: number, cells: Float64Array, at: number): void {
    this.#bytes[this.#room(1)] = (field << 3) | LENGTH;
    this.#bytes[this.#room(1)] = POSE;
    this.vector(1, cells[at]!, cells[at + 1]!, cells[at + 2]!);
    this.four(2, cells[at + 3]!, cells[at + 4]!, cells[at + 5]!, cells[at + 6]!);
  }

  /** A pose that is not turned. */
  upright(field: number, x: number, y: number, z: number): void {
    this.#bytes[this.#room(1)] = (field << 3) | LENGTH;
    this.#bytes[this.#room(1)] = POSE;
    this.vector(1, x, y, z);
    this.four(2, 0, 0, 0, 1);
  }

  /** The message, until the next one is begun. */
  lend(): Uint8Array {
    const message = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return message;
  }

  #varint(value: number): void {
    let rest = value;
    let at = this.#room(8);
    const bytes = this.#bytes;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
    bytes[at++] = rest;
    this.#length = at;
  }

  #room(more: number): number {
    const at = this.#length;
    const need = at + more;
    // a text may need less than it was given room for
    this.#length = need;
    if (need > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(need, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}
