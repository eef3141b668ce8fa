/**
 * Why recordings cannot race as asked; `still`: nothing that was asked for moves; `nowhere`: whatever is asked, nothing in a
 * recording moves from place to place.
 */
export type RaceErrorCode = "thing" | "still" | "line" | "laps" | "course" | "option" | "nowhere";

/** What was asked does not fit the recordings: a thing, a line, a mark, a course. */
export class RaceError extends Error {
  /** What does not fit. */
  readonly code: RaceErrorCode;

  constructor(code: RaceErrorCode, message: string) {
    super(message);
    this.name = "RaceError";
    this.code = code;
  }
}
