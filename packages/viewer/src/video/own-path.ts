import type { Session } from "../session.ts";
import { keptOf, nameOf } from "../shell/by-recording.ts";
import { keep } from "../shell/keep.ts";
import { PATH_KEY } from "./kept-path.ts";

/** Where the browser has the paths of recordings. */
const KEPT = "simtape-camera-paths-by-recording";

/** Of each session, the recording whose path was brought back last. */
const brought = new WeakMap<Session, string>();

/**
 * Brings back the camera path that this browser keeps of what plays, where the address has none; from then on it keeps what
 * becomes of it.
 */
export function bringPath(session: Session): void {
  const { decks, shared } = session.state.value;
  const [deck] = decks;
  if (deck === undefined || brought.get(session) === nameOf(deck)) return;
  const isFirst = !brought.has(session);
  brought.set(session, nameOf(deck));
  const kept = shared[PATH_KEY] === undefined ? keptOf(KEPT, deck) : undefined;
  if (kept !== undefined) session.share(PATH_KEY, kept);
  if (!isFirst) return;
  let before = session.state.value.shared[PATH_KEY];
  session.state.subscribe(() => {
    const value = session.state.value.shared[PATH_KEY];
    if (value === before) return;
    before = value;
    // another recording begins without one: that is no change of this
    if (value !== undefined) keepPath(session, value);
  });
}

/** Keeps the path of what plays in this browser; undefined: it has none any more. */
export function keepPath(session: Session, path: unknown): void {
  const [deck] = session.state.value.decks;
  if (deck !== undefined && brought.get(session) === nameOf(deck)) keep(KEPT, deck, path);
}
