import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Axes } from "../../../model/axes/axes.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { ColumnReader, WantedNumber } from "../../../model/state/column-reader.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { ColumnSpec, Interpolation } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { fromEarth, toEarth } from "../../../model/axes/geodesy.ts";
import { isSameValue } from "../../../model/values/same-value.ts";
import type { Channel } from "../../../model/values/value.ts";
import { FOOT, SELF, SignalColumns } from "./columns.ts";
import { readExtraProperty } from "../layout/extra.ts";
import {
  isPacket,
  MESSAGE_POSITION,
  PROPERTIES_AT,
  paddedText,
  readPacketHeader,
  readPositionBlock,
} from "../layout/packet.ts";
import { fromRotationVector } from "./rotation-vector.ts";
import {
  placesOf,
  propertyPath,
  readSignal,
  readSignals,
  type Signal,
  type SignalList,
  type SignalPlace,
} from "../layout/signals.ts";

/** Heading clockwise from north, a nose that goes up pitches positively; velocities along the body: forward, right, down. */
export const AXES: Axes = {
  handed: "right",
  up: "z",
  kind: "geodetic",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "north" },
  own: { forward: "x", up: "-z" },
  velocities: "own",
};
const GEODETIC: ColumnSpec = { kind: "f64", width: 3, unit: "deg deg ft", interpolation: "geodetic" };
const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
const ROTATION: ColumnSpec = { kind: "f64", width: 3, unit: "deg", interpolation: "angle-deg" };
const VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "m/s", interpolation: "linear" };
const ANGULAR_VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "rad/s", interpolation: "linear" };
const TEXT: ColumnSpec = { kind: "string", width: 1, unit: null };
const SENT: ColumnSpec = { kind: "f64", width: 1, unit: "s" };

const NO_BYTES = new Uint8Array(0);

/** The recorded aircraft's own motion among the signals: places of nine properties in the list, -1 where not recorded. */
const OWN = [
  "/position/latitude-deg",
  "/position/longitude-deg",
  "/position/altitude-ft",
  "/orientation/roll-deg",
  "/orientation/pitch-deg",
  "/orientation/heading-deg",
  "/velocities/uBody-fps",
  "/velocities/vBody-fps",
  "/velocities/wBody-fps",
] as const;

/** Folds signals and extra properties into values, and aircraft into a set. */
export class FlightGearState implements StateModel {
  readonly motion: number | null;
  readonly #kinds: readonly string[];
  readonly #signals: SignalList;
  readonly #byPath: ReadonlyMap<string, Signal>;
  readonly #own: readonly number[];
  readonly #aircraft: string;
  readonly #isSound: boolean;
  readonly #numbers: Float64Array;
  readonly #channels: readonly Channel[];
  /** Places of the signals that become values, and whether the recorded aircraft is wanted. */
  readonly #shown: ArrayLike<number>;
  readonly #hasOwn: boolean;
  /** Columns of the recorded aircraft that are wanted; null: all. */
  readonly #columns: ReadonlySet<string> | null;
  /** Where the signals are that are wanted; null: all are. */
  readonly #places: readonly SignalPlace[] | null;
  /** The bytes of the last message, and a view of them. */
  #viewed: Uint8Array = NO_BYTES;
  #view: DataView = new DataView(NO_BYTES.buffer);

  /**
   * Where signals are recorded, an extra property of the same path never shows. `isSound`: each record has all signals.
   * `paths`: those that are wanted; absent, all are.
   */
  constructor(
    channels: readonly Channel[],
    signals: SignalList,
    aircraft: string,
    isSound: boolean,
    paths: readonly SeriesPath[] | null = null,
  ) {
    this.#channels = channels;
    const wanted = paths === null ? null : new Set(paths.map((path) => ("value" in path ? path.value : "")));
    const all = [...signals.signals.keys()];
    this.#shown = wanted === null ? all : all.filter((k) => wanted.has(signals.signals[k]!.property));
    this.#hasOwn = paths?.some((path) => "set" in path) ?? true;
    this.#kinds = channels.map(({ name }) => name);
    this.#signals = signals;
    const hasSignals = this.#kinds.includes("signals");
    this.#byPath = new Map(hasSignals ? signals.signals.map((signal) => [signal.property, signal]) : []);
    this.#own = OWN.map((path) => signals.signals.findIndex(({ property }) => property === path));
    this.#aircraft = aircraft;
    this.#isSound = isSound;
    this.#numbers = new Float64Array(signals.signals.length);
    this.#columns = paths === null ? null : new Set(paths.map((path) => ("set" in path ? path.column : "")));
    const read = this.#hasOwn ? [...Array.from(this.#shown), ...this.#own] : this.#shown;
    this.#places = paths === null ? null : placesOf(signals, Array.from(read));
    const motion = this.#kinds.indexOf("signals");
    this.motion = motion < 0 ? null : motion;
  }

