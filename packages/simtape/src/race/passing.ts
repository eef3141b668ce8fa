import type { Time } from "../model/values/time.ts";
import { awayFrom, nearestPart } from "./segment.ts";

/** The way of a thing in time: where it is at each of some times; between them it moves straight and evenly. */
export interface TimedWay {
  /** Ascending, nanoseconds since the start of its recording. */
  readonly times: ArrayLike<Time>;
  /** Three for each time: metres, in whichever axes. */
  readonly places: ArrayLike<number>;
}

/** A pass this near, metres, or at most twice as far as the nearest one, is one of the same place. */
const SAME = 3;

/**
 * When a thing comes by a place; of several passes, as laps have them, the one nearest to the time `around`. NaN: it never
 * comes nearer than `reach` metres. The gap of two things in time is how much later one of them comes by where the other
 * is.
 */
export function passing(way: TimedWay, x: number, y: number, z: number, reach: number, around: Time): Time {
  const passes = passesOf(way, x, y, z, reach);
  const nearest = Math.min(...passes.map(({ away }) => away));
  const times = passes
    .filter(({ away }) => away <= Math.max(SAME, 2 * nearest))
    .map(({ from, to }) => Math.max(from, Math.min(to, around)));
  return times.reduce((best, time) => (Math.abs(time - around) >= Math.abs(best - around) ? best : time), Number.NaN);
}

/** The thing stays where it is. */
function isSame(places: ArrayLike<number>, at: number): boolean {
  return places[at] === places[at + 3] && places[at + 1] === places[at + 4] && places[at + 2] === places[at + 5];
}

/** A time within reach of a place: when it was nearest, from coming there until leaving, and how far away. */
interface Pass {
  readonly from: Time;
  to: Time;
  readonly away: number;
}

function passesOf({ times, places }: TimedWay, x: number, y: number, z: number, reach: number): Pass[] {
  const passes: Pass[] = [];
  let pass: Pass | null = null;
  for (let i = 0; i + 1 < times.length; i++) {
    const at = 3 * i;
    const part = nearestPart(places, at, x, y, z);
    const away = awayFrom(places, at, part, x, y, z);
    const time = times[i]! + part * (times[i + 1]! - times[i]!);
    const to = isSame(places, at) ? times[i + 1]! : time;
    if (away > reach) {
      if (pass !== null) passes.push(pass);
      pass = null;
    } else if (pass === null || away < pass.away) pass = { from: time, to, away };
    else if (away === pass.away) pass.to = to;
  }
  if (pass !== null) passes.push(pass);
  return passes;
}
