import type { SinkBundle } from "../../io/sink/sink.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";
import type { ExportOptions, ExportReport } from "../exporter.ts";
import type { UtcClock } from "./clock.ts";
import { FIX_WIDTH, HEIGHT, LATITUDE, LONGITUDE } from "./fix.ts";
import { FixSpool } from "./fix-spool.ts";
import type { Landmark } from "./landmarks.ts";
import { type Level, surveyOf } from "./survey.ts";
import { namesOf, type Thing } from "./thing.ts";

/** Fixes `[from, to)` of a thing, between which it was always there. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly start: Time;
  readonly end: Time;
}

/** The way of one thing. */
export interface Track {
  readonly thing: Thing;
  /** Other than those of other things. */
  readonly name: string;
  /** One for each time it came; at least one. */
  readonly runs: readonly Run[];
  /** `FIX_WIDTH` numbers for each fix of a run, in arrays. */
  fixes(run: Run): AsyncIterable<Float64Array>;
}

/** Memory of a thing with its way, about, and things between two looks at the budget. */
const THING_MEMORY = 4096;
const LOOK_EVERY = 1024;

/** An event and where it was: the place of its thing then, else of the main thing. */
export interface PlacedLandmark extends Landmark {
  readonly latitude: number;
  readonly longitude: number;
  readonly height: number;
}

/** A recording, thing by thing. */
export interface Tracks {
  readonly clock: UtcClock;
  /** The times of the first fix and of the last. */
  readonly start: Time;
  readonly end: Time;
  /** That of the thing that the recording is about first, then in the order in which they were met. */
  readonly tracks: readonly Track[];
  /** Ascending by time. Events before the first fix are not placed. */
  readonly landmarks: readonly PlacedLandmark[];
}

/**
 * Goes through a recording, keeps the fixes by thing in a spool beside the result (see `FixSpool`), and has `write` write
 * them. Throws `RangeError` when nothing has a place.
 */
export async function writeTracks(
  recording: Recording,
  to: SinkBundle,
  options: ExportOptions,
  level: Level,
  write: (tracks: Tracks) => Promise<readonly string[]>,
): Promise<ExportReport> {
  const { clock, hero, moments, landmarks, report } = await surveyOf(recording, options, level);
  const { budget } = recording.reader;
  const spool = new FixSpool(to);
  try {
    const gathered = new Gathered(landmarks.list, hero);
    for await (const moment of moments.all()) {
      gathered.passEvents(moment.time);
      let isDue = false;
      for (const [i, thing] of moment.things.entries()) {
        if (moment.come.has(thing)) gathered.begin(thing, spool.count(thing.index));
        if (thing.index % LOOK_EVERY === 0) budget?.fit("the ways of things", thing.index * THING_MEMORY);
        isDue = spool.add(thing.index, moment.fixes, i * FIX_WIDTH) || isDue;
        gathered.meet(thing, moment.fixes, i * FIX_WIDTH, moment.time);
      }
      if (isDue) await spool.settle();
    }
    gathered.passEvents(Number.POSITIVE_INFINITY);
    const early = gathered.unplaced === 0 ? [] : [`events before the first fix are left out: ${gathered.unplaced}`];
    const done = report(gathered.count, early);
    const notes = await write({
      clock,
      start: gathered.start,
      end: gathered.end,
      tracks: gathered.tracks(spool),
      landmarks: gathered.placed,
    });
    return { ...done, notes: [...done.notes, ...notes] };
  } finally {
    await spool.close();
  }
}

/** What is kept of a thing beside its fixes. */
interface Way {
  readonly thing: Thing;
  /** The number of fixes where each run begins, and the times where it begins and ends. */
  readonly begins: number[];
  readonly starts: Time[];
  readonly ends: Time[];
  latitude: number;
  longitude: number;
  height: number;
}

class Gathered {
  readonly placed: PlacedLandmark[] = [];
  count = 0;
  unplaced = 0;
  start: Time = Number.NaN;
  end: Time = Number.NaN;
  readonly #ways: Way[] = [];
  readonly #byKey = new Map<string, Way>();
  readonly #events: readonly Landmark[];
  readonly #hero: number | string | null;
  /** The way of the hero, or the first one. */
  #main: Way | undefined;
  #next = 0;

  constructor(events: readonly Landmark[], hero: number | string | null) {
    this.#events = events;
    this.#hero = hero;
  }

  begin(thing: Thing, at: number): void {
    let way = this.#ways[thing.index];
    if (way === undefined) {
      way = { thing, begins: [], starts: [], ends: [], latitude: 0, longitude: 0, height: 0 };
      this.#ways[thing.index] = way;
      this.#byKey.set(`${thing.set}/${thing.id}`, way);
      if (this.#main === undefined || thing.id === this.#hero) this.#main = way;
    }
    way.begins.push(at);
  }

  meet(thing: Thing, fixes: Float64Array, at: number, time: Time): void {
    const way = this.#ways[thing.index]!;
    way.latitude = fixes[at + LATITUDE]!;
    way.longitude = fixes[at + LONGITUDE]!;
    way.height = fixes[at + HEIGHT]!;
    const run = way.begins.length - 1;
    way.starts[run] ??= time;
    way.ends[run] = time;
    if (this.count++ === 0) this.start = time;
    this.end = time;
  }

  /** Places the events before a time. */
  passEvents(time: Time): void {
    for (; this.#next < this.#events.length; this.#next++) {
      const landmark = this.#events[this.#next]!;
      if (landmark.event.time >= time) return;
      const ways = landmark.event.who.map(({ set, id }) => this.#byKey.get(`${set}/${id}`));
      const way = ways.find((one) => one !== undefined) ?? this.#main;
      if (way === undefined) {
        this.unplaced++;
        continue;
      }
      const { latitude, longitude, height } = way;
      this.placed.push({ ...landmark, latitude, longitude, height });
    }
  }

  tracks(spool: FixSpool): Track[] {
    const names = namesOf(this.#ways.map(({ thing }) => thing));
    const ways = this.#ways.toSorted((a, b) => Number(b === this.#main) - Number(a === this.#main));
    return ways.map(({ thing, begins, starts, ends }) => ({
      thing,
      name: names[thing.index]!,
      runs: begins.map((from, i) => ({
        from,
        to: begins[i + 1] ?? spool.count(thing.index),
        start: starts[i]!,
        end: ends[i]!,
      })),
      fixes: (run) => spool.read(thing.index, run.from, run.to),
    }));
  }
}
