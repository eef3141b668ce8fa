import { CHART_POINTS, type Recording, type Series, type SeriesPath, thinSeries } from "simtape";
import type { Range } from "../plots/shared.ts";
import { Breather, type Precedence } from "./breather.ts";

/**
 * Steps of a recording, each of which has at most four points: where these are too few, that part is gone through again.
 * A side-car keeps the first chart in so many.
 */
export const STEPS: number = CHART_POINTS;
/** Rows between two looks at what is there. */
const ROWS = 4096;

type Listener = (done: number) => void;

/**
 * Some numbers over a whole recording, thinned. It is gone through once, for as long as a caller waits for it: called off
 * by all of them it stands still, and goes on from there when a caller comes again.
 */
export class Survey {
  readonly paths: readonly SeriesPath[];
  readonly #recording: Recording;
  readonly #bounds: Range;
  readonly #first: Precedence | null;
  readonly #listeners = new Set<Listener>();
  /** By path, in the order of time. */
  #pieces: Series[][];
  #running: Promise<void> | null = null;
  /** Everything before is known. */
  reached: number;
  /** Lets it go on; null while it does. */
  #goOn: (() => void) | null = null;

  /** `first`: what goes before it. */
  constructor(recording: Recording, paths: readonly SeriesPath[], bounds: Range, first: Precedence | null = null) {
    this.#first = first;
    this.paths = paths;
    this.#recording = recording;
    this.#bounds = bounds;
    this.#pieces = paths.map(() => []);
    this.reached = bounds.start;
  }

  /** Length of a step. */
  get step(): number {
    return (this.#bounds.end - this.#bounds.start) / STEPS;
  }

  /** Comes back when all is there; `onProgress` gets the time that was reached. */
  async complete(onProgress: Listener, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#listeners.add(onProgress);
    this.#goOn?.();
    this.#goOn = null;
    this.#running ??= this.#run().catch((error: unknown) => {
      this.#running = null;
      this.#pieces = this.paths.map(() => []);
      throw error;
    });
    // all may leave before it fails
    this.#running.catch(() => undefined);
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener("abort", leave);
    });
    try {
      await Promise.race([this.#running, left]);
    } finally {
      signal.removeEventListener("abort", leave);
      this.#listeners.delete(onProgress);
    }
  }

  /** What is known so far of a path, all of it. */
  series(path: number): Series | null {
    const pieces = this.#pieces[path]!;
    if (pieces.length > 1) this.#pieces[path] = [joined(pieces)];
    return this.#pieces[path]![0] ?? null;
  }

  async #run(): Promise<void> {
    const { start, end } = this.#bounds;
    const breather = new Breather(new AbortController().signal, this.#first);
    const batches = this.#recording.seriesBatches(this.paths, {
      start,
      end,
      points: STEPS,
      rows: ROWS,
      onProgress: async (done) => {
        this.reached = start + done;
        for (const listener of this.#listeners) listener(this.reached);
        await breather.breathe();
        if (this.#listeners.size === 0) await new Promise<void>((resolve) => (this.#goOn = resolve));
      },
    });
    for await (const batch of batches) {
      for (const [i, series] of batch.entries()) {
        const pieces = this.#pieces[i]!;
        if (pieces.length === 0 || series.time.length + series.moments > 0) pieces.push(series);
      }
    }
    this.reached = end;
  }
}

/** Pieces of one number's series as one. */
function joined(pieces: readonly Series[]): Series {
  const length = pieces.reduce((sum, { time }) => sum + time.length, 0);
  const [time, value, valid] = [new Float64Array(length), new Float64Array(length), new Uint8Array(length)];
  let at = 0;
  let moments = 0;
  for (const piece of pieces) {
    time.set(piece.time, at);
    value.set(piece.value, at);
    valid.set(piece.valid, at);
    at += piece.time.length;
    moments += piece.moments;
  }
  return { ...pieces.at(-1)!, time, value, valid, moments };
}

/**
 * What a range of a series looks like in so many columns, and its neighbours on either side. Behind the last one what is
 * held goes on to the end of the range, or to `known`, behind which nothing is known.
 */
export function lineOf(series: Series, range: Range, columns: number, known: number): Series {
  const thin = thinSeries(series, { start: range.start, end: Math.floor(range.end) + 1, points: columns });
  const line = withNeighbours(thin, series, range);
  const last = line.time.length - 1;
  const end = Math.min(range.end, known);
  if (line.interpolation !== "hold" || last < 0 || line.time[last]! >= end) return line;
  return {
    ...line,
    time: Float64Array.from([...line.time, end]),
    value: Float64Array.from([...line.value, line.value[last]!]),
    valid: Uint8Array.from([...line.valid, line.valid[last]!]),
  };
}

/** A series of a range, and what stands right before and right behind that in another one of the same path. */
export function withNeighbours(inner: Series, outer: Series, { start, end }: Range): Series {
  const before = outer.time.findLastIndex((time) => time < start);
  const behind = outer.time.findIndex((time) => time > end);
  const first = before < 0 ? [] : [before];
  const last = behind < 0 ? [] : [behind];
  const around = (own: ArrayLike<number>, other: ArrayLike<number>): number[] => [
    ...first.map((row) => other[row]!),
    ...Array.from(own),
    ...last.map((row) => other[row]!),
  ];
  return {
    ...inner,
    time: Float64Array.from(around(inner.time, outer.time)),
    value: Float64Array.from(around(inner.value, outer.value)),
    valid: Uint8Array.from(around(inner.valid, outer.valid)),
  };
}
