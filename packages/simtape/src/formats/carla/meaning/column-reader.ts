import { FRAME_START_BYTES, type PacketKind } from "../layout/layout.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import { BatchView, LastRead } from "../../../model/state/last-read.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableState } from "../../../model/state/state.ts";
import { ACTORS } from "./columns.ts";
import type { Movement } from "./motion.ts";
import { kindsOf, OF_ACTORS } from "./narrowing.ts";
import { type Actors, RecordColumns } from "./record-columns.ts";

/** What is done with the packets of a channel. */
const PASS = 0;
/** They change nothing where they have no records, and are given back where they have some. */
const EMPTY = 1;
const RECORDS = 2;
const FRAME = 3;
const TIME = 4;
const GIVE_BACK = 5;

/** Bytes of a packet that says that it has no records. */
const NO_RECORDS = 2;
/** Numbers of frames whose upper half is higher are not exact. */
const HIGHEST = 0x1f_ffff;
/** Values that come with many packets, and are decoded late. */
const LATE: readonly PacketKind[] = ["weather", "scene-light", "walker-bones", "vehicle-wheels"];

/** What the packets of a channel are. */
interface PacketChannel {
  readonly kind: PacketKind | null;
  /** Where they are of motion. */
  readonly movement: Movement | null;
}

/**
 * Reads packets of motion, what frames begin with, and times. Each says all that those before it said, so that the last one
 * of each channel brings a state up to all of them. Whatever makes actors or takes them away is folded.
 */
