import { applyPalette, GIFEncoder, quantize } from "gifenc";
import type { FrameEncoder } from "./frame-encoder.ts";
import { Appender, type VideoSink } from "./sink.ts";

/** A GIF that repeats, with a palette for each picture. */
export class GifEncoder implements FrameEncoder {
  readonly #fps: number;
  readonly #out: Appender;
  readonly #gif = GIFEncoder({ auto: false });

  constructor(fps: number, sink: VideoSink) {
    this.#fps = fps;
    this.#out = new Appender(sink);
  }

  async add(canvas: HTMLCanvasElement, frame: number): Promise<void> {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
    const palette = quantize(data, 256, { format: "rgb565" });
    if (frame === 0) this.#gif.writeHeader();
    // In hundredths of a second: where they do not come out even, frames take turns.
    const delay = 10 * (Math.round((100 * (frame + 1)) / this.#fps) - Math.round((100 * frame) / this.#fps));
    this.#gif.writeFrame(applyPalette(data, palette, "rgb565"), width, height, {
      palette,
      delay,
      first: frame === 0,
    });
    await this.#flush();
  }

  async finish(): Promise<void> {
    this.#gif.finish();
    await this.#flush();
  }

  async cancel(): Promise<void> {
    this.#gif.reset();
  }

  async #flush(): Promise<void> {
    const bytes = this.#gif.bytes();
    this.#gif.reset();
    await this.#out.append(bytes);
  }
}
