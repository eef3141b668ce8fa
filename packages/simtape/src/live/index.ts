/** Running programs: what they say is recorded, and recordings play into them. */
export { Deck, type DeckEntry, type Loaded } from "./deck.ts";
export type { Feed, FeedChannel, Intake, TakeDescription } from "./feed.ts";
export { finishTake, type FinishReport, openingFrom } from "./finish.ts";
export {
  type Gap,
  JournalReader,
  type JournalVisitor,
  JournalWriter,
  type LostNote,
  type TakeHead,
} from "./journal.ts";
export { both } from "./both.ts";
export { Mirror, type MirrorTarget, type OpenMirror } from "./mirror.ts";
export type { Outlet, OutletStatus } from "./outlet.ts";
export { Pieces, type PiecesOptions } from "./pieces.ts";
export { LiveRing, type RingOptions } from "./ring.ts";
export { recordInto, recordTake, type TakeOptions, type TakeReport, type TakeStatus } from "./take.ts";
export type { Keeper } from "./session.ts";
export { type Connect, nanoverFeed } from "./nanover/feed.ts";
export { type Listen, nanoverOutlet, type NanoverOutletOptions } from "./nanover/outlet.ts";
export type { Asset } from "./foxglove/assets.ts";
export { type ConnectToFoxglove, foxgloveFeed, type FoxgloveFeedOptions } from "./foxglove/feed.ts";
export { foxgloveOutlet, type FoxgloveOutletOptions, type ListenForFoxglove } from "./foxglove/outlet.ts";
export { PROTOCOLS as FOXGLOVE_PROTOCOLS } from "./foxglove/protocol.ts";
