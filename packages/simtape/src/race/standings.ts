import type { Time } from "../model/values/time.ts";
import { Crossings } from "./gate.ts";
import type { Post, Run } from "./gather.ts";
import type { Ground } from "./ground.ts";
import type { LapSpan } from "./laps.ts";
import type { Polyline, Projection } from "./polyline.ts";
import type { CourseKind, Race, RaceLap, RaceSplit, SplitTime, TheoreticalBest } from "./report.ts";
import { lostAndWon } from "./stretches.ts";
import { alongAt, secondsAt, stationsOf, type TimedLap, timeLap } from "./timing.ts";
import { nameOf } from "./things.ts";

/** A lap that takes part. */
export interface Entered {
  readonly run: Run;
  readonly recording: number;
  readonly number: number;
  readonly span: LapSpan;
}

/** A place at which times are taken: one of the posts of the runs, or a place near the course. */
export interface Waypoint {
  readonly name: string;
  readonly post: number | null;
  readonly place: readonly number[] | null;
}

/** What standings are made of. */
export interface Standing {
  readonly laps: readonly Entered[];
  readonly course: Polyline;
  readonly from: CourseKind;
  readonly lap: Entered | null;
  readonly ground: Ground;
  /** In metres of the ground. */
  readonly posts: readonly Post[];
  readonly waypoints: readonly Waypoint[];
  readonly sectors: number;
  readonly parts: number;
  /** Metres to each side of the course. */
  readonly width: number;
  readonly notes: Set<string>;
}

/** Stretches that are listed of each lap. */
const MOST_STRETCHES = 3;
/** Part of the course that a lap must come, or it looks as if it were of another course. */
const LITTLE = 0.5;

interface Timed {
  readonly entered: Entered;
  readonly lap: TimedLap;
  readonly seconds: number;
  /** At each split, the last of which is the end. */
  readonly splits: readonly number[];
}

/** Times all laps on the course and says how they stand. */
export function standings(standing: Standing): Race {
  const { laps, course, from, ground, notes, parts, width } = standing;
  const stations = stationsOf(course.length, parts);
  const placed = splitsOf(standing);
  const timed = laps
    .map((entered): Timed => {
      const lap = timeLap(entered.run.trace, entered.span, course, stations, width);
      const { start, end, isWhole } = entered.span;
      // a lap that joins the course behind its beginning has no time for all of it
      const whole = Number.isNaN(lap.elapsed[0]!) ? Number.NaN : lap.elapsed.at(-1)!;
      const seconds = isWhole ? (end - start) / 1e9 : whole;
      if (lap.reached < LITTLE * course.length)
        notes.add(
          `lap ${entered.number} of ${nameOf(entered.run.racer)} comes along ${Math.round((100 * lap.reached) / course.length)} % of the course`,
        );
      return { entered, lap, seconds, splits: [...splitTimes(entered, lap, placed, stations), seconds] };
    })
    .sort(byRank);
  const leader = timed[0]!;
  const splits = placedSplits(placed, leader, stations);
  const places = new Float64Array(3 * stations.length);
  const place = new Float64Array(3);
  for (const [i, along] of stations.entries()) {
    course.placeAt(along, place);
    places.set(place, 3 * i);
  }
  const index = timed.findIndex(({ entered }) => entered === standing.lap);
  return {
    course: {
      ...{ from, lap: index < 0 ? null : index, length: course.length },
      ...{ along: [...stations], places: [...places], origin: ground.origin, splits },
    },
    laps: timed.map((one) => lapOf(one, leader, stations)),
    theoretical: theoreticalOf(timed, () => true),
    own: ownOf(timed),
    notes: [...notes],
  };
}

/** Those that finished by time, all others by how far they came. */
function byRank(a: Timed, b: Timed): number {
  const [one, other] = [Number.isNaN(a.seconds), Number.isNaN(b.seconds)];
  if (one !== other) return one ? 1 : -1;
  return one ? b.lap.reached - a.lap.reached : a.seconds - b.seconds;
}

/** A waypoint on the course. */
interface Placed {
  readonly name: string;
  readonly along: number | null;
  readonly post: number | null;
}

