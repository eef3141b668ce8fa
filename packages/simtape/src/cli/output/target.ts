import type { Command } from "commander";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { isRefusal, RecordingError } from "../../model/error.ts";
import type { Format } from "../../model/format.ts";
import { UsageError } from "../run/failure.ts";
import { formatNamed, endingOf } from "../input/format-of.ts";

/** Where a command writes: the second positional, or `-o`; `-` is standard output. */
export interface Target {
  readonly path: string;
  /** The main file: that of the folder for a recording that is one. */
  readonly main: string;
  readonly sink: SinkBundle;
  /** What was written, to read it again. */
  readonly written: SourceBundle;
  /** Of new files on disk: as readable as the input, or for this user only. */
  readonly mode: number | undefined;
  /** What there is may be overwritten. */
  readonly force: boolean;
  /** Every file that was written so far, by its name. */
  readonly files: ReadonlyMap<string, number>;
  /** The main file is standard output, which nothing can lie beside. */
  readonly isStandardOutput: boolean;
  /**
   * What `work` does is done once the main file is whole, and before it takes its name: a process that is killed leaves
   * no main file without what belongs beside it. When the name is refused, what `work` gives is called to take it back.
   * Only what the last call named is done.
   */
  before(work: () => Promise<TakeBack | undefined>): void;
  /** Writes a small file beside the main one. Rejects when something is there, unless `replaces`. */
  put(name: string, bytes: Uint8Array, replaces?: boolean): Promise<void>;
}

/** Takes back what was done; rejects with nothing. */
export type TakeBack = () => Promise<void>;

export interface TargetOptions {
  readonly output?: string;
  readonly force?: boolean;
  readonly dialect?: string | undefined;
  /** What is no recording does not say which files are its own: with `--force`, what it is written as replaces those there. */
  readonly isExport?: boolean;
}

/** Adds the options that every writing command has. */
export function writes(command: Command): Command {
  return command
    .option("-o, --output <file>", "where to write, - for standard output; the same as the last argument")
    .option("--force", "overwrite an existing file");
}

/** Gives what `work` gives; that the dialect asked for cannot hold the recording is wrong usage. */
export async function inDialect<T>(dialect: string | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isRefused = error instanceof RangeError || (RecordingError.is(error) && isRefusal(error.cause));
    if (dialect === undefined || !isRefused) throw error;
    throw new UsageError(`--dialect ${dialect} cannot hold this recording: ${(error as Error).message}`);
  }
}

/**
 * Throws `UsageError` when a file of the target's name would be taken for a recording of another format; with `ending`,
 * when its own means another kind of file than that.
 */
export function mustFit({ main, isStandardOutput }: Target, format: Format, ending = ""): void {
  const meant = formatNamed(main);
  if (isStandardOutput || meant === null) return;
  if (meant.id !== format.id)
    throw new UsageError(`${main} would be a ${meant.name} recording, and this is one of ${format.name}: see convert`);
  if (ending !== "" && ending.toLowerCase() !== endingOf(main).toLowerCase())
    throw new UsageError(`${main} would be another kind of ${format.name} recording than ${ending}: see convert`);
}
