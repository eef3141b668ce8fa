import { LateColumnError } from "../model/query/late-column.ts";
import type { Answer, AnswerBatch, AnswerCells, AnswerColumn } from "./answer.ts";
import type { Database } from "./duckdb.ts";
import { SqlError } from "./error.ts";
import type { SqlRows } from "./kinds.ts";
import type { Adding, Loaded } from "./load.ts";
import { StreamedAnswer, type Streaming } from "./streamed.ts";

/** Batches of rows in a step at most; the first has one, each other twice as many as that before it. */
const MOST_BATCHES = 32;
/** Rows of an answer with a LIMIT that are held until all of them are known to be right. */
const MOST_HELD = 10_000;

/** What is answered step by step. */
export interface Stepping {
  readonly database: Database;
  readonly table: Loaded;
  /** As the statement names it. */
  readonly name: string;
  readonly rows: SqlRows;
  readonly streaming: Streaming;
  /** Rows of the answer at most; null: all. */
  readonly limit: number | null;
  /** Called with an error of reading; throws it unless what was read before it is answered. */
  readonly onFailure: (error: unknown) => void;
  /** Called once, when no more is read. */
  readonly onEnd: () => Promise<void>;
}

/** Whether all rows of an answer with this limit are known before the first is given. */
export function isHeld(limit: number | null): boolean {
  return limit !== null && limit <= MOST_HELD;
}

/** An answer to a statement that looks at each row alone: some rows are read, answered and let go, then the next ones. */
export class SteppedAnswer implements Answer {
  readonly columns: readonly AnswerColumn[];
  readonly #stepping: Stepping;
  readonly #batches: AsyncGenerator<AnswerBatch>;
  readonly #first: readonly AnswerBatch[];
  #hasEnded = false;

  private constructor(
    columns: readonly AnswerColumn[],
    stepping: Stepping,
    batches: AsyncGenerator<AnswerBatch>,
    first: readonly AnswerBatch[],
  ) {
    this.columns = columns;
    this.#stepping = stepping;
    this.#batches = batches;
    this.#first = first;
  }

  /** Reads as far as the first rows of the answer. Rejects as reading and the statement do; `onEnd` is not called then. */
  static async begin(stepping: Stepping): Promise<SteppedAnswer> {
    const steps = stepsOf(stepping);
    const first = (await steps.next()).value as StreamedAnswer;
    const batches = limited(joined(first, steps), stepping.limit);
    const held: AnswerBatch[] = [];
    for (;;) {
      const next = await batches.next();
      if (next.done === true) break;
      held.push(next.value);
      if (!isHeld(stepping.limit)) break;
    }
    return new SteppedAnswer(first.columns, stepping, batches, held);
  }

  /** Ends the reading, wherever it is. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#batches.return(undefined);
    await this.#stepping.onEnd();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerBatch> {
    const { signal } = this.#stepping.streaming;
    try {
      for (const batch of this.#first) yield batch;
      for await (const batch of this.#batches) {
        signal.throwIfAborted();
        yield batch;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LateColumnError) throw lateError(error, this.#stepping.name);
      throw error;
    } finally {
      await this.close();
    }
  }
}

/** The statement's answer to some rows after the other; at least one. Each is read to its end before the next. */
async function* stepsOf({ database, table, rows, streaming, onFailure }: Stepping): AsyncGenerator<StreamedAnswer> {
  let adding: Adding | null = await table.begin(rows.columns);
  await table.show();
  let held = 0;
  let most = 1;
  const answered = (): Promise<StreamedAnswer> => {
    adding!.end();
    adding = null;
    return StreamedAnswer.of(database, streaming);
  };
  try {
    const batches = rows.batches()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await batches.next().catch((error: unknown) => {
          onFailure(error);
          return null;
        });
        if (next === null || next.done === true) break;
        adding ??= await table.begin(rows.columns);
        adding.append(next.value);
        if (++held < most) continue;
        yield await answered();
        await table.empty();
        held = 0;
        most = Math.min(2 * most, MOST_BATCHES);
      }
    } finally {
      await batches.return?.(undefined);
    }
    if (adding !== null) yield await answered();
  } finally {
    adding?.end();
  }
}

async function* joined(first: StreamedAnswer, rest: AsyncGenerator<StreamedAnswer>): AsyncGenerator<AnswerBatch> {
  try {
    yield* first;
    for await (const answer of rest) yield* answer;
  } finally {
    await rest.return(undefined);
  }
}

async function* limited(batches: AsyncGenerator<AnswerBatch>, limit: number | null): AsyncGenerator<AnswerBatch> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of batches) {
    const some = batch.length <= left ? batch : cut(batch, left);
    left -= some.length;
    yield some;
    if (left === 0) return;
  }
}

function cut({ columns }: AnswerBatch, length: number): AnswerBatch {
  return {
    length,
    columns: columns.map((cells) => {
      const data = cells.data.slice(0, length) as AnswerCells["data"];
      return { ...cells, data, valid: cells.valid.slice(0, length) };
    }),
  };
}

function lateError({ column, time }: LateColumnError, table: string): SqlError {
  const text = `${column} of ${table} holds other values from ${time / 1e9} s on, when rows were given already; with ORDER BY time all are read first`;
  return new SqlError("failed", text);
}
