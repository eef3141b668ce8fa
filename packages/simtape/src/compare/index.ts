/** Two recordings side by side: where they differ, and by how much. */
export { compare, type CompareOptions } from "./compare.ts";
export { CompareError, type CompareErrorCode } from "./error.ts";
export { comparisonPage, type PageOptions } from "./page.ts";
export type {
  Alignment,
  ComparedEvent,
  ComparedSide,
  Comparison,
  Divergence,
  EventDifference,
  Match,
  OnlyIn,
  PathDifference,
  Which,
} from "./report.ts";
