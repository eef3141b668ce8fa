import { UsageError } from "../run/failure.ts";
import type { Codec, RenderOptions } from "./remote.ts";

/** What the name of the output asks for. */
export type Kind = "mp4" | "webm" | "gif" | "png" | "folder";

export const CODEC_NAMES: Readonly<Record<Codec, string>> = { avc: "H.264", vp9: "VP9", av1: "AV1", vp8: "VP8" };

/** Who encodes, and how. */
export interface Encoding {
  readonly kind: RenderOptions["kind"];
  readonly codec: Codec | null;
  /** Makes the file of pictures; null: the browser makes it. */
  readonly ffmpeg: string | null;
  /** What the user should know; null: nothing. */
  readonly note: string | null;
}

/**
 * `codecs`: what the browser encodes for such a file, the preferred first; `ffmpeg`: null, none is installed. Throws
 * `UsageError` where neither can.
 */
export function encodingOf(kind: Kind, codecs: readonly Codec[], ffmpeg: string | null, size: string): Encoding {
  if (kind === "png" || kind === "folder") return { kind: "pictures", codec: null, ffmpeg: null, note: null };
  if (kind === "gif") return { kind, codec: null, ffmpeg: null, note: null };
  const wanted = kind === "mp4" ? "avc" : "vp9";
  const lacks = `the browser does not encode ${CODEC_NAMES[wanted]}`;
  const [codec] = codecs;
  // WebM plays the same with the others, and many programs play an MP4 with H.264 alone
  if (codec === wanted || (kind === "webm" && codec !== undefined)) return { kind, codec, ffmpeg: null, note: null };
  if (ffmpeg !== null) {
    const note = `${lacks}: ffmpeg makes the ${kind === "mp4" ? "MP4" : "WebM"}`;
    return { kind: "pictures", codec: wanted, ffmpeg, note };
  }
  if (codec === undefined)
    throw new UsageError(
      `${lacks} in ${size}, and no ffmpeg is installed: name another browser with --browser PATH, or install ffmpeg; .gif and a folder need neither`,
    );
  const note = `${lacks}, and no ffmpeg is installed: the MP4 has ${CODEC_NAMES[codec]}, which browsers and VLC play`;
  return { kind, codec, ffmpeg: null, note };
}
