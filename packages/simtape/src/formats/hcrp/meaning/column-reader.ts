import type { MessageBatch } from "../../../model/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/column-reader.ts";
import type { MutableColumn } from "../../../model/column.ts";
import type { MutableState } from "../../../model/state.ts";
import type { ChunkContext } from "../chunk/context.ts";
import { EVENT } from "../layout/events.ts";
import { Move, MOVE_ON_GROUND, moverOf, readUsualMove } from "../layout/motion.ts";
import { advance, follow } from "./move-run.ts";
import { type ActorColumns, CHUNK, Scene } from "./scene.ts";

/** Things of higher ids are left to the fold. */
const IDS = 1 << 16;
/** Columns that a move can change. */
const MOVED: ReadonlySet<string> = new Set(["position", "rotation", "head-yaw", "on-ground"]);

/** A wanted number: a cell of a column, and its place. */
interface Output {
  readonly cells: Float64Array;
  readonly at: number;
  readonly place: number;
}

/** A thing that is there, and of which something is wanted: the doubles of its columns. */
interface Body {
  readonly row: number;
  readonly grid: Float64Array;
  readonly displacement: Float64Array;
  readonly angles: Float64Array;
  readonly position: Float64Array;
  readonly rotation: Float64Array;
  readonly headYaw: Float64Array;
  readonly onGround: MutableColumn;
  /** One number: what is in `onGround`. */
  readonly ground: Float64Array;
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
  /** What is wanted of all of them. */
  #outputs: readonly Output[] = [];
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

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    if (!this.#isOpen && !this.#open()) return 0;
    if ((batch.context as ChunkContext).chunk !== this.#chunk) return 0;
    let n = 0;
    while (n < count) {
      const slot = slots[n]!;
      const first = n;
      while (n < count && slots[n] === slot && this.#take(batch, rows[n]!)) n++;
      if (n > first) this.#put(columns, slot);
      if (n < count && slots[n] === slot) break;
    }
    return n;
  }

  /** False: it has to be folded. */
  #take(batch: MessageBatch, i: number): boolean {
    if (batch.channel[i] !== EVENT.move) return false;
    const { bytes } = batch;
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    const entity = start < end ? moverOf(bytes, start) : -1;
    if (entity < 0) return false;
    const body = entity < this.#bodies.length ? this.#bodies[entity]! : null;
    if (body === null) return true;
    const move = this.#move;
    if (!readUsualMove(bytes, start, end, move)) return false;
    const { row, grid, angles } = body;
    const touched = advance(grid, body.displacement, angles, 3 * row, move);
    follow(body.position, body.rotation, body.headYaw, grid, angles, row, touched);
    const ground = (move.mask & MOVE_ON_GROUND) === 0 ? 0 : 1;
    if (ground !== body.ground[0]) body.onGround.put(row, ground);
    body.ground[0] = ground;
    return true;
  }

  /** What all are now. */
  #put(columns: readonly Float64Array[], slot: number): void {
    const outputs = this.#outputs;
    for (let n = 0; n < outputs.length; n++) {
      const { cells, at, place } = outputs[n]!;
      columns[place]![slot] = cells[at]!;
    }
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
    const outputs: Output[] = [];
    for (const [id, wanted] of this.#wanted) {
      const name = actors.players.set.find(id) >= 0 ? "players" : "entities";
      const own = wanted.filter(({ path }) => "set" in path && path.set === name);
      const body = bodyOf(actors[name], id);
      this.#bodies[id] = body;
      if (body !== null) outputs.push(...outputsOf(actors[name], body, own));
    }
    this.#outputs = outputs;
    return true;
  }
}

/** Null: it is not there. */
function bodyOf(columns: ActorColumns, id: number): Body | null {
  const row = columns.set.find(id);
  if (row < 0) return null;
  const { grid, displacement, angles, position, rotation, headYaw, onGround } = columns;
  return {
    ...{ row, onGround, ground: Float64Array.of(onGround.number(row)) },
    ...{ grid: grid.direct()!, displacement: displacement.direct()!, angles: angles.direct()! },
    ...{ position: position.direct()!, rotation: rotation.direct()!, headYaw: headYaw.direct()! },
  };
}

function outputsOf({ set, onGround }: ActorColumns, { row, ground }: Body, wanted: readonly WantedNumber[]): Output[] {
  return wanted.flatMap(({ path, place }): Output[] => {
    if (!("set" in path) || !MOVED.has(path.column)) return [];
    const column = set.columns.get(path.column)!;
    const { width } = column.spec;
    const item = Number(path.item ?? 0);
    if (item >= width) return [];
    if (column === onGround) return [{ cells: ground, at: 0, place }];
    return [{ cells: column.direct()!, at: row * width + item, place }];
  });
}
