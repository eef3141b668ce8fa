import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";

/** Everything is little-endian, packed, without padding, checksum or index (spec §0.1). */
export const MAGIC = "CARLA_RECORDER";

/** Ids of packets whose meaning never changed (spec §3.1). 21 to 24 are in `Dialect.packets`. */
export const FRAME_START = 0;
export const FRAME_END = 1;
export const EVENT_ADD = 2;
export const EVENT_DEL = 3;
export const EVENT_PARENT = 4;
export const COLLISION = 5;
export const POSITION = 6;
export const STATE = 7;
export const ANIM_VEHICLE = 8;
export const ANIM_WALKER = 9;
export const VEHICLE_LIGHT = 10;
export const SCENE_LIGHT = 11;
export const KINEMATICS = 12;
export const BOUNDING_BOX = 13;
export const PLATFORM_TIME = 14;
export const PHYSICS_CONTROL = 15;
export const TRAFFIC_LIGHT_TIME = 16;
export const TRIGGER_VOLUME = 17;
export const FRAME_COUNTER = 18;
export const WALKER_BONES = 19;
export const VISUAL_TIME = 20;

/** id and size before each payload (spec §3). */
export const PACKET_HEADER_BYTES = 5;
export const FRAME_START_BYTES = 24;

export type PacketKind =
  | "frame-start"
  | "frame-end"
  | "event-add"
  | "event-del"
  | "event-parent"
  | "collision"
  | "position"
  | "state"
  | "anim-vehicle"
  | "anim-walker"
  | "vehicle-light"
  | "scene-light"
  | "kinematics"
  | "bounding-box"
  | "platform-time"
  | "physics-control"
  | "traffic-light-time"
  | "trigger-volume"
  | "frame-counter"
  | "walker-bones"
  | "visual-time"
  | "vehicle-wheels"
  | "biker"
  | "vehicle-door"
  | "weather";

/** By packet id, 0 to 20. */
export const PACKET_KINDS: readonly PacketKind[] = [
  "frame-start",
  "frame-end",
  "event-add",
  "event-del",
  "event-parent",
  "collision",
  "position",
  "state",
  "anim-vehicle",
  "anim-walker",
  "vehicle-light",
  "scene-light",
  "kinematics",
  "bounding-box",
  "platform-time",
  "physics-control",
  "traffic-light-time",
  "trigger-volume",
  "frame-counter",
  "walker-bones",
  "visual-time",
];

/** What a file does not say of itself and its shapes tell (spec §6). */
export interface Dialect {
  /** Bytes of one number in Unreal's vectors: 4 in UE4 (0.9.x), 8 in UE5 (0.10). */
  readonly scalar: 4 | 8;
  /** Bytes of a wheel in physics control: 36 to 0.9.11, 48 from 0.9.12, 208 in UE5; null when there is none. */
  readonly wheel: 36 | 48 | 208 | null;
  /** Meaning of ids 21 to 24; null where nothing tells. */
  readonly late: readonly [PacketKind | null, PacketKind | null, PacketKind | null, PacketKind | null];
  /** Header version: from 2 on, attribute types are one higher (spec §4.2). */
  readonly version: number;
}

/** The kind of packet `id` in a dialect; null when not known. */
export function kindOf(id: number, dialect: Dialect): PacketKind | null {
  if (id <= VISUAL_TIME) return PACKET_KINDS[id]!;
  return id <= 24 ? dialect.late[id - 21]! : null;
}

export interface Header {
  /** 1 for 0.9.4 to 0.9.15 and UE5, 2 in the newer UE4 line; tells little (spec §0.4). */
  readonly version: number;
  readonly magic: string;
  /** Seconds since 1970-01-01 UTC (spec §2; the official page's 1900 is wrong). */
  readonly date: bigint;
  readonly map: string;
}

