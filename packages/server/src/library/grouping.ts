import { FORMATS, folderMains, partnersOf } from "simtape";
import { isSecondOfPair, mayBelong, showsWorld } from "simtape/serving";
import type { LibraryFile } from "./library.ts";

/** Files that may form one recording, the main file first. */
export interface Group {
  /** Key of the main file. */
  readonly key: string;
  /** The name that users see: that of the file, or of the folder that is one recording. */
  readonly name: string;
  readonly files: readonly LibraryFile[];
}

/** Groups files into recordings by their names: folders that are one recording, pairs, single files. */
export function groupsOf(files: readonly LibraryFile[]): Group[] {
  const folders = new Map<string, LibraryFile[]>();
  for (const file of files) {
    const folder = file.key.slice(0, file.key.lastIndexOf("/") + 1);
    const inside = folders.get(folder);
    if (inside === undefined) folders.set(folder, [file]);
    else inside.push(file);
  }
  return [...folders].flatMap(([folder, inside]) => groupsIn(folder, inside));
}

const MAINS: readonly string[] = folderMains(FORMATS);
const INDEX = ".simtape-index";

function groupsIn(folder: string, files: readonly LibraryFile[]): Group[] {
  const byName = new Map(files.map((file) => [file.key.slice(folder.length), file]));
  const names = [...byName.keys()].filter((name) => !name.endsWith(INDEX));
  const main = MAINS.find((name) => byName.has(name));
  if (main !== undefined && folder !== "") {
    const own = names.filter((name) => name !== main && mayBelong(main, name, FORMATS));
    const called = folder.slice(0, -1).split("/").at(-1)!;
    return [{ key: folder + main, name: called, files: [main, ...own].map((name) => byName.get(name)!) }];
  }
  return names
    .filter((name) => !isSecondOfPair(name, names, FORMATS) && !showsWorld(name))
    .map((name) => {
      const partners = partnersOf(name, FORMATS).filter((other) => byName.has(other));
      return { key: folder + name, name, files: [name, ...partners].map((one) => byName.get(one)!) };
    });
}

/** Changes when any file of the recording changes. */
export function stampOf({ files }: Pick<Group, "files">): string {
  return files.map(({ key, bytes, etag }) => `${key.split("/").at(-1)} ${bytes} ${etag}`).join("\n");
}
