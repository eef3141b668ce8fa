import { checkFileName } from "../source/bundle.ts";
import { type CachedOptions, cached } from "../source/cached.ts";
import { coalesced } from "../source/coalesced.ts";
import type { ByteSink, SinkBundle } from "../sink/sink.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../source/source.ts";
import { memorySpool, type SpoolFactory } from "../source/spool.ts";
import { Spooled } from "../source/spooled.ts";
import { type Condition, type PutOptions, type Store, StoreError } from "./store.ts";
import { readableStoreSink } from "./store-sink.ts";

/** How a recording in a store is read and written. */
export interface StoreBundleOptions {
  /** For reading; default as `cached`. */
  readonly cache?: CachedOptions | undefined;
  /** Of every file written: `{ absent: true }` overwrites nothing. Default: none. */
  readonly condition?: Condition | undefined;
  /** Where content waits that is larger than 8 MiB; default: in memory up to 256 MiB. `fileSpool()` on Node. */
  readonly spool?: SpoolFactory | undefined;
}

/** The two sides of a recording in a store: what is there, and what is written. */
export interface StoreBundle {
  readonly source: SourceBundle;
  readonly sink: SinkBundle;
}

/** Bytes of a file kept in memory while it is written. */
const MEMORY = 8 * 1024 * 1024;

/** Bytes put at once. */
const PIECE = 1024 * 1024;

/**
 * The recording whose main file is under `key`, its other files beside it. What is read is cached and merged. What is
 * written is kept until it is closed, so that any of it may be overwritten until then, and put as a whole; what was
 * under the key stays until then. Throws `SourceError` with the `StoreError` as its cause.
 */
export function storeBundle(store: Store, key: string, options: StoreBundleOptions = {}): StoreBundle {
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  const main = key.slice(folder.length);
  const keyOf = (name: string): string => {
    checkFileName(name, `${store.name}/${folder}`);
    return folder + name;
  };
  return {
    source: { name: main, open: async (name = main) => opened(store, keyOf(name), name === main, options.cache) },
    sink: { name: main, open: async (name = main) => sinkTo(store, keyOf(name), options) },
  };
}

async function opened(
  store: Store,
  key: string,
  isMain: boolean,
  cache: CachedOptions | undefined,
): Promise<ByteSource | null> {
  const source = await asSource(store.source(key));
  if (source !== null) return cached(coalesced(source), cache);
  if (isMain) throw new SourceError("failed", `nothing there: ${store.name}/${key}`);
  return null;
}

function sinkTo(store: Store, key: string, options: StoreBundleOptions): ByteSink {
  const name = `${store.name}/${key}`;
  const content = new Spooled(MEMORY, options.spool ?? memorySpool(256 * 1024 * 1024, name));
  const { condition } = options;
  const put = { condition, idempotencyKey: condition === undefined ? undefined : crypto.randomUUID() };
  return readableStoreSink(name, {
    read: (offset, length) => content.read(offset, length),
    write: (offset, bytes) => content.write(offset, bytes),
    flush: async () => undefined,
    discard: () => content.close(),
    finish: async () => {
      if (content.length <= MEMORY) await asSource(store.put(key, await content.read(0, content.length), put));
      else await asSource(putInPieces(store, key, content, put));
      await content.close();
    },
  });
}

async function putInPieces(store: Store, key: string, content: Spooled, options: PutOptions): Promise<void> {
  const sink = await store.sink(key, options);
  try {
    for (let at = 0; at < content.length; at += PIECE)
      await sink.write(await content.read(at, Math.min(PIECE, content.length - at)));
    await sink.close();
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
}

/** What readers and writers of recordings expect to be thrown. */
async function asSource<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof StoreError) throw new SourceError("failed", cause.message, { cause });
    throw cause;
  }
}
