import { type Ray, Vector3 } from "three";
import type { Crowd } from "../presenters/presenter.ts";

/** One thing of a crowd, where it is now. */
export interface Spot {
  readonly crowd: Crowd;
  readonly row: number;
}

/** A thing counts as hit within this many pixels of it. */
const SLACK = 7;

/**
 * The nearest thing that a ray hits. Things are balls, never smaller than some pixels: `pixel` is the size of one at a
 * distance of 1 m. What is not main gives way to what is.
 */
export function pick(ray: Ray, crowds: readonly Crowd[], pixel: number): Spot | null {
  let best: Spot | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  for (const crowd of crowds) {
    const { poses, frame } = crowd;
    const scale = frame.matrixWorld.getMaxScaleOnAxis();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      placeOf(crowd, row, PLACE);
      PLACE.y += (crowd.isMain ? crowd.top / 2.5 : 0) * scale;
      const along = RAY.copy(PLACE).sub(ray.origin).dot(ray.direction);
      if (along <= 0) continue;
      const reach = Math.max(crowd.radius * scale, SLACK * pixel * along);
      const beside = ray.distanceSqToPoint(PLACE);
      if (beside > reach * reach) continue;
      const rank = along - reach + (crowd.isMain ? 0 : reach);
      if (rank >= nearest) continue;
      nearest = rank;
      best = { crowd, row };
    }
  }
  return best;
}

/** Where a thing is in the scene. */
export function placeOf({ poses, frame }: Crowd, row: number, out: Vector3): Vector3 {
  return out.fromArray(poses.positions, 3 * row).applyMatrix4(frame.matrixWorld);
}

/** What is looked at of a thing. */
export function middleOf({ crowd, row }: Spot, out: Vector3): Vector3 {
  placeOf(crowd, row, out);
  // what flies is around its place, however it is turned
  if (!crowd.flies) out.y += (crowd.top / 3) * crowd.frame.matrixWorld.getMaxScaleOnAxis();
  return out;
}

/** The crowd and row of what is selected; null when it is not there now. */
export function find(crowds: readonly Crowd[], set: string, id: number | string): Spot | null {
  for (const crowd of crowds) {
    if (crowd.set !== set) continue;
    const row = crowd.poses.find(id);
    if (crowd.poses.isKnown(row)) return { crowd, row };
  }
  return null;
}

/**
 * What it is about when nothing is selected: the hero or the recorded aircraft; else of the main things that move,
 * or may, the one with the most weight; or where all stand the first of them. What has no name comes last. Those of the sets that
 * are `foremost` come before others, in that order. `moves`: whether a thing does; null: nothing is known of its set.
 */
export function principal(
  crowds: readonly Crowd[],
  foremost: readonly string[] = [],
  moves: (spot: Spot) => boolean | null = () => null,
): Spot | null {
  let first: Spot | null = null;
  let mover: Spot | null = null;
  let unnamed: Spot | null = null;
  const main = crowds.filter(({ isMain }) => isMain);
  for (const crowd of main.sort((a, b) => rankIn(foremost, a.set) - rankIn(foremost, b.set))) {
    for (let row = 0; row < crowd.poses.count; row++) {
      if (!crowd.poses.isKnown(row)) continue;
      const spot = { crowd, row };
      const label = crowd.label(row);
      if (crowd.poses.ids[row] === "self" || label === "hero") return spot;
      if (label === "") {
        unnamed ??= spot;
        continue;
      }
      first ??= spot;
      if (moves(spot) === false) continue;
      const isLarger = mover?.crowd === crowd && crowd.weight(row) > crowd.weight(mover.row);
      if (isLarger || mover === null) mover = spot;
    }
  }
  return mover ?? first ?? unnamed;
}

/** Which of the sets that are foremost it is; another comes after all of them. */
export function rankIn(foremost: readonly string[], set: string): number {
  const rank = foremost.indexOf(set);
  return rank < 0 ? foremost.length : rank;
}

const PLACE = new Vector3();
const RAY = new Vector3();
