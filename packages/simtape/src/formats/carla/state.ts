import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import type { MessageBatch } from "../../model/batch.ts";
import type { StateModel } from "../../model/reader.ts";
import type { MutableColumn, MutableEntitySet, MutableState } from "../../model/state.ts";
import type { Channel } from "../../model/value.ts";
import { ACTORS, AXES, column, SETS } from "./columns.ts";
import { Destinations } from "./destinations.ts";
import {
  type Dialect,
  type EventAdd,
  kindOf,
  type PacketKind,
  readAnimVehicle,
  readAnimWalker,
  readBiker,
  readBox,
  readCollision,
  readEventAdd,
  readEventDel,
  readEventParent,
  readFrameStart,
  readSceneLight,
  readState,
  readTrafficLightTime,
  readVehicleDoor,
  readVehicleLight,
  readVehicleWheels,
  readWalkerBones,
  readWeather,
  type Vector,
} from "./layout.ts";
import { readPhysicsControl, readPhysicsControlUe5 } from "./layout-physics.ts";
import { attach } from "./rotation.ts";
import { applyStatePatch, STATE_PACKET } from "./state-patch.ts";

/**
 * Folds packets into sets of actors. Actors that are spawned attached are recorded relative to their parent; here they
 * are resolved to the world, and go along when the parent moves.
 */
export class CarlaState implements StateModel {
  readonly motion: number | null;
  readonly #kinds: readonly (PacketKind | null)[];
  readonly #dialect: Dialect;
  /** Channel of the packets in which simtape itself keeps what CARLA's own cannot say. */
  readonly #own: number;
  // by the type that is taken for an actor never added: other, vehicle, walker, traffic light (spec §4.2)
  readonly #places = new Destinations(["position", "rotation"], 0);
  readonly #motions = new Destinations(["velocity", "angular-velocity"], 1);
  readonly #vehicles = new Destinations(["steering", "throttle", "brake", "handbrake", "gear"], 1);
  readonly #walkers = new Destinations(["speed"], 2);
  readonly #lights = new Destinations(["state", "frozen", "state-time"], 3);

  constructor(channels: readonly Channel[], dialect: Dialect) {
    this.#own = channels.findIndex((channel) => Number(channel.metadata["packet"]) === STATE_PACKET);
    this.#kinds = channels.map((channel) => kindOf(Number(channel.metadata["packet"]), dialect));
    this.#dialect = dialect;
    const motion = this.#kinds.indexOf("position");
    this.motion = motion < 0 ? null : motion;
  }

  begin(state: MutableState): void {
    for (const name of ["vehicles", "walkers", "traffic-lights", "traffic-signs", "sensors", "other"])
      state.set(name, AXES);
  }

