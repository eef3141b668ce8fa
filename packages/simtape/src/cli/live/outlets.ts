import { announce } from "../../io/node/announce.ts";
import type { Link, LinkListener } from "../../io/sink/link.ts";
import { listenForLinks } from "../../io/node/web-socket.ts";
import type { Deck } from "../../live/deck.ts";
import type { Outlet } from "../../live/outlet.ts";
import { fgfsOutlet, type FgfsOutletOptions } from "./fgfs.ts";
import { HUB_EVERY, HUB_PORT, hubMessage } from "../../live/nanover/hub.ts";
import { nanoverOutlet } from "../../live/nanover/outlet.ts";
import { UsageError } from "../run/failure.ts";
import type { OutletKind } from "./kinds.ts";
import { robotOutlet, type RobotOutletOptions } from "./robots.ts";

/** Port of NanoVer's own server, and the longest message that a client may send. */
const NANOVER_PORT = 38_801;
const NANOVER_LONGEST = 16 << 20;

/** How an outlet is reached, or what it drives. */
export interface OutletOptions extends FgfsOutletOptions, RobotOutletOptions {
  /** Name or address of this machine to listen at; default 127.0.0.1. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** nm for each metre, of what becomes particles. */
  readonly scale: number | undefined;
  /** Whether a server announces itself to the network. */
  readonly announces: boolean;
}

/** Programs and protocols in which recordings play, by the word behind `--into`. */
const OUTLETS: Readonly<Record<OutletKind, (deck: Deck, options: OutletOptions) => Promise<Outlet>>> = {
  flightgear: fgfsOutlet,
  foxglove: robotOutlet,
  nanover: async (deck, { host, port = NANOVER_PORT, scale, announces }) => {
    // what a network cannot reach is not announced there
    const isReached = host !== undefined && host !== "localhost" && !host.startsWith("127.") && host !== "::1";
    if (announces && !isReached)
      throw new UsageError("--announce needs an address that others reach: --host 0.0.0.0, or one of this machine");
    let actual = port;
    const listen = async (arrived: (link: Link) => void): Promise<LinkListener> => {
      const listener = await listenForLinks({ host, port, longest: NANOVER_LONGEST }, arrived);
      actual = Number(new URL(listener.address).port);
      return listener;
    };
    const outlet = await nanoverOutlet(deck, listen, { scale });
    if (!announces) return outlet;
    const payload = (address: string): Uint8Array => hubMessage("simtape", address, actual, id);
    const id = crypto.randomUUID();
    const end = await announce({ port: HUB_PORT, every: HUB_EVERY, payload }).catch(async (error: unknown) => {
      await outlet.close();
      throw error;
    });
    return {
      ...{ name: outlet.name, status: () => outlet.status() },
      close: async () => {
        await end();
        await outlet.close();
      },
    };
  },
};

/** Makes the outlet, ready for clients. */
export function outletOf(kind: OutletKind, deck: Deck, options: OutletOptions): Promise<Outlet> {
  const make: (deck: Deck, options: OutletOptions) => Promise<Outlet> = OUTLETS[kind];
  return make(deck, options);
}
