import type { ColumnReader, RowRun, WantedNumber } from "../../../model/column-reader.ts";
import type { SeriesPath } from "../../../model/query/path.ts";
import type { MutableState } from "../../../model/state.ts";
import type { ChunkContext } from "../chunk/context.ts";
import { EVENT } from "../layout/events.ts";
import { Move, MOVE_ON_GROUND, moverOf, readUsualMove } from "../layout/motion.ts";
import { advance, follow } from "./move-run.ts";
import { type ActorColumns, CHUNK, Scene } from "./scene.ts";

/** Things of higher ids are left to the fold. */
const IDS = 1 << 16;
/** Columns that a move can change. */
const MOVED: ReadonlyMap<string, Output["of"]> = new Map([
  ["position", "position"],
  ["rotation", "rotation"],
  ["head-yaw", "headYaw"],
  ["on-ground", "onGround"],
]);

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
 * are passed over. What moves cannot change is as the fold left it.
 */
export class MoveColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #scene = new Scene();
  readonly #move = new Move();
  /** By id of a thing what is wanted of it: values of it, too. */
  readonly #wanted = new Map<number, WantedNumber[]>();
  /** The same by id, once it was looked up in the state; null: it is not wanted, or not there. */
  readonly #bodies: (Body | null)[];
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

  constructor(wanted: readonly WantedNumber[]) {
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
    if ((batch.context as ChunkContext).chunk !== this.#chunk) return 0;
    for (let k = 0; k < this.#places.length; k++) this.#targets[k] = columns[this.#places[k]!]!;
    const { channel, bytes, start, end } = batch;
    let n = 0;
    for (; n < count; n++) {
      if (n > 0 && slots[n] !== slots[n - 1]) this.#put(slots[n - 1]!);
      const row = rows[n]!;
      if (channel[row] !== EVENT.move || !this.#take(bytes, start[row]!, end[row]!)) break;
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

function cellsOf({ grid, displacement, angles, position, rotation, headYaw }: ActorColumns): Cells {
  return {
    ...{ grid: grid.direct()!, displacement: displacement.direct()!, angles: angles.direct()! },
    ...{ position: position.direct()!, rotation: rotation.direct()!, headYaw: headYaw.direct()! },
  };
}

/** None where no move changes it. */
function outputOf(body: Body, name: string, path: SeriesPath, place: number): Output[] {
  if (!("set" in path) || path.set !== name) return [];
  const of = MOVED.get(path.column);
  if (of === undefined) return [];
  const { width } = body.columns.set.columns.get(path.column)!.spec;
  const item = Number(path.item ?? 0);
  if (item >= width) return [];
  return [{ body, of, at: of === "onGround" ? 0 : body.row * width + item, place }];
}
