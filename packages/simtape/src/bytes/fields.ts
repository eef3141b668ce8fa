import { ByteCursor } from "./cursor.ts";
import { LayoutError } from "./error.ts";

/**
 * What a field is for: `frame` holds the format's own framing (types, lengths, counts, keys), `value` says something,
 * `payload` is content that is opaque here (compressed, or of another format), `unknown` cannot be read.
 */
export type FieldRole = "frame" | "value" | "payload" | "unknown";

/** A part of a record, or of a message, that means something. */
export interface Field {
  /** The way to it, as to a member of the decoded value where there is one: `[3].location.x`. */
  readonly name: string;
  /** Bytes `[start, end)`; never empty. */
  readonly start: number;
  readonly end: number;
  readonly role: FieldRole;
  /** What the bytes say; the bytes themselves where they say nothing more. Arrays of numbers are typed arrays. */
  readonly value: unknown;
  /** A unit, or what a number stands for. */
  readonly note: string | null;
}

/** Name of fields with the role `unknown`. */
export const NOT_UNDERSTOOD = "not understood";
/** Name of the field behind as many as were asked for. */
export const MORE_FIELDS = "more fields";

/**
 * The fields that `read` names in `bytes`: ascending, and together all of them. What it leaves, or cannot read, is not
 * understood. `most` fields are made; then one for all the rest.
 */
export function fieldsIn(
  bytes: Uint8Array,
  read: (fields: Fields) => void,
  most: number = Number.POSITIVE_INFINITY,
): readonly Field[] {
  const fields = new Fields(bytes, most);
  try {
    fields.within(bytes.length, () => read(fields));
  } catch (error) {
    if (!(error instanceof Full)) throw error;
    fields.rest();
  }
  return fields.list;
}

/** Goes over bytes from their beginning and names what it passes. Throws `LayoutError` as the readers do. */
export class Fields {
  readonly list: Field[] = [];
  /** Null when what was read last had no bytes. */
  #last: { note: string | null } | null = null;
  #cursor: ByteCursor;
  #role: FieldRole = "frame";
  /** Place behind the last field. */
  #named = 0;
  readonly #most: number;

  constructor(bytes: Uint8Array, most: number) {
    this.#cursor = new ByteCursor(bytes);
    this.#most = most;
  }

  /** Reading with it passes bytes by without a name; `read` names them. */
  get cursor(): ByteCursor {
    return this.#cursor;
  }

  /** Bytes left, in the part that is being read. */
  get left(): number {
    return this.#cursor.remaining;
  }

  /** Names what `read` passes, and gives what it says. */
  read<T>(name: string, read: (cursor: ByteCursor) => T, note: string | null = null): T {
    const start = this.#cursor.position;
    const value = read(this.#cursor);
    this.#add(name, start, this.#cursor.position, this.#role, value, note);
    return value;
  }

  /** Names the next `length` bytes, which are shown as they are. */
  bytes(name: string, length: number, note: string | null = null): Uint8Array {
    return this.read(name, (cursor) => cursor.view(length), note);
  }

  /** Adds to what was read last, unless that had no bytes. */
  note(text: string | null): void {
    if (this.#last !== null && text !== null) this.#last.note = text;
  }

  /** What `work` names has that role. */
  as<T>(role: FieldRole, work: () => T): T {
    const before = this.#role;
    this.#role = role;
    try {
      return work();
    } finally {
      this.#role = before;
    }
  }

  /**
   * Reads the next `length` bytes by themselves: what `work` leaves, or cannot read, is not understood; then it goes
   * on.
   */
  within(length: number, work: () => void): void {
    const outer = this.#cursor;
    const role = this.#role;
    const start = outer.position;
    outer.skip(length);
    this.#cursor = new ByteCursor(outer.bytes, start, outer.position);
    let why: string | null = null;
    try {
      work();
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      why = error.message;
    } finally {
      this.#cursor = outer;
      this.#role = role;
    }
    if (this.#named < outer.position) this.unknown(outer.position, why);
  }

  /** What is left of the part that is being read is not understood. */
  unknown(end: number = this.#cursor.end, why: string | null = null): void {
    const { bytes } = this.#cursor;
    const start = this.#named;
    if (end > this.#cursor.position) this.#cursor.seek(end);
    this.#add(NOT_UNDERSTOOD, start, end, "unknown", bytes.subarray(start, end), why);
  }

  /** One field for all bytes behind the last. */
  rest(): void {
    const { bytes } = this.#cursor;
    const [start, end] = [this.#named, bytes.length];
    if (start === end) return;
    const note = `more than ${this.list.length} are not shown`;
    this.list.push({ name: MORE_FIELDS, start, end, role: "payload", value: bytes.subarray(start), note });
  }

  #add(name: string, start: number, end: number, role: FieldRole, value: unknown, note: string | null): void {
    this.#last = null;
    if (end === start) return;
    if (this.list.length >= this.#most) throw new Full();
    const field = { name, start, end, role, value, note };
    this.list.push(field);
    this.#last = field;
    this.#named = end;
  }
}

/** As many fields as were asked for. */
class Full extends Error {}
