import type { Link, LinkListener } from "../../io/sink/link.ts";
import type { Deck, Loaded } from "../deck.ts";
import type { Outlet } from "../outlet.ts";
import type { Asset } from "./assets.ts";
import { WAITING } from "./client.ts";
import { Host } from "./host.ts";

/** Listens for clients that speak one of the `PROTOCOLS`; `listenForLinks` of `simtape/node` does. */
export type ListenForFoxglove = (arrived: (link: Link) => void) => Promise<LinkListener>;

/** How recordings play to Foxglove. Everything is optional. */
export interface FoxgloveOutletOptions {
  /** Files that clients may fetch. */
  readonly assets?: readonly Asset[] | undefined;
  /** Bytes that may wait for the network of one client before messages are skipped for it; default 16 MiB. */
  readonly waiting?: number | undefined;
}

/**
 * A server of the Foxglove WebSocket protocol, which plays what the deck has loaded: recordings of MCAP message by
 * message, those of other formats as `export --to mcap` writes them. Clients with playback control play, pause and seek;
 * others set parameters. Rejects with `SourceError` if it cannot listen.
 */
export async function foxgloveOutlet(
  deck: Deck,
  listen: ListenForFoxglove,
  { assets = [], waiting = WAITING }: FoxgloveOutletOptions = {},
): Promise<Outlet> {
  const host = new Host(deck, assets, waiting);
  let listener: LinkListener;
  try {
    listener = await listen((link) => host.arrived(link));
  } catch (error) {
    await host.close();
    throw error;
  }
  const unload = deck.onLoad(
    (loaded: Loaded) => host.load(loaded),
    () => host.unload(),
  );
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    unload();
    await host.close();
    await listener.close();
  };
  return {
    name: `a Foxglove server at ${listener.address}`,
    status: () => host.status(),
    close: () => (closing ??= close()),
  };
}
