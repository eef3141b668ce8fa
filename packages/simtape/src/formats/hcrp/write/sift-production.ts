import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { GRID } from "../layout/motion.ts";
import {
  PRODUCTION,
  type ProductionVersion,
  readAbsoluteMove,
  readDeltaMove,
  readDestroy,
  readProductionSpawn,
  writeDeltaMove,
} from "../layout/production.ts";

/** Where things are: the positions that delta moves of the production dialect count from (spec §14). */
export class ProductionPlaces {
  /** Blocks; as the source has them, and as what is kept does. */
  readonly #source = new Map<number, Float64Array>();
  readonly #kept = new Map<number, Float64Array>();

  /** True: a kept delta move was written to `made`, to lead where it led. `snapshot` is the id of that channel. */
  next(
    type: number,
    cursor: ByteCursor,
    isKept: boolean,
    version: ProductionVersion,
    snapshot: number,
    made: ByteBuilder,
  ): boolean {
    const both = isKept ? [this.#source, this.#kept] : [this.#source];
    switch (type) {
      case PRODUCTION.deltaMove:
        return this.#moves(cursor, isKept, made);
      case PRODUCTION.absoluteMove: {
        const { entity, position } = readAbsoluteMove(cursor);
        for (const places of both) places.set(entity, Float64Array.from(position));
        return false;
      }
      case PRODUCTION.spawn: {
        const { entity, position } = readProductionSpawn(cursor, version);
        for (const places of both) places.set(entity, Float64Array.from(position));
        return false;
      }
      case PRODUCTION.destroy: {
        const { entity } = readDestroy(cursor);
        for (const places of both) places.delete(entity);
        return false;
      }
      default:
        // what exists follows as events of the same tick
        if (type === snapshot) for (const places of both) places.clear();
        return false;
    }
  }

  #moves(cursor: ByteCursor, isKept: boolean, made: ByteBuilder): boolean {
    const move = readDeltaMove(cursor);
    const source = this.#source.get(move.entity);
    const kept = isKept ? this.#kept.get(move.entity) : undefined;
    if (source !== undefined) add(source, move.delta);
    if (kept === undefined) return false;
    const delta =
      source === undefined ? move.delta : Float64Array.from(source, (at, k) => Math.round((at - kept[k]!) * GRID));
    add(kept, delta);
    if (delta.every((part, k) => part === move.delta[k])) return false;
    writeDeltaMove(made, { ...move, delta });
    return true;
  }
}

function add(place: Float64Array, delta: Float64Array): void {
  for (let k = 0; k < 3; k++) place[k]! += delta[k]! / GRID;
}
