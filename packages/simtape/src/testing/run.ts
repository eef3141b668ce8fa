import { RecordingError } from "../model/error.ts";
import type { Format } from "../model/format.ts";
import { type CaseFiles, type ConformanceCase, type Expectation, type Part, PARTS } from "./corpus.ts";
import { observe, recognized } from "./observe.ts";

/** What one comparison gave. `expected` and `found` are plain data. */
export interface CheckResult {
  /** `"reading.timeline"`. */
  readonly check: string;
  readonly ok: boolean;
  readonly expected: unknown;
  readonly found: unknown;
}

/** What running a case gave: one line for each part that was checked. */
export interface CaseResult {
  readonly id: string;
  /** Every check is. */
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

/** Which parts of a case are checked. */
export interface RunOptions {
  /** Only these; absent: all that the case has an expectation for. */
  readonly parts?: readonly Part[] | undefined;
}

/** From the least to the most. */
const KEEPS: readonly unknown[] = ["messages", "content", "files"];

/**
 * Holds what `formats` make of a recording against what the case expects. Never rejects for what they do: an error they
 * throw is a check that fails.
 */
export async function runCase(
  of: ConformanceCase,
  files: CaseFiles,
  formats: readonly Format[],
  options: RunOptions = {},
): Promise<CaseResult> {
  const { expect } = of;
  const parts = PARTS.filter((part) => expect[part] !== null && (options.parts?.includes(part) ?? true));
  const checks: CheckResult[] = [];
  const add = (check: string, expected: unknown, found: unknown, ok = isSame(expected, found)): void => {
    checks.push({ check, ok, expected, found });
  };
  if (expect.refused === null)
    add("recognised", of.format, await resultOf(() => recognized(files, formats, of.damage !== null)));
  const whole = await resultOf(() => observe(files, formats, parts));
  const opening = isObservation(whole) ? whole : await resultOf(() => observe(files, formats, []));
  add("refused", expect.refused, isObservation(opening) ? opening.refused : opening);
  if (checks.every(({ ok }) => ok)) {
    for (const part of parts) {
      // A part that fails must not hide the others.
      const observed = isObservation(whole) ? whole : await resultOf(() => observe(files, formats, [part]));
      compare(part, expect[part], isObservation(observed) ? observed[part] : observed, add);
    }
  }
  return { id: of.id, ok: checks.every(({ ok }) => ok), checks };
}

function compare(
  part: Part,
  expected: unknown,
  found: unknown,
  add: (check: string, expected: unknown, found: unknown, ok?: boolean) => void,
): void {
  if (part === "ranges") {
    add(part, expected, found, typeof found === "number" && found >= Number(expected));
    return;
  }
  if (part === "states" || part === "records" || typeof found !== "object" || found === null) {
    add(part, expected, found);
    return;
  }
  for (const [name, value] of Object.entries(expected as Record<string, unknown>)) {
    const other = (found as Record<string, unknown>)[name];
    if (name === "keeps") add(`${part}.${name}`, value, other, KEEPS.indexOf(other) >= KEEPS.indexOf(value));
    else add(`${part}.${name}`, value, other);
  }
}

/** What `work` gives, or what it threw, in words. */
async function resultOf<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (RecordingError.is(error)) return `${error.code}: ${error.message}`;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

function isObservation(value: Expectation | string): value is Expectation {
  return typeof value !== "string";
}

/** Plain data alike in everything but the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [of, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => key in other && isSame(of[key], other[key]));
}