  whole(): boolean {
    return false;
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const kind = this.#kinds[batch.channel[i]!] ?? null;
    if (kind === null) {
      if (batch.channel[i] === this.#own) applyStatePatch(state, batch.payload(i));
      return;
    }
    if (kind === "frame-end" || kind === "frame-counter") return;
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (kind === "position") {
      this.#pairs(state, batch.bytes, start, end, this.#places);
      carryAttached(state);
      return;
    }
    if (kind === "kinematics") {
      this.#pairs(state, batch.bytes, start, end, this.#motions);
      return;
    }
    if (kind !== "frame-start" && end - start === 2) {
      return;
    }
    try {
      this.#packet(state, kind, new ByteCursor(batch.bytes, start, end));
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  #packet(state: MutableState, kind: PacketKind, cursor: ByteCursor): void {
    switch (kind) {
      case "frame-start": {
        const { frame, durationThis } = readFrameStart(cursor);
        state.setValue("frame", frame);
        state.setValue("frame-duration", durationThis);
        if (state.set(".fresh").size > 0) state.set(".fresh").clear();
        state.setValue("collisions", []);
        return;
      }
      case "platform-time":
      case "visual-time":
        state.setValue(kind, cursor.f64le());
        return;
      default:
    }
    for (const each of [this.#lights, this.#vehicles, this.#walkers]) each.begin(state);
    const total = cursor.u16le();
    for (let n = 0; n < total; n++) this.#record(state, kind, cursor);
  }

  #record(state: MutableState, kind: PacketKind, cursor: ByteCursor): void {
    switch (kind) {
      case "event-add":
        add(state, readEventAdd(cursor, this.#dialect));
        return;
      case "event-del":
        remove(state, readEventDel(cursor));
        return;
      case "event-parent": {
        const { id, parent } = readEventParent(cursor);
        bind(state, id, parent);
        return;
      }
      case "collision": {
        const before = state.value("collisions");
        state.setValue("collisions", [...(Array.isArray(before) ? before : []), { ...readCollision(cursor) }]);
        return;
      }
      case "state": {
        const light = readState(cursor);
        const row = this.#lights.row(light.id);
        const [lit, frozen, time] = this.#lights.columns as Three;
        lit.put(row, light.state);
        frozen.put(row, light.isFrozen ? 1 : 0);
        time.put(row, light.elapsedTime);
        return;
      }
      case "anim-vehicle": {
        const vehicle = readAnimVehicle(cursor);
        const row = this.#vehicles.row(vehicle.id);
        const [steering, throttle, brake, handbrake, gear] = this.#vehicles.columns as Five;
        steering.put(row, vehicle.steering);
        throttle.put(row, vehicle.throttle);
        brake.put(row, vehicle.brake);
        handbrake.put(row, vehicle.handbrake ? 1 : 0);
        gear.put(row, vehicle.gear);
        return;
      }
      case "anim-walker": {
        const walker = readAnimWalker(cursor);
        const row = this.#walkers.row(walker.id);
        this.#walkers.columns[0]!.put(row, walker.speed);
        return;
      }
      case "vehicle-light": {
        const light = readVehicleLight(cursor);
        const set = setOf(state, light.id, "vehicles");
        column(set, "lights").put(set.row(light.id), light.lights);
        return;
      }
      case "scene-light": {
        const light = readSceneLight(cursor);
        const set = state.set("scene-lights", AXES);
        const row = set.row(light.id);
        column(set, "intensity").put(row, light.intensity);
        const color = column(set, "color");
        for (let k = 0; k < 4; k++) color.put(row, light.color[k]!, k);
        column(set, "on").put(row, light.isOn ? 1 : 0);
        column(set, "type").put(row, light.type);
        return;
      }
      case "bounding-box": {
        const box = readBox(cursor, this.#dialect);
        const set = setOf(state, box.id, "other");
        const row = set.row(box.id);
        putVector(column(set, "box-center"), row, box.origin);
        putVector(column(set, "box-extent"), row, box.extent);
        return;
      }
      case "trigger-volume": {
        const box = readBox(cursor, this.#dialect);
        const set = setOf(state, box.id, "traffic-signs");
        const row = set.row(box.id);
        putVector(column(set, "trigger-center"), row, box.origin);
        putVector(column(set, "trigger-extent"), row, box.extent);
        return;
      }
      case "traffic-light-time": {
        const time = readTrafficLightTime(cursor);
        const set = setOf(state, time.id, "traffic-lights");
        const row = set.row(time.id);
        column(set, "green-time").put(row, time.green);
        column(set, "yellow-time").put(row, time.yellow);
        column(set, "red-time").put(row, time.red);
        return;
      }
      case "physics-control": {
        const { wheel } = this.#dialect;
        const control = wheel === 208 ? readPhysicsControlUe5(cursor) : readPhysicsControl(cursor, wheel ?? 48);
        state.setValue(`physics/${control.id}`, { ...control } as never);
        return;
      }
      case "walker-bones": {
        const { id, bones } = readWalkerBones(cursor, this.#dialect);
        state.setValue(`bones/${id}`, bones as never);
        return;
      }
      case "vehicle-wheels": {
        const { id, wheels } = readVehicleWheels(cursor);
        state.setValue(`wheels/${id}`, wheels as never);
        return;
      }
      case "biker": {
        const biker = readBiker(cursor);
        const set = setOf(state, biker.id, "vehicles");
        const row = set.row(biker.id);
        column(set, "forward-speed").put(row, biker.forwardSpeed);
        column(set, "rpm-ratio").put(row, biker.rpmRatio);
        return;
      }
      case "vehicle-door": {
        const { id, door, isOpen } = readVehicleDoor(cursor);
        const set = setOf(state, id, "vehicles");
        const row = set.row(id);
        const doors = column(set, "open-doors");
        const mask = door === 6 ? 0x3f : door < 6 ? 1 << door : 0;
        doors.put(row, isOpen ? doors.number(row) | mask : doors.number(row) & ~mask);
        return;
      }
      case "weather": {
        for (const [field, value] of Object.entries(readWeather(cursor)))
          state.setValue(`weather/${kebab(field)}`, value);
        return;
      }
      default:
        return;
    }
  }

  /**
   * Records of an id and two vectors, which make up most of a file: read without an object for each, columns looked up
   * once for each set.
   */
  #pairs(state: MutableState, bytes: Uint8Array, start: number, end: number, pair: Destinations): void {
    if (end - start < 2) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { scalar } = this.#dialect;
    const width = 4 + 6 * scalar;
    const total = Math.min(view.getUint16(start, true), Math.floor((end - start - 2) / width));
    pair.begin(state);
    let at = start + 2;
    for (let n = 0; n < total; n++, at += width) {
      const row = pair.row(view.getUint32(at, true));
      const [first, second] = pair.columns as Two;
      if (scalar === 4) {
        first.put3(row, view.getFloat32(at + 4, true), view.getFloat32(at + 8, true), view.getFloat32(at + 12, true));
        second.put3(
          row,
          view.getFloat32(at + 16, true),
          view.getFloat32(at + 20, true),
          view.getFloat32(at + 24, true),
        );
      } else {
        first.put3(row, view.getFloat64(at + 4, true), view.getFloat64(at + 12, true), view.getFloat64(at + 20, true));
        second.put3(
          row,
          view.getFloat64(at + 28, true),
          view.getFloat64(at + 36, true),
          view.getFloat64(at + 44, true),
        );
      }
    }
  }
}

type Two = readonly [MutableColumn, MutableColumn];
type Three = readonly [...Two, MutableColumn];
type Five = readonly [...Three, MutableColumn, MutableColumn];

function kebab(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function putVector(column: MutableColumn, row: number, vector: Vector): void {
  column.put3(row, vector[0], vector[1], vector[2]);
}

/** The set that actor `id` is in; `otherwise` for one that was never added. */
function setOf(state: MutableState, id: number, otherwise: string): MutableEntitySet {
  const actors = state.set(ACTORS);
  const row = actors.find(id);
  const name = row < 0 ? otherwise : (SETS[column(actors, "type").number(row)] ?? "other");
  return state.set(name, AXES);
}

function add(state: MutableState, event: EventAdd): void {
  remove(state, event.id);
  // Until 0.9.11 sensors were recorded as type 0 (spec §4.2).
  const type = event.type === 0 && event.blueprint.startsWith("sensor.") ? 5 : event.type;
  const actors = state.set(ACTORS);
  const actor = actors.row(event.id);
  column(actors, "type").put(actor, type);
  state.set(".fresh").row(event.id);
  const set = setOf(state, event.id, "other");
  const row = set.row(event.id);
  column(set, "kind").putText(row, event.blueprint);
  let label = "";
  const attributes: Record<string, string> = {};
  for (const attribute of event.attributes) {
    attributes[attribute.id] = attribute.value;
    if (attribute.id === "role_name") label = attribute.value;
  }
  column(set, "label").putText(row, label);
  column(set, "parent");
  putVector(column(set, "position"), row, event.location);
  putVector(column(set, "rotation"), row, event.rotation);
  if (event.attributes.length > 0) state.setValue(`attributes/${event.id}`, attributes);
}

function remove(state: MutableState, id: number): void {
  const actors = state.set(ACTORS);
  if (actors.find(id) < 0) return;
  setOf(state, id, "other").remove(id);
  actors.remove(id);
  state.set(".attached").remove(id);
  state.set(".fresh").remove(id);
  for (const group of ["attributes", "physics", "bones", "wheels"]) state.deleteValue(`${group}/${id}`);
}

/**
 * An actor bound in the frame in which it was added was recorded relative to its parent, unless that is the first
 * frame, whose actors are in the world (spec §4.2). One bound later stays where it is and only names its parent.
 */
function bind(state: MutableState, id: number, parent: number): void {
  const set = setOf(state, id, "other");
  const row = set.row(id);
  column(set, "parent").put(row, parent);
  const frame = state.value("frame");
  if (state.set(".fresh").find(id) < 0 || typeof frame !== "number" || frame <= 1) return;
  const attached = state.set(".attached");
  const place = attached.row(id);
  column(attached, "parent").put(place, parent);
  const relative = column(attached, "relative");
  const position = column(set, "position");
  const rotation = column(set, "rotation");
  for (let k = 0; k < 3; k++) {
    relative.put(place, position.number(row, k), k);
    relative.put(place, rotation.number(row, k), 3 + k);
  }
  carry(state, id, place);
}

function carryAttached(state: MutableState): void {
  const attached = state.set(".attached");
  for (let place = 0; place < attached.size; place++) carry(state, attached.ids[place] as number, place);
}

/** Longest chain of actors that are attached to each other. */
const CHAIN = 16;

/** Puts an attached actor where its parent has taken it, after the parent itself if that is attached, too. */
function carry(state: MutableState, id: number, place: number, depth = 0): void {
  const attached = state.set(".attached");
  const parent = column(attached, "parent").number(place);
  const above = attached.find(parent);
  if (above >= 0 && depth < CHAIN) carry(state, parent, above, depth + 1);
  const parents = setOf(state, parent, "other");
  const from = parents.find(parent);
  if (from < 0) return;
  const set = setOf(state, id, "other");
  const row = set.find(id);
  if (row < 0) return;
  const relative = column(attached, "relative");
  const vector = (column: MutableColumn, at: number, k = 0): Vector => [
    column.number(at, k),
    column.number(at, k + 1),
    column.number(at, k + 2),
  ];
  const world = attach(
    vector(column(parents, "position"), from),
    vector(column(parents, "rotation"), from),
    vector(relative, place),
    vector(relative, place, 3),
  );
  putVector(column(set, "position"), row, world.position);
  putVector(column(set, "rotation"), row, world.rotation);
}
