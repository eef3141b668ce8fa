import { memory } from "../../io/source/memory.ts";
import type { PutOptions, Store } from "../../io/store/store.ts";
import { META, PREVIOUS } from "./recording-folder.ts";

/** Etag of what is held; no store gives it. */
const HELD = "held";

interface HeldObject {
  readonly bytes: Uint8Array;
  /** Of the first put: what must be there still when it is released. */
  readonly options: PutOptions;
}

/**
 * A store for one recording whose metadata files do not change before `release()`: what is put under their names is held
 * in memory, and found there by who reads from here. Segments go to the store at once; `refuse()` takes them away again.
 */
export class HeldMetadata {
  readonly store: Store;
  readonly #to: Store;
  readonly #held = new Map<string, HeldObject>();
  readonly #segments: string[] = [];

  constructor(to: Store, id: string) {
    const held = this.#held;
    // the metadata file last: it names what the other files hold
    const names = [`${id}/${PREVIOUS}`, `${id}/${META}`];
    this.#to = to;
    this.store = {
      name: to.name,
      list: (prefix, signal) => to.list(prefix, signal),
      head: async (key, signal) => {
        const found = held.get(key);
        if (found === undefined) return to.head(key, signal);
        return { key, size: found.bytes.length, etag: HELD, modified: 0 };
      },
      get: async (key, signal) => {
        const found = held.get(key);
        return found === undefined ? to.get(key, signal) : { bytes: found.bytes, etag: HELD };
      },
      source: async (key, signal) => {
        const found = held.get(key);
        return found === undefined ? to.source(key, signal) : memory(found.bytes, `${to.name}/${key}`);
      },
      put: async (key, bytes, options = {}) => {
        if (!names.includes(key)) {
          const etag = await to.put(key, bytes, options);
          this.#segments.push(key);
          return etag;
        }
        held.set(key, { bytes, options: held.get(key)?.options ?? options });
        return HELD;
      },
      sink: (key, options) => to.sink(key, options),
      delete: (key, options) => to.delete(key, options),
    };
  }

  /** What is held takes its names. Throws `StoreError` as the store does: `conflict` when another came first. */
  async release(): Promise<void> {
    const metadata = [...this.#held].toSorted(([a], [b]) => Number(a.endsWith(META)) - Number(b.endsWith(META)));
    for (const [key, { bytes, options }] of metadata) await this.#to.put(key, bytes, options);
  }

  /** Everything is as it was. */
  async refuse(): Promise<void> {
    for (const key of this.#segments) await this.#to.delete(key);
  }
}
