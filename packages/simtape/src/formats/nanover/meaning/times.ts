import type { TimeDomain } from "../../../model/values/time.ts";
import { MICROSECOND } from "../layout/layout.ts";
import type { Container } from "./schema.ts";

/** Nanoseconds: microseconds that a double holds exactly. */
export const MAX_TIME: number = Number.MAX_SAFE_INTEGER * MICROSECOND;

/** Whole microseconds from 0 in v1 and v2 (spec §1), numbers of microseconds in a zip's index (spec §4). */
export function timesOf(container: Container): TimeDomain {
  return { first: container === "zip" ? -MAX_TIME : 0, last: MAX_TIME, step: MICROSECOND };
}
