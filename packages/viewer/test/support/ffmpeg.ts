import { execFileSync } from "node:child_process";

/** Whether Debian's ffmpeg is installed, which judges videos. */
export const hasFfmpeg: boolean = (() => {
  try {
    execFileSync("ffprobe", ["-version"], { stdio: "ignore" });
    execFileSync("ffmpeg", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("tests of videos are skipped: no ffmpeg and ffprobe; apt-get install ffmpeg");
    return false;
  }
})();

export interface Probed {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Seconds at which its frames are shown. */
  readonly times: readonly number[];
}

/** Decodes every frame of a video. */
export function probe(file: string): Probed {
  const text = execFileSync(
    "ffprobe",
    [
      ...["-v", "error", "-select_streams", "v:0", "-of", "json"],
      ...["-show_entries", "stream=codec_name,width,height:frame=pts_time", file],
    ],
    { encoding: "utf8", maxBuffer: 1 << 26 },
  );
  const { frames, streams } = JSON.parse(text) as {
    readonly frames: readonly { readonly pts_time: string }[];
    readonly streams: readonly { readonly codec_name: string; readonly width: number; readonly height: number }[];
  };
  const { codec_name: codec, width, height } = streams[0]!;
  return { codec, width, height, times: frames.map(({ pts_time }) => Number(pts_time)) };
}

/** Pixels of the `index`th frame of a video, or of a picture, as grey bytes of this size. */
export function pixels(file: string, index: number, width: number, height: number): Buffer {
  const filter = `select=eq(n\\,${index}),scale=${width}:${height}:flags=area`;
  const output = ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"];
  return execFileSync("ffmpeg", ["-v", "error", "-i", file, "-vf", filter, ...output], { maxBuffer: 1 << 28 });
}

/** How alike two pictures are, decibels: the peak against the noise; Infinity where they are equal. */
export function psnr(a: Buffer, b: Buffer): number {
  if (a.length !== b.length || a.length === 0) throw new Error(`${a.length} bytes and ${b.length} bytes`);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return 10 * Math.log10((255 * 255 * a.length) / sum);
}
