import type { JsonSchema } from "./value-schema.ts";

/*
 * Foxglove's well-known schemas, as the pages of docs.foxglove.dev, "Schemas", list their fields: the viewers know a
 * message by the name of its schema, and read its fields by these types.
 */

const NUMBER: JsonSchema = { type: "number" };
const TEXT: JsonSchema = { type: "string" };
const BOOLEAN: JsonSchema = { type: "boolean" };
const WHOLE: JsonSchema = { type: "integer", minimum: 0 };

function object(title: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { title, type: "object", properties };
}

function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

const NANOS: JsonSchema = { type: "integer", minimum: 0, maximum: 999_999_999 };
const TIME = object("time", { sec: WHOLE, nsec: NANOS });
const DURATION = object("duration", { sec: { type: "integer" }, nsec: NANOS });
const VECTOR = object("foxglove.Vector3", { x: NUMBER, y: NUMBER, z: NUMBER });
const QUATERNION = object("foxglove.Quaternion", { x: NUMBER, y: NUMBER, z: NUMBER, w: NUMBER });
const POSE = object("foxglove.Pose", { position: VECTOR, orientation: QUATERNION });
const COLOR = object("foxglove.Color", { r: NUMBER, g: NUMBER, b: NUMBER, a: NUMBER });
const PAIR = object("foxglove.KeyValuePair", { key: TEXT, value: TEXT });

const ARROW = object("foxglove.ArrowPrimitive", {
  pose: POSE,
  shaft_length: NUMBER,
  shaft_diameter: NUMBER,
  head_length: NUMBER,
  head_diameter: NUMBER,
  color: COLOR,
});
const CUBE = object("foxglove.CubePrimitive", { pose: POSE, size: VECTOR, color: COLOR });
const SPHERE = object("foxglove.SpherePrimitive", { pose: POSE, size: VECTOR, color: COLOR });
const LABEL = object("foxglove.TextPrimitive", {
  pose: POSE,
  billboard: BOOLEAN,
  font_size: NUMBER,
  scale_invariant: BOOLEAN,
  color: COLOR,
  text: TEXT,
});

/** A kind of primitive that is never written. */
function unused(name: string): JsonSchema {
  return list(object(`foxglove.${name}Primitive`, {}));
}

const ENTITY = object("foxglove.SceneEntity", {
  timestamp: TIME,
  frame_id: TEXT,
  id: TEXT,
  lifetime: DURATION,
  frame_locked: BOOLEAN,
  metadata: list(PAIR),
  arrows: list(ARROW),
  cubes: list(CUBE),
  spheres: list(SPHERE),
  cylinders: unused("Cylinder"),
  lines: unused("Line"),
  triangles: unused("TriangleList"),
  texts: list(LABEL),
  models: unused("Model"),
});
const DELETION = object("foxglove.SceneEntityDeletion", { timestamp: TIME, type: WHOLE, id: TEXT });
const TRANSFORM = object("foxglove.FrameTransform", {
  timestamp: TIME,
  parent_frame_id: TEXT,
  child_frame_id: TEXT,
  translation: VECTOR,
  rotation: QUATERNION,
});

/** A well-known schema, by the name that viewers know. */
export interface WellKnown {
  readonly name: string;
  readonly schema: JsonSchema;
}

function wellKnown(name: string, properties: Readonly<Record<string, JsonSchema>>): WellKnown {
  return { name, schema: object(name, properties) };
}

export const SCENE_UPDATE: WellKnown = wellKnown("foxglove.SceneUpdate", {
  deletions: list(DELETION),
  entities: list(ENTITY),
});
export const FRAME_TRANSFORMS: WellKnown = wellKnown("foxglove.FrameTransforms", { transforms: list(TRANSFORM) });
export const POSE_IN_FRAME: WellKnown = wellKnown("foxglove.PoseInFrame", {
  timestamp: TIME,
  frame_id: TEXT,
  pose: POSE,
});
export const POSES_IN_FRAME: WellKnown = wellKnown("foxglove.PosesInFrame", {
  timestamp: TIME,
  frame_id: TEXT,
  poses: list(POSE),
});
export const LASER_SCAN: WellKnown = wellKnown("foxglove.LaserScan", {
  timestamp: TIME,
  frame_id: TEXT,
  pose: POSE,
  start_angle: NUMBER,
  end_angle: NUMBER,
  ranges: list(NUMBER),
  intensities: list(NUMBER),
});
export const LOCATION_FIX: WellKnown = wellKnown("foxglove.LocationFix", {
  timestamp: TIME,
  frame_id: TEXT,
  latitude: NUMBER,
  longitude: NUMBER,
  altitude: NUMBER,
  position_covariance: list(NUMBER),
  position_covariance_type: WHOLE,
});
export const LOG: WellKnown = wellKnown("foxglove.Log", {
  timestamp: TIME,
  level: WHOLE,
  message: TEXT,
  name: TEXT,
  file: TEXT,
  line: WHOLE,
});
