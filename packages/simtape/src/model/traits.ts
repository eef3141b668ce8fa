import type { EventReader } from "./query/events.ts";
import type { Recording } from "./recording.ts";

/**
 * What is worth knowing of a format beyond reading it. Pages and commands that know no format by name ask here, so that
 * a recording of any format is shown well. All of it may be absent: then there is nothing to tell.
 */
export interface Traits {
  /** Unit of the value at a path of the state, where its name or the format tells; null: neither does. Columns tell their own. */
  unitOf?(path: string): string | null;
  /** Makes a reader of events for one pass over a recording of this format, which may be edited. */
  events?(recording: Recording, signal?: AbortSignal): Promise<EventReader>;
}

/** Of a format that tells nothing. */
export const NO_TRAITS: Traits = {};
