import { Type } from "typebox";
import { AskError, checkExpression, pointed } from "simtape/ask";
import { Problem } from "../../problem.ts";

/** An expression of a search or a request: see docs/ask.md. */
export const EXPRESSION = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "an expression over paths: any vehicles (speed > 100 km/h)",
  examples: ["any vehicles (speed > 100 km/h)"],
});

/** The problem of a wrong expression: `excerpt` has the line that is wrong, and below it carets under the part. */
export function expressionProblem(error: AskError, text: string): Problem {
  const { code, message, offset, length } = error;
  return new Problem(400, message, { code, offset, length, excerpt: pointed(text, error) });
}

/** Throws `Problem` for what is no expression of any recording. */
export function mustBeExpression(text: string): void {
  try {
    checkExpression(text);
  } catch (error) {
    throw AskError.is(error) ? expressionProblem(error, text) : error;
  }
}
