import { eventKinds } from "../model/query/events.ts";
import type { RecordingEvent } from "../model/query/event.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";
import { CompareError } from "./error.ts";
import type { Alignment } from "./report.ts";

/** Names of the alignments that take nothing behind them. */
const PLAIN: readonly string[] = ["start", "utc", "tick"];
const WITH_NAME = /^(mark|event|correlate):(.+)$/s;

/** Throws `CompareError` for a text that is no alignment. */
export function parseAlignment(text: string): Alignment {
  if (PLAIN.includes(text) || WITH_NAME.test(text)) return text as Alignment;
  throw new CompareError(
    "alignment",
    `no alignment: ${JSON.stringify(text)}; there are start, utc, tick, mark:TEXT, event:KIND, correlate:PATH`,
  );
}

/** What is added to times of B. Throws `CompareError` where the recordings do not tell. */
export async function shiftOf(a: Recording, b: Recording, by: Alignment, signal?: AbortSignal): Promise<Time> {
  const [one, other] = [await a.timeline(), await b.timeline()];
  if (by === "utc") {
    if (one.epoch !== null && other.epoch !== null) return Number(other.epoch - one.epoch);
    const which = one.epoch === null ? "first" : "second";
    throw new CompareError(
      "alignment",
      `the ${which} recording does not tell when it began: align it by start, or by a mark`,
    );
  }
  const [, how, name] = WITH_NAME.exec(by) ?? [];
  if (name === undefined) return one.start - other.start;
  if (how === "correlate") return (await import("./correlate.ts")).shiftByPath(a, b, name, signal);
  const isIt = how === "mark" ? isMark(name) : ({ kind }: RecordingEvent): boolean => kind === name;
  const times = [await firstOf(a, how!, name, isIt, signal), await firstOf(b, how!, name, isIt, signal)];
  for (const [i, recording] of [a, b].entries()) {
    if (times[i] !== null) continue;
    const kinds = await eventKinds(recording);
    const there = how === "event" ? `; its kinds are: ${kinds.join(", ") || "none"}` : "";
    const which = i === 0 ? "first" : "second";
    throw new CompareError("alignment", `the ${which} recording has no ${how} ${JSON.stringify(name)}${there}`);
  }
  return times[0]! - times[1]!;
}

function isMark(name: string): (event: RecordingEvent) => boolean {
  return ({ text, kind, channel }) => (kind === "mark" || channel === null) && text === name;
}

async function firstOf(
  recording: Recording,
  how: string,
  name: string,
  isIt: (event: RecordingEvent) => boolean,
  signal: AbortSignal | undefined,
): Promise<Time | null> {
  const kinds = how === "event" ? [name] : undefined;
  for await (const events of recording.events({ kinds, signal })) {
    const found = events.find(isIt);
    if (found !== undefined) return found.time;
  }
  return null;
}
