import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Reporter, FindingCode } from "../../../model/error.ts";
import { playsIn } from "./dialects.ts";
import type { FrameTable, TapeLayout } from "../layout/frame-table.ts";
import type { TapeHeader } from "../layout/header.ts";
import type { Reader } from "../../../model/reader.ts";
import type { TapeShape } from "./shape.ts";
import { fatalPair, type ItemTexts, textsOf } from "../layout/text-pairs.ts";

/** What is looked at of a tape. */
export interface Reviewed extends Pick<Reader, "channels" | "records" | "batches"> {
  readonly header: TapeHeader;
  readonly shape: TapeShape;
  readonly layout: TapeLayout;
}

/** Warns of what FlightGear would not play of a tape, or not as it was recorded: rules of spec §8 and semantics §4. */
export async function review(tape: Reviewed, report: Reporter, signal?: AbortSignal): Promise<void> {
  const warn = (code: FindingCode, message: string, time?: number): void =>
    report.report({ code, severity: "warning", message, time });
  const frames = await framesOf(tape, signal);
  const plays = playsIn(tape.layout.frames, tape.shape.generation);
  if (!plays.endsWith("later"))
    warn("plays-nowhere", `plays in ${plays}; copied with --dialect normal it plays in others`);
  if (frames.length === 0) {
    warn("plays-nothing", "FlightGear loads a tape without frames and plays nothing");
    return;
  }
  const isNormal = tape.header.layout === "normal";
  if (isNormal) reviewBuffers(frames, warn);
  const early = frames.filter(({ native }) => native < 0).length;
  if (early > 0)
    warn("negative-times", `${early} frames have times below 0, at which FlightGear returns to the first frame`);
  // As FlightGear has them: moments of one nanosecond may be several there.
  const times = Float64Array.from(frames, ({ native }) => native).sort();
  if (!isNormal) {
    const hidden = times.filter((time, i) => time === times[i + 1]).length;
    if (hidden > 0)
      warn("hidden-frames", `${hidden} frames have the same time as another: FlightGear shows the last of them`);
    await reviewSignals(tape, times, warn, signal);
    await reviewTexts(tape, times, warn, signal);
  }
}

type Warn = (code: FindingCode, message: string, time?: number) => void;

interface Frame {
  readonly native: number;
  /** Of a Normal tape: 0 short, 1 medium, 2 long term. */
  readonly buffer: number;
}

/** In the order of the file. */
async function framesOf(tape: Reviewed, signal: AbortSignal | undefined): Promise<Frame[]> {
  const frames: Frame[] = [];
  let buffer = -1;
  for await (const records of tape.records(signal)) {
    for (const { kind, bytes } of records) {
      if (kind === "container") buffer++;
      else if (kind === "frame" && bytes.length >= 8) {
        frames.push({ native: new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true), buffer });
      }
    }
  }
  return frames;
}

/** Native time of the frame that a message is in. */
function nativeOf({ context, sequence, shifted }: MessageBatch, i: number): number {
  const table = context as FrameTable;
  return table.native(table.find(sequence[i]! - shifted));
}

function reviewBuffers(frames: readonly Frame[], warn: Warn): void {
  if (!frames.some(({ buffer }) => buffer === 0)) {
    warn("plays-nothing", "FlightGear plays nothing of a Normal tape without frames in its short-term buffer");
  }
  const oldest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { native, buffer } of frames) oldest[buffer] = Math.min(oldest[buffer]!, native);
  const late = frames.filter(
    ({ native, buffer }) => (buffer > 0 && native > oldest[0]!) || (buffer > 1 && native > oldest[1]!),
  ).length;
  if (late > 0)
    warn("buffer-order", `${late} frames are newer than others in a newer buffer: FlightGear does not find them`);
}

/** FlightGear interpolates between two frames with signals, and not to one without. */
async function reviewSignals(
  tape: Reviewed,
  times: Float64Array,
  warn: Warn,
  signal: AbortSignal | undefined,
): Promise<void> {
  const channels = tape.channels.filter(({ name }) => name === "signals");
  if (channels.length === 0) return;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const held = new Set<number>();
  for await (const batch of tape.batches({ channels, signal })) {
    for (let i = 0; i < batch.length; i++) {
      const time = nativeOf(batch, i);
      if (batch.end[i]! - batch.start[i]! >= tape.layout.signals.bytes) held.add(time);
      first = Math.min(first, time);
      last = Math.max(last, time);
    }
  }
  const gaps = times.filter((time) => time > first && time < last && !held.has(time)).length;
  if (gaps > 0)
    warn("signal-gaps", `${gaps} frames between others have no signals: FlightGear stands still up to them`);
}

/** Texts in frames one behind the other, which end FlightGear (`fatalPair`). */
async function reviewTexts(
  tape: Reviewed,
  times: Float64Array,
  warn: Warn,
  signal: AbortSignal | undefined,
): Promise<void> {
  const channels = tape.channels.filter(({ name }) => name === "extra-properties");
  if (channels.length === 0) return;
  let last: { readonly at: number; readonly texts: ItemTexts } | null = null;
  let at = 0;
  for await (const batch of tape.batches({ channels, signal })) {
    for (let i = 0; i < batch.length; i++) {
      const time = nativeOf(batch, i);
      while (at < times.length - 1 && times[at]! < time) at++;
      const texts = textsOf(batch.payload(i));
      const path = last !== null && isNext(times, last.at, at) ? fatalPair(last.texts, texts) : null;
      if (path !== null) {
        const message = `${path} is set in two consecutive frames, and not to numbers: FlightGear exits there when it replays extra properties`;
        warn("fatal-text", message, batch.time[i]!);
      }
      last = { at, texts };
    }
  }
}

/** Whether the frame at `to` is the first behind that at `from`, where places of one time are one frame. */
function isNext(times: Float64Array, from: number, to: number): boolean {
  let next = from + 1;
  while (next < to && times[next] === times[from]) next++;
  return next === to;
}
