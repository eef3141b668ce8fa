import { AskError, pointed } from "../../../ask/error.ts";
import type { Answer } from "../../../ask/answers.ts";
import type { Question } from "../../../ask/ask.ts";
import { toJson } from "../../../model/values/json.ts";
import type { Recording } from "../../../model/recording.ts";
import { parseRange } from "../../input/time.ts";
import { UsageError } from "../../run/failure.ts";
import { numberOf, RANGE, RECORDING, textOf, type Tool } from "../tool.ts";

/** Intervals of one answer. */
const MOST = 200;

export const when: Tool = {
  name: "when",
  title: "When was it so",
  description:
    "Intervals [from, until) in which an expression over paths is true, and the extreme inside each. Examples: any vehicles (speed > 30 km/h for 200 ms); vehicles[24].brake > 0.5 and speed(vehicles[24]) > 10 km/h; distance(vehicles[24], vehicles[25]) < 5 m; each players (falling(on-ground)); rising(/position/altitude-ft > 1000 ft); event(collision); any vehicles (acceleration < -5 m/s²) within 2 s of event(collision). Also: all, count, min, max, sum over sets, and, or, not, + - * /, abs, length, angle, derivative, changed, still, known, present, in UNIT. Numbers that are compared with a path need its kind of unit. Times are nanoseconds since the start.",
  properties: {
    recording: RECORDING,
    expression: { type: "string", description: "any vehicles (speed > 30 km/h for 200 ms)" },
    ...RANGE,
    skip: { type: "integer", minimum: 0, description: "intervals to leave out at the beginning" },
  },
  required: ["recording", "expression"],
  answer: (given, recordings, signal) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const range = await parseRange({ from: textOf(given, "from"), until: textOf(given, "until") }, recording);
      const skip = numberOf(given, "skip", 0);
      const text = textOf(given, "expression")!;
      try {
        const { ask } = await import("../../../ask/ask.ts");
        return { text: toJson(await intervalsOf(await ask(recording, text, { ...range, signal }), recording, skip)) };
      } catch (error) {
        // with the place that is wrong: it is easily mended
        throw AskError.is(error) ? new UsageError(`${error.message}\n${pointed(text, error)}`) : error;
      }
    }),
};

async function intervalsOf(question: Question, recording: Recording, skip: number): Promise<object> {
  const found: Answer[] = [];
  for await (const some of question.answers()) {
    found.push(...some);
    recording.reader.budget?.fit("the answers", 96 * found.length);
  }
  // of several things they come in the order of their ends
  found.sort((a, b) => a.from - b.from || a.until - b.until);
  const { type, measure } = question;
  return { type, measure, intervals: found.slice(skip, skip + MOST), all: found.length };
}
