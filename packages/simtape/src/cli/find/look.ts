import type { Answer } from "../../ask/answers.ts";
import type { Question } from "../../ask/ask.ts";
import { AskError, type AskErrorCode } from "../../ask/error.ts";
import { RecordingError, type RecordingErrorCode } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";

/** What is asked of each recording. */
export interface Asked {
  readonly expression: string;
  /** Only whether it is ever true, and not how often: reading stops at the first time. */
  readonly isWhether: boolean;
}

/** What became of the question in one recording: plain data, which goes from thread to thread. */
export type Found =
  | { readonly how: "answered"; readonly fits: Fits }
  /** It names what the recording does not have. */
  | { readonly how: "unfit"; readonly error: Unfit }
  /** It could not be read. */
  | { readonly how: "failed"; readonly code: RecordingErrorCode; readonly message: string };

/** The members of an `AskError`. */
export type Unfit = Pick<AskError, "message" | "offset" | "length"> & { readonly code: AskErrorCode };

/** How often an expression is true in a recording. */
export interface Fits {
  /** Null: it was asked whether, and it is. */
  readonly count: number | null;
  /** How long it is true in all. */
  readonly time: Time;
  readonly first: Time | null;
  readonly extreme: number | null;
  readonly at: Time | null;
  readonly thing: string | null;
  readonly measure: Question["measure"];
  /** What the side-car says decided: no message was read for it. */
  readonly isDecided: boolean;
}

const NEVER: Fits = {
  ...{ count: 0, time: 0, first: null, extreme: null, at: null, thing: null, measure: null, isDecided: false },
};

/** Asks a recording, which is opened and closed. */
export async function lookInto(open: () => Promise<Recording>, { expression, isWhether }: Asked): Promise<Found> {
  try {
    const recording = await open();
    try {
      const { askUnlessNever } = await import("../../ask/ask.ts");
      const { question, measure } = await askUnlessNever(recording, expression);
      if (question === null) return { how: "answered", fits: neverFits(measure) };
      if (!isWhether) return { how: "answered", fits: await summed(question) };
      const count = (await question.isEverTrue()) ? null : 0;
      return { how: "answered", fits: { ...NEVER, measure, count } };
    } finally {
      await recording.close();
    }
  } catch (error) {
    if (AskError.is(error)) return unfit(error);
    const failure = RecordingError.from(error, "recording");
    if (!RecordingError.is(failure)) throw error;
    const { code, message } = failure;
    return { how: "failed", code, message };
  }
}

/** Of an expression that names what the recording does not have. */
export function unfit({ code, message, offset, length }: AskError): Found {
  return { how: "unfit", error: { code, message, offset, length } };
}

/** Of an expression that is never true, as is known without reading a message. */
export function neverFits(measure: Question["measure"]): Fits {
  return { ...NEVER, measure, isDecided: true };
}

/** How often it is true. Each of its answers is given to `take`, too. */
export async function summed(
  question: Question,
  take: (answers: readonly Answer[]) => void = () => undefined,
): Promise<Fits> {
  const { measure } = question;
  let [count, time]: [number, Time] = [0, 0];
  let so: Fits = { ...NEVER, measure };
  for await (const answers of question.answers()) {
    take(answers);
    for (const { from, until, extreme, at, thing } of answers) {
      const isMore =
        extreme !== null &&
        (so.extreme === null || (measure?.how === "min" ? extreme < so.extreme : extreme > so.extreme));
      count++;
      time += until - from;
      so = { ...so, first: Math.min(so.first ?? from, from), ...(isMore ? { extreme, at, thing } : {}) };
    }
  }
  return { ...so, count, time };
}
