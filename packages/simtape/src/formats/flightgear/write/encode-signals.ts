import { ByteBuilder } from "../../../bytes/builder.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import { type Origin, TangentPlane, toEarth } from "../../../model/axes/geodesy.ts";
import type { Place } from "../../../model/poses/place.ts";
import { metresPer, radiansPer } from "../../../model/values/units.ts";
import { entryOf, MESSAGE_POSITION, PACKET_VERSION, PROTOCOL_2, padText, writePacket } from "../layout/packet.ts";
import { toRotationVector } from "../meaning/rotation-vector.ts";
import type { Signal } from "../layout/signals.ts";
import { AXES } from "../meaning/state.ts";

const FOOT = metresPer("ft")!;
const DEGREE = Math.PI / 180;
/** Metres per second below which nothing tells where a thing without orientation looks. */
const STANDING = 0.1;

/** What is recorded of the own aircraft: its motion, with the names and types of FlightGear's default list (spec §10). */
export const MOTION_SIGNALS: readonly Signal[] = [
  { property: "/position/longitude-deg", type: "double", interpolation: "angular-deg" },
  { property: "/position/latitude-deg", type: "double", interpolation: "angular-deg" },
  { property: "/position/altitude-ft", type: "double", interpolation: "linear" },
  { property: "/orientation/roll-deg", type: "float", interpolation: "angular-deg" },
  { property: "/orientation/pitch-deg", type: "float", interpolation: "angular-deg" },
  { property: "/orientation/heading-deg", type: "float", interpolation: "angular-deg" },
  { property: "/velocities/vertical-speed-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/speed-north-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/speed-east-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/speed-down-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/vBody-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/uBody-fps", type: "float", interpolation: "linear" },
  { property: "/velocities/wBody-fps", type: "float", interpolation: "linear" },
];

type Three = readonly [number, number, number];

/** How a thing is and moves, as FlightGear says it. */
export interface Motion {
  readonly latitude: number;
  readonly longitude: number;
  /** Feet above the ellipsoid. */
  readonly altitude: number;
  /** Degrees, heading clockwise from north, 0 to 360. */
  readonly roll: number;
  readonly pitch: number;
  readonly heading: number;
  /** Metres per second: east, north, up; and forward, right, down of the thing itself. */
  readonly velocity: Three;
  readonly body: Three;
}

/** A place on the plane at `origin` as a motion; `velocity` counts where the place has none of its own. */
export function motionOf(place: Place, velocity: Three, origin: Origin): Motion {
  const plane = new TangentPlane(origin);
  const at: [number, number, number] = [0, 0, 0];
  plane.toGeodetic(place.x, place.y, place.z, at, 0);
  const [latitude, longitude, metres] = at;
  const [vx, vy, vz] = place.velocity ?? velocity;
  const v: [number, number, number] = [0, 0, vz];
  plane.toEast(vx, vy, v, 0);
  let roll = 0;
  let pitch = 0;
  let heading = 0;
  if (place.orientation !== null) {
    const angles: [number, number, number] = [0, 0, 0];
    TRANSFORM.anglesBack(...place.orientation, radiansPer("deg"), angles, 0);
    // Adding 0 turns -0 into 0.
    [roll, pitch, heading] = [angles[0], angles[1] + 0, angles[2] + origin.heading];
  } else if (Math.hypot(v[0], v[1]) > STANDING) heading = Math.atan2(v[0], v[1]) / DEGREE;
  heading = ((heading % 360) + 360) % 360;
  const body = alongBody(v, roll, pitch, heading);
  return { latitude, longitude, altitude: metres / FOOT, roll, pitch, heading, velocity: v, body };
}

