/** What a small file of heights says of itself. */
export interface TiffOptions {
  readonly width: number;
  readonly height: number;
  /** Of the north-west corner: east, north; and the size of a point. */
  readonly corner: readonly [number, number];
  readonly point: readonly [number, number];
  /** GeoTIFF 1.1: pairs of a key and its value. */
  readonly keys?: readonly (readonly [key: number, value: number])[];
  /** Text of the tag by which GDAL marks points without a height. */
  readonly noData?: string;
  readonly isBigEndian?: boolean;
}

/** Of degrees of WGS 84. */
export const GEOGRAPHIC: readonly (readonly [number, number])[] = [
  [1024, 2],
  [1025, 1],
  [2048, 4326],
];

type Tag = readonly [id: number, type: 2 | 3 | 4 | 12, values: readonly number[]];

const SIZES = { 2: 1, 3: 2, 4: 4, 12: 8 } as const;

/**
 * A TIFF of heights as 32-bit floats in one strip, written by hand: TIFF 6.0, section 2 (header, directory, types), GeoTIFF 1.1
 * Annex A (tags 33550, 33922, 34735), GDAL's tag 42113.
 */
export function tiffOf(heights: ArrayLike<number>, options: TiffOptions): Uint8Array {
  const { width, height, corner, point, keys = GEOGRAPHIC, noData, isBigEndian = false } = options;
  const tags: Tag[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, [32]],
    [259, 3, [1]],
    [262, 3, [1]],
    [273, 4, [8]],
    [277, 3, [1]],
    [278, 4, [height]],
    [279, 4, [4 * width * height]],
    [339, 3, [3]],
    [33550, 12, [...point, 0]],
    [33922, 12, [0, 0, 0, ...corner, 0]],
    [34735, 3, [1, 1, 0, keys.length, ...keys.flatMap(([key, value]) => [key, 0, 1, value])]],
    ...(noData === undefined ? [] : [[42113, 2, [...Buffer.from(`${noData}\0`)]] as Tag]),
  ];
  const directory = 8 + 4 * width * height;
  let free = directory + 2 + 12 * tags.length + 4;
  const bytes = new Uint8Array(free + tags.reduce((sum, [, type, { length }]) => sum + SIZES[type] * length + 1, 0));
  const view = new DataView(bytes.buffer);
  const little = !isBigEndian;
  view.setUint16(0, isBigEndian ? 0x4d4d : 0x4949);
  view.setUint16(2, 42, little);
  view.setUint32(4, directory, little);
  for (let i = 0; i < width * height; i++) view.setFloat32(8 + 4 * i, heights[i]!, little);
  view.setUint16(directory, tags.length, little);
  for (const [i, [id, type, values]] of tags.entries()) {
    const at = directory + 2 + 12 * i;
    view.setUint16(at, id, little);
    view.setUint16(at + 2, type, little);
    view.setUint32(at + 4, values.length, little);
    const length = SIZES[type] * values.length;
    let to = at + 8;
    if (length > 4) {
      to = free + (free % 2);
      free = to + length;
      view.setUint32(at + 8, to, little);
    }
    for (const [k, value] of values.entries()) {
      if (type === 2) view.setUint8(to + k, value);
      else if (type === 3) view.setUint16(to + 2 * k, value, little);
      else if (type === 4) view.setUint32(to + 4 * k, value, little);
      else view.setFloat64(to + 8 * k, value, little);
    }
  }
  return bytes;
}
