/** Questions about recordings in a small language: when is something true, and how large is it. docs/ask.md describes it. */
export type { Answer } from "./answers.ts";
export {
  ask,
  askEach,
  askUnlessNever,
  type AskOptions,
  checkExpression,
  type DerivedBatch,
  type EachValues,
  Question,
} from "./ask.ts";
export { type DerivedTable, derivedTable } from "./columns.ts";
export { type Completion, completeExpression } from "./complete.ts";
export { AskError, type AskErrorCode, type Place, pointed } from "./error.ts";
export type { NodeType } from "./node.ts";
