import { basename, join, relative } from "node:path";
import { recordingsIn } from "simtape/serving";
import { UsageError } from "simtape/command";

/** A recording of the store. */
export interface Stored {
  /** The name that viewers use: its path in the store, without the ending of its format. */
  readonly title: string;
  /** Path to open. */
  readonly path: string;
  /** Path of the file, or of the folder that is the recording. */
  readonly root: string;
}

/** Lists the recordings that are in the store now. Rejects when the folder cannot be read. */
export async function storedIn(store: string): Promise<readonly Stored[]> {
  const found = await recordingsIn(store).catch((error: unknown) => {
    // the folder does not exist yet
    if (error instanceof UsageError) return [];
    throw (error as NodeJS.ErrnoException).code === "ENOENT" ? new UsageError(`there is no folder ${store}`) : error;
  });
  return found.map(({ path, main }) => ({
    title: titleOf(relative(store, path) || basename(path)),
    path: main === null ? path : join(path, main),
    root: path,
  }));
}

/**
 * The recording of that name, or the only one whose name begins with it; null: there is none. Upper and lower case are
 * equal.
 */
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
