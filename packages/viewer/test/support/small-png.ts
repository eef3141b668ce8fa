import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Colours of a small picture. */
const COLORS = 256;
/** Bits of red, green and blue that are told apart when colours are counted. */
const BITS = 6;

/** A PNG of 8 bits, with or without alpha, as one of 256 colours: some tenths of its size, and hardly seen. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels, channels } = decoded(png);
  const sums = new Map<number, Shade>();
  const keyAt = (at: number): number => {
    const [red, green, blue] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!].map((value) => value >> (8 - BITS));
    return (red! << (2 * BITS)) | (green! << BITS) | blue!;
  };
  for (let at = 0; at < pixels.length; at += channels) {
    const key = keyAt(at);
    const shade = sums.get(key) ?? { key, count: 0, sum: [0, 0, 0] };
    sums.set(key, shade);
    shade.count++;
    for (let k = 0; k < 3; k++) shade.sum[k]! += pixels[at + k]!;
  }
  const boxes = cut([...sums.values()]);
  const indices = new Map(boxes.flatMap((box, i) => box.map(({ key }) => [key, i] as const)));
  const palette = Buffer.from(boxes.flatMap(meanOf));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indices.get(keyAt((y * width + x) * channels))!;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const parts = [
    ["IHDR", header],
    ["PLTE", palette],
    ["IDAT", deflateSync(rows, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ] as const;
  return Buffer.concat([png.subarray(0, 8), ...parts.map(([name, data]) => chunk(name, data))]);
}

interface Shade {
  readonly key: number;
  count: number;
  /** Of red, green and blue. */
  readonly sum: [number, number, number];
}

/** Median cut: the box in which colours differ most is halved, until there are enough. */
function cut(shades: Shade[]): Shade[][] {
  const boxes = [shades];
  while (boxes.length < COLORS) {
    const widest = boxes
      .map((box, i) => ({ i, ...spreadOf(box) }))
      .reduce((best, other) => (other.weight > best.weight ? other : best));
    if (widest.weight === 0) break;
    const box = boxes[widest.i]!.toSorted((a, b) => a.sum[widest.axis]! / a.count - b.sum[widest.axis]! / b.count);
    const middle = Math.max(1, Math.floor(box.length / 2));
    boxes.splice(widest.i, 1, box.slice(0, middle), box.slice(middle));
  }
  return boxes;
}

/** The colour that differs most in a box, and by how much, more where many pixels have it. */
function spreadOf(box: readonly Shade[]): { readonly axis: number; readonly weight: number } {
  const count = box.reduce((sum, shade) => sum + shade.count, 0);
  const spreads = [0, 1, 2].map((axis) => {
    const values = box.map(({ sum, count: own }) => sum[axis]! / own);
    return Math.max(...values) - Math.min(...values);
  });
  const axis = spreads.indexOf(Math.max(...spreads));
  return { axis, weight: box.length < 2 ? 0 : spreads[axis]! * Math.cbrt(count) };
}

function meanOf(box: readonly Shade[]): number[] {
  const count = box.reduce((sum, shade) => sum + shade.count, 0);
  return [0, 1, 2].map((k) => Math.round(box.reduce((sum, shade) => sum + shade.sum[k]!, 0) / count));
}

/** Bytes of the pixels, of three or four channels (PNG specification, 9: filtering). */
function decoded(png: Buffer): { width: number; height: number; channels: number; pixels: Uint8Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < channels ? 0 : pixels[at - channels]!;
      const up = y === 0 ? 0 : pixels[at - stride]!;
      const corner = x < channels || y === 0 ? 0 : pixels[at - stride - channels]!;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      pixels[at] = rows[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (a! <= b! && a! <= c!) return left;
  return b! <= c! ? up : corner;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
