import type { FileHandle } from "node:fs/promises";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { openToRead } from "../../io/node/access.ts";

/** A region file of a world of blocks, or a file with one of its chunks. */
const OF_REGIONS = /^(r\.-?\d{1,6}\.-?\d{1,6}\.mca|c\.-?\d{1,9}\.-?\d{1,9}\.mcc)$/;
/** Folders of a world that name a dimension. */
const DIMENSIONS: readonly string[] = ["DIM-1", "DIM1"];

/** What a folder of region files is called in addresses: with the folder that it is in where that names a dimension. */
export function nameOfRegions(folder: string): string {
  const above = basename(dirname(folder));
  return DIMENSIONS.includes(above) ? `${above}/${basename(folder)}` : basename(folder);
}

/**
 * The folder of region files that a page asks for under the name of a main file, `meta.region` or `meta/region`: those of
 * `run.hcrp` are `run.region` and `run/region`, beside it, and those of a recording that is a folder `run` likewise. Null: it
 * asks for another one. `store`: the folder that the recording is in.
 */
export function regionsBeside(
  { folder, store, main }: { readonly folder: string; readonly store: string; readonly main: string },
  asked: string,
): string | null {
  const stem = main.replace(/\.[^.]*$/, "");
  const own = folder === store ? join(folder, stem) : folder;
  if (asked === `${stem}.region`) return `${own}.region`;
  return asked === `${stem}/region` ? join(own, "region") : null;
}

/**
 * A file in a folder of region files, by its name, or the folder itself, by an empty one. Null: it is missing, or a link
 * that leads out of the folder; or another file.
 */
export async function openRegion(within: string, folder: string, name: string): Promise<FileHandle | "folder" | null> {
  if (name !== "" && !OF_REGIONS.test(name)) return null;
  const real = await realpath(join(folder, name)).catch(() => null);
  if (real === null || !(real + sep).startsWith(within + sep)) return null;
  const found = await stat(real);
  if (name === "") return found.isDirectory() ? "folder" : null;
  return found.isFile() ? openToRead(real).catch(() => null) : null;
}
