/** simtape/serving: what a server of recordings and of the viewer's page is made with. */
export { storeAt } from "./command-path.ts";
export { cacheFolder } from "../io/node/side-cars.ts";
export { EXIT, failureOf, type Failure, UsageError } from "./failure.ts";
export { type FoundRecording, recordingsIn } from "./folders.ts";
export { csvRow, textCell } from "./csv.ts";
export { damageIn } from "./ending.ts";
export { checkKinds } from "./events.ts";
export { annotated, excerpt, type ExcerptOptions, type ExcerptReport } from "./excerpt.ts";
export { findingToPlain } from "./info.ts";
export { stateToJson, toJson } from "./json.ts";
export { partOf } from "./state-part.ts";
export { parseRange, parseTime } from "./time.ts";
export { byteSize, counted, Output, paint, Progress, say } from "./output.ts";
export { holds } from "./holds.ts";
export { pageOf, policyOf, sendPart } from "./view-page.ts";
export { isReachedFromElsewhere, Names, originOf, type Reach } from "./view-reach.ts";
export { placesIn, type ViewFacts } from "./view-facts.ts";
export { journalFile } from "../io/node/journal-file.ts";
export { JOURNAL } from "../record/live/recording-folder.ts";
export { s3Presigner } from "../io/s3.ts";
export { recognize } from "../model/open.ts";
export { formatOfFolder, isSecondOfPair, mayBelong } from "../model/file-names.ts";
export { answerStore, STORE_STATUS, type StoreAnswer, type StoreRequest } from "../io/store-answer.ts";
export { makeSideCar, type SideCarOptions, type SideCarReport } from "../ops/side-car.ts";
export type { ReportLine } from "../record/lines/commands.ts";
export {
  type HeaderOptions,
  LineError,
  LineProtocol,
  type LineProtocolOptions,
} from "../record/lines/line-protocol.ts";
export { RingTarget } from "../record/lines/ring-target.ts";
