import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { Late, type Make } from "../../../model/state/late.ts";
import type { ColumnReader, WantedNumber } from "../../../model/state/column-reader.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { isSameValue } from "../../../model/values/same-value.ts";
import type { Channel } from "../../../model/values/value.ts";
import { Attached } from "./attached.ts";
import { Collisions } from "./collisions.ts";
import { PacketColumns } from "./column-reader.ts";
import { ACTORS, AXES, column, SETS } from "./columns.ts";
import {
  type Dialect,
  type EventAdd,
  FRAME_START_BYTES,
  kindOf,
  type PacketKind,
  readBiker,
  readBox,
  COLLISION_BYTES,
  readEventAdd,
  readEventDel,
  readEventParent,
  readFrameStart,
  readSceneLight,
  readTrafficLightTime,
  readVehicleDoor,
  readVehicleWheels,
  readWalkerBones,
  readWeather,
  skipVehicleWheels,
  skipWalkerBones,
  type Vector,
} from "../layout/layout.ts";
import { readPhysicsControl, readPhysicsControlUe5 } from "../layout/physics.ts";
import { Motion } from "./motion.ts";
import { kindsOf, Narrowing } from "./narrowing.ts";
import { Paths } from "./paths.ts";
import { applyStatePatch, STATE_PACKET } from "./state-patch.ts";
import { ATTACHING, CHANGING, STILL, supersededIn } from "./superseded.ts";

/** Rows folded at once in which it is worth to look for those that leave no trace. */
const MANY = 64;