/** Spec §2. Throws `LayoutError` when the magic is another. */
export function readHeader(cursor: ByteCursor): Header {
  const version = cursor.u16le();
  const at = cursor.offset;
  const magic = readString(cursor);
  if (magic !== MAGIC)
    throw new LayoutError("malformed", `magic is ${JSON.stringify(magic.slice(0, 20))}, not ${MAGIC}`, at);
  return { version, magic, date: cursor.bigI64le(), map: readString(cursor) };
}

export function writeHeader(builder: ByteBuilder, header: Header): void {
  builder.u16le(header.version);
  writeString(builder, header.magic);
  builder.bigI64le(header.date);
  writeString(builder, header.map);
}

const BYTES = new TextEncoder();

/** u16 byte length, then UTF-8 (spec §1). Bytes that are not UTF-8 become U+FFFD: the record keeps them. */
export function readString(cursor: ByteCursor): string {
  return cursor.text(cursor.u16le());
}

export function writeString(builder: ByteBuilder, text: string): void {
  const bytes = BYTES.encode(text);
  if (bytes.length > 32767) throw new RangeError(`string of ${bytes.length} bytes; CARLA reads at most 32767`);
  builder.u16le(bytes.length).raw(bytes);
}

export function writePacket(builder: ByteBuilder, id: number, payload: Uint8Array): void {
  builder.u8(id).u32le(payload.length).raw(payload);
}

/** Three numbers: a place in cm, a rotation in degrees as roll, pitch, yaw (spec §0.5), a velocity. */
export type Vector = readonly [number, number, number];

export function readVector(cursor: ByteCursor, scalar: 4 | 8): Vector {
  return scalar === 4
    ? [cursor.f32le(), cursor.f32le(), cursor.f32le()]
    : [cursor.f64le(), cursor.f64le(), cursor.f64le()];
}

export function writeVector(builder: ByteBuilder, vector: Vector, scalar: 4 | 8): void {
  for (const value of vector) {
    if (scalar === 4) builder.f32le(value);
    else builder.f64le(value);
  }
}

/** What a frame begins with (spec §4.0). */
export interface FrameStart {
  /** Counts from 1 in this file. */
  readonly frame: number;
  /** Seconds until the next frame; -1 in the last. */
  readonly durationThis: number;
  /** Seconds since the first recorded frame. */
  readonly elapsed: number;
}

/** Spec §4.0. */
export function readFrameStart(cursor: ByteCursor): FrameStart {
  return { frame: cursor.u64le(), durationThis: cursor.f64le(), elapsed: cursor.f64le() };
}

export function writeFrameStart(builder: ByteBuilder, frame: FrameStart): void {
  builder.i64le(frame.frame).f64le(frame.durationThis).f64le(frame.elapsed);
}

/** What a blueprint was spawned with (spec §4.2). */
export interface Attribute {
  /** 0 Bool, 1 Int, 2 Float, 3 String, 4 RGBColor; one higher in files of version 2. */
  readonly type: number;
  readonly id: string;
  /** Always text. */
  readonly value: string;
}

/** An actor that comes (spec §4.2). */
export interface EventAdd {
  /** While recording: other packets name the actor by it. */
  readonly id: number;
  /** 0 other, 1 vehicle, 2 walker, 3 traffic light, 4 traffic sign, 5 sensor, 6 invalid. */
  readonly type: number;
  /** cm; of the world in the first frame, of the parent for what is spawned attached later. */
  readonly location: Vector;
  /** Degrees: roll, pitch, yaw. */
  readonly rotation: Vector;
  /** The blueprint's number in that server's library. */
  readonly uid: number;
  /** Blueprint id. */
  readonly blueprint: string;
  readonly attributes: readonly Attribute[];
}

/** Spec §4.2. */
export function readEventAdd(cursor: ByteCursor, { scalar }: Dialect): EventAdd {
  const id = cursor.u32le();
  const type = cursor.u8();
  const location = readVector(cursor, scalar);
  const rotation = readVector(cursor, scalar);
  const uid = cursor.u32le();
  const blueprint = readString(cursor);
  const count = cursor.u16le();
  cursor.claim(count * 128);
  const attributes: Attribute[] = [];
  for (let i = 0; i < count; i++) {
    attributes.push({ type: cursor.u8(), id: readString(cursor), value: readString(cursor) });
  }
  return { id, type, location, rotation, uid, blueprint, attributes };
}

