import { memoryStore, type Store } from "../../src/index.ts";
import type { JournalFile } from "../../src/record/live/journal.ts";

export class MemoryJournal implements JournalFile {
  bytes: Uint8Array | null = null;

  async replace(bytes: Uint8Array): Promise<void> {
    this.bytes = bytes.slice();
  }

  async append(bytes: Uint8Array): Promise<void> {
    const before = this.bytes ?? new Uint8Array(0);
    this.bytes = new Uint8Array(before.length + bytes.length);
    this.bytes.set(before);
    this.bytes.set(bytes, before.length);
  }

  async read(): Promise<Uint8Array | null> {
    return this.bytes;
  }

  async remove(): Promise<void> {
    this.bytes = null;
  }
}

/** What is in a store at this moment, in another. */
export async function copied(store: Store): Promise<Store> {
  const copy = memoryStore();
  for await (const { key } of store.list("")) await copy.put(key, (await store.get(key))!.bytes);
  return copy;
}
