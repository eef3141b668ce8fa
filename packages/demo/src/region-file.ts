/** Bytes of a sector. */
const SECTOR = 4096;
/** Bytes before the content of a chunk: its length and how it is packed. */
const HEAD = 5;
/** Chunks along a side of a region. */
export const SIDE = 32;

/** What stands in a region file for one chunk. */
export interface Slot {
  /** In the region. */
  readonly x: number;
  readonly z: number;
  /** How it is packed: the number of the game. */
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/**
 * A region file of the game (minecraft.wiki: "Region file format"): a table of places, one of times, which are left 0, and
 * the chunks from sector to sector.
 */
export function regionFile(slots: readonly Slot[]): Uint8Array {
  const sectorsOf = ({ bytes }: Slot): number => Math.ceil((bytes.length + HEAD) / SECTOR);
  const file = new Uint8Array(SECTOR * slots.reduce((sum, slot) => sum + sectorsOf(slot), 2));
  const view = new DataView(file.buffer);
  let sector = 2;
  for (const slot of slots) {
    const { x, z, kind, bytes } = slot;
    const count = sectorsOf(slot);
    view.setUint32(4 * (x + SIDE * z), sector * 256 + Math.min(count, 255));
    view.setUint32(sector * SECTOR, bytes.length + 1);
    view.setUint8(sector * SECTOR + 4, kind);
    file.set(bytes, sector * SECTOR + HEAD);
    sector += count;
  }
  return file;
}
