import { basename, dirname, join } from "node:path";
import { directoryStore } from "../../../io/node/directory-store.ts";
import { journalFile } from "../../../io/node/journal-file.ts";
import { memoryStore } from "../../../io/store/memory-store.ts";
import type { SourceBundle } from "../../../io/source/source.ts";
import type { Store, StoreEntry } from "../../../io/store/store.ts";
import { storeBundle } from "../../../io/store/store-bundle.ts";
import { JOURNAL } from "../../../record/live/recording-folder.ts";
import { recover } from "../../../record/live/recover.ts";

/**
 * The recording in a local folder with what its recorder has mirrored and not committed yet, as recovery would have it;
 * nothing on disk changes. Null: there is no journal. Rejects when a commit came between two reads.
 */
export async function withUncommitted(folder: string, budget: number | undefined): Promise<SourceBundle | null> {
  const content = await journalFile(join(folder, JOURNAL)).read();
  if (content === null) return null;
  const id = basename(folder);
  const store = above(directoryStore(dirname(folder)), memoryStore());
  const nothing = async (): Promise<void> => undefined;
  const journal = { read: async () => content, replace: nothing, append: nothing, remove: nothing };
  await recover(store, id, { journal, budget });
  return storeBundle(store, `${id}/meta.hcrp`).source;
}

/** What is put goes into `own`; everything else is read from `base`. */
function above(base: Store, own: Store): Store {
  return {
    name: base.name,
    list: async function* (prefix, signal) {
      const entries = new Map<string, StoreEntry>();
      for (const store of [base, own])
        for await (const entry of store.list(prefix, signal)) entries.set(entry.key, entry);
      yield* [...entries.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
    },
    head: async (key, signal) => (await own.head(key, signal)) ?? base.head(key, signal),
    get: async (key, signal) => (await own.get(key, signal)) ?? base.get(key, signal),
    source: async (key, signal) => (await own.source(key, signal)) ?? base.source(key, signal),
    // no other program puts into this one
    put: (key, bytes) => own.put(key, bytes),
    sink: (key) => own.sink(key),
    delete: (key) => own.delete(key),
  };
}
