/** simtape/serving: what a server of recordings and of the viewer's page is made with. */
export { storeAt } from "./input/command-path.ts";
export { failureLine, forEach } from "./input/each.ts";
export { type FoundRecording, recordingsIn } from "./input/folders.ts";
export { csvRow, textCell } from "../export/csv.ts";
export { ANSWER_FORMATS, type AnswerFormat, writeAnswer } from "./output/answer-rows.ts";
export { damageIn } from "./run/ending.ts";
export { checkKinds } from "./input/event-kinds.ts";
export { annotated, excerpt, type ExcerptOptions, type ExcerptReport, soundly } from "./output/excerpt.ts";
export { findingToPlain } from "./output/findings.ts";
export { stateToJson } from "./output/json.ts";
export { type PlainSeries, plainSeries, SERIES_HEADER, seriesRows } from "./output/series-text.ts";
export { partOf } from "./input/state-part.ts";
export { parseRange, parseTime } from "./input/time.ts";
export { type Fits, neverFits, summed } from "./find/look.ts";
export { feedAt } from "./live/feed-at.ts";
export { outletAt } from "./live/outlet-at.ts";
export { holds } from "./output/holds.ts";
export { pageOf, policyOf, sendPart } from "./view/page.ts";
export { isReachedFromElsewhere, Names, originOf, type Reach } from "./view/reach.ts";
export { placesIn, type ViewFacts } from "./view/facts.ts";
export { journalFile } from "../io/node/journal-file.ts";
export { JOURNAL } from "../record/live/recording-folder.ts";
export { s3Presigner } from "../io/s3/s3.ts";
export { shownUrl } from "../io/source/shown-url.ts";
export { holdsRecording } from "../ops/holds-recording.ts";
export { PROVENANCE_ENDING } from "../model/annotation.ts";
export {
  formatOfFolder,
  isSecondOfPair,
  mayBelong,
  isWorldFile,
  showsWorld,
  showsWorldOf,
  WORLD_ENDINGS,
} from "../model/file-names.ts";
export { answerStore, STORE_STATUS, type StoreAnswer, type StoreRequest } from "../io/store/store-answer.ts";
export { makeSideCar, type SideCarOptions, type SideCarReport } from "../ops/side-car.ts";
export type { ReportLine } from "../record/lines/commands.ts";
export {
  type HeaderOptions,
  LineError,
  LineProtocol,
  type LineProtocolOptions,
} from "../record/lines/line-protocol.ts";
