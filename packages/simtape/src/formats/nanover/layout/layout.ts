import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/values/value.ts";

/** Recorded times are microseconds in every container (spec §1, §4). */
export const MICROSECOND = 1000;

/** Key of a frame's index in a decoded frame: in v2 a field of its own, in a zip one key of many (spec §3.3). */
export const FRAME_INDEX = "frame.index";
export const PARTICLE_COUNT = "particle.count";
export const SIMULATION_NAME = "system.simulation.name";
/** Seconds of the server's monotonic clock, arbitrary origin (spec §3.3). */
export const SERVER_TIMESTAMP = "server.timestamp";

/** Channels that every recording has, by id; others of a zip follow. */
export const FRAME = 0;
export const STATE = 1;
export const CHANNEL_NAMES: readonly string[] = ["frame", "state"];

/** A frame, or what changed in it: keys of values and arrays share one name space (spec §3.1). */
export type Frame = { readonly [key: string]: Value };
export type MutableFrame = { [key: string]: Value };

/** A change of the shared state (spec §3.2). Updates apply first, then removals. */
export interface StateUpdate {
  readonly updates: { readonly [key: string]: Value };
  readonly removals: readonly string[];
}

/** An object that takes any key, `__proto__` too. */
export function emptyMap(): { [key: string]: Value } {
  return Object.create(null) as { [key: string]: Value };
}

/** Keys whose value is a whole number (spec §4.2). */
export const COUNTS: ReadonlySet<string> = new Set([FRAME_INDEX, PARTICLE_COUNT, "residue.count", "chain.count"]);

/** How the array of a well-known key lies in a zip's `bin`: little-endian items, in groups of `group` (spec §4.2). */
export interface Packing {
  readonly item: "f32" | "u32" | "u8";
  readonly group: number;
}

const VECTORS: Packing = { item: "f32", group: 3 };
const INDICES: Packing = { item: "u32", group: 1 };
const BYTES: Packing = { item: "u8", group: 1 };

/** Spec §4.2. */
export const PACKINGS: ReadonlyMap<string, Packing> = new Map<string, Packing>([
  ["particle.positions", VECTORS],
  ["particle.velocities", VECTORS],
  ["particle.forces", VECTORS],
  ["particle.forces.system", VECTORS],
  ["system.box.vectors", VECTORS],
  ["forces.user.sparse", VECTORS],
  ["particle.elements", BYTES],
  ["bond.orders", BYTES],
  ["particle.colors", { item: "u8", group: 4 }],
  ["particle.residues", INDICES],
  ["residue.chains", INDICES],
  ["forces.user.index", INDICES],
  ["bond.pairs", { item: "u32", group: 2 }],
]);

const LITTLE_ENDIAN: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Little-endian float32 items as an array of their own: payloads are not aligned. The length is a multiple of 4. */
export function floatsOf(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const floats = new Float32Array(bytes.length >>> 2);
  if (LITTLE_ENDIAN) new Uint8Array(floats.buffer).set(bytes);
  else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < floats.length; i++) floats[i] = view.getFloat32(i * 4, true);
  }
  return floats;
}

/** As `floatsOf`, for uint32 items. */
export function indicesOf(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const indices = new Uint32Array(bytes.length >>> 2);
  if (LITTLE_ENDIAN) new Uint8Array(indices.buffer).set(bytes);
  else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < indices.length; i++) indices[i] = view.getUint32(i * 4, true);
  }
  return indices;
}

/** The other way: the items of an array as little-endian bytes. */
export function bytesOf(items: Float32Array | Uint32Array): Uint8Array {
  if (LITTLE_ENDIAN) return new Uint8Array(items.buffer, items.byteOffset, items.byteLength);
  const bytes = new Uint8Array(items.byteLength);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < items.length; i++) {
    if (items instanceof Float32Array) view.setFloat32(i * 4, items[i]!, true);
    else view.setUint32(i * 4, items[i]!, true);
  }
  return bytes;
}

/** Unpacks a `bin` of a zip; `offset` is for the error. Throws `LayoutError` when the length does not fit the groups. */
export function unpack(bytes: Uint8Array, packing: Packing, key: string, offset: number): Value {
  const { item, group } = packing;
  const size = group * (item === "u8" ? 1 : 4);
  if (bytes.length % size !== 0) {
    throw new LayoutError("malformed", `${key} is ${bytes.length} bytes, not a multiple of ${size}`, offset);
  }
  if (item === "f32") return floatsOf(bytes);
  return item === "u32" ? indicesOf(bytes) : bytes;
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
