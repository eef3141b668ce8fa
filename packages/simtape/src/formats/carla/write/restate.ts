import { ByteBuilder } from "../../../bytes/builder.ts";
import { Columns } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import type { MutableColumn } from "../../../model/state/column.ts";
import { Growth } from "../../../model/state/growth.ts";
import { type MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import type { MadeMessage } from "../../../model/writer.ts";
import { ACTORS, type ColumnName } from "../meaning/columns.ts";
import { dialectOf } from "../meaning/dialect.ts";
import { ActorRecords } from "./actor-records.ts";
import { FrameLists, type Packet } from "./frame-writer.ts";
import {
  type Bone,
  type Collision,
  type Dialect,
  type PacketKind,
  type Vector,
  type Weather,
  WEATHER_FIELDS,
  type Wheel,
  writeAnimVehicle,
  writeAnimWalker,
  writeBiker,
  writeBox,
  writeCollision,
  writeEventParent,
  writeFrameStart,
  writeKinematics,
  writePosition,
  writeSceneLight,
  writeState,
  writeTrafficLightTime,
  writeVehicleDoor,
  writeVehicleLight,
  writeVehicleWheels,
  writeVector,
  writeWalkerBones,
  writeWeather,
} from "../layout/layout.ts";
import {
  type PhysicsControl,
  type PhysicsControlUe5,
  writePhysicsControl,
  writePhysicsControlUe5,
} from "../layout/physics.ts";
import { releaseLike } from "./releases.ts";
import { STATE_PACKET, statePatch, writeStatePatch } from "../meaning/state-patch.ts";

/** A state is held as it was folded, as the messages so far make it, and as those messages. */
const COPIES = 3;
/** Place of location and rotation in a record of event add, behind id and type. */
const TRANSFORM_AT = 5;

/**
 * Messages after which the state is what `from` has at `time`: one frame with the live actors added and every last word
 * about them. It has no end: the frame of the next moment, where there is one, goes on in it, so that no two frames have
 * one time; only one that binds actors relative to their parents cannot be part of a frame 1. As frame 1 it adds actors in
 * the world, with the parents they name; as a later one it adds those that go along with others relative to their parent,
 * as CARLA recorded them. What is left over goes into a packet of simtape's own.
 */
export async function restate(from: Reader, time: Time, behind?: Reader): Promise<readonly MadeMessage[]> {
  const dialect = dialectOf(from);
  const { state, actors, moving } = await foldTo(from, time, dialect);
  const before = behind === undefined ? null : (await foldTo(behind, Number.MAX_VALUE, dialectOf(behind))).state;
  const next = await nextFrame(from, time);
  return new Restating(from, dialect, state, actors, moving, before, next).messages(time);
}

/** The frame that goes on in what is restated. */
interface NextFrame {
  /** There is one in the very next moment, and it may be the same frame. */
  readonly isThere: boolean;
  /** There is one that binds actors relative to their parents. */
  readonly binds: boolean;
}

async function nextFrame(from: Reader, time: Time): Promise<NextFrame> {
  let [isThere, binds] = [false, false];
  const start = after(time);
  for await (const batch of from.batches({ start, end: after(start) })) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = from.channels[batch.channel[i]!]!;
      isThere ||= name === "frame-start";
      binds ||= name === "event-parent" && batch.end[i]! - batch.start[i]! > 2;
    }
  }
  return { isThere: isThere && !binds, binds };
}

interface Folded {
  readonly state: MutableState;
  readonly actors: ActorRecords;
  /** Ids in the last position packet. */
  readonly moving: ReadonlySet<number>;
}

async function foldTo(from: Reader, time: Time, dialect: Dialect): Promise<Folded> {
  const state = new MutableState();
  from.state.begin?.(state);
  const kinds = from.channels.map(({ name }) => name);
  const actors = new ActorRecords(dialect);
  const growth = new Growth(from.budget, COPIES);
  let lastPositions: Uint8Array = new Uint8Array(2);
  for await (const batch of from.batches({ end: after(time) })) {
    for (let i = 0; i < batch.length; i++) {
      from.state.apply(state, batch, i);
      switch (kinds[batch.channel[i]!]) {
        case "event-add":
          if (batch.end[i]! - batch.start[i]! > 2) {
            actors.add(batch.payload(i));
            from.budget?.fit("actors", 2 * actors.byteLength);
          }
          break;
        case "event-del":
          if (batch.end[i]! - batch.start[i]! > 2) actors.remove(batch.payload(i));
          break;
        case "position":
          lastPositions = batch.payload(i);
          break;
        default:
      }
    }
    growth.folded(state, batch.bytes.length);
  }
  const moving = new Set<number>();
  const view = new DataView(lastPositions.buffer, lastPositions.byteOffset, lastPositions.byteLength);
  const width = 4 + 6 * dialect.scalar;
  for (let at = 2; at + width <= lastPositions.length; at += width) moving.add(view.getUint32(at, true));
  state.time = time;
  return { state, actors, moving };
}

