import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { RAW, type Schema, untyped } from "../../../model/values/value.ts";
import type { CarlaChannels } from "./channels.ts";
import {
  type Dialect,
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
  readKinematics,
  readPosition,
  readSceneLight,
  readState,
  readTrafficLightTime,
  readVehicleDoor,
  readVehicleLight,
  readVehicleWheels,
  readWalkerBones,
  readWeather,
} from "../layout/layout.ts";
import {
  type PhysicsControl,
  type PhysicsControlUe5,
  readPhysicsControl,
  readPhysicsControlUe5,
} from "../layout/physics.ts";
import { isStatePatch, readStatePatch } from "./state-patch.ts";

/** How payloads of one kind become values; a kind that is not known stays bytes. */
export function schemaOf(kind: PacketKind | null, dialect: Dialect): Schema {
  return kind === null ? RAW : untyped(packetSchema(kind, dialect));
}

function packetSchema<Kind extends PacketKind>(kind: Kind, dialect: Dialect): Schema<CarlaChannels[Kind]> {
  return { name: `carla/${kind}`, decode: (payload) => decodePacket(kind, payload, dialect) };
}

/** Of the packets simtape itself puts in; another's packets of the same id stay bytes. */
const STATE_SCHEMA: Schema<CarlaChannels["simtape-state"]> = {
  name: "carla/simtape-state",
  decode: (payload) => (isStatePatch(payload) ? readStatePatch(payload) : payload),
};
export const OWN_SCHEMA: Schema = untyped(STATE_SCHEMA);

/** The value of one packet. Throws `LayoutError` when the payload does not fit. */
export function decodePacket<Kind extends PacketKind>(
  kind: Kind,
  payload: Uint8Array,
  dialect: Dialect,
): CarlaChannels[Kind] {
  const cursor = new ByteCursor(payload);
  const value = READERS[kind](cursor, dialect);
  if (cursor.remaining === 0) return value;
  throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
}

type Read<T> = (cursor: ByteCursor, dialect: Dialect) => T;

const READERS: { readonly [Kind in PacketKind]: Read<CarlaChannels[Kind]> } = {
  "frame-start": readFrameStart,
  "frame-end": () => null,
  "event-add": listOf(readEventAdd),
  "event-del": listOf(readEventDel),
  "event-parent": listOf(readEventParent),
  collision: listOf(readCollision),
  position: listOf(readPosition),
  state: listOf(readState),
  "anim-vehicle": listOf(readAnimVehicle),
  "anim-walker": listOf(readAnimWalker),
  "vehicle-light": listOf(readVehicleLight),
  "scene-light": listOf(readSceneLight),
  kinematics: listOf(readKinematics),
  "bounding-box": listOf(readBox),
  "platform-time": (cursor) => cursor.f64le(),
  "physics-control": listOf(readControl),
  "traffic-light-time": listOf(readTrafficLightTime),
  "trigger-volume": listOf(readBox),
  "frame-counter": (cursor) => cursor.bigU64le(),
  "walker-bones": listOf(readWalkerBones),
  "visual-time": (cursor) => cursor.f64le(),
  "vehicle-wheels": listOf(readVehicleWheels),
  biker: listOf(readBiker),
  "vehicle-door": listOf(readVehicleDoor),
  weather: listOf(readWeather),
};

function readControl(cursor: ByteCursor, { wheel }: Dialect): PhysicsControl | PhysicsControlUe5 {
  return wheel === 208 ? readPhysicsControlUe5(cursor) : readPhysicsControl(cursor, wheel ?? 48);
}

/** Memory of a record as a value, about. */
const RECORD_BYTES = 256;

/** `u16 total`, then the records (spec §3); a list longer than 65535 has a wrong total and is read to its end. */
function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (cursor, dialect) => {
    const total = cursor.u16le();
    const items: T[] = [];
    for (let i = 0; i < total || cursor.remaining > 65535; i++) {
      cursor.claim(RECORD_BYTES);
      items.push(read(cursor, dialect));
    }
    return items;
  };
}
