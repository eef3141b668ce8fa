import { Fold } from "../model/fold.ts";
import { statesAlong } from "../model/query/along.ts";
import { boundsOf, type QuerySource } from "../model/query/source.ts";
import type { Recording } from "../model/recording.ts";
import { wholeScope } from "../model/scope.ts";
import type { MutableState, State } from "../model/state/state.ts";
import type { Time, TimeRange } from "../model/values/time.ts";

/** At which times states are looked at. */
export interface MomentOptions extends TimeRange {
  /** Nanoseconds between two; absent: one for each time with a message of motion, or of any kind in a recording without. */
  readonly every?: Time | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The state at one moment after the other: where there is motion, at the times at which `Recording.table` has rows. It is always the same
 * object, which is not to be changed. The recording is read once, and memory is that of one state.
 */
export async function* momentsOf(recording: Recording, options: MomentOptions): AsyncGenerator<MutableState> {
  const source = sourceOf(recording);
  const bounds = await boundsOf(source, options);
  if (bounds.start >= bounds.end) return;
  const model = recording.reader.state;
  const motion = await motionOf(recording, options.signal);
  const counts = (channel: number): boolean =>
    motion === null ? model.holds?.(channel) !== false : channel === motion;
  yield* statesAlong(source, { bounds, counts, every: options.every, signal: options.signal });
}

/**
 * Enough to see which sets a recording has: at its end, start and middle, and if `isFound` is false of them, all. The
 * values stay out: to copy them at each moment takes minutes of a recording with many channels.
 */
export async function* lookedAt(recording: Recording, isFound: () => boolean): AsyncGenerator<Pick<State, "sets">> {
  const { start, end } = await recording.timeline();
  for (const time of [end, start, Math.round((start + end) / 2)]) yield recording.state(time);
  if (isFound()) return;
  for await (const state of momentsOf(recording, {})) {
    yield { sets: state.freezeSets(() => true) };
    if (isFound()) return;
  }
}

/** With what the recording is about first; `fitting` in the order in which they were found. */
export async function foremostFirst(recording: Recording, fitting: ReadonlySet<string>): Promise<readonly string[]> {
  const things = (await recording.traits()).showing?.things ?? [];
  const first = things.filter((name) => fitting.has(name));
  return [...first, ...[...fitting].filter((name) => !first.includes(name))];
}

/** Channel whose messages make moments; null: any that holds something, also where none of motion was recorded. */
async function motionOf(recording: Recording, signal: AbortSignal | undefined): Promise<number | null> {
  const { motion } = recording.reader.state;
  if (motion === null) return null;
  const statistics = await recording.statistics(signal);
  return statistics[motion]?.messages === 0 ? null : motion;
}

function sourceOf(recording: Recording): QuerySource {
  const { reader } = recording;
  const fold = new Fold(reader, undefined, undefined, wholeScope(reader), recording.sideCar?.states);
  return { reader, fold, traits: () => recording.traits() };
}
