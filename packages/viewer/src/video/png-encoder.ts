import { Zip, ZipPassThrough } from "fflate";
import type { FrameEncoder } from "./frame-encoder.ts";
import { Appender, type VideoSink } from "./sink.ts";

/** A PNG for each frame in one zip, `000001.png` and on; pictures are compressed already. */
export class PngZipEncoder implements FrameEncoder {
  readonly #out: Appender;
  readonly #digits: number;
  /** Those of the zip that are not written yet. */
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #failure: Error | null = null;
  readonly #zip = new Zip((error, bytes) => {
    if (error === null) this.#pieces.push(bytes as Uint8Array<ArrayBuffer>);
    else this.#failure = error;
  });

  constructor(count: number, sink: VideoSink) {
    this.#out = new Appender(sink);
    this.#digits = digitsFor(count);
  }

  async add(canvas: HTMLCanvasElement, frame: number): Promise<void> {
    const file = new ZipPassThrough(`${String(frame + 1).padStart(this.#digits, "0")}.png`);
    this.#zip.add(file);
    file.push(await pngOf(canvas), true);
    await this.#flush();
  }

  async finish(): Promise<void> {
    this.#zip.end();
    await this.#flush();
  }

  async cancel(): Promise<void> {
    this.#zip.terminate();
  }

  async #flush(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = [];
    for (const piece of pieces) await this.#out.append(piece);
    if (this.#failure !== null) throw this.#failure;
  }
}

export async function pngOf(canvas: HTMLCanvasElement): Promise<Uint8Array<ArrayBuffer>> {
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
  if (blob === null) throw new Error("the picture is too large for a PNG");
  return new Uint8Array(await blob.arrayBuffer());
}

/** Digits of the names of pictures, so that they sort. */
export function digitsFor(count: number): number {
  return Math.max(4, String(count).length);
}
