import fc from "fast-check";
import { openBundle } from "../../../src/model/open.ts";
import { type PathInfo, pathsIn } from "../../../src/model/query/listing.ts";
import type { SeriesPath } from "../../../src/model/state/path.ts";
import { readPath } from "../../../src/model/query/probe.ts";
import type { Series } from "../../../src/model/query/sinks.ts";
import type { Recording } from "../../../src/model/recording.ts";
import type { State } from "../../../src/model/state/state.ts";
import { FORMATS } from "../../../src/index.ts";
import type { SoundRecording } from "../../specimens.ts";

/** Recorded moments whose state is known, found by `state(t)` alone. */
export interface Truth {
  readonly recording: Recording;
  /** All times at which there are messages, ascending. */
  readonly moments: readonly number[];
  /** Some of them, ascending, with their states. */
  readonly states: readonly State[];
  /** All paths of those states, each once. */
  readonly paths: readonly PathInfo[];
}

/** `count` moments of a recording, the first and last among them. */
export async function truthOf(sound: SoundRecording, count: number): Promise<Truth> {
  const recording = await openBundle(sound.bundle(), FORMATS);
  const all = new Set<number>();
  for await (const { time } of recording.batches()) for (const at of time) all.add(at);
  const moments = [...all];
  const picked = fc.sample(fc.constantFrom(...moments), { numRuns: count, seed: 7 });
  const times = [...new Set([moments[0]!, moments.at(-1)!, ...picked])].sort((a, b) => a - b);
  const states: State[] = [];
  for (const time of times) states.push(await recording.state(time));
  const paths = new Map<string, PathInfo>();
  for (const state of states) for (const info of pathsIn(state)) paths.set(info.text, info);
  return { recording, moments, states, paths: [...paths.values()] };
}

/** What a row of a series says, as a state would: undefined, a number or a text. */
export function rowOf(series: Series, row: number): number | string | undefined {
  if (series.valid[row] === 0) return undefined;
  const value = series.value[row]!;
  return series.texts === null ? value : series.texts[value];
}

/** The same of a state; of a path whose series are texts, everything is one. */
export function toldOf(state: State, path: SeriesPath, { texts }: Series): number | string | undefined {
  const value = readPath(state, path);
  if (value === undefined) return undefined;
  if (texts !== null) return String(value);
  return typeof value === "string" ? Number.NaN : Number(value);
}

/** The last row at or before a time; -1: there is none. */
export function rowAt({ time }: Series, at: number): number {
  return time.findLastIndex((one) => one <= at);
}
