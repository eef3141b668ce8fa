import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { RAW, type Schema, type Value } from "../../model/value.ts";
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
} from "./layout.ts";
import { readPhysicsControl, readPhysicsControlUe5 } from "./layout-physics.ts";
import { isStatePatch, readStatePatch } from "./state-patch.ts";

/** How payloads of one kind become values; a kind that is not known stays bytes. */
export function schemaOf(kind: PacketKind | null, dialect: Dialect): Schema {
  if (kind === null) return RAW;
  return { name: `carla/${kind}`, decode: (payload) => decodePacket(kind, payload, dialect) };
}

/** Of the packets simtape itself puts in; another's packets of the same id stay bytes. */
export const OWN_SCHEMA: Schema = {
  name: "carla/simtape-state",
  decode: (payload) => (isStatePatch(payload) ? (readStatePatch(payload) as unknown as Value) : payload),
};

/**
 * The payload of one packet: an object for frame start, a number for the times, null for frame end, else the list of
 * its records. Throws `LayoutError` when it does not fit.
 */
export function decodePacket(kind: PacketKind, payload: Uint8Array, dialect: Dialect): Value {
  const cursor = new ByteCursor(payload);
  switch (kind) {
    case "frame-start":
      return whole(cursor, { ...readFrameStart(cursor) });
    case "frame-end":
      return whole(cursor, null);
    case "platform-time":
    case "visual-time":
      return whole(cursor, cursor.f64le());
    case "frame-counter":
      return whole(cursor, cursor.bigU64le());
    case "event-add":
      return list(cursor, dialect, readEventAdd);
    case "event-del":
      return list(cursor, dialect, readEventDel);
    case "event-parent":
      return list(cursor, dialect, readEventParent);
    case "collision":
      return list(cursor, dialect, readCollision);
    case "position":
      return list(cursor, dialect, readPosition);
    case "state":
      return list(cursor, dialect, readState);
    case "anim-vehicle":
      return list(cursor, dialect, readAnimVehicle);
    case "anim-walker":
      return list(cursor, dialect, readAnimWalker);
    case "vehicle-light":
      return list(cursor, dialect, readVehicleLight);
    case "scene-light":
      return list(cursor, dialect, readSceneLight);
    case "kinematics":
      return list(cursor, dialect, readKinematics);
    case "bounding-box":
    case "trigger-volume":
      return list(cursor, dialect, readBox);
    case "physics-control":
      return list(cursor, dialect, readControl);
    case "traffic-light-time":
      return list(cursor, dialect, readTrafficLightTime);
    case "walker-bones":
      return list(cursor, dialect, readWalkerBones);
    case "vehicle-wheels":
      return list(cursor, dialect, readVehicleWheels);
    case "biker":
      return list(cursor, dialect, readBiker);
    case "vehicle-door":
      return list(cursor, dialect, readVehicleDoor);
    case "weather":
      return list(cursor, dialect, readWeather);
    default:
      return kind satisfies never;
  }
}

function readControl(cursor: ByteCursor, { wheel }: Dialect): object {
  return wheel === 208 ? readPhysicsControlUe5(cursor) : readPhysicsControl(cursor, wheel ?? 48);
}

/** Memory of a record as a value, about. */
const RECORD_BYTES = 256;

/** `u16 total`, then the records (spec §3); a list longer than 65535 has a wrong total and is read to its end. */
function list(cursor: ByteCursor, dialect: Dialect, read: (cursor: ByteCursor, dialect: Dialect) => unknown): Value {
  const total = cursor.u16le();
  const items: Value[] = [];
  for (let i = 0; i < total || cursor.remaining > 65535; i++) {
    cursor.claim(RECORD_BYTES);
    items.push(read(cursor, dialect) as Value);
  }
  return whole(cursor, items);
}

function whole<T>(cursor: ByteCursor, value: T): T {
  if (cursor.remaining > 0)
    throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
  return value;
}
