import type { Finding } from "../model/error.ts";
import { findingOf, isOfRecording, type SqlProblem, type SqlSource } from "./source.ts";

/** Recordings that fail while others are read. */
export class Failures {
  readonly #problems: Map<string, SqlProblem>;
  #unopened = 0;
  #first: unknown;

  /** Adds to `problems`, by the names of the recordings. */
  constructor(problems: Map<string, SqlProblem>) {
    this.#problems = problems;
  }

  /** One that cannot be read; gives the finding. Throws an error that is not that of a recording. */
  add({ name }: SqlSource, error: unknown, isOpen: boolean): Finding {
    if (!isOfRecording(error)) throw error;
    this.#unopened += isOpen ? 0 : 1;
    this.#first ??= error;
    const finding = findingOf(error);
    this.#problems.set(name, { recording: name, finding, error });
    return finding;
  }

  /** Throws the first error where no recording of `count` opened, unless that may be. */
  check(count: number, mayAllFail: boolean): void {
    if (this.#unopened > 0 && this.#unopened === count && !mayAllFail) throw this.#first;
  }
}
