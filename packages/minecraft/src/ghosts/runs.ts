import { stat } from "node:fs/promises";
import { fromFile } from "simtape/node";
import { type Run, runOf } from "simtape/retention";
import { type Stored, storedIn } from "../stored/recordings.ts";

/** A completed run of a map. */
export interface StoredRun {
  readonly stored: Stored;
  readonly run: Run;
}

interface Known {
  readonly version: string;
  /** Null: the recording is no run. */
  readonly run: Run | null;
}

/** The completed runs of a store. Unchanged recordings are not read again. */
export class Runs {
  readonly #store: string;
  #known = new Map<string, Known>();
  #looking: Promise<void> = Promise.resolve();

  constructor(store: string) {
    this.#store = store;
  }

  /** The runs of a map, the fastest first. Rejects when the store cannot be read. */
  async of(map: string): Promise<readonly StoredRun[]> {
    const stored = await storedIn(this.#store);
    // one after the other, so that each uses what the previous one has read
    this.#looking = this.#looking.then(() => this.#look(stored));
    await this.#looking;
    return stored
      .flatMap((one) => {
        const run = this.#known.get(one.path)?.run ?? null;
        return run?.map === map ? [{ stored: one, run }] : [];
      })
      .sort((a, b) => a.run.durationMs - b.run.durationMs);
  }

  async #look(stored: readonly Stored[]): Promise<void> {
    const known = new Map<string, Known>();
    for (const { path } of stored) {
      const version = await stat(path).then(
        ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
        () => null,
      );
      if (version === null) continue;
      const before = this.#known.get(path);
      // a recording that was just deleted, or is damaged, is no run
      const run = before?.version === version ? before.run : await runOf(fromFile(path)).catch(() => null);
      known.set(path, { version, run });
    }
    this.#known = known;
  }
}
