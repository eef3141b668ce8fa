import type { Column } from "../../../model/state/column.ts";
import { areSameSets, type EntitySet, type State } from "../../../model/state/state.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import { areSameAxes } from "../../../model/axes/standard-axes.ts";
import { radiansPer } from "../../../model/values/units.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import { type Account, type StateEncoder, thingKey, type Witness, type Writer } from "../../../model/writer.ts";
import { AXES, SETS } from "../meaning/columns.ts";
import { FrameWriter } from "./frame-writer.ts";
import {
  type Attribute,
  type Collision,
  type Dialect,
  type Vector,
  type Weather,
  WEATHER_FIELDS,
  writeAnimVehicle,
  writeAnimWalker,
  writeBiker,
  writeBox,
  writeCollision,
  writeEventAdd,
  writeEventDel,
  writeEventParent,
  writeKinematics,
  writePosition,
  writeSceneLight,
  writeState,
  writeTrafficLightTime,
  writeVehicleDoor,
  writeVehicleLight,
  writeWeather,
} from "../layout/layout.ts";
import { CarlaWriter } from "./writer.ts";

const CENTIMETRES = 100;
const [OTHER, VEHICLE, WALKER, TRAFFIC_LIGHT, , SENSOR] = [0, 1, 2, 3, 4, 5];
/** Longest text that CARLA reads (spec §1). */
const LONGEST_TEXT = 32767;

/** What things of sets that are none of CARLA's become. */
const TYPES: Readonly<Record<string, number>> = {
  aircraft: VEHICLE,
  poses: VEHICLE,
  players: WALKER,
  avatars: WALKER,
  entities: WALKER,
};

/** Blueprints of CARLA's library for what has none, by type. */
const BLUEPRINTS: readonly string[] = [
  "static.prop.box01",
  "vehicle.tesla.model3",
  "walker.pedestrian.0001",
  "traffic.traffic_light",
  "traffic.stop",
  "sensor.other.gnss",
];

/** Columns that a position packet and event add hold; `orientation` and `geodetic` in their way. */
const PLACED: ReadonlySet<string> = new Set(["position", "rotation", "orientation", "geodetic", "kind", "label"]);
const BOXES: ReadonlySet<string> = new Set(["box-center", "box-extent"]);
/** Columns that CARLA has packets for, of sets that it has. */
const NATIVE: Readonly<Record<string, ReadonlySet<string>>> = {
  vehicles: new Set([
    "steering",
    "throttle",
    "brake",
    "handbrake",
    "gear",
    "lights",
    "open-doors",
    "forward-speed",
    "rpm-ratio",
    "angular-velocity",
  ]),
  walkers: new Set(["speed", "angular-velocity"]),
  "traffic-lights": new Set([
    "state",
    "frozen",
    "state-time",
    "green-time",
    "yellow-time",
    "red-time",
    "trigger-center",
    "trigger-extent",
  ]),
  "traffic-signs": new Set(["trigger-center", "trigger-extent"]),
};

/** An actor of the source, in the recording. */
interface Actor {
  readonly id: number;
  readonly type: number;
  readonly set: string;
  readonly source: number | string;
  /** Where it was said to be last. */
  place: Place;
  /** The step in which it was last there. */
  seen: number;
  /** Named parent in the source; 0: none. */
  parent: number;
  /** Boxes and times are said once, and again when they change. */
  said: string;
  /** Bits of the doors that were said to be open. */
  doors: number;
}

/** Writes things with places as actors. Throws `TypeError` for a writer of another format. */
export function encoder(writer: Writer, account: Account, origin: Origin = unsetOrigin()): StateEncoder {
  if (!(writer instanceof CarlaWriter)) throw new TypeError("not a writer of CARLA recordings");
  return new Encoder(writer, account, origin);
}

