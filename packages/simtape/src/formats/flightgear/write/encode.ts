import { ByteBuilder } from "../../../bytes/builder.ts";
import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import type { EntitySet, State } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import type { Account, StateEncoder, Witness, Writer } from "../../../model/writer.ts";
import { dialectPlaysIn } from "../read/dialects.ts";
import { PropertySet, simtapePath } from "./encode-properties.ts";
import {
  MOTION_SIGNALS,
  type Motion,
  motionOf,
  motionValues,
  type PilotWords,
  positionPacket,
} from "./encode-signals.ts";
import { Callsigns } from "./callsigns.ts";
import { isPropertyPath, signalFor } from "./known-signals.ts";
import { type Signal, type SignalList, writeSignals } from "../layout/signals.ts";
import { NEAR } from "../layout/times.ts";
import { tapeWitness } from "./witness.ts";
import { FlightGearWriter } from "./writer.ts";

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
/** What else a packet says of a pilot. */
const PACKET_COLUMNS: ReadonlySet<string> = new Set(["angular-velocity", "sent"]);
/** How far from frames that are far from each other those between them are, ns. */
const WAITED = 1e9;
const NOTHING = new Uint8Array(0);
const MODEL = "Aircraft/ufo/Models/ufo.xml";

/**
 * What moves first becomes the recorded aircraft, everything else that moves another pilot; values become signals where
 * FlightGear records them, else extra properties below `/simtape`. The README has the table.
 */
