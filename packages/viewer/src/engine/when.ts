import type { Answered, Span } from "../protocol.ts";
import { Breather } from "./breather.ts";
import type { Query } from "./query.ts";

/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 200;

/** When an expression is true, until there are `limit` answers; or what is wrong with it. */
export const when: Query<"when"> = async (engine, { recording: id, text, limit }, signal, report) => {
  const { ask, AskError, pointed } = await import("simtape/ask");
  const breather = new Breather(signal, engine);
  let some: Span[] = [];
  let count = 0;
  let reported = performance.now();
  let isNumber = false;
  let facts: Pick<Answered, "measure" | "isInstant"> = { measure: null, isInstant: false };
  const give = (isEnd: boolean): Answered => {
    const spans = some;
    some = [];
    return { ...facts, spans, isEnd };
  };
  try {
    const question = await ask(engine.recording(id), text, {
      signal,
      onProgress: (done, total) => {
        if (performance.now() - reported >= REPORT_EVERY) {
          reported = performance.now();
          report({ done, total, partial: give(false) });
        }
        return breather.breathe();
      },
    });
    isNumber = question.type === "number";
    facts = { measure: question.measure, isInstant: question.type === "instant" };
    for await (const answers of question.answers()) {
      for (const answer of answers) {
        if (count++ === limit) return give(false);
        some.push(answer);
      }
    }
    return give(true);
  } catch (error) {
    if (!AskError.is(error)) throw error;
    return { message: error.message, pointed: pointed(text, error), isNumber };
  }
};

/** What can stand at a place of an expression. */
export const complete: Query<"complete"> = async (engine, { recording, text, cursor }) => {
  const { completeExpression } = await import("simtape/ask");
  return completeExpression(engine.recording(recording), text, cursor);
};
