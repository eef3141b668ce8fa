import type { Deck } from "../../live/deck.ts";
import type { Outlet } from "../../live/outlet.ts";
import { fgfsOutlet, type FgfsOutletOptions } from "./fgfs.ts";
import type { OutletKind } from "./kinds.ts";

/** How an outlet is reached, or what it drives. */
export interface OutletOptions extends FgfsOutletOptions {
  /** Name or address of this machine to listen at; default 127.0.0.1. */
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** Programs and protocols in which recordings play, by the word behind `--into`. */
const OUTLETS: Readonly<Record<OutletKind, (deck: Deck, options: OutletOptions) => Promise<Outlet>>> = {
  flightgear: fgfsOutlet,
};

/** Makes the outlet, ready for clients. */
export function outletOf(kind: OutletKind, deck: Deck, options: OutletOptions): Promise<Outlet> {
  const make: (deck: Deck, options: OutletOptions) => Promise<Outlet> = OUTLETS[kind];
  return make(deck, options);
}
