import { ByteBuilder } from "../../../bytes/builder.ts";
import { MessagePackFloat, type MessagePackValue, writeMessagePack } from "../../../codec/messagepack.ts";
import type { Value } from "../../../model/values/value.ts";
import { reframed } from "./entries.ts";
import {
  COUNTS,
  emptyMap,
  FRAME_INDEX,
  type Frame,
  type MutableFrame,
  PACKINGS,
  type StateUpdate,
} from "../layout/layout.ts";
import { packed, writeMapSize } from "../layout/messagepack.ts";
import { writeFrameData, writeFrameResponse, writeStateUpdate } from "../layout/protobuf.ts";
import { type Container, frameSchema, stateSchema } from "../meaning/schema.ts";

/**
 * A frame of one container as one of another, as NanoVer's own converter has it (spec §4.3): arrays of the well-known
 * keys in the types of spec §4.2, other arrays as lists, counts whole, other numbers float64.
 * `index` is taken where the frame tells none. Throws `LayoutError` when the payload does not decode.
 */
export function transcodeFrame(payload: Uint8Array, from: Container, to: Container, index: number): Uint8Array {
  if (from === to) return payload;
  if (from !== "zip" && to !== "zip") return reframed(payload, from, index);
  const frame = frameSchema(from).decode(payload, null);
  const builder = new ByteBuilder(payload.length + 64);
  if (to === "zip") writeZipFrame(builder, frame, index);
  else {
    const made = protobufFrame(frame, index);
    if (to === "1") writeFrameData(builder, made);
    else writeFrameResponse(builder, made);
  }
  return builder.take();
}

/** A state update of one container as one of another. Throws `LayoutError` when the payload does not decode. */
export function transcodeState(payload: Uint8Array, from: Container, to: Container): Uint8Array {
  if ((from === "zip") === (to === "zip")) return payload;
  const update = stateSchema(from).decode(payload, null);
  const builder = new ByteBuilder(payload.length + 64);
  if (to === "zip") writeZipState(builder, update);
  else writeStateUpdate(builder, update);
  return builder.take();
}

/** The index comes last, as the converter puts it (seen in samples/nanover/nanotube-rust.nanover.zip). */
function writeZipFrame(builder: ByteBuilder, frame: Frame, index: number): void {
  builder.u8(0x81);
  writeMessagePack(builder, "frame");
  const entries = Object.entries(frame).filter(([key]) => key !== FRAME_INDEX);
  writeMapSize(builder, entries.length + 1);
  for (const [key, value] of entries) {
    writeMessagePack(builder, key);
    writeMessagePack(builder, zipValue(key, value));
  }
  writeMessagePack(builder, FRAME_INDEX);
  writeMessagePack(builder, indexOf(frame) ?? index);
}

/** A message with a state update only; all numbers are float64, as XR wants them (semantics §5.4). */
export function writeZipState(builder: ByteBuilder, update: StateUpdate): void {
  builder.u8(0x81);
  writeMessagePack(builder, "state");
  builder.u8(0x82);
  writeMessagePack(builder, "updates");
  const entries = Object.entries(update.updates);
  writeMapSize(builder, entries.length);
  for (const [key, value] of entries) {
    writeMessagePack(builder, key);
    writeMessagePack(builder, floats(value));
  }
  writeMessagePack(builder, "removals");
  writeMessagePack(builder, update.removals);
}

function zipValue(key: string, value: Value): MessagePackValue {
  const isPacked = PACKINGS.has(key);
  if (isPacked && Array.isArray(value) && value.length === 0) return new Uint8Array(0);
  if (isPacked && ArrayBuffer.isView(value)) return packed(key, value);
  if (typeof value === "number" && COUNTS.has(key)) return Math.trunc(value);
  if (value instanceof Uint32Array) return Array.from(value);
  return floats(value);
}

/** All numbers of protobuf's values are doubles, and stay so (seen in the state of samples/nanover/nanotube-rust). */
function floats(value: Value): MessagePackValue {
  if (typeof value === "number") return new MessagePackFloat(value);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value as Iterable<Value>, floats);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, floats(item)]));
}

function protobufFrame(frame: Frame, index: number): Frame {
  const made: MutableFrame = emptyMap();
  for (const key in frame) made[key] = protobufValue(key, frame[key]!);
  made[FRAME_INDEX] = indexOf(frame) ?? index;
  return made;
}

/** Types that `.traj` files have (spec §3.3): orders of bonds are floats there; a FloatArray holds float32 only. */
function protobufValue(key: string, value: Value): Value {
  if (key === "bond.orders" && value instanceof Uint8Array) return Float32Array.from(value);
  if (!(value instanceof Float64Array)) return value;
  const single = Float32Array.from(value);
  return single.every((item, i) => Object.is(item, value[i])) ? single : Array.from(value);
}

/** The field is a uint32. */
function indexOf(frame: Frame): number | null {
  const index = frame[FRAME_INDEX];
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index <= 0xffff_ffff ? index : null;
}
