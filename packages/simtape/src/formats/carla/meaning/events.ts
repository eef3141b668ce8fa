import { ByteCursor } from "../../../bytes/cursor.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { calledBy, eventOf } from "../../../model/query/events.ts";
import type { EventReader, Participant, RecordingEvent } from "../../../model/query/event.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { EntitySet } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Channel, Value } from "../../../model/values/value.ts";
import { SETS, SHOWN_SETS } from "./columns.ts";
import { dialectOf } from "./dialect.ts";
import {
  type Collision,
  type Dialect,
  kindOf,
  type PacketKind,
  readCollision,
  readEventAdd,
  readEventDel,
  readEventParent,
  readSceneLight,
  readVehicleDoor,
  readWeather,
  type Weather,
  WEATHER_FIELDS,
  NO_ACTOR,
} from "../layout/layout.ts";
import { kebab } from "./state.ts";

/** Kinds of events that name actors. */
const ABOUT_ACTORS = ["spawn", "removal", "attach", "collision", "door", "traffic-light"];

/** The kinds of events that packets are read for. */
const KINDS: Partial<Record<PacketKind, readonly string[]>> = {
  // a frame without a collision ends it
  "frame-start": ["collision"],
  "event-add": ABOUT_ACTORS,
  "event-del": ABOUT_ACTORS,
  "event-parent": ["attach"],
  collision: ["collision"],
  state: ["traffic-light"],
  "scene-light": ["scene-light"],
  "vehicle-door": ["door"],
  weather: ["weather"],
};

/** Of these packets each frame has one, mostly an empty one (spec §4). */
const LISTS: readonly (PacketKind | null)[] = [
  "event-add",
  "event-del",
  "event-parent",
  "collision",
  "scene-light",
  "vehicle-door",
  "weather",
];

/** A packet of more bytes may have very many records. */
const LONG = 64 << 10;
/** Ways of being called that are looked up. */
const MOST_CALLED = 4096;
/** Bytes of a packet without records: their count. */
const EMPTY = 2;
/** Bytes of a traffic light in a packet of them (spec §4.7). */
const LIGHT_BYTES = 10;
/** By number (spec §4.7). */
const LIGHTS = ["red", "yellow", "green", "off", "unknown"];
/** By number (spec §4.23). */
const DOORS = [
  "front left door",
  "front right door",
  "rear left door",
  "rear right door",
  "hood",
  "trunk",
  "all doors",
];

/** What an actor is called, without its id. */
type Called = Pick<Participant, "label"> & { readonly set: string };

/**
 * Reads events from CARLA's packets. A collision is one that the frame before had not, as in CARLA's own query
 * (semantics §3.2): while two actors touch, each frame has it again.
 */
