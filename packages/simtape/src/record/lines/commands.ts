import {
  between,
  checked,
  dictionary,
  list,
  matching,
  maybe,
  number,
  object,
  oneOf,
  type Shape,
  shape,
  sized,
  union,
} from "../../model/shape.ts";
import type { Value } from "../../model/values/value.ts";
import { type Definition, EVENTS } from "../events/definition.ts";
import type { LiveEvent } from "../events/live-event.ts";
import { count, name, uuid, value } from "../events/shapes.ts";
import { type DeclaredSets, SETS } from "../events/state-shapes.ts";
import { type Outcome, OUTCOMES } from "../live/recorder-options.ts";

/** Ticks a second that are recorded. */
export const RATE: number = 20;
/** Ticks that a sender may go on at once: a day. */
export const FARTHEST: number = 86_400 * RATE;

/** The first line. */
export interface Header {
  readonly simtape: 1;
  readonly rate?: number;
  readonly worldId?: string;
  readonly worldVersion?: string;
  readonly startedAt?: string;
  readonly dataVersion?: number;
  readonly protocol?: number;
  readonly server?: string;
  readonly metadata?: Readonly<Record<string, Value>>;
  readonly sets?: DeclaredSets;
}

/** What a player did is to be looked at. */
export interface ReportLine {
  readonly subject: string;
  readonly text?: string;
  /** Seconds before this moment that it is about. */
  readonly seconds?: number;
  /** How sure a detector is. */
  readonly score?: number;
  readonly flags?: readonly string[];
  readonly reporter?: string;
}

export type JsonLine = Readonly<Record<string, unknown>>;

const A_RATE = "ticks per second, from one a day to a billion";
const A_DATE = "a date such as 2026-02-01T12:00:00Z";
const A_VERSION = "a text of at most 16 bytes, or 32 hexadecimal digits";

const TAKEN: readonly unknown[] = ["hcrp", "simtape", ""];
const own: Shape<string> = shape(
  { type: "string", not: { enum: TAKEN } },
  "a key other than hcrp and simtape",
  (key) => !TAKEN.includes(key),
);

export const HEADER: Shape<Header> = object({
  simtape: oneOf(1),
  // no tick is longer than a sender may go on at once
  rate: maybe(between(RATE / FARTHEST, 1e9, A_RATE)),
  worldId: maybe(uuid),
  // HCRP spec §3: 16 bytes
  worldVersion: maybe(
    union(
      matching(/^[0-9a-f]{32}$/, A_VERSION),
      checked(sized(1, 16, A_VERSION), A_VERSION, (version) => new TextEncoder().encode(version).length <= 16),
    ),
  ),
  startedAt: maybe(checked(matching(/^\d{4}-\d\d-\d\dT/, A_DATE), A_DATE, (date) => Number.isFinite(Date.parse(date)))),
  dataVersion: maybe(count),
  protocol: maybe(count),
  server: maybe(name),
  metadata: maybe(dictionary(value, own)),
  sets: maybe(SETS),
});

const called = sized(1, 200, "a name or UUID of 1 to 200 letters");

const REPORT: Shape<ReportLine> = object({
  subject: called,
  text: maybe(sized(0, 4000, "a text of at most 4,000 letters")),
  seconds: maybe(between(0, 86_400, "seconds, from 0 to a day")),
  score: maybe(between(0, 1e6, "a number from 0 to a million")),
  flags: maybe(list(sized(1, 200, "a name of 1 to 200 letters"), 0, 50, "at most 50 names")),
  reporter: maybe(called),
});

const ENDINGS = OUTCOMES.filter((outcome) => outcome !== "open");
const END: Shape<Exclude<Outcome, "open">> = oneOf(...ENDINGS);

/** A line by its first key. */
export interface Line {
  /** Whether all of the line is checked and taken, not only the value behind the key. */
  readonly isWhole: boolean;
  readonly shape: Shape<unknown>;
}

/** What lines say beside events: the keys, and what is behind them. */
export type ControlLine =
  | { readonly kind: "simtape"; readonly value: Header }
  | { readonly kind: "time"; readonly value: number }
  | { readonly kind: "report"; readonly value: ReportLine }
  | { readonly kind: "end"; readonly value: Exclude<Outcome, "open"> };

/** A line that was checked. */
export type CheckedLine = LiveEvent | ControlLine;

/** Those of them that are no part of the time or the header. */
export const CONTROL: { readonly report: Definition<ReportLine>; readonly end: Definition<Exclude<Outcome, "open">> } =
  {
    report: {
      shape: REPORT,
      about:
        'a subject is to be looked at. Only a [server](server.md#review) takes it; elsewhere a `"mark"` of the kind `report` stays in the recording',
      notes: {
        subject: "name or UUID",
        seconds: "before this moment that it is about; 300",
        reporter: "where its token is [trusted](server.md#review)",
      },
    },
    end: {
      shape: END,
      about: `how it ended: ${ENDINGS.map((outcome) => `\`"${outcome}"\``).join(", ")}. Nothing behind it is read`,
    },
  };

/** What a line may say, by its first key. */
export const LINES: ReadonlyMap<string, Line> = new Map<string, Line>([
  ["simtape", { isWhole: true, shape: HEADER }],
  ["tick", { isWhole: false, shape: EVENTS.tick.shape }],
  ["time", { isWhole: false, shape: number }],
  ...Object.entries(EVENTS).map(([kind, { shape }]): [string, Line] => [kind, { isWhole: kind === "event", shape }]),
  ["report", { isWhole: false, shape: REPORT }],
  ["end", { isWhole: false, shape: END }],
]);

/** What any line is; `docs/line-protocol.schema.json` is made of it. */
export const LINE: Shape<unknown> = union(
  ...[...LINES].map(([key, { isWhole, shape }]) => (isWhole ? shape : object({ [key]: shape }))),
);
