import type { Time } from "../../model/values/time.ts";
import { ProgramError, UsageError } from "../run/failure.ts";
import type { Chromium, ChromiumPage } from "./chromium.ts";

/** How the pictures of a video are encoded. */
export type Codec = "avc" | "vp9" | "av1" | "vp8";

export interface RenderOptions {
  /** `pictures`: a PNG for each frame. */
  readonly kind: "mp4" | "webm" | "gif" | "pictures";
  readonly codec: Codec | null;
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
  readonly overlays: boolean;
  /** As the file has it; null: none. */
  readonly path: unknown;
  readonly start: Time;
  readonly end: Time;
  readonly fps: number;
  readonly rate: number;
}

/** What the page has made since the last question. */
interface News {
  readonly pieces: readonly { readonly position: number; readonly bytes: string }[];
  readonly done: number;
  readonly total: number;
  readonly end: { readonly frames: number } | null;
  readonly failure: string | null;
}

/** Takes a piece of the file at its place; of pictures a whole one, by its number. */
export type TakePiece = (bytes: Uint8Array, position: number) => Promise<void>;

/** In the page: waits until the recording is open; gives what is wrong, or null. */
const UNTIL_OPEN = `new Promise((resolve) => {
  const look = () => {
    const state = globalThis.simtape?.state.value;
    if (state?.failure) resolve(state.failure.message);
    else if (globalThis.simtapeVideo && state?.phase === "open" && state.decks[0]?.opened.isHead === false) resolve(null);
    else setTimeout(look, 20);
  };
  look();
})`;

/** The viewer's page, which draws and encodes. */
export class RemoteVideo {
  readonly #page: ChromiumPage;

  /** Opens the page at `address`. Rejects with `ProgramError` where the page cannot read the recording. */
  static async open(browser: Chromium, address: string): Promise<RemoteVideo> {
    const page = await browser.page(address);
    const failure = await page.evaluate<string | null>(UNTIL_OPEN);
    if (failure !== null) throw new ProgramError(`the page cannot open the recording: ${failure}`);
    return new RemoteVideo(page);
  }

  private constructor(page: ChromiumPage) {
    this.#page = page;
  }

  /** Waits for the world of the recording; gives what of it is not shown, in sentences. */
  ready(): Promise<readonly string[]> {
    return this.#page.evaluate("simtapeVideo.ready()");
  }

  /** What this browser encodes, the preferred first. */
  codecs(kind: "mp4" | "webm", width: number, height: number): Promise<readonly Codec[]> {
    return this.#page.evaluate(`simtapeVideo.codecs(${JSON.stringify(kind)}, ${width}, ${height})`);
  }

  /** Throws `UsageError` for what is no camera path. */
  async checkPath(path: unknown, file: string): Promise<void> {
    const fault = await this.#page.evaluate<string | null>(`simtapeVideo.pathFault(${JSON.stringify(path)})`);
    if (fault !== null) throw new UsageError(`not a camera path: ${file}: ${fault}`);
  }

  /** Makes a video, piece by piece. Gives how many frames it has. */
  async render(
    options: RenderOptions,
    take: TakePiece,
    onProgress: (done: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<number> {
    await this.#page.evaluate(`void simtapeVideo.begin(${JSON.stringify(options)})`);
    for (;;) {
      signal.throwIfAborted();
      const { pieces, done, total, end, failure } = await this.#page.evaluate<News>("simtapeVideo.next()");
      for (const { bytes, position } of pieces) await take(Buffer.from(bytes, "base64"), position);
      onProgress(done, total);
      if (failure !== null) throw new ProgramError(failure);
      if (end !== null) return end.frames;
    }
  }
}
