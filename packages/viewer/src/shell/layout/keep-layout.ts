import type { Deck, Session } from "../../session.ts";
import { keep } from "../keep.ts";
import { KEPT } from "./kept-layout.ts";

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
  keep(KEPT, deck, layout);
}
