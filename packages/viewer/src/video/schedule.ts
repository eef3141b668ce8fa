import type { Time } from "simtape";
import type { CameraPath, Keyframe } from "./path.ts";

/** What a video shows, and how fast. */
export interface Span {
  /** Nanoseconds on the recording's clock: the first picture, and what no picture reaches. */
  readonly start: Time;
  readonly end: Time;
  /** Frames a second of the video. */
  readonly fps: number;
  /** Seconds of the recording in a second of the video, above 0. */
  readonly rate: number;
}

/** Which moment each frame of a video shows. Frame `i` is shown at `i / fps`, exactly. */
export interface Schedule {
  /** 1 at least. */
  readonly count: number;
  timeOf(frame: number): Time;
}

/** A part of the recording over which the rate changes evenly with the recording's time. Seconds. */
interface Ramp {
  /** From its beginning, in the video. */
  readonly shown: number;
  readonly start: number;
  readonly rate: number;
  /** Of the rate, by the second of the recording. */
  readonly slope: number;
}

/** What is left out for a frame that rounding alone would add. */
const SLACK = 1e-6;

/** Frames of `[start, end)`; where `start` is `end`, one. The rates of the path's keyframes multiply the span's. */
export function scheduleOf({ start, end, fps, rate }: Span, path: CameraPath | null = null): Schedule {
  const { ramps, length } = rampsOf(start / 1e9, Math.max(start, end) / 1e9, rate, path);
  const count = Math.max(1, Math.ceil(length * fps - SLACK));
  return {
    count,
    timeOf: (frame) =>
      Math.min(Math.max(start, end), Math.max(start, Math.round(1e9 * recordedAt(ramps, frame / fps)))),
  };
}

/** `length`: seconds of the video. */
function rampsOf(
  start: number,
  end: number,
  rate: number,
  path: CameraPath | null,
): { readonly ramps: readonly Ramp[]; readonly length: number } {
  const rated = ratedOf(path);
  const rateAt = (time: number): number => rate * rateIn(rated, time);
  const edges = [start, ...rated.map(({ time }) => time).filter((time) => time > start && time < end), end];
  const ramps: Ramp[] = [];
  let shown = 0;
  for (const [i, edge] of edges.entries()) {
    const next = edges[i + 1];
    if (next === undefined) break;
    const [first, last] = [rateAt(edge), rateAt(next)];
    const slope = next > edge ? (last - first) / (next - edge) : 0;
    ramps.push({ shown, start: edge, rate: first, slope });
    // The rate over time is a line, so that the video's time is a logarithm.
    shown += isLevel(slope, next - edge, first) ? (next - edge) / first : Math.log(last / first) / slope;
  }
  return { ramps, length: shown };
}

/** Keyframes that say how fast a video plays there. */
export function ratedOf(path: CameraPath | null): readonly Keyframe[] {
  return (path?.keyframes ?? []).filter((keyframe) => keyframe.rate !== undefined);
}

/** How fast a video plays at a time, seconds, by the keyframes that `ratedOf` gives. */
export function rateIn(rated: readonly Keyframe[], time: number): number {
  const after = rated.findIndex((keyframe) => keyframe.time > time);
  if (rated.length === 0) return 1;
  if (after < 0) return rated.at(-1)!.rate!;
  if (after === 0) return rated[0]!.rate!;
  const [from, to] = [rated[after - 1]!, rated[after]!];
  const part = (time - from.time) / (to.time - from.time);
  return from.rate! + part * (to.rate! - from.rate!);
}

function recordedAt(ramps: readonly Ramp[], shown: number): number {
  const ramp = ramps.findLast((one) => one.shown <= shown) ?? ramps[0]!;
  const passed = shown - ramp.shown;
  if (isLevel(ramp.slope, passed * ramp.rate, ramp.rate)) return ramp.start + passed * ramp.rate;
  return ramp.start + (ramp.rate / ramp.slope) * Math.expm1(ramp.slope * passed);
}

/** So little that the logarithm would be lost in rounding. */
function isLevel(slope: number, seconds: number, rate: number): boolean {
  return Math.abs(slope * seconds) < 1e-9 * rate;
}
