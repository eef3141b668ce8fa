import type { EventTeller } from "./query/events.ts";
import type { Recording } from "./recording.ts";

/**
 * What is worth knowing of a format beyond reading it. Pages and commands that know no format by name ask here, so that
 * a recording of any format is shown well. All of it may be absent: then there is nothing to tell.
 */
export interface Traits {
  /** Unit of the value at a path of the state, where its name or the format tells; null: neither does. Columns tell their own. */
  unitOf?(path: string): string | null;
  /** What tells the events of a recording of this format, which may be an edited one; made anew for each pass over it. */
  events?(recording: Recording, signal?: AbortSignal): Promise<EventTeller>;
}

/** Of a format that tells nothing. */
export const NO_TRAITS: Traits = {};
