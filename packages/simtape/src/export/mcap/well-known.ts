import { ByteBuilder } from "../../bytes/builder.ts";
import { writeMessageField, writeStringField, writeVarintField } from "../../codec/protobuf.ts";

/*
 * Foxglove's well-known schemas as protobuf, which Foxglove, Lichtblick and Rerun all read (rerun.io, "Supported Message
 * Formats": of Foxglove's only protobuf). Names, numbers and types of fields are those of docs.foxglove.dev, "Schemas".
 */

/** Of a field: its number and its type; `[]` after it: repeated. A type with a capital is a message, or an enum of `ENUMS`. */
type Fields = Readonly<Record<string, readonly [number: number, type: string]>>;

const POSE_AND_COLOR: Fields = { pose: [1, "Pose"], size: [2, "Vector3"], color: [3, "Color"] };

const MESSAGES: Readonly<Record<string, Fields>> = {
  Vector3: { x: [1, "double"], y: [2, "double"], z: [3, "double"] },
  Quaternion: { x: [1, "double"], y: [2, "double"], z: [3, "double"], w: [4, "double"] },
  Pose: { position: [1, "Vector3"], orientation: [2, "Quaternion"] },
  Color: { r: [1, "double"], g: [2, "double"], b: [3, "double"], a: [4, "double"] },
  KeyValuePair: { key: [1, "string"], value: [2, "string"] },
  FrameTransform: {
    timestamp: [1, "Timestamp"],
    parent_frame_id: [2, "string"],
    child_frame_id: [3, "string"],
    translation: [4, "Vector3"],
    rotation: [5, "Quaternion"],
  },
  FrameTransforms: { transforms: [1, "FrameTransform[]"] },
  PoseInFrame: { timestamp: [1, "Timestamp"], frame_id: [2, "string"], pose: [3, "Pose"] },
  PosesInFrame: { timestamp: [1, "Timestamp"], frame_id: [2, "string"], poses: [3, "Pose[]"] },
  LaserScan: {
    timestamp: [1, "Timestamp"],
    frame_id: [2, "string"],
    pose: [3, "Pose"],
    start_angle: [4, "double"],
    end_angle: [5, "double"],
    ranges: [6, "double[]"],
    intensities: [7, "double[]"],
  },
  LocationFix: {
    latitude: [1, "double"],
    longitude: [2, "double"],
    altitude: [3, "double"],
    position_covariance: [4, "double[]"],
    position_covariance_type: [5, "PositionCovarianceType"],
    timestamp: [6, "Timestamp"],
    frame_id: [7, "string"],
  },
  Log: {
    timestamp: [1, "Timestamp"],
    level: [2, "Level"],
    message: [3, "string"],
    name: [4, "string"],
    file: [5, "string"],
    line: [6, "fixed32"],
  },
  PackedElementField: { name: [1, "string"], offset: [2, "fixed32"], type: [3, "NumericType"] },
  PointCloud: {
    timestamp: [1, "Timestamp"],
    frame_id: [2, "string"],
    pose: [3, "Pose"],
    point_stride: [4, "fixed32"],
    fields: [5, "PackedElementField[]"],
    data: [6, "bytes"],
  },
  ArrowPrimitive: {
    pose: [1, "Pose"],
    shaft_length: [2, "double"],
    shaft_diameter: [3, "double"],
    head_length: [4, "double"],
    head_diameter: [5, "double"],
    color: [6, "Color"],
  },
  CubePrimitive: POSE_AND_COLOR,
  SpherePrimitive: POSE_AND_COLOR,
  TextPrimitive: {
    pose: [1, "Pose"],
    billboard: [2, "bool"],
    font_size: [3, "double"],
    scale_invariant: [4, "bool"],
    color: [5, "Color"],
    text: [6, "string"],
  },
  // never written: viewers look for the lists
  CylinderPrimitive: {},
  LinePrimitive: {},
  TriangleListPrimitive: {},
  ModelPrimitive: {},
  SceneEntity: {
    timestamp: [1, "Timestamp"],
    frame_id: [2, "string"],
    id: [3, "string"],
    lifetime: [4, "Duration"],
    frame_locked: [5, "bool"],
    metadata: [6, "KeyValuePair[]"],
    arrows: [7, "ArrowPrimitive[]"],
    cubes: [8, "CubePrimitive[]"],
    spheres: [9, "SpherePrimitive[]"],
    cylinders: [10, "CylinderPrimitive[]"],
    lines: [11, "LinePrimitive[]"],
    triangles: [12, "TriangleListPrimitive[]"],
    texts: [13, "TextPrimitive[]"],
    models: [14, "ModelPrimitive[]"],
  },
  SceneEntityDeletion: { timestamp: [1, "Timestamp"], type: [2, "Type"], id: [3, "string"] },
  SceneUpdate: { deletions: [1, "SceneEntityDeletion[]"], entities: [2, "SceneEntity[]"] },
};

