import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { FORMATS } from "../formats.ts";
import { modeLike } from "../io/node/access.ts";
import { tidy } from "../io/node/directory-files.ts";
import type { SinkBundle } from "../io/sink.ts";
import type { SourceBundle } from "../io/source.ts";
import type { Format } from "../model/reader.ts";
import type { Recording } from "../model/recording.ts";
import type { WritingFormat } from "../model/writer.ts";
import { UsageError } from "./failure.ts";
import { folderOf, isInS3, placeAt, under } from "./place.ts";

/** Where a command writes: the second positional, or `-o`. */
export interface Target {
  readonly path: string;
  /** The main file: that of the folder for a recording that is one. */
  readonly main: string;
  readonly sink: SinkBundle;
  /** What was written, to read it again. */
  readonly written: SourceBundle;
  /** Of new files on disk: as readable as the input, or for this user only. */
  readonly mode: number | undefined;
}

export interface TargetOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/** Adds the options that every writing command has. */
export function writes(command: Command): Command {
  return command
    .option("-o, --output <file>", "where to write; the same as the last argument")
    .option("--force", "overwrite what is there");
}

/** Throws `UsageError` when no target is named, or something is there and may not be overwritten. */
export async function targetOf(named: string | undefined, options: TargetOptions, input?: string): Promise<Target> {
  const path = named ?? options.output;
  if (path === undefined) throw new UsageError("say where to write: a last argument, or -o FILE");
  if (named !== undefined && options.output !== undefined) throw new UsageError("the output is named twice");
  const isFolder = path.endsWith("/") || (await placeAt(path).kind()) === "folder";
  const main = isFolder ? under(path, "meta.hcrp") : path;
  if (input !== undefined && (input === path || (await isSame(input, path)) || (await isSame(input, main))))
    throw new UsageError(`input and output are the same file: ${path}`);
  const place = placeAt(main);
  const force = options.force === true;
  if (!force && (await place.kind()) !== null)
    throw new UsageError(`there is something already, --force overwrites it: ${main}`);
  const mode = input === undefined ? undefined : ((await modeLike(input)) ?? undefined);
  if (!isInS3(main)) await tidy(folderOf(main));
  return { path, main, sink: place.sink(force, mode), written: place.source, mode };
}

/** Whether two names are of one file on disk, however they are written. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path).catch(() => null)));
  return one != null && other != null && one.ino === other.ino && one.dev === other.dev && one.ino !== 0;
}

/** The format of an open recording. */
export function formatOf(recording: Recording): Format {
  return FORMATS.find(({ id }) => id === recording.info.format)!;
}

/** The writing side of a format. Throws `UsageError` when it has none. */
export function writingOf(format: Format): Promise<WritingFormat> {
  if (format.writing === undefined) throw new UsageError(`${format.name} recordings cannot be written`);
  return format.writing();
}

/** The format asked for by name, or the one a file of this name would be. */
export function formatFor(name: string | undefined, path: string): Format {
  if (name !== undefined) {
    const wanted = name.toLowerCase();
    const found = FORMATS.find((format) => format.id === wanted || format.name.toLowerCase() === wanted);
    if (found === undefined)
      throw new UsageError(`no format ${JSON.stringify(name)}; there are ${FORMATS.map(({ id }) => id).join(", ")}`);
    return found;
  }
  const lower = path.toLowerCase();
  const found = FORMATS.find(({ extensions }) => extensions.some((extension) => lower.endsWith(`.${extension}`)));
  if (found !== undefined) return found;
  throw new UsageError(
    `cannot tell the format from the name ${path}: say --to ${FORMATS.map(({ id }) => id).join("|")}`,
  );
}
