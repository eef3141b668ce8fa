import type { Session } from "../session.ts";
import type { Scheme } from "../theme.ts";
import { timeScale } from "../clock.ts";
import { type EncoderOptions, encoderFor } from "./encoder.ts";
import type { FrameEncoder } from "./frame-encoder.ts";
import type { Codec, VideoKind } from "./kinds.ts";
import type { CameraPath } from "./path.ts";
import { PathRun } from "./path-run.ts";
import { scheduleOf, type Span } from "./schedule.ts";
import type { VideoSink } from "./sink.ts";
import { Stage } from "./stage.tsx";

export interface FilmOptions extends Span {
  readonly kind: VideoKind;
  /** Of MP4 and WebM: one of `codecsFor`. */
  readonly codec: Codec | null;
  /** Pixels; even numbers. */
  readonly width: number;
  readonly height: number;
  readonly scheme: Scheme;
  readonly overlays: boolean;
  /** Null: the camera is where the page's scene has it, in its way of following. */
  readonly path: CameraPath | null;
}

/** Makes what takes so many frames. */
export type EncoderMaker = (options: EncoderOptions) => Promise<FrameEncoder>;

export interface FilmProgress {
  /** Frames in the file, of how many. */
  readonly done: number;
  readonly total: number;
  /** What was drawn last. */
  readonly canvas: HTMLCanvasElement;
}

export interface Filmed {
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly codec: Codec | null;
  /** To be downloaded; null: it is where it was to go. */
  readonly file: Blob | null;
}

/**
 * Makes a video of a range of what plays. Each frame shows the state of exactly its time, however long drawing takes.
 * Called off or failed, it rejects, and nothing is left in the sink.
 */
export async function film(
  session: Session,
  options: FilmOptions,
  sink: VideoSink,
  signal: AbortSignal,
  onProgress: (progress: FilmProgress) => void = () => undefined,
  encoderOf: EncoderMaker = encoderFor,
): Promise<Filmed> {
  const { kind, codec, width, height, path, fps } = options;
  const schedule = scheduleOf(options, path);
  const { timeline } = session.state.value.decks[0]!.opened;
  const scale = timeScale(timeline, session.state.value.shared["time"]);
  const encoder = await encoderOf({ kind, codec, fps, count: schedule.count, sink });
  let stage: Stage | null = null;
  try {
    stage = await Stage.open(session, { ...options, timeText: (time) => scale.text(time) });
    const run = path === null || path.keyframes.length === 0 ? null : new PathRun(path, stage.isGeodetic);
    for (let frame = 0; frame < schedule.count; frame++) {
      signal.throwIfAborted();
      const time = schedule.timeOf(frame);
      const canvas = await stage.draw(time, run?.at(time / 1e9) ?? null);
      await encoder.add(canvas, frame);
      onProgress({ done: frame + 1, total: schedule.count, canvas });
    }
    signal.throwIfAborted();
    await encoder.finish();
    return { frames: schedule.count, width, height, codec, file: await sink.close() };
  } catch (error) {
    await encoder.cancel();
    await sink.abort();
    throw error;
  } finally {
    stage?.close();
  }
}
