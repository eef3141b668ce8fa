/** Words that `simtape record --from` takes: `feeds.ts` makes the feed of each. */
export const FEED_KINDS = ["nanover", "flightgear", "foxglove"] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** Words that `simtape play --into` takes: `outlets.ts` makes the outlet of each. */
export const OUTLET_KINDS = ["nanover", "flightgear", "foxglove"] as const;
export type OutletKind = (typeof OUTLET_KINDS)[number];

/** Words that `simtape serve --into` takes: outlets that clients connect to, and in which they choose a recording. */
export const SERVED_KINDS = ["foxglove", "nanover"] as const;
export type ServedKind = (typeof SERVED_KINDS)[number];

/** Options of `simtape record` that are for some kinds of feed only. */
export const FEED_USES: Readonly<Record<string, readonly FeedKind[]>> = {
  ...{
    output: FEED_KINDS,
    force: FEED_KINDS,
    duration: FEED_KINDS,
    flushEvery: FEED_KINDS,
    ring: FEED_KINDS,
    split: FEED_KINDS,
  },
  pilots: ["flightgear"],
  rate: ["flightgear"],
  topic: ["foxglove"],
};

/** Options of `simtape play` that are for some kinds of outlet only. */
export const OUTLET_USES: Readonly<Record<string, readonly OutletKind[]>> = {
  ...{ host: ["nanover", "foxglove"], port: ["nanover", "foxglove"] },
  ...{ announce: ["nanover"], scale: ["nanover"] },
  ...{ allowOrigin: ["foxglove"], asset: ["foxglove"] },
  ...{ address: ["flightgear"], origin: ["flightgear"], pilots: ["flightgear"], trafficOnly: ["flightgear"] },
};

/** What the journal of a running program is called: the name of the recording, and this. */
export const TAKE = ".take";
