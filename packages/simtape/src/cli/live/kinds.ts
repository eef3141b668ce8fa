/** Words that `simtape record --from` takes: `feeds.ts` makes the feed of each. */
export const FEED_KINDS = ["nanover", "flightgear", "foxglove"] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** Words that `simtape play --into` takes: `outlets.ts` makes the outlet of each. */
export const OUTLET_KINDS = ["nanover", "flightgear", "foxglove"] as const;
export type OutletKind = (typeof OUTLET_KINDS)[number];

/** What the journal of a running program is called: the name of the recording, and this. */
export const TAKE = ".take";
