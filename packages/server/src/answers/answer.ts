import { type Answer, AskError, askUnlessNever } from "simtape/ask";
import { fittingTargets, PathError, type Recording, RecordingError, type RecordingEvent } from "simtape";
import {
  checkKinds,
  damageIn,
  findingToPlain,
  neverFits,
  parseRange,
  parseTime,
  partOf,
  plainSeries,
  SERIES_HEADER,
  seriesRows,
  stateToJson,
  summed,
} from "simtape/serving";
import { toJson, UsageError } from "simtape/command";
import { Problem } from "../problem.ts";
import { expressionProblem } from "../catalog/search/expression.ts";
import type { EventsQuestion, Question, Refusal, SeriesQuestion, StateQuestion, WhenQuestion } from "./question.ts";

/** Most rows of all series of an answer together. */
const MOST_ROWS = 200_000;

/** Answers a question with JSON. Rejects with an error that `refusalOf` understands. */
export function answer(recording: Recording, question: Question, signal: AbortSignal): Promise<string> {
  switch (question.of) {
    case "events":
      return eventsOf(recording, question, signal);
    case "series":
      return seriesOf(recording, question, signal);
    case "state":
      return stateOf(recording, question);
    case "when":
      return whenOf(recording, question, signal);
    case "targets":
      return targetsOf(recording);
    default:
      return question satisfies never;
  }
}

/** The answer for an error; null: the error is a fault of the server. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Problem) return { status: error.status, message: error.message, more: error.more };
  if (error instanceof UsageError) return { status: 400, message: error.message, more: {} };
  if (error instanceof PathError) return { status: 400, message: error.message, more: { existing: error.existing } };
  if (!RecordingError.is(error)) return null;
  const status = error.code === "source-changed" ? 409 : error.code === "source-failed" ? 503 : 422;
  return { status, message: error.message, more: { code: error.code } };
}

async function eventsOf(recording: Recording, question: EventsQuestion, signal: AbortSignal): Promise<string> {
  const { kinds, who, limit, cursor } = question;
  await checkKinds(recording, kinds);
  const range = await parseRange(question, recording);
  const behind = cursor === undefined ? null : placeOf(cursor);
  const start = behind === null ? range.start : Math.max(behind.time, range.start ?? behind.time);
  const query = { start, end: range.end, who, signal, ...(kinds.length > 0 ? { kinds } : {}) };
  let skipped = behind?.count ?? 0;
  const found: RecordingEvent[] = [];
  for await (const events of recording.events(query)) {
    for (const event of events) {
      if (skipped > 0 && event.time === behind!.time) skipped--;
      else found.push(event);
      if (found.length > limit) break;
    }
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const next = found.length > limit ? cursorBehind(shown, behind) : null;
  return toJson({ events: shown, cursor: next, findings: findingsOf(recording) });
}

/** A place among events: a time, and how many of the events at that time come before the place. */
interface Place {
  readonly time: number;
  readonly count: number;
}

function cursorBehind(shown: readonly RecordingEvent[], before: Place | null): string {
  const { time } = shown.at(-1)!;
  const here = shown.filter((event) => event.time === time).length;
  return `${time}+${here + (before?.time === time ? before.count : 0)}`;
}

function placeOf(cursor: string): Place {
  const [, time, count] = /^(-?\d{1,16}(?:\.\d+)?)\+(\d{1,9})$/.exec(cursor) ?? [];
  if (time === undefined) throw new UsageError("this cursor does not come from this server");
  return { time: Number(time), count: Number(count) };
}

async function seriesOf(
  recording: Recording,
  question: SeriesQuestion & Pick<Question, "isCsv">,
  signal: AbortSignal,
): Promise<string> {
  const { paths, points, mode, isCsv } = question;
  const range = await parseRange(question, recording);
  const most = paths.length * points * (mode === "minmax" ? 4 : 1);
  if (most > MOST_ROWS)
    throw new UsageError(`${paths.length} paths with ${points} points are more than an answer has; ask for fewer`);
  const series = await recording.series(paths, { ...range, points, mode, signal });
  const plain = series.map(plainSeries);
  if (isCsv === true) return SERIES_HEADER + seriesRows(plain);
  return toJson({ series: plain, findings: findingsOf(recording) });
}

async function stateOf(recording: Recording, { at, paths }: StateQuestion): Promise<string> {
  const whole = await recording.state(await parseTime(at, recording));
  const state = paths.length === 0 ? whole : partOf(whole, paths);
  return stateToJson(state, findingsOf(recording));
}

async function whenOf(recording: Recording, question: WhenQuestion, signal: AbortSignal): Promise<string> {
  const { where, limit } = question;
  const range = await parseRange(question, recording);
  try {
    const { question: asked, measure } = await askUnlessNever(recording, where, { ...range, signal });
    const intervals: Answer[] = [];
    const take = (answers: readonly Answer[]): void =>
      void intervals.push(...answers.slice(0, limit - intervals.length));
    const { isDecided: _, ...fits } = asked === null ? neverFits(measure) : await summed(asked, take);
    return toJson({ ...fits, intervals, findings: findingsOf(recording) });
  } catch (error) {
    if (!AskError.is(error)) throw error;
    throw expressionProblem(error, where);
  }
}

async function targetsOf(recording: Recording): Promise<string> {
  const found = await fittingTargets(recording);
  const targets = found.map(({ target: { id, name, extensions, mediaType, carries }, fits }) => {
    return { id, name, extensions, mediaType, carries, fits };
  });
  return toJson({ targets });
}

function findingsOf(recording: Recording): readonly unknown[] {
  return damageIn(recording.findings).map(findingToPlain);
}