export function writeEventAdd(builder: ByteBuilder, event: EventAdd, { scalar }: Dialect): void {
  builder.u32le(event.id).u8(event.type);
  writeVector(builder, event.location, scalar);
  writeVector(builder, event.rotation, scalar);
  builder.u32le(event.uid);
  writeString(builder, event.blueprint);
  builder.u16le(event.attributes.length);
  for (const attribute of event.attributes) {
    builder.u8(attribute.type);
    writeString(builder, attribute.id);
    writeString(builder, attribute.value);
  }
}

/** Spec §4.3. */
export function readEventDel(cursor: ByteCursor): number {
  return cursor.u32le();
}

export function writeEventDel(builder: ByteBuilder, id: number): void {
  builder.u32le(id);
}

/** An actor that is attached to another (spec §4.4). */
export interface EventParent {
  /** The child. */
  readonly id: number;
  readonly parent: number;
}

/** Spec §4.4. */
export function readEventParent(cursor: ByteCursor): EventParent {
  return { id: cursor.u32le(), parent: cursor.u32le() };
}

export function writeEventParent(builder: ByteBuilder, event: EventParent): void {
  builder.u32le(event.id).u32le(event.parent);
}

/** In place of an id: no registered actor, a wall or the ground (spec §4.5). */
export const NO_ACTOR = 0xffff_ffff;

/** Two actors that touch; one record for each that has a collision sensor (spec §4.5). */
export interface Collision {
  /** Counts from 0 through the recording; gaps are normal. */
  readonly collision: number;
  /** The actor with the sensor. */
  readonly id1: number;
  /** 0xFFFFFFFF (0 before 0.9.13): no registered actor. */
  readonly id2: number;
  readonly isHero1: boolean;
  readonly isHero2: boolean;
}

/** Spec §4.5. */
export const COLLISION_BYTES = 14;

/** Spec §4.5. */
export function readCollision(cursor: ByteCursor): Collision {
  return {
    collision: cursor.u32le(),
    id1: cursor.u32le(),
    id2: cursor.u32le(),
    isHero1: cursor.u8() !== 0,
    isHero2: cursor.u8() !== 0,
  };
}

export function writeCollision(builder: ByteBuilder, collision: Collision): void {
  builder.u32le(collision.collision).u32le(collision.id1).u32le(collision.id2);
  builder.u8(collision.isHero1 ? 1 : 0).u8(collision.isHero2 ? 1 : 0);
}

/** Where an actor is (spec §4.6). */
export interface Position {
  readonly id: number;
  /** cm, world. */
  readonly location: Vector;
  /** Degrees: roll, pitch, yaw. */
  readonly rotation: Vector;
}

/** Spec §4.6, §5. */
export function readPosition(cursor: ByteCursor, { scalar }: Dialect): Position {
  return { id: cursor.u32le(), location: readVector(cursor, scalar), rotation: readVector(cursor, scalar) };
}

export function writePosition(builder: ByteBuilder, position: Position, { scalar }: Dialect): void {
  builder.u32le(position.id);
  writeVector(builder, position.location, scalar);
  writeVector(builder, position.rotation, scalar);
}

/** What a traffic light shows (spec §4.7). */
export interface LightState {
  readonly id: number;
  /** Its group is frozen. */
  readonly isFrozen: boolean;
  /** Seconds in this state. */
  readonly elapsedTime: number;
  /** 0 red, 1 yellow, 2 green, 3 off, 4 unknown. */
  readonly state: number;
}

/** Spec §4.7. */
export function readState(cursor: ByteCursor): LightState {
  return { id: cursor.u32le(), isFrozen: cursor.u8() !== 0, elapsedTime: cursor.f32le(), state: cursor.u8() };
}

