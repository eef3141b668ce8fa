import type { TimeDomain } from "../../../model/values/time.ts";
import { TICK } from "../layout/framing.ts";

/** Ticks of a recording (spec §12). */
export const MOST_TICKS = 0x7fff_ffff;
/** Ticks that are left free at the end: carried files lie behind the recording, at most 8 MiB in a tick. */
const SPARE_TICKS = 1 << 16;

/** Ticks of 50 ms, counted from 0. */
export const TIMES: TimeDomain = { first: 0, last: (MOST_TICKS - SPARE_TICKS) * TICK, step: TICK };
