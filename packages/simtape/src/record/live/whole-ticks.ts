import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { readVarInt } from "../../formats/hcrp/layout/framing.ts";
import { readEventId, readTickHead } from "../../formats/hcrp/layout/chunk.ts";
import { FIRST_SIZED, skipEvent } from "../../formats/hcrp/layout/events.ts";

/**
 * The beginning of a chunk that holds its first `tickCount` ticks and nothing behind them; `raw` is inflated. Null: what
 * is there cannot be read, and none of it is taken.
 */
export function wholeTicks(raw: Uint8Array, hasSnapshot: boolean, tickCount: number): Uint8Array | null {
  const cursor = new ByteCursor(raw);
  try {
    if (hasSnapshot) cursor.skip(readVarInt(cursor));
    while (cursor.remaining > 0) {
      const at = cursor.offset;
      const { tick, count } = readTickHead(cursor);
      if (tick >= tickCount) return raw.subarray(0, at);
      for (let i = 0; i < count; i++) {
        const type = readEventId(cursor);
        if (type < FIRST_SIZED) skipEvent(cursor, type);
        else cursor.skip(readVarInt(cursor));
      }
    }
    return raw;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}
