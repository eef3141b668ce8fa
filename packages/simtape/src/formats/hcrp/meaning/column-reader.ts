import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { ChunkContext } from "../chunk/context.ts";
import { readSections, SECTION } from "../layout/chunk.ts";
import { EVENT } from "../layout/events.ts";
import { readCount } from "../layout/lists.ts";
import { Move, MOVE_ON_GROUND, moverOf, PLACE_ON_GROUND, readUsualMove } from "../layout/motion.ts";
import { advance, follow, MET, MOVED, TURNED } from "./move-run.ts";
import { Moments, type Source } from "./moments.ts";
import { type ActorColumns, type Actors, CARRIED, CHUNK, Scene } from "./scene.ts";
import { EntityRow, LEAST_ENTITY, type Subjects } from "./snapshot-entities.ts";

/** Things of higher ids are left to the fold. */
const IDS = 1 << 16;
/** Columns that a move can change. */
const MOVING: ReadonlyMap<string, Wanted> = new Map([
  ["position", "position"],
  ["rotation", "rotation"],
  ["head-yaw", "headYaw"],
  ["on-ground", "onGround"],
]);

/** What has to be worked out of a move for each. */
const FOLLOWING: Readonly<Record<Wanted, number>> = { position: MOVED, rotation: TURNED, headYaw: TURNED, onGround: 0 };
const ACTORS: ReadonlySet<string> = new Set(["players", "entities"]);

/** Columns of a thing of which numbers are wanted; that of the ground is apart. */
type Wanted = "position" | "rotation" | "headYaw" | "onGround";

/** The doubles of the columns of one set, while they may be written to. */
interface Cells {
  readonly grid: Float64Array;
  readonly displacement: Float64Array;
  readonly angles: Float64Array;
  readonly position: Float64Array;
  readonly rotation: Float64Array;
  readonly headYaw: Float64Array;
}

/** A thing that is there, and of which something is wanted. */
interface Body {
  readonly row: number;
  readonly columns: ActorColumns;
  cells: Cells;
  /** Where among those of all bodies is what is in `onGround`. */
  readonly ground: number;
  /** Bits of what is worked out by each move, because it is wanted; and of what else has to be when the state is settled. */
  wanted: number;
  waiting: number;
}

/** A wanted number, and its place among the columns that are read. */
interface Cell {
  readonly columns: ActorColumns;
  readonly of: Wanted;
  readonly at: number;
  readonly place: number;
}

/** All wanted numbers of one column of a set. */
interface Output extends Source {
  readonly columns: ActorColumns;
  readonly of: Wanted;
}

/**
 * Reads moves, which are most of a recording: those of the things that are wanted change their rows at once, all others
 * are passed over. What moves cannot change is as the fold left it. Of a snapshot it reads where these things are, when
 * nothing else is wanted and the same things are there as before: the rest of the state is not brought up to it then.
 */
