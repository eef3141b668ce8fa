import { RecordingError } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { Time, TimeRange } from "../model/values/time.ts";
import { type CoursePath, courseOf } from "./course.ts";
import { RaceError } from "./error.ts";
import { gather, type Post, rangeOf, type Run } from "./gather.ts";
import { gateOf, numbersOf } from "./gate.ts";
import { Ground } from "./ground.ts";
import { type LapSpan, lapsBetween, MOST_LAPS } from "./laps.ts";
import { Polyline } from "./polyline.ts";
import type { CourseKind, Race } from "./report.ts";
import { type Entered, standings, type Waypoint } from "./standings.ts";
import { nameOf, type PlacedRacer, racersOf } from "./things.ts";
import { wayOf } from "./timing.ts";

/** A recording that takes part, or a part of it. */
export interface RaceEntry extends TimeRange {
  /** Open; the caller closes it. */
  readonly recording: Recording;
  /** Which things race: `set[id]`, `set[label]`, with `*` for any text. Absent: those of the options. */
  readonly things?: readonly string[] | undefined;
}

/** How recordings race. Everything is optional. Lines are `x1,y1,x2,y2` in metres along standard axes, or degrees. */
export interface RaceOptions {
  /** Which things race; absent: the recording's own one (`hero`, `ego`, `self`), else the first that moves. */
  readonly things?: readonly string[] | undefined;
  /** A lap begins where this line is crossed, and ends where it is crossed again. Neither this nor `mark`: all is one lap. */
  readonly line?: string | undefined;
  /** Likewise at each mark or event with this text. */
  readonly mark?: string | undefined;
  /** A lap ends at this line, or mark, and not at the next beginning. */
  readonly finish?: string | undefined;
  /** Where times are taken, in order: a line, a place `x,y` or `x,y,z`, or the name of a mark. Absent: `sectors`. */
  readonly checkpoints?: readonly string[] | undefined;
  /** So many parts of the course of the same length; absent: 3. */
  readonly sectors?: number | undefined;
  /** The course; `checkpoints`: straight from one to the next. Absent: the way of the best lap. */
  readonly course?: CoursePath | "checkpoints" | undefined;
  /** How many metres to each side are on the course: farther away nothing makes progress. Absent: a part of its length. */
  readonly width?: number | undefined;
  /** Of each thing in each recording the fastest lap alone. */
  readonly isBestOnly?: boolean | undefined;
  /** Equal parts of the course at whose ends curves have a value; absent: 400. */
  readonly points?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with the recording, by its place, and the time that was come to; a promise is waited for. */
  readonly onProgress?: ((recording: number, time: Time) => void | Promise<void>) | undefined;
}

/** Width of a course as a part of its length, and metres at least: on the ground, and of flights. */
const WIDTH = 0.01;
const LEAST_WIDTH = { local: 4, geodetic: 500 } as const;
/** Points of all traces at most: 32 bytes each. */
const ROOM = 1 << 20;
const LEAST_ROOM = 4096;
/** Laps that are timed, parts of a curve, and parts of all curves, at most. */
const MOST_TIMED = 1000;
const MOST_PARTS = 10_000;
const MOST_CELLS = 1 << 21;
/** Points of a course that is the way of a lap. */
const COURSE_POINTS = 8192;

/**
 * Races the laps of recordings against each other along a common course: gaps in time and distance, times at splits,
 * where time was won and lost, the best sectors put together. Goes through each recording once, one after the other; memory
 * does not grow with them. Throws `RaceError` for what does not fit the recordings.
 */
