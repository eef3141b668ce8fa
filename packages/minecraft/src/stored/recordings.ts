import { basename, join, relative } from "node:path";
import { recordingsIn, UsageError } from "simtape/serving";

/** A recording of the store. */
export interface Stored {
  /** As viewers name it: its path in the store, without what its format adds. */
  readonly title: string;
  /** Of what is opened. */
  readonly path: string;
  /** Of the file, or of the folder that is the recording. */
  readonly root: string;
}

/** What is in the store now. Rejects where the folder cannot be read. */
export async function storedIn(store: string): Promise<readonly Stored[]> {
  const found = await recordingsIn(store).catch((error: unknown) => {
    // there is none yet
    if (error instanceof UsageError) return [];
    throw error;
  });
  return found.map(({ path, main }) => ({
    title: titleOf(relative(store, path) || basename(path)),
    path: main === null ? path : join(path, main),
    root: path,
  }));
}

/** The one of that name, or the only one whose name begins so; null: there is none. Case does not count. */
export function named(stored: readonly Stored[], name: string): Stored | null {
  const wanted = name.toLowerCase();
  if (wanted === "") return null;
  const exact = stored.find(({ title }) => title.toLowerCase() === wanted);
  const near = stored.filter(({ title }) => title.toLowerCase().startsWith(wanted));
  return exact ?? (near.length === 1 ? near[0]! : null);
}

function titleOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/\.hcrp$/, "");
}
