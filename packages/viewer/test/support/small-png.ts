import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Colours of a small picture; one more is for what does not change in a moving one. */
const COLORS = 255;
/** Bits of red, green and blue to which colours are rounded before they are counted. */
const BITS = 6;

/** A PNG of 8 bits, with or without alpha, as one of 255 colours: much smaller, and almost the same to the eye. */
export function smallPng(png: Buffer): Buffer {
  return movingPng([png], 0);
}

/**
 * An APNG of pictures of one size, each shown for `delay` milliseconds, again and again; of one picture, a PNG. All have
 * the same 255 colours. (PNG specification, third edition, 11.3.6: animation information.)
 */
export function movingPng(pngs: readonly Buffer[], delay: number): Buffer {
  const pictures = pngs.map(decoded);
  const [{ width, height }] = pictures as [Picture, ...Picture[]];
  const { palette, indices } = colorsOf(pictures);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const parts = [pngs[0]!.subarray(0, 8), chunk("IHDR", header), chunk("PLTE", palette)];
  const isMoving = pictures.length > 1;
  if (isMoving) {
    parts.push(chunk("tRNS", Buffer.alloc(COLORS + 1, 255).fill(0, COLORS)));
    parts.push(chunk("acTL", words(pictures.length, 0)));
  }
  let before: Uint8Array | null = null;
  let sequence = 0;
  for (const picture of pictures) {
    const own = indices(picture);
    const rows = Buffer.alloc((width + 1) * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = y * width + x;
        rows[at + y + 1] = before !== null && before[at] === own[at] ? COLORS : own[at]!;
      }
    }
    if (isMoving) {
      const timing = Buffer.alloc(6);
      timing.writeUInt16BE(delay, 0);
      timing.writeUInt16BE(1000, 2);
      // what is drawn stays, and the next one lies over it
      timing.set([0, 1], 4);
      parts.push(chunk("fcTL", Buffer.concat([words(sequence++, width, height, 0, 0), timing])));
    }
    const data = deflateSync(rows, { level: 9 });
    parts.push(before === null ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([words(sequence++), data])));
    before = own;
  }
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))]);
}

/** The colours that suit all pictures, and of each picture an index of a colour for each pixel. */
function colorsOf(pictures: readonly Picture[]): { palette: Buffer; indices: (of: Picture) => Uint8Array } {
  const sums = new Map<number, Shade>();
  for (const picture of pictures) {
    const { pixels, channels } = picture;
    for (let at = 0; at < pixels.length; at += channels) {
      const key = keyAt(picture, at);
      let shade = sums.get(key);
      if (shade === undefined) {
        shade = { key, count: 0, sum: [0, 0, 0] };
        sums.set(key, shade);
      }
      shade.count++;
      for (let k = 0; k < 3; k++) shade.sum[k]! += pixels[at + k]!;
    }
  }
  const boxes = cut([...sums.values()]);
  const byKey = new Map(boxes.flatMap((box, i) => box.map(({ key }) => [key, i] as const)));
  const palette = Buffer.alloc((COLORS + 1) * 3);
  palette.set(boxes.flatMap(meanOf));
  const indices = (of: Picture): Uint8Array =>
    Uint8Array.from({ length: of.width * of.height }, (_, i) => byKey.get(keyAt(of, i * of.channels))!);
  return { palette, indices };
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Uint8Array;
}

/** The colour of a pixel, rounded to `BITS` for each channel. */
function keyAt({ pixels }: Picture, at: number): number {
  const [red, green, blue] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
  return ((red >> (8 - BITS)) << (2 * BITS)) | ((green >> (8 - BITS)) << BITS) | (blue >> (8 - BITS));
}

/** Numbers of 32 bits. */
function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
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
function decoded(png: Buffer): Picture {
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
