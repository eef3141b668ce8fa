import { ByteCursor } from "../../bytes/cursor.ts";
import { readVarInt } from "../../formats/hcrp/layout/framing.ts";
import { readEventId, readTickHead } from "../../formats/hcrp/layout/chunk.ts";
import { FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";

/** Adds up the events of a chunk's inflated bytes by their type. The bytes are the recorder's own, and sound. */
export function countEvents(raw: Uint8Array, hasSnapshot: boolean, counts: Map<number, number>): void {
  const cursor = new ByteCursor(raw);
  if (hasSnapshot) cursor.skip(readVarInt(cursor));
  while (cursor.remaining > 0) {
    const { count } = readTickHead(cursor);
    for (let i = 0; i < count; i++) {
      const type = readEventId(cursor);
      if (type < FIRST_SIZED) skipEvent(cursor, type);
      else cursor.skip(readVarInt(cursor));
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
  }
}