export class CarlaEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly lists: ReadonlySet<number>;
  readonly #recording: Recorded;
  readonly #dialect: Dialect;
  /** By channel id. */
  readonly #kinds: readonly (PacketKind | null)[];
  readonly #first: Time;
  readonly #actors = new Map<number, Called>();
  /** Each once: many actors are called the same. */
  readonly #called = new Map<string, Called>();
  /** Who touched whom in the frame before, and in this one. */
  #before = new Set<string>();
  #now = new Set<string>();
  /** State of each traffic light, and whether each scene light is on. */
  readonly #lights = new Map<number, number>();
  readonly #sceneLights = new Map<number, boolean>();
  #weather: Weather | null = null;

  private constructor(recording: Recorded, first: Time) {
    this.#recording = recording;
    this.#first = first;
    const dialect = dialectOf(recording.reader);
    this.#dialect = dialect;
    this.#kinds = recording.channels.map(({ metadata }) => kindOf(Number(metadata["packet"]), dialect));
    const found = this.#kinds.map((kind, id) => [id, (kind === null ? null : KINDS[kind]) ?? []] as const);
    this.channels = new Map(found.filter(([, kinds]) => kinds.length > 0));
    this.lists = new Set(recording.channels.flatMap(({ id }) => (LISTS.includes(this.#kinds[id] ?? null) ? [id] : [])));
  }

  static async of(recording: Recorded): Promise<CarlaEvents> {
    return new CarlaEvents(recording, (await recording.timeline()).start);
  }

  async begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    const { sets, values } = await this.#recording.state(Math.ceil(start) - 1, { signal });
    for (const name of SHOWN_SETS) {
      const set = sets.get(name);
      if (set === undefined) continue;
      if (name === "scene-lights") this.#learnSceneLights(set);
      else this.#learnActors(name, set);
    }
    const lights = sets.get("traffic-lights");
    const states = lights?.columns.get("state");
    for (const [row, id] of (lights?.ids ?? []).entries()) {
      if (states !== undefined) this.#lights.set(Number(id), Number(states.data[row]));
    }
    for (const collision of (values.get("collisions") ?? []) as unknown as readonly Collision[])
      this.#now.add(pairOf(collision));
    const weather = WEATHER_FIELDS.map((field) => [field, values.get(`weather/${kebab(field)}`)] as const);
    if (weather.every(([, value]) => value !== undefined)) this.#weather = Object.fromEntries(weather) as Weather;
  }

  #learnActors(name: string, { ids, columns }: EntitySet): void {
    ids.forEach((id, row) => {
      const [kind, role] = [columns.get("kind"), columns.get("label")].map((column) => String(column?.data[row] ?? ""));
      this.#add(Number(id), name, labelOf(kind!, role!));
    });
  }

  #learnSceneLights({ ids, columns }: EntitySet): void {
    for (const [row, id] of ids.entries()) this.#sceneLights.set(Number(id), columns.get("on")?.data[row] === 1);
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    const kind = this.#kinds[id]!;
    if (kind === "frame-start") {
      this.#turn();
      return;
    }
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (end - start <= EMPTY) return;
    if (kind === "state") {
      this.#readLights(this.#recording.channels[id]!, batch, i, into);
      return;
    }
    for (const event of this.#records(kind, batch, i)) into.push(event);
  }

  long(batch: MessageBatch, i: number): Iterable<RecordingEvent> | null {
    const kind = this.#kinds[batch.channel[i]!]!;
    const isLong = batch.end[i]! - batch.start[i]! > LONG && kind !== "frame-start" && kind !== "state";
    return isLong ? this.#records(kind, batch, i) : null;
  }

  *#records(kind: PacketKind | null, batch: MessageBatch, i: number): Generator<RecordingEvent> {
    const channel = this.#recording.channels[batch.channel[i]!]!;
    const cursor = new ByteCursor(batch.bytes, batch.start[i]!, batch.end[i]!);
    for (let left = cursor.u16le(); left > 0; left--) {
      const event = this.#record(kind, cursor, batch.time[i]!);
      if (event !== null) yield eventOf(channel, batch, i, event);
    }
  }

  #turn(): void {
    if (this.#before.size === 0 && this.#now.size === 0) return;
    const spent = this.#before;
    this.#before = this.#now;
    this.#now = spent;
    spent.clear();
  }

  /** One record of a packet; null: nothing is new. */
  #record(
    kind: PacketKind | null,
    cursor: ByteCursor,
    time: Time,
  ): (Pick<RecordingEvent, "kind" | "text"> & Partial<RecordingEvent>) | null {
    switch (kind) {
      case "event-add": {
        const added = readEventAdd(cursor, this.#dialect);
        // until 0.9.11 sensors were recorded as type 0 (spec §4.2)
        const set = added.type === 0 && added.blueprint.startsWith("sensor.") ? "sensors" : SETS[added.type];
        const role = added.attributes.findLast((attribute) => attribute.id === "role_name")?.value ?? "";
        const actor = this.#add(added.id, set ?? "other", labelOf(added.blueprint, role));
        const text = `${named(actor)} ${time === this.#first ? "is present" : "spawns"}`;
        return { kind: "spawn", text, who: [actor], value: added as unknown as Value };
      }
      case "event-del": {
        const actor = this.#actor(readEventDel(cursor));
        this.#actors.delete(Number(actor.id));
        this.#lights.delete(Number(actor.id));
        return { kind: "removal", text: `${named(actor)} is removed`, who: [actor], value: actor.id };
      }
      case "event-parent": {
        const bound = readEventParent(cursor);
        const who = [this.#actor(bound.id), this.#actor(bound.parent)];
        return { kind: "attach", text: `${named(who[0]!)} is attached to ${named(who[1]!)}`, who, value: { ...bound } };
      }
      case "collision": {
        const collision = readCollision(cursor);
        const pair = pairOf(collision);
        this.#now.add(pair);
        if (this.#before.has(pair)) return null;
        const { id1, id2 } = collision;
        const isNamed = id2 !== NO_ACTOR && (id2 !== 0 || this.#actors.has(0));
        const who = isNamed ? [this.#actor(id1), this.#actor(id2)] : [this.#actor(id1)];
        const text = `${named(who[0]!)} hits ${who[1] === undefined ? "something that is no actor" : named(who[1])}`;
        return { kind: "collision", text, who, value: { ...collision } };
      }
      case "vehicle-door": {
        const moved = readVehicleDoor(cursor);
        const actor = this.#actor(moved.id);
        const door = DOORS[moved.door] ?? `door ${moved.door}`;
        const text = `${named(actor)}: ${door} ${moved.isOpen ? "open" : "closed"}`;
        return { kind: "door", text, who: [actor], value: { ...moved } };
      }
      case "scene-light": {
        const light = readSceneLight(cursor);
        const before = this.#sceneLights.get(light.id);
        this.#sceneLights.set(light.id, light.isOn);
        if (before === undefined || before === light.isOn) return null;
        const who = [{ set: "scene-lights", id: light.id, label: "" }];
        return {
          kind: "scene-light",
          text: `scene light ${light.id} ${light.isOn ? "on" : "off"}`,
          who,
          value: { ...light },
        };
      }
      case "weather": {
        const weather = readWeather(cursor);
        const before = this.#weather;
        this.#weather = weather;
        const changed = WEATHER_FIELDS.filter((field) => !Object.is(before?.[field], weather[field]));
        if (before === null || changed.length === 0) return null;
        const text = changed.map((field) => `${field} ${Number(weather[field].toPrecision(4))}`).join(", ");
        return { kind: "weather", text, value: { ...weather } };
      }
      default:
        return null;
    }
  }

  /** Lights that show something else than before. All of them are in each frame: most say nothing. */
  #readLights(channel: Channel, batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const { bytes } = batch;
    const start = batch.start[i]!;
    const total = bytes[start]! | (bytes[start + 1]! << 8);
    if (batch.end[i]! - start !== EMPTY + total * LIGHT_BYTES) return;
    for (let n = 0, at = start + EMPTY; n < total; n++, at += LIGHT_BYTES) {
      const id = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
      const state = bytes[at + LIGHT_BYTES - 1]!;
      const before = this.#lights.get(id);
      if (before === state) continue;
      this.#lights.set(id, state);
      if (before === undefined) continue;
      const light = this.#actor(id, "traffic-lights");
      const text = `${named(light)}: ${LIGHTS[state] ?? `state ${state}`}`;
      into.push(eventOf(channel, batch, i, { kind: "traffic-light", text, who: [light], value: { id, state } }));
    }
  }

  /** `otherwise` is the set of an actor that was never added. */
  #actor(id: number, otherwise = "other"): Participant {
    const called = this.#actors.get(id);
    return { set: called?.set ?? otherwise, id, label: called?.label ?? "" };
  }

  #add(id: number, set: string, label: string): Participant {
    const key = `${set} ${label}`;
    let called = this.#called.get(key);
    if (called === undefined) {
      called = { set, label };
      if (this.#called.size >= MOST_CALLED) this.#called.clear();
      this.#called.set(key, called);
    }
    this.#actors.set(id, called);
    return { set, id, label: called.label };
  }
}

function pairOf({ id1, id2 }: Collision): string {
  return `${id1} ${id2}`;
}

function labelOf(blueprint: string, role: string): string {
  return role === "" ? blueprint : `${blueprint} (${role})`;
}

function named(actor: Participant): string {
  return actor.label === "" ? calledBy(actor) : `${actor.label} ${actor.id}`;
}
