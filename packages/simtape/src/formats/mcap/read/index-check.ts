import { INDEX_ENTRY, INDEX_HEAD, MESSAGE_HEAD } from "../../../codec/mcap/data.ts";
import { OP, PREFIX } from "../../../codec/mcap/opcode.ts";

/**
 * What is wrong with a message index, whose content is `bytes[start, end)`; null: each entry is where a message of the
 * channel and the time begins in `records`, the chunk before it.
 */
export function faultOfIndex(bytes: Uint8Array, start: number, end: number, records: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunk = new DataView(records.buffer, records.byteOffset, records.byteLength);
  if (end - start < INDEX_HEAD) return "a message index is too short";
  const channel = view.getUint16(start, true);
  const length = view.getUint32(start + 2, true);
  if (length % INDEX_ENTRY !== 0 || length > end - start - INDEX_HEAD)
    return "a message index has another length than it states";
  const last = records.length - PREFIX - MESSAGE_HEAD;
  for (let at = start + INDEX_HEAD, until = at + length; at < until; at += INDEX_ENTRY) {
    const place = view.getUint32(at + 8, true);
    const isThere =
      view.getUint32(at + 12, true) === 0 &&
      place <= last &&
      records[place] === OP.message &&
      chunk.getUint16(place + PREFIX, true) === channel &&
      chunk.getUint32(place + PREFIX + 6, true) === view.getUint32(at, true) &&
      chunk.getUint32(place + PREFIX + 10, true) === view.getUint32(at + 4, true);
    if (!isThere) return `a message index of channel ${channel} does not lead to its messages`;
  }
  return null;
}
