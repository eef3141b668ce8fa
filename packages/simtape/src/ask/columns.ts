import type { TableBatch, TableCells, TableColumn, TableData } from "../model/query/table-cells.ts";
import type { TableOptions } from "../model/query/table.ts";
import type { Recording } from "../model/recording.ts";
import type { EachValues, Question } from "./ask.ts";
import { AskError } from "./error.ts";
import type { NodeType } from "./node.ts";

/** A table of a set with columns that were derived, behind those that were recorded. */
export interface DerivedTable extends AsyncIterable<TableBatch> {
  readonly columns: readonly TableColumn[];
  readonly axes: Awaited<ReturnType<Recording["table"]>>["axes"];
}

/**
 * The table of a set with a column for each of `questions`, which `askEach` made about the same set, range and things. A row
 * has the value that holds at its time, in the unit of the expression, however `options` turns the recorded columns. The
 * recording is read once more for each. Rejects with `AskError`, code `type`, for an instant, and as `Recording.table` does.
 */
export async function derivedTable(
  recording: Recording,
  set: string,
  questions: readonly Question[],
  options: TableOptions = {},
): Promise<DerivedTable> {
  for (const { type, text } of questions) {
    if (type !== "instant") continue;
    const place = { offset: 0, length: text.length };
    throw new AskError("type", "an instant is between rows: write … within 100 ms of it", place);
  }
  const table = await recording.table(set, options);
  const derived = questions.map(({ text, type, unit }): TableColumn => {
    return { name: text, unit: unit === "" ? null : unit, kind: KINDS[type] };
  });
  return {
    columns: [...table.columns, ...derived],
    axes: table.axes,
    async *[Symbol.asyncIterator]() {
      const followers = questions.map((question, k) => new Follower(derived[k]!, set, question.eachValues()));
      try {
        for await (const batch of table) {
          const [times, things] = [batch.columns[0]!.data as Float64Array, batch.columns[1]!.data];
          const cells: TableCells[] = [];
          for (const follower of followers) cells.push(await follower.cells(times, things, batch.length));
          yield { length: batch.length, columns: [...batch.columns, ...cells] };
        }
      } finally {
        for (const follower of followers) await follower.close();
      }
    },
  };
}

const KINDS: Readonly<Record<NodeType, TableColumn["kind"]>> = {
  number: "f64",
  words: "string",
  boolean: "bool",
  instant: "bool",
};

/** Values of all things at some moments. */
interface Piece {
  readonly time: Float64Array;
  readonly of: ReadonlyMap<string, EachValues>;
}

/** Goes through the values of an expression as far as rows need them. */
class Follower {
  readonly #column: TableColumn;
  readonly #set: string;
  readonly #pieces: AsyncGenerator<readonly EachValues[]>;
  #now: Piece | null = null;
  #next: Piece | null = null;
  #isOver = false;
  /** Place of the value that holds, in the piece. */
  #at = 0;

  constructor(column: TableColumn, set: string, pieces: AsyncGenerator<readonly EachValues[]>) {
    this.#column = column;
    this.#set = set;
    this.#pieces = pieces;
  }

  /** Cells of rows at these times, which ascend from batch to batch. */
  async cells(times: Float64Array, things: TableData, length: number): Promise<TableCells> {
    const { kind } = this.#column;
    const valid = new Uint8Array(length);
    const ids = things as ArrayLike<number | string>;
    const numbers = kind === "f64" ? new Float64Array(length).fill(Number.NaN) : new Uint8Array(length);
    const texts: string[] = kind === "string" ? new Array<string>(length).fill("") : [];
    for (let row = 0; row < length; row++) {
      const time = times[row]!;
      if (!this.#isAt(time)) await this.#go(time);
      const found = this.#now?.of.get(`${this.#set}/${ids[row]!}`);
      const value = found?.value[this.#at] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      valid[row] = 1;
      if (kind === "string") texts[row] = found!.texts![value]!;
      else numbers[row] = value;
    }
    return { ...this.#column, data: kind === "string" ? texts : numbers, valid };
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  /** Whether the value of `time` is one of the piece; then it is where `#at` says. */
  #isAt(time: number): boolean {
    if (this.#now === null) return false;
    const { time: known } = this.#now;
    while (this.#at + 1 < known.length && known[this.#at + 1]! <= time) this.#at++;
    return this.#at + 1 < known.length || this.#isOver || (this.#next !== null && this.#next.time[0]! > time);
  }

  async #go(time: number): Promise<void> {
    do {
      if (this.#next !== null && (this.#now === null || this.#next.time[0]! <= time)) {
        if (this.#next.time[0]! > time) return;
        [this.#now, this.#next, this.#at] = [this.#next, null, 0];
      }
      if (this.#next === null && !this.#isOver) await this.#read();
    } while (!this.#isAt(time) && !(this.#next === null && this.#isOver));
  }

  async #read(): Promise<void> {
    for (;;) {
      const { value: piece, done } = await this.#pieces.next();
      if (done === true) {
        this.#isOver = true;
        return;
      }
      const time = piece[0]?.time;
      if (time === undefined || time.length === 0) continue;
      this.#next = { time, of: new Map(piece.map((values) => [values.thing, values])) };
      return;
    }
  }
}
