import { Fold } from "../model/fold.ts";
import type { SeriesPath } from "../model/state/path.ts";
import { seriesBatchesOf, type SeriesOptions, seriesOf } from "../model/query/series.ts";
import type { QuerySource } from "../model/query/source.ts";
import type { Reader } from "../model/reader.ts";
import type { Recording } from "../model/recording.ts";
import { difference } from "./difference.ts";
import { ObservationError } from "./observe.ts";

/** What is asked of two ways to read series. */
export interface SeriesQuestion {
  readonly paths: readonly SeriesPath[];
  readonly options: SeriesOptions;
  /** Rows of a batch; null: all at once. */
  readonly rows: number | null;
}

/** Paths that are asked for in one question, and questions of each recording: fewer of one that is large. */
const PATHS = 8;
const QUESTIONS = 24;
const LARGE = 1 << 20;

/**
 * Compares series that a format's column reader helped to read with those for which everything was folded: values,
 * what is there, times, units, kinds, texts. Throws `ObservationError` where they differ.
 */
export class ColumnComparison {
  readonly #read: QuerySource;
  readonly #folded: QuerySource;

  constructor(recording: Recording) {
    const { reader } = recording;
    const traits = (): ReturnType<Recording["traits"]> => recording.traits();
    const plain = withoutColumns(reader);
    this.#read = { reader, fold: new Fold(reader), traits };
    this.#folded = { reader: plain, fold: new Fold(plain), traits };
  }

  async compare({ paths, options, rows }: SeriesQuestion): Promise<void> {
    const what = `series of ${JSON.stringify({ paths, ...options, rows })}`;
    const answer = async (source: QuerySource): Promise<unknown[]> => {
      if (rows === null) return [await seriesOf(source, paths, options)];
      const batches: unknown[] = [];
      for await (const batch of seriesBatchesOf(source, paths, { ...options, rows })) batches.push(batch);
      return batches;
    };
    const where = difference(await answer(this.#folded), await answer(this.#read));
    if (where !== null) throw new ObservationError(`${what}: ${where}`);
  }
}

/** Whether a format has a column reader for any of these paths. */
export function hasColumns({ reader }: Recording, paths: readonly SeriesPath[]): boolean {
  const wanted = paths.map((path, place) => ({ path, place }));
  const columns = reader.state.columns?.(wanted) ?? null;
  return columns?.accepts.some((accepts) => accepts) === true;
}

/** Asks for paths of the recording in random groups, ranges and modes, the same ones every time. */
export async function sameByColumns(recording: Recording): Promise<void> {
  if (recording.reader.state.columns === undefined) return;
  const listed = (await recording.paths()).map(({ path }) => path);
  if (listed.length === 0) return;
  const { start, end } = await recording.timeline();
  const random = linear(listed.length);
  const within = (): number => Math.round(start + (end - start) * random());
  const comparison = new ColumnComparison(recording);
  const questions = (recording.info.bytes ?? 0) > LARGE ? QUESTIONS / 4 : QUESTIONS;
  for (let n = 0; n < questions; n++) {
    const paths = Array.from({ length: 1 + Math.floor(random() * PATHS) }, () => oneOf(listed, random));
    const modes = [{}, { isAligned: true }, { points: 7 }, { every: Math.max(1, (end - start) / 13) }];
    const range = n % 3 === 0 ? {} : { start: within(), end: within() };
    const rows = n % 4 === 3 ? 1 + Math.floor(random() * 50) : null;
    await comparison.compare({ paths, options: { ...range, ...oneOf(modes, random) }, rows });
  }
}

function oneOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}

/** Numbers in [0, 1), the same for the same seed. */
function linear(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** The same recording as one that was edited: nothing is narrowed and nothing read ahead. */
function withoutColumns(reader: Reader): Reader {
  const { info, channels, budget, state } = reader;
  return {
    ...{ info, channels, budget, state },
    base: reader,
    timeline: () => reader.timeline(),
    statistics: (signal) => reader.statistics(signal),
    batches: (query) => reader.batches(query),
    keyframe: (time, signal) => reader.keyframe(time, signal),
    records: (signal) => reader.records(signal),
    close: async () => undefined,
  };
}