  isAlike(other: StateModel): boolean {
    if (!(other instanceof FlightGearState) || this.#aircraft !== other.#aircraft) return false;
    const isWhole = this.#places === null && other.#places === null;
    return (
      isWhole && isSameValue(this.#kinds, other.#kinds) && isSameValue(this.#signals.signals, other.#signals.signals)
    );
  }

  replacesState(channel: number): boolean {
    return this.#isSound && this.#kinds[channel] === "signals";
  }

  holds(channel: number): boolean {
    return ["signals", "multiplayer", "extra-properties"].includes(this.#kinds[channel] ?? "");
  }

  channelsOfSet(set: string): readonly number[] {
    return set === "aircraft" ? this.#idsOf("signals", "multiplayer") : [];
  }

  channelsOf(path: SeriesPath): readonly number[] | null {
    if ("value" in path) return this.#idsOf(this.#byPath.has(path.value) ? "signals" : "extra-properties");
    if (path.set !== "aircraft") return [];
    if (path.id !== SELF) return this.#idsOf("multiplayer");
    // these columns come with the first of the others
    const isOfOthers = path.column === "angular-velocity" || path.column === "sent";
    return isOfOthers ? this.#idsOf("signals", "multiplayer") : this.#idsOf("signals");
  }

  #idsOf(...kinds: readonly string[]): number[] {
    return this.#channels.filter(({ name }) => kinds.includes(name)).map(({ id }) => id);
  }

  narrowed(paths: readonly SeriesPath[]): StateModel {
    return new FlightGearState(this.#channels, this.#signals, this.#aircraft, this.#isSound, paths);
  }

  columns(wanted: readonly WantedNumber[]): ColumnReader {
    return new SignalColumns(this, { list: this.#signals, own: this.#own }, wanted);
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    switch (this.#kinds[batch.channel[i]!]) {
      case "signals":
        this.#applySignals(state, batch.bytes, start, end);
        return;
      case "multiplayer":
        applyPacket(state, batch.bytes, start, end);
        return;
      case "extra-properties":
        this.#applyExtra(state, new ByteCursor(batch.bytes, start, end));
        return;
      default:
        return;
    }
  }

  interpolation(path: string): Interpolation {
    const signal = this.#byPath.get(path);
    if (signal === undefined || (signal.type !== "double" && signal.type !== "float")) return "hold";
    switch (signal.interpolation) {
      case "linear":
        return "linear";
      case "angular-deg":
        return "angle-deg";
      case "angular-rad":
        return "angle-rad";
      default:
        return "hold";
    }
  }

  #applySignals(state: MutableState, bytes: Uint8Array, start: number, end: number): void {
    const list = this.#signals;
    if (end - start < list.bytes) return;
    const view = this.#viewOf(bytes);
    const numbers = this.#numbers;
    if (this.#places === null)
      readSignals(view, start, end, list, (index, value) => {
        numbers[index] = value;
      });
    else for (const place of this.#places) numbers[place.index] = readSignal(view, start, place);
    const { signals } = list;
    const shown = this.#shown;
    for (let n = 0; n < shown.length; n++) {
      const k = shown[n]!;
      const { property, type } = signals[k]!;
      state.setValue(property, type === "bool" ? numbers[k] !== 0 : numbers[k]!);
    }
    if (this.#hasOwn) this.#applyOwn(state);
  }

  /** One view for all messages of a batch. */
  #viewOf(bytes: Uint8Array): DataView {
    if (this.#viewed !== bytes) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#view;
  }

  #applyOwn(state: MutableState): void {
    const set = state.set("aircraft", AXES);
    const row = set.row(SELF);
    if (this.#wants("label")) put(set, "label", TEXT, row, this.#aircraft);
    if (this.#wants("kind")) put(set, "kind", TEXT, row, this.#aircraft);
    const [latitude, longitude, altitude] = this.#three(0);
    if (this.#wants("geodetic")) set.column("geodetic", GEODETIC).put3(row, latitude, longitude, altitude);
    if (this.#wants("position")) {
      const position: [number, number, number] = [0, 0, 0];
      toEarth(latitude, longitude, altitude * FOOT, position, 0);
      set.column("position", POSITION).put3(row, ...position);
    }
    if (this.#wants("rotation")) set.column("rotation", ROTATION).put3(row, ...this.#three(3));
    if (!this.#wants("velocity")) return;
    const [u, v, w] = this.#three(6);
    set.column("velocity", VELOCITY).put3(row, u * FOOT, v * FOOT, w * FOOT);
  }

  #wants(column: string): boolean {
    return this.#columns === null || this.#columns.has(column);
  }

  #three(from: number): [number, number, number] {
    return [this.#number(from), this.#number(from + 1), this.#number(from + 2)];
  }

  #number(which: number): number {
    const index = this.#own[which]!;
    return index < 0 ? Number.NaN : this.#numbers[index]!;
  }

  #applyExtra(state: MutableState, cursor: ByteCursor): void {
    try {
      while (cursor.remaining > 0) {
        const entry = readExtraProperty(cursor);
        const path = propertyPath(entry.path);
        if (entry.value === null) this.#remove(state, path);
        else if (!this.#byPath.has(path)) state.setValue(path, entry.value);
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  /** One entry removes a node and all below it (spec §6). */
  #remove(state: MutableState, path: string): void {
    const below = `${path}/`;
    for (const key of [...state.values.keys()]) {
      if ((key === path || key.startsWith(below)) && !this.#byPath.has(key)) state.deleteValue(key);
    }
  }
}

/** The id of a pilot in the set `aircraft`. */
export function pilotId(callsign: string): string {
  return callsign === SELF ? `${SELF} (multiplayer)` : callsign;
}

function applyPacket(state: MutableState, bytes: Uint8Array, start: number, end: number): void {
  if (!isPacket(bytes, start, end) || end - start < PROPERTIES_AT) return;
  const cursor = new ByteCursor(bytes, start, end);
  const header = readPacketHeader(cursor);
  if (header.messageId !== MESSAGE_POSITION) return;
  const { model, doubles, floats } = readPositionBlock(cursor);
  const set = state.set("aircraft", AXES);
  const callsign = paddedText(header.callsign);
  const row = set.row(pilotId(callsign));
  put(set, "label", TEXT, row, callsign);
  put(set, "kind", TEXT, row, paddedText(model));
  const [x, y, z] = [doubles[2]!, doubles[3]!, doubles[4]!];
  const geodetic: [number, number, number] = [0, 0, 0];
  fromEarth(x, y, z, geodetic, 0);
  geodetic[2] /= FOOT;
  set.column("position", POSITION).put3(row, x, y, z);
  set.column("geodetic", GEODETIC).put3(row, ...geodetic);
  set.column("rotation", ROTATION).put3(row, ...fromRotationVector(floats, geodetic[0], geodetic[1]));
  set.column("velocity", VELOCITY).put3(row, floats[3]!, floats[4]!, floats[5]!);
  set.column("angular-velocity", ANGULAR_VELOCITY).put3(row, floats[6]!, floats[7]!, floats[8]!);
  set.column("sent", SENT).put(row, doubles[0]!);
}

function put(set: MutableEntitySet, name: string, spec: ColumnSpec, row: number, text: string): void {
  const column = set.column(name, spec);
  if (column.text(row) !== text) column.putText(row, text);
}