export function writeState(builder: ByteBuilder, light: LightState): void {
  builder
    .u32le(light.id)
    .u8(light.isFrozen ? 1 : 0)
    .f32le(light.elapsedTime)
    .u8(light.state);
}

/** The control that was applied to a vehicle (spec §4.8). */
export interface AnimVehicle {
  readonly id: number;
  /** -1 to 1. */
  readonly steering: number;
  /** 0 to 1. */
  readonly throttle: number;
  /** 0 to 1. */
  readonly brake: number;
  readonly handbrake: boolean;
  /** -1 reverse, 0 neutral. */
  readonly gear: number;
}

/** Spec §4.8. */
export function readAnimVehicle(cursor: ByteCursor): AnimVehicle {
  return {
    id: cursor.u32le(),
    steering: cursor.f32le(),
    throttle: cursor.f32le(),
    brake: cursor.f32le(),
    handbrake: cursor.u8() !== 0,
    gear: cursor.i32le(),
  };
}

export function writeAnimVehicle(builder: ByteBuilder, vehicle: AnimVehicle): void {
  builder.u32le(vehicle.id).f32le(vehicle.steering).f32le(vehicle.throttle).f32le(vehicle.brake);
  builder.u8(vehicle.handbrake ? 1 : 0).i32le(vehicle.gear);
}

/** The control of a walker (spec §4.9). */
export interface AnimWalker {
  readonly id: number;
  /** cm/s (unit read from source, spec §4.9). */
  readonly speed: number;
}

export function readAnimWalker(cursor: ByteCursor): AnimWalker {
  return { id: cursor.u32le(), speed: cursor.f32le() };
}

export function writeAnimWalker(builder: ByteBuilder, walker: AnimWalker): void {
  builder.u32le(walker.id).f32le(walker.speed);
}

/** The lights of a vehicle (spec §4.10). */
export interface VehicleLight {
  readonly id: number;
  /**
   * Bits, from 0 on: position, low beam, high beam, brake, right blinker, left blinker, reverse, fog, interior, special 1,
   * special 2.
   */
  readonly lights: number;
}

export function readVehicleLight(cursor: ByteCursor): VehicleLight {
  return { id: cursor.u32le(), lights: cursor.u32le() };
}

export function writeVehicleLight(builder: ByteBuilder, light: VehicleLight): void {
  builder.u32le(light.id).u32le(light.lights);
}

/** A light of the level (spec §4.11). */
export interface SceneLight {
  /** -1: not assigned. */
  readonly id: number;
  /** The file does not say in which unit. */
  readonly intensity: number;
  /** Linear R, G, B, A. */
  readonly color: readonly [number, number, number, number];
  readonly isOn: boolean;
  /** 0 none, 1 vehicle, 2 street, 3 building, 4 other. */
  readonly type: number;
}

/** Spec §4.11. */
export function readSceneLight(cursor: ByteCursor): SceneLight {
  return {
    id: cursor.i32le(),
    intensity: cursor.f32le(),
    color: [cursor.f32le(), cursor.f32le(), cursor.f32le(), cursor.f32le()],
    isOn: cursor.u8() !== 0,
    type: cursor.u8(),
  };
}

export function writeSceneLight(builder: ByteBuilder, light: SceneLight): void {
  builder.i32le(light.id).f32le(light.intensity);
  for (const value of light.color) builder.f32le(value);
  builder.u8(light.isOn ? 1 : 0).u8(light.type);
}

/** How a vehicle or walker moves (spec §4.12). */
export interface Kinematics {
  readonly id: number;
  /** m/s, world axes. */
  readonly linearVelocity: Vector;
  /** deg/s about X, Y, Z. */
  readonly angularVelocity: Vector;
}

/** Spec §4.12. */
export function readKinematics(cursor: ByteCursor, { scalar }: Dialect): Kinematics {
  return {
    id: cursor.u32le(),
    linearVelocity: readVector(cursor, scalar),
    angularVelocity: readVector(cursor, scalar),
  };
}

