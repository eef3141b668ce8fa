import { CommanderError } from "commander";
import { BudgetError } from "../../bytes/budget.ts";
import { LayoutError } from "../../bytes/error.ts";
import { LockedError } from "../../io/node/file-lock.ts";
import { SourceError } from "../../io/source/source.ts";
import { StoreError } from "../../io/store/store.ts";
import { RecordingError } from "../../model/error.ts";
import { SqlError } from "../../sql/error.ts";

/** What a process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2, lossy: 3 } as const;

/** The command was used wrongly: said in one line, exit 2. */
export class UsageError extends Error {
  /** Lines shown below the message, which point at what is wrong; null: none. */
  readonly excerpt: string | null;

  constructor(message: string, excerpt: string | null = null) {
    super(message);
    this.name = "UsageError";
    this.excerpt = excerpt;
  }
}

/** Another program that the command needs has failed, or has ended early: said in one line, exit 1. */
export class ProgramError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProgramError";
  }
}

/** Why a command, or one of its files, came to nothing: `error` in what `--json` prints. */
export interface Failure {
  /** `"usage"`; the code of the library's error; `"program"`: of another program; that of the system, as `"EADDRINUSE"`; or `"internal"`: a fault of ours. */
  readonly code: string;
  /** One line. */
  readonly message: string;
  /** Byte of the file at which it was found; null: at none. */
  readonly offset: number | null;
  /** The exit code that goes with it. */
  readonly exit: number;
}

/** What went wrong, as commands tell it. */
export function failureOf(error: unknown): Failure {
  const failed = (code: string, message: string, offset: number | null = null): Failure => ({
    code,
    message,
    offset,
    exit: EXIT.failed,
  });
  if (error instanceof UsageError) return { code: "usage", message: error.message, offset: null, exit: EXIT.usage };
  if (error instanceof CommanderError)
    return { code: "usage", message: error.message.replace(/^error: /, ""), offset: null, exit: EXIT.usage };
  if (SqlError.is(error)) return { ...failed(`sql-${error.code}`, error.message), exit: sqlExit(error) };
  if (RecordingError.is(error)) return failed(error.code, error.message, error.offset ?? null);
  if (error instanceof LayoutError) return failed(error.reason, error.message, error.offset);
  if (error instanceof BudgetError) return failed("over-budget", error.message);
  if (error instanceof SourceError) return failed(`source-${error.reason}`, error.message);
  if (error instanceof StoreError) return failed(`store-${error.code}`, error.message);
  if (error instanceof ProgramError) return failed("program", error.message);
  if (error instanceof LockedError) return failed("locked", error.message);
  if (isOfSystem(error)) return failed(error.code ?? "system", error.message);
  return failed("internal", error instanceof Error ? error.message : String(error));
}

/** A statement that is wrong is wrong usage; one that could not be carried out has failed. */
function sqlExit({ code }: SqlError): number {
  return code === "failed" || code === "limit" ? EXIT.failed : EXIT.usage;
}

/** What the system refused, in its own words. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}
