import type { Origin } from "../../model/axes/geodesy.ts";
import type { Recording } from "../../model/recording.ts";
import { type EntitySet, isSameSet, type State } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import type { ExportOptions } from "../exporter.ts";
import { FIX_WIDTH, FixReader, TIME } from "./fix.ts";
import type { Thing } from "./thing.ts";

/** Nanoseconds that a thing may stand still before the end of its standing is written, too, so that nothing creeps. */
const STILL = 1e9;
/** Moments from one report of progress to the next. */
const PROGRESS = 256;

/** What changed at a time. The next one is the same object. */
export interface Moment {
  readonly time: Time;
  /** Things with a fix at this time, and in `fixes` `FIX_WIDTH` numbers for each. */
  readonly things: readonly Thing[];
  readonly fixes: Float64Array;
  /** Those of `things` that were not there before. */
  readonly come: ReadonlySet<Thing>;
  /** Things that are there no more, or whose place is not known any more. Their last fix is before this time. */
  readonly gone: readonly Thing[];
}

/** Which sets, and which of their things. */
export interface Wanted {
  readonly sets: readonly string[] | "all";
  /** The thing that the recording is about, as an own aircraft; null: none more than others. */
  readonly hero: number | string | null;
  /** Where a plane touches the earth; null: only what is on the earth has a place. */
  readonly origin: Origin | null;
}

/**
 * Goes through a recording once and gives the fixes of things, ascending by time. A fix is what the state has at its
 * time, and holds until the next one of the same thing. A thing that stands still has a fix at the beginning and one at
 * the end of it. Memory grows with the number of things.
 */
export class Moments {
  /** Sets whose fixes were given. */
  readonly sets: Set<string> = new Set();
  /** Sets that only an origin would lay on the earth. */
  readonly local: Set<string> = new Set();
  /** Whether a set was laid by the origin; whether one was geodetic. */
  isLaid = false;
  isGeodetic = false;
  readonly #recording: Recording;
  readonly #options: ExportOptions;
  readonly #wanted: Wanted;
  readonly #ids: ReadonlySet<number | string> | null;
  readonly #reader: FixReader;
  readonly #met = new Map<string, Map<number | string, Seen>>();
  readonly #before = new Map<string, EntitySet>();
  /** Those that are there, by set. */
  readonly #present = new Map<string, Set<Seen>>();
  readonly #cells = new Float64Array(FIX_WIDTH);
  #count = 0;
  #colours: number;
  #mark = 0;
  #time: Time = 0;

  constructor(recording: Recording, options: ExportOptions, wanted: Wanted) {
    this.#recording = recording;
    this.#options = options;
    this.#wanted = wanted;
    this.#ids = options.ids === undefined ? null : wantedIds(options.ids);
    this.#reader = new FixReader(wanted.origin);
    this.#colours = wanted.hero === null ? 0 : 1;
  }

