import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { once } from "node:events";
import { open, RecordingError } from "simtape";
import { fileSpool } from "simtape/node";
import { writeAnswer } from "simtape/serving";
import { toJson } from "simtape/command";
import { type Answer, type AnswerBatch, type AnswerCells, SqlError, SqlSession, type SqlSource } from "simtape/sql";
import { SeekIndexes } from "../catalog/index/seek-indexes.ts";
import type { Library } from "../library/library.ts";
import type { Settings } from "../settings.ts";
import { type Answered, type FoundTables, MORE, type Question, type Refusal, type Source } from "./question.ts";

/** Most bytes of an answer. */
const MOST_BYTES = 512 << 20;
/** Recordings that an answer names because they could not be read. */
const MOST_PROBLEMS = 100;

type Asked<Of> = Extract<Question, { of: Of }>;

/** Answers statements in this process. */
export class Statements {
  readonly #library: Library;
  readonly #indexes: SeekIndexes;

  constructor(library: Library, settings: Settings) {
    this.#library = library;
    this.#indexes = new SeekIndexes(settings);
  }

  /** Rejects with an error that `refusalOf` understands. */
  async answer(question: Question, signal: AbortSignal): Promise<Answered | FoundTables> {
    const opened: string[] = [];
    const sources = question.sources.map((source) => this.#sourceOf(source, opened));
    const { memory, time } = question.limits;
    const late = AbortSignal.timeout(time);
    const either = AbortSignal.any([signal, late]);
    try {
      await using session = await SqlSession.open(sources, { memory, time, more: MORE, signal: either });
      return question.of === "tables"
        ? { ...(await tablesOf(session)), opened }
        : await written(session, question, either, opened);
    } catch (error) {
      if (late.aborted && !signal.aborted) throw new SqlError("limit", `no answer within ${time / 1000} s`);
      throw error;
    }
  }

  #sourceOf({ id, key, isIndexed, tags, known, more }: Source, opened: string[]): SqlSource {
    return {
      ...{ name: key, file: key, tags, known, more },
      open: async (signal) => {
        if (!opened.includes(id)) opened.push(id);
        // an older index would hide the new part of a growing recording
        const seekIndex = isIndexed ? ((await this.#indexes.source(id)) ?? undefined) : undefined;
        return open(this.#library.bundle(key), { spool: fileSpool(), signal, seekIndex });
      },
    };
  }
}

async function tablesOf(session: SqlSession): Promise<Pick<FoundTables, "tables">> {
  const tables = await session.tables();
  return { tables: Array.from(tables, ([name, columns]) => ({ name, columns })) };
}

async function written(
  session: SqlSession,
  { sql, format, limits, to }: Asked<"answer">,
  signal: AbortSignal,
  opened: readonly string[],
): Promise<Answered> {
  const answer = await session.query(sql, { signal });
  const file = createWriteStream(to, { mode: 0o600, flags: "wx" });
  let bytes = 0;
  const put = async (piece: string | Uint8Array): Promise<void> => {
    bytes += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
    if (bytes > MOST_BYTES) throw new SqlError("limit", `the answer is larger than ${MOST_BYTES >> 20} MiB`);
    if (!file.write(piece)) await once(file, "drain", { signal });
  };
  try {
    const limited = new Limited(answer, limits.rows);
    const rows = format === "json" ? await writeJson(limited, session, put) : await writeAnswer(limited, format, put);
    file.end();
    await finished(file);
    return { rows, isTruncated: limited.isTruncated, bytes, opened, unread: session.problems.length };
  } catch (error) {
    file.destroy();
    throw error;
  }
}

/** The first rows of an answer. */
class Limited implements Answer {
  readonly columns: Answer["columns"];
  readonly #answer: Answer;
  readonly #most: number;
  /** Whether there were more; known behind the last row. */
  isTruncated = false;

  constructor(answer: Answer, most: number) {
    this.#answer = answer;
    this.#most = most;
    this.columns = answer.columns;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerBatch> {
    let left = this.#most;
    for await (const batch of this.#answer) {
      if (left === 0 || batch.length > left) this.isTruncated = true;
      if (left > 0) yield batch.length <= left ? batch : first(batch, left);
      if (this.isTruncated) return;
      left -= batch.length;
    }
  }
}

function first({ columns }: AnswerBatch, length: number): AnswerBatch {
  const cut = (cells: AnswerCells): AnswerCells => ({
    ...cells,
    data: (cells.data as Float64Array).slice(0, length),
    valid: cells.valid.slice(0, length),
  });
  return { length, columns: columns.map(cut) };
}

/** `{ columns, rows, truncated, problems }`; a row is a list of cells, in the order of the columns. */
async function writeJson(answer: Limited, session: SqlSession, put: (piece: string) => Promise<void>): Promise<number> {
  const columns = answer.columns.map(({ name, type, unit }) => ({ name, type, unit }));
  await put(`{"columns":${toJson(columns)},"rows":[`);
  let rows = 0;
  for await (const { length, columns: cells } of answer) {
    let text = "";
    for (let row = 0; row < length; row++) {
      text += rows + row === 0 ? "\n[" : ",\n[";
      for (let k = 0; k < cells.length; k++) text += (k === 0 ? "" : ",") + jsonCell(cells[k]!, row);
      text += "]";
    }
    rows += length;
    await put(text);
  }
  const problems = session.problems.slice(0, MOST_PROBLEMS).map(({ recording, finding }) => {
    return { recording, code: finding.code, message: finding.message };
  });
  const rest = { truncated: answer.isTruncated, unread: session.problems.length, problems };
  await put(`\n],${toJson(rest).slice(1)}`);
  return rows;
}

function jsonCell({ kind, data, valid }: AnswerCells, row: number): string {
  if (valid[row] === 0) return "null";
  const value = data[row];
  if (kind === "bool") return String(value === 1);
  // a whole number that a double holds is a number
  return toJson(typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value);
}

const STATUS: Readonly<Record<string, number>> = { missing: 501, limit: 422 };

/** The answer for an error; null: it is a fault of the server. */
export function refusalOf(error: unknown, question: Question): Refusal | null {
  if (SqlError.is(error)) {
    const { code, message, at } = error;
    const place = at === null || question.of === "tables" ? {} : { at, ...placeOf(question.sql, at) };
    return { status: STATUS[code] ?? 400, message, more: { code, ...place } };
  }
  if (!RecordingError.is(error)) return null;
  const status = error.code === "source-failed" ? 503 : 422;
  return { status, message: `no recording could be read: ${error.message}`, more: { code: error.code } };
}

/** Line and column, from 1. */
function placeOf(sql: string, at: number): { readonly line: number; readonly column: number } {
  const before = sql.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
