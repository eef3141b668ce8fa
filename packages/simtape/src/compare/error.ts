/** Why two recordings cannot be compared as asked. */
export type CompareErrorCode = "alignment" | "rule" | "unit" | "range";

/** What was asked does not fit the recordings: an alignment, a rule, a range. It is no difference between them. */
export class CompareError extends Error {
  readonly code: CompareErrorCode;

  constructor(code: CompareErrorCode, message: string) {
    super(message);
    this.name = "CompareError";
    this.code = code;
  }
}