  async *all(): AsyncGenerator<Moment> {
    const { start, end, every, signal, onProgress } = this.#options;
    let isFirst = true;
    let count = 0;
    for await (const state of this.#recording.states({ start, end, every, signal, sets: this.#wanted.sets })) {
      const now = new MomentNow(state.time);
      const held = new MomentNow(this.#time);
      this.#look(state, now, held);
      if (!isFirst && !held.isEmpty) yield held;
      if (!now.isEmpty) yield now;
      this.#time = state.time;
      isFirst = false;
      if (++count % PROGRESS === 0) onProgress?.(state.time);
    }
    const held = new MomentNow(this.#time);
    for (const present of this.#present.values()) for (const seen of present) this.#hold(seen, held);
    if (!held.isEmpty) yield held;
  }

  #look({ sets, time }: State, now: MomentNow, held: MomentNow): void {
    for (const [name, set] of sets) {
      if (this.#wanted.sets !== "all" && !this.#wanted.sets.includes(name)) continue;
      const before = this.#before.get(name);
      if (before !== undefined && isSameSet(before, set)) continue;
      this.#before.set(name, set);
      this.#lookAt(name, set, time, now, held);
    }
    for (const name of this.#present.keys()) {
      if (sets.has(name)) continue;
      this.#before.delete(name);
      this.#leave(name, ++this.#mark, now, held);
    }
  }

  #lookAt(name: string, set: EntitySet, time: Time, now: MomentNow, held: MomentNow): void {
    const fits = this.#reader.use(set);
    if (fits === "local" && set.ids.length > 0) this.local.add(name);
    const mark = ++this.#mark;
    if (fits === "geodetic" || fits === "laid") {
      const cells = this.#cells;
      cells[TIME] = time;
      for (let row = 0; row < set.ids.length; row++) {
        const id = set.ids[row]!;
        if (this.#ids !== null && !this.#ids.has(id)) continue;
        if (!this.#reader.read(row, cells, 0)) continue;
        this.#meet(name, id, set, row, { mark, now, held });
      }
      if (this.#present.has(name)) {
        this.sets.add(name);
        if (fits === "laid") this.isLaid = true;
        else this.isGeodetic = true;
      }
    }
    this.#leave(name, mark, now, held);
  }

  #meet(name: string, id: number | string, set: EntitySet, row: number, at: Meeting): void {
    const cells = this.#cells;
    let seen = this.#seen(name).get(id);
    if (seen === undefined) {
      const colour = id === this.#wanted.hero ? 0 : this.#colours++;
      const thing: Thing = { index: this.#count++, set: name, id, colour, label: "", kind: "" };
      seen = { thing, last: new Float64Array(FIX_WIDTH), mark: 0, isPresent: false };
      this.#seen(name).set(id, seen);
    }
    seen.mark = at.mark;
    if (seen.isPresent && isSamePlace(seen.last, cells)) return;
    if (!seen.isPresent) {
      seen.isPresent = true;
      gotten(this.#present, name, () => new Set<Seen>()).add(seen);
      at.now.come.add(seen.thing);
    } else if (cells[TIME]! - seen.last[TIME]! > STILL) this.#hold(seen, at.held);
    seen.last.set(cells);
    const { thing } = seen;
    thing.label = textOf(set, "label", row) || thing.label;
    thing.kind = textOf(set, "kind", row) || thing.kind;
    at.now.add(thing, cells);
  }

  /** Whatever of the set was not met at this mark is gone. */
  #leave(name: string, mark: number, now: MomentNow, held: MomentNow): void {
    const present = this.#present.get(name);
    if (present === undefined) return;
    for (const seen of present) {
      if (seen.mark === mark) continue;
      this.#hold(seen, held);
      seen.isPresent = false;
      present.delete(seen);
      now.gone.push(seen.thing);
    }
  }

  /** The end of standing still, which is at the last time looked at. */
  #hold(seen: Seen, held: MomentNow): void {
    if (seen.last[TIME]! >= held.time) return;
    seen.last[TIME] = held.time;
    held.add(seen.thing, seen.last);
  }

  #seen(name: string): Map<number | string, Seen> {
    return gotten(this.#met, name, () => new Map<number | string, Seen>());
  }
}

interface Seen {
  readonly thing: Thing;
  /** The fix that was given last. */
  readonly last: Float64Array;
  mark: number;
  isPresent: boolean;
}

interface Meeting {
  readonly mark: number;
  readonly now: MomentNow;
  readonly held: MomentNow;
}

class MomentNow implements Moment {
  readonly time: Time;
  readonly things: Thing[] = [];
  readonly come: Set<Thing> = new Set();
  readonly gone: Thing[] = [];
  fixes: Float64Array = NONE;

  constructor(time: Time) {
    this.time = time;
  }

  get isEmpty(): boolean {
    return this.things.length === 0 && this.gone.length === 0;
  }

  add(thing: Thing, cells: Float64Array): void {
    const at = this.things.length * FIX_WIDTH;
    if (at === this.fixes.length) {
      const grown = new Float64Array(Math.max(2 * at, 4 * FIX_WIDTH));
      grown.set(this.fixes);
      this.fixes = grown;
    }
    this.fixes.set(cells, at);
    this.things.push(thing);
  }
}

const NONE = new Float64Array(0);

/** Equal in all but the time; what is not known is equal to itself. */
function isSamePlace(a: Float64Array, b: Float64Array): boolean {
  for (let k = TIME + 1; k < FIX_WIDTH; k++) if (!Object.is(a[k], b[k])) return false;
  return true;
}

function gotten<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Ids as they were given, and as numbers where they are: `"24"` and 24 are the same thing. */
function wantedIds(ids: readonly (number | string)[]): ReadonlySet<number | string> {
  const wanted = new Set(ids);
  for (const id of ids) {
    wanted.add(String(id));
    if (String(Number(id)) === String(id)) wanted.add(Number(id));
  }
  return wanted;
}

function textOf(set: EntitySet, name: string, row: number): string {
  const text = set.columns.get(name)?.data[row];
  return typeof text === "string" ? text : "";
}
