import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Time } from "../../../model/values/time.ts";
import { ENTRY_SNAPSHOT, readVarInt, TICK } from "../layout/framing.ts";
import { readPalettes, readSections, SECTION } from "../layout/chunk.ts";
import { FIRST_SIZED, skipEvent } from "../layout/events.ts";
import type { Epoch } from "../layout/metadata.ts";
import { type ProductionVersion, skipProductionEvent } from "../layout/production.ts";
import { MOST_TICKS } from "./times.ts";

/** Throws `RangeError` for a time that is no tick. */
export function tickOf(time: Time): number {
  const tick = Math.round(time / TICK);
  if (tick >= 0 && tick <= MOST_TICKS) return tick;
  throw new RangeError(`time ${time} is not in 0 to ${MOST_TICKS * TICK}: HCRP counts ticks of 50 ms from 0`);
}

/** Throws `RangeError` for a snapshot whose palettes cannot be read, or that the dialect has no room for. */
export function checkSnapshot(payload: Uint8Array, mustBeEmpty: boolean): void {
  if (mustBeEmpty) {
    if (payload.length > 0) throw new RangeError("a snapshot of the production dialect is the events of its tick");
    return;
  }
  try {
    palettesIn(payload);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    throw new RangeError(`no payload of snapshot: ${error.message}`);
  }
}

/**
 * Throws `RangeError` for a payload that would make what is behind it unreadable. `type` is that of a core event; null:
 * the payload brings type and length along.
 */
export function checkPayload(
  type: number | null,
  version: 1 | ProductionVersion,
  payload: Uint8Array,
  name: string,
): void {
  const cursor = new ByteCursor(payload);
  try {
    if (type === null) {
      if (readVarInt(cursor) < FIRST_SIZED) throw new LayoutError("malformed", "a type below 32", 0);
      cursor.skip(readVarInt(cursor));
    } else if (version === 1) skipEvent(cursor, type);
    else skipProductionEvent(cursor, type, version);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    throw new RangeError(`no payload of ${name}: ${error.message}`);
  }
  if (cursor.remaining === 0) return;
  throw new RangeError(`${cursor.remaining} bytes too many in a payload of ${name}`);
}

/** The palettes that a snapshot begins with, by kind. */
export function palettesIn(snapshot: Uint8Array): readonly (readonly Uint8Array[])[] {
  let found: Uint8Array[][] = [];
  for (const { type, body } of readSections(new ByteCursor(snapshot))) {
    if (type === SECTION.palettes) found = readPalettes(new ByteCursor(body));
  }
  return found;
}

/** No message: nothing in it, and no snapshot. */
export function isEmpty(entry: { readonly uncompressedLength: number; readonly flags: number }): boolean {
  return entry.uncompressedLength === 0 && (entry.flags & ENTRY_SNAPSHOT) === 0;
}

export function isSameEpoch(a: Omit<Epoch, "chunk">, b: Omit<Epoch, "chunk">): boolean {
  return (
    a.dataVersion === b.dataVersion &&
    a.protocol === b.protocol &&
    a.schema === b.schema &&
    a.schemaVersion === b.schemaVersion &&
    a.server === b.server &&
    a.started === b.started
  );
}