export async function race(entries: readonly RaceEntry[], options: RaceOptions = {}): Promise<Race> {
  const asked = askedOf(options);
  if (entries.length === 0) throw new RaceError("option", "nothing races: there is no recording");
  const missing: string[] = [];
  const racers: (readonly PlacedRacer[])[] = [];
  for (const [i, { recording, things }] of entries.entries()) {
    try {
      racers.push(await within(recording, () => racersOf(recording, things ?? options.things, options.signal)));
    } catch (error) {
      // where others race, one in which nothing moves is no failure
      const isStill = error instanceof RaceError && (error.code === "nowhere" || error.code === "still");
      if (!isStill || (i === entries.length - 1 && racers.flat().length === 0)) throw error;
      racers.push([]);
      missing.push(`recording ${i + 1}: ${error.message}`);
    }
  }
  const ground = new Ground(racers.flat());
  const posts = asked.posts.map(
    (post): Post => (post.gate === null ? post : { gate: ground.gate(post.gate), mark: null }),
  );
  const room = Math.max(LEAST_ROOM, Math.floor(ROOM / racers.flat().length));
  const entered: Entered[] = [];
  const notes = new Set<string>();
  for (const [i, { recording, start, end }] of entries.entries()) {
    if (racers[i]!.length === 0) continue;
    const onProgress = (time: Time): void | Promise<void> => options.onProgress?.(i, time);
    const range = await rangeOf(recording, { start, end });
    const gathering = { ...{ start, end, ground, posts, room, onProgress }, signal: options.signal };
    for (const run of await within(recording, () => gather(recording, racers[i]!, gathering))) {
      const laps = lapsOf(run, asked, range.end);
      if (laps.length === 0) missing.push(missed(run, i, asked, ground));
      if (laps.length > MOST_LAPS)
        notes.add(`${nameOf(run.racer)} has ${laps.length} laps: the first ${MOST_LAPS} count`);
      if (run.trace.stride > 1)
        notes.add(`the way of ${nameOf(run.racer)} is long: one place of ${run.trace.stride} is kept for it`);
      entered.push(...enteredOf(run, i, laps.slice(0, MOST_LAPS), options.isBestOnly === true));
    }
  }
  if (entered.length === 0) throw new RaceError(asked.start === null ? "nowhere" : "laps", missing[0]!);
  for (const text of missing) notes.add(text);
  const timed = fastest(entered, asked.parts, notes);
  const { course, from, lap } = courseFor(timed, options.course, asked, posts, ground);
  return standings({
    ...asked,
    laps: timed,
    course,
    from,
    lap,
    ground,
    posts,
    notes,
    width: widthOf(options, course, ground),
  });
}

function widthOf({ width }: RaceOptions, { length }: Polyline, { isGeodetic }: Ground): number {
  if (width !== undefined && !(width > 0 && Number.isFinite(width)))
    throw new RaceError("option", `width is a number of metres above 0, not ${width}`);
  return width ?? Math.max(isGeodetic ? LEAST_WIDTH.geodetic : LEAST_WIDTH.local, length * WIDTH);
}

interface Asked {
  /** Start, finish, checkpoints: those that racers pass. */
  readonly posts: readonly Post[];
  readonly start: number | null;
  readonly finish: number | null;
  readonly waypoints: readonly Waypoint[];
  readonly sectors: number;
  readonly parts: number;
}

function askedOf(options: RaceOptions): Asked {
  const { line, mark, finish, checkpoints = [], sectors = 3, points = 400 } = options;
  const posts: Post[] = [];
  const post = (text: string): number => {
    const gate = gateOf(text);
    return posts.push(gate === null ? { gate: null, mark: text } : { gate, mark: null }) - 1;
  };
  if (line !== undefined && mark !== undefined)
    throw new RaceError("option", "a lap begins at a line or at a mark, not at both");
  if (line !== undefined && gateOf(line) === null) throw new RaceError("line", `a line is x1,y1,x2,y2, not ${line}`);
  const start = line !== undefined ? post(line) : mark !== undefined ? posts.push({ gate: null, mark }) - 1 : null;
  if (finish !== undefined && start === null)
    throw new RaceError("option", "a finish needs a beginning: a line or a mark");
  whole("sectors", sectors, 100);
  whole("points", points, MOST_PARTS);
  const waypoints = checkpoints.map((text): Waypoint => {
    const numbers = numbersOf(text);
    const isPlace = numbers !== null && (numbers.length === 2 || numbers.length === 3);
    return isPlace ? { name: text, post: null, place: numbers } : { name: text, post: post(text), place: null };
  });
  return { posts, start, finish: finish === undefined ? null : post(finish), waypoints, sectors, parts: points };
}

function whole(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new RaceError("option", `${name} is a whole number from 1 to ${most}, not ${value}`);
}

function lapsOf({ passings, start, end }: Run, asked: Asked, last: Time): readonly LapSpan[] {
  if (!(end > start)) return [];
  if (asked.start === null) return [{ start, end, isWhole: false }];
  const isMark = asked.posts[asked.start]!.mark !== null;
  const finishes = asked.finish === null ? null : passings[asked.finish]!;
  return lapsBetween(passings[asked.start]!, finishes, isMark ? Math.min(end, last) : null);
}

function enteredOf(run: Run, recording: number, laps: readonly LapSpan[], isBestOnly: boolean): Entered[] {
  const all = laps.map((span, i): Entered => ({ run, recording, number: i + 1, span }));
  if (!isBestOnly) return all;
  const best = all.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
  return best === undefined ? [] : [best];
}

