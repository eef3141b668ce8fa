import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { MutableState } from "../../../model/state/state.ts";
import { EVENT } from "../layout/events.ts";
import { degreesOf, GRID, Move, MOVE_ON_GROUND, readUsualMove, wrapTurn } from "../layout/motion.ts";
import type { ActorColumns, Scene } from "./scene.ts";

/** Entities of higher ids are folded one by one. */
const IDS = 1 << 16;
/** What became of a row in a run, as bits. */
export const MET = 1;
export const MOVED = 2;
export const TURNED = 4;

/**
 * Folds runs of moves where nothing is journalled: what a seek does most. The grid is counted on at once, and what
 * follows from it (position, rotation) is worked out once for each thing when the run is over.
 */
export class MoveRun {
  readonly #move = new Move();
  readonly #players = new Cells();
  readonly #entities = new Cells();
  /** By entity: in which run it was looked up, and its row, as -2 - row for players; -1: not known. */
  #run = 0;
  #seen = new Uint32Array(256);
  #rows = new Int32Array(256);

  /** Folds rows from `from` on as far as they are usual moves; gives the first that is not, at most `to`. */
  fold(state: MutableState, scene: Scene, batch: MessageBatch, from: number, to: number): number {
    const actors = scene.actors(state);
    if (actors === null || !this.#players.open(actors.players) || !this.#entities.open(actors.entities)) return from;
    this.#run++;
    const { channel, bytes, start, end } = batch;
    const move = this.#move;
    let i = from;
    for (; i < to && channel[i] === EVENT.move; i++) {
      if (!readUsualMove(bytes, start[i]!, end[i]!, move) || move.entity >= IDS) break;
      const row = this.#rowOf(move.entity);
      if (row >= 0) this.#entities.move(row, move);
      else if (row < -1) this.#players.move(-2 - row, move);
    }
    this.#players.close();
    this.#entities.close();
    return i;
  }

  #rowOf(entity: number): number {
    if (entity >= this.#seen.length) this.#grow(entity);
    if (this.#seen[entity] === this.#run) return this.#rows[entity]!;
    const player = this.#players.find(entity);
    const row = player >= 0 ? -2 - player : this.#entities.find(entity);
    this.#seen[entity] = this.#run;
    this.#rows[entity] = row;
    return row;
  }

  #grow(entity: number): void {
    const length = Math.min(IDS, Math.max(entity + 1, this.#seen.length * 2));
    this.#seen = new Uint32Array(length);
    this.#rows = new Int32Array(length);
  }
}

const NONE: Float64Array = new Float64Array(0);

/** The cells of one set, open for a run. */
class Cells {
  #columns: ActorColumns | null = null;
  #grid = NONE;
  #displacement = NONE;
  #angles = NONE;
  /** Bits by row of what is to be worked out, and the rows that have any. */
  #touched = new Uint8Array(64);
  #ground = new Uint8Array(64);
  readonly #rows: number[] = [];

  /** False while changes are journalled. */
  open(columns: ActorColumns): boolean {
    const grid = columns.grid.direct();
    if (grid === null) return false;
    this.#columns = columns;
    this.#grid = grid;
    this.#displacement = columns.displacement.direct()!;
    this.#angles = columns.angles.direct()!;
    const { size } = columns.set;
    if (size > this.#touched.length) {
      this.#touched = new Uint8Array(size * 2);
      this.#ground = new Uint8Array(size * 2);
    }
    return true;
  }

  find(entity: number): number {
    return this.#columns!.set.find(entity);
  }

  move(row: number, move: Move): void {
    const touched = this.#touched[row]!;
    if (touched === 0) this.#rows.push(row);
    this.#ground[row] = move.mask & MOVE_ON_GROUND;
    this.#touched[row] = touched | MET | advance(this.#grid, this.#displacement, this.#angles, 3 * row, move);
  }

  close(): void {
    if (this.#rows.length === 0) return;
    const columns = this.#columns!;
    const position = columns.position.direct()!;
    const rotation = columns.rotation.direct()!;
    const headYaw = columns.headYaw.direct()!;
    const [grid, angles] = [this.#grid, this.#angles];
    for (const row of this.#rows) {
      follow(position, rotation, headYaw, grid, angles, row, this.#touched[row]!);
      this.#touched[row] = 0;
      columns.onGround.put(row, this.#ground[row] === 0 ? 0 : 1);
    }
    this.#rows.length = 0;
  }
}

/**
 * Moves what has its three cells from `at` on, by residuals to the last displacement (events §2, id 0). Gives bits of what
 * has to follow.
 */
export function advance(
  grid: Float64Array,
  displacement: Float64Array,
  angles: Float64Array,
  at: number,
  move: Move,
): number {
  let touched = 0;
  const dx = displacement[at]! + move.x;
  const dy = displacement[at + 1]! + move.y;
  const dz = displacement[at + 2]! + move.z;
  if (dx !== 0 || dy !== 0 || dz !== 0) {
    displacement[at] = dx;
    displacement[at + 1] = dy;
    displacement[at + 2] = dz;
    grid[at]! += dx;
    grid[at + 1]! += dy;
    grid[at + 2]! += dz;
    touched = MOVED;
  } else {
    displacement[at] = 0;
    displacement[at + 1] = 0;
    displacement[at + 2] = 0;
  }
  if (move.yaw !== 0 || move.pitch !== 0 || move.headYaw !== 0) {
    angles[at] = wrapTurn(angles[at]! + move.yaw);
    angles[at + 1] = wrapTurn(angles[at + 1]! + move.pitch);
    angles[at + 2] = wrapTurn(angles[at + 2]! + move.headYaw);
    touched |= TURNED;
  }
  return touched;
}

/** Works out what follows from the grid and the angles. */
export function follow(
  position: Float64Array,
  rotation: Float64Array,
  headYaw: Float64Array,
  grid: Float64Array,
  angles: Float64Array,
  row: number,
  touched: number,
): void {
  const at = 3 * row;
  if ((touched & MOVED) !== 0) for (let k = at; k < at + 3; k++) position[k] = grid[k]! / GRID;
  if ((touched & TURNED) === 0) return;
  rotation[at] = 0;
  rotation[at + 1] = degreesOf(angles[at + 1]!);
  rotation[at + 2] = degreesOf(angles[at]!);
  headYaw[row] = degreesOf(angles[at]! + angles[at + 2]!);
}