class Encoder implements StateEncoder {
  readonly #account: Account;
  readonly #frames: FrameWriter;
  readonly #dialect: Dialect;
  readonly #origin: Origin;
  readonly #actors = new Map<string, Actor>();
  readonly #ids = new Set<number>();
  /** What every actor there ever was is in the source. */
  readonly #sources = new Map<number, string>();
  #nextId = 1;
  #steps = 0;
  #shift: Time = 0;
  #collisions: readonly Collision[] = [];
  /** Values of the source as they were last. */
  readonly #written = new Map<string, Value>();
  /** Things whose attributes changed since the last frame. */
  readonly #attributesOf: number[] = [];
  #sets: State["sets"] | null = null;
  /** Bound in the frame after the one in which they are added: there, a place is one in the world. */
  #toBind: Actor[] = [];
  readonly #weather = new Map<string, number>();
  readonly #sceneLights = new Map<number, string>();

  constructor(writer: CarlaWriter, account: Account, origin: Origin) {
    this.#account = account;
    this.#origin = origin;
    this.#dialect = writer.release.dialect;
    this.#frames = new FrameWriter(writer, writer.release, writer.release.until >= 17);
  }

  step(state: State): void {
    if (this.#steps === 0 && state.time < 0) {
      this.#shift = -state.time;
      this.#account.lost("time", `CARLA counts from 0, every time is ${this.#shift} ns later`);
    }
    const before = this.#sets;
    this.#sets = state.sets;
    const isDue = this.#values(state.values);
    if (before !== null && areSameSets(before, state.sets) && !isDue) return;
    this.#steps++;
    this.#bind();
    const sources = new Map<string, Map<number | string, number>>();
    for (const [name, set] of state.sets) sources.set(name, new Map(set.ids.map((id, row) => [id, row])));
    const counts = new Map<string, number>();
    for (const place of placesOf(state, this.#origin)) {
      const set = state.sets.get(place.set)!;
      this.#place(place, set, sources.get(place.set)!.get(place.id)!, state.values);
      counts.set(place.set, (counts.get(place.set) ?? 0) + 1);
    }
    this.#remove();
    for (const [name, set] of state.sets) {
      if (name === "scene-lights") this.#lights(set);
      else this.#tell(name, set, before?.get(name), counts.get(name) ?? 0);
    }
    this.#collide();
    this.#tellAttributes();
    this.#frames.write(state.time + this.#shift);
  }

  end(): void {
    this.#tellAttributes();
  }

  witness(): Witness {
    return {
      timeOf: (time) => time + this.#shift,
      value: ({ values }, path) => (this.#isCarried(path) ? values.get(path) : undefined),
      hasSets: false,
      things: (state) => {
        const found = new Map<string, Place>();
        for (const place of placesOf(state, unsetOrigin())) {
          const key = this.#sources.get(place.id as number);
          if (key !== undefined) found.set(key, place);
        }
        return found;
      },
      origin: unsetOrigin(),
    };
  }

  /** Attributes are those of the same actor where its id was kept. */
  #isCarried(path: string): boolean {
    const id = /^attributes\/(\d+)$/.exec(path)?.[1];
    return id === undefined ? CARRIED_VALUES.test(path) : this.#ids.has(Number(id));
  }

  #tellAttributes(): void {
    for (const id of this.#attributesOf.splice(0)) {
      if (this.#ids.has(id)) this.#account.carried("attributes");
      else this.#account.lost("attributes", OWN_ONLY);
    }
  }

  /** One actor: added when new, and where it is. */
  #place(place: Place, set: EntitySet, row: number, values: ReadonlyMap<string, Value>): void {
    const key = thingKey(place.set, place.id);
    const { lists } = this.#frames;
    const location = ownVector(set, "position", "cm", row) ?? locationOf(place);
    const rotation = ownVector(set, "rotation", "deg", row) ?? rotationOf(place);
    let actor = this.#actors.get(key);
    if (actor === undefined || actor.place.kind !== place.kind) {
      if (actor !== undefined) this.#drop(key, actor);
      actor = this.#make(place);
      this.#actors.set(key, actor);
      this.#sources.set(actor.id, key);
      const event = {
        id: actor.id,
        type: actor.type === SENSOR ? this.#frames.lists.release.sensorType : actor.type,
        location,
        rotation,
        uid: 0,
        blueprint: blueprintOf(place.kind, actor.type),
        attributes: this.#attributes(place, values.get(`attributes/${place.id}`)),
      };
      writeEventAdd(lists.add("event-add"), event, this.#dialect);
    }
    actor.seen = this.#steps;
    const parent = numberAt(set, "parent", row);
    if (!Number.isNaN(parent) && parent !== actor.parent) {
      actor.parent = parent;
      this.#toBind.push(actor);
    }
    if (actor.type === OTHER && !lists.release.hasProps) {
      if (this.#steps > 1 && this.#hasMoved(actor, place)) {
        this.#account.lost(`${place.set}/position`, `CARLA ${lists.release.name} has no positions of props`);
      }
    } else if (actor.type <= WALKER || actor.type > 4 || this.#hasMoved(actor, place)) {
      writePosition(lists.add("position"), { id: actor.id, location, rotation }, this.#dialect);
      actor.place = place;
    }
    if (place.velocity !== null && lists.has("kinematics")) {
      const linearVelocity = numbers3();
      TRANSFORM.vectorBack(...place.velocity, linearVelocity, 0);
      const turns = set.columns.get("angular-velocity");
      const isOwn = turns?.unit === "deg/s" && areSameAxes(set.axes, AXES);
      const angularVelocity: Vector = isOwn ? vectorAt(turns, row) : [0, 0, 0];
      const kinematics = { id: actor.id, linearVelocity, angularVelocity };
      writeKinematics(lists.add("kinematics"), kinematics, this.#dialect);
    }
    this.#nativeOf(actor, set, row);
  }

  #hasMoved({ place }: Actor, now: Place): boolean {
    return place.x !== now.x || place.y !== now.y || place.z !== now.z;
  }

  #make(place: Place): Actor {
    const own = SETS.indexOf(place.set);
    let type = own >= 0 ? own : (TYPES[place.set] ?? OTHER);
    if (place.kind.startsWith("vehicle.")) type = VEHICLE;
    else if (place.kind.startsWith("walker.")) type = WALKER;
    if (type === 4 && this.#frames.lists.release.until < 17) type = OTHER;
    const id = this.#id(own >= 0 ? place.id : null);
    return { id, type, set: place.set, source: place.id, place, seen: this.#steps, parent: 0, said: "", doors: 0 };
  }

  /** The source's own id where CARLA's sets have one that is free, else the next. */
  #id(given: number | string | null): number {
    const wanted = given === null ? null : idOf(given);
    const isFree = typeof wanted === "number" && Number.isInteger(wanted) && wanted > 0 && wanted < 0xffffffff;
    if (isFree && !this.#ids.has(wanted)) {
      this.#ids.add(wanted);
      return wanted;
    }
    while (this.#ids.has(this.#nextId)) this.#nextId++;
    this.#ids.add(this.#nextId);
    return this.#nextId;
  }

  /** `own`: those that a recording of CARLA has of it. */
  #attributes(place: Place, own: Value | undefined): Attribute[] {
    const type = this.#dialect.version >= 2 ? 4 : 3;
    const text = (value: string): string => (value.length * 3 > LONGEST_TEXT ? value.slice(0, 8192) : value);
    const attributes: Attribute[] = [];
    if (SETS.includes(place.set) && typeof own === "object" && own !== null) {
      for (const [id, value] of Object.entries(own)) {
        if (typeof value === "string") attributes.push({ type, id: text(id), value: text(value) });
      }
      return attributes;
    }
    if (place.label !== "") attributes.push({ type, id: "role_name", value: text(place.label) });
    if (SETS.includes(place.set)) return attributes;
    attributes.push({ type, id: "simtape_set", value: text(place.set) });
    attributes.push({ type, id: "simtape_id", value: text(String(place.id)) });
    if (place.kind !== "") attributes.push({ type, id: "simtape_kind", value: text(place.kind) });
    return attributes;
  }

  #bind(): void {
    const waiting = this.#toBind.filter((actor) => actor.seen >= this.#steps - 1);
    this.#toBind = [];
    for (const actor of waiting) {
      const parent = this.#actors.get(`${actor.set}/#${actor.parent}`) ?? this.#anyOf(actor.parent);
      if (parent === null) this.#account.lost(`${actor.set}/parent`, "the parent has no position");
      else writeEventParent(this.#frames.lists.add("event-parent"), { id: actor.id, parent: parent.id });
    }
  }

  /** A parent may be of any set. */
  #anyOf(source: number): Actor | null {
    for (const actor of this.#actors.values()) if (idOf(actor.source) === source) return actor;
    return null;
  }

  #remove(): void {
    for (const [key, actor] of this.#actors) if (actor.seen < this.#steps) this.#drop(key, actor);
  }

  #drop(key: string, actor: Actor): void {
    this.#actors.delete(key);
    writeEventDel(this.#frames.lists.add("event-del"), actor.id);
  }

  /** What CARLA itself records of its own kinds of actors, where the columns are there. */
  #nativeOf(actor: Actor, set: EntitySet, row: number): void {
    const { lists } = this.#frames;
    const { id } = actor;
    const number = (name: string): number => numberAt(set, name, row);
    const isKnown = (name: string): boolean => !Number.isNaN(number(name));
    if (actor.set === "vehicles") {
      if (lists.has("anim-vehicle") && isKnown("steering")) {
        writeAnimVehicle(lists.add("anim-vehicle"), {
          id,
          steering: number("steering"),
          throttle: number("throttle"),
          brake: number("brake"),
          handbrake: number("handbrake") === 1,
          gear: isKnown("gear") ? number("gear") : 0,
        });
      }
      if (lists.has("vehicle-light") && isKnown("lights")) {
        writeVehicleLight(lists.add("vehicle-light"), { id, lights: number("lights") });
      }
      if (lists.has("biker") && isKnown("forward-speed")) {
        writeBiker(lists.add("biker"), { id, forwardSpeed: number("forward-speed"), rpmRatio: number("rpm-ratio") });
      }
      if (lists.has("vehicle-door") && isKnown("open-doors")) this.#doors(actor, number("open-doors"));
    } else if (actor.set === "walkers") {
      if (lists.has("anim-walker") && isKnown("speed")) {
        writeAnimWalker(lists.add("anim-walker"), { id, speed: number("speed") });
      }
    } else if (actor.type === TRAFFIC_LIGHT && isKnown("state-time")) {
      const light = { id, isFrozen: number("frozen") === 1, elapsedTime: number("state-time"), state: number("state") };
      writeState(lists.add("state"), light);
    }
    this.#rarely(actor, set, row);
  }

  #doors(actor: Actor, open: number): void {
    const changed = actor.doors ^ open;
    actor.doors = open;
    for (let door = 0; door < 6; door++) {
      if ((changed & (1 << door)) === 0) continue;
      const event = { id: actor.id, door, isOpen: (open & (1 << door)) !== 0 };
      writeVehicleDoor(this.#frames.lists.add("vehicle-door"), event);
    }
  }

  /** What is recorded once of an actor, and when it changes. */
  #rarely(actor: Actor, set: EntitySet, row: number): void {
    const { lists } = this.#frames;
    const { id } = actor;
    const boxOf = (center: string, extent: string): { id: number; origin: Vector; extent: Vector } | null => {
      const [origin, size] = [set.columns.get(center), set.columns.get(extent)];
      if (origin?.unit !== "cm" || size === undefined || !areSameAxes(set.axes, AXES)) return null;
      return { id, origin: vectorAt(origin, row), extent: vectorAt(size, row) };
    };
    const box = boxOf("box-center", "box-extent");
    const trigger = boxOf("trigger-center", "trigger-extent");
    const [green, yellow, red] = ["green-time", "yellow-time", "red-time"].map((name) => numberAt(set, name, row));
    const said = [box, trigger].map((b) => b?.origin.concat(b.extent).join()).join() + green + yellow + red;
    if (said === actor.said) return;
    actor.said = said;
    if (box !== null && lists.has("bounding-box")) writeBox(lists.add("bounding-box"), box, this.#dialect);
    const isTriggered = trigger?.origin.some((value) => !Number.isNaN(value)) === true;
    if (trigger !== null && isTriggered && lists.has("trigger-volume"))
      writeBox(lists.add("trigger-volume"), trigger, this.#dialect);
    if (!Number.isNaN(green) && lists.has("traffic-light-time")) {
      writeTrafficLightTime(lists.add("traffic-light-time"), { id, green: green!, yellow: yellow!, red: red! });
    }
  }

  #lights(set: EntitySet): void {
    const { lists } = this.#frames;
    if (!lists.has("scene-light")) {
      this.#account.lost("scene-lights", `CARLA ${lists.release.name} has no scene lights`, set.ids.length);
      return;
    }
    for (const [row, id] of set.ids.entries()) {
      if (typeof id !== "number") continue;
      const number = (name: string, k = 0): number => numberAt(set, name, row, k);
      const light = {
        id,
        intensity: number("intensity"),
        color: [number("color"), number("color", 1), number("color", 2), number("color", 3)] as const,
        isOn: number("on") === 1,
        type: number("type") || 0,
      };
      const said = `${light.intensity},${light.color.join()},${light.isOn},${light.type}`;
      if (this.#sceneLights.get(id) === said) continue;
      this.#sceneLights.set(id, said);
      writeSceneLight(lists.add("scene-light"), light);
      this.#account.carried("scene-lights");
    }
  }

  /** The account of one set, of what changed since `before`: `placed` of its things have become actors. */
  #tell(name: string, set: EntitySet, before: EntitySet | undefined, placed: number): void {
    const { length } = set.ids;
    if (length === 0) return;
    if (placed < length && set.ids !== before?.ids)
      this.#account.lost(name, "things without a position in metres are no actors", length - placed);
    if (placed === 0) return;
    const { lists } = this.#frames;
    for (const [key, column] of set.columns) {
      const path = `${name}/${key}`;
      if (before?.columns.get(key) === column || isUnknown(column)) continue;
      const isVelocity = key === "velocity" && lists.has("kinematics");
      const isBox = BOXES.has(key) && column.unit === "cm" && lists.has("bounding-box");
      const isNative = NATIVE[name]?.has(key) === true && this.#hasPacketFor(key);
      if (PLACED.has(key) || key === "parent" || isVelocity || isBox || isNative) this.#account.carried(path, placed);
      else this.#account.lost(path, "CARLA's actors have no such property", placed);
    }
  }

  #hasPacketFor(key: string): boolean {
    const { lists } = this.#frames;
    switch (key) {
      case "speed":
        return lists.has("anim-walker");
      case "lights":
        return lists.has("vehicle-light");
      case "open-doors":
        return lists.has("vehicle-door");
      case "forward-speed":
      case "rpm-ratio":
        return lists.has("biker");
      case "angular-velocity":
        return lists.has("kinematics");
      case "state":
      case "frozen":
      case "state-time":
        return true;
      case "trigger-center":
      case "trigger-extent":
      case "green-time":
      case "yellow-time":
      case "red-time":
        return lists.has("trigger-volume");
      default:
        return lists.has("anim-vehicle");
    }
  }

