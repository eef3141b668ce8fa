/** simtape/record: records live into HCRP, and brings it into its lasting form. */
export type { Identity, Stance } from "./live/body.ts";
export { changeMetadata, type MetadataChange, type MetadataReport } from "./compact/change-metadata.ts";
export { type CompactOptions, type CompactReport, compact, isCompactionOf } from "./compact/compact.ts";
export { type EraseOptions, type EraseReport, eraseSubject } from "./compact/erase.ts";
export { type Ghost, ghost, readGhost } from "./compact/ghost.ts";
export { type GhostTrack, ghostOf, trackOf } from "./compact/ghost-of.ts";
export { isRecorded } from "./compact/is-recorded.ts";
export type { StrictOptions } from "./compact/source.ts";
export { faultIn } from "./events/definition.ts";
export { EventRecorder, roomIn } from "./events/event-recorder.ts";
export type { LiveTarget } from "./events/live-target.ts";
export type { LiveEvent, LiveEventOf, LiveEvents } from "./events/live-event.ts";
export { RingTarget } from "./events/ring-target.ts";
export type { RecordingLimits } from "./live/limits.ts";
export { type JournalContent, type JournalFile, readJournal } from "./live/journal.ts";
export { OVERFLOW_POLICIES, type OverflowPolicy } from "./live/live-output.ts";
export { RECORDING_PROFILES, type RecordingProfile } from "./live/profile.ts";
export { type Recorder, record } from "./live/recorder.ts";
export { OUTCOMES, type Outcome, type RecorderOptions, type RecorderStatus } from "./live/recorder-options.ts";
export { type RecoverOptions, type RecoverReport, recover } from "./live/recover.ts";
export type { ProfileProperty } from "./live/notes.ts";
export { type Clip, Ring, type RingOptions, type Trigger } from "./live/ring.ts";
export { stateHash } from "./compact/state-hash.ts";
export { type Verdict, type VerdictMark, writeVerdict } from "./compact/verdict.ts";
export { type VerifyOptions, type VerifyReport, verify } from "./compact/verify.ts";
export {
  type CompactionVisitor,
  splits,
  statistics,
  type VisitorMark,
  type VisitorResult,
} from "./compact/visitors.ts";
export { MARK_KINDS, type Mark, type MarkKind, type Point, World } from "./live/world.ts";
