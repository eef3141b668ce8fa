import { AskError, pointed } from "../../ask/error.ts";
import { UsageError } from "../run/failure.ts";

/** A wrong expression is wrong usage: what is wrong, the expression, and a caret below the part. */
export async function usableExpression<T>(text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw AskError.is(error) ? wrongExpression(text, error) : error;
  }
}

export function wrongExpression(text: string, error: AskError): UsageError {
  return new UsageError(error.message, pointed(text, error));
}