/** Those before the end of the course, in order. */
function splitsOf({ waypoints, sectors, course, ground, posts }: Standing): readonly Placed[] {
  if (waypoints.length === 0)
    return Array.from({ length: sectors - 1 }, (_, i) => ({
      ...{ name: `${i + 1}/${sectors}`, along: (course.length * (i + 1)) / sectors, post: null },
    }));
  let from = 0;
  return waypoints.map(({ name, post, place }): Placed => {
    if (place !== null) {
      const found: Projection = { along: 0, away: 0 };
      const at = ground.at(place);
      course.project(at[0]!, at[1]!, at[2]!, from, course.length, found);
      from = found.along;
      return { name, along: from, post: null };
    }
    const { gate } = posts[post!]!;
    if (gate === null) return { name, along: null, post };
    const crossings = new Crossings(gate);
    for (let i = 0; i < course.along.length; i++)
      crossings.add(course.along[i]!, course.places[3 * i]!, course.places[3 * i + 1]!);
    const at = crossings.times.find((along) => along > from);
    if (at !== undefined) from = at;
    return { name, along: at ?? null, post };
  });
}

function splitTimes({ run, span }: Entered, lap: TimedLap, posts: readonly Placed[], stations: Float64Array): number[] {
  let from: Time = span.start;
  return posts.map(({ along, post }) => {
    if (post === null) return secondsAt(lap.elapsed, stations, along!);
    const at = run.passings[post]!.find((time) => time > from && time <= span.end);
    if (at === undefined) return Number.NaN;
    from = at;
    return (at - span.start) / 1e9;
  });
}

/** Marks are where the lap that leads was then. */
function placedSplits(posts: readonly Placed[], leader: Timed, stations: Float64Array): readonly RaceSplit[] {
  const length = stations[stations.length - 1]!;
  const inner = posts.map(({ name, along }, i) => {
    const at = along ?? alongAt(leader.lap.elapsed, stations, leader.splits[i]!);
    return { name, along: orNull(at) };
  });
  return [...inner, { name: "finish", along: length }];
}

function lapOf({ entered, lap, seconds, splits }: Timed, leader: Timed, stations: Float64Array): RaceLap {
  const { run, recording, number, span } = entered;
  const { set, id, label } = run.racer;
  const [elapsed, lead] = [lap.elapsed, leader.lap.elapsed];
  const gap = elapsed.map((time, i) => time - lead[i]!);
  const metres = elapsed.map((time, i) => alongAt(lead, stations, time) - stations[i]!);
  const length = stations[stations.length - 1]!;
  const behind = length - alongAt(elapsed, stations, leader.seconds);
  return {
    ...{ recording, set, id, label, number, start: span.start, end: span.end },
    ...{ seconds: orNull(seconds), distance: lap.distance, reached: lap.reached, strayed: lap.strayed },
    gap: { seconds: orNull(seconds - leader.seconds), metres: orNull(behind) },
    splits: splits.map((at, i): SplitTime => {
      const before = i === 0 ? 0 : splits[i - 1]!;
      return { seconds: orNull(at), sector: orNull(at - before), gap: orNull(at - leader.splits[i]!) };
    }),
    curve: { elapsed: plain(elapsed), seconds: plain(gap), metres: plain(metres) },
    ...lostAndWon(stations, gap, MOST_STRETCHES),
  };
}

function theoreticalOf(timed: readonly Timed[], isOf: (one: Timed) => boolean): TheoreticalBest | null {
  const count = timed[0]!.splits.length;
  const sectors: { seconds: number; lap: number }[] = [];
  for (let i = 0; i < count; i++) {
    let best: { seconds: number; lap: number } | null = null;
    for (const [lap, one] of timed.entries()) {
      const seconds = one.splits[i]! - (i === 0 ? 0 : one.splits[i - 1]!);
      if (isOf(one) && (best === null ? !Number.isNaN(seconds) : seconds < best.seconds)) best = { seconds, lap };
    }
    if (best === null) return null;
    sectors.push(best);
  }
  return { seconds: sectors.reduce((sum, { seconds }) => sum + seconds, 0), sectors };
}

function ownOf(timed: readonly Timed[]): Race["own"] {
  const runs = new Map<Run, number>();
  for (const { entered } of timed) runs.set(entered.run, (runs.get(entered.run) ?? 0) + 1);
  return [...runs].flatMap(([run, laps]) => {
    const theoretical = laps < 2 ? null : theoreticalOf(timed, ({ entered }) => entered.run === run);
    if (theoretical === null) return [];
    const { recording } = timed.find(({ entered }) => entered.run === run)!.entered;
    return [{ recording, set: run.racer.set, id: run.racer.id, theoretical }];
  });
}

function plain(numbers: Float64Array): readonly (number | null)[] {
  return Array.from(numbers, orNull);
}

function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
