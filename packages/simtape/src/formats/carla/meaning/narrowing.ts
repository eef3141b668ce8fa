import type { CellPath, SeriesPath } from "../../../model/state/path.ts";
import type { MutableState } from "../../../model/state/state.ts";
import { ACTORS, type ColumnName, SETS } from "./columns.ts";
import type { PacketKind } from "../layout/layout.ts";

/** Kinds of packets of actors: each can bring an actor into a set that was never added. */
export const OF_ACTORS: readonly PacketKind[] = [
  "frame-start",
  "event-add",
  "event-del",
  "event-parent",
  "position",
  "state",
  "anim-vehicle",
  "anim-walker",
  "vehicle-light",
  "kinematics",
  "bounding-box",
  "traffic-light-time",
  "trigger-volume",
  "biker",
  "vehicle-door",
];

/** By the first part of a value's name. */
const OF_VALUES: Readonly<Record<string, readonly PacketKind[]>> = {
  frame: ["frame-start"],
  "frame-duration": ["frame-start"],
  collisions: ["frame-start", "collision"],
  "platform-time": ["platform-time"],
  "visual-time": ["visual-time"],
  weather: ["weather"],
  attributes: ["event-add", "event-del"],
  physics: ["event-add", "event-del", "physics-control"],
  bones: ["event-add", "event-del", "walker-bones"],
  wheels: ["event-add", "event-del", "vehicle-wheels"],
};

/** Kinds of packets that can change what is at a path; null: it is not known. */
export function kindsOf(path: SeriesPath): readonly PacketKind[] | null {
  if ("value" in path) {
    const group = path.value.split("/", 1)[0]!;
    return Object.hasOwn(OF_VALUES, group) ? OF_VALUES[group]! : null;
  }
  if (path.set === "scene-lights") return ["scene-light"];
  return SETS.includes(path.set) ? OF_ACTORS : null;
}

/** Ids of actors, asked for with every record. */
export class Actors {
  readonly size: number;
  readonly #others: ReadonlySet<number | string>;
  /** By id: whether it is one of them, for those that are small, which most are. */
  readonly #small: Uint8Array;

  constructor(ids: ReadonlySet<number | string>) {
    this.size = ids.size;
    this.#others = ids;
    this.#small = new Uint8Array(ids.size === 0 ? 0 : SMALL);
    for (const id of ids) if (typeof id === "number" && id < SMALL) this.#small[id] = 1;
  }

  has(id: number): boolean {
    return id < SMALL ? this.#small[id] === 1 : this.#others.has(id);
  }
}

const SMALL = 1 << 12;
const NO_ACTORS = new Actors(new Set());

/** What the packets of a channel are of, and what they say of an actor; null: something else. */
export interface PacketChannel {
  readonly kind: PacketKind | null;
  readonly names: readonly ColumnName[] | null;
}

/** What of a batch has to be folded for some paths: which packets, and whose records in them. */
export class Narrowing {
  readonly #cells: readonly CellPath[];
  readonly #ids: ReadonlySet<number | string>;
  readonly #wanted: Actors;
  readonly #isAttached: boolean;
  /** Kinds of packets that can change one of the paths; null: any can. */
  readonly #kinds: ReadonlySet<PacketKind> | null;
  readonly #channels: readonly PacketChannel[];
  /** What was found by kind of packet and by channel, as long as this is the state and its sets and actors are the same. */
  readonly #found = new Map<PacketKind, Actors | null>();
  readonly #skips: Uint8Array;
  #areSkipsKnown = false;
  #state: MutableState | null = null;
  #shape = -1;

  /** `isAttached`: there are actors that go along with others, whose places must be known, too. */
  constructor(paths: readonly SeriesPath[], isAttached: boolean, channels: readonly PacketChannel[]) {
    this.#channels = channels;
    this.#skips = new Uint8Array(channels.length);
    this.#cells = paths.filter((path) => "set" in path);
    this.#ids = new Set(this.#cells.map(({ id }) => id));
    this.#wanted = new Actors(this.#ids);
    this.#isAttached = isAttached;
    const kinds = paths.map(kindsOf);
    this.#kinds = kinds.includes(null) ? null : new Set(kinds.flatMap((some) => some ?? []));
  }

  /** Those whose records of a packet count, which says `names` of each; null: all actors. */
  of(state: MutableState, kind: PacketKind, names: readonly ColumnName[]): Actors | null {
    this.#look(state);
    let found = this.#found.get(kind);
    if (found === undefined) {
      found = this.#find(state, kind, names);
      this.#found.set(kind, found);
    }
    return found;
  }

  /** By channel 1 where its packets need not be folded; as long as nothing was folded since. */
  skips(state: MutableState): Uint8Array {
    this.#look(state);
    if (!this.#areSkipsKnown) {
      this.#areSkipsKnown = true;
      for (const [id, { kind, names }] of this.#channels.entries()) {
        const isNeeded =
          kind === null || (names === null ? this.#isOf(kind) : this.of(state, kind, names) !== NO_ACTORS);
        this.#skips[id] = isNeeded ? 0 : 1;
      }
    }
    return this.#skips;
  }

  /** To be called when actors came or went. */
  forget(): void {
    this.#state = null;
  }

  /** Forgets what was found in another state than this, or in one of another shape. */
  #look(state: MutableState): void {
    if (state === this.#state && state.shape === this.#shape) return;
    this.#found.clear();
    this.#areSkipsKnown = false;
    this.#state = state;
    this.#shape = state.shape;
  }

  #isOf(kind: PacketKind): boolean {
    return this.#kinds?.has(kind) !== false;
  }

  #find(state: MutableState, kind: PacketKind, names: readonly ColumnName[]): Actors | null {
    if (!this.#isOf(kind)) return NO_ACTORS;
    if (this.#isAttached && kind === "position") return null;
    let isAsked = false;
    for (const { set, column } of this.#cells) {
      if (!names.includes(column as ColumnName)) continue;
      isAsked = true;
      // any actor's record makes a column for all of its set
      if (state.sets.get(set)?.columns.has(column) !== true) return null;
    }
    return isAsked || this.#hasUnknown(state) ? this.#wanted : NO_ACTORS;
  }

  /** An actor that was never added is there from the first record of any kind on. */
  #hasUnknown(state: MutableState): boolean {
    const actors = state.sets.get(ACTORS);
    for (const id of this.#ids) if ((actors?.find(id) ?? -1) < 0) return true;
    return false;
  }
}
