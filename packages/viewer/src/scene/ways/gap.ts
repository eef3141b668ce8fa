import type { Time } from "simtape";
import { passing } from "simtape/race";
import { Vector3 } from "three";
import type { Cast } from "../cast.ts";
import type { Course } from "./course.ts";
import { find, placeOf, type Spot } from "../things/pick.ts";
import type { Ways } from "./ways.ts";

/** How far a ghost is from what plays. */
export interface Gap {
  readonly metres: number;
  /** Seconds of what plays by which the ghost is ahead on its way; negative: behind. NaN: it never comes near. */
  readonly seconds: number;
}

/** A ghost's way counts as the same one within this part of the gap, or this many metres. */
const REACH = 25;

/** The same thing in a ghost: of the same id, else the first of its set. */
export function counterpart(spot: Spot, ghost: Cast): Spot | null {
  const { set, poses } = spot.crowd;
  const same = find(ghost.crowds, set, poses.ids[spot.row]!);
  if (same !== null) return same;
  const crowd = ghost.crowds.find((candidate) => candidate.set === set);
  return crowd?.poses.isKnown(0) === true ? { crowd, row: 0 } : null;
}

/** When a ghost is: of its own time, and how much of that passes in a second of what plays. */
export interface GhostClock {
  readonly time: Time;
  readonly rate: number;
}

/** The gap between a thing and its counterpart, whose way is known or null. */
export function gapTo(spot: Spot, other: Spot, { time, rate }: GhostClock, course: Course | null): Gap {
  placeOf(spot.crowd, spot.row, HERE);
  const metres = HERE.distanceTo(placeOf(other.crowd, other.row, THERE));
  const passes = course === null ? Number.NaN : passing(course, HERE.x, HERE.y, HERE.z, REACH, time);
  return { metres, seconds: (time - passes) / rate / 1e9 };
}

/** From a thing to its counterparts in ghosts, which run at `rates`; null where there is none. */
export function gapsTo(
  spot: Spot | null,
  ghosts: readonly Cast[],
  rates: readonly number[],
  ways: Ways,
): (Gap | null)[] {
  return ghosts.map((ghost, i) => {
    const other = spot === null ? null : counterpart(spot, ghost);
    if (spot === null || other === null) return null;
    const clock = { time: ghost.state?.time ?? 0, rate: rates[i] ?? 1 };
    return gapTo(spot, other, clock, ways.courseOf(i + 1, other));
  });
}

/** "1.24 s ahead · 8.3 m" */
export function gapText({ metres, seconds }: Gap): string {
  const length = metres < 1000 ? `${metres.toFixed(metres < 10 ? 2 : 1)} m` : `${(metres / 1000).toFixed(2)} km`;
  if (!Number.isFinite(seconds)) return length;
  const time = Math.abs(seconds).toFixed(2);
  return `${time === "0.00" ? "level" : `${time} s ${seconds > 0 ? "ahead" : "behind"}`} · ${length}`;
}

const HERE = new Vector3();
const THERE = new Vector3();
