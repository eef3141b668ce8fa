import { type ByteBuilder, type ByteCursor, LayoutError, readVarint, writeVarint } from "simtape/kit";
import { bytesOf, longsFor, longsOf, pack, unpack } from "./longs.ts";

/** Numbers of states or biomes, and which of them is in each cell; null: the first is in all. */
export interface Numbers {
  readonly palette: readonly number[];
  readonly indices: Uint16Array | null;
}

/** The form of the cells of a section in packets. */
export interface ContainerKind {
  /** Number of cells. */
  readonly size: 4096 | 64;
  /** Least and most bits of an index into the palette; with more bits there is no palette. */
  readonly least: number;
  readonly most: number;
  /** The number of longs comes before them: until 1.21.4. */
  readonly isSized: boolean;
  /** A single value has no longs: since 1.18. */
  readonly hasSingle: boolean;
}

/** Most bits of numbers of states. */
const MOST_BITS = 16;

/** Throws `LayoutError` for data that is no container. */
export function readContainer(cursor: ByteCursor, { size, least, most, isSized, hasSingle }: ContainerKind): Numbers {
  const start = cursor.offset;
  const said = cursor.u8();
  if (said > MOST_BITS || (said === 0 && !hasSingle)) throw new LayoutError("malformed", `${said} bits`, start);
  const bits = said === 0 ? 0 : Math.max(said, least);
  const palette = bits === 0 ? [readVarint(cursor, 5)] : bits > most ? null : readPalette(cursor, size);
  const count = isSized ? readVarint(cursor, 5) : longsFor(size, bits);
  // a single value may come with longs that are ignored
  if (count !== longsFor(size, bits) && (bits > 0 || count > size))
    throw new LayoutError("malformed", `${count} longs for ${size} numbers of ${bits} bits`, start);
  const longs = cursor.view(8 * count);
  if (bits === 0) return { palette: palette!, indices: null };
  const values = unpack(longsOf(longs), bits, size);
  if (palette === null) return compacted(values);
  for (const value of values)
    if (value >= palette.length)
      throw new LayoutError("malformed", `the palette of ${palette.length} has no ${value}`, start);
  return { palette, indices: values };
}

/** `direct`: bits of a number without a palette. */
export function writeContainer(
  builder: ByteBuilder,
  { palette, indices }: Numbers,
  { size, least, most, isSized, hasSingle }: ContainerKind,
  direct: number,
): void {
  if (hasSingle && (indices === null || palette.length === 1)) {
    builder.u8(0);
    writeVarint(builder, palette[0]!);
    if (isSized) writeVarint(builder, 0);
    return;
  }
  const needed = Math.max(least, 32 - Math.clz32(palette.length - 1));
  const isDirect = needed > most;
  const bits = isDirect ? direct : needed;
  builder.u8(bits);
  if (!isDirect) {
    writeVarint(builder, palette.length);
    for (const value of palette) writeVarint(builder, value);
  }
  const cells = indices ?? new Uint16Array(size);
  const longs = pack(isDirect ? cells.map((index) => palette[index]!) : cells, bits);
  if (isSized) writeVarint(builder, longs.length / 2);
  builder.raw(bytesOf(longs));
}

/** Values with a palette of those that occur. */
export function compacted(values: ArrayLike<number>): Numbers {
  const places = new Map<number, number>();
  const indices = Uint16Array.from(values, (value) => {
    let place = places.get(value);
    if (place === undefined) {
      place = places.size;
      places.set(value, place);
    }
    return place;
  });
  return { palette: [...places.keys()], indices: places.size === 1 ? null : indices };
}

function readPalette(cursor: ByteCursor, size: number): number[] {
  const start = cursor.offset;
  const count = readVarint(cursor, 5);
  if (count === 0 || count > size) throw new LayoutError("malformed", `a palette of ${count}`, start);
  return Array.from({ length: count }, () => readVarint(cursor, 5));
}
