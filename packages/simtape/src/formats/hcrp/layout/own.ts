import type { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";

import { readSized, readVarInt, writeVarInt } from "./framing.ts";

/** Host events in which recordings of other formats go through HCRP: changes of values, and of sets (`patch.ts`). */
export const VALUE_EVENT = "simtape:value";
export const SET_EVENT = "simtape:set";
/** Host event with a piece of a file that was converted (`originals.ts`). */
export const ORIGINAL_EVENT = "simtape:original";
/** Namespace of the host section of a snapshot that holds all values and sets. */
export const STATE_NAMESPACE = "simtape:state";
/** Entity types of things that are carried as sets begin so: `simtape:vehicles/vehicle.tesla.model3`. */
export const MIRROR_PREFIX = "simtape:";

/** Code of the finding that such an event is in a file. */
export const PRIVATE_EVENT = "private-event";

/**
 * Type of the extension event that sets what a snapshot and the core events cannot: displacements on their way, block
 * chains. It stands behind the snapshot of a cut, in memory only: what is written says the same without it
 * (`settle.ts`). Recordings of before have it. The body begins with `RESUME_NAME`, so that another use of the
 * number is not taken for it.
 */
export const RESUME_EVENT = 63;
/** "simtape" and the layout's version. */
const RESUME_NAME = Uint8Array.of(0x73, 0x69, 0x6d, 0x74, 0x61, 0x70, 0x65, 1);

/** A payload of the channel `extension`: type, length, body. */
export function writeResume(builder: ByteBuilder, patch: Uint8Array): void {
  writeVarInt(builder, RESUME_EVENT);
  writeVarInt(builder, RESUME_NAME.length + patch.length);
  builder.raw(RESUME_NAME).raw(patch);
}

/** Moves behind the type and gives the patch; null when the event is another one. */
export function readResume(cursor: ByteCursor, type: number): Uint8Array | null {
  if (type !== RESUME_EVENT) return null;
  const body = readSized(cursor);
  if (body.length < RESUME_NAME.length || RESUME_NAME.some((byte, i) => byte !== body[i])) return null;
  return body.subarray(RESUME_NAME.length);
}

/** Whether a sized event, with type and length, is the one of cuts. */
export function isResume(event: Uint8Array): boolean {
  const cursor = new ByteCursor(event);
  return readResume(cursor, readVarInt(cursor)) !== null;
}
