import { connectLink } from "../../io/node/web-socket.ts";
import type { Feed } from "../../live/feed.ts";
import { foxgloveFeed } from "../../live/foxglove/feed.ts";
import { PROTOCOLS } from "../../live/foxglove/protocol.ts";
import { nanoverFeed } from "../../live/nanover/feed.ts";
import type { FeedKind } from "./kinds.ts";
import { matching } from "../input/glob.ts";
import { UsageError } from "../run/failure.ts";

/** What of a program is recorded. */
export interface FeedOptions {
  /** Globs; none: all. */
  readonly topics: readonly string[];
}

/** Programs that can be recorded while they run, by the word behind `--from`. */
const FEEDS: Readonly<Record<FeedKind, (address: string, options: FeedOptions) => Feed>> = {
  nanover: (address) => nanoverFeed(address, (signal) => connectLink(socketUrl(address), { signal })),
  foxglove: (address, { topics }) =>
    foxgloveFeed(address, (signal) => connectLink(socketUrl(address), { signal, protocols: PROTOCOLS }), {
      wants: topics.length === 0 ? undefined : matching(topics),
    }),
};

/** Throws `UsageError` for an address that is none. */
export function feedOf(kind: FeedKind, address: string, options: FeedOptions): Feed {
  if (options.topics.length > 0 && kind !== "foxglove")
    throw new UsageError(`--topic needs --from foxglove: ${kind} has no topics`);
  return FEEDS[kind](address, options);
}

function socketUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^wss?:$/.test(url.protocol))
    throw new UsageError(`say the address as ws://HOST:PORT, not ${address}`);
  return address;
}
