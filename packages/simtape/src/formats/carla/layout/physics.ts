import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type Dialect, readVector, type Vector, writeVector } from "./layout.ts";

/** Of a curve: where, and how much. */
export type Point = readonly [number, number];

/** A wheel of physics control in UE4 (spec §4.15). */
export interface PhysicsWheel {
  readonly tireFriction: number;
  readonly dampingRate: number;
  /** Degrees. */
  readonly maxSteerAngle: number;
  /** cm. */
  readonly radius: number;
  /** N·m. */
  readonly maxBrakeTorque: number;
  /** N·m. */
  readonly maxHandbrakeTorque: number;
  /** From 0.9.12 on: lateral load, lateral value, longitudinal value. Null in the 36-byte record. */
  readonly stiffness: Vector | null;
  /** cm, world, at that moment. */
  readonly position: Vector;
}

/** A gear forward, in UE4 (spec §4.15). */
export interface Gear {
  readonly ratio: number;
  readonly downRatio: number;
  readonly upRatio: number;
}

/** Physics control in UE4 (spec §4.15). */
export interface PhysicsControl {
  readonly id: number;
  readonly maxRpm: number;
  /** kg·m². */
  readonly moi: number;
  readonly dampingRateFullThrottle: number;
  readonly dampingRateZeroThrottleClutchEngaged: number;
  readonly dampingRateZeroThrottleClutchDisengaged: number;
  readonly useGearAutobox: boolean;
  readonly clutchStrength: number;
  readonly finalRatio: number;
  /** kg. */
  readonly mass: number;
  readonly dragCoefficient: number;
  /** Metres, in the actor's frame. */
  readonly centerOfMass: Vector;
  /** rpm, torque. */
  readonly torqueCurve: readonly Point[];
  readonly forwardGears: readonly Gear[];
  /** km/h, factor. */
  readonly steeringCurve: readonly Point[];
  readonly wheels: readonly PhysicsWheel[];
}

export function readPhysicsControl(cursor: ByteCursor, wheel: 36 | 48): PhysicsControl {
  return {
    id: cursor.u32le(),
    maxRpm: cursor.f32le(),
    moi: cursor.f32le(),
    dampingRateFullThrottle: cursor.f32le(),
    dampingRateZeroThrottleClutchEngaged: cursor.f32le(),
    dampingRateZeroThrottleClutchDisengaged: cursor.f32le(),
    useGearAutobox: cursor.u8() !== 0,
    clutchStrength: cursor.f32le(),
    finalRatio: cursor.f32le(),
    mass: cursor.f32le(),
    dragCoefficient: cursor.f32le(),
    centerOfMass: readVector(cursor, 4),
    torqueCurve: readList(cursor, 8, readPoint),
    forwardGears: readList(cursor, 12, readGear),
    steeringCurve: readList(cursor, 8, readPoint),
    wheels: readList(cursor, wheel, wheel === 36 ? readShortWheel : readLongWheel),
  };
}

export function writePhysicsControl(builder: ByteBuilder, control: PhysicsControl): void {
  builder.u32le(control.id).f32le(control.maxRpm).f32le(control.moi);
  builder.f32le(control.dampingRateFullThrottle).f32le(control.dampingRateZeroThrottleClutchEngaged);
  builder.f32le(control.dampingRateZeroThrottleClutchDisengaged).u8(control.useGearAutobox ? 1 : 0);
  builder.f32le(control.clutchStrength).f32le(control.finalRatio).f32le(control.mass).f32le(control.dragCoefficient);
  writeVector(builder, control.centerOfMass, 4);
  builder.u32le(control.torqueCurve.length);
  for (const point of control.torqueCurve) builder.f32le(point[0]).f32le(point[1]);
  builder.u32le(control.forwardGears.length);
  for (const gear of control.forwardGears) builder.f32le(gear.ratio).f32le(gear.downRatio).f32le(gear.upRatio);
  builder.u32le(control.steeringCurve.length);
  for (const point of control.steeringCurve) builder.f32le(point[0]).f32le(point[1]);
  builder.u32le(control.wheels.length);
  for (const wheel of control.wheels) writePhysicsWheel(builder, wheel);
}

function writePhysicsWheel(builder: ByteBuilder, wheel: PhysicsWheel): void {
  builder.f32le(wheel.tireFriction).f32le(wheel.dampingRate).f32le(wheel.maxSteerAngle).f32le(wheel.radius);
  builder.f32le(wheel.maxBrakeTorque).f32le(wheel.maxHandbrakeTorque);
  if (wheel.stiffness !== null) writeVector(builder, wheel.stiffness, 4);
  writeVector(builder, wheel.position, 4);
}

