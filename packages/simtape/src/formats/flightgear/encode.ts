import { ByteBuilder } from "../../bytes/builder.ts";
import { propertyNode } from "../../codec/properties.ts";
import { type Origin, type Place, placesOf, unsetOrigin } from "../../model/place.ts";
import type { EntitySet, State } from "../../model/state.ts";
import type { Time } from "../../model/time.ts";
import type { ChannelInfo, Value } from "../../model/value.ts";
import type { Account, StateEncoder, Witness, Writer } from "../../model/writer.ts";
import { DEFAULT_SIGNALS } from "./default-signals.ts";
import { PropertySet, simtapePath } from "./encode-properties.ts";
import { MOTION_SIGNALS, type Motion, motionOf, motionValues, positionPacket } from "./encode-signals.ts";
import { readSignalList, type SignalList, writeSignalList, writeSignals } from "./signals.ts";
import { tapeWitness } from "./witness.ts";
import { TapeWriter } from "./writer.ts";

/** Things beside the own aircraft that a tape can follow. */
const MAX_PILOTS = 1000;
/** Things of one set whose other columns become properties. */
const MAX_ROWS = 1000;
/** Pilots who send nothing are forgotten by FlightGear after some seconds: so often they send, ns. */
const EVERY = 1e9;
/** Sets whose things are most like an aircraft one sits in. */
const PREFERRED = ["aircraft", "vehicles", "players", "poses", "avatars", "walkers"];
/** The recorded aircraft of another tape. */
const SELF = "self";
/** Steps, and cells of state, that wait until it shows what moves. */
const WAITING_STEPS = 100;
const WAITING_CELLS = 300_000;
/** Metres, and metres per second, that are motion. */
const MOVED = 0.1;
/** Columns that a motion carries. */
const MOTION_COLUMNS: ReadonlySet<string> = new Set([
  "position",
  "geodetic",
  "rotation",
  "orientation",
  "velocity",
  "kind",
  "label",
]);
const MODEL = "Aircraft/ufo/Models/ufo.xml";

/**
 * What moves first becomes the recorded aircraft, everything else with a place another pilot, values become extra
 * properties below `/simtape`. The README has the table.
 */
export function encoder(writer: Writer, account: Account): StateEncoder {
  return new TapeEncoder(writer, account);
}

/** One that sends packets. */
interface Pilot {
  readonly callsign: string;
  sent: number;
  x: number;
  y: number;
  z: number;
  time: number;
  isGone: boolean;
  /** What was sent last, but for the time. */
  motion: Motion | null;
}

class TapeEncoder implements StateEncoder {
  readonly #writer: Writer;
  readonly #account: Account;
  readonly #origin: Origin;
  readonly #list: SignalList;
  readonly #isRecovery: boolean;
  readonly #signals: ChannelInfo;
  readonly #multiplayer: ChannelInfo | null;
  readonly #extra: ChannelInfo | null;
  readonly #properties: PropertySet;
  /** Place of each path in the record. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #record: Float64Array;
  #written: Uint8Array = new Uint8Array(0);
  readonly #pilots = new Map<string, Pilot>();
  readonly #callsigns = new Set<string>([SELF]);
  /** Key of the own aircraft; null while it is not chosen, "" when there is none. */
  #own: string | null = null;
  #waiting: State[] = [];
  #waitingCells = 0;
  /** Where things were seen first, while one is to be chosen. */
  readonly #seen = new Map<string, Place>();

  constructor(writer: Writer, account: Account) {
    this.#writer = writer;
    this.#account = account;
    const tape = writer instanceof TapeWriter ? writer : null;
    tape?.useSignals("simtape", MOTION_SIGNALS);
    this.#list =
      tape?.signals ?? readSignalList(propertyNode("signals", { children: writeSignalList("", DEFAULT_SIGNALS) }));
    this.#origin = tape?.origin ?? unsetOrigin();
    this.#isRecovery = tape?.dialect === "recovery";
    this.#signals = writer.channel({ name: "signals" });
    this.#multiplayer = channelOrNull(writer, "multiplayer");
    this.#extra = channelOrNull(writer, "extra-properties");
    this.#properties = new PropertySet(account);
    this.#places = new Map(this.#list.signals.map(({ property }, i) => [property, i]));
    this.#record = new Float64Array(this.#list.signals.length);
  }

