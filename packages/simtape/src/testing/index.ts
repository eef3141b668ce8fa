/** What every format must do, and the conformance corpus with its runner; bound to no test framework. */
export {
  type CaseFile,
  type CaseFiles,
  type ConformanceCase,
  type ContentExpectation,
  type CorpusIndex,
  type Damage,
  type Expectation,
  type LoadedCase,
  loadCorpus,
  type Part,
  PARTS,
  type ReadingExpectation,
  type RepairExpectation,
  type StateExpectation,
  type WritingExpectation,
} from "./corpus.ts";
export { type CorruptionStep, damaged } from "./damage.ts";
export { describeFormat, type DescribeOptions, type Specimen, type TestRunner } from "./describe-format.ts";
export { messagesDigest, sha256, stateDigest, stateText } from "./digest.ts";
export { ObservationError, observe } from "./observe.ts";
export { type CaseResult, type CheckResult, runCase, type RunOptions } from "./run.ts";
