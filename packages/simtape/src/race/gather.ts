import { PoseColumns } from "../model/poses/pose-columns.ts";
import type { SeriesPath } from "../model/state/path.ts";
import type { Series } from "../model/query/sinks.ts";
import type { Recording } from "../model/recording.ts";
import { after, type Time, type TimeRange } from "../model/values/time.ts";
import { Crossings, type Gate } from "./gate.ts";
import type { Ground } from "./ground.ts";
import { isMarkFor } from "./laps.ts";
import type { PlacedRacer } from "./things.ts";
import { Trace } from "./trace.ts";

/** Where laps begin, end, or are timed: a gate, or the name of a mark. */
export type Post = { readonly gate: Gate; readonly mark: null } | { readonly gate: null; readonly mark: string };

/** A racer as one pass over its recording shows it. */
export interface Run {
  readonly racer: PlacedRacer;
  readonly trace: Trace;
  /** For each post, the times at which the racer was there, ascending. */
  readonly passings: readonly (readonly Time[])[];
  /** Moments of the recording at which its place is known first and last; NaN: never. */
  readonly start: Time;
  readonly end: Time;
}

/** What a pass is for. Gates are in metres of the ground. */
export interface Gathering extends TimeRange {
  readonly ground: Ground;
  readonly posts: readonly Post[];
  /** Points of each trace at most. */
  readonly room: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((time: Time) => void | Promise<void>) | undefined;
}

/** Goes through a recording once: where racers were, and when they were at each post. Memory does not grow with it. */
export async function gather(
  recording: Recording,
  racers: readonly PlacedRacer[],
  options: Gathering,
): Promise<readonly Run[]> {
  const { posts, start, end, signal, onProgress } = options;
  const runners = racers.map((racer) => new Runner(racer, options));
  const paths = racers.flatMap(({ set, id, column }): SeriesPath[] =>
    [0, 1, 2].map((item) => ({ set, id, column, item })),
  );
  for await (const lines of recording.seriesBatches(paths, { start, end, signal })) {
    let time: Time = Number.NaN;
    for (const [i, runner] of runners.entries()) time = runner.add(lines[3 * i]!, lines[3 * i + 1]!, lines[3 * i + 2]!);
    const waiting = Number.isNaN(time) ? undefined : onProgress?.(time);
    if (waiting !== undefined) await waiting;
  }
  if (posts.some(({ mark }) => mark !== null)) await findMarks(recording, runners, options);
  return runners.map((runner) => runner.end());
}

async function findMarks(recording: Recording, runners: readonly Runner[], options: Gathering): Promise<void> {
  const { posts, start, end, signal } = options;
  for await (const events of recording.events({ start, end, signal })) {
    for (const event of events)
      for (const runner of runners)
        for (const [i, { mark }] of posts.entries())
          if (mark !== null && isMarkFor(event, mark, runner.racer)) runner.mark(i, event.time);
  }
}

class Runner {
  readonly racer: PlacedRacer;
  readonly #ground: Ground;
  readonly #trace: Trace;
  readonly #gates: readonly (Crossings | null)[];
  readonly #marks: Time[][];
  readonly #data = new Float64Array(3);
  readonly #poses = new PoseColumns();
  readonly #place = new Float64Array(3);
  #isKnown = false;

  constructor(racer: PlacedRacer, { ground, posts, room }: Gathering) {
    const { column, unit, axes } = racer;
    this.racer = racer;
    this.#ground = ground;
    this.#trace = new Trace(room);
    this.#gates = posts.map(({ gate }) => (gate === null ? null : new Crossings(gate)));
    this.#marks = posts.map(() => []);
    const cells = { data: this.#data, width: 3, unit, interpolation: "hold" } as const;
    this.#poses.use({ ids: [0], columns: new Map([[column, cells]]), axes });
  }

  /** Rows of x, y and z, which are at the same times. Gives the last time. */
  add(x: Series, y: Series, z: Series): Time {
    for (let row = 0; row < x.time.length; row++) this.#row(x.time[row]!, x, y, z, row);
    return x.time.at(-1) ?? Number.NaN;
  }

  mark(post: number, time: Time): void {
    const times = this.#marks[post]!;
    if (times.at(-1) !== time) times.push(time);
  }

  end(): Run {
    const { count } = this.#trace;
    return {
      racer: this.racer,
      trace: this.#trace,
      passings: this.#gates.map((gate, i) => gate?.times ?? this.#marks[i]!),
      start: count === 0 ? Number.NaN : this.#trace.timeAt(0),
      end: count === 0 ? Number.NaN : this.#trace.timeAt(count - 1),
    };
  }

  #row(time: Time, x: Series, y: Series, z: Series, row: number): void {
    this.#data[0] = x.valid[row] === 0 ? Number.NaN : x.value[row]!;
    this.#data[1] = y.valid[row] === 0 ? Number.NaN : y.value[row]!;
    this.#data[2] = z.valid[row] === 0 ? Number.NaN : z.value[row]!;
    const place = this.#place;
    const isKnown = this.#poses.isGeodetic ? this.#poses.geodetic(0, place, 0) : this.#poses.position(0, place, 0);
    if (!isKnown) {
      if (this.#isKnown) for (const gate of this.#gates) gate?.leap();
      this.#isKnown = false;
      return;
    }
    this.#isKnown = true;
    this.#ground.lay(place);
    this.#trace.add(time, place[0]!, place[1]!, place[2]!);
    for (const gate of this.#gates) gate?.add(time, place[0]!, place[1]!);
  }
}

/** The range of a recording that is gone through, both ends included. */
export async function rangeOf(
  recording: Recording,
  { start, end }: TimeRange,
): Promise<{ readonly start: Time; readonly end: Time }> {
  const timeline = await recording.timeline();
  return {
    start: Math.max(start ?? timeline.start, timeline.start),
    end: Math.min(end === undefined ? timeline.end : -after(-end), timeline.end),
  };
}
