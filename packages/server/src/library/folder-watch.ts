import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** Folders that are watched: each takes something of the system. */
const MOST = 4000;

/** Hears of changes in folders that were looked into. A hint only: some media tell nothing. */
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

  /** These folders, and no others; without effect while nothing is to be heard. */
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
        // what the server keeps for itself, and files that are not finished
        if (name?.startsWith(".") === true) return;
        for (const changed of this.#heard) changed();
      });
      watcher.on("error", () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // it went, or the system has no more of them
    }
  }
}
