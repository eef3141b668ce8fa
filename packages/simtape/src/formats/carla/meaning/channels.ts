import type {
  AnimVehicle,
  AnimWalker,
  Biker,
  Box,
  Collision,
  EventAdd,
  EventParent,
  FrameStart,
  Kinematics,
  LightState,
  PacketKind,
  Position,
  SceneLight,
  TrafficLightTime,
  VehicleDoor,
  VehicleLight,
  VehicleWheels,
  WalkerBones,
  Weather,
} from "../layout/layout.ts";
import type { PhysicsControl, PhysicsControlUe5 } from "../layout/physics.ts";
import type { StatePatch } from "./state-patch.ts";

/**
 * What the packets of a CARLA log decode to, by channel. A packet of records is a list of them, empty where nothing was
 * to be said; lengths are centimetres unless a member says otherwise (spec §4, semantics §2).
 */
export interface CarlaChannels extends Record<PacketKind, unknown> {
  readonly "frame-start": FrameStart;
  /** It has no content. */
  readonly "frame-end": null;
  readonly "event-add": readonly EventAdd[];
  /** Ids of the actors that went. */
  readonly "event-del": readonly number[];
  readonly "event-parent": readonly EventParent[];
  readonly collision: readonly Collision[];
  readonly position: readonly Position[];
  readonly state: readonly LightState[];
  readonly "anim-vehicle": readonly AnimVehicle[];
  readonly "anim-walker": readonly AnimWalker[];
  readonly "vehicle-light": readonly VehicleLight[];
  readonly "scene-light": readonly SceneLight[];
  readonly kinematics: readonly Kinematics[];
  readonly "bounding-box": readonly Box[];
  /** Seconds. */
  readonly "platform-time": number;
  readonly "physics-control": readonly (PhysicsControl | PhysicsControlUe5)[];
  readonly "traffic-light-time": readonly TrafficLightTime[];
  readonly "trigger-volume": readonly Box[];
  readonly "frame-counter": bigint;
  readonly "walker-bones": readonly WalkerBones[];
  /** Seconds. */
  readonly "visual-time": number;
  readonly "vehicle-wheels": readonly VehicleWheels[];
  readonly biker: readonly Biker[];
  readonly "vehicle-door": readonly VehicleDoor[];
  readonly weather: readonly Weather[];
  /** What simtape writes of other formats; bytes where it is another program's packet of that id. */
  readonly "simtape-state": StatePatch | Uint8Array;
}

export type {
  AnimVehicle,
  AnimWalker,
  Attribute,
  Biker,
  Bone,
  Box,
  Collision,
  EventAdd,
  EventParent,
  FrameStart,
  Kinematics,
  LightState,
  Position,
  SceneLight,
  TrafficLightTime,
  Vector,
  VehicleDoor,
  VehicleLight,
  VehicleWheels,
  WalkerBones,
  Weather,
  Wheel,
} from "../layout/layout.ts";
export type {
  Gear,
  PhysicsControl,
  PhysicsControlUe5,
  PhysicsWheel,
  PhysicsWheelUe5,
  Point,
} from "../layout/physics.ts";
export type { PatchColumn, PatchSet, StatePatch } from "./state-patch.ts";