export class PacketColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  readonly #channels: readonly PacketChannel[];
  /** By channel. */
  readonly #roles: Uint8Array;
  readonly #routes: Uint8Array;
  readonly #records: readonly (RecordColumns | null)[];
  /** The same without those that there are not. */
  readonly #parts: readonly RecordColumns[];
  readonly #lasts: readonly LastRead[];
  /** Packets of these channels are moments of actors. */
  readonly #isOfActors: readonly boolean[];
  readonly #ids: Actors;
  readonly #frame: readonly number[];
  readonly #duration: readonly number[];
  readonly #times: (readonly number[])[] = [];
  readonly #needed: ReadonlySet<string>;
  readonly #view = new BatchView();
  #state: MutableState | null = null;
  #isOpen = false;

  /** `own`: the channel of the packets in which simtape itself keeps something. */
  constructor(model: StateModel, channels: readonly PacketChannel[], own: number, wanted: readonly WantedNumber[]) {
    this.#model = model;
    this.#channels = channels;
    this.accepts = wanted.map(({ path }) => {
      const name = "value" in path ? path.value : path.set;
      return !name.startsWith(".") && kindsOf(path)?.some((kind) => LATE.includes(kind)) !== true;
    });
    const taken = wanted.filter((_, n) => this.accepts[n]);
    const cells = taken.flatMap(({ path, place }) => ("set" in path ? [{ path, place }] : []));
    const kinds = new Set(taken.flatMap(({ path }) => kindsOf(path) ?? []));
    const placesOf = (name: string): number[] =>
      taken.flatMap(({ path, place }) =>
        "value" in path && path.value === name && path.keys.length === 0 ? [place] : [],
      );
    this.#ids = new Set(cells.map(({ path }) => path.id));
    this.#frame = placesOf("frame");
    this.#duration = placesOf("frame-duration");
    this.#needed = new Set(taken.flatMap(({ path }) => ("value" in path ? [path.value] : [])));
    this.#isOfActors = channels.map(({ kind }) => kind !== null && OF_ACTORS.includes(kind));
    this.#lasts = channels.map(() => new LastRead());
    this.#records = channels.map(({ kind, movement }, id) =>
      kind === null || movement === null || !kinds.has(kind)
        ? null
        : new RecordColumns(movement, kind === "position", cells, this.#ids, this.#lasts[id]!),
    );
    this.#parts = this.#records.filter((records) => records !== null);
    this.#roles = Uint8Array.from(channels, ({ kind, movement }, id) => {
      if (id === own) return GIVE_BACK;
      if (kind === null || !kinds.has(kind)) return PASS;
      if (movement !== null) return RECORDS;
      if (kind === "frame-start") return FRAME;
      if (kind !== "platform-time" && kind !== "visual-time") return EMPTY;
      this.#times[id] = placesOf(kind);
      return TIME;
    });
    this.#routes = this.#roles.slice();
  }

  begin(state: MutableState): void {
    this.#state = state;
    this.#isOpen = false;
    for (const last of this.#lasts) last.forget();
  }

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    if (!this.#isOpen) this.#open(this.#state!);
    const view = this.#view.of(batch.bytes);
    const { channel, start, end } = batch;
    const [routes, records] = [this.#routes, this.#records];
    for (const part of this.#parts) part.begin(count);
    let n = 0;
    taking: for (; n < count; n++) {
      const i = rows[n]!;
      const of = channel[i]!;
      switch (routes[of]) {
        case PASS:
          continue;
        case EMPTY:
          if (end[i]! - start[i]! !== NO_RECORDS) break taking;
          continue;
        case RECORDS:
          if (!records[of]!.take(this.#model, this.#state!, batch, i, slots[n]!, view, columns)) break taking;
          continue;
        case FRAME: {
          const at = start[i]!;
          if (end[i]! - at < FRAME_START_BYTES || view.getUint32(at + 4, true) > HIGHEST) break taking;
          this.#readFrame(view, at, slots[n]!, columns);
          break;
        }
        case TIME:
          if (end[i]! - start[i]! < 8) break taking;
          for (const place of this.#times[of]!) columns[place]![slots[n]!] = view.getFloat64(start[i]!, true);
          break;
        default:
          break taking;
      }
      this.#lasts[of]!.note(batch, i);
    }
    this.#put(view, channel, rows, slots, n, columns);
    return n;
  }

  settle(state: MutableState): void {
    for (const last of this.#lasts) last.settle(this.#model, state);
  }

  #readFrame(view: DataView, at: number, slot: number, columns: readonly Float64Array[]): void {
    const [frame, duration] = [this.#frame, this.#duration];
    for (let k = 0; k < frame.length; k++)
      columns[frame[k]!]![slot] = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
    for (let k = 0; k < duration.length; k++) columns[duration[k]!]![slot] = view.getFloat64(at + 8, true);
  }

  /** Puts what was taken of the first rows into the columns. */
  #put(
    view: DataView,
    channel: ArrayLike<number>,
    rows: Int32Array,
    slots: Int32Array,
    count: number,
    columns: readonly Float64Array[],
  ): void {
    let last = count - 1;
    while (last >= 0 && !this.#isOfActors[channel[rows[last]!]!]!) last--;
    if (last < 0) return;
    for (const part of this.#parts) part.end(view, slots[last]!, columns);
  }

  /** What is done with packets depends on what is in the state. */
  #open(state: MutableState): void {
    this.#isOpen = true;
    const actors = state.sets.get(ACTORS);
    let hasUnknown = false;
    for (const id of this.#ids) hasUnknown ||= (actors?.find(id) ?? -1) < 0;
    for (const [id, { kind }] of this.#channels.entries()) {
      const records = this.#records[id]!;
      const role = this.#roles[id]!;
      records?.open(state);
      // an actor that was never added is there from the first record of any kind on
      const isPassed = role === RECORDS && !records!.isAsked && !hasUnknown;
      const isGiven = (role === FRAME && !this.#hasFrame(state)) || (role === TIME && !this.#has(state, kind!));
      this.#routes[id] = isPassed ? PASS : isGiven ? GIVE_BACK : role;
    }
  }

  /** Whether a frame that begins changes numbers alone. */
  #hasFrame(state: MutableState): boolean {
    if (!this.#has(state, "frame") || !this.#has(state, "frame-duration")) return false;
    if (!this.#needed.has("collisions")) return true;
    const collisions = state.value("collisions");
    return Array.isArray(collisions) && collisions.length === 0;
  }

  /** Whether there is a number where one is wanted. */
  #has(state: MutableState, name: string): boolean {
    return !this.#needed.has(name) || typeof state.value(name) === "number";
  }
}