/** Within a message, by its name: the values from 0 on. */
const ENUMS: Readonly<Record<string, readonly [name: string, values: readonly string[]]>> = {
  LocationFix: ["PositionCovarianceType", ["UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"]],
  Log: ["Level", ["UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"]],
  PackedElementField: [
    "NumericType",
    ["UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"],
  ],
  SceneEntityDeletion: ["Type", ["MATCHING_ID", "ALL"]],
};

/** Messages of Google that are used: file, and fields. */
const GOOGLE: Readonly<Record<string, readonly [file: string, fields: Fields]>> = {
  Timestamp: ["google/protobuf/timestamp.proto", { seconds: [1, "int64"], nanos: [2, "int32"] }],
  Duration: ["google/protobuf/duration.proto", { seconds: [1, "int64"], nanos: [2, "int32"] }],
};

/** Numbers of types in descriptors (descriptor.proto, `FieldDescriptorProto.Type`). */
const TYPES: Readonly<Record<string, number>> = {
  double: 1,
  int64: 3,
  int32: 5,
  fixed32: 7,
  bool: 8,
  string: 9,
  message: 11,
  bytes: 12,
  enum: 14,
};
const OPTIONAL = 1;
const REPEATED = 3;

/** A well-known schema, by the name that viewers know. */
export interface WellKnown {
  readonly name: string;
}

function wellKnown(name: string): WellKnown {
  return { name: `foxglove.${name}` };
}

export const SCENE_UPDATE: WellKnown = wellKnown("SceneUpdate");
export const FRAME_TRANSFORMS: WellKnown = wellKnown("FrameTransforms");
export const POSE_IN_FRAME: WellKnown = wellKnown("PoseInFrame");
export const POSES_IN_FRAME: WellKnown = wellKnown("PosesInFrame");
export const POINT_CLOUD: WellKnown = wellKnown("PointCloud");
export const LASER_SCAN: WellKnown = wellKnown("LaserScan");
export const LOCATION_FIX: WellKnown = wellKnown("LocationFix");
export const LOG: WellKnown = wellKnown("Log");

/** The data of a schema record: a `FileDescriptorSet` (descriptor.proto) with all that the message consists of. */
export function descriptorsOf({ name }: WellKnown): Uint8Array {
  const own = new Set<string>();
  const google = new Set<string>();
  reach(name.replace("foxglove.", ""), own, google);
  const set = new ByteBuilder();
  for (const each of google) {
    const [file, fields] = GOOGLE[each]!;
    writeFile(set, file, "google.protobuf", [], (inside) => writeMessage(inside, each, fields));
  }
  const files = [...google].map((each) => GOOGLE[each]![0]);
  writeFile(set, `${name.replace(".", "/")}.proto`, "foxglove", files, (inside) => {
    for (const each of own) writeMessage(inside, each, MESSAGES[each]!);
  });
  return set.take();
}

/** Everything that a message refers to, what is referred to first. */
function reach(name: string, own: Set<string>, google: Set<string>): void {
  if (own.has(name)) return;
  for (const [, type] of Object.values(MESSAGES[name]!)) {
    const item = type.replace("[]", "");
    if (item in GOOGLE) google.add(item);
    else if (item in MESSAGES) reach(item, own, google);
  }
  own.add(name);
}

/** `FileDescriptorProto`. */
function writeFile(
  set: ByteBuilder,
  name: string,
  of: string,
  uses: readonly string[],
  messages: (file: ByteBuilder) => void,
): void {
  writeMessageField(set, 1, (file) => {
    writeStringField(file, 1, name);
    writeStringField(file, 2, of);
    for (const each of uses) writeStringField(file, 3, each);
    messages(file);
    writeStringField(file, 12, "proto3");
  });
}

/** `DescriptorProto`. */
function writeMessage(file: ByteBuilder, name: string, fields: Fields): void {
  writeMessageField(file, 4, (message) => {
    writeStringField(message, 1, name);
    for (const [field, [number, type]] of Object.entries(fields)) {
      writeMessageField(message, 2, (inside) => writeField(inside, name, field, number, type));
    }
    const own = ENUMS[name];
    if (own === undefined) return;
    writeMessageField(message, 4, (inside) => {
      writeStringField(inside, 1, own[0]);
      for (const [value, called] of own[1].entries()) {
        writeMessageField(inside, 2, (each) => {
          writeStringField(each, 1, called);
          writeVarintField(each, 2, value);
        });
      }
    });
  });
}

/** `FieldDescriptorProto`. */
function writeField(field: ByteBuilder, message: string, name: string, number: number, type: string): void {
  const item = type.replace("[]", "");
  const isEnum = ENUMS[message]?.[0] === item;
  writeStringField(field, 1, name);
  writeVarintField(field, 3, number);
  writeVarintField(field, 4, item === type ? OPTIONAL : REPEATED);
  writeVarintField(field, 5, TYPES[item] ?? TYPES[isEnum ? "enum" : "message"]!);
  if (item in TYPES) return;
  const path = isEnum ? `foxglove.${message}.${item}` : `${item in GOOGLE ? "google.protobuf" : "foxglove"}.${item}`;
  writeStringField(field, 6, `.${path}`);
}