export function writeKinematics(builder: ByteBuilder, kinematics: Kinematics, { scalar }: Dialect): void {
  builder.u32le(kinematics.id);
  writeVector(builder, kinematics.linearVelocity, scalar);
  writeVector(builder, kinematics.angularVelocity, scalar);
}

/** A box without rotation (spec §4.13, §4.17). */
export interface Box {
  readonly id: number;
  /** cm; in the actor's frame for a bounding box, of the world for a trigger volume. NaN and infinities occur. */
  readonly origin: Vector;
  /** Half sizes, cm. */
  readonly extent: Vector;
}

/** Bounding box and trigger volume: spec §4.13, §4.17. */
export function readBox(cursor: ByteCursor, { scalar }: Dialect): Box {
  return { id: cursor.u32le(), origin: readVector(cursor, scalar), extent: readVector(cursor, scalar) };
}

export function writeBox(builder: ByteBuilder, box: Box, { scalar }: Dialect): void {
  builder.u32le(box.id);
  writeVector(builder, box.origin, scalar);
  writeVector(builder, box.extent, scalar);
}

/** How long a traffic light shows each colour, in seconds (spec §4.16). */
export interface TrafficLightTime {
  readonly id: number;
  readonly green: number;
  readonly yellow: number;
  readonly red: number;
}

/** Spec §4.16. */
export function readTrafficLightTime(cursor: ByteCursor): TrafficLightTime {
  return { id: cursor.u32le(), green: cursor.f32le(), yellow: cursor.f32le(), red: cursor.f32le() };
}

export function writeTrafficLightTime(builder: ByteBuilder, time: TrafficLightTime): void {
  builder.u32le(time.id).f32le(time.green).f32le(time.yellow).f32le(time.red);
}

/** A bone of a walker, relative to the one above it (spec §4.19). */
export interface Bone {
  readonly name: string;
  /** cm. */
  readonly location: Vector;
  /** Degrees: roll, pitch, yaw. */
  readonly rotation: Vector;
}

/** The skeleton of a walker (spec §4.19). */
export interface WalkerBones {
  readonly id: number;
  readonly bones: readonly Bone[];
}

/** Spec §4.19. */
export function readWalkerBones(cursor: ByteCursor, { scalar }: Dialect): WalkerBones {
  const id = cursor.u32le();
  const count = cursor.u16le();
  cursor.claim(count * 512);
  const bones: Bone[] = [];
  for (let i = 0; i < count; i++) {
    bones.push({
      name: readString(cursor),
      location: readVector(cursor, scalar),
      rotation: readVector(cursor, scalar),
    });
  }
  return { id, bones };
}

/** Goes behind a record of bones, and gives its actor. Throws where reading it would. */
export function skipWalkerBones(cursor: ByteCursor, { scalar }: Dialect): number {
  const id = cursor.u32le();
  const count = cursor.u16le();
  for (let i = 0; i < count; i++) cursor.skip(cursor.u16le() + 6 * scalar);
  return id;
}

export function writeWalkerBones(builder: ByteBuilder, walker: WalkerBones, { scalar }: Dialect): void {
  builder.u32le(walker.id).u16le(walker.bones.length);
  for (const bone of walker.bones) {
    writeString(builder, bone.name);
    writeVector(builder, bone.location, scalar);
    writeVector(builder, bone.rotation, scalar);
  }
}

/** A wheel of a vehicle (spec §4.21). */
export interface Wheel {
  /** 0 front left, 1 front right (rear of a bike), 2 back left, 3 back right, 4 middle left, 5 middle right. */
  readonly location: number;
  /** Degrees. */
  readonly steering: number;
  /** Of the tyre, degrees. */
  readonly rotation: number;
}

/** How the wheels of a vehicle stand (spec §4.21). */
export interface VehicleWheels {
  readonly id: number;
  readonly wheels: readonly Wheel[];
}

