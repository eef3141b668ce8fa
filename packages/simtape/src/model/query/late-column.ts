import type { Time } from "../values/time.ts";

/** A cell that has no place in columns that were settled before it was read. */
export class LateColumnError extends Error {
  /** The column that it needs, or that would have to be another. */
  readonly column: string;
  readonly time: Time;

  constructor(column: string, time: Time) {
    super(`from ${time} ns on the column ${JSON.stringify(column)} is another than before`);
    this.name = "LateColumnError";
    this.column = column;
    this.time = time;
  }
}
