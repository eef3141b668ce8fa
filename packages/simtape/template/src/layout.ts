import type { ByteBuilder, ByteCursor, FlatLayout, Kit, Walk } from "simtape/kit";

/** The first bytes of a file. */
export const MAGIC = "newformat 1\n";

/** Bytes of a record: time, thing, position, checksum. All numbers are little-endian. */
export const RECORD = 8 + 4 + 3 * 8 + 4;
/** Bytes of the time before the payload, and of the checksum behind it. */
export const BEFORE = 8;
export const BEHIND = 4;

/** A thing is at a place. */
export type Position = {
  readonly thing: number;
  /** Metres: x, y, z. */
  readonly position: readonly number[];
};

/** Reads a payload; `writePosition` is the other way round. */
export function readPosition(cursor: ByteCursor): Position {
  return { thing: cursor.u32le(), position: [cursor.f64le(), cursor.f64le(), cursor.f64le()] };
}

export function writePosition(builder: ByteBuilder, { thing, position }: Position): void {
  builder.u32le(thing);
  for (const number of position) builder.f64le(number);
}

/** Writes a record; `time` is in nanoseconds since the start. */
export function writeRecord(kit: Kit, builder: ByteBuilder, time: number, position: Position): void {
  const record = new kit.ByteBuilder().i64le(time);
  writePosition(record, position);
  const bytes = record.take();
  builder.raw(bytes).u32le(kit.crc32(bytes));
}

/** Finds records, and damage between them, in a window of the file. */
export function layoutOf({ crc32 }: Kit): FlatLayout {
  const isSound = ({ bytes, view }: Walk, at: number): boolean =>
    crc32(bytes.subarray(at, at + RECORD - BEHIND)) === view.getUint32(at + RECORD - BEHIND, true);
  return {
    walk(walk) {
      let at = walk.start;
      while (at < walk.end) {
        const fits = walk.fits(at, RECORD);
        // The record goes on behind the window: simtape calls again with the next one.
        if (fits === 0) return at;
        if (fits === 1 && isSound(walk, at)) {
          const time = walk.view.getUint32(at, true) + walk.view.getUint32(at + 4, true) * 2 ** 32;
          walk.record("position", at, at + RECORD);
          walk.message(time, 0, at + BEFORE, at + RECORD - BEHIND);
          at += RECORD;
          continue;
        }
        // Damage goes up to the next sound record.
        let next = at + 1;
        while (walk.fits(next, RECORD) === 1 && !isSound(walk, next)) next++;
        if (walk.fits(next, RECORD) === -1) next = walk.end;
        const message = "bytes that are no record";
        walk.damage(at, next, { code: "damaged-bytes", severity: "damage", message });
        at = next;
      }
      return at;
    },
  };
}