  step(state: State): void {
    // A Recovery tape is one frame: how it was in the end.
    if (this.#isRecovery) this.#waiting = [state];
    else if (this.#own !== null) this.#write(state, placesOf(state, this.#origin));
    else {
      this.#waiting.push(state);
      this.#waitingCells += cellsOf(state);
      const isOver = this.#waiting.length >= WAITING_STEPS || this.#waitingCells >= WAITING_CELLS;
      if (this.#choose(state, isOver)) this.#release();
    }
  }

  end(): void {
    const last = this.#waiting.at(-1);
    if (last === undefined) return;
    if (this.#own === null) this.#choose(last, true);
    this.#release();
  }

  witness(): Witness {
    // A Recovery tape has the last moment alone; elsewhere the times of frames are of single precision.
    const timeOf = (time: Time): Time => time + CLOCK + Math.abs(time) * 2 ** -23;
    return tapeWitness(this.#origin, this.#isRecovery ? () => Number.MAX_SAFE_INTEGER : timeOf);
  }

  #release(): void {
    for (const state of this.#waiting.splice(0)) this.#write(state, placesOf(state, this.#origin));
    this.#seen.clear();
  }

  /** Settles which thing is the own aircraft; false when it is too early to tell. */
  #choose(state: State, isOver: boolean): boolean {
    const places = placesOf(state, this.#origin);
    if (!this.#origin.isSet) this.#origin.isSet = true;
    const moving: Place[] = [];
    for (const place of places) {
      const key = keyOf(place);
      const first = this.#seen.get(key);
      if (first === undefined) this.#seen.set(key, place);
      const { velocity } = place;
      const isFast = velocity !== null && Math.hypot(...velocity) > MOVED;
      const isGone = first !== undefined && Math.hypot(place.x - first.x, place.y - first.y, place.z - first.z) > MOVED;
      if (isFast || isGone || (place.set === "aircraft" && place.id === SELF)) moving.push(place);
    }
    const best = bestOf(moving);
    if (best !== null && (isOver || rankOf(best) < PREFERRED.length)) this.#own = keyOf(best);
    else if (isOver) {
      const any = best ?? bestOf(places);
      this.#own = any === null ? "" : keyOf(any);
    }
    return this.#own !== null;
  }

  #write(state: State, places: readonly Place[]): void {
    const { time } = state;
    const taken = new Set<string>();
    let own: Place | null = null;
    const others: Place[] = [];
    for (const place of places) {
      if (keyOf(place) === this.#own) own = place;
      else others.push(place);
    }
    if (own !== null) this.#fly(own, time);
    for (const [path, value] of state.values) {
      const at = this.#places.get(path);
      if (at === undefined || (typeof value !== "number" && typeof value !== "boolean")) continue;
      // What the own aircraft's place says is not said again.
      if (own !== null && OWN_PATHS.has(path)) continue;
      this.#record[at] = Number(value);
      taken.add(path);
      this.#account.carried(path);
    }
    if (own !== null || taken.size > 0) this.#writeSignals(time);
    this.#sendPilots(others, time);
    this.#noteGone(time);
    this.#writeProperties(state, places, taken);
  }

  #noteGone(time: number): void {
    for (const [key, pilot] of this.#pilots) {
      if (pilot.time === time || pilot.isGone) continue;
      pilot.isGone = true;
      this.#account.lost(key.replace("\0", "/"), "no tape tells that an aircraft is gone: it stays where it was last");
    }
  }

  /** Motion of a thing; its speed from where it was before when nothing says it. */
  #motion(place: Place, time: number): readonly [Motion, Pilot | null] {
    const key = keyOf(place);
    let pilot = this.#pilots.get(key);
    let velocity: [number, number, number] = [0, 0, 0];
    if (pilot === undefined) {
      if (this.#pilots.size > MAX_PILOTS) {
        this.#properties.lose(place.set, `a tape follows ${MAX_PILOTS} things`);
        return [motionOf(place, velocity, this.#origin), null];
      }
      const callsign = key === this.#own ? SELF : this.#callsign(place);
      pilot = { callsign, sent: Number.NEGATIVE_INFINITY, x: 0, y: 0, z: 0, time, isGone: false, motion: null };
      this.#pilots.set(key, pilot);
    } else if (time > pilot.time) {
      const seconds = (time - pilot.time) / 1e9;
      velocity = [(place.x - pilot.x) / seconds, (place.y - pilot.y) / seconds, (place.z - pilot.z) / seconds];
    }
    [pilot.x, pilot.y, pilot.z, pilot.time] = [place.x, place.y, place.z, time];
    pilot.isGone = false;
    return [motionOf(place, velocity, this.#origin), pilot];
  }

  #fly(own: Place, time: number): void {
    const [motion] = this.#motion(own, time);
    for (const [path, value] of Object.entries(motionValues(motion))) {
      const at = this.#places.get(path);
      if (at !== undefined) this.#record[at] = value;
    }
    this.#account.carried(own.set);
  }

  #writeSignals(time: number): void {
    const builder = new ByteBuilder(this.#list.recordSize);
    writeSignals(builder, this.#list, this.#record);
    const record = builder.take();
    if (sameBytes(record, this.#written)) return;
    this.#written = record;
    this.#writer.write(this.#signals, time, record);
  }

  #sendPilots(others: readonly Place[], time: number): void {
    for (const place of others) {
      if (this.#multiplayer === null) {
        this.#properties.lose(place.set, "this kind of tape holds the recorded aircraft alone");
        continue;
      }
      const [motion, pilot] = this.#motion(place, time);
      if (pilot === null) continue;
      if (time - pilot.sent < EVERY && pilot.motion !== null && sameMotion(motion, pilot.motion)) continue;
      pilot.sent = time;
      pilot.motion = motion;
      const model = /\.(xml|ac)$/.test(place.kind) ? place.kind : MODEL;
      const packet = positionPacket(motion, time / 1e9, { callsign: pilot.callsign, model });
      this.#writer.write(this.#multiplayer, time, packet);
      this.#account.carried(place.set);
    }
  }

  #writeProperties(state: State, places: readonly Place[], taken: ReadonlySet<string>): void {
    const properties = this.#properties;
    if (this.#extra === null) {
      const reason = "this kind of tape holds no extra properties";
      for (const path of state.values.keys())
        if (!taken.has(path) && !OWN_PATHS.has(path)) properties.lose(path, reason);
      return;
    }
    for (const [path, value] of state.values) {
      if (!taken.has(path) && !(this.#own !== "" && OWN_PATHS.has(path)))
        properties.put(path, simtapePath(path), value);
    }
    const callsigns = new Map<string, string>();
    for (const place of places) {
      const pilot = this.#pilots.get(keyOf(place));
      if (pilot === undefined) continue;
      callsigns.set(keyOf(place), pilot.callsign);
      const base = simtapePath("aircraft", pilot.callsign);
      const source = `${place.set}/${place.id}`;
      properties.put(`${source}.set`, `${base}/set`, place.set);
      properties.put(`${source}.id`, `${base}/id`, place.id);
      if (place.label !== "") properties.put(`${source}.label`, `${base}/label`, place.label);
      if (place.kind !== "") properties.put(`${source}.kind`, `${base}/kind`, place.kind);
    }
    for (const [name, set] of state.sets) this.#writeSet(name, set, callsigns);
    const item = properties.take();
    if (item !== null) this.#writer.write(this.#extra, state.time, item);
  }

  /** What a set says of its things beside how they move. */
  #writeSet(name: string, set: EntitySet, callsigns: ReadonlyMap<string, string>): void {
    if (set.ids.length > MAX_ROWS) {
      for (const column of set.columns.keys()) {
        if (!MOTION_COLUMNS.has(column)) this.#properties.lose(`${name}.${column}`, `more than ${MAX_ROWS} things`);
      }
      return;
    }
    for (const [column, { data, width }] of set.columns) {
      for (let row = 0; row < set.ids.length; row++) {
        const id = set.ids[row]!;
        const callsign = callsigns.get(`${name}\0${id}`);
        if (callsign !== undefined && MOTION_COLUMNS.has(column)) continue;
        const base = callsign === undefined ? simtapePath(name, String(id)) : simtapePath("aircraft", callsign);
        for (let k = 0; k < width; k++) {
          const value: Value = data[row * width + k]!;
          if (value === "" || (typeof value === "number" && Number.isNaN(value))) continue;
          const index = k === 0 ? "" : `[${k}]`;
          this.#properties.put(`${name}/${id}.${column}${index}`, `${base}/${column}${index}`, value);
        }
      }
    }
  }

  /** Seven letters that nobody else has, after the label or the id. */
  #callsign({ set, id, label }: Place): string {
    const wish = label !== "" && set === "aircraft" ? label : String(typeof id === "string" ? id : label || id);
    const clean = wish.replace(/[^\x21-\x7e]/g, "").slice(0, CALLSIGN) || set.slice(0, CALLSIGN);
    let callsign = clean;
    for (let n = 2; this.#callsigns.has(callsign); n++) callsign = `${clean.slice(0, CALLSIGN - String(n).length)}${n}`;
    this.#callsigns.add(callsign);
    return callsign;
  }
}

const CALLSIGN = 7;
/** Nanoseconds by which a frame may be late. */
const CLOCK = 200;

/** Paths that a motion says. */
const OWN_PATHS: ReadonlySet<string> = new Set(MOTION_SIGNALS.map(({ property }) => property));

function channelOrNull(writer: Writer, name: string): ChannelInfo | null {
  try {
    return writer.channel({ name });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function keyOf({ set, id }: Place): string {
  return `${set}\0${id}`;
}

function rankOf({ set }: Place): number {
  const at = PREFERRED.indexOf(set);
  return at < 0 ? PREFERRED.length : at;
}

function bestOf(places: readonly Place[]): Place | null {
  let best: Place | null = null;
  for (const place of places) {
    const isSelf = place.set === "aircraft" && place.id === SELF;
    if (isSelf) return place;
    if (best === null || rankOf(place) < rankOf(best)) best = place;
  }
  return best;
}

function cellsOf(state: State): number {
  let cells = state.values.size;
  for (const { ids, columns } of state.sets.values()) cells += ids.length * (1 + columns.size);
  return cells;
}

function sameMotion(a: Motion, b: Motion): boolean {
  return (
    a.latitude === b.latitude &&
    a.longitude === b.longitude &&
    a.altitude === b.altitude &&
    a.roll === b.roll &&
    a.pitch === b.pitch &&
    a.heading === b.heading &&
    a.body.every((speed, i) => speed === b.body[i])
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
