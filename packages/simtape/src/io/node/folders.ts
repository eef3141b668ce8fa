import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are not there; gives the first that was made, null when there was none to make.
 * `mkdir` with `recursive` does not end where a folder is there in which none can be, as `/proc`.
 */
export async function makeFolders(path: string, mode?: number): Promise<string | null> {
  try {
    return (await makeFolder(path, mode)) ? path : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
  }
  const first = await makeFolders(dirname(path), mode);
  const isMade = await makeFolder(path, mode);
  return first ?? (isMade ? path : null);
}

/** False: it was there. */
async function makeFolder(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST" && (await isFolder(path));
    if (!isThere) throw error;
    return false;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}
