import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** Most folders that are watched: each takes a resource of the system. */
const MOST = 4000;

/** Watches the folders that were listed for changes. This is only a hint: some storage reports no changes. */
export class FolderWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #heard = new Set<() => void>();

  constructor(root: string) {
    this.#root = root;
  }

  begin(changed: () => void): () => void {
    this.#heard.add(changed);
    return () => {
      this.#heard.delete(changed);
      if (this.#heard.size === 0) this.follow(new Set());
    };
  }

  /** Watches these folders and no others; has no effect while there is no listener. */
  follow(folders: ReadonlySet<string>): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    if (this.#heard.size === 0) return;
    for (const folder of folders) {
      if (this.#watchers.size >= MOST) return;
      if (!this.#watchers.has(folder)) this.#add(folder);
    }
  }

  #add(folder: string): void {
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, (_, name) => {
        // the server's own files, and unfinished files
        if (name?.startsWith(".") === true) return;
        for (const changed of this.#heard) changed();
      });
      watcher.on("error", () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // the folder was deleted, or the system has no more watches
    }
  }
}
