import type { Recording } from "../../../model/recording.ts";

/** What the texts of one release differ in (semantics §3.1). */
export interface Forms {
  /** Highest id of a packet that is printed. */
  readonly until: number;
  /** Whether every packet of every frame can be printed. */
  readonly hasAll: boolean;
  /** The child stands in the place of its parent, too. */
  readonly isParentChild: boolean;
  /** How positions and animations are written. */
  readonly motion: "0.9.6" | "0.9.10" | "0.9.15";
  readonly hasDoors: boolean;
  /** Weather is printed, and an empty line behind each frame instead of behind walker bones. */
  readonly is2026: boolean;
}

const V4: Forms = { until: 7, hasAll: false, isParentChild: true, motion: "0.9.6", hasDoors: false, is2026: false };
const V6: Forms = { ...V4, until: 9, hasAll: true, isParentChild: false };
const V10: Forms = { ...V6, until: 17, motion: "0.9.10" };
const V14: Forms = { ...V10, until: 20 };
const V15: Forms = { ...V14, motion: "0.9.15" };
const DOORS: Forms = { ...V15, until: 24, hasDoors: true };

/** Whose query tools are imitated: a release that has a recorder, or the development line of that year. */
export type CarlaLike = `0.9.${4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16}` | "0.10" | "2024" | "2026";

export const FORMS: Readonly<Record<CarlaLike, Forms>> = {
  "0.9.4": V4,
  "0.9.5": V4,
  "0.9.6": V6,
  "0.9.7": V6,
  "0.9.8": V6,
  "0.9.9": V6,
  "0.9.10": V10,
  "0.9.11": V10,
  "0.9.12": V10,
  "0.9.13": V10,
  "0.9.14": V14,
  "0.9.15": V15,
  "0.9.16": DOORS,
  "0.10": DOORS,
  "2024": DOORS,
  "2026": { ...DOORS, is2026: true },
};

/** The releases, oldest first, then the development lines. */
export const CARLA_LIKES: readonly CarlaLike[] = (Object.keys(FORMS) as CarlaLike[]).sort((a, b) => rank(a) - rank(b));

function rank(like: CarlaLike): number {
  const [first = 0, second = 0, third = 0] = like.split(".").map(Number);
  return first * 1e4 + second * 100 + third;
}

/**
 * The release whose tools print a recording as those that it was made with: as `info` estimates it (spec §6.5), the
 * oldest of several, which print the same. Where `all` packets are asked for, the first release that prints them.
 */
export function likeOf({ info }: Recording, all = false): CarlaLike {
  const { release } = info.metadata;
  const found = typeof release === "string" ? /\d+\.\d+(\.\d+)?|20\d\d/.exec(release)?.[0] : undefined;
  // the development builds are called after the years in which they were made
  const like = CARLA_LIKES.find((known) => known === found) ?? "2024";
  return all && !FORMS[like].hasAll ? "0.9.6" : like;
}
