/** simtape/command: what commands of other packages are declared and run with. Loads little: each command waits for it. */
export { toJson } from "../model/values/json.ts";
export { cacheFolder } from "../io/node/side-cars.ts";
export { SinkError } from "../io/sink/sink.ts";
export { SourceError } from "../io/source/source.ts";
export { EXIT, failureOf, type Failure, UsageError } from "./run/failure.ts";
export { byteSize, counted, Output, paint, Progress, say } from "./run/terminal.ts";
export { seeks } from "./input/recordings.ts";
export { type FindCommand, findWhere, type NamedPlace } from "./commands/find.ts";
export { type FeedPlace, parseFeedPlaces } from "./live/feed-at.ts";
export { type OutletPlace, parseOutletPlaces } from "./live/outlet-at.ts";