function readShortWheel(cursor: ByteCursor): PhysicsWheel {
  return readWheel(cursor, false);
}

function readLongWheel(cursor: ByteCursor): PhysicsWheel {
  return readWheel(cursor, true);
}

function readWheel(cursor: ByteCursor, hasStiffness: boolean): PhysicsWheel {
  return {
    tireFriction: cursor.f32le(),
    dampingRate: cursor.f32le(),
    maxSteerAngle: cursor.f32le(),
    radius: cursor.f32le(),
    maxBrakeTorque: cursor.f32le(),
    maxHandbrakeTorque: cursor.f32le(),
    stiffness: hasStiffness ? readVector(cursor, 4) : null,
    position: readVector(cursor, 4),
  };
}

function readPoint(cursor: ByteCursor): Point {
  return [cursor.f32le(), cursor.f32le()];
}

function readGear(cursor: ByteCursor): Gear {
  return { ratio: cursor.f32le(), downRatio: cursor.f32le(), upRatio: cursor.f32le() };
}

/**
 * Physics control in UE5, 0.10.0 (spec §5; sizes proven with a compiler, not on real files). Units are not established.
 */
export interface PhysicsControlUe5 {
  readonly id: number;
  readonly maxTorque: number;
  readonly maxRpm: number;
  readonly idleRpm: number;
  readonly brakeEffect: number;
  readonly revUpMoi: number;
  readonly revDownRate: number;
  readonly differentialType: number;
  readonly frontRearSplit: number;
  readonly useAutomaticGears: boolean;
  readonly gearChangeTime: number;
  readonly finalRatio: number;
  readonly changeUpRpm: number;
  readonly changeDownRpm: number;
  readonly transmissionEfficiency: number;
  readonly mass: number;
  readonly dragCoefficient: number;
  readonly centerOfMass: Vector;
  readonly chassisWidth: number;
  readonly chassisHeight: number;
  readonly downforceCoefficient: number;
  readonly dragArea: number;
  readonly inertiaTensorScale: Vector;
  readonly sleepThreshold: number;
  readonly sleepSlopeLimit: number;
  readonly useSweepWheelCollision: boolean;
  readonly torqueCurve: readonly Point[];
  readonly forwardGearRatios: readonly number[];
  readonly reverseGearRatios: readonly number[];
  readonly steeringCurve: readonly Point[];
  readonly wheels: readonly PhysicsWheelUe5[];
}

/** A raw C++ object with padding and pointers inside: kept as it is, the fields read from it (spec §5). */
export interface PhysicsWheelUe5 {
  readonly bytes: Uint8Array;
  readonly axleType: number;
  readonly offset: Vector;
  readonly wheelRadius: number;
  readonly wheelWidth: number;
  readonly wheelMass: number;
  readonly maxSteerAngle: number;
  readonly maxBrakeTorque: number;
  readonly maxHandBrakeTorque: number;
  readonly wheelIndex: number;
  readonly location: Vector;
  readonly velocity: Vector;
}

export function readPhysicsControlUe5(cursor: ByteCursor): PhysicsControlUe5 {
  return {
    id: cursor.u32le(),
    maxTorque: cursor.f32le(),
    maxRpm: cursor.f32le(),
    idleRpm: cursor.f32le(),
    brakeEffect: cursor.f32le(),
    revUpMoi: cursor.f32le(),
    revDownRate: cursor.f32le(),
    differentialType: cursor.u8(),
    frontRearSplit: cursor.f32le(),
    useAutomaticGears: cursor.u8() !== 0,
    gearChangeTime: cursor.f32le(),
    finalRatio: cursor.f32le(),
    changeUpRpm: cursor.f32le(),
    changeDownRpm: cursor.f32le(),
    transmissionEfficiency: cursor.f32le(),
    mass: cursor.f32le(),
    dragCoefficient: cursor.f32le(),
    centerOfMass: readVector(cursor, 4),
    chassisWidth: cursor.f32le(),
    chassisHeight: cursor.f32le(),
    downforceCoefficient: cursor.f32le(),
    dragArea: cursor.f32le(),
    inertiaTensorScale: readVector(cursor, 4),
    sleepThreshold: cursor.f32le(),
    sleepSlopeLimit: cursor.f32le(),
    useSweepWheelCollision: cursor.u8() !== 0,
    torqueCurve: readList(cursor, 8, readPoint),
    forwardGearRatios: readList(cursor, 4, readNumber),
    reverseGearRatios: readList(cursor, 4, readNumber),
    steeringCurve: readList(cursor, 8, readPoint),
    wheels: readList(cursor, 208, readWheelUe5),
  };
}

