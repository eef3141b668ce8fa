import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type Dialect, readEventAdd, readEventDel } from "../layout/layout.ts";

/** Records of dead actors are dropped when they are more than those of live ones, and this many more. */
const MOST_DEAD = 1024;

/** The event-add record of every live actor, one behind the other: a million of them take little more than their bytes. */
export class ActorRecords {
  readonly #dialect: Dialect;
  #bytes = new ByteBuilder();
  /** Where each record ends, also those of dead actors. */
  #ends: number[] = [];
  /** The number of the record of each live actor, in the order in which they were added first. */
  #records = new Map<number, number>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Bytes of all records. */
  get byteLength(): number {
    return this.#bytes.length;
  }

  get ids(): Iterable<number> {
    return this.#records.keys();
  }

  has(id: number): boolean {
    return this.#records.has(id);
  }

  /** A copy of the record of actor `id`. */
  get(id: number): Uint8Array | undefined {
    const record = this.#records.get(id);
    return record === undefined ? undefined : this.#copy(record);
  }

  /** Takes in a packet of kind event-add, as far as it can be read. */
  add(payload: Uint8Array): void {
    const cursor = new ByteCursor(payload);
    try {
      for (let left = cursor.u16le(); left > 0; left--) {
        const begin = cursor.position;
        const { id } = readEventAdd(cursor, this.#dialect);
        this.#put(id, payload.subarray(begin, cursor.position));
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
    if (this.#ends.length > 2 * this.#records.size + MOST_DEAD) this.#dropDead();
  }

  /** Takes out the actors of a packet of kind event-del. */
  remove(payload: Uint8Array): void {
    const cursor = new ByteCursor(payload);
    for (let left = cursor.u16le(); left > 0 && cursor.remaining >= 4; left--)
      this.#records.delete(readEventDel(cursor));
  }

  #put(id: number, bytes: Uint8Array): void {
    this.#records.set(id, this.#ends.length);
    this.#bytes.raw(bytes);
    this.#ends.push(this.#bytes.length);
  }

  #copy(record: number): Uint8Array {
    return this.#bytes.copy(record === 0 ? 0 : this.#ends[record - 1], this.#ends[record]);
  }

  #dropDead(): void {
    const live = new ActorRecords(this.#dialect);
    for (const [id, record] of this.#records) live.#put(id, this.#copy(record));
    this.#bytes = live.#bytes;
    this.#ends = live.#ends;
    this.#records = live.#records;
  }
}
