import { Budget, BudgetError } from "../../bytes/budget.ts";
import type { MessageBatch } from "../messages/batch.ts";
import type { Reader } from "../reader.ts";
import { type MutableEntitySet, MutableState } from "../state/state.ts";
import type { Time, TimeRange } from "../values/time.ts";
import { type Extent, extentOf, CellLimit, SetExtents } from "./extents.ts";
import { type CellFacts, cellPaths, kindOfColumn, type PathInfo, pathsIn, type Telling, textsOf } from "./listing.ts";
import { nearest, PathError, pathText, type SeriesItem, type SeriesPath } from "../state/path.ts";
import type { Inventory, InventoryColumn } from "./name-facts.ts";
import { Presence, together, ValueTree } from "./presence.ts";
import { NOTE, Notes } from "./notes.ts";
import { boundsOf, type QuerySource, tellingOf } from "./source.ts";
import { type OnProgress, type Stops, Walk } from "./walk.ts";
import { ThingTap } from "./thing-ids.ts";

/** Which part of a recording the paths are listed of. Everything is optional. */
export interface PathsOptions extends TimeRange {
  /** Only what is there at this time, which is known without going through the recording; not together with a range. */
  readonly at?: Time | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** See `Recording.paths`. */
export async function pathsOf(source: QuerySource, options: PathsOptions): Promise<readonly PathInfo[]> {
  const { at, signal } = options;
  const telling = await tellingOf(source);
  if (at !== undefined) {
    if (options.start !== undefined || options.end !== undefined)
      throw new TypeError("paths are listed at a time or in a range, not both");
    if (!Number.isFinite(at)) throw new RangeError(`at is a time in nanoseconds, not ${at}`);
    const state = (await source.fold.at(at, signal)).freeze();
    return listed(pathsIn(state, telling), new Notes(source.reader.budget));
  }
  const found = await survey(source, options);
  return listed(found.list(telling), found.notes);
}

function listed(paths: Iterable<PathInfo>, notes: Notes): PathInfo[] {
  const list: PathInfo[] = [];
  for (const path of paths) {
    notes.add();
    list.push(path);
  }
  return list;
}

/** Where each of the texts leads, of all that ever is in the recording. Throws `PathError` for one that leads nowhere. */
export async function findInAll(
  source: QuerySource,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, SeriesPath>> {
  const found = new Map<string, SeriesPath>();
  const all = await survey(source, { signal });
  for (const { text, path } of all.list({})) if (texts.includes(text) && !found.has(text)) found.set(text, path);
  for (const text of texts) if (!found.has(text)) throw new PathError(text, nearest(text, textsOf(all.list({}))));
  return found;
}

/** How often a state is held while it is folded: once more where it is shown, or grows. */
const COPIES = 2;

/** Goes through the range once. */
async function survey(source: QuerySource, options: PathsOptions): Promise<Survey> {
  const { reader, fold } = source;
  const bounds = await boundsOf(source, options);
  if (bounds.start >= bounds.end) return new Survey(new Notes(reader.budget), new MutableState());
  const moments = new Moments((channel) => reader.state.holds?.(channel) !== false);
  const walk = await Walk.begin(reader, fold, bounds, bounds.first, options);
  const { state } = walk;
  const found = new Survey(new Notes(reader.budget, () => COPIES * state.byteLength), state);
  // what holds at the start of a range is there at it, whether there is a message or not
  moments.isOne = options.start !== undefined;
  for await (const batch of walk.batches()) {
    for (const _ of walk.fold(batch, moments)) if (moments.take()) found.note(state, walk.from);
  }
  if (moments.take()) found.note(state, walk.from);
  return found;
}

/**
 * Lists all paths while another folds a recording, moment by moment, from its start to its end. It holds no more than
 * `most` of them: of a recording that has more, it lists none; and none of one with late values, unless `isPatient`: they
 * would have to be made at every moment. What sets have it knows then, too.
 */
export class PathTap {
  /** The things that there were. */
  readonly things: ThingTap;
  readonly #reader: Reader;
  readonly #most: number;
  readonly #isPatient: boolean;
  readonly #moments: Moments;
  /** Null: none are listed. */
  #found: Survey | null;

  constructor(reader: Reader, state: MutableState, most: number, isPatient: boolean) {
    this.things = new ThingTap(most);
    this.#isPatient = isPatient;
    this.#reader = reader;
    this.#most = most;
    this.#moments = new Moments((channel) => reader.state.holds?.(channel) !== false);
    this.#found = new Survey(new Notes(new Budget(most * NOTE)), state);
  }

  /** Rows `[from, to)` of one moment are folded next. */
  rows(batch: MessageBatch, from: number, to: number): void {
    this.#moments.rows(batch, from, to);
  }

  /** The moment at `time` is over: the state is as it was then. */
  end(state: MutableState, time: Time): void {
    if (!this.#moments.take()) return;
    this.things.note(state);
    if (state.isLate && !this.#isPatient) this.#found?.shorten();
    try {
      this.#found?.note(state, time);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      this.#found = null;
    }
    state.touch().forget();
  }

  /** Null: none are listed. Nothing is noted any more. */
  async list(traits: QuerySource["traits"]): Promise<readonly PathInfo[] | null> {
    if (this.#found === null || this.#found.isShort) return null;
    const list: PathInfo[] = [];
    const telling = await tellingOf({ reader: this.#reader, traits });
    for (const path of this.#found.list(telling)) {
      if (list.length === this.#most) {
        this.#found.shorten();
        return null;
      }
      list.push(path);
    }
    return list;
  }

  /** When paths were listed: what sets have, and values of which more was there than is listed; null: too much. */
  inventory(): Inventory | null {
    return this.#found?.inventory() ?? null;
  }
}

/** Stops at all times at which there are messages, and notes whether what they say holds. */
class Moments implements Stops {
  isOne = false;
  readonly #holds: (channel: number) => boolean;

  constructor(holds: (channel: number) => boolean) {
    this.#holds = holds;
  }

  until(next: Time): Time {
    return next;
  }

  rows({ channel }: MessageBatch, from: number, to: number): void {
    for (let i = from; i < to && !this.isOne; i++) this.isOne = this.#holds(channel[i]!);
  }

  take(): boolean {
    const { isOne } = this;
    this.isOne = false;
    return isOne;
  }
}

/** A thing takes as much memory as so many notes: its presence, its places, and the names of its cells. */
const A_THING = 4;

interface SetNotes {
  readonly things: Map<number | string, Presence>;
  readonly columns: Map<string, ColumnNotes>;
  readonly extents: SetExtents;
  /** A thing has been there. */
  isMet: boolean;
}

interface ColumnNotes {
  readonly presence: Presence;
  readonly facts: CellFacts;
  /** A thing has been there with it. */
  isMet: boolean;
}

/** When values, things and columns were there. */
class Survey {
  readonly notes: Notes;
  readonly #values = new Map<string, ValueTree>();
  readonly #sets = new Map<string, SetNotes>();
  readonly #limit = new CellLimit();
  /** Of values that were not looked into. */
  readonly #names = new Set<string>();
  #isShort = false;
  #shape = -1;
  #last: Time = Number.NaN;

  /** From now on the state notes what is touched; what is in it counts as touched. */
  constructor(notes: Notes, state: MutableState) {
    this.notes = notes;
    const touched = state.touch();
    for (const name of state.values.keys()) touched.values.add(name);
    for (const set of state.sets.values()) touched.things(set, set.ids);
  }

  /** From now on no value is looked into, and no thing is noted: paths cannot be listed. */
  shorten(): void {
    this.#isShort = true;
  }

  get isShort(): boolean {
    return this.#isShort;
  }

  /** The state as it is at a moment, with all that was touched since the moment before. */
  note(state: MutableState, now: Time): void {
    const touched = state.touch();
    for (const name of touched.values) if (!name.startsWith(".")) this.#noteValue(state, name, now);
    const isOther = touched.byOwner.size > 0 || state.shape !== this.#shape;
    for (const [name, set] of state.sets) {
      if (name.startsWith(".")) continue;
      if (isOther) this.#noteSet(name, set, touched.byOwner.get(set) ?? [], now);
      const extents = this.#sets.get(name)?.extents;
      if (this.#isShort) extents?.noteGaps(set);
      else extents?.note(set, isOther);
    }
    this.#shape = state.shape;
    this.#last = now;
    touched.forget();
  }

  #noteValue(state: MutableState, name: string, now: Time): void {
    if (this.#isShort) {
      if (this.#names.has(name)) return;
      this.notes.add();
      this.#names.add(name);
      return;
    }
    let tree = this.#values.get(name);
    if (tree === undefined) {
      this.notes.add();
      tree = new ValueTree(this.notes);
      this.#values.set(name, tree);
    }
    tree.note(state.value(name), now, this.#last);
  }

  /** `touched`: ids of things that may have come or gone. */
  #noteSet(name: string, set: MutableEntitySet, touched: Iterable<number | string>, now: Time): void {
    let notes = this.#sets.get(name);
    if (notes === undefined) {
      notes = { things: new Map(), columns: new Map(), extents: new SetExtents(this.notes, this.#limit), isMet: false };
      this.#sets.set(name, notes);
    }
    if (set.size > 0) notes.isMet = true;
    for (const id of this.#isShort ? [] : touched) {
      let presence = notes.things.get(id);
      if (presence === undefined) {
        this.notes.add(A_THING);
        presence = new Presence();
        notes.things.set(id, presence);
      }
      presence.note(set.find(id) >= 0, now, this.#last);
    }
    for (const [key, { spec }] of set.columns) {
      if (key.startsWith(".") || notes.columns.has(key)) continue;
      const { width, unit, interpolation = "hold", kind } = spec;
      const facts = { width, unit, interpolation, kind: kindOfColumn(kind) };
      notes.columns.set(key, { presence: new Presence(), facts, isMet: false });
    }
    for (const [key, column] of notes.columns) {
      const isThere = set.columns.has(key);
      column.presence.note(isThere, now, this.#last);
      if (isThere && set.size > 0) column.isMet = true;
    }
  }

  /** What there was of values and sets. */
  inventory(): Inventory {
    const columns: InventoryColumn[] = [];
    for (const [set, { columns: all, extents }] of this.#sets) {
      for (const [column, { facts, isMet }] of all)
        if (isMet) columns.push({ set, column, ...facts, isComplete: extents.isComplete(column) });
    }
    const sets = [...this.#sets].flatMap(([name, { isMet }]) => (isMet ? [name] : []));
    const cut = [...this.#values].flatMap(([name, { isCut }]) => (isCut ? [name] : []));
    return { sets, columns, unlisted: this.#isShort ? [...new Set([...this.#values.keys(), ...this.#names])] : cut };
  }

  /** All paths there were, values first. Nothing is noted any more. */
  *list({ unitOf, interpolation }: Telling): Generator<PathInfo> {
    for (const [value, tree] of this.#values) {
      const unit = unitOf?.(value) ?? null;
      for (const { keys, leaf } of tree.leaves(this.#last)) {
        const path: SeriesPath = { value, keys };
        const how = keys.length === 0 ? (interpolation?.(value) ?? "hold") : "hold";
        const { kind, first, last, least, most } = leaf;
        const extent = kind === "text" ? null : extentOf(least, most);
        yield { path, text: pathText(path), unit, kind, interpolation: how, first, last, extent };
      }
    }
    for (const [set, { things, columns, extents }] of this.#sets) {
      for (const { presence } of columns.values()) presence.end(this.#last);
      for (const [id, thing] of things) {
        thing.end(this.#last);
        for (const [column, { presence, facts }] of columns) {
          const both = together(thing, presence);
          const extentOfItem = (item: SeriesItem): Extent | null => extents.of(id, column, item);
          if (both !== null) yield* cellPaths(set, id, column, facts, both, extentOfItem);
        }
      }
    }
  }
}
