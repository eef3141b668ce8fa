import { FORMATS, type Format, folderMains, partnersOf } from "simtape";
import type { Locator } from "../protocol.ts";

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
