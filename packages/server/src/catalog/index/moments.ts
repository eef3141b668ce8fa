import { pathsIn, readPath, type Recording, type SeriesPath, type State } from "simtape";
import { type Tracks, tracksOf } from "./tracks.ts";

/** Number of moments at which a recording is sampled. */
const MOMENTS = 24;
const MOST_ENTITIES = 2000;
/** Most numbers that are sampled where no thing has a position. */
const MOST_NUMBERS = 200;

export interface EntityFact {
  readonly set: string;
  readonly name: string;
  readonly label: string;
  readonly kind: string;
}

/** The facts from the states at some moments. */
export interface Moments {
  readonly states: readonly State[];
  /** The things and persons in the recording. */
  readonly entities: readonly EntityFact[];
  readonly tracks: Tracks;
  /** Where no thing has a position: numbers that change, at each moment. */
  readonly lines: readonly (readonly number[])[];
}

/** Samples a recording from its start to its end. */
export async function momentsOf(
  recording: Recording,
  start: number,
  end: number,
  clean: (text: string) => string,
  signal: AbortSignal,
): Promise<Moments> {
  const states: State[] = [];
  const entities = new Map<string, EntityFact>();
  for await (const state of statesAlong(recording, start, end)) {
    states.push(state);
    addEntities(state, entities, clean);
  }
  const tracks = await tracksOf(recording, states, signal);
  return { states, entities: [...entities.values()], tracks, lines: tracks.length > 0 ? [] : linesIn(states) };
}

/** Yields the states at moments at equal distances, up to the end. */
async function* statesAlong(recording: Recording, start: number, end: number): AsyncGenerator<State> {
  const every = Math.floor((end - start) / (MOMENTS - 1));
  if (every === 0) yield await recording.state(end);
  // there is no index to seek with: read all moments in one pass
  else if (recording.sideCar === null) yield* recording.states({ start: end - (MOMENTS - 1) * every, every });
  else for (let before = MOMENTS - 1; before >= 0; before--) yield await recording.state(end - before * every);
}

function addEntities({ sets }: State, found: Map<string, EntityFact>, clean: (text: string) => string): void {
  for (const [name, set] of sets) {
    const [labels, kinds] = [set.columns.get("label"), set.columns.get("kind")];
    for (let row = 0; row < set.ids.length && found.size < MOST_ENTITIES; row++) {
      const id = clean(String(set.ids[row]));
      const label = clean(String(labels?.data[row] ?? "")) || id;
      found.set(`${name}\n${id}`, { set: clean(name), name: id, label, kind: clean(String(kinds?.data[row] ?? "")) });
    }
  }
}

function linesIn(states: readonly State[]): number[][] {
  const paths = new Map<string, SeriesPath>();
  for (const state of [states[0]!, states.at(-1)!]) {
    let looked = 0;
    for (const { text, path, kind } of pathsIn(state)) {
      if (looked++ > MOST_NUMBERS) break;
      if (kind === "number" || kind === "integer") paths.set(text, path);
    }
  }
  const lines = [...paths.values()].map((path) =>
    states.map((state) => {
      const found = readPath(state, path);
      return typeof found === "number" || typeof found === "bigint" ? Number(found) : Number.NaN;
    }),
  );
  const changes = (line: readonly number[]): number => new Set(line.filter(Number.isFinite)).size;
  return lines
    .filter((line) => changes(line) > 1)
    .toSorted((a, b) => changes(b) - changes(a))
    .slice(0, 4);
}
