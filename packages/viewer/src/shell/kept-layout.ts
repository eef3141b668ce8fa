import type { Deck, Session } from "../session.ts";

/** Where the browser has them: those that were changed last come first. */
export const KEPT = "simtape-layouts-by-recording";

/** A layout, and the recording that the user left with it. */
export type Kept = readonly [recording: string, layout: unknown];

/** The layout that `pack` was given; what its panels show is in the address from then on. */
export function unpack(session: Session, packed: unknown): unknown {
  const { own, ...layout } = packed as { readonly own?: object };
  session.state.update({ shared: { ...session.state.value.shared, ...own } });
  return layout;
}

/** The layout that the user left a recording with; undefined: it was never changed. */
export function keptLayout(deck: Deck | undefined): unknown {
  return deck && keptLayouts().find(([recording]) => recording === nameOf(deck))?.[1];
}

export function keptLayouts(): readonly Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT)!);
    return Array.isArray(kept) ? kept.filter((one): one is Kept => Array.isArray(one)) : [];
  } catch {
    return [];
  }
}

/** What a recording is known by: the same while it grows, and for its head. */
export function nameOf({ place, opened: { info, timeline } }: Deck): string {
  return `${info.format} ${timeline.epoch} ${place.name}`;
}
