import { ByteBuilder } from "../../bytes/builder.ts";
import { type MessagePackValue, writeMessagePack } from "../../codec/messagepack.ts";
import { COUNTS, FRAME_INDEX } from "../../formats/nanover/layout/layout.ts";
import { type Entry, frameOf, valueIn } from "../../formats/nanover/write/entries.ts";

/** Entries that are longer are kept as a part of the message they came in; shorter ones are copied out of it. */
const SHORT = 1024;

/**
 * What a server has said so far, key by key: the newest value of each as it is encoded. The same class has the frame
 * and the shared state.
 */
export class Said {
  readonly #entries = new Map<string, Uint8Array>();
  /** Bytes of all entries. */
  bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  get(key: string): Uint8Array | undefined {
    return this.#entries.get(key);
  }

  /** The entries of these keys, as far as they are there. */
  entriesOf(keys: Iterable<string>): Uint8Array[] {
    const found: Uint8Array[] = [];
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  /** `entry.bytes` must not change later. */
  put({ key, bytes }: Entry): void {
    this.delete(key);
    this.#entries.set(key, bytes.length < SHORT ? bytes.slice() : bytes);
    this.bytes += bytes.length;
  }

  delete(key: string): boolean {
    this.bytes -= this.#entries.get(key)?.length ?? 0;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.bytes = 0;
  }
}

/** One key with a value, encoded. */
export function entryOf(key: string, value: MessagePackValue): Entry {
  const builder = new ByteBuilder();
  writeMessagePack(builder, key);
  writeMessagePack(builder, value);
  return { key, bytes: builder.take() };
}

/** A frame message of entries, with its index. */
export function frameMessage(entries: readonly Uint8Array[], index: number): Uint8Array {
  return frameOf(entries, entryOf(FRAME_INDEX, index).bytes, "zip");
}

/**
 * The key with nothing in it, for clients that merge for ever (NanoVer semantics §5.4, 3): arrays become empty, counts 0. Null
 * where there is no such value, as of a number.
 */
export function emptied(key: string, entry: Uint8Array): Entry | null {
  if (COUNTS.has(key)) return entryOf(key, 0);
  const mark = valueIn(entry)[0]!;
  if (mark >= 0xc4 && mark <= 0xc6) return entryOf(key, new Uint8Array(0));
  if ((mark >= 0x90 && mark <= 0x9f) || mark === 0xdc || mark === 0xdd) return entryOf(key, []);
  return null;
}
