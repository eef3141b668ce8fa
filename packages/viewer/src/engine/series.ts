import { MutableState, type Recording, type State, type Value } from "simtape";
import type { NumericPath, Series, SeriesPath } from "../protocol.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";

const AXES = "xyzw";

/** Every number of the state at a time, by its path. */
export const paths: Query<"paths"> = async (engine, { recording, time }, signal) =>
  numericPaths(await engine.recording(recording).state(time, { signal }));

/** Folds the recording once for all paths, and takes a sample at every moment of it. */
export const series: Query<"series"> = async (
  engine,
  { recording: id, paths, start, end, columns },
  signal,
  report,
) => {
  const recording = engine.recording(id);
  const found = paths.map((path) => new Levels(path, columns));
  const scale = columns / Math.max(1, end - start);
  for await (const { time, state } of moments(recording, end, signal)) {
    if (time < start) continue;
    const column = Math.min(columns - 1, Math.floor((time - start) * scale));
    for (const levels of found) levels.take(column, state);
    report({ done: time - start, total: end - start });
  }
  return found.map((levels): Series => levels.series);
};

/** The state before the first message of every new time, as long as `end` is not reached. The state is always the same one. */
async function* moments(
  recording: Recording,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly time: number; readonly state: MutableState }> {
  const model = recording.reader.state;
  const state = new MutableState();
  const breather = new Breather(signal);
  model.begin?.(state);
  let time: number | null = null;
  for await (const batch of recording.batches({ end, signal })) {
    for (let i = 0; i < batch.length; i++) {
      if (time !== null && batch.time[i]! > time) yield { time, state };
      time = batch.time[i]!;
      state.time = time;
      model.apply(state, batch, i);
    }
    await breather.breathe();
  }
  if (time !== null) yield { time, state };
}

class Levels {
  readonly series: Series & { unit: string | null };

  constructor(path: SeriesPath, columns: number) {
    const unknown = (): Float64Array => new Float64Array(columns).fill(Number.NaN);
    this.series = { path, unit: null, min: unknown(), max: unknown() };
  }

  take(column: number, state: MutableState): void {
    const { path, min, max } = this.series;
    const number = "value" in path ? inValue(state.value(path.value), path.item) : this.#inColumn(state, path);
    if (Number.isNaN(number)) return;
    if (!(min[column]! <= number)) min[column] = number;
    if (!(max[column]! >= number)) max[column] = number;
  }

  #inColumn(state: MutableState, path: Extract<SeriesPath, { readonly set: string }>): number {
    const set = state.sets.get(path.set);
    const row = set?.find(path.id);
    const column = set?.columns.get(path.column);
    if (row === undefined || row < 0 || column === undefined) return Number.NaN;
    this.series.unit = column.spec.unit;
    const cell = column.number(row, path.item) as unknown;
    return typeof cell === "number" ? cell : Number.NaN;
  }
}

function inValue(value: Value | undefined, item: number): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null || !("length" in value)) return Number.NaN;
  const cell = (value as ArrayLike<unknown>)[item];
  return typeof cell === "number" ? cell : Number.NaN;
}

function numericPaths(state: State): NumericPath[] {
  const found: NumericPath[] = [];
  for (const [name, value] of state.values) {
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
      found.push({ path: { value: name, item: 0 }, label: name, unit: null });
    }
  }
  for (const [name, { ids, columns }] of state.sets) {
    for (const id of ids) {
      for (const [column, { data, width, unit }] of columns) {
        if (Array.isArray(data)) continue;
        for (let item = 0; item < width; item++) {
          const label = `${name}/${id}/${column}${width === 1 ? "" : `.${AXES[item] ?? item}`}`;
          found.push({ path: { set: name, id, column, item }, label, unit });
        }
      }
    }
  }
  return found;
}
