import type { SourceBundle } from "../io/source/source.ts";
import { PROVENANCE_ENDING } from "./annotation.ts";
import type { Format } from "./format.ts";

/** The format whose recordings are a folder with a main file of that name; null: it is no main file of a folder. */
export function formatOfFolder(name: string, formats: readonly Format[]): Format | null {
  return formats.find(({ files }) => files?.folder?.mains.includes(name) === true) ?? null;
}

/** Names of the main files of recordings that are a folder, the surest first. */
export function folderMains(formats: readonly Format[]): readonly string[] {
  return formats.flatMap(({ files }) => files?.folder?.mains ?? []);
}

/** Names of files that are one recording with a file of this name, where they are there. */
export function partnersOf(name: string, formats: readonly Format[]): readonly string[] {
  return formats.flatMap((format) => partnersIn(name, format));
}

/** Whether it is the second file of a pair in `names`: the first is the one whose ending its format names before. */
export function isSecondOfPair(name: string, names: readonly string[], formats: readonly Format[]): boolean {
  return formats.some((format) => {
    const rank = (of: string): number => format.extensions.findIndex((extension) => of.endsWith(`.${extension}`));
    return partnersIn(name, format).some((other) => names.includes(other) && rank(other) < rank(name));
  });
}

/** Each is found by the other. */
function partnersIn(name: string, { files }: Format): readonly string[] {
  return files?.partners?.(name).filter((other) => other !== name && files.partners?.(other).includes(name)) ?? [];
}

/** Whether a file has the ending of a recording. */
export function isNamedAsRecording(name: string, formats: readonly Format[]): boolean {
  const lower = name.toLowerCase();
  return formats.some(({ extensions }) => extensions.some((ending) => lower.endsWith(`.${ending}`)));
}

/** Whether a file may belong to the recording with this main file, by their names. */
export function mayBelong(main: string, name: string, formats: readonly Format[]): boolean {
  if (name === main || name === main + PROVENANCE_ENDING || partnersOf(main, formats).includes(name)) return true;
  return formats.some(({ files }) => files?.mayNeed?.(main, name) === true);
}

/** Endings of files that show the world of a recording, or what its things look like; pages read them. */
const OF_WORLDS: readonly string[] = [
  ".xodr",
  ".tif",
  ".tiff",
  ".apt.dat",
  ".apt.dat.gz",
  ".region.zip",
  ".models.json",
  ".glb",
  ".gltf",
  ".urdf",
  ".pdb",
  ".yaml",
  ".yml",
];
/** Endings of region files and of folders with them, which show a world of blocks. */
const OF_BLOCKS: readonly string[] = [".mca", ".mcc", ".region"];
/** Endings of files that those have beside them. */
const OF_THEIRS: readonly string[] = [".pgm", ".png", ".stl", ".obj", ".mtl", ".dae"];

/** Endings of single files that show the world of a recording, with the dot, in small letters. */
export const WORLD_ENDINGS: readonly string[] = [...OF_WORLDS, ...OF_THEIRS];

/** Whether a file or a folder is hidden: what programs keep for themselves, as the server its data, is so. */
export function isHidden(name: string): boolean {
  return name.startsWith(".");
}

/** Whether a file or a folder shows the world of a recording, by its name or path: it is no recording itself. */
export function showsWorld(name: string): boolean {
  return isCalledAs(name, [...WORLD_ENDINGS, ...OF_BLOCKS]);
}

/** Whether a single file shows the world of a recording, by its name or path. */
export function isWorldFile(name: string): boolean {
  return isCalledAs(name, WORLD_ENDINGS);
}

/** A name may be an ending alone: `apt.dat`, `region`. */
function isCalledAs(name: string, endings: readonly string[]): boolean {
  const path = name.toLowerCase().replaceAll("\\", "/").replace(/\/+$/, "");
  const last = `.${path.slice(path.lastIndexOf("/") + 1)}`;
  return endings.some((ending) => last.endsWith(ending));
}

/**
 * Whether a file shows the world of the recording with this main file: `town.log` has `town.xodr`, and what
 * `town.models.json` names where that is called `town.models.` and more, as with `town.urdf` and `town.urdf.`.
 */
export function showsWorldOf(main: string, name: string): boolean {
  const stem = main.replace(/\.[^.]*$/, "");
  const isCalledSo = WORLD_ENDINGS.some((ending) => name === stem + ending);
  const isOfThose = [".models.", ".urdf."].some((middle) => name.startsWith(stem + middle));
  return isCalledSo || (showsWorld(name) && isOfThose);
}

/** `bundle` with the main file of a folder as its own, where its files are listed and the main one is not stated. */
export function withMainOf(bundle: SourceBundle, formats: readonly Format[]): SourceBundle {
  const main = folderMains(formats).find((name) => bundle.names?.includes(name));
  if (main === undefined) return bundle;
  return {
    name: main,
    open: (name = main) => bundle.open(name),
    stamp: async (name = main) => bundle.stamp?.(name) ?? null,
  };
}
