import type { SkinPictures } from "../../blocks/skins.ts";

/** Pixels along the side of a picture that is drawn: larger ones are made smaller. */
const WIDEST = 128;
/** Bytes of all pictures together. */
const MOST_BYTES = 64 << 20;
/** Pixels of a picture with all its frames. */
const MOST_PIXELS = 4 << 20;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;
/** Opacity below which nothing of a pixel is seen. */
const HOLE = 128;

/** The size of a PNG, by its header; null: it is none, or larger than any texture. */
export function sizeOf(png: Uint8Array): { readonly width: number; readonly height: number } | null {
  if (png.length < 33 || PNG.some((byte, i) => png[i] !== byte)) return null;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width === 0 || height === 0 || width * height > MOST_PIXELS ? null : { width, height };
}

/** Layers that a graphics card can have; the least of all where it does not say. */
export function mostLayers(): number {
  const context = new OffscreenCanvas(1, 1).getContext("webgl2");
  const found: unknown = context?.getParameter(context.MAX_ARRAY_TEXTURE_LAYERS);
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return typeof found === "number" ? found : 256;
}

/** Pixels along the side of all pictures: as many as most of them have, and no more than there is memory for. */
export function commonSide(sides: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const side of sides) counts.set(side, (counts.get(side) ?? 0) + 1);
  const [[usual] = [16]] = [...counts].toSorted(([, a], [, b]) => b - a);
  let side = Math.min(WIDEST, usual);
  while (side > 1 && 4 * side * side * sides.length > MOST_BYTES) side >>= 1;
  return side;
}

/** Pictures, one over another, all of the same size; of those with several frames, the first. */
export class Pictures {
  readonly #side: number;
  readonly #pixels: Uint8Array<ArrayBuffer>;
  readonly #context: OffscreenCanvasRenderingContext2D;
  #count = 0;

  constructor(side: number, most: number) {
    this.#side = side;
    this.#pixels = new Uint8Array(4 * side * side * most);
    this.#context = new OffscreenCanvas(side, side).getContext("2d", { willReadFrequently: true })!;
  }

  /** Gives the layer, from 1 on, and whether it has holes. Rejects for a picture that cannot be decoded. */
  async add(png: Uint8Array, width: number, height: number): Promise<{ layer: number; isHoled: boolean }> {
    const frame = Math.min(width, height);
    const blob = new Blob([png as Uint8Array<ArrayBuffer>], { type: "image/png" });
    const bitmap = await createImageBitmap(blob, 0, 0, frame, frame);
    const [side, context] = [this.#side, this.#context];
    context.clearRect(0, 0, side, side);
    context.imageSmoothingEnabled = frame > side;
    context.drawImage(bitmap, 0, 0, side, side);
    bitmap.close();
    const { data } = context.getImageData(0, 0, side, side);
    const isHoled = filled(data);
    const row = 4 * side;
    const start = row * side * this.#count;
    for (let y = 0; y < side; y++)
      this.#pixels.set(data.subarray(row * y, row * (y + 1)), start + row * (side - 1 - y));
    return { layer: ++this.#count, isHoled };
  }

  take(): SkinPictures {
    const { length } = this.#pixels;
    const used = 4 * this.#side * this.#side * this.#count;
    return {
      side: this.#side,
      count: this.#count,
      pixels: used === length ? this.#pixels : this.#pixels.slice(0, used),
    };
  }
}

/** Gives holes the colour of what is around them, which shines through from afar; whether there are any. */
function filled(data: Uint8ClampedArray): boolean {
  const sum = [0, 0, 0];
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3]! < HOLE) continue;
    count++;
    for (let k = 0; k < 3; k++) sum[k]! += data[at + k]!;
  }
  if (4 * count === data.length) return false;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3]! >= HOLE) continue;
    for (let k = 0; k < 3; k++) data[at + k] = count === 0 ? 0 : sum[k]! / count;
  }
  return true;
}