/** Packets that change values alone. */
const STILL_KINDS: readonly PacketKind[] = [
  ...(["frame-start", "frame-end", "collision", "platform-time", "visual-time", "frame-counter"] as const),
  ...(["walker-bones", "vehicle-wheels"] as const),
];

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
  readonly #motion: Motion;
  readonly #attached = new Attached();
  readonly #bones: Make;
  readonly #bonePaths = new Paths("bones");
  readonly #wheelPaths = new Paths("wheels");
  readonly #channels: readonly Channel[];
  readonly #isAttached: () => boolean;
  readonly #narrowing: Narrowing | null;
  /** By channel, for `supersededIn`. */
  readonly #widths: readonly number[];
  /** Over the batch folded last: every frame has such a packet. */
  #frames: ByteCursor = new ByteCursor(new Uint8Array(0));

  /**
   * `isAttached` says whether actors may go along with others; `narrowing`, whose records count, where not all do.
   */
  constructor(
    channels: readonly Channel[],
    dialect: Dialect,
    isAttached: () => boolean = () => true,
    narrowing: Narrowing | null = null,
  ) {
    this.#channels = channels;
    this.#isAttached = isAttached;
    this.#narrowing = narrowing;
    this.#own = channels.findIndex((channel) => Number(channel.metadata["packet"]) === STATE_PACKET);
    this.#kinds = channels.map((channel) => kindOf(Number(channel.metadata["packet"]), dialect));
    this.#dialect = dialect;
    this.#motion = new Motion(dialect, narrowing);
    this.#widths = this.#kinds.map((kind, id) => {
      if (kind === "event-parent" || id === this.#own) return ATTACHING;
      if (kind === null || STILL_KINDS.includes(kind)) return STILL;
      return this.#motion.of(kind)?.width ?? CHANGING;
    });
    this.#bones = (bytes, at) => readWalkerBones(new ByteCursor(bytes, at), dialect).bones as never;
    const motion = this.#kinds.indexOf("position");
    this.motion = motion < 0 ? null : motion;
  }

  begin(state: MutableState): void {
    for (const name of ["vehicles", "walkers", "traffic-lights", "traffic-signs", "sensors", "other"])
      state.set(name, AXES);
  }

  replacesState(): boolean {
    return false;
  }

  holds(channel: number): boolean {
    const kind = this.#kinds[channel] ?? null;
    return channel === this.#own || (kind !== null && kind !== "frame-counter");
  }

  isAlike(other: StateModel): boolean {
    if (!(other instanceof CarlaState) || !isSameValue(this.#dialect, other.#dialect) || this.#own !== other.#own)
      return false;
    return isSameValue(this.#kinds, other.#kinds) && this.#narrowing === null && other.#narrowing === null;
  }

  channelsOf(path: SeriesPath): readonly number[] | null {
    const kinds: readonly (PacketKind | null)[] | null = kindsOf(path);
    if (kinds === null) return null;
    return this.#kinds.flatMap((kind, id) => (id === this.#own || (kind !== null && kinds.includes(kind)) ? [id] : []));
  }

  narrowed(paths: readonly SeriesPath[]): StateModel {
    const channels = this.#kinds.map((kind) => ({
      kind,
      names: kind === null ? null : (this.#motion.of(kind)?.destinations.names ?? null),
    }));
    const narrowing = new Narrowing(paths, this.#isAttached(), channels);
    return new CarlaState(this.#channels, this.#dialect, this.#isAttached, narrowing);
  }

  columns(wanted: readonly WantedNumber[]): ColumnReader | null {
    // of packets of one kind the last one says all, where they are all on one channel
    const known = this.#kinds.filter((kind) => kind !== null);
    if (new Set(known).size < known.length) return null;
    const channels = this.#kinds.map((kind) => ({ kind, movement: kind === null ? null : this.#motion.of(kind) }));
    return new PacketColumns(this, channels, this.#own, wanted);
  }

  applyRows(state: MutableState, batch: MessageBatch, from: number, to: number): void {
    const narrowing = this.#narrowing;
    // what attached actors do may depend on all before
    const isPlain = to - from >= MANY && (state.sets.get(".attached")?.size ?? 0) === 0;
    const marks = isPlain ? supersededIn(batch, from, to, this.#widths) : null;
    for (let i = from; i < to; i++) {
      if (marks !== null && marks[i - from] === 1) continue;
      if (narrowing === null || narrowing.skips(state)[batch.channel[i]!] !== 1) this.apply(state, batch, i);
    }
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const kind = this.#kinds[batch.channel[i]!] ?? null;
    if (kind === null) {
      if (batch.channel[i] !== this.#own) return;
      this.#motion.forget();
      applyStatePatch(state, batch.payload(i));
      this.#narrowing?.forget();
      return;
    }
    if (kind === "frame-end" || kind === "frame-counter") return;
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (this.#motion.apply(state, kind, batch.bytes, start, end)) {
      if (kind === "position") this.#attached.carryAll(state);
      return;
    }
    if (kind !== "frame-start" && end - start === 2) return;
    try {
      this.#packet(state, kind, this.#cursorOf(kind, batch, i));
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  #cursorOf(kind: PacketKind, batch: MessageBatch, i: number): ByteCursor {
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    // what is decoded late keeps its packet, and not the whole batch with it
    if (kind === "walker-bones" || kind === "vehicle-wheels") return new ByteCursor(batch.payload(i).slice());
    if (kind !== "frame-start" || end - start < FRAME_START_BYTES) return new ByteCursor(batch.bytes, start, end);
    if (this.#frames.bytes !== batch.bytes) this.#frames = new ByteCursor(batch.bytes);
    this.#frames.seek(start);
    return this.#frames;
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
    const total = cursor.u16le();
    if (kind === "collision") {
      const whole = Math.min(total, Math.floor(cursor.remaining / COLLISION_BYTES));
      const { position } = cursor;
      const more = cursor.bytes.slice(position, position + whole * COLLISION_BYTES);
      state.setLate("collisions", new Collisions(state.kept("collisions"), more));
      return;
    }
    for (let n = 0; n < total; n++) this.#record(state, kind, cursor, n);
  }

  /** `place` is that of the record in its packet. */
  #record(state: MutableState, kind: PacketKind, cursor: ByteCursor, place: number): void {
    switch (kind) {
      case "event-add":
        this.#add(state, readEventAdd(cursor, this.#dialect));
        return;
      case "event-del":
        remove(state, readEventDel(cursor));
        this.#narrowing?.forget();
        return;
      case "event-parent": {
        const { id, parent } = readEventParent(cursor);
        this.#bind(state, id, parent);
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
        const at = cursor.position;
        const id = skipWalkerBones(cursor, this.#dialect);
        state.setLate(this.#bonePaths.of(id, place), new Late(cursor.bytes, at, this.#bones));
        return;
      }
      case "vehicle-wheels": {
        const at = cursor.position;
        const id = skipVehicleWheels(cursor);
        state.setLate(this.#wheelPaths.of(id, place), new Late(cursor.bytes, at, wheelsAt));
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

  #add(state: MutableState, event: EventAdd): void {
    // Something was recorded of it before, or it comes again: it may be of another type than it was.
    if (SETS.some((name) => (state.sets.get(name)?.find(event.id) ?? -1) >= 0)) this.#motion.forget();
    add(state, event);
    this.#narrowing?.forget();
  }

  /**
   * An actor bound in the frame in which it was added was recorded relative to its parent, unless that is the first
   * frame, whose actors are in the world (spec §4.2). One bound later stays where it is and only names its parent.
   */
  #bind(state: MutableState, id: number, parent: number): void {
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
    this.#attached.carry(state, id, place);
  }
}

const wheelsAt: Make = (bytes, at) => readVehicleWheels(new ByteCursor(bytes, at)).wheels as never;

export function kebab(field: string): string {
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
