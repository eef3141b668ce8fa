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
import { advance, follow, MOVED, TURNED } from "./move-run.ts";
import { type ActorColumns, type Actors, CARRIED, CHUNK, Scene } from "./scene.ts";
import { EntityRow, LEAST_ENTITY, type Subjects } from "./snapshot-entities.ts";

/** Things of higher ids are left to the fold. */
const IDS = 1 << 16;
/** Columns that a move can change. */
const MOVING: ReadonlyMap<string, Output["of"]> = new Map([
  ["position", "position"],
  ["rotation", "rotation"],
  ["head-yaw", "headYaw"],
  ["on-ground", "onGround"],
]);

const ACTORS: ReadonlySet<string> = new Set(["players", "entities"]);

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
  /** One number: what is in `onGround`. */
  readonly ground: Float64Array;
}

/** A wanted number of a thing: a cell of a column, and its place. */
interface Output {
  readonly body: Body;
  readonly of: "position" | "rotation" | "headYaw" | "onGround";
  readonly at: number;
  readonly place: number;
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
  /** How many of them are there. */
  #present = 0;
  /** What is wanted of all of them, and the same by number: where it is, and the place it goes to. */
  #outputs: readonly Output[] = [];
  readonly #cells: Float64Array[] = [];
  #at = new Int32Array(0);
  #places = new Int32Array(0);
  /** By place whether it is among them. */
  readonly #isPut: boolean[] = [];
  /** Columns by number of output, of the rows being read. */
  readonly #targets: Float64Array[] = [];
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
    this.#bodies = Array.from({ length: 1 + Math.max(-1, ...this.#wanted.keys()) }, () => null);
  }

  begin(state: MutableState): void {
    this.#state = state;
    this.#isOpen = false;
  }

  writes(place: number): boolean {
    return this.#isOpen && this.#isPut[place] === true;
  }

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    if (!this.#isOpen && !this.#open()) return 0;
    for (let k = 0; k < this.#places.length; k++) this.#targets[k] = columns[this.#places[k]!]!;
    const { channel, bytes, start, end } = batch;
    const { chunk } = batch.context as ChunkContext;
    let n = 0;
    for (; n < count; n++) {
      if (n > 0 && slots[n] !== slots[n - 1]) this.#put(slots[n - 1]!);
      const row = rows[n]!;
      if (channel[row] !== EVENT.move) {
        if (channel[row] !== this.#snapshot || !this.#isMoving || !this.#takeSnapshot(batch, row)) break;
      } else if (chunk !== this.#chunk || !this.#take(bytes, start[row]!, end[row]!)) break;
    }
    if (n > 0) this.#put(slots[n - 1]!);
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
    const { row, cells, ground } = body;
    const { grid, angles } = cells;
    const touched = advance(grid, cells.displacement, angles, 3 * row, move);
    if (touched !== 0) follow(cells.position, cells.rotation, cells.headYaw, grid, angles, row, touched);
    const isOnGround = (move.mask & MOVE_ON_GROUND) === 0 ? 0 : 1;
    if (isOnGround !== ground[0]) body.columns.onGround.put(row, isOnGround);
    ground[0] = isOnGround;
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
    return cursor.remaining === 0 && places.length === this.#present ? places : null;
  }

  #place(cursor: ByteCursor): void {
    const one = this.#row;
    one.read(cursor);
    const { row, columns, cells, ground } = this.#bodies[one.entity]!;
    const { grid, displacement, angles, position, rotation, headYaw } = cells;
    grid.set([one.x, one.y, one.z], 3 * row);
    displacement.fill(0, 3 * row, 3 * row + 3);
    angles.set([one.yaw, one.pitch, 0], 3 * row);
    follow(position, rotation, headYaw, grid, angles, row, MOVED | TURNED);
    ground[0] = one.placeFlags & PLACE_ON_GROUND;
    columns.onGround.put(row, ground[0]);
  }

  /** What all are now. */
  #put(slot: number): void {
    const cells = this.#cells;
    const targets = this.#targets;
    const at = this.#at;
    for (let n = 0; n < at.length; n++) targets[n]![slot] = cells[n]![at[n]!]!;
  }

  /** The rows are up to date. */
  settle(): void {}

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
    for (const id of this.#wanted.keys()) {
      const isPlayer = actors.players.set.find(id) >= 0;
      const columns = isPlayer ? actors.players : actors.entities;
      const row = columns.set.find(id);
      const cells = isPlayer ? players : entities;
      const known = this.#bodies[id]!;
      if (known !== null && known.row === row && known.columns === columns) {
        known.cells = cells;
        known.ground[0] = columns.onGround.number(row);
      } else {
        const ground = Float64Array.of(row < 0 ? 0 : columns.onGround.number(row));
        this.#bodies[id] = row < 0 ? null : { row, columns, cells, ground };
        isSame &&= known === null && row < 0;
      }
    }
    if (!isSame) this.#findOutputs(actors.players);
    this.#present = this.#bodies.filter((body) => body !== null).length;
    for (const [n, { body, of }] of this.#outputs.entries())
      this.#cells[n] = of === "onGround" ? body.ground : body.cells[of];
    return true;
  }

  #findOutputs(players: ActorColumns): void {
    const outputs: Output[] = [];
    for (const [id, wanted] of this.#wanted) {
      const body = this.#bodies[id]!;
      if (body === null) continue;
      const name = body.columns === players ? "players" : "entities";
      outputs.push(...wanted.flatMap(({ path, place }) => outputOf(body, name, path, place)));
    }
    this.#outputs = outputs;
    this.#cells.length = this.#targets.length = this.#isPut.length = 0;
    this.#at = Int32Array.from(outputs, ({ at }) => at);
    this.#places = Int32Array.from(outputs, ({ place }) => place);
    for (const { place } of outputs) this.#isPut[place] = true;
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

function cellsOf({ grid, displacement, angles, position, rotation, headYaw }: ActorColumns): Cells {
  return {
    ...{ grid: grid.direct()!, displacement: displacement.direct()!, angles: angles.direct()! },
    ...{ position: position.direct()!, rotation: rotation.direct()!, headYaw: headYaw.direct()! },
  };
}

/** None where no move changes it. */
function outputOf(body: Body, name: string, path: SeriesPath, place: number): Output[] {
  if (!("set" in path) || path.set !== name) return [];
  const of = MOVING.get(path.column);
  if (of === undefined) return [];
  const { width } = body.columns.set.columns.get(path.column)!.spec;
  const item = Number(path.item ?? 0);
  if (item >= width) return [];
  return [{ body, of, at: of === "onGround" ? 0 : body.row * width + item, place }];
}
