import type { Deck } from "../session.ts";
import { KEPT, keptLayouts, nameOf } from "./kept-layout.ts";

/** Recordings whose layouts are kept. */
const MOST = 40;

/** Keeps the layout of a recording in this browser; undefined: the first one. */
export function keepLayout(deck: Deck, layout: unknown): void {
  const name = nameOf(deck);
  const others = keptLayouts().filter(([recording]) => recording !== name);
  const next = layout === undefined ? others : [[name, layout], ...others].slice(0, MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify(next));
  } catch {
    // Storage is full, or refused: the layout holds as long as the page.
  }
}
