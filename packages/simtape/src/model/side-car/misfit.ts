import { BudgetError } from "../../bytes/budget.ts";
import { LayoutError } from "../../bytes/error.ts";
import { SourceError } from "../../io/source/source.ts";

/** Whether it says that a side-car cannot be used: the recording is read without it then. */
export function isMisfit(error: unknown): error is Error {
  return error instanceof LayoutError || error instanceof SourceError || error instanceof BudgetError;
}
