import {
  CanvasSource,
  Mp4OutputFormat,
  Output,
  QUALITY_HIGH,
  StreamTarget,
  type StreamTargetChunk,
  WebMOutputFormat,
} from "mediabunny";
import type { FrameEncoder } from "./frame-encoder.ts";
import type { Codec } from "./kinds.ts";
import type { VideoSink } from "./sink.ts";

/** Bytes that are collected before they are written. */
const CHUNK = 1 << 20;

/** MP4 and WebM, by the encoders of the browser. */
export class MovieEncoder implements FrameEncoder {
  readonly #kind: "mp4" | "webm";
  readonly #codec: Codec;
  readonly #fps: number;
  readonly #sink: VideoSink;
  #output: Output | null = null;
  #source: CanvasSource | null = null;

  constructor(kind: "mp4" | "webm", codec: Codec, fps: number, sink: VideoSink) {
    this.#kind = kind;
    this.#codec = codec;
    this.#fps = fps;
    this.#sink = sink;
  }

  async add(canvas: HTMLCanvasElement, frame: number): Promise<void> {
    this.#source ??= await this.#begin(canvas);
    await this.#source.add(frame / this.#fps, 1 / this.#fps);
  }

  async finish(): Promise<void> {
    await this.#output?.finalize();
  }

  async cancel(): Promise<void> {
    await this.#output?.cancel().catch(() => undefined);
  }

  async #begin(canvas: HTMLCanvasElement): Promise<CanvasSource> {
    const writable = new WritableStream<StreamTargetChunk>({
      write: ({ data, position }) => this.#sink.write(data, position),
    });
    this.#output = new Output({
      // what stands at the end of the file is small, and memory holds no video
      format: this.#kind === "mp4" ? new Mp4OutputFormat({ fastStart: false }) : new WebMOutputFormat(),
      target: new StreamTarget(writable, { chunked: true, chunkSize: CHUNK }),
    });
    const source = new CanvasSource(canvas, { codec: this.#codec, quality: QUALITY_HIGH, keyFrameInterval: 2 });
    this.#output.addVideoTrack(source, { frameRate: this.#fps });
    await this.#output.start();
    return source;
  }
}
