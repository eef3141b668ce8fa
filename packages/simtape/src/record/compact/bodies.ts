import {
  type Move,
  MOVE_HEAD_YAW,
  MOVE_X,
  MOVE_Y,
  MOVE_Z,
  turnChange,
  wrapTurn,
} from "../../formats/hcrp/layout/motion.ts";

/** What a decoder knows of a thing beside its place (HCRP events §2), and where that was last so. */
class Body {
  dx = 0;
  dy = 0;
  dz = 0;
  /** Head against body, in angle steps. */
  head = 0;
  /** The chunk of the source and the frame that the displacement is of; elsewhere it is 0. */
  chunk = 0;
  frame = 0;
  /** The snapshots, in the source and in the output, that the head was turned behind. */
  sourceHead = 0;
  keptHead = 0;
}

/**
 * What moves count from, in the source and in the output at once. Both begin displacements again, the one with every
 * chunk and the other with every frame, so that the first move of a thing in a chunk has other numbers.
 */
export class Bodies {
  readonly #bodies = new Map<number, Body>();
  #chunk = 0;
  #frame = 0;
  #sourceSnapshot = 0;
  #keptSnapshot = 0;

  /** Another chunk of the source begins. */
  enterChunk(hasSnapshot: boolean): void {
    this.#chunk++;
    if (hasSnapshot) this.#sourceSnapshot = this.#chunk;
  }

  /** Another frame begins; with a snapshot, everything is forgotten. */
  enterFrame(hasSnapshot: boolean): void {
    this.#frame++;
    if (!hasSnapshot) return;
    this.#keptSnapshot = this.#frame;
    this.#bodies.clear();
  }

  /** A thing that is put somewhere, known or not: it stands still. */
  put(entity: number): void {
    let body = this.#bodies.get(entity);
    if (body === undefined) {
      body = new Body();
      this.#bodies.set(entity, body);
    }
    body.dx = 0;
    body.dy = 0;
    body.dz = 0;
    body.head = 0;
    this.#settle(body);
  }

  /** As `put`, for an unknown thing; others stay as they are. */
  meet(entity: number): void {
    if (!this.#bodies.has(entity)) this.put(entity);
  }

  remove(entity: number): void {
    this.#bodies.delete(entity);
  }

  get size(): number {
    return this.#bodies.size;
  }

  /** Takes a move of the source and turns it into that of the output; false: it stays as it is. */
  move(move: Move): boolean {
    const body = this.#bodies.get(move.entity);
    if (body === undefined) return false;
    const isSource = body.chunk === this.#chunk;
    const isOutput = body.frame === this.#frame;
    const { dx, dy, dz, head } = body;
    body.dx = isSource ? dx + move.x : move.x;
    body.dy = isSource ? dy + move.y : move.y;
    body.dz = isSource ? dz + move.z : move.z;
    const sourceHead = body.sourceHead === this.#sourceSnapshot ? head : 0;
    const outputHead = body.keptHead === this.#keptSnapshot ? head : 0;
    body.head = move.headYaw === 0 ? sourceHead : wrapTurn(sourceHead + move.headYaw);
    this.#settle(body);
    const isStill = dx === 0 && dy === 0 && dz === 0;
    if ((isSource === isOutput || isStill) && sourceHead === outputHead) return false;
    move.x = isOutput ? body.dx - dx : body.dx;
    move.y = isOutput ? body.dy - dy : body.dy;
    move.z = isOutput ? body.dz - dz : body.dz;
    move.headYaw = turnChange(outputHead, body.head);
    const others = move.mask & ~(MOVE_X | MOVE_Y | MOVE_Z | MOVE_HEAD_YAW);
    move.mask =
      others |
      (move.x === 0 ? 0 : MOVE_X) |
      (move.y === 0 ? 0 : MOVE_Y) |
      (move.z === 0 ? 0 : MOVE_Z) |
      (move.headYaw === 0 ? 0 : MOVE_HEAD_YAW);
    return true;
  }

  #settle(body: Body): void {
    body.chunk = this.#chunk;
    body.frame = this.#frame;
    body.sourceHead = this.#sourceSnapshot;
    body.keptHead = this.#keptSnapshot;
  }
}
