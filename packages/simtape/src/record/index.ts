/** simtape/record: records live into HCRP, keeps what was recorded, and brings it into its lasting form. */
export type { Identity, Stance } from "./body.ts";
export { changeMetadata, type MetadataChange, type MetadataReport } from "./change-metadata.ts";
export { type CompactOptions, type CompactReport, compact, isCompactionOf } from "./compact.ts";
export { type Ghost, ghost, readGhost } from "./compact-ghost.ts";
export type { StrictOptions } from "./compact-source.ts";
export { type TrainOptions, trainDictionary } from "./dictionary.ts";
export type { RecordingLimits } from "./limits.ts";
export { type JournalContent, type JournalFile, readJournal } from "./journal.ts";
export { OVERFLOW_POLICIES, type OverflowPolicy } from "./live-output.ts";
export { RECORDING_PROFILES, type RecordingProfile } from "./profile.ts";
export { type Recorder, record } from "./recorder.ts";
export { OUTCOMES, type Outcome, type RecorderOptions, type RecorderStatus } from "./recorder-options.ts";
export { type RecoverOptions, type RecoverReport, recover } from "./recover.ts";
export {
  planRetention,
  type RetentionOptions,
  type RetentionPlan,
  type RetentionRow,
  undoRetention,
} from "./retain.ts";
export { applyRetention, type RetentionChange, type RetentionResult } from "./retain-apply.ts";
export { parsePolicy, type RetentionClass, type RetentionMatch, type RetentionPolicy } from "./retain-policy.ts";
export { PolicyError, RETENTION_SCHEMA } from "./retain-schema.ts";
export type { MainFile, Placed, Tombstone } from "./retain-tombstone.ts";
export { type Clip, Ring, type RingOptions, type Trigger } from "./ring.ts";
export { stateHash } from "./state-hash.ts";
export { type VerifyOptions, type VerifyReport, verify } from "./verify.ts";
export { type CompactionVisitor, splits, statistics, type VisitorMark, type VisitorResult } from "./visitors.ts";
export { MARK_KINDS, type Mark, type MarkKind, type Point, World } from "./world.ts";
