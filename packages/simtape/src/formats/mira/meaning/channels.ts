/**
 * What the messages of a tape decode to, by channel. The names of channels are the robot's own, so that only `Named` can
 * say what they hold: `createMira<{ "/robot/Odometry": Odometry2 }>()`. A payload of any channel may be unreadable.
 */
export type MiraChannels<Named extends object = object> = {
  readonly [Name in keyof Named]: Named[Name] | UnreadPayload | CompressedPayload;
};

/** A payload whose type is not known, or that does not have the layout of its type. */
export type UnreadPayload = {
  /** As the tape spells it; "unknown" where it was lost. */
  readonly type: string;
  /** Lower-case digits, two for each byte. */
  readonly hex: string;
};

/** Data that nothing known decompresses. */
export type CompressedPayload = {
  readonly compressed: true;
  /** Bytes. */
  readonly uncompressedSize: number;
  /** As stored. */
  readonly bytes: Uint8Array;
};

/**
 * What a payload decodes to, by its type as `channel.schema.name` has it, without spaces and the namespaces `std` and
 * `mira`: the types that are known without a schema of yours (semantics §5). A `vector<T>` is a list, a typed array where
 * T is a number of at most 32 bits or a double; a `map<K, V>` is a list of pairs.
 */
export interface MiraTypes extends Record<SmallNumber, number>, Record<LongNumber, number | bigint> {
  readonly bool: boolean;
  readonly string: string;
  readonly Point2i: Point2;
  readonly Point2f: Point2;
  readonly Point2d: Point2;
  readonly Point3i: Point3;
  readonly Point3f: Point3;
  readonly Point3d: Point3;
  readonly Pose2: Pose2;
  readonly Pose2f: Pose2;
  readonly Pose2d: Pose2;
  readonly RigidTransform2f: Pose2;
  readonly RigidTransform2d: Pose2;
  readonly Velocity2: Pose2;
  readonly "robot::Velocity2": Pose2;
  readonly Pose3: Pose3;
  readonly Pose3f: Pose3;
  readonly Pose3d: Pose3<Float64Array>;
  readonly RigidTransform3f: Pose3;
  readonly RigidTransform3d: Pose3<Float64Array>;
  readonly Velocity3: Pose3;
  readonly "robot::Velocity3": Pose3;
  readonly "robot::Odometry2": Odometry2;
  readonly "robot::RangeScanInfo": RangeScanInfo;
  readonly "robot::RangeScan": RangeScan;
}

type SmallNumber =
  | ("char" | "signedchar" | "int8" | "int8_t" | "unsignedchar" | "uint8" | "uint8_t")
  | ("short" | "int16" | "int16_t" | "unsignedshort" | "uint16" | "uint16_t")
  | ("int" | "int32" | "int32_t" | "unsigned" | "unsignedint" | "uint32" | "uint32_t")
  | ("float" | "double");

/** Beyond 2^53 they are `bigint`. The units of times and durations are not established. */
type LongNumber =
  | ("long" | "longlong" | "int64" | "int64_t" | "unsignedlong" | "unsignedlonglong" | "uint64" | "uint64_t" | "size_t")
  | ("Time" | "Duration");

/** Units are those of the channel. */
export interface Point2 {
  readonly x: number;
  readonly y: number;
}

/** Units are those of the channel. */
export interface Point3 extends Point2 {
  readonly z: number;
}

/** A place on the floor, or a velocity: x and y in m or m/s; `phi` in radians or radians per second (unverified). */
export interface Pose2 extends Point2 {
  readonly phi: number;
}

/** A place in space, or a velocity, with one of two kinds of rotation: which MIRA writes is not established. */
export type Pose3<Numbers extends Float32Array | Float64Array = Float32Array> =
  | QuaternionPose<Numbers>
  | (Point3 & { readonly yaw: number; readonly pitch: number; readonly roll: number });

/** The order of the four is unverified: they are as stored. */
export interface QuaternionPose<Numbers extends Float32Array | Float64Array = Float32Array> extends Point3 {
  readonly quaternion: Numbers;
}

/** Where a robot believes to be, and how it moves; the order of the two is unverified. */
export interface Odometry2 {
  readonly pose: Pose2;
  readonly velocity: Pose2;
}

/** What a range sensor is; angles are degrees (inferred). */
export interface RangeScanInfo {
  readonly startAngle: number;
  /** From one ray to the next. */
  readonly deltaAngle: number;
  readonly coneAngle: number;
  /** m. */
  readonly aperture: number;
  /** m. */
  readonly stdError: number;
  /** m. */
  readonly minimumRange: number;
  /** m. */
  readonly maximumRange: number;
  /** From class version 2 on; the unit is unverified. */
  readonly scanTime?: number | bigint;
}

/** What a range sensor saw: one cell for each ray. */
export interface RangeScan extends RangeScanInfo {
  /** m. */
  readonly range: Float32Array;
  /** 0 valid, 1 below the minimum, 2 above the maximum, 3 invalid, 4 masked; from 1000 on the device's own. */
  readonly valid: Uint16Array;
  readonly certainty: Float32Array;
  readonly reflectance: Float32Array;
}
