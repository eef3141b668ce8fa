import { ByteCursor } from "../../bytes/cursor.ts";
import { readVarInt, TICK } from "../../formats/hcrp/layout/framing.ts";
import { readEventId, readTickHead } from "../../formats/hcrp/layout/chunk.ts";
import { EVENT, EVENT_NAMES, FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";
import type { Existing } from "./existing.ts";

/*
 * Ids of things are never used again (HCRP spec §4), not even those that were given out behind the last commit: its
 * metadata do not know them, but its chunks do.
 */

/** The id behind all that the spawns of a chunk have; 1 for none. The bytes are inflated, and sound. */
export function nextEntityIn(raw: Uint8Array, hasSnapshot: boolean): number {
  const cursor = new ByteCursor(raw);
  let next = 1;
  if (hasSnapshot) cursor.skip(readVarInt(cursor));
  while (cursor.remaining > 0) {
    const { count } = readTickHead(cursor);
    for (let i = 0; i < count; i++) {
      const type = readEventId(cursor);
      const at = cursor.offset;
      if (type < FIRST_SIZED) skipEvent(cursor, type);
      else cursor.skip(readVarInt(cursor));
      if (type === EVENT.spawn) next = Math.max(next, readVarInt(new ByteCursor(raw.subarray(at))) + 1);
    }
  }
  return next;
}

/** The same for what a recording has behind its last commit, or all of it when its metadata are not to be trusted. */
export async function nextEntityBehind({ reader, findings }: Existing): Promise<number> {
  const isSound = findings.every(({ severity }) => severity === "note" || severity === "warning");
  const start = isSound ? reader.preamble.head.tickCount * TICK : 0;
  const channels = reader.channels.filter(({ name }) => name === EVENT_NAMES[EVENT.spawn]);
  let next = 1;
  for await (const batch of reader.batches({ channels, start })) {
    for (let i = 0; i < batch.length; i++) next = Math.max(next, readVarInt(new ByteCursor(batch.payload(i))) + 1);
  }
  return next;
}
