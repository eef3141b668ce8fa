import type { TableData } from "../model/query/table-cells.ts";
import { Recording } from "../model/recording.ts";
import type { AnswerBatch, AnswerCells, AnswerColumn } from "./answer.ts";
import { SqlSession } from "./session.ts";
import { openSource, type SqlOptions, type SqlProblem, type SqlSource } from "./source.ts";

/** A whole answer in memory. */
export interface QueryResult {
  readonly length: number;
  /** In the order of the statement. */
  readonly columns: readonly AnswerCells[];
  /** Recordings that could not be read: their rows are missing. */
  readonly problems: readonly SqlProblem[];
}

/**
 * Answers one SELECT over recordings. One that is open is called by its place: "1", "2", …; it stays open. Rejects with
 * `SqlError`. For several statements, or large answers, see `SqlSession`.
 */
export async function query(
  recordings: readonly (Recording | SqlSource)[],
  sql: string,
  options: SqlOptions = {},
): Promise<QueryResult> {
  const sources = recordings.map((one, k) => (one instanceof Recording ? openSource(String(k + 1), one) : one));
  await using session = await SqlSession.open(sources, options);
  const answer = await session.query(sql);
  const batches: AnswerBatch[] = [];
  for await (const batch of answer) batches.push(batch);
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const columns = answer.columns.map((column, k) =>
    joined(
      column,
      batches.map((batch) => batch.columns[k]!),
      length,
    ),
  );
  return { length, columns, problems: session.problems };
}

function joined(column: AnswerColumn, parts: readonly AnswerCells[], length: number): AnswerCells {
  const valid = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    valid.set(part.valid, at);
    at += part.valid.length;
  }
  return { ...column, data: joinedData(column, parts, length), valid };
}

function joinedData({ kind }: AnswerColumn, parts: readonly AnswerCells[], length: number): TableData {
  if (kind === "string" || kind === "bigint" || kind === "list")
    return parts.flatMap(({ data }) => data as readonly string[]) as readonly string[];
  const Numbers = {
    f64: Float64Array,
    f32: Float32Array,
    i32: Int32Array,
    u32: Uint32Array,
    u8: Uint8Array,
    bool: Uint8Array,
  }[kind];
  const all = new Numbers(length);
  let at = 0;
  for (const { data } of parts) {
    all.set(data as Float64Array, at);
    at += data.length;
  }
  return all;
}