/** Builds the messages from a state. */
class Restating {
  readonly #from: Reader;
  readonly #dialect: Dialect;
  readonly #state: MutableState;
  readonly #actors: ActorRecords;
  readonly #moving: ReadonlySet<number>;
  readonly #channels: ReadonlyMap<string, ChannelInfo>;
  readonly #lists: FrameLists;
  /** What holds before the messages; null: nothing. */
  readonly #before: MutableState | null;
  readonly #next: NextFrame;
  readonly #made: MadeMessage[] = [];

  constructor(
    from: Reader,
    dialect: Dialect,
    state: MutableState,
    actors: ActorRecords,
    moving: ReadonlySet<number>,
    before: MutableState | null,
    next: NextFrame,
  ) {
    this.#before = before;
    this.#next = next;
    this.#from = from;
    this.#dialect = dialect;
    this.#state = state;
    this.#actors = actors;
    this.#moving = moving;
    this.#channels = new Map(from.channels.map((channel) => [channel.name, channel]));
    this.#lists = new FrameLists(releaseLike(dialect));
  }

  messages(time: Time): readonly MadeMessage[] {
    const gone = (this.#before?.sets.get(ACTORS)?.ids ?? []) as readonly number[];
    const hasFrames = typeof this.#state.value("frame") === "number";
    if (!hasFrames && gone.length === 0) {
      if (this.#before === null) this.#makeOwn();
      return this.#made;
    }
    // behind another recording it is no frame 1; its own frame 1, if that goes on in it, says so itself
    const isFirst = this.#before === null;
    this.#start(isFirst || !hasFrames ? 1 : 2, time);
    for (const id of gone) this.#lists.add("event-del").u32le(id);
    this.#flush();
    if (hasFrames) this.#frame(isFirst);
    this.#makeOwn();
    if (isFirst && this.#next.binds) this.#make("frame-end", new Uint8Array(0));
    return this.#made;
  }

  #frame(isFirst: boolean): void {
    if (isFirst) this.#add([...this.#actors.ids], true);
    else {
      const attached = this.#state.sets.get(".attached");
      this.#add(
        [...this.#actors.ids].filter((id) => (attached?.find(id) ?? -1) < 0),
        false,
      );
      this.#attach((attached?.ids ?? []) as readonly number[]);
    }
    this.#rest();
    this.#flush();
  }

  /** Its duration follows from the frame behind it. */
  #start(frame: number, time: Time): void {
    const builder = new ByteBuilder(32);
    writeFrameStart(builder, { frame, durationThis: -1, elapsed: time / 1e9 });
    this.#make("frame-start", builder.take());
  }

  #flush(): void {
    for (const { kind, payload } of this.#lists.take(false, false)) this.#packet({ kind, payload });
  }

  #packet({ kind, payload }: Packet): void {
    this.#make(kind, payload);
  }

