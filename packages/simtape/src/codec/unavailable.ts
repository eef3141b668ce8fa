/** A decoder that this program cannot have here: nothing is wrong with the recording. */
export class UnavailableError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "UnavailableError";
  }
}
