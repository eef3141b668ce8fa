import type { Deck, Session } from "../session.ts";
import { KEPT, keptLayouts, nameOf } from "./kept-layout.ts";

/** Recordings whose layouts are kept. */
const MOST = 40;

/** A layout as it is kept outside of an address: with what is kept there of panels that are not the first of a kind. */
export function pack(session: Session, layout: object): unknown {
  return { ...layout, own: ownOf(session, layout) };
}

/** What the address has of panels of a layout that are not the first of a kind, by its keys. */
export function ownOf(session: Session, layout: object): Readonly<Record<string, unknown>> {
  const { panels = {} } = layout as { readonly panels?: object };
  const others = Object.keys(panels).filter((id) => /-\d+$/.test(id));
  const all = Object.entries(session.state.value.shared);
  return Object.fromEntries(all.filter(([key]) => others.some((id) => key === id || key.startsWith(`${id}-`))));
}

/** Keeps the layout of a recording in this browser, as `pack` makes it; undefined: the first one. */
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
