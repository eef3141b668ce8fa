/** A lake: a partitioned Parquet data set of the recordings of a store, kept current. */
export {
  type LakeChange,
  type LakeOptions,
  manifestsIn,
  recordingsIn,
  removeRecording,
  updateLake,
  updateRecording,
} from "./lake.ts";
export { recordingId } from "./layout.ts";
export type { LakeFile, LakeOrigin, Manifest } from "./manifest.ts";
export type { LakeSource } from "./source.ts";
export { type LakeSweep, sweepLake } from "./sweep.ts";
export type { LakeContent } from "./tables.ts";
