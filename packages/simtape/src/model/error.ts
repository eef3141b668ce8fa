import { BudgetError } from "../bytes/budget.ts";
import { LayoutError } from "../bytes/error.ts";
import { UnavailableError } from "../codec/unavailable.ts";
import { SourceError } from "../io/source/source.ts";
import type { KnownFindingCode } from "./finding-codes.ts";

/** Code of a `RecordingError`. */
export type RecordingErrorCode =
  | "unknown-format"
  | "ambiguous-format"
  | "malformed"
  | "truncated"
  | "unsupported"
  | "over-budget"
  | "source-changed"
  | "source-failed"
  | "closed";

const BRAND = Symbol.for("simtape.RecordingError");

/**
 * The error of every operation on a recording. Test for it with `RecordingError.is`, which also recognises errors of
 * another copy of the library.
 */
export class RecordingError extends Error {
  readonly code: RecordingErrorCode;
  /** Id of the format that was being read, when known. */
  readonly format: string | null;
  /** File offset, when there is one. */
  readonly offset: number | null;

  constructor(
    code: RecordingErrorCode,
    message: string,
    where: { format?: string | undefined; offset?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.name = "RecordingError";
    Object.defineProperty(this, BRAND, { value: true });
    this.code = code;
    this.format = where.format ?? null;
    this.offset = where.offset ?? null;
  }

  static is(error: unknown): error is RecordingError {
    return typeof error === "object" && error !== null && BRAND in error;
  }

  /** Turns what layout code, decoders, sources and budgets throw into a `RecordingError`; leaves every other error as it is. */
  static from(error: unknown, format: string, section?: string): unknown {
    if (error instanceof LayoutError) {
      const message = section === undefined ? error.message : `${section}: ${error.message}`;
      return new RecordingError(error.reason, message, { format, offset: error.offset, cause: error });
    }
    if (error instanceof BudgetError) return new RecordingError("over-budget", error.message, { format, cause: error });
    if (error instanceof UnavailableError)
      return new RecordingError("unsupported", error.message, { format, cause: error });
    if (error instanceof SourceError) {
      const code =
        error.reason === "changed" ? "source-changed" : error.reason === "closed" ? "closed" : "source-failed";
      return new RecordingError(code, error.message, { format, cause: error });
    }
    return error;
  }
}

/** What the engine says of a fault in code; a writer's own words are of what it was given. */
const OF_ENGINE = /^(Invalid|Maximum call stack|Offset is outside|Array buffer|Source is too large|Start offset)/;

/** Whether a writer refused what its format cannot hold, as `Writer` says. */
export function isRefusal(error: unknown): error is RangeError {
  return error instanceof RangeError && !OF_ENGINE.test(error.message);
}

/** What a writer of that format threw, as a `RecordingError` where it says something of the recording. */
export function unwritable(error: unknown, format: string): unknown {
  if (isRefusal(error)) return new RecordingError("unsupported", error.message, { format, cause: error });
  return RecordingError.from(error, format);
}

/** A code of simtape, or a code of another package's format, with the format's id before it: `poselog:bad-line`. */
export type FindingCode = KnownFindingCode | `${string}:${string}`;

/** Lost or doubtful content, reported and not thrown. */
export interface Finding {
  /** Stable, see `FINDING_CODES`. */
  readonly code: FindingCode;
  /**
   * `damage`: something in the file is broken; `loss`: content is known to be missing; `warning`: odd, but nothing is
   * lost; `note`: worth knowing.
   */
  readonly severity: "note" | "warning" | "damage" | "loss";
  readonly message: string;
  /** File offset, when there is one. */
  readonly offset?: number | undefined;
  /** Number of bytes concerned, when known. */
  readonly length?: number | undefined;
  /** Nanoseconds since the start, when known. */
  readonly time?: number | undefined;
}

/** Takes findings while something is read. */
export interface Reporter {
  report(finding: Finding): void;
}

/** Keeps the first `limit` findings of each code, then counts. */
export class Findings implements Reporter {
  readonly #kept: Finding[] = [];
  readonly #counts = new Map<FindingCode, number>();
  readonly #limit: number;

  constructor(limit = 100) {
    this.#limit = limit;
  }

  report(finding: Finding): void {
    const count = (this.#counts.get(finding.code) ?? 0) + 1;
    this.#counts.set(finding.code, count);
    if (count <= this.#limit) this.#kept.push(finding);
  }

  /** In the order reported; codes that were met more often than the limit end with one finding that counts the rest. */
  list(): readonly Finding[] {
    const rest: Finding[] = [];
    for (const [code, count] of this.#counts) {
      if (count <= this.#limit) continue;
      const severity = this.#kept.find((finding) => finding.code === code)!.severity;
      rest.push({ code, severity, message: `and ${count - this.#limit} more of these` });
    }
    return [...this.#kept, ...rest];
  }
}
