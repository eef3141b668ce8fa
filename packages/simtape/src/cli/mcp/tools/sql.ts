import { SqlSession } from "../../../sql/session.ts";
import { toJson } from "../../../model/values/json.ts";
import { writeAnswer } from "../../output/answer-rows.ts";
import { textOf, type Tool } from "../tool.ts";
import { AnswerText } from "../answer-text.ts";

/** What one statement may take: bytes, milliseconds. */
const LIMITS = { memory: 512 << 20, time: 60_000 };

export const sql: Tool = {
  name: "sql",
  title: "Question in SQL",
  description:
    "Answers one SELECT (DuckDB) over all recordings. Tables: recordings, channels, events, findings; one for each set (vehicles, particles, players, aircraft, poses) with recording, time in seconds, id and columns such as position_x. Name recordings and times in WHERE, so that little is read; use LIMIT.",
  properties: { statement: { type: "string", description: "select recording, count(*) from events group by all" } },
  required: ["statement"],
  answer: async (given, recordings, signal) => {
    await using session = await SqlSession.open(await recordings.list(), { ...LIMITS, signal });
    const text = new AnswerText();
    const answer = await session.query(textOf(given, "statement")!);
    await writeAnswer(answer, "json", async (piece) => text.add(piece));
    const left = session.problems.map(({ recording, finding }) => ({ recording, message: finding.message }));
    return { text: left.length === 0 ? text.take() : `${text.take()}\n${toJson({ left })}` };
  },
};
