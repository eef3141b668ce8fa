import * as v from "valibot";
import { dictionary, list, matching, number, object, oneOf, type Shape, text, whole } from "../../model/shape.ts";
import type { Value } from "../../model/value.ts";
import { OUTCOMES } from "../live/recorder-options.ts";
import type { LineProtocol } from "./line-protocol.ts";
import { base64, type Command, command, count, id, maybe, name, uuid, yes } from "./shapes.ts";
import { SETS, type SetsTold, STATE_COMMANDS, type StateLines, value } from "./state.ts";
import { PROFILE_PROPERTY, WORLD_COMMANDS, type WorldLines } from "./world.ts";

/** Ticks a second that are recorded. */
export const RATE: number = 20;
/** Ticks that a sender may go on at once: a day. */
export const FARTHEST: number = 86_400 * RATE;
/** A sender's number of a tick at most. */
const LAST_TICK = 2 ** 51;

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
  readonly sets?: SetsTold;
}

export interface EventLine {
  readonly event: string;
  readonly value?: Value;
  readonly base64?: string;
  readonly version?: number;
}

/** Of whom is to be looked at what was done. */
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

/** A line by its first key. */
export interface Line {
  /** Whether it is looked at as a whole, not only the value behind the key. */
  readonly isWhole: boolean;
  readonly shape: Shape<unknown>;
  readonly act: (lines: LineProtocol, told: unknown) => void;
}

const A_RATE = "ticks per second, from one a day to a billion";
const A_DATE = "a date such as 2026-02-01T12:00:00Z";
const A_VERSION = "a text of at most 16 bytes, or 32 hexadecimal digits";
const A_CHANNEL = "a name such as my-simulator:score";
const A_KEY = "a key other than hcrp and simtape";

export const HEADER: Shape<Header> = object({
  simtape: oneOf(1),
  // no tick is longer than a sender may go on at once
  rate: maybe(v.pipe(v.number(A_RATE), v.minValue(RATE / FARTHEST, A_RATE), v.maxValue(1e9, A_RATE))),
  worldId: maybe(uuid),
  // HCRP spec §3: 16 bytes
  worldVersion: maybe(
    v.union([
      matching(/^[0-9a-f]{32}$/, A_VERSION),
      v.pipe(v.string(A_VERSION), v.minLength(1, A_VERSION), v.maxLength(16, A_VERSION), v.maxBytes(16, A_VERSION)),
    ]),
  ),
  startedAt: maybe(
    v.pipe(
      matching(/^\d{4}-\d\d-\d\dT/, A_DATE),
      v.check((date) => Number.isFinite(Date.parse(date)), A_DATE),
    ),
  ),
  dataVersion: maybe(count),
  protocol: maybe(count),
  server: maybe(name),
  metadata: maybe(dictionary(value, v.pipe(v.string(A_KEY), v.notValues(["hcrp", "simtape", ""], A_KEY)))),
  sets: maybe(SETS),
});

const EVENT: Shape<EventLine> = object({
  event: v.pipe(matching(/^(?!simtape:)[^:\s]+:\S+$/, A_CHANNEL), v.maxLength(256, A_CHANNEL)),
  value: maybe(value),
  base64: maybe(base64),
  version: maybe(count),
});

const A_SUBJECT = "a name or UUID of 1 to 200 letters";
const SECONDS_BACK = "seconds, from 0 to a day";
const A_SCORE = "a number from 0 to a million";
const A_TEXT = "a text of at most 4,000 letters";

function called(expected: string) {
  return v.pipe(v.string(expected), v.minLength(1, expected), v.maxLength(200, expected));
}

const REPORT: Shape<ReportLine> = object({
  subject: called(A_SUBJECT),
  text: maybe(v.pipe(v.string(A_TEXT), v.maxLength(4000, A_TEXT))),
  seconds: maybe(v.pipe(v.number(SECONDS_BACK), v.minValue(0, SECONDS_BACK), v.maxValue(86_400, SECONDS_BACK))),
  score: maybe(v.pipe(v.number(A_SCORE), v.minValue(0, A_SCORE), v.maxValue(1e6, A_SCORE))),
  flags: maybe(v.pipe(list(called("a name of 1 to 200 letters")), v.maxLength(50, "at most 50 names"))),
  reporter: maybe(called(A_SUBJECT)),
});

const COMMANDS: Readonly<Record<string, Command<LineProtocol>>> = {
  tick: command(whole(0, LAST_TICK), (lines, tick) => lines.tick(tick)),
  time: command(number, (lines, seconds) => lines.tick(seconds, 1)),
  ...lifted<WorldLines>(WORLD_COMMANDS, (lines, take) => lines.withWorld(take)),
  ...lifted<StateLines>(STATE_COMMANDS, (lines, take) => lines.withStates(take)),
  commit: command(yes, (lines) => lines.commit()),
  snapshot: command(yes, (lines) => lines.recorder!.snapshot()),
  reset: command(yes, (lines) => lines.reset()),
  session: command(name, (lines, reason) => lines.recorder!.session(reason)),
  subject: command(
    object({ id, uuid, name: text, properties: maybe(list(PROFILE_PROPERTY)) }),
    (lines, { id: of, uuid: who, name: called, properties }) => {
      lines.withWorld((world) => lines.recorder!.subject(world.entity(of), who, called, properties));
    },
  ),
  versions: command(
    object({ dataVersion: maybe(count), protocol: maybe(count), server: maybe(name) }),
    (lines, versions) => lines.recorder!.epoch(versions),
  ),
  report: command(REPORT, (lines, report) => lines.report(report)),
  end: command(oneOf(...OUTCOMES.filter((outcome) => outcome !== "open")), (lines, outcome) => lines.end(outcome)),
};

/** What a line may say, by its first key. */
export const LINES: ReadonlyMap<string, Line> = new Map<string, Line>([
  ["simtape", { isWhole: true, ...command<LineProtocol, Header>(HEADER, (lines, header) => lines.header(header)) }],
  ...Object.entries(COMMANDS).map(([key, value]): [string, Line] => [key, { isWhole: false, ...value }]),
  ["event", { isWhole: true, ...command<LineProtocol, EventLine>(EVENT, (lines, event) => lines.event(event)) }],
]);

/** What any line is; `docs/line-protocol.schema.json` is made of it. */
export const LINE: Shape<unknown> = v.union(
  [...LINES].map(([key, { isWhole, shape }]) => (isWhole ? shape : object({ [key]: shape }))),
);

function lifted<C>(
  commands: Readonly<Record<string, Command<C>>>,
  context: (lines: LineProtocol, take: (context: C) => void) => void,
): Record<string, Command<LineProtocol>> {
  return Object.fromEntries(
    Object.entries(commands).map(([key, { shape, act }]) => [
      key,
      { shape, act: (lines: LineProtocol, told: unknown) => context(lines, (own) => act(own, told)) },
    ]),
  );
}
