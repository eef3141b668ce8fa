/** What a video becomes. */
export type VideoKind = "mp4" | "webm" | "gif" | "png";
/** How the pictures of an MP4 or a WebM are encoded. */
export type Codec = "avc" | "vp9" | "av1" | "vp8";

export const CODEC_NAMES: Readonly<Record<Codec, string>> = { avc: "H.264", vp9: "VP9", av1: "AV1", vp8: "VP8" };

/** By preference: what most programs play first, then what is small and quick to encode. */
const OF_KIND = { mp4: ["avc", "vp9", "av1"], webm: ["vp9", "vp8", "av1"] } as const satisfies Record<
  string,
  readonly Codec[]
>;

/** Of frames a second, those that the delays of a GIF can show: hundredths of a second each. */
export const GIF_RATES: readonly number[] = [10, 20, 25, 50];

/** What a file of that kind is called behind its point; PNG pictures are in a zip. */
export const ENDINGS: Readonly<Record<VideoKind, string>> = { mp4: "mp4", webm: "webm", gif: "gif", png: "zip" };

/** Codecs with which this browser makes such a video, the preferred one first; none: it cannot. */
export async function codecsFor(kind: "mp4" | "webm", width: number, height: number): Promise<readonly Codec[]> {
  if (typeof VideoEncoder === "undefined") return [];
  const { canEncodeVideo } = await import("mediabunny");
  const can = await Promise.all(OF_KIND[kind].map((codec) => canEncodeVideo(codec, { width, height })));
  return OF_KIND[kind].filter((_, i) => can[i]);
}