export class MoveColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #scene = new Scene();
  readonly #move = new Move();
  readonly #snapshot: number;
  readonly #subjects: Subjects;
  readonly #row = new EntityRow();
  /** Nothing is wanted but what moves change. */
  readonly #isMoving: boolean;
  /** By id of a thing what is wanted of it: values of it, too. */
  readonly #wanted = new Map<number, WantedNumber[]>();
  /** The same by id, once it was looked up in the state; null: it is not wanted, or not there. */
  readonly #bodies: (Body | null)[];
  /** Those that are there. */
  #present: readonly Body[] = [];
  /** By body whether it is on the ground. */
  readonly #ground: Float64Array;
  /** What is wanted of all of them. */
  #outputs: readonly Output[] = [];
  #moments = new Moments([]);
  #state: MutableState | null = null;
  #isOpen = false;
  #chunk = -1;
  #actors: Actors | null = null;

  /** `snapshot`: the channel of snapshots; `subjects` are players. */
  constructor(wanted: readonly WantedNumber[], snapshot: number, subjects: Subjects) {
    this.#snapshot = snapshot;
    this.#subjects = subjects;
    this.#isMoving = wanted.every(({ path }) => "set" in path && ACTORS.has(path.set) && MOVING.has(path.column));
    this.accepts = wanted.map(({ path }) => !("set" in path && typeof path.id === "number" && path.id >= IDS));
    for (const one of wanted) {
      const { path } = one;
      if (!("set" in path && typeof path.id === "number" && path.id >= 0 && path.id < IDS)) continue;
      this.#wanted.set(path.id, [...(this.#wanted.get(path.id) ?? []), one]);
    }
    this.#ground = new Float64Array(this.#wanted.size);
    this.#bodies = Array.from({ length: 1 + Math.max(-1, ...this.#wanted.keys()) }, () => null);
  }

  begin(state: MutableState): void {
    this.#state = state;
    this.#isOpen = false;
  }

  writes(place: number): boolean {
    return this.#isOpen && this.#moments.writes(place);
  }

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    if (!this.#isOpen && !this.#open()) return 0;
    const moments = this.#moments;
    const { channel, bytes, start, end } = batch;
    const { chunk } = batch.context as ChunkContext;
    let n = 0;
    for (; n < count; n++) {
      if (n > 0 && slots[n] !== slots[n - 1] && moments.take(slots[n - 1]!)) moments.put(columns);
      const row = rows[n]!;
      if (channel[row] !== EVENT.move) {
        if (channel[row] !== this.#snapshot || !this.#isMoving || !this.#takeSnapshot(batch, row)) break;
      } else if (chunk !== this.#chunk || !this.#take(bytes, start[row]!, end[row]!)) break;
    }
    if (n > 0) moments.take(slots[n - 1]!);
    moments.put(columns);
    return n;
  }

  /** False: it has to be folded. */
  #take(bytes: Uint8Array, start: number, end: number): boolean {
    const entity = start < end ? moverOf(bytes, start) : -1;
    if (entity < 0) return false;
    const body = entity < this.#bodies.length ? this.#bodies[entity]! : null;
    if (body === null) return true;
    const move = this.#move;
    if (!readUsualMove(bytes, start, end, move)) return false;
    const { row, cells } = body;
    const { grid, angles } = cells;
    const touched = advance(grid, cells.displacement, angles, 3 * row, move);
    const now = touched & body.wanted;
    if (now !== 0) follow(cells.position, cells.rotation, cells.headYaw, grid, angles, row, now);
    body.waiting |= (touched ^ now) | MET;
    // whether a thing is on the ground is as likely as not: a branch on it would cost more than the rest
    this.#ground[body.ground] = (move.mask & MOVE_ON_GROUND) / MOVE_ON_GROUND;
    return true;
  }

  /** Puts what is wanted where a snapshot has it; false: it has to be folded. */
  #takeSnapshot(batch: MessageBatch, row: number): boolean {
    const state = this.#state!;
    const body = state.value(CARRIED) === true ? null : entitiesOf(batch.payload(row));
    const cursor = new ByteCursor(body ?? NOTHING);
    const places = body === null ? null : this.#locate(cursor);
    if (places === null) return false;
    for (const at of places) {
      cursor.seek(at);
      this.#place(cursor);
    }
    this.#chunk = (batch.context as ChunkContext).chunk;
    state.setValue(CHUNK, this.#chunk);
    return true;
  }

  /** Where the wanted ones are, if there are as many things as before, and each that is wanted is in the same set. */
  #locate(cursor: ByteCursor): number[] | null {
    const { players, entities } = this.#actors!;
    const one = this.#row;
    const places: number[] = [];
    try {
      const count = readCount(cursor, LEAST_ENTITY);
      if (count !== players.set.size + entities.set.size) return null;
      for (let i = 0, last = -1; i < count; i++, last = one.entity) {
        const at = cursor.position;
        one.read(cursor);
        if (one.entity <= last) return null;
        if (!this.#wanted.has(one.entity)) continue;
        const isPlayer = one.profile >= 0 || this.#subjects.has(one.entity);
        if (this.#bodies[one.entity]?.columns !== (isPlayer ? players : entities)) return null;
        places.push(at);
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return null;
    }
    return cursor.remaining === 0 && places.length === this.#present.length ? places : null;
  }

  #place(cursor: ByteCursor): void {
    const one = this.#row;
    one.read(cursor);
    const body = this.#bodies[one.entity]!;
    const { row, cells } = body;
    const { grid, displacement, angles, position, rotation, headYaw } = cells;
    grid.set([one.x, one.y, one.z], 3 * row);
    displacement.fill(0, 3 * row, 3 * row + 3);
    angles.set([one.yaw, one.pitch, 0], 3 * row);
    follow(position, rotation, headYaw, grid, angles, row, MOVED | TURNED);
    body.waiting = MET;
    this.#ground[body.ground] = one.placeFlags & PLACE_ON_GROUND;
  }

  /** Works out what no move did, because it is not wanted. */
  settle(): void {
    for (const body of this.#present) {
      if (body.waiting === 0) continue;
      const { row, columns, cells, waiting } = body;
      follow(cells.position, cells.rotation, cells.headYaw, cells.grid, cells.angles, row, waiting);
      columns.onGround.put(row, this.#ground[body.ground]!);
      body.waiting = 0;
    }
  }

  /** False while changes are noted, and while there are pictures of what other sets hold, which have ids of their own. */
  #open(): boolean {
    const state = this.#state!;
    const actors = this.#scene.actors(state);
    if (actors === null || actors.players.grid.direct() === null) return false;
    this.#isOpen = true;
    this.#actors = actors;
    this.#chunk = state.value(CHUNK) as number;
    const players = cellsOf(actors.players);
    const entities = cellsOf(actors.entities);
    let isSame = true;
    let ground = 0;
    for (const id of this.#wanted.keys()) {
      const isPlayer = actors.players.set.find(id) >= 0;
      const columns = isPlayer ? actors.players : actors.entities;
      const row = columns.set.find(id);
      const cells = isPlayer ? players : entities;
      const known = this.#bodies[id]!;
      if (known !== null && known.row === row && known.columns === columns) known.cells = cells;
      else {
        this.#bodies[id] = row < 0 ? null : { row, columns, cells, ground, wanted: 0, waiting: 0 };
        isSame &&= known === null && row < 0;
      }
      this.#ground[ground++] = row < 0 ? 0 : columns.onGround.number(row);
    }
    if (!isSame) this.#findOutputs(actors.players);
    for (const output of this.#outputs) {
      const { columns, of } = output;
      const cells = columns === actors.players ? players : entities;
      output.numbers = of === "onGround" ? this.#ground : cells[of];
    }
    return true;
  }

  #findOutputs(players: ActorColumns): void {
    this.#present = this.#bodies.filter((body) => body !== null);
    const found: Cell[] = [];
    for (const [id, wanted] of this.#wanted) {
      const body = this.#bodies[id]!;
      if (body === null) continue;
      const name = body.columns === players ? "players" : "entities";
      const cells = wanted.flatMap(({ path, place }) => cellOf(body, name, path, place));
      body.wanted = 0;
      for (const { of } of cells) body.wanted |= FOLLOWING[of];
      found.push(...cells);
    }
    const sets = [...new Set(found.map(({ columns }) => columns))];
    this.#outputs = sets.flatMap((columns) =>
      [...MOVING.values()].flatMap((of): Output[] => {
        const own = found.filter((cell) => cell.columns === columns && cell.of === of);
        const [at, places] = [own.map((cell) => cell.at), own.map(({ place }) => place)];
        return own.length === 0 ? [] : [{ columns, of, numbers: NONE, at: Int32Array.from(at), places }];
      }),
    );
    this.#moments = new Moments(this.#outputs);
  }
}

