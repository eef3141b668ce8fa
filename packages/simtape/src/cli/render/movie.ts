import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ProgramError } from "../run/failure.ts";

/** Of what ffmpeg says on standard error, the end is kept. */
const TALK = 2000;

/** How ffmpeg encodes what a name asks for. */
const WAYS = {
  mp4: ["-c:v", "libx264", "-crf", "18", "-preset", "medium", "-movflags", "+faststart", "-f", "mp4"],
  webm: ["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-deadline", "good", "-f", "webm"],
} as const;

/** Makes an MP4 with H.264, or a WebM with VP9, of PNG pictures, by an installed ffmpeg. */
export class FfmpegMovie {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #talk = "";

  /** Writes to `file`, which may exist. */
  constructor(program: string, kind: "mp4" | "webm", file: string, fps: number) {
    this.#child = spawn(
      program,
      [
        ...["-v", "error", "-y", "-f", "image2pipe", "-c:v", "png", "-framerate", String(fps), "-i", "-"],
        ...["-pix_fmt", "yuv420p", "-r", String(fps)],
        // colours as browsers and televisions read them
        ...["-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-color_primaries", "bt709"],
        ...["-color_trc", "bt709", ...WAYS[kind], file],
      ],
      { stdio: ["pipe", "ignore", "pipe"] },
    );
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#talk = (this.#talk + text).slice(-TALK);
    });
    this.#child.stdin!.on("error", () => undefined);
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("exit", (code) => {
        if (code === 0) resolve();
        else reject(new ProgramError(`ffmpeg has failed: ${this.#talk.trim().split("\n").at(-1) ?? `exit ${code}`}`));
      });
    });
    // `add` and `finish` reject with it
    this.#ended.catch(() => undefined);
  }

  async add(png: Uint8Array): Promise<void> {
    if (this.#child.stdin!.write(png)) return;
    await Promise.race([once(this.#child.stdin!, "drain"), this.#ended]);
  }

  async finish(): Promise<void> {
    this.#child.stdin!.end();
    await this.#ended;
  }

  cancel(): void {
    this.#child.kill("SIGKILL");
  }
}
