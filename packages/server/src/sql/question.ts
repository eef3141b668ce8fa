import { createHash } from "node:crypto";
import type { KnownCells } from "simtape/sql";

/** Formats of an answer. */
export const FORMATS = ["json", "csv", "parquet", "arrow"] as const;
export type Format = (typeof FORMATS)[number];

/** Columns that the server adds to the table `recordings`. */
export const MORE = ["id", "name", "state", "summary", "owner", "collection", "added"] as const;

/** A recording that a statement may read. */
export interface Source {
  readonly id: string;
  /** Path of its main file in the library: its name in the column `recording`. */
  readonly key: string;
  /** Whether a seek index of it, if one exists, is of the file as it is now. */
  readonly isIndexed: boolean;
  readonly tags: readonly string[];
  readonly known?: KnownCells | undefined;
  readonly more: Readonly<Record<string, string | null>>;
}

/** Limits of one statement. */
export interface StatementLimits {
  /** Most rows of the answer. */
  readonly rows: number;
  /** Bytes that the database may take. */
  readonly memory: number;
  /** Milliseconds, reading included. */
  readonly time: number;
}

export type Question =
  | {
      readonly of: "answer";
      readonly sql: string;
      readonly format: Format;
      readonly sources: readonly Source[];
      readonly limits: StatementLimits;
      /** File that the answer is written to. */
      readonly to: string;
    }
  | { readonly of: "tables"; readonly sources: readonly Source[]; readonly limits: StatementLimits };

/** What an answer is, beside its rows. */
export interface Answered {
  readonly rows: number;
  /** Whether there are more rows than the limit. */
  readonly isTruncated: boolean;
  readonly bytes: number;
  /** Ids of the recordings that were opened. */
  readonly opened: readonly string[];
  /** Number of recordings that could not be read. */
  readonly unread: number;
}

/** Tables by name with their columns. */
export interface FoundTables {
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly opened: readonly string[];
}

/** Why there is no answer: the content of a `Problem`. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly more: Readonly<Record<string, unknown>>;
}

/** Message to a process: first the settings, which hold secrets. */
export type ToProcess =
  | { readonly settings: unknown }
  | { readonly number: number; readonly question: Question }
  | { readonly cancel: number };

export type FromProcess = { readonly number: number } & (
  | { readonly answer: Answered | FoundTables }
  | { readonly refusal: Refusal }
);

/** Names a statement in the log, which does not hold its text: it may name people, and lines of the log cannot be erased. */
export function digestOf(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}
