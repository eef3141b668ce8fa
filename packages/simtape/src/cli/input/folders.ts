import type { Stats } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { SourceError } from "../../io/source/source.ts";
import { RecordingError } from "../../model/error.ts";
import { folderMains, isHidden, isNamedAsRecording, isSecondOfPair, isWorldFile } from "../../model/file-names.ts";
import { holdsRecording } from "../../ops/holds-recording.ts";
import { SIDE_CAR_ENDING } from "../../model/side-car/ending.ts";
import { commandPath, isInS3 } from "./command-path.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "./formats.ts";
import { isUrl } from "./recordings.ts";

/** Files that are looked at at once. */
const AT_ONCE = 8;

/** A recording in a folder: a file, or a folder whose main file is called so. */
export interface FoundRecording {
  /** As the folder was named, and on from there. */
  readonly path: string;
  readonly main: string | null;
}

/**
 * A folder on disk that is no recording itself stands for those in it; every other name for itself. Throws `UsageError`
 * for a folder without any.
 */
export async function recordingsAt(name: string): Promise<readonly string[]> {
  const isOnDisk = name !== "-" && !isUrl(name) && !isInS3(name);
  const found = isOnDisk ? await stat(name).catch(() => null) : null;
  return found?.isDirectory() === true ? (await recordingsIn(name)).map(({ path }) => path) : [name];
}

/**
 * The folder itself when it is one recording; else the files and folders in it, at every depth, that are, as their content
 * shows; a file that shows the world of one is none, and nothing that is hidden is one. What cannot be read is one as its
 * name shows: who opens it learns why. Throws `UsageError` where there is none.
 */
export async function recordingsIn(folder: string): Promise<readonly FoundRecording[]> {
  const candidates: Candidate[] = [];
  await walk(folder, new Set([await realpath(folder)]), candidates);
  const found = await recordingsOf(candidates);
  if (found.length === 0) throw new UsageError(`a folder without recordings: ${folder}`);
  return found;
}

/** `isFile`: its content shows whether it is a recording. */
interface Candidate extends FoundRecording {
  readonly isFile: boolean;
}

/**
 * Adds the folders that are recordings, and what else may be one. `walked`: real paths of folders; each is looked through
 * once, as links may lead to it again.
 */
async function walk(folder: string, walked: Set<string>, to: Candidate[]): Promise<void> {
  const all = await namesIn(folder, walked.size > 1);
  if (all === null) {
    to.push({ path: folder, main: null, isFile: false });
    return;
  }
  const names = all.filter((name) => !isHidden(name) && !name.endsWith(SIDE_CAR_ENDING)).sort();
  const main = folderMains(allFormats()).find((name) => names.includes(name));
  if (main !== undefined) {
    if (await isOwn(folder, main)) to.push({ path: folder, main, isFile: false });
    return;
  }
  const entries = await Promise.all(names.map((name) => statOf(join(folder, name))));
  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    const entry = entries[index]!;
    if (entry?.isDirectory() === true) {
      const real = await realpath(path).catch(() => path);
      if (walked.has(real)) continue;
      walked.add(real);
      await walk(path, walked, to);
      continue;
    }
    const isFile = entry?.isFile() === true;
    const mayBeOne = isFile || (entry?.isSymbolicLink() === true && isNamed(path));
    if (mayBeOne && !isWorldFile(name) && !isSecondOfPair(name, names, allFormats()))
      to.push({ path, main: null, isFile });
  }
}

async function recordingsOf(candidates: readonly Candidate[]): Promise<FoundRecording[]> {
  const are: boolean[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < candidates.length) {
      const index = next++;
      const { path, isFile } = candidates[index]!;
      are[index] = !isFile || (await isRecording(path));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return candidates.filter((_, index) => are[index]!).map(({ path, main }) => ({ path, main }));
}

/** Of what a link leads to; of a link that leads nowhere its own. Null: it has gone. */
function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => lstat(path).catch(() => null));
}

function isNamed(path: string): boolean {
  return isNamedAsRecording(basename(path), allFormats());
}

/** `isInner`: one that has gone since it was looked at is empty; null: it cannot be read. */
async function namesIn(folder: string, isInner: boolean): Promise<string[] | null> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (isInner) return error.code === "ENOENT" ? [] : null;
    throw error;
  });
}

/** Not so when it is a link to something elsewhere that is no recording. */
async function isOwn(folder: string, name: string): Promise<boolean> {
  const real = await realpath(join(folder, name)).catch(() => null);
  if (real === null || !(await stat(real)).isFile()) return false;
  return real.startsWith((await realpath(folder)) + sep) || isRecording(real);
}

async function isRecording(path: string): Promise<boolean> {
  try {
    return await holdsRecording(commandPath(path).source, allFormats());
  } catch (error) {
    if (!RecordingError.is(error) && !(error instanceof SourceError)) throw error;
    // a writer has given it another name, or removed it, since it was looked at
    return codeOf(error) !== "ENOENT" && isNamed(path);
  }
}

/** Of the file system, from the bottom of what it became. */
function codeOf(error: Error): string | undefined {
  return error.cause instanceof Error ? codeOf(error.cause) : (error as NodeJS.ErrnoException).code;
}
