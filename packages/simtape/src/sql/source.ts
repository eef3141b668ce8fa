import { type Finding, RecordingError } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import { SourceError } from "../io/source/source.ts";
import { SqlError } from "./error.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { Described } from "./facts.ts";
import type { KnownCells } from "./known.ts";
import type { Limits } from "./limits.ts";

/** A recording that is opened when a statement needs it, and closed behind that. */
export interface SqlSource {
  /** In the column `recording` of every table. Each name once. */
  readonly name: string;
  /** Where it is, in `recordings.file`; absent: the name. */
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** A row of `recordings` whose wanted cells are all in here is made without opening it. */
  readonly known?: KnownCells | undefined;
  /** Cells of the columns that `SqlOptions.more` names. */
  readonly more?: Readonly<Record<string, string | null>> | undefined;
  open(signal?: AbortSignal): Promise<Recording>;
  /** Whether it is closed when the statement needs it no more; true by default. */
  readonly closes?: boolean | undefined;
}

/** How questions are answered. Everything is optional. */
export interface SqlOptions extends Limits {
  readonly signal?: AbortSignal | undefined;
  /** False: every row is read, whatever the statement asks for; the answer is the same. */
  readonly prune?: boolean | undefined;
  /** Names of further columns of `recordings`, which are texts; none by default. */
  readonly more?: readonly string[] | undefined;
  /** Threads that read recordings side by side; absent: one is read after the other, here. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Gives the package `@duckdb/node-api`, where that is faster than `import()`: `require` is, in Node. */
  readonly loadDuckDB?: (() => unknown) | undefined;
  /** Called when a recording has been read, with how many there are to read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A recording, open: `SqlSession` leaves it open. */
export function openSource(name: string, recording: Recording): SqlSource {
  return { name, open: async () => recording, closes: false };
}

/** A recording that could not be read, or not to its end. */
export interface SqlProblem {
  readonly recording: string;
  readonly finding: Finding;
  readonly error: unknown;
}

/** Its cells of the further columns of `recordings`. */
function moreOf({ more = {} }: Pick<SqlSource, "more">, names: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, more[name] ?? null]));
}

/** Whether an error is that of one recording, and not of the question. */
export function isOfRecording(error: unknown): boolean {
  return RecordingError.is(error) || error instanceof SourceError;
}

/** What the rows of `recordings` have of it beside what it states. */
export function describedOf(source: Omit<SqlSource, "open">, names: readonly string[]): Omit<Described, "tables"> {
  return { file: source.file ?? source.name, tags: source.tags ?? [], more: moreOf(source, names) };
}

/** The error as a row of `findings`. */
export function findingOf(error: unknown): Finding {
  const code = RecordingError.is(error) ? error.code : "source-failed";
  return { code: `sql:${code}`, severity: "loss", message: error instanceof Error ? error.message : String(error) };
}

export function lateBy(milliseconds: number): SqlError {
  return new SqlError("limit", `no answer within ${milliseconds / 1000} s`);
}
