import { FORMATS, type Format, folderMains, partnersOf } from "simtape";
import type { Locator } from "../protocol.ts";
import { kindOf } from "../world/registry.ts";

/**
 * Files that were given together, as recordings: a folder that has the main file of one is one, the two files of a pair
 * are one, every other file is one of its own.
 */
export function locatorsOf(files: readonly File[], formats: readonly Format[] = FORMATS): Locator[] {
  const folders = new Map<string, File[]>();
  for (const file of files) {
    const path = file.webkitRelativePath;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].flatMap(([folder, inside]) => locatorsIn(folder, inside, formats));
}

/** Folders of a world of the game whose region files have no blocks. */
const NO_BLOCKS: readonly string[] = ["entities", "poi"];
/** Region files, and what they keep beside them. */
const OF_REGIONS = /^(r\.-?\d+\.-?\d+\.mca|c\.-?\d+\.-?\d+\.mcc)$/;

/**
 * Region files of a world of blocks, each folder as one, under its path; and all others. A world of the game has many files:
 * beside region files only those are kept whose names are those of recordings, or that show a world otherwise.
 */
export function regionsOf(
  files: readonly File[],
  formats: readonly Format[],
): { readonly regions: readonly Locator[]; readonly rest: readonly File[] } {
  const folders = new Map<string, File[]>();
  for (const file of files) {
    if (!OF_REGIONS.test(file.name)) continue;
    const folder = file.webkitRelativePath.split("/").slice(0, -1);
    if (NO_BLOCKS.includes(folder.at(-1) ?? "")) continue;
    const path = folder.length === 0 || folder.at(-1) !== "region" ? [...folder, "region"].join("/") : folder.join("/");
    folders.set(path, [...(folders.get(path) ?? []), file]);
  }
  if (folders.size === 0) return { regions: [], rest: files };
  const endings = formats.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`));
  const mains = folderMains(formats);
  const isKept = ({ name }: File): boolean =>
    !OF_REGIONS.test(name) &&
    (mains.includes(name) || kindOf(name) !== undefined || endings.some((ending) => name.endsWith(ending)));
  return {
    regions: [...folders].map(([name, own]) => ({ kind: "files", name, files: own })),
    rest: files.filter(isKept),
  };
}

function locatorsIn(folder: string, files: readonly File[], formats: readonly Format[]): Locator[] {
  const main = folderMains(formats).find((name) => files.some((file) => file.name === name));
  if (main !== undefined) {
    const name = folder === "" ? main : folder.slice(0, -1).split("/").at(-1)!;
    return [{ kind: "files", name, files, main }];
  }
  const recordings = new Map<string, File[]>();
  for (const file of files) {
    const names = [file.name, ...partnersOf(file.name, formats)];
    const own = names.map((name) => recordings.get(name)).find((found) => found !== undefined);
    if (own === undefined) recordings.set(file.name, [file]);
    else own.push(file);
  }
  return [...recordings.values()].map((own) => ({ kind: "files", name: own[0]!.name, files: own }));
}