function lengthOf({ span }: Entered): Time {
  return span.end - span.start;
}

/** Of more laps than are timed the fastest. */
function fastest(entered: readonly Entered[], parts: number, notes: Set<string>): readonly Entered[] {
  const most = Math.min(MOST_TIMED, Math.floor(MOST_CELLS / parts));
  if (entered.length <= most) return entered;
  notes.add(`there are ${entered.length} laps: the ${most} that are fastest are timed`);
  return entered.toSorted((a, b) => lengthOf(a) - lengthOf(b)).slice(0, most);
}

/** Why a racer has no lap. */
function missed({ racer, trace, passings }: Run, recording: number, asked: Asked, ground: Ground): string {
  const who = `${nameOf(racer)} of recording ${recording + 1}`;
  if (trace.count < 2) return `${who} is nowhere in that time`;
  const post = asked.start === null ? null : asked.posts[asked.start]!;
  if (post === null) return `${who} has no lap`;
  const times = passings[asked.start!]!.length;
  if (post.mark !== null) return `${who} has no lap: the mark ${JSON.stringify(post.mark)} is there ${count(times)}`;
  const [least, most] = [
    new Float64Array(2).fill(Number.POSITIVE_INFINITY),
    new Float64Array(2).fill(Number.NEGATIVE_INFINITY),
  ];
  for (let i = 0; i < trace.count; i++)
    for (let k = 0; k < 2; k++) {
      least[k] = Math.min(least[k]!, trace.cell(i, k));
      most[k] = Math.max(most[k]!, trace.cell(i, k));
    }
  const axis = (k: number): string => `${least[k]!.toFixed(1)} to ${most[k]!.toFixed(1)}`;
  const where = ground.isGeodetic
    ? `it is within ${axis(0)} m east and ${axis(1)} m north of ${ground.origin!.latitude},${ground.origin!.longitude}`
    : `it is within x ${axis(0)} and y ${axis(1)} (metres, standard axes)`;
  return `${who} has no lap: it crosses the line ${count(times)}; ${where}`;
}

function count(times: number): string {
  return times === 0 ? "never" : times === 1 ? "once" : `${times} times`;
}

interface Chosen {
  readonly course: Polyline;
  readonly from: CourseKind;
  /** The lap whose way it is. */
  readonly lap: Entered | null;
}

function courseFor(
  laps: readonly Entered[],
  given: RaceOptions["course"],
  asked: Asked,
  posts: readonly Post[],
  ground: Ground,
): Chosen {
  const start = asked.start === null ? null : posts[asked.start]!.gate;
  if (given === "checkpoints")
    return { course: throughCheckpoints(asked, posts, ground), from: "checkpoints", lap: null };
  if (given !== undefined) return { course: courseOf(given, ground, start), from: "path", lap: null };
  // a lap that ends with its recording may be short because it is cut: then the first is the course
  const whole = laps.filter(({ span }) => span.isWhole).toSorted((a, b) => lengthOf(a) - lengthOf(b));
  for (const lap of [...whole, ...laps]) {
    const way = wayOf(lap.run.trace, lap.span);
    if (way === null) continue;
    const line = new Polyline(way);
    if (line.length > 0) return { course: line.thinned(line.length / COURSE_POINTS), from: "lap", lap };
  }
  throw new RaceError("nowhere", "nothing that races moves: there is no course");
}

function throughCheckpoints({ start, finish, waypoints }: Asked, posts: readonly Post[], ground: Ground): Polyline {
  const middle = (post: number | null): Float64Array[] => {
    const gate = post === null ? null : posts[post]!.gate;
    return gate === null ? [] : [Float64Array.of((gate.x1 + gate.x2) / 2, (gate.y1 + gate.y2) / 2, 0)];
  };
  const inner = waypoints.flatMap(({ post, place }) => (place === null ? middle(post) : [ground.at(place)]));
  const isFlat = waypoints.some(({ place }) => place?.length !== 3) || start !== null;
  const all = [...middle(start), ...inner, ...middle(finish ?? start)];
  const places = all.filter((place, i) => i === 0 || place.some((cell, k) => cell !== all[i - 1]![k]));
  if (inner.length < waypoints.length || places.length < 2)
    throw new RaceError("course", "a course of checkpoints needs places or lines, two at least: marks are nowhere");
  return new Polyline(Float64Array.from(places.flatMap((place) => [...place])), isFlat);
}

async function within<T>(recording: Recording, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw RecordingError.from(error, recording.info.format);
  }
}
