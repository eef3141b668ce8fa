import { deflateSync } from "node:zlib";
import { crc32 } from "../../bytes/crc32.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A picture of palette colours, row by row from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** A colour for each dot, by its place in `palette`. */
  readonly dots: Uint8Array;
  /** Red, green, blue of each colour, 256 at most. */
  readonly palette: readonly (readonly [number, number, number])[];
}

/** PNG with a palette (W3C PNG, third edition, "Chunk layout", "IHDR", "PLTE", "IDAT"). */
export function pngOf({ width, height, dots, palette }: Picture): Uint8Array {
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // eight bits a dot, from a palette
  head.set([8, 3, 0, 0, 0], 8);
  // each row begins with its filter: none
  const rows = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) rows.set(dots.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", Uint8Array.from(palette.flat())),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/** Length, type, data, and the CRC-32 of type and data. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}
