import { SIDE_CAR_ENDING } from "simtape";
import { PROVENANCE_ENDING, showsWorld, showsWorldOf } from "simtape/serving";
import type { FileFact } from "../database/tables.ts";
import type { Library } from "../library/library.ts";

/** A file in the folder of a recording that is live or was. */
const JOURNAL = "journal.hcj";

/** Keys of the files of a recording beside its main file: segments, earlier metadata, mirrored files of a recorder. */
export function othersOf(key: string, files: readonly Pick<FileFact, "name">[]): readonly string[] {
  const [folder, main] = partsOf(key);
  const names = [...files.map(({ name }) => name), `${main}.bak`, JOURNAL];
  return [...new Set(names)].filter((name) => name !== main).map((name) => folder + name);
}

/** Removes a file, with its seek index and its provenance file. */
export async function removeFile(library: Library, key: string): Promise<void> {
  for (const ending of ["", SIDE_CAR_ENDING, PROVENANCE_ENDING]) await library.remove(key + ending);
}

/**
 * Removes the files that show the world of a recording and have its name. They stay where another recording beside it has
 * that name, too: `town.log` and `town.hcrp`.
 */
export async function removeWorld(library: Library, key: string): Promise<void> {
  const [folder, main] = partsOf(key);
  const names: string[] = [];
  for await (const file of library.list(undefined, folder === "" ? undefined : folder.slice(0, -1))) {
    const name = file.key.slice(folder.length);
    if (file.key.startsWith(folder) && !name.includes("/") && name !== main) names.push(name);
  }
  const others = names.filter((name) => !showsWorld(name));
  for (const name of names.filter((each) => showsWorldOf(main, each)))
    if (!others.some((other) => showsWorldOf(other, name))) await library.remove(folder + name);
}

function partsOf(key: string): readonly [folder: string, name: string] {
  const slash = key.lastIndexOf("/") + 1;
  return [key.slice(0, slash), key.slice(slash)];
}
