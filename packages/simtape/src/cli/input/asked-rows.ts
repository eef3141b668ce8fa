import type { Axes } from "../../model/axes/axes.ts";
import type { TableOptions } from "../../model/query/table.ts";
import type { Recording } from "../../model/recording.ts";
import { standardAxes } from "../../model/axes/standard-axes.ts";
import { intervalOf } from "./interval.ts";
import { originOf } from "./origin.ts";
import { parseRange } from "./time.ts";

/** Which rows and columns are asked for on the command line. */
export interface AskedRows {
  readonly columns?: readonly string[];
  readonly id?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly every?: string;
  readonly axes: AxesName;
  readonly origin?: string;
}

export type AxesName = "source" | "standard" | "right-y" | "left-z" | "left-y";

/** Axes to turn to, by name. */
export const AXES: Readonly<Record<AxesName, Axes | undefined>> = {
  source: undefined,
  standard: standardAxes("right", "z"),
  "right-y": standardAxes("right", "y"),
  "left-z": standardAxes("left", "z"),
  "left-y": standardAxes("left", "y"),
};

/** Throws `UsageError` for what is no time, place or interval. */
export async function askedOf(recording: Recording, options: AskedRows): Promise<TableOptions> {
  const { from, until, every, columns, id, axes, origin } = options;
  const range = await parseRange({ from, until }, recording);
  const names = columns?.flatMap(partsOf).filter((name) => name !== "");
  return {
    ...range,
    every: every === undefined ? undefined : await intervalOf(every, range, recording),
    columns: names,
    ids: id,
    axes: AXES[axes],
    origin: origin === undefined ? undefined : originOf(origin),
  };
}

/** What commas part; those within parentheses, brackets and quotes belong to an expression. */
function partsOf(list: string): string[] {
  const parts = [""];
  let depth = 0;
  let quote: string | null = null;
  for (const sign of list) {
    if (quote !== null) quote = sign === quote ? null : quote;
    else if (QUOTES.includes(sign)) quote = sign;
    else if (sign === "(" || sign === "[") depth++;
    else if (sign === ")" || sign === "]") depth--;
    if (sign === "," && depth === 0 && quote === null) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim());
}

const QUOTES = ["'", '"', "`"];
