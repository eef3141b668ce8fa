import type { SourceBundle } from "../io/source.ts";
import type { Format, RecordingInfo } from "./reader.ts";

/** How the files of a format's recordings are called, as far as it must be known before one is opened. */
export interface FileNames {
  /** Of recordings that are a folder of files: names of the main file, the surest first, and the dialect that is written so. */
  readonly folder?: { readonly mains: readonly string[]; readonly dialect: string };
  /** Names that the other file of a pair may have, by that of one of them: `run.state` of `run.traj`. */
  partners?(main: string): readonly string[];
  /** Whether a recording with this main file may ask for a file of that name beside it; its partner aside. */
  mayNeed?(main: string, name: string): boolean;
  /** The ending that the main file of such a recording has, with its point, where the format has several. */
  endingFor?(info: RecordingInfo): string;
}

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

/** Whether a file may belong to the recording with this main file, by their names. */
export function mayBelong(main: string, name: string, formats: readonly Format[]): boolean {
  if (name === main || partnersOf(main, formats).includes(name)) return true;
  return formats.some(({ files }) => files?.mayNeed?.(main, name) === true);
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
