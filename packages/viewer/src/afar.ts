import type { Locator } from "./protocol.ts";
import type { Deck } from "./session.ts";

/** Bytes that are read over a network for a look at all that is in them. */
export const READ_AFAR: number = 64 << 20;

/** Whether a recording is too large to be read as a whole from where it is, unless the user asks for that. */
export function isTooFar({ place, opened }: Pick<Deck, "place" | "opened">): boolean {
  return isAfar(place) && (opened.info.bytes ?? 0) > READ_AFAR;
}

/** Whether a recording comes over a network: one that was given to the page, or is served with it on this machine, does not. */
export function isAfar(place: Locator): boolean {
  if (place.kind === "files") return false;
  const { hostname } = new URL(place.url);
  return !(LOOPBACK.test(hostname) && place.url.startsWith(new URL("files/", document.baseURI).href));
}

/** Names of this machine. What `simtape view` passes on from elsewhere is not below `files/`. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
