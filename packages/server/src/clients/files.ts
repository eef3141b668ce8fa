import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { FORMATS, partnersOf } from "simtape";
import { SourceError } from "simtape/command";
import { mayBelong, recordingsIn, showsWorldOf } from "simtape/serving";

/** A file of a recording on this machine, and its name with its folders there. */
export interface OutgoingFile {
  readonly path: string;
  readonly name: string;
}

/** The files that are sent as one recording. */
export interface Outgoing {
  readonly path: string;
  readonly main: OutgoingFile;
  readonly files: readonly OutgoingFile[];
  /** Paths of the files beside it that show its world, and have its name. */
  readonly companions: readonly string[];
}

/** A recording at a path, with the files that belong to it; `named`: the path that it was found by. */
export async function outgoing(path: string, named: string): Promise<Outgoing> {
  const there = await stat(path).catch(() => null);
  if (there === null) throw new SourceError("failed", `no such file: ${path}`);
  const root = dirname(named);
  if (!there.isDirectory()) return single(path, root);
  const [one] = await recordingsIn(path).catch(() => []);
  if (one?.path !== path || one.main === null) throw new SourceError("failed", `the folder cannot be read: ${path}`);
  return folder(path, one.main, root);
}

async function single(path: string, root: string): Promise<Outgoing> {
  const there = new Set(await readdir(dirname(path)));
  const names = [basename(path), ...partnersOf(basename(path), FORMATS).filter((name) => there.has(name))];
  const files = names.map((name) => fileOf(join(dirname(path), name), root));
  const companions = [...there].filter((name) => showsWorldOf(basename(path), name)).sort();
  return { path, main: files[0]!, files, companions: companions.map((name) => join(dirname(path), name)) };
}

async function folder(path: string, main: string, root: string): Promise<Outgoing> {
  const names = (await readdir(path)).filter((name) => name !== main && mayBelong(main, name, FORMATS));
  // send the main file last: it shows that the recording is complete
  const files = [...names.sort(), main].map((name) => fileOf(join(path, name), root));
  return { path, main: files.at(-1)!, files, companions: [] };
}

function fileOf(path: string, root: string): OutgoingFile {
  return { path, name: relative(root, path).split(sep).join("/") };
}

/**
 * The files among `worlds` that show the world of a recording: those that have its name, and all others where it is the only
 * one that is sent.
 */
export function worldsOf({ main }: Outgoing, worlds: readonly string[], isOnly: boolean): readonly string[] {
  return isOnly ? worlds : worlds.filter((path) => showsWorldOf(basename(main.path), basename(path)));
}
