/** simtape/retention: which recordings of a store are kept, made smaller or deleted, by a policy. */
export {
  planRetention,
  type RetentionOptions,
  type RetentionPlan,
  type RetentionRow,
  undoRetention,
} from "./retain.ts";
export { applyRetention, type RetentionChange, type RetentionResult } from "./apply.ts";
export { PolicyError, parsePolicy } from "./policy.ts";
export type { RetentionClass, RetentionMatch, RetentionPolicy } from "./schema.ts";
export { type Run, runOf } from "./run.ts";
export { retentionIdOf } from "./survey.ts";
export type { MainFile, Placed, Tombstone } from "./tombstone.ts";
