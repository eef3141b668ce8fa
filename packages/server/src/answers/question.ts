/**
 * A question about the content of a recording. Times have the forms that commands take: `12.5`, `50%`, `t1200`, a date.
 */
export type Question = (EventsQuestion | SeriesQuestion | StateQuestion | WhenQuestion | TargetsQuestion) & {
  /** Rows of text instead of JSON, for series. */
  readonly isCsv?: boolean;
};

export interface EventsQuestion {
  readonly of: "events";
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly kinds: readonly string[];
  readonly who?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface SeriesQuestion {
  readonly of: "series";
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly paths: readonly string[];
  readonly points: number;
  readonly mode: "minmax" | "sample";
}

export interface StateQuestion {
  readonly of: "state";
  readonly at: string;
  /** Globs; empty: everything. */
  readonly paths: readonly string[];
}

/** When an expression is true. */
export interface WhenQuestion {
  readonly of: "when";
  readonly where: string;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** Most intervals in the answer; all are counted. */
  readonly limit: number;
}

/** Which targets of an export fit the recording. */
export interface TargetsQuestion {
  readonly of: "targets";
}

/** The recording that the question is about. */
export interface Asked {
  readonly id: string;
  /** Path of its main file in the library. */
  readonly key: string;
  /**
   * An open recording is used again while this stays the same; null: the recording grows, and is opened for each
   * question.
   */
  readonly stamp: string | null;
}

/** Why there is no answer: the content of a `Problem`. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly more: Readonly<Record<string, unknown>>;
}

/** Message to a thread. */
export type ToThread =
  | { readonly number: number; readonly asked: Asked; readonly question: Question }
  | { readonly cancel: number };

/** Message from a thread: it begins, and then JSON, or the reason why there is none. */
export type FromThread =
  | { readonly number: number; readonly begins: true }
  | { readonly number: number; readonly answer: string | Refusal };

/** Milliseconds that answers may take together: each takes out what it has taken. */
export interface Allowance {
  left: number;
}

/** `code` of the problem of an answer that took longer than its allowance. */
export const TOO_LONG = "too-long";