/** Values of `MOTION_SIGNALS` by path. */
export function motionValues(motion: Motion): Readonly<Record<string, number>> {
  const [east, north, up] = motion.velocity;
  const [forward, right, down] = motion.body;
  return {
    "/position/longitude-deg": motion.longitude,
    "/position/latitude-deg": motion.latitude,
    "/position/altitude-ft": motion.altitude,
    "/orientation/roll-deg": motion.roll,
    "/orientation/pitch-deg": motion.pitch,
    "/orientation/heading-deg": motion.heading,
    "/velocities/vertical-speed-fps": up / FOOT,
    "/velocities/speed-north-fps": north / FOOT,
    "/velocities/speed-east-fps": east / FOOT,
    "/velocities/speed-down-fps": -up / FOOT,
    "/velocities/uBody-fps": forward / FOOT,
    "/velocities/vBody-fps": right / FOOT,
    "/velocities/wBody-fps": down / FOOT,
  };
}

/** What a pilot sends beside the motion. */
export interface PilotWords {
  /** At most 7 bytes. */
  readonly callsign: string;
  /** Path of the 3D model. */
  readonly model: string;
  /** Empty: silent. */
  readonly chat?: string;
  /** Radians per second along body axes. */
  readonly turning?: Three;
  /** Further properties by id, of partition 1 and ascending (`multiplayer-table.ts`). */
  readonly properties?: readonly (readonly [id: number, value: number])[];
}

/** A position packet of protocol 2 as it lies on a tape; `time` is the sender's clock, seconds. */
export function positionPacket(motion: Motion, time: number, words: PilotWords): Uint8Array {
  const { latitude, longitude, altitude, roll, pitch, heading, body } = motion;
  const { callsign, model, chat = "", turning = [0, 0, 0], properties = [] } = words;
  const floats = new Float32Array(15);
  floats.set(toRotationVector(roll, pitch, heading, latitude, longitude), 0);
  floats.set(body, 3);
  floats.set(turning, 6);
  const doubles = Float64Array.of(time, LAG, 0, 0, 0);
  toEarth(latitude, longitude, altitude * FOOT, doubles, 2);
  const builder = new ByteBuilder(256);
  writePacket(builder, {
    header: {
      version: PACKET_VERSION,
      messageId: MESSAGE_POSITION,
      length: 0,
      reserved: 0,
      range: RANGE,
      replyPort: 0,
      callsign: padText(callsign, CALLSIGN_BYTES),
    },
    position: { model: padText(model, MODEL_BYTES), doubles, floats, pad: PROTOCOL_2 },
    entries: [
      ...properties.map(([id, value]) => entryOf(id, value, 2)),
      entryOf(PROTOCOL_VERSION_ID, 2, 2),
      entryOf(CHAT_ID, chat, 2),
    ],
    rest: new Uint8Array(0),
  });
  builder.patchU32le(LENGTH_AT, builder.length);
  return builder.take();
}

/** As FlightGear sends them (spec §5.1, §5.2): lag in seconds, range in nautical miles. */
const LAG = 0.1;
const RANGE = 100;
const CALLSIGN_BYTES = 8;
const MODEL_BYTES = 96;
const LENGTH_AT = 12;
const PROTOCOL_VERSION_ID = 10;
const CHAT_ID = 10002;

const TRANSFORM = transformOf(AXES);

/** East, north, up to forward, right, down. */
function alongBody([east, north, up]: Three, roll: number, pitch: number, heading: number): Three {
  const [sr, cr] = [Math.sin(roll * DEGREE), Math.cos(roll * DEGREE)];
  const [sp, cp] = [Math.sin(pitch * DEGREE), Math.cos(pitch * DEGREE)];
  const [sh, ch] = [Math.sin(heading * DEGREE), Math.cos(heading * DEGREE)];
  const down = -up;
  // The rows of Rx(roll)·Ry(pitch)·Rz(heading), from north, east, down.
  return [
    cp * ch * north + cp * sh * east - sp * down,
    (sr * sp * ch - cr * sh) * north + (sr * sp * sh + cr * ch) * east + sr * cp * down,
    (cr * sp * ch + sr * sh) * north + (cr * sp * sh - sr * ch) * east + cr * cp * down,
  ];
}