export function writePhysicsControlUe5(builder: ByteBuilder, control: PhysicsControlUe5): void {
  builder.u32le(control.id).f32le(control.maxTorque).f32le(control.maxRpm).f32le(control.idleRpm);
  builder.f32le(control.brakeEffect).f32le(control.revUpMoi).f32le(control.revDownRate);
  builder
    .u8(control.differentialType)
    .f32le(control.frontRearSplit)
    .u8(control.useAutomaticGears ? 1 : 0);
  builder.f32le(control.gearChangeTime).f32le(control.finalRatio).f32le(control.changeUpRpm);
  builder.f32le(control.changeDownRpm).f32le(control.transmissionEfficiency).f32le(control.mass);
  builder.f32le(control.dragCoefficient);
  writeVector(builder, control.centerOfMass, 4);
  builder.f32le(control.chassisWidth).f32le(control.chassisHeight).f32le(control.downforceCoefficient);
  builder.f32le(control.dragArea);
  writeVector(builder, control.inertiaTensorScale, 4);
  builder
    .f32le(control.sleepThreshold)
    .f32le(control.sleepSlopeLimit)
    .u8(control.useSweepWheelCollision ? 1 : 0);
  builder.u32le(control.torqueCurve.length);
  for (const point of control.torqueCurve) builder.f32le(point[0]).f32le(point[1]);
  builder.u32le(control.forwardGearRatios.length);
  for (const ratio of control.forwardGearRatios) builder.f32le(ratio);
  builder.u32le(control.reverseGearRatios.length);
  for (const ratio of control.reverseGearRatios) builder.f32le(ratio);
  builder.u32le(control.steeringCurve.length);
  for (const point of control.steeringCurve) builder.f32le(point[0]).f32le(point[1]);
  builder.u32le(control.wheels.length);
  for (const wheel of control.wheels) builder.raw(wheel.bytes);
}

function readNumber(cursor: ByteCursor): number {
  return cursor.f32le();
}

function readWheelUe5(cursor: ByteCursor): PhysicsWheelUe5 {
  const bytes = cursor.view(208);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = (at: number): Vector => [
    view.getFloat32(at, true),
    view.getFloat32(at + 4, true),
    view.getFloat32(at + 8, true),
  ];
  return {
    bytes,
    axleType: view.getUint8(0),
    offset: vector(4),
    wheelRadius: view.getFloat32(16, true),
    wheelWidth: view.getFloat32(20, true),
    wheelMass: view.getFloat32(24, true),
    maxSteerAngle: view.getFloat32(48, true),
    maxBrakeTorque: view.getFloat32(156, true),
    maxHandBrakeTorque: view.getFloat32(160, true),
    wheelIndex: view.getInt32(164, true),
    location: vector(168),
    velocity: vector(192),
  };
}

/** u32 count, then that many items of `width` bytes; the count is checked against what is left. */
function readList<T>(cursor: ByteCursor, width: number, read: (cursor: ByteCursor) => T): T[] {
  const count = cursor.u32le();
  if (count * width > cursor.remaining) {
    throw new LayoutError(
      "truncated",
      `${count} items need ${count * width} bytes, ${cursor.remaining} are left`,
      cursor.offset,
    );
  }
  const items: T[] = [];
  cursor.claim(count * 256);
  for (let i = 0; i < count; i++) items.push(read(cursor));
  return items;
}

/** Sizes of a wheel's record, by release (spec §4.15, §5). */
type WheelWidth = Exclude<Dialect["wheel"], null>;

/** Wheel widths with which the records of physics control at the cursor can be read, all of `total` to the end. */
export function wheelWidths(make: () => ByteCursor, total: number): readonly WheelWidth[] {
  return ([36, 48, 208] as const).filter((wheel) => {
    const cursor = make();
    try {
      for (let i = 0; i < total; i++) {
        if (wheel === 208) readPhysicsControlUe5(cursor);
        else readPhysicsControl(cursor, wheel);
      }
      return cursor.remaining === 0;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return false;
    }
  });
}
