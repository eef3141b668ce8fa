import { connectLink } from "../../io/node/web-socket.ts";
import type { Feed } from "../../live/feed.ts";
import { nanoverFeed } from "../../live/nanover/feed.ts";
import { fgfsFeed, type FgfsFeedOptions } from "./fgfs.ts";
import type { FeedKind } from "./kinds.ts";
import { robotFeed, type RobotFeedOptions } from "./robots.ts";
import { UsageError } from "../run/failure.ts";

/** Options of the command line for one kind of feed. */
export interface FeedOptions extends FgfsFeedOptions, RobotFeedOptions {}

/** Programs that can be recorded while they run, by the word behind `--from`. */
const FEEDS: Readonly<Record<FeedKind, (address: string, options: FeedOptions) => Feed>> = {
  flightgear: fgfsFeed,
  foxglove: (address, options) => robotFeed(socketUrl(address), options),
  nanover: (address) => {
    const url = socketUrl(address);
    return nanoverFeed(address, (signal) => connectLink(url, { signal }));
  },
};

/** Throws `UsageError` for an address that is none. */
export function feedOf(kind: FeedKind, address: string, options: FeedOptions): Feed {
  return FEEDS[kind](address, options);
}

function socketUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^wss?:$/.test(url.protocol))
    throw new UsageError(`say the address as ws://HOST:PORT, not ${address}`);
  return address;
}
