import { createHash } from "node:crypto";
import { readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { memory } from "../source/memory.ts";
import type { ByteSource } from "../source/source.ts";
import { modeLike, OWN_FILE, OWN_FOLDER } from "./access.ts";
import { fileSource } from "./file-source.ts";
import { toFile } from "./file-sink.ts";
import { makeFolders } from "./folders.ts";

/** What the name of a recording's main file is followed by: `SIDE_CAR_ENDING` of the layout. */
const ENDING = ".simtape-index";
/** Bytes that the cache may hold: those written longest ago go first. */
const CACHE_BYTES = 2 ** 30;
/** Bytes of a side-car that is read at once, and not section by section. */
const SMALL = 256 << 10;

/** Where the side-car of a recording may lie. */
export interface SideCarPlaces {
  readonly beside: string;
  readonly cache: string;
}

/** By the path of the main file, links followed. */
export async function sideCarPlaces(path: string): Promise<SideCarPlaces> {
  const real = await realpath(path).catch(() => path);
  const name = createHash("sha256").update(real).digest("hex").slice(0, 32);
  return { beside: join(dirname(real), basename(real) + ENDING), cache: join(cacheFolder(), name + ENDING) };
}

/** The folder of the cache, there or not: of the variable `SIMTAPE_CACHE`, or as the system has it. */
export function cacheFolder(): string {
  const { SIMTAPE_CACHE: own = "", XDG_CACHE_HOME: home = "", LOCALAPPDATA: local = "" } = process.env;
  if (own !== "") return join(own, "indexes");
  if (home !== "") return join(home, "simtape", "indexes");
  if (process.platform === "win32" && local !== "") return join(local, "simtape", "Cache", "indexes");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "simtape", "indexes");
  return join(homedir(), ".cache", "simtape", "indexes");
}

/** The side-car that was kept of the recording at `path`, the newest where there are two; null: none is there. */
export async function sideCarOf(path: string): Promise<ByteSource | null> {
  const { beside, cache } = await sideCarPlaces(path);
  const found: { readonly at: string; readonly changed: number; readonly size: number }[] = [];
  for (const at of [beside, cache]) {
    const there = await stat(at).catch(() => null);
    if (there?.isFile() === true) found.push({ at, changed: there.mtimeMs, size: there.size });
  }
  found.sort((a, b) => b.changed - a.changed);
  const [newest] = found;
  if (newest === undefined) return null;
  // side-cars are never written to once they have their name; why one cannot be read is for its reader to say
  const bytes = newest.size > SMALL ? null : await readFile(newest.at).catch(() => null);
  return bytes === null ? fileSource(newest.at) : memory(bytes, newest.at);
}

/** When a file was changed last, to the nanosecond; null: it is not there. */
export async function stampOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `mtime ${found.mtimeNs}`;
}

/** Whether a file has a size, and was changed last when a stamp says. */
export async function isUnchanged(
  path: string,
  { size, stamp }: { size: number; stamp: string | null },
): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found?.isFile() === true && found.size === BigInt(size) && `mtime ${found.mtimeNs}` === stamp;
}

/**
 * Writes the side-car of the recording at `path` where it is wanted, and gives its path. Beside the recording it can be
 * read by those who can read that; in the cache only by this user.
 */
export async function writeSideCarOf(path: string, where: keyof SideCarPlaces, bytes: Uint8Array): Promise<string> {
  const to = (await sideCarPlaces(path))[where];
  if (where === "cache") await makeFolders(dirname(to), OWN_FOLDER);
  const mode = where === "beside" ? ((await modeLike(path)) ?? OWN_FILE) : OWN_FILE;
  const sink = await toFile(to, { mode }).open();
  try {
    await sink.write(bytes);
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
  if (where === "cache") await prune(dirname(to), to);
  return to;
}

/** Makes room in the cache; `spared` stays. */
async function prune(folder: string, spared: string): Promise<void> {
  const files: { readonly path: string; readonly size: number; readonly changed: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = name.endsWith(ENDING) ? await stat(path).catch(() => null) : null;
    if (found?.isFile() === true) files.push({ path, size: found.size, changed: found.mtimeMs });
  }
  files.sort((a, b) => b.changed - a.changed);
  let bytes = 0;
  for (const { path, size } of files) {
    bytes += size;
    if (bytes > CACHE_BYTES && path !== spared) await rm(path, { force: true });
  }
}
