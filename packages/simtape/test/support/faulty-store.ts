import {
  type ByteSink,
  type ByteSource,
  type PutOptions,
  type Store,
  type StoreEntry,
  StoreError,
} from "../../src/index.ts";

/**
 * `before`: the operation is not done, the server fails (500). `after`: it is done, and the answer is lost. `delay`: it
 * takes its time. A conflict is never made up.
 */
export type FaultKind = "before" | "after" | "delay";

export interface Faults {
  readonly seed: number;
  /** Of all operations, from 0 to 1. */
  readonly rate: number;
  /** Default: all. */
  readonly kinds?: readonly FaultKind[];
}

/** A store that fails now and then. */
export interface FaultyStore extends Store {
  /** May be changed at any time: 0 ends the trouble. */
  rate: number;
  /** What went wrong so far: `"after put runs/a"`. */
  readonly faults: readonly string[];
}

/** `store`, failing as `unavailable`, the same for the same seed and the same order of operations. */
export function faulty(store: Store, { seed, rate, kinds = ["before", "after", "delay"] }: Faults): FaultyStore {
  const faults: string[] = [];
  const random = randomOf(seed);

  const doing = async <T>(what: string, key: string | null, work: () => Promise<T>): Promise<T> => {
    const isFault = random() < faultyStore.rate;
    const kind = kinds[Math.floor(random() * kinds.length)];
    const turns = Math.floor(random() * 10);
    if (!isFault || kind === undefined) return work();
    faults.push(`${kind} ${what} ${key ?? ""}`.trim());
    const lost = (how: string): StoreError =>
      new StoreError("unavailable", `${how} (injected): ${what} ${key ?? ""} in ${store.name}`, key);
    if (kind === "before") throw lost("the server fails (500)");
    for (let i = 0; kind === "delay" && i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    const result = await work();
    if (kind === "after") throw lost("no answer in time");
    return result;
  };

  const faultyStore: FaultyStore = {
    name: store.name,
    rate,
    faults,
    async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoreEntry> {
      await doing("list", null, async () => undefined);
      yield* store.list(prefix, signal);
    },
    head: (key, signal) => doing("head", key, () => store.head(key, signal)),
    get: (key, signal) => doing("get", key, () => store.get(key, signal)),
    source: (key, signal) => doing("source", key, (): Promise<ByteSource | null> => store.source(key, signal)),
    put: (key, bytes, options) => doing("put", key, () => store.put(key, bytes, options)),
    delete: (key, options) => doing("delete", key, () => store.delete(key, options)),
    sink: (key: string, options?: PutOptions) =>
      doing("sink", key, async () => {
        const sink = await store.sink(key, options);
        return {
          name: sink.name,
          get position(): number {
            return sink.position;
          },
          write: (bytes) => doing("write", key, () => sink.write(bytes)),
          writeAt: (offset, bytes) => doing("writeAt", key, () => sink.writeAt(offset, bytes)),
          flush: () => doing("flush", key, () => sink.flush()),
          close: () => doing("close", key, () => sink.close()),
          abort: () => sink.abort(),
        } satisfies ByteSink;
      }),
  };
  return faultyStore;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
