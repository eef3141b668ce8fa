import { memory } from "../source/memory.ts";
import { type ByteSink, MemoryFiles } from "../sink/sink.ts";
import type { ByteSource } from "../source/source.ts";
import type { PutOptions, Store, StoreEntry } from "./store.ts";
import { checkKey, checkPrefix, checkPut, conflict, holds, overQuota } from "./store-key.ts";
import { storeSink } from "./store-sink.ts";

/** How much a store takes. */
export interface QuotaOptions {
  /** Bytes of all objects together; a change that would lead beyond it is refused as `full`. Default: no limit. */
  readonly quota?: number | undefined;
}

/** Objects in memory: for tests and demonstrations, and gone with the process. */
export function memoryStore(options: QuotaOptions = {}): Store {
  return new MemoryStore(options.quota ?? Number.POSITIVE_INFINITY);
}

interface Stored extends StoreEntry {
  readonly bytes: Uint8Array;
  readonly idempotencyKey: string | undefined;
}

class MemoryStore implements Store {
  readonly name = "memory";
  readonly #objects = new Map<string, Stored>();
  readonly #quota: number;
  #bytes = 0;
  #changes = 0;

  constructor(quota: number) {
    this.#quota = quota;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoreEntry> {
    checkPrefix(prefix, this.name);
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) {
      signal?.throwIfAborted();
      const found = this.#objects.get(key);
      if (found !== undefined) yield entryOf(found);
    }
  }

  async head(key: string, signal?: AbortSignal): Promise<StoreEntry | null> {
    const found = this.#find(key, signal);
    return found === null ? null : entryOf(found);
  }

  async get(key: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; etag: string } | null> {
    const found = this.#find(key, signal);
    return found === null ? null : { bytes: found.bytes, etag: found.etag };
  }

  async source(key: string, signal?: AbortSignal): Promise<ByteSource | null> {
    const found = this.#find(key, signal);
    return found === null ? null : memory(found.bytes, `${this.name}/${key}`);
  }

  async put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    checkPut(key, options, this.name);
    return this.#put(key, bytes.slice(), options);
  }

  async sink(key: string, options: PutOptions = {}): Promise<ByteSink> {
    checkPut(key, options, this.name);
    const files = new MemoryFiles(`${this.name}/${key}`);
    const content = await files.open();
    const write = (offset: number, bytes: Uint8Array): Promise<void> =>
      offset === content.position ? content.write(bytes) : content.writeAt(offset, bytes);
    const finish = async (): Promise<void> => {
      await content.close();
      this.#put(key, files.bytes, options);
    };
    const work = { write, finish, flush: () => content.flush(), discard: () => content.abort() };
    return storeSink(files.name, work, options.signal);
  }

  async delete(
    key: string,
    { condition, signal }: { readonly condition?: PutOptions["condition"]; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const found = this.#find(key, signal);
    if (condition !== undefined && !holds(condition, found)) throw conflict(key, condition, found, this.name);
    this.#objects.delete(key);
    this.#bytes -= found?.size ?? 0;
  }

  #find(key: string, signal: AbortSignal | undefined): Stored | null {
    checkKey(key, this.name);
    signal?.throwIfAborted();
    return this.#objects.get(key) ?? null;
  }

  /** Without a wait inside, so that nothing comes between looking and putting. */
  #put(key: string, bytes: Uint8Array, { condition, idempotencyKey }: PutOptions): string {
    const found = this.#objects.get(key) ?? null;
    if (condition !== undefined && !holds(condition, found)) {
      if (found !== null && idempotencyKey !== undefined && found.idempotencyKey === idempotencyKey) return found.etag;
      throw conflict(key, condition, found, this.name);
    }
    const total = this.#bytes - (found?.size ?? 0) + bytes.length;
    if (total > this.#quota) throw overQuota(key, this.#quota, this.name);
    const etag = `${++this.#changes}`;
    this.#objects.set(key, { key, bytes, size: bytes.length, etag, modified: Date.now(), idempotencyKey });
    this.#bytes = total;
    return etag;
  }
}

function entryOf({ key, size, etag, modified }: Stored): StoreEntry {
  return { key, size, etag, modified };
}
