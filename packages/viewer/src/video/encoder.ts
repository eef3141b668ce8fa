import type { FrameEncoder } from "./frame-encoder.ts";
import type { Codec, VideoKind } from "./kinds.ts";
import type { VideoSink } from "./sink.ts";

export interface EncoderOptions {
  readonly kind: VideoKind;
  /** Of MP4 and WebM. */
  readonly codec: Codec | null;
  readonly fps: number;
  /** Of frames, for the names of pictures. */
  readonly count: number;
  readonly sink: VideoSink;
}

/** Loads what such a file is made with. */
export async function encoderFor(options: EncoderOptions): Promise<FrameEncoder> {
  const { kind, codec, fps, count, sink } = options;
  if (kind === "gif") return new (await import("./gif-encoder.ts")).GifEncoder(fps, sink);
  if (kind === "png") return new (await import("./png-encoder.ts")).PngZipEncoder(count, sink);
  if (codec === null) throw new Error(`this browser encodes no video for ${kind === "mp4" ? "MP4" : "WebM"}`);
  return new (await import("./movie-encoder.ts")).MovieEncoder(kind, codec, fps, sink);
}
