import type { Recording } from "../../model/recording.ts";

/** What a tool answers: text, and pictures in base64. */
export interface Answer {
  readonly text: string;
  /** PNG. */
  readonly picture?: Uint8Array | undefined;
}

/** What tools work with. */
export interface Recordings {
  /** Recordings by name, as they are now. */
  list(): Promise<readonly Named[]>;
  /**
   * Opens the recording of that name, lets `work` use it, and closes it. Throws `UsageError` where there is none: the
   * message names the nearest.
   */
  with<T>(name: string, work: (recording: Recording) => Promise<T>): Promise<T>;
}

/** A recording that can be opened. */
export interface Named {
  readonly name: string;
  open(): Promise<Recording>;
}

/** One question that a program may ask. All tools only read. */
export interface Tool {
  /** `list`, `state` … */
  readonly name: string;
  readonly title: string;
  /** For the program that chooses among tools. */
  readonly description: string;
  /** JSON Schema of each argument; the names in `required` must be given. */
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  answer(given: Given, recordings: Recordings, signal: AbortSignal): Promise<Answer>;
}

/** Arguments, which fit the schema. */
export type Given = Readonly<Record<string, unknown>>;

/** The schema of an argument. */
export interface Schema {
  readonly type: "string" | "number" | "integer" | "array";
  readonly description: string;
  readonly items?: { readonly type: "string" };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Schemas of arguments that several tools have. */
export const RECORDING: Schema = { type: "string", description: "name of a recording, as the tool list has it" };
const TIMES = "12.5s, 1m30s, 50%, t1200 (tick or frame), or a date with a zone";
export const TIME: Schema = { type: "string", description: `a time: ${TIMES}` };
export const RANGE: Readonly<Record<"from" | "until", Schema>> = {
  from: { type: "string", description: `first time, inclusive: ${TIMES}` },
  until: { type: "string", description: `last time, exclusive: ${TIMES}` },
};

export function textOf(given: Given, name: string): string | undefined {
  return given[name] as string | undefined;
}

export function textsOf(given: Given, name: string): readonly string[] | undefined {
  return given[name] as readonly string[] | undefined;
}

export function numberOf(given: Given, name: string, usual: number): number {
  return (given[name] as number | undefined) ?? usual;
}