/** The section of a snapshot that says where all things are; null: others say it, too, or it is damaged. */
function entitiesOf(snapshot: Uint8Array): Uint8Array | null {
  try {
    const sections = readSections(new ByteCursor(snapshot));
    const found = sections.filter(({ type }) => type === SECTION.entities);
    return found.length === 1 && !sections.some(({ type }) => type === SECTION.host) ? found[0]!.body : null;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

const NOTHING = new Uint8Array(0);
const NONE = new Float64Array(0);

function cellsOf({ grid, displacement, angles, position, rotation, headYaw }: ActorColumns): Cells {
  return {
    ...{ grid: grid.direct()!, displacement: displacement.direct()!, angles: angles.direct()! },
    ...{ position: position.direct()!, rotation: rotation.direct()!, headYaw: headYaw.direct()! },
  };
}

/** None where no move changes it. */
function cellOf(body: Body, name: string, path: SeriesPath, place: number): Cell[] {
  if (!("set" in path) || path.set !== name) return [];
  const { columns, row, ground } = body;
  const of = MOVING.get(path.column);
  if (of === undefined) return [];
  const { width } = columns.set.columns.get(path.column)!.spec;
  const item = Number(path.item ?? 0);
  return item >= width ? [] : [{ columns, of, at: of === "onGround" ? ground : row * width + item, place }];
}
