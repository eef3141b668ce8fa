import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openToRead } from "../../io/node/access.ts";
import { fromFile } from "../../io/node/index.ts";
import { SIDE_CAR_ENDING } from "../../model/side-car/ending.ts";
import { SideCar } from "../../model/side-car/side-car.ts";
import type { ViewEntry } from "./entries.ts";

/** Shorter recordings open at once without a seek index. */
const WORTH_BYTES = 16 << 20;

/** Makes the seek index of the recording at `path` and writes it to the cache. */
export type MakeIndex = (path: string, signal: AbortSignal) => Promise<void>;

type LocalEntry = Extract<ViewEntry, { folder: string }>;

/**
 * The seek indexes of what a viewer is shown. They are made in the background, one after the other, when a recording is
 * first asked for, and given out from then on as long as they fit.
 */
export class ViewIndexes {
  readonly #make: MakeIndex;
  readonly #worthBytes: number;
  readonly #wanted = new Map<string, Promise<void>>();
  readonly #leave = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(make: MakeIndex = inProcessOfItsOwn, worthBytes: number = WORTH_BYTES) {
    this.#make = make;
    this.#worthBytes = worthBytes;
  }

  /** The name by which a page asks for the index of an entry. */
  static nameOf({ main }: LocalEntry): string {
    return main + SIDE_CAR_ENDING;
  }

  /** The index of an entry; null where there is none that fits. */
  async open(entry: LocalEntry): Promise<FileHandle | null> {
    const found = await this.#fitting(join(entry.folder, entry.main));
    return found === null ? null : openToRead(found).catch(() => null);
  }

  /** An entry is being opened: sees to it that there is an index the next time. Settles when there is, or cannot be. */
  want(entry: LocalEntry): Promise<void> {
    const path = join(entry.folder, entry.main);
    const coming = this.#wanted.get(path);
    if (coming !== undefined || entry.bytes < this.#worthBytes) return coming ?? Promise.resolve();
    const made = this.#last.then(async () => {
      if (this.#leave.signal.aborted || (await this.#fitting(path)) !== null) return;
      await this.#make(path, this.#leave.signal);
    });
    // without one everything works, too
    this.#last = made.catch(() => undefined);
    this.#wanted.set(path, this.#last);
    return this.#last;
  }

  close(): void {
    this.#leave.abort();
  }

  async #fitting(path: string): Promise<string | null> {
    const bundle = fromFile(path);
    const source = (await bundle.sideCar?.()) ?? null;
    return source !== null && (await SideCar.fits(source, bundle)) ? source.name : null;
  }
}

/** With the least priority: the page that reads the recording meanwhile comes first. */
async function inProcessOfItsOwn(path: string, signal: AbortSignal): Promise<void> {
  const script = fileURLToPath(new URL("../main.js", import.meta.url));
  const child = spawn(process.execPath, [script, "index", "--cache", path], { stdio: "ignore", signal });
  await new Promise<void>((resolve) => {
    child.once("spawn", () => {
      try {
        setPriority(child.pid!, constants.priority.PRIORITY_LOW);
      } catch {
        // it is over already, or the system has no priorities
      }
    });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}