  #make(name: string, payload: Uint8Array): void {
    const channel = this.#channels.get(name);
    if (channel !== undefined) this.#made.push({ channel, payload, keyframe: false });
  }

  /** What the messages so far leave to be said. */
  #makeOwn(): void {
    const replayed = this.#before?.clone() ?? new MutableState();
    if (this.#before === null) this.#from.state.begin?.(replayed);
    for (const { channel, payload } of this.#made) {
      const batch = new Columns(
        Float64Array.of(0),
        Uint16Array.of(channel.id),
        Float64Array.of(0),
        Uint8Array.of(0),
        payload,
        Uint32Array.of(0),
        Uint32Array.of(payload.length),
        null,
      );
      this.#from.state.apply(replayed, batch, 0);
    }
    const patch = statePatch(replayed, this.#state);
    const channel = this.#from.channels.find(({ metadata }) => Number(metadata["packet"]) === STATE_PACKET);
    if (patch === null || channel === undefined) return;
    this.#made.push({ channel, payload: writeStatePatch(patch), keyframe: false });
  }

  /** Actors in the world, with the parents they name. */
  #add(ids: readonly number[], hasParents: boolean): void {
    for (const id of ids) {
      const row = this.#rowOf(id);
      if (row === null) continue;
      const place = vectorAt(row.set, "position", row.row);
      this.#event(id, [...place, ...vectorAt(row.set, "rotation", row.row)]);
    }
    if (!hasParents) return;
    for (const id of ids) {
      const parent = this.#parentOf(id);
      if (parent !== null) writeEventParent(this.#lists.add("event-parent"), { id, parent });
    }
  }

  /** Actors relative to their parents. */
  #attach(ids: readonly number[]): void {
    const attached = this.#state.sets.get(".attached");
    if (attached === undefined) return;
    const relative = attached.columns.get("relative");
    const parents = attached.columns.get("parent");
    if (relative === undefined || parents === undefined) return;
    for (const id of ids) {
      const row = attached.find(id);
      this.#event(
        id,
        Array.from({ length: 6 }, (_, k) => relative.number(row, k)),
      );
      writeEventParent(this.#lists.add("event-parent"), { id, parent: parents.number(row) });
    }
  }

  /** The actor's own record of event add, elsewhere. */
  #event(id: number, transform: readonly number[]): void {
    const record = this.#actors.get(id);
    if (record === undefined) return;
    const { scalar } = this.#dialect;
    const builder = this.#lists.add("event-add").raw(record.subarray(0, TRANSFORM_AT));
    writeVector(builder, [transform[0]!, transform[1]!, transform[2]!], scalar);
    writeVector(builder, [transform[3]!, transform[4]!, transform[5]!], scalar);
    builder.raw(record.subarray(TRANSFORM_AT + 6 * scalar));
  }

  #parentOf(id: number): number | null {
    const row = this.#rowOf(id);
    const parent = row?.set.columns.get("parent")?.number(row.row);
    return parent === undefined || Number.isNaN(parent) ? null : parent;
  }

  #rowOf(id: number): { readonly set: MutableEntitySet; readonly row: number } | null {
    for (const [name, set] of this.#state.sets) {
      if (name.startsWith(".") || name === "scene-lights") continue;
      const row = set.find(id);
      if (row >= 0) return { set, row };
    }
    return null;
  }

  /** Every last word but those of event add. */
  #rest(): void {
    const state = this.#state;
    for (const { id, row, set } of this.#rows()) {
      const isPlaced = (name: ColumnName): boolean => isKnownAt(set.columns.get(name), row);
      // the next frame says where they are
      const isMoving = !this.#next.isThere && (this.#moving.has(id) || !this.#actors.has(id));
      if (isMoving && (isPlaced("position") || isPlaced("rotation"))) this.#position(id, set, row);
      if (isPlaced("velocity") || isPlaced("angular-velocity")) this.#kinematics(id, set, row);
      this.#box("bounding-box", "box-center", "box-extent", id, set, row);
      this.#box("trigger-volume", "trigger-center", "trigger-extent", id, set, row);
    }
    this.#vehicles();
    this.#walkers();
    this.#lights();
    this.#sceneLights();
    this.#values(state.values);
  }

  *#rows(): Generator<{ readonly id: number; readonly row: number; readonly set: MutableEntitySet }> {
    for (const [name, set] of this.#state.sets) {
      if (name.startsWith(".") || name === "scene-lights") continue;
      for (const [row, id] of set.ids.entries()) yield { id: id as number, row, set };
    }
  }

  #position(id: number, set: MutableEntitySet, row: number): void {
    writePosition(
      this.#lists.add("position"),
      { id, location: vectorAt(set, "position", row), rotation: vectorAt(set, "rotation", row) },
      this.#dialect,
    );
  }

  #kinematics(id: number, set: MutableEntitySet, row: number): void {
    const linearVelocity = vectorAt(set, "velocity", row);
    const angularVelocity = vectorAt(set, "angular-velocity", row);
    writeKinematics(this.#lists.add("kinematics"), { id, linearVelocity, angularVelocity }, this.#dialect);
  }

  /** Boxes of NaN occur: where a set has the column, each row gets its box. */
  #box(kind: PacketKind, center: ColumnName, extent: ColumnName, id: number, set: MutableEntitySet, row: number): void {
    if (!set.columns.has(center)) return;
    writeBox(
      this.#lists.add(kind),
      { id, origin: vectorAt(set, center, row), extent: vectorAt(set, extent, row) },
      this.#dialect,
    );
  }

  #vehicles(): void {
    const set = this.#state.sets.get("vehicles");
    if (set === undefined) return;
    const { columns } = set;
    for (const [row, key] of set.ids.entries()) {
      const id = key as number;
      const number = (name: ColumnName): number => columns.get(name)?.number(row) ?? Number.NaN;
      if (isKnownAt(columns.get("steering"), row) || isKnownAt(columns.get("throttle"), row)) {
        writeAnimVehicle(this.#lists.add("anim-vehicle"), {
          id,
          steering: number("steering"),
          throttle: number("throttle"),
          brake: number("brake"),
          handbrake: number("handbrake") !== 0,
          gear: number("gear"),
        });
      }
      if (columns.has("lights")) writeVehicleLight(this.#lists.add("vehicle-light"), { id, lights: number("lights") });
      if (columns.has("open-doors") && this.#lists.has("vehicle-door")) {
        for (let door = 0; door < 6; door++) {
          const isOpen = (number("open-doors") & (1 << door)) !== 0;
          if (isOpen) writeVehicleDoor(this.#lists.add("vehicle-door"), { id, door, isOpen });
        }
      }
      if (isKnownAt(columns.get("forward-speed"), row) && this.#lists.has("biker")) {
        const biker = { id, forwardSpeed: number("forward-speed"), rpmRatio: number("rpm-ratio") };
        writeBiker(this.#lists.add("biker"), biker);
      }
    }
  }

  #walkers(): void {
    const set = this.#state.sets.get("walkers");
    const speeds = set?.columns.get("speed");
    if (set === undefined || speeds === undefined) return;
    for (const [row, id] of set.ids.entries()) {
      if (!isKnownAt(speeds, row)) continue;
      writeAnimWalker(this.#lists.add("anim-walker"), { id: id as number, speed: speeds.number(row) });
    }
  }

  #lights(): void {
    const set = this.#state.sets.get("traffic-lights");
    if (set === undefined) return;
    for (const [row, key] of set.ids.entries()) {
      const id = key as number;
      const number = (name: ColumnName): number => set.columns.get(name)?.number(row) ?? Number.NaN;
      if (isKnownAt(set.columns.get("state-time"), row)) {
        const isFrozen = number("frozen") !== 0;
        const light = { id, isFrozen, elapsedTime: number("state-time"), state: number("state") };
        writeState(this.#lists.add("state"), light);
      }
      if (isKnownAt(set.columns.get("green-time"), row)) {
        const time = { id, green: number("green-time"), yellow: number("yellow-time"), red: number("red-time") };
        writeTrafficLightTime(this.#lists.add("traffic-light-time"), time);
      }
    }
  }

  #sceneLights(): void {
    const set = this.#state.sets.get("scene-lights");
    if (set === undefined) return;
    for (const [row, id] of set.ids.entries()) {
      const number = (name: ColumnName, k = 0): number => set.columns.get(name)?.number(row, k) ?? Number.NaN;
      writeSceneLight(this.#lists.add("scene-light"), {
        id: id as number,
        intensity: number("intensity"),
        color: [number("color"), number("color", 1), number("color", 2), number("color", 3)],
        isOn: number("on") !== 0,
        type: number("type"),
      });
    }
  }

  #values(values: ReadonlyMap<string, Value>): void {
    const lists = this.#lists;
    const seconds = (path: string): number | null => {
      const value = values.get(path);
      return typeof value === "number" ? value : null;
    };
    if (!this.#next.isThere) {
      lists.visualTime = seconds("visual-time");
      lists.platformTime = seconds("platform-time");
    }
    const collisions = values.get("collisions") as readonly Collision[] | undefined;
    for (const collision of collisions ?? []) writeCollision(lists.add("collision"), collision);
    for (const [path, value] of values) {
      const slash = path.indexOf("/");
      const id = Number(path.slice(slash + 1));
      switch (path.slice(0, slash)) {
        case "physics":
          this.#physics(value);
          break;
        case "bones":
          writeWalkerBones(
            lists.add("walker-bones"),
            { id, bones: value as unknown as readonly Bone[] },
            this.#dialect,
          );
          break;
        case "wheels":
          if (lists.has("vehicle-wheels")) {
            const wheels = value as unknown as readonly Wheel[];
            writeVehicleWheels(lists.add("vehicle-wheels"), { id, wheels });
          }
          break;
        default:
      }
    }
    if (values.has("weather/cloudiness") && lists.has("weather")) {
      const weather: Record<string, number> = {};
      for (const field of WEATHER_FIELDS) {
        const path = `weather/${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
        weather[field] = seconds(path) ?? Number.NaN;
      }
      writeWeather(lists.add("weather"), weather as Weather);
    }
  }

  #physics(value: Value): void {
    const builder = this.#lists.add("physics-control");
    if (this.#dialect.wheel === 208) writePhysicsControlUe5(builder, value as unknown as PhysicsControlUe5);
    else writePhysicsControl(builder, value as unknown as PhysicsControl);
  }
}

function vectorAt(set: MutableEntitySet, name: ColumnName, row: number): Vector {
  const column = set.columns.get(name);
  if (column === undefined) return [Number.NaN, Number.NaN, Number.NaN];
  return [column.number(row, 0), column.number(row, 1), column.number(row, 2)];
}

function isKnownAt(column: MutableColumn | undefined, row: number): boolean {
  if (column === undefined) return false;
  for (let k = 0; k < column.spec.width; k++) if (!Number.isNaN(column.number(row, k))) return true;
  return false;
}
