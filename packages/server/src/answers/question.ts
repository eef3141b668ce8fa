/** What is asked of the content of a recording. Times as commands take them: `12.5`, `50%`, `t1200`, a date. */
export type Question = (EventsQuestion | SeriesQuestion | StateQuestion) & {
  /** Rows of text instead of JSON: of series. */
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
  /** Globs; empty: all of it. */
  readonly paths: readonly string[];
}

/** Which recording is asked. */
export interface Asked {
  readonly id: string;
  /** Where its main file lies in the library. */
  readonly key: string;
  /** What is kept open stands for it as long as this is the same; null: it grows, and is opened each time. */
  readonly stamp: string | null;
}

/** Why there is no answer: what a `Problem` says. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly more: Readonly<Record<string, unknown>>;
}

/** To a thread. */
export type ToThread =
  | { readonly number: number; readonly asked: Asked; readonly question: Question }
  | { readonly cancel: number };

/** From a thread: JSON, or why there is none. */
export interface FromThread {
  readonly number: number;
  readonly answer: string | Refusal;
}