  /** Takes what changed into the frame that is next, and takes account of it; whether a frame is due for that. */
  #values(values: ReadonlyMap<string, Value>): boolean {
    const { lists } = this.#frames;
    let isDue = false;
    let hasWeather = false;
    for (const path of this.#written.keys()) {
      if (values.has(path)) continue;
      this.#written.delete(path);
      if (!isOwnWord(path)) this.#account.lost(path, "CARLA cannot record that it is removed");
    }
    for (const [path, value] of values) {
      if (path === "platform-time" && typeof value === "number" && lists.has(path)) lists.platformTime = value;
      if (path === "visual-time" && typeof value === "number" && lists.has(path)) lists.visualTime = value;
      if (Object.is(this.#written.get(path), value)) continue;
      this.#written.set(path, value);
      if (path === "frame" || path === "frame-duration") continue;
      if (path === "collisions" && Array.isArray(value)) {
        if (value.length === 0) continue;
        isDue = true;
        this.#collisions = value as unknown as readonly Collision[];
      } else if ((path === "platform-time" || path === "visual-time") && typeof value === "number" && lists.has(path)) {
        isDue = true;
        this.#account.carried(path);
      } else if (path.startsWith("weather/") && typeof value === "number" && lists.has("weather")) {
        hasWeather = true;
        this.#weather.set(path, value);
        this.#account.carried(path);
      } else if (path.startsWith("attributes/")) {
        this.#attributesOf.push(Number(path.slice(11)));
      } else if (isOwnWord(path)) {
        this.#account.lost(path.slice(0, path.indexOf("/")), OWN_ONLY);
      } else this.#account.lost(path, "CARLA has no room for it");
    }
    if (!hasWeather) return isDue;
    const weather: Record<string, number> = {};
    for (const field of WEATHER_FIELDS) {
      const path = `weather/${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      weather[field] = this.#weather.get(path) ?? 0;
    }
    writeWeather(lists.add("weather"), weather as Weather);
    return true;
  }

  /** Collisions that the state is of, between actors as they are called in the frame. */
  #collide(): void {
    const actorOf = (id: number): number => this.#anyOf(id)?.id ?? this.#frames.lists.release.noActor;
    for (const collision of this.#collisions) {
      if (typeof collision !== "object" || typeof collision?.id1 !== "number") {
        this.#account.lost("collisions", "they are not collisions of CARLA");
        continue;
      }
      const event = { ...collision, id1: actorOf(collision.id1), id2: actorOf(collision.id2) };
      writeCollision(this.#frames.lists.add("collision"), event);
      this.#account.carried("collisions");
    }
    this.#collisions = [];
  }
}

const CARRIED_VALUES = /^(platform-time|visual-time|collisions|weather\/.*)$/;
const OWN_ONLY = "it is kept only when a recording of CARLA is rewritten";

/** An id as CARLA has it: senders of lines call things by texts. */
function idOf(source: number | string): number | string {
  return typeof source === "string" && /^(0|[1-9]\d{0,9})$/.test(source) ? Number(source) : source;
}

/** Values that come and go with CARLA's actors. */
function isOwnWord(path: string): boolean {
  return /^(physics|bones|wheels|attributes)\//.test(path);
}

/** What the source has in CARLA's own units and axes already, as it is. */
function ownVector({ axes, columns }: EntitySet, name: string, unit: string, row: number): Vector | null {
  const column = columns.get(name);
  const isOwn = column?.unit === unit && column.width === 3 && areSameAxes(axes, AXES);
  if (!isOwn) return null;
  const vector = vectorAt(column, row);
  return vector.every(Number.isFinite) ? vector : null;
}

const TRANSFORM = transformOf(AXES);

function locationOf({ x, y, z }: Place): Vector {
  const location = numbers3();
  TRANSFORM.vectorBack(x * CENTIMETRES, y * CENTIMETRES, z * CENTIMETRES, location, 0);
  return location;
}

function rotationOf({ orientation }: Place): Vector {
  const rotation = numbers3();
  if (orientation !== null) TRANSFORM.anglesBack(...orientation, radiansPer("deg"), rotation, 0);
  return rotation;
}

function numbers3(): [number, number, number] {
  return [0, 0, 0];
}

/** The thing's own kind where that is a blueprint of CARLA's, else one of the library. */
function blueprintOf(kind: string, type: number): string {
  const isOwn = /^(vehicle|walker|static|traffic|sensor|controller)\.|^spectator/.test(kind) && kind.length < 1024;
  return isOwn ? kind : (BLUEPRINTS[type] ?? BLUEPRINTS[0]!);
}

function numberAt(set: EntitySet, name: string, row: number, k = 0): number {
  const column = set.columns.get(name);
  const cell = column?.data[row * column.width + k];
  return typeof cell === "number" ? cell : Number.NaN;
}

function vectorAt({ data }: Column, row: number): Vector {
  const numbers = data as Float64Array;
  return [numbers[row * 3]!, numbers[row * 3 + 1]!, numbers[row * 3 + 2]!];
}

/** Nothing was said about any row. */
function isUnknown({ data }: Column): boolean {
  for (const cell of data) if (cell !== "" && !Number.isNaN(cell)) return false;
  return true;
}
