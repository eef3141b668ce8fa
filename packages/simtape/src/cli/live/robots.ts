import { basename } from "node:path";
import { fileSource } from "../../io/node/file-source.ts";
import { connectLink, isLocalPage, listenForLinks } from "../../io/node/web-socket.ts";
import type { Deck } from "../../live/deck.ts";
import type { Feed } from "../../live/feed.ts";
import type { Asset } from "../../live/foxglove/assets.ts";
import { foxgloveFeed } from "../../live/foxglove/feed.ts";
import { foxgloveOutlet } from "../../live/foxglove/outlet.ts";
import { PROTOCOLS } from "../../live/foxglove/protocol.ts";
import type { Outlet } from "../../live/outlet.ts";
import { matching } from "../input/glob.ts";
import { UsageError } from "../run/failure.ts";

/** Port of Foxglove's own servers, and the longest message that a client may send: requests are short. */
const PORT = 8765;
const LONGEST = 1 << 20;

/** What of a server is recorded. */
export interface RobotFeedOptions {
  /** Globs of topics; absent: all. */
  readonly topic?: readonly string[] | undefined;
}

/** A server of the Foxglove WebSocket protocol, such as the bridge of a robot. */
export function robotFeed(address: string, { topic }: RobotFeedOptions): Feed {
  const wants = topic === undefined ? undefined : matching(topic);
  const connect = (signal: AbortSignal): ReturnType<typeof connectLink> =>
    connectLink(address, { signal, protocols: PROTOCOLS });
  return foxgloveFeed(address, connect, { wants });
}

/** How recordings are served to Foxglove. */
export interface RobotOutletOptions {
  /** Name or address of this machine to listen at; default 127.0.0.1. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Paths of files that clients may fetch. */
  readonly asset?: readonly string[] | undefined;
  /** Pages that may connect, beside those of this machine. */
  readonly allowOrigin?: readonly string[] | undefined;
}

/** A server of the Foxglove WebSocket protocol. Throws `UsageError` for two assets of one name. */
export async function robotOutlet(deck: Deck, given: RobotOutletOptions): Promise<Outlet> {
  const { host, port = PORT, asset = [], allowOrigin = [] } = given;
  const allows = (origin: string): boolean => isLocalPage(origin) || allowOrigin.includes(origin);
  const options = { host, port, protocols: PROTOCOLS, longest: LONGEST, allows };
  return foxgloveOutlet(deck, (arrived) => listenForLinks(options, arrived), { assets: assetsOf(asset) });
}

function assetsOf(paths: readonly string[]): Asset[] {
  const names = paths.map((path) => basename(path));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`two assets are called ${twice}: clients could not tell them apart`);
  return paths.map((path) => ({ name: basename(path), open: () => fileSource(path) }));
}
