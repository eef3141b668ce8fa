import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** Counts which ranges of files are read through each handle, from now until it is disposed of. */
export class SourceReads implements Disposable {
  readonly #open = fs.open;
  /** By handle: a range, as `offset+length`, and how often it was read. */
  readonly #reads: Map<string, number>[] = [];

  constructor(ending: string) {
    fs.open = async (path, ...more) => {
      const handle = await this.#open(path, ...more);
      if (String(path).endsWith(ending)) this.#count(handle);
      return handle;
    };
    syncBuiltinESMExports();
  }

  /** Of the handle that has read most: what it read, and what of it more than once. */
  get figures(): { readonly ranges: number; readonly again: number } {
    const [most = new Map<string, number>()] = this.#reads.toSorted((a, b) => b.size - a.size);
    return { ranges: most.size, again: [...most.values()].filter((count) => count > 1).length };
  }

  [Symbol.dispose](): void {
    fs.open = this.#open;
    syncBuiltinESMExports();
  }

  #count(handle: FileHandle): void {
    const ranges = new Map<string, number>();
    this.#reads.push(ranges);
    const read = handle.read.bind(handle) as (...values: unknown[]) => Promise<unknown>;
    const counted = (into: unknown, from: unknown, length: unknown, offset: unknown): Promise<unknown> => {
      const range = `${String(offset)}+${String(length)}`;
      ranges.set(range, (ranges.get(range) ?? 0) + 1);
      return read(into, from, length, offset);
    };
    Object.assign(handle, { read: counted });
  }
}
