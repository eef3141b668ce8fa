import type { Deck } from "../session.ts";
import { allKept, nameOf } from "./by-recording.ts";

/** Recordings of which something is kept, under each key. */
const MOST = 40;

/** Keeps something of a recording in this browser; undefined: nothing any more. */
export function keep(key: string, deck: Deck, value: unknown): void {
  const name = nameOf(deck);
  const others = allKept(key).filter(([recording]) => recording !== name);
  const next = value === undefined ? others : [[name, value], ...others].slice(0, MOST);
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // Storage is full, or refused: it holds as long as the page.
  }
}
