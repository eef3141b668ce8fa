import { basename, join, relative } from "node:path";
import { recordingsIn } from "simtape/serving";

/** A recording of the store. */
export interface Stored {
  /** As viewers name it: its path in the store, without what its format adds. */
  readonly title: string;
  /** Of what is opened. */
  readonly path: string;
  /** Of the file, or of the folder that is the recording. */
  readonly root: string;
}

/** What is in the store now. Throws `UsageError` where there is no recording. */
export async function storedIn(store: string): Promise<readonly Stored[]> {
  const found = await recordingsIn(store);
  return found.map(({ path, main }) => ({
    title: titleOf(relative(store, path) || basename(path)),
    path: main === null ? path : join(path, main),
    root: path,
  }));
}

/** The one of that name, or the only one whose name begins so; null: there is none. Case does not count. */
export function named(stored: readonly Stored[], name: string): Stored | null {
  const wanted = name.toLowerCase();
  const exact = stored.find(({ title }) => title.toLowerCase() === wanted);
  const near = stored.filter(({ title }) => title.toLowerCase().startsWith(wanted));
  return exact ?? (near.length === 1 ? near[0]! : null);
}

function titleOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/\.hcrp$/, "");
}
