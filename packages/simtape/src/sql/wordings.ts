import { type Parts, PATTERNS, typed } from "./patterns.ts";
import type { SqlErrorCode } from "./error.ts";
import type { Naming } from "./scope.ts";

/** What DuckDB says, in the words of simtape. */
export interface Wording {
  readonly message: string;
  /** Null: the kind of DuckDB's error decides. */
  readonly code: SqlErrorCode | null;
  /** A text, of the statement or of a row, that is wrong; null: none is named. */
  readonly wrong: string | null;
  /** Whether that may be a part of the text alone. */
  readonly isPart: boolean;
}

/** The column that a message of DuckDB does not find. */
export interface MissingColumn {
  /** Its name, or the regular expression that no name matches. */
  readonly name: string;
  readonly isPattern: boolean;
  readonly how: Naming;
}

const MISSING: readonly (readonly [RegExp, Naming])[] = [
  [/^Referenced column "(.+?)" (?:was )?not found/i, "expression"],
  [/column "?([^"]+?)"? not found/i, "expression"],
  [/does not have a column named "([^"]+)"/i, "expression"],
  [/Referenced column "([^"]+)"/i, "expression"],
  [/^Column "([^"]+)" referenced in (?:UN)?PIVOT but/i, "expression"],
  [/^Column "([^"]+)" referenced that exists in the SELECT clause/i, "expression"],
  [/^Column "(?:[^".]+\.)?([^"]+)" in (?:EXCLUDE|REPLACE) list not found/i, "star"],
  [/^Column "([^"]+)" was selected but was not found/i, "star"],
  [/^Column "([^"]+)" does not exist on left side of join/i, "left"],
  [/^Column "([^"]+)" does not exist on right side of join/i, "right"],
];

/** The column that DuckDB does not find; null: it says something else. `line`: as of `wordingOf`. */
export function missingColumn(line: string): MissingColumn | null {
  const pattern = /^No matching columns found that match regex "(.*)"$/i.exec(line);
  if (pattern !== null) return { name: pattern[1]!, isPattern: true, how: "star" };
  for (const [says, how] of MISSING) {
    const name = says.exec(line)?.[1];
    if (name !== undefined) return { name, isPattern: false, how };
  }
  return null;
}

/** What the parser says of a statement that it could read; null: it could not. */
export function parserWording(line: string): string | null {
  return PATTERNS.some(({ is }) => is.test(line)) ? wordingOf(line, []).message : null;
}

/** `line`: without the kind of error. `candidates`: of functions, as DuckDB lists them. */
export function wordingOf(line: string, candidates: readonly string[]): Wording {
  const missing = missingColumn(line);
  if (missing !== null)
    return {
      message: `${missing.isPattern ? "no column matches" : "no column"} "${missing.name}" where the statement names it`,
      code: "no-column",
      wrong: null,
      isPart: false,
    };
  for (const { is, says, code = null, wrong, isPart = false } of PATTERNS) {
    const parts = is.exec(line);
    if (parts === null) continue;
    const isAboutArguments = line.startsWith("No function matches");
    const takes = isAboutArguments ? takesOf(parts, candidates) : "";
    return { message: says(parts) + takes, code, wrong: wrong === undefined ? null : (parts[wrong] ?? null), isPart };
  }
  return { message: plain(line), code: null, wrong: null, isPart: false };
}

const MOST_CANDIDATES = 4;

/** What a function takes, where that is short. */
function takesOf([, name = "", types = ""]: Parts, candidates: readonly string[]): string {
  if (candidates.length === 0 || candidates.length > MOST_CANDIDATES)
    return types.includes("VARCHAR") ? "; a cast makes a number of a text, as in label::DOUBLE" : "";
  const lists = candidates.map((one) => typed(one.replace(/ -> .*$/, "").slice(name.length)));
  return `; it takes ${[...new Set(lists)].join(" or ")}`;
}

const MOST_PLAIN = 300;

/** A message for which there is no pattern, as a part of a sentence. */
function plain(line: string): string {
  const text = typed(line)
    .replace(/[.!\s]+$/, "")
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return text.length > MOST_PLAIN ? `${text.slice(0, MOST_PLAIN)}…` : text;
}