/** Spec §4.21. */
export function readVehicleWheels(cursor: ByteCursor): VehicleWheels {
  const id = cursor.u32le();
  const count = wheelCount(cursor);
  cursor.claim(count * 96);
  const wheels: Wheel[] = [];
  for (let i = 0; i < count; i++) {
    wheels.push({ location: cursor.u8(), steering: cursor.f32le(), rotation: cursor.f32le() });
  }
  return { id, wheels };
}

/** Goes behind a record of wheels, and gives its actor. Throws where reading it would. */
export function skipVehicleWheels(cursor: ByteCursor): number {
  const id = cursor.u32le();
  cursor.skip(wheelCount(cursor) * WHEEL);
  return id;
}

const WHEEL = 9;

function wheelCount(cursor: ByteCursor): number {
  const count = cursor.u32le();
  const { remaining } = cursor;
  if (count * WHEEL <= remaining) return count;
  const message = `${count} wheels need ${count * WHEEL} bytes, ${remaining} are left`;
  throw new LayoutError("truncated", message, cursor.offset);
}

export function writeVehicleWheels(builder: ByteBuilder, vehicle: VehicleWheels): void {
  builder.u32le(vehicle.id).u32le(vehicle.wheels.length);
  for (const wheel of vehicle.wheels) builder.u8(wheel.location).f32le(wheel.steering).f32le(wheel.rotation);
}

/** Who rides a vehicle of two wheels (spec §4.22). */
export interface Biker {
  readonly id: number;
  /** cm/s. */
  readonly forwardSpeed: number;
  /** Engine rpm / its maximum. */
  readonly rpmRatio: number;
}

/** Spec §4.22. */
export function readBiker(cursor: ByteCursor): Biker {
  return { id: cursor.u32le(), forwardSpeed: cursor.f32le(), rpmRatio: cursor.f32le() };
}

export function writeBiker(builder: ByteBuilder, biker: Biker): void {
  builder.u32le(biker.id).f32le(biker.forwardSpeed).f32le(biker.rpmRatio);
}

/** A door that is opened or shut (spec §4.23). */
export interface VehicleDoor {
  readonly id: number;
  /** 0 front left, 1 front right, 2 rear left, 3 rear right, 4 hood, 5 trunk, 6 all. */
  readonly door: number;
  readonly isOpen: boolean;
}

/** Spec §4.23. */
export function readVehicleDoor(cursor: ByteCursor): VehicleDoor {
  return { id: cursor.u32le(), door: cursor.u8(), isOpen: cursor.u8() !== 0 };
}

export function writeVehicleDoor(builder: ByteBuilder, door: VehicleDoor): void {
  builder
    .u32le(door.id)
    .u8(door.door)
    .u8(door.isOpen ? 1 : 0);
}

/** In file order (spec §4.24). */
export const WEATHER_FIELDS = [
  "cloudiness",
  "precipitation",
  "precipitationDeposits",
  "windIntensity",
  "sunAzimuthAngle",
  "sunAltitudeAngle",
  "fogDensity",
  "fogDistance",
  "fogFalloff",
  "wetness",
  "scatteringIntensity",
  "mieScatteringScale",
  "rayleighScatteringScale",
  "dustStorm",
] as const;

/**
 * The weather (spec §4.24) in the units of CARLA's Python API: the sun's angles in degrees, `fogDistance` in metres,
 * scales and falloff without a unit, all else 0 to 100.
 */
export type Weather = Readonly<Record<(typeof WEATHER_FIELDS)[number], number>>;

export function readWeather(cursor: ByteCursor): Weather {
  const weather: Partial<Record<(typeof WEATHER_FIELDS)[number], number>> = {};
  for (const field of WEATHER_FIELDS) weather[field] = cursor.f32le();
  return weather as Weather;
}

export function writeWeather(builder: ByteBuilder, weather: Weather): void {
  for (const field of WEATHER_FIELDS) builder.f32le(weather[field]);
}
