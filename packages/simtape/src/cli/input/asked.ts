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

/**
 * Of the columns that are asked for, those that are recorded, and those that are expressions. A name that is no expression
 * is one of a column, whatever signs it has.
 */
export async function derivedAmong(
  names: readonly string[],
): Promise<{ readonly recorded: readonly string[]; readonly derived: readonly string[] }> {
  if (!names.some((name) => SIGNS.test(name))) return { recorded: names, derived: [] };
  const { parse } = await import("../../ask/parser.ts");
  const isDerived = (name: string): boolean => {
    if (!SIGNS.test(name)) return false;
    try {
      return parse(name).kind !== "name" || name.includes("(");
    } catch (error) {
      if (!AskError.is(error)) throw error;
      // with a parenthesis it was meant as one: say what is wrong
      if (name.includes("(")) throw wrongExpression(name, error);
      return false;
    }
  };
  const derived = names.filter(isDerived);
  return { recorded: names.filter((name) => !derived.includes(name)), derived };
}

/** Signs that expressions have, and names seldom. */
const SIGNS = /[\s()[\]<>=~+*"'`]/;
