import { isSegment } from "../../io/store/store-key.ts";
import {
  anything,
  checked,
  dictionary,
  maybe,
  object,
  oneOf,
  type Shape,
  sized,
  text,
  whole,
} from "../../model/shape.ts";
import { type Outcome, OUTCOMES } from "../live/recorder-options.ts";

/** Fields of a recording's header, without the one that names the protocol; the recording's own lines check them. */
type HeaderFields = Readonly<Record<string, unknown>>;

/** A run begins: it is a recording of its own. */
export interface Begin {
  readonly rec: string;
  readonly header?: HeaderFields;
  /** Ticks: a shorter run is thrown away when it ends. */
  readonly least?: number;
}

/** A run is over. */
export interface End {
  readonly rec: string;
  readonly outcome?: Exclude<Outcome, "open">;
  /** As the game has measured it, which is finer than ticks. */
  readonly durationMs?: number;
}

/** The last minutes of a world are kept in memory from now on. */
export interface RingLine {
  readonly rec: string;
  readonly seconds?: number;
  readonly header?: HeaderFields;
}

/** What a ring holds becomes a recording. */
export interface Save {
  readonly rec: string;
  readonly as: string;
  readonly tailSeconds?: number;
  readonly reason?: string;
}

const A_REC = "a name of letters, digits and . _ -";
const rec: Shape<string> = checked(sized(0, Infinity, A_REC), A_REC, isSegment);
const header: Shape<HeaderFields> = dictionary(anything);
/** Seconds that a ring holds at most: an hour. */
const LONGEST = 3600;

const begin: Shape<Begin> = object({ rec, header: maybe(header), least: maybe(whole(0, 1_728_000)) });
const end: Shape<End> = object({
  rec,
  outcome: maybe(oneOf(...OUTCOMES.filter((outcome) => outcome !== "open"))),
  durationMs: maybe(whole(0, 2 ** 47)),
});
const ring: Shape<RingLine> = object({ rec, seconds: maybe(whole(1, LONGEST)), header: maybe(header) });
const save: Shape<Save> = object({
  rec,
  as: rec,
  tailSeconds: maybe(whole(0, LONGEST)),
  reason: maybe(text),
});

/** Lines for a hub itself, by their only key. */
export type HubLine = "begin" | "end" | "ring" | "save";
export const HUB_LINES: Readonly<Record<HubLine, Shape<unknown>>> = { begin, end, ring, save };
