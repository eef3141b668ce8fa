import type { Deck, Session } from "../../session.ts";
import { keptOf } from "../by-recording.ts";

/** Where the browser has them. */
export const KEPT = "simtape-layouts-by-recording";

/** The layout that `pack` was given; what its panels show is in the address from then on. */
export function unpack(session: Session, packed: unknown): unknown {
  const { own, ...layout } = packed as { readonly own?: object };
  session.state.update({ shared: { ...session.state.value.shared, ...own } });
  return layout;
}

/** The layout that the user left a recording with; undefined: it was never changed. */
export function keptLayout(deck: Deck | undefined): unknown {
  return keptOf(KEPT, deck);
}
