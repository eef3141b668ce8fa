import { open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { decoded } from "../../io/source/shown-url.ts";
import { mayBelong, showsWorld } from "../../model/file-names.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "../input/formats.ts";
import { isInS3 } from "../input/command-path.ts";
import { recordingsIn } from "../input/folders.ts";
import { isUrl, urlOf } from "../input/recordings.ts";
import type { Growth } from "./growth.ts";
import { nameOfRegions } from "./regions.ts";

/** A recording that the viewer is shown: behind a URL of its own, or files of this machine. */
export type ViewEntry =
  | { readonly name: string; readonly url: string }
  | {
      readonly name: string;
      /** Real path of the folder its files are in. */
      readonly folder: string;
      /** Real path of the store that it is in, where the worlds of recordings are. */
      readonly store: string;
      /** Empty: the folder itself shows a world, by the region files in it. */
      readonly main: string;
      readonly bytes: number;
      /** Of a recording that is being made. */
      readonly growth?: Growth | undefined;
    };

/**
 * What is named on the command line, folders as the recordings in them; files that show a world are left out. Throws
 * `UsageError` for what is no recording.
 */
export async function entriesOf(names: readonly string[]): Promise<ViewEntry[]> {
  const { recordings } = await sorted(names);
  if (names.length > 0 && recordings.length === 0)
    throw new UsageError(`it shows the world of a recording: name the recording, too, ${names.join(", ")}`);
  const entries = await Promise.all(recordings.map((name) => entriesAt(name)));
  return entries.flat();
}

/** The files that show a world, of what is named on the command line. Throws `UsageError` for what is not there. */
export async function worldEntriesOf(names: readonly string[]): Promise<ViewEntry[]> {
  const { worlds } = await sorted(names);
  const entries = await Promise.all(worlds.map(async (name) => (await regionsAt(name)) ?? entriesAt(name)));
  return entries.flat();
}

interface Sorted {
  readonly recordings: readonly string[];
  readonly worlds: readonly string[];
}

/** Recordings, and files that show their world. */
async function sorted(names: readonly string[]): Promise<Sorted> {
  const areWorlds = await Promise.all(names.map(async (name) => showsWorld(name) || (await isPack(name))));
  return { recordings: names.filter((_, i) => !areWorlds[i]), worlds: names.filter((_, i) => areWorlds[i]) };
}

/** Bytes at the end of a zip that are looked at: the last of its members are named there. */
const TAIL = 1 << 16;

/** Whether it is a resource pack of Minecraft, or the game's own: a zip, as some recordings are. */
async function isPack(name: string): Promise<boolean> {
  if (!/\.(zip|jar)$/i.test(name) || isUrl(name)) return false;
  const file = await open(name).catch(() => null);
  if (file === null) return false;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL), 0, TAIL, Math.max(0, size - TAIL));
    return /assets\/[\w.-]+\/|pack\.mcmeta/.test(buffer.toString("latin1", 0, bytesRead));
  } catch {
    // a folder of that name
    return false;
  } finally {
    await file.close();
  }
}

/** Null: it is no folder of this machine. */
async function regionsAt(name: string): Promise<ViewEntry[] | null> {
  if (isUrl(name) || (await stat(name).catch(() => null))?.isDirectory() !== true) return null;
  const folder = await realpath(name);
  return [{ name: nameOfRegions(folder), folder, store: folder, main: "", bytes: 0 }];
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
  const entries: ViewEntry[] = [];
  for (const { path, main } of await recordingsIn(name))
    entries.push(await (main === null ? fileEntry(path, basename(path)) : folderEntry(path, main)));
  return entries;
}

type FileEntry = Extract<ViewEntry, { folder: string }>;

async function folderEntry(folder: string, main: string): Promise<FileEntry> {
  const real = await realpath(folder);
  return { ...(await fileEntry(join(folder, main), basename(real))), store: dirname(real) };
}

async function fileEntry(path: string, name: string): Promise<FileEntry> {
  const folder = await realpath(dirname(path));
  // what cannot be read is listed: the page says why
  const found = await stat(path).catch(() => null);
  return { name, folder, store: folder, main: basename(path), bytes: found?.size ?? 0 };
}
