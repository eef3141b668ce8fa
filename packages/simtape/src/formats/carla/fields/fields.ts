import {
  as,
  bits,
  bool,
  f32le,
  f64le,
  i32le,
  i64le,
  inside,
  items,
  list,
  noted,
  oneOf,
  type Part,
  raw,
  sizedText,
  struct,
  text,
  u16le,
  u32le,
  u64le,
  u8,
} from "../../../bytes/field-parts.ts";
import { type Fields, fieldsIn } from "../../../bytes/fields.ts";
import { messagePackField } from "../../../codec/messagepack-fields.ts";
import type { Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { type Dialect, kindOf, type PacketKind, WEATHER_FIELDS, NO_ACTOR } from "../layout/layout.ts";
import type { Channel } from "../../../model/values/value.ts";
import { isStatePatch, OWN_CHANNEL, STATE_PACKET } from "../meaning/state-patch.ts";

/** What a dissector asks of the recording that it takes apart. */
export interface Dissected {
  readonly channels: readonly Pick<Channel, "metadata">[];
  readonly dialect: Dialect;
}

/** The fields of packets, in the dialect of one recording. */
export class CarlaDissector implements Dissector {
  readonly #reader: Dissected;
  readonly #payloads: Readonly<Record<PacketKind, Part>>;

  constructor(reader: Dissected) {
    this.#reader = reader;
    this.#payloads = payloads(reader.dialect);
  }

  async record({ kind, bytes }: NativeRecord, { most }: DissectOptions = {}): Promise<Dissection> {
    const read = (fields: Fields): void => {
      if (kind === "header") HEADER(fields, "");
      else if (kind !== "damaged") this.#packet(fields);
    };
    return { fields: fieldsIn(bytes, read, most), contents: null };
  }

  message(batch: MessageBatch, row: number, { most }: DissectOptions = {}): ReturnType<typeof fieldsIn> {
    const id = Number(this.#reader.channels[batch.channel[row]!]!.metadata["packet"]);
    return fieldsIn(batch.payload(row), (fields) => this.#payload(fields, id), most);
  }

  #packet(fields: Fields): void {
    const id = u8(fields, "packet");
    fields.note(kindOf(id, this.#reader.dialect));
    const size = u32le(fields, "size");
    fields.within(Math.min(size, fields.left), () => this.#payload(fields, id));
  }

  #payload(fields: Fields, id: number): void {
    const kind = kindOf(id, this.#reader.dialect);
    fields.as("value", () => {
      if (kind !== null) this.#payloads[kind](fields, "");
      else if (id === STATE_PACKET && isStatePatch(fields.cursor.bytes.subarray(fields.cursor.position))) {
        OWN_STATE(fields, "");
      } else if (id <= LAST_ID) EMPTY(fields, "");
      else if (fields.left > 0) as("payload", noted(raw(fields.left), "a private packet"))(fields, "payload");
    });
  }
}

const string: Part<string> = sizedText(u16le);

/** Spec §2. */
const HEADER: Part = struct({
  version: u16le,
  magic: string,
  date: as(
    "value",
    noted(i64le, (seconds) => dateText(Number(seconds))),
  ),
  map: as("value", string),
});

function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "s since 1970" : date.toISOString().replace(".000Z", "Z");
}

/** What simtape puts in (`state-patch.ts`): a signature, a version, a MessagePack map. */
const OWN_STATE: Part = struct({
  signature: as("frame", text(OWN_CHANNEL.length)),
  version: as("frame", u8),
  state: messagePackField(),
});

/** What has a higher one is private to a fork, or to a program. */
const LAST_ID = 24;

/** Of a packet whose meaning nothing tells: there never was a record in it. */
const EMPTY: Part = struct({ count: as("frame", u16le) });

const ACTOR_TYPES = ["other", "vehicle", "walker", "traffic light", "traffic sign", "sensor", "invalid"];
const ATTRIBUTE_TYPES = ["bool", "int", "float", "string", "RGB colour"];
const LIGHTS = ["position", "low beam", "high beam", "brake", "right blinker", "left blinker", "reverse", "fog"];
const VEHICLE_LIGHTS = [...LIGHTS, "interior", "special 1", "special 2"];
const WHEELS = ["front left", "front right", "back left", "back right", "middle left", "middle right"];
const DOORS = ["front left", "front right", "rear left", "rear right", "hood", "trunk", "all"];

/** Payloads by kind (spec §4, §5); members are called as in the decoded value. */
function payloads({ scalar, wheel, version }: Dialect): Readonly<Record<PacketKind, Part>> {
  const real = scalar === 4 ? f32le : f64le;
  const xyz = (unit: string): Part => vector(real, ["x", "y", "z"], unit);
  const rotation = vector(real, ["roll", "pitch", "yaw"], "deg");
  const attributeTypes = version >= 2 ? ["null", ...ATTRIBUTE_TYPES] : ATTRIBUTE_TYPES;
  const box = records({ id: u32le, origin: xyz("cm"), extent: xyz("cm") });
  return {
    "frame-start": struct({
      frame: u64le,
      durationThis: noted(f64le, "s to the next frame"),
      elapsed: noted(f64le, "s since the first"),
    }),
    "frame-end": () => undefined,
    "platform-time": struct({ seconds: noted(f64le, "s of the host's clock") }),
    "visual-time": struct({ seconds: noted(f64le, "s") }),
    "frame-counter": struct({ frame: u64le }),
    "event-add": records({
      id: u32le,
      type: oneOf(u8, ACTOR_TYPES),
      location: xyz("cm"),
      rotation,
      uid: u32le,
      blueprint: string,
      attributes: list(u16le, struct({ type: oneOf(u8, attributeTypes), id: string, value: string })),
    }),
    "event-del": recordsOf(u32le),
    "event-parent": records({ id: u32le, parent: u32le }),
    collision: records({
      collision: u32le,
      id1: u32le,
      id2: noted(u32le, (id) => (id === NO_ACTOR ? "no actor" : null)),
      isHero1: bool,
      isHero2: bool,
    }),
    position: records({ id: u32le, location: xyz("cm"), rotation }),
    state: records({
      id: u32le,
      isFrozen: bool,
      elapsedTime: noted(f32le, "s"),
      state: oneOf(u8, ["red", "yellow", "green", "off", "unknown"]),
    }),
    "anim-vehicle": records({
      id: u32le,
      steering: f32le,
      throttle: f32le,
      brake: f32le,
      handbrake: bool,
      gear: noted(i32le, (gear) => (gear === -1 ? "reverse" : gear === 0 ? "neutral" : null)),
    }),
    "anim-walker": records({ id: u32le, speed: noted(f32le, "cm/s") }),
    "vehicle-light": records({ id: u32le, lights: bits(u32le, VEHICLE_LIGHTS) }),
    "scene-light": records({
      id: i32le,
      intensity: f32le,
      color: vector(f32le, ["red", "green", "blue", "alpha"], "linear"),
      isOn: bool,
      type: oneOf(u8, ["none", "vehicle", "street", "building", "other"]),
    }),
    kinematics: records({ id: u32le, linearVelocity: xyz("m/s"), angularVelocity: xyz("deg/s") }),
    "bounding-box": box,
    "physics-control": recordsOf(wheel === 208 ? PHYSICS_UE5 : physics(wheel ?? 48)),
    "traffic-light-time": records({
      id: u32le,
      green: noted(f32le, "s"),
      yellow: noted(f32le, "s"),
      red: noted(f32le, "s"),
    }),
    "trigger-volume": box,
    "walker-bones": records({
      id: u32le,
      bones: list(u16le, struct({ name: string, location: xyz("cm"), rotation })),
    }),
    "vehicle-wheels": records({
      id: u32le,
      wheels: list(
        u32le,
        struct({ location: oneOf(u8, WHEELS), steering: noted(f32le, "deg"), rotation: noted(f32le, "deg") }),
      ),
    }),
    biker: records({ id: u32le, forwardSpeed: noted(f32le, "cm/s"), rpmRatio: f32le }),
    "vehicle-door": records({ id: u32le, door: oneOf(u8, DOORS), isOpen: bool }),
    weather: records(Object.fromEntries(WEATHER_FIELDS.map((field) => [field, f32le]))),
  };
}

/** `u16 total`, then the records; a list longer than 65,535 has a wrong total and goes on to its end (spec §3). */
function recordsOf(item: Part): Part {
  return (fields) => {
    const total = fields.as("frame", () => u16le(fields, "count"));
    let size = total;
    items(fields, "", total, item);
    for (; fields.left > 0xffff; size++) item(fields, `[${size}]`);
  };
}

function records(parts: Readonly<Record<string, Part>>): Part {
  return recordsOf(struct(parts));
}

function vector(real: Part<number>, names: readonly string[], unit: string): Part {
  const one = noted(real, unit);
  return (fields, name) => {
    for (const axis of names) one(fields, inside(name, axis));
  };
}

const POINT = (x: string, y: string): Part => struct({ [x]: f32le, [y]: f32le });
const XYZ = (unit: string): Part => vector(f32le, ["x", "y", "z"], unit);

/** Physics control in UE4 (spec §4.15). */
function physics(wheel: 36 | 48): Part {
  return struct({
    id: u32le,
    maxRpm: noted(f32le, "rpm"),
    moi: noted(f32le, "kg·m²"),
    dampingRateFullThrottle: f32le,
    dampingRateZeroThrottleClutchEngaged: f32le,
    dampingRateZeroThrottleClutchDisengaged: f32le,
    useGearAutobox: bool,
    clutchStrength: f32le,
    finalRatio: f32le,
    mass: noted(f32le, "kg"),
    dragCoefficient: f32le,
    centerOfMass: XYZ("m"),
    torqueCurve: list(u32le, POINT("rpm", "torque")),
    forwardGears: list(u32le, struct({ ratio: f32le, downRatio: f32le, upRatio: f32le })),
    steeringCurve: list(u32le, POINT("km/h", "factor")),
    wheels: list(
      u32le,
      struct({
        tireFriction: f32le,
        dampingRate: f32le,
        maxSteerAngle: noted(f32le, "deg"),
        radius: noted(f32le, "cm"),
        maxBrakeTorque: noted(f32le, "N·m"),
        maxHandbrakeTorque: noted(f32le, "N·m"),
        ...(wheel === 48
          ? { stiffness: vector(f32le, ["lateral load", "lateral", "longitudinal"], "stiffness") }
          : undefined),
        position: XYZ("cm"),
      }),
    ),
  });
}

const padding = (length: number): Part => as("frame", raw(length));

/** A wheel in UE5 as its C++ object lies in memory (spec §5). */
const WHEEL_UE5: Part = struct({
  axleType: u8,
  "padding 1": padding(3),
  offset: XYZ("cm"),
  wheelRadius: f32le,
  wheelWidth: f32le,
  wheelMass: f32le,
  corneringStiffness: f32le,
  frictionForceMultiplier: f32le,
  sideSlipModifier: f32le,
  slipThreshold: f32le,
  skidThreshold: f32le,
  maxSteerAngle: noted(f32le, "deg"),
  affectedBySteering: bool,
  affectedByBrake: bool,
  affectedByHandbrake: bool,
  affectedByEngine: bool,
  absEnabled: bool,
  tractionControlEnabled: bool,
  "padding 2": padding(2),
  maxWheelspinRotation: f32le,
  externalTorqueCombineMethod: u8,
  "padding 3": padding(7),
  lateralSlipGraph: as("frame", noted(raw(24), "addresses of the process that wrote it")),
  suspensionAxis: XYZ("cm"),
  suspensionForceOffset: XYZ("cm"),
  suspensionMaxRaise: f32le,
  suspensionMaxDrop: f32le,
  suspensionDampingRatio: f32le,
  wheelLoadRatio: f32le,
  springRate: f32le,
  springPreload: f32le,
  suspensionSmoothing: i32le,
  rollbarScaling: f32le,
  sweepShape: u8,
  sweepType: u8,
  "padding 4": padding(2),
  maxBrakeTorque: noted(f32le, "N·m"),
  maxHandBrakeTorque: noted(f32le, "N·m"),
  wheelIndex: i32le,
  location: XYZ("cm"),
  oldLocation: XYZ("cm"),
  velocity: XYZ("cm/s"),
  "padding 5": padding(4),
});

/** Physics control in UE5 (spec §5). */
const PHYSICS_UE5: Part = struct({
  id: u32le,
  maxTorque: f32le,
  maxRpm: noted(f32le, "rpm"),
  idleRpm: noted(f32le, "rpm"),
  brakeEffect: f32le,
  revUpMoi: f32le,
  revDownRate: f32le,
  differentialType: u8,
  frontRearSplit: f32le,
  useAutomaticGears: bool,
  gearChangeTime: noted(f32le, "s"),
  finalRatio: f32le,
  changeUpRpm: noted(f32le, "rpm"),
  changeDownRpm: noted(f32le, "rpm"),
  transmissionEfficiency: f32le,
  mass: noted(f32le, "kg"),
  dragCoefficient: f32le,
  centerOfMass: XYZ("m"),
  chassisWidth: f32le,
  chassisHeight: f32le,
  downforceCoefficient: f32le,
  dragArea: f32le,
  inertiaTensorScale: XYZ(""),
  sleepThreshold: f32le,
  sleepSlopeLimit: f32le,
  useSweepWheelCollision: bool,
  torqueCurve: list(u32le, POINT("rpm", "torque")),
  forwardGearRatios: list(u32le, f32le),
  reverseGearRatios: list(u32le, f32le),
  steeringCurve: list(u32le, POINT("km/h", "factor")),
  wheels: list(u32le, WHEEL_UE5),
});
