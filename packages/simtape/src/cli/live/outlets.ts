import { listenForLinks } from "../../io/node/web-socket.ts";
import type { Deck } from "../../live/deck.ts";
import type { Outlet } from "../../live/outlet.ts";
import { nanoverOutlet } from "../../live/nanover/outlet.ts";
import type { OutletKind } from "./kinds.ts";

/** Port of NanoVer's own server, and the longest message that a client may send. */
const NANOVER_PORT = 38_801;
const NANOVER_LONGEST = 16 << 20;

/** How an outlet is reached, or what it drives. */
export interface OutletOptions {
  /** Name or address of this machine to listen at; default 127.0.0.1. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** Of a program that is driven. */
  readonly address: string | undefined;
  /** nm for each metre, of what becomes particles. */
  readonly scale: number | undefined;
}

/** Programs and protocols in which recordings play, by the word behind `--into`. */
const OUTLETS: Readonly<Record<OutletKind, (deck: Deck, options: OutletOptions) => Promise<Outlet>>> = {
  nanover: (deck, { host, port = NANOVER_PORT, scale }) =>
    nanoverOutlet(deck, (arrived) => listenForLinks({ host, port, longest: NANOVER_LONGEST }, arrived), { scale }),
};

/** Makes the outlet, ready for clients. */
export function outletOf(kind: OutletKind, deck: Deck, options: OutletOptions): Promise<Outlet> {
  const make: (deck: Deck, options: OutletOptions) => Promise<Outlet> = OUTLETS[kind];
  return make(deck, options);
}
