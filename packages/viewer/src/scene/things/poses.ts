import { type Column, type EntitySet, PoseColumns } from "simtape";
import type { Origin } from "./origin.ts";
import { turnQuaternionUp, turnVectorUp } from "../drawing/y-up.ts";

const SCRATCH = new Float64Array(3);
/** What has read a column last: where several scenes show the same, its places and turns are computed once. */
const READERS = new WeakMap<Column, Poses>();

/**
 * Where the things of a set are and how they are turned, in the scene's axes. Its arrays are used again for every
 * frame.
 */
export class Poses {
  ids: EntitySet["ids"] = [];
  /** Three for each thing, metres (or the unit asked for) from the origin; NaN where it is not known. */
  positions: Float32Array = new Float32Array(0);
  /** Quaternion x, y, z, w for each thing; no turn where it is not known. */
  orientations: Float32Array = new Float32Array(0);
  /** Those that the picture is seen from the inside of: they are not drawn. */
  hidden: ReadonlySet<number | string> = NONE;
  /** One for each thing: 1 is left out of the picture, and of all that is done with what is in it. Null: none is. */
  leftOut: Uint8Array | null = null;
  readonly #columns: PoseColumns = new PoseColumns();
  readonly #origin: Origin | null;
  readonly #metres: number;
  #position: Column | undefined;
  #rotation: Column | undefined;

  /** Without an origin, positions are those of the set; `metres` is the length of one unit of them. */
  constructor(origin: Origin | null, metres = 1) {
    this.#origin = origin;
    this.#metres = metres;
  }

  get count(): number {
    return this.ids.length;
  }

  /** Whether anything is other than before. */
  update(set: EntitySet | undefined): boolean {
    const ids = set?.ids ?? NO_IDS;
    const position = set?.columns.get("geodetic") ?? set?.columns.get("position");
    const rotation = set?.columns.get("orientation") ?? set?.columns.get("rotation");
    const areOthers = ids !== this.ids;
    if (!areOthers && position === this.#position && rotation === this.#rotation) return false;
    this.ids = ids;
    if (this.positions.length < 3 * ids.length) {
      this.positions = new Float32Array(3 * ids.length * 2);
      this.orientations = new Float32Array(4 * ids.length * 2);
      this.#position = this.#rotation = undefined;
    }
    if (set === undefined) return true;
    const columns = this.#columns.use(set) ? this.#columns : null;
    if (areOthers || position !== this.#position) {
      const read = this.#readBy(position);
      if (read === null || read.#position !== position) this.#readPositions(columns);
      else this.positions.set(read.positions.subarray(0, 3 * ids.length));
    }
    if (areOthers || rotation !== this.#rotation) {
      const read = this.#readBy(rotation);
      if (read === null || read.#rotation !== rotation) this.#readRotations(columns);
      else this.orientations.set(read.orientations.subarray(0, 4 * ids.length));
    }
    this.#position = position;
    this.#rotation = rotation;
    for (const column of [position, rotation]) if (column !== undefined) READERS.set(column, this);
    return true;
  }

  /** Puts a thing elsewhere than its set says, until the set is other than now. */
  seat(row: number, x: number, y: number, z: number): void {
    this.positions[3 * row] = x;
    this.positions[3 * row + 1] = y;
    this.positions[3 * row + 2] = z;
    // all are read again then
    this.#position = undefined;
  }

  /** Row of a thing, or -1. */
  find(id: number | string): number {
    return this.ids.indexOf(id);
  }

  isKnown(row: number): boolean {
    return row >= 0 && row < this.count && this.leftOut?.[row] !== 1 && Number.isFinite(this.positions[3 * row]!);
  }

  /** Whether it has a place, and the picture is not seen from inside of it. */
  isDrawn(row: number): boolean {
    return this.isKnown(row) && !this.hidden.has(this.ids[row]!);
  }

  /** What has read a column of the same things for the same axes; null: nothing else has. */
  #readBy(column: Column | undefined): Poses | null {
    const other = (column && READERS.get(column)) ?? null;
    if (other === null || other === this || other.ids !== this.ids) return null;
    return other.#origin === this.#origin && other.#metres === this.#metres ? other : null;
  }

  #readPositions(columns: PoseColumns | null): void {
    const { positions } = this;
    const origin = this.#origin;
    for (let row = 0; row < this.count; row++) {
      const at = 3 * row;
      if (columns === null) {
        positions.fill(Number.NaN, at, at + 3);
      } else if (columns.isGeodetic) {
        columns.geodetic(row, SCRATCH, 0);
        origin!.geodetic(SCRATCH[0]!, SCRATCH[1]!, SCRATCH[2]!, positions, at);
      } else {
        columns.position(row, SCRATCH, 0);
        turnVectorUp(SCRATCH, 0);
        for (let k = 0; k < 3; k++) SCRATCH[k]! /= this.#metres;
        origin?.local(SCRATCH, 0);
        positions[at] = SCRATCH[0]!;
        positions[at + 1] = SCRATCH[1]!;
        positions[at + 2] = SCRATCH[2]!;
      }
    }
  }

  #readRotations(columns: PoseColumns | null): void {
    const { orientations } = this;
    for (let row = 0; row < this.count; row++) {
      const at = 4 * row;
      if (columns?.orientation(row, orientations, at) === true) turnQuaternionUp(orientations, at);
      else {
        orientations.fill(0, at, at + 3);
        orientations[at + 3] = 1;
      }
    }
  }
}

const NO_IDS: EntitySet["ids"] = [];
const NONE: ReadonlySet<number | string> = new Set();