export function encoder(writer: Writer, account: Account, origin: Origin = unsetOrigin()): StateEncoder {
  if (!(writer instanceof FlightGearWriter)) throw new TypeError("not a writer of FlightGear tapes");
  return new TapeEncoder(writer, account, origin);
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
  readonly #writer: FlightGearWriter;
  readonly #account: Account;
  /** Where the plane lies, and the same for others to know, when anything was on it. */
  readonly #origin: Origin;
  readonly #given: Origin;
  readonly #isRecovery: boolean;
  readonly #signals: ChannelInfo;
  readonly #multiplayer: ChannelInfo | null;
  readonly #extra: ChannelInfo | null;
  readonly #properties: PropertySet;
  /** What each record holds; settled with the own aircraft. */
  #list: SignalList | null = null;
  /** Place of each path in the record. */
  #places: ReadonlyMap<string, number> = new Map();
  #record = new Float64Array(0);
  #hasRecord = false;
  /** The state is that of a tape, by way of another format: its values are FlightGear's properties. */
  #isFlight = false;
  /** Time of the last frame. */
  #last = 0;
  /** Moments that are not in a Recovery tape. */
  #passed = 0;
  readonly #pilots = new Map<string, Pilot>();
  readonly #callsigns = new Callsigns(SELF);
  /** Key of the own aircraft; null while it is not chosen, "" when there is none. */
  #own: string | null = null;
  #waiting: State[] = [];
  #waitingCells = 0;
  /** Where things were seen first, while one is to be chosen. */
  readonly #seen = new Map<string, Place>();
  /** Where things were seen first that are no aircraft until they move. */
  readonly #still = new Map<string, Place>();
  /** Sets whose things may be stated by properties alone, as they were last: for their axes and units. */
  readonly #shapes = new Map<string, EntitySet>();

  constructor(writer: FlightGearWriter, account: Account, origin: Origin) {
    this.#writer = writer;
    this.#account = account;
    this.#given = origin;
    this.#origin = { ...origin };
    this.#isRecovery = writer.dialect === "recovery";
    this.#signals = writer.channel({ name: "signals" });
    this.#multiplayer = channelOrNull(writer, "multiplayer");
    this.#extra = channelOrNull(writer, "extra-properties");
    this.#properties = new PropertySet(account);
  }

  step(state: State): void {
    // A Recovery tape is one frame: how it was in the end.
    if (this.#isRecovery) {
      this.#passed += this.#waiting.length;
      this.#waiting = [state];
    } else if (this.#own !== null) this.#write(state, placesOf(state, this.#origin));
    else {
      this.#waiting.push(state);
      this.#waitingCells += cellsOf(state);
      const isOver = this.#waiting.length >= WAITING_STEPS || this.#waitingCells >= WAITING_CELLS;
      if (this.#choose(state, isOver)) this.#release();
    }
  }

  end(): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined) {
      if (this.#own === null) this.#choose(last, true);
      this.#release();
    }
    if (this.#passed > 0) this.#account.lost("time", "a Recovery tape is one moment, the last", this.#passed);
    const hasPackets = this.#pilots.size > (this.#own === null || this.#own === "" ? 0 : 1);
    const plays = dialectPlaysIn(this.#writer.dialect, hasPackets);
    const other =
      plays === dialectPlaysIn("normal", true) ? "" : `; --dialect normal: ${dialectPlaysIn("normal", true)}`;
    this.#account.noted(`plays in ${plays}${other}`);
  }

  /** Which signals there are: the motion of the own aircraft, and what FlightGear records of what is there so far. */
  #settle(): void {
    const signals = new Map<string, Signal>();
    let aircraft = "";
    for (const { sets } of this.#waiting) {
      const flown = sets.get("aircraft");
      const self = flown?.columns.has("geodetic") === true ? flown.ids.indexOf(SELF) : -1;
      if (self < 0) continue;
      this.#isFlight = true;
      aircraft = String(flown?.columns.get("kind")?.data[self] ?? "");
    }
    if (this.#own !== "") for (const signal of MOTION_SIGNALS) signals.set(signal.property, signal);
    for (const { values } of this.#waiting) {
      for (const [path, value] of values) {
        const signal = signals.has(path) ? null : signalFor(path, value, this.#isFlight);
        if (signal !== null) signals.set(path, signal);
      }
    }
    this.#writer.record({ name: "simtape", signals: [...signals.values()], aircraft });
    this.#list = this.#writer.signals;
    this.#places = new Map(this.#list.signals.map(({ property }, i) => [property, i]));
    this.#record = new Float64Array(this.#list.signals.length);
  }

  witness(): Witness {
    // A Recovery tape has the last moment alone; elsewhere the times of frames are of single precision.
    const timeOf = (time: Time): Time => time + CLOCK + Math.abs(time) * 2 ** -23;
    return tapeWitness(this.#origin, this.#isRecovery ? () => Number.MAX_SAFE_INTEGER : timeOf, this.#shapes);
  }

  #release(): void {
    if (this.#list === null) this.#settle();
    for (const state of this.#waiting.splice(0)) this.#write(state, placesOf(state, this.#origin));
    this.#seen.clear();
  }

  /** Settles which thing is the own aircraft; false when it is too early to tell. */
  #choose(state: State, isOver: boolean): boolean {
    const places = placesOf(state, this.#origin);
    // A local plane lies at 0° N 0° E unless it is put elsewhere.
    const isLocal = places.some(({ set }) => state.sets.get(set)?.columns.has("geodetic") !== true);
    if (isLocal) {
      this.#origin.isSet = true;
      Object.assign(this.#given, this.#origin);
    }
    const moving: Place[] = [];
    for (const place of places) {
      const key = keyOf(place);
      const first = this.#seen.get(key);
      if (first === undefined) this.#seen.set(key, place);
      if (isFast(place) || (first !== undefined && isAway(place, first)) || isSelf(place)) moving.push(place);
    }
    const best = bestOf(moving);
    if (best !== null && (isOver || rankOf(best) < PREFERRED.length)) this.#own = keyOf(best);
    else if (isOver) {
      const any = best ?? bestOf(places.filter(isAlive));
      this.#own = any === null ? "" : keyOf(any);
    }
    return this.#own !== null;
  }

  /**
   * A frame alone that is far from others is taken for a damaged one: between such, one behind the last and one before
   * the next say that nothing changed.
   */
  #wait(time: number): void {
    if (time - this.#last > NEAR * 1e9) {
      for (const between of [this.#last + WAITED, time - WAITED]) {
        if (this.#hasRecord) this.#writeSignals(between);
        else if (this.#extra !== null) this.#writer.write(this.#extra, between, NOTHING);
      }
    }
    this.#last = time;
  }

  #write(state: State, places: readonly Place[]): void {
    const { time } = state;
    this.#wait(time);
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
      // Where a tape says what its aircraft does, its words count; else what the place says is not said again.
      if (own !== null && !isSelf(own) && OWN_PATHS.has(path)) continue;
      this.#record[at] = Number(value);
      taken.add(path);
      this.#account.carried(path);
    }
    // FlightGear does not interpolate to a frame without signals: all have them from the first on.
    this.#hasRecord ||= own !== null || taken.size > 0;
    if (this.#hasRecord) this.#writeSignals(time);
    this.#sendPilots(state, others);
    this.#noteGone(time);
    this.#writeProperties(state, places, taken);
  }

  #noteGone(time: number): void {
    for (const [key, pilot] of this.#pilots) {
      if (pilot.time === time || pilot.isGone) continue;
      pilot.isGone = true;
      this.#account.lost(
        key.replace("\0", "/"),
        "a tape cannot record that an aircraft is removed: it stays at its last position",
      );
    }
  }

  /** Motion of a thing; its speed from where it was before when nothing says it. */
  #motion(place: Place, time: number): readonly [Motion, Pilot | null] {
    const key = keyOf(place);
    let pilot = this.#pilots.get(key);
    let velocity: [number, number, number] = [0, 0, 0];
    if (pilot === undefined) {
      if (this.#pilots.size > MAX_PILOTS) {
        this.#properties.lose(place.set, `a tape follows at most ${MAX_PILOTS} things`);
        return [motionOf(place, velocity, this.#origin), null];
      }
      const callsign = key === this.#own ? SELF : this.#callsigns.of(place);
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
    const list = this.#list!;
    const builder = new ByteBuilder(list.recordSize);
    writeSignals(builder, list, this.#record);
    this.#writer.write(this.#signals, time, builder.take());
  }

  /** Whether a thing flies as a pilot: what is alive does, anything else from when it moves. */
  #flies(place: Place): boolean {
    const key = keyOf(place);
    if (isAlive(place) || this.#pilots.has(key)) return true;
    const first = this.#still.get(key);
    if (first === undefined) this.#still.set(key, place);
    if (!isFast(place) && (first === undefined || !isAway(place, first))) return false;
    this.#still.delete(key);
    return true;
  }

  #sendPilots(state: State, others: readonly Place[]): void {
    const { time } = state;
    for (const place of others) {
      if (!this.#flies(place)) {
        if (this.#extra === null) this.#properties.lose(place.set, "this kind of tape holds only things that move");
        continue;
      }
      if (this.#multiplayer === null) {
        this.#properties.lose(place.set, "this kind of tape holds only the recorded aircraft");
        continue;
      }
      const [found, pilot] = this.#motion(place, time);
      if (pilot === null) continue;
      const { motion, sent, turned } = flownOf(state, place, found);
      if (time - pilot.sent < EVERY && pilot.motion !== null && sameMotion(motion, pilot.motion)) continue;
      pilot.sent = time;
      pilot.motion = motion;
      const model = /\.(xml|ac)$/.test(place.kind) ? place.kind : MODEL;
      const packet = positionPacket(motion, sent ?? time / 1e9, { callsign: pilot.callsign, model, ...turned });
      this.#writer.write(this.#multiplayer, time, packet);
      this.#account.carried(place.set);
    }
  }

  readonly #pathOf = (path: string): string => (this.#isFlight && isPropertyPath(path) ? path : simtapePath(path));

  #writeProperties(state: State, places: readonly Place[], taken: ReadonlySet<string>): void {
    const properties = this.#properties;
    if (this.#extra === null) {
      const reason = "this kind of tape holds no extra properties";
      for (const path of state.values.keys())
        if (!taken.has(path) && !OWN_PATHS.has(path)) properties.lose(path, reason);
      for (const [name, { columns }] of state.sets) {
        for (const column of columns.keys()) {
          if (!MOTION_COLUMNS.has(column) && !this.#isSaid(name, column)) properties.lose(`${name}.${column}`, reason);
        }
      }
      return;
    }
    for (const [path, value] of state.values) {
      if (taken.has(path) || (this.#own !== "" && OWN_PATHS.has(path))) continue;
      properties.put(path, this.#pathOf, value);
    }
    const callsigns = new Map<string, string>();
    for (const place of places) {
      const pilot = this.#pilots.get(keyOf(place));
      if (pilot === undefined) continue;
      callsigns.set(keyOf(place), pilot.callsign);
      // The tape says by itself what its own aircraft and other pilots are called.
      if (this.#isFlight && place.set === "aircraft") continue;
      const base = simtapePath("aircraft", pilot.callsign);
      const source = `${place.set}/${place.id}`;
      properties.put(`${source}.set`, () => `${base}/set`, place.set);
      properties.put(`${source}.id`, () => `${base}/id`, place.id);
      if (place.label !== "") properties.put(`${source}.label`, () => `${base}/label`, place.label);
      if (place.kind !== "") properties.put(`${source}.kind`, () => `${base}/kind`, place.kind);
    }
    for (const [name, set] of state.sets) this.#writeSet(name, set, callsigns);
    const item = properties.take();
    if (item !== null) this.#writer.write(this.#extra, state.time, item);
  }

  /** Whether a column of a set is in the packets of its pilots. */
  #isSaid(set: string, column: string): boolean {
    return this.#isFlight && set === "aircraft" && PACKET_COLUMNS.has(column);
  }

  /** What a set says of its things beside how they move. */
  #writeSet(name: string, set: EntitySet, callsigns: ReadonlyMap<string, string>): void {
    if (set.ids.length > MAX_ROWS) {
      for (const column of set.columns.keys()) {
        if (MOTION_COLUMNS.has(column) && PREFERRED.includes(name)) continue;
        this.#properties.lose(`${name}.${column}`, `more than ${MAX_ROWS} things`);
      }
      return;
    }
    if (!PREFERRED.includes(name)) this.#shapes.set(name, set);
    for (const [column, { data, width }] of set.columns) {
      for (let row = 0; row < set.ids.length; row++) {
        const id = set.ids[row]!;
        const callsign = callsigns.get(`${name}\0${id}`);
        if (callsign !== undefined && (MOTION_COLUMNS.has(column) || this.#isSaid(name, column))) continue;
        const base = callsign === undefined ? simtapePath(name, String(id)) : simtapePath("aircraft", callsign);
        for (let k = 0; k < width; k++) {
          const value: Value = data[row * width + k]!;
          if (value === "" || (typeof value === "number" && Number.isNaN(value))) continue;
          const index = k === 0 ? "" : `[${k}]`;
          this.#properties.put(`${name}/${id}.${column}${index}`, () => `${base}/${column}${index}`, value);
        }
      }
    }
  }
}

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

function isSelf({ set, id }: Place): boolean {
  return set === "aircraft" && id === SELF;
}

/** Of a set whose things move by themselves, and are shown also while they stand. */
function isAlive({ set }: Place): boolean {
  return PREFERRED.includes(set);
}

function isFast({ velocity }: Place): boolean {
  return velocity !== null && Math.hypot(...velocity) > MOVED;
}

function isAway(a: Place, b: Place): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z) > MOVED;
}

/**
 * What a pilot of another tape sent, where the state says so: speeds along the body, turning, and the sender's clock.
 */
function flownOf(
  state: State,
  { set, id }: Place,
  motion: Motion,
): { readonly motion: Motion; readonly sent: number | null; readonly turned: Pick<PilotWords, "turning"> } {
  const of = state.sets.get(set);
  if (of?.columns.has("geodetic") !== true) return { motion, sent: null, turned: {} };
  const row = of.ids.indexOf(id);
  const three = (name: string): [number, number, number] | null => {
    const data = of.columns.get(name)?.data as Float64Array | undefined;
    if (data === undefined) return null;
    const found: [number, number, number] = [data[3 * row]!, data[3 * row + 1]!, data[3 * row + 2]!];
    return found.every(Number.isFinite) ? found : null;
  };
  const sent = (of.columns.get("sent")?.data as Float64Array | undefined)?.[row] ?? Number.NaN;
  const turning = three("angular-velocity");
  return {
    motion: { ...motion, body: three("velocity") ?? motion.body },
    sent: Number.isFinite(sent) ? sent : null,
    turned: turning === null ? {} : { turning },
  };
}
