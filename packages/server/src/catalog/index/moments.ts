import { pathsIn, posesOf, readPath, type EntitySet, type Recording, type SeriesPath, type State } from "simtape";

/** Number of moments at which a recording is sampled. */
const MOMENTS = 24;
const MOST_ENTITIES = 2000;
/** Most things whose path is recorded. */
const MOST_TRACKS = 400;
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
  /**
   * For each thing with a position: x and y at each moment, NaN where it does not exist; seen from above, y upwards.
   */
  readonly tracks: readonly (readonly number[])[];
  /** Where no thing has a position: numbers that change, at each moment. */
  readonly lines: readonly (readonly number[])[];
}

/** Samples a recording from its start to its end. */
export async function momentsOf(
  recording: Recording,
  start: number,
  end: number,
  clean: (text: string) => string,
): Promise<Moments> {
  const states: State[] = [];
  const entities = new Map<string, EntityFact>();
  for await (const state of statesAlong(recording, start, end)) {
    states.push(state);
    addEntities(state, entities, clean);
  }
  const { showing } = await recording.traits();
  const tracks = tracksIn(states, showing?.things ?? []);
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

function tracksIn(states: readonly State[], things: readonly string[]): number[][] {
  const shown = shownSets(states, things);
  const tracks = new Map<string, number[]>();
  const place = [0, 0, 0];
  for (const [moment, { sets }] of states.entries()) {
    for (const name of shown) {
      const set = sets.get(name);
      const poses = set === undefined ? null : posesOf(set);
      if (set === undefined || poses === null) continue;
      const step = Math.max(1, Math.ceil(set.ids.length / MOST_TRACKS));
      for (let row = 0; row < set.ids.length; row += step) {
        const isKnown = poses.isGeodetic ? poses.geodetic(row, place, 0) : poses.position(row, place, 0);
        if (!isKnown || !place.every(Number.isFinite)) continue;
        const key = `${name}\n${set.ids[row]}`;
        let track = tracks.get(key);
        if (track === undefined) {
          if (tracks.size >= MOST_TRACKS) continue;
          track = new Array<number>(2 * states.length).fill(Number.NaN);
          tracks.set(key, track);
        }
        // degrees north and east, or metres
        const [a, b] = place as [number, number];
        track[2 * moment] = poses.isGeodetic ? b * Math.cos((a * Math.PI) / 180) : a;
        track[2 * moment + 1] = poses.isGeodetic ? a : b;
      }
    }
  }
  return [...tracks.values()];
}

/**
 * The things that the recording is about; otherwise those that move according to what is recorded; otherwise the set
 * with the most things.
 */
function shownSets(states: readonly State[], things: readonly string[]): readonly string[] {
  const placed = new Map<string, EntitySet>();
  for (const { sets } of states)
    for (const [name, set] of sets) {
      const isMore = set.ids.length > (placed.get(name)?.ids.length ?? 0);
      if (isMore && posesOf(set) !== null) placed.set(name, set);
    }
  const foremost = things.find((name) => placed.has(name));
  if (foremost !== undefined) return [foremost];
  const moving = [...placed].filter(([, { columns }]) => columns.has("velocity"));
  const others = [...placed].toSorted(([, a], [, b]) => b.ids.length - a.ids.length).slice(0, 1);
  return (moving.length > 0 ? moving : others).map(([name]) => name);
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
