import type { Deck } from "./session.ts";

/** Bytes that are read over a network for a look at all that is in them. */
export const READ_AFAR: number = 64 << 20;

/** Whether a recording is too large to be read as a whole from where it is, unless the user asks for that. */
export function isTooFar({ place, opened }: Pick<Deck, "place" | "opened">): boolean {
  return place.kind === "url" && (opened.info.bytes ?? 0) > READ_AFAR;
}
