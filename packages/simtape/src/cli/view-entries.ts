import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { fileSource } from "../io/node/index.ts";
import { decoded } from "../io/shown-url.ts";
import { RecordingError } from "../model/error.ts";
import { folderMains, isSecondOfPair, mayBelong } from "../model/file-names.ts";
import { recognize } from "../model/open.ts";
import { UsageError } from "./failure.ts";
import { allFormats } from "./formats.ts";
import { isInS3 } from "./command-path.ts";
import { isUrl, urlOf } from "./recordings.ts";

/** A recording that the viewer is shown: behind a URL of its own, or files of this machine. */
export type ViewEntry =
  | { readonly name: string; readonly url: string }
  | {
      readonly name: string;
      /** Real path of the folder its files are in. */
      readonly folder: string;
      readonly main: string;
      readonly bytes: number;
    };

/** What is named on the command line, folders as the recordings in them. Throws `UsageError` for what is no recording. */
export async function entriesOf(names: readonly string[]): Promise<ViewEntry[]> {
  const entries = await Promise.all(names.map((name) => entriesAt(name)));
  return entries.flat();
}

/** Whether the page may have `name` beside the main file: only what can belong to the same recording. */
export function belongsTo(main: string, name: string): boolean {
  return mayBelong(main, name, allFormats());
}

async function entriesAt(name: string): Promise<ViewEntry[]> {
  if (isUrl(name)) {
    const { pathname, host, href } = urlOf(name);
    return [{ name: basename(decoded(pathname)) || host, url: href }];
  }
  if (isInS3(name)) throw new UsageError(`the viewer reads files and web addresses: copy it first, ${name}`);
  const found = await stat(name).catch(() => null);
  if (found === null) throw new UsageError(`nothing there: ${name}`);
  if (found.isFile()) return [await fileEntry(name, basename(name))];
  const inside = await recordingsIn(name);
  if (inside.length === 0) throw new UsageError(`a folder without recordings: ${name}`);
  return inside;
}

/** The folder itself when it is one recording; else the files, and the folders, in it that are. */
async function recordingsIn(folder: string, depth = 0): Promise<ViewEntry[]> {
  const names = (await readdir(folder)).sort();
  const main = folderMains(allFormats()).find((name) => names.includes(name));
  if (main !== undefined) return (await isOwn(folder, main)) ? [await folderEntry(folder, main)] : [];
  const found: ViewEntry[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const entry = await stat(path).catch(() => null);
    if (entry?.isDirectory() === true && depth === 0) found.push(...(await recordingsIn(path, 1)));
    const isHalf = isSecondOfPair(name, names, allFormats());
    if (entry?.isFile() === true && !isHalf && (await isRecording(path))) found.push(await fileEntry(path, name));
  }
  return found;
}

/** Not so when it is a link to something elsewhere that is no recording. */
async function isOwn(folder: string, name: string): Promise<boolean> {
  const real = await realpath(join(folder, name)).catch(() => null);
  if (real === null || !(await stat(real)).isFile()) return false;
  return real.startsWith((await realpath(folder)) + sep) || isRecording(real);
}

async function folderEntry(folder: string, main: string): Promise<ViewEntry> {
  return fileEntry(join(folder, main), basename(await realpath(folder)));
}

async function isRecording(path: string): Promise<boolean> {
  const source = fileSource(path);
  try {
    await recognize(source, basename(path), allFormats());
    return true;
  } catch (error) {
    if (RecordingError.is(error)) return false;
    throw error;
  } finally {
    await source.close();
  }
}

async function fileEntry(path: string, name: string): Promise<ViewEntry> {
  const folder = await realpath(dirname(path));
  const { size } = await stat(path);
  return { name, folder, main: basename(path), bytes: size };
}
