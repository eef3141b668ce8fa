import type { Column, EntitySet } from "simtape";
import { metresPer, type Origin, radiansPer, turnAngles, turnQuaternion, turnVector } from "./turn.ts";

const SCRATCH = new Float64Array(3);

/** Where the things of a set are and how they are turned, in the scene's axes. Its arrays are used again for every frame. */
export class Poses {
  ids: EntitySet["ids"] = [];
  /** Three for each thing, metres (or the unit asked for) from the origin; NaN where it is not known. */
  positions: Float32Array = new Float32Array(0);
  /** Quaternion x, y, z, w for each thing; nobody's turn where it is not known. */
  orientations: Float32Array = new Float32Array(0);
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
    const ids = set?.ids ?? NOBODY;
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
    if (areOthers || position !== this.#position) this.#readPositions(set, position);
    if (areOthers || rotation !== this.#rotation) this.#readRotations(set, rotation);
    this.#position = position;
    this.#rotation = rotation;
    return true;
  }

  /** Row of a thing, or -1. */
  find(id: number | string): number {
    return this.ids.indexOf(id);
  }

  isKnown(row: number): boolean {
    return row >= 0 && row < this.count && Number.isFinite(this.positions[3 * row]!);
  }

  #readPositions(set: EntitySet, column: Column | undefined): void {
    const { positions } = this;
    const count = set.ids.length;
    const scale = column === undefined ? null : metresPer(column.unit);
    if (column === undefined) {
      positions.fill(Number.NaN, 0, 3 * count);
    } else if (set.columns.has("geodetic")) {
      const data = column.data as Float64Array;
      for (let at = 0; at < 3 * count; at += 3) {
        this.#origin!.geodetic(data[at]!, data[at + 1]!, data[at + 2]!, positions, at);
      }
    } else if (scale === null || column.width !== 3) {
      positions.fill(Number.NaN, 0, 3 * count);
    } else {
      const data = column.data as Float64Array;
      const factor = scale / this.#metres;
      for (let at = 0; at < 3 * count; at += 3) {
        turnVector(set.axes, data[at]! * factor, data[at + 1]! * factor, data[at + 2]! * factor, SCRATCH, 0);
        this.#origin?.local(SCRATCH, 0);
        positions[at] = SCRATCH[0]!;
        positions[at + 1] = SCRATCH[1]!;
        positions[at + 2] = SCRATCH[2]!;
      }
    }
  }

  #readRotations(set: EntitySet, column: Column | undefined): void {
    const { orientations } = this;
    const data = column?.data as Float64Array | undefined;
    const scale = radiansPer(column?.unit ?? null);
    for (let row = 0; row < set.ids.length; row++) {
      const at = 4 * row;
      if (column === undefined || data === undefined) {
        orientations[at] = Number.NaN;
      } else if (column.width === 4) {
        turnQuaternion(set.axes, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, orientations, at);
      } else {
        const from = 3 * row;
        turnAngles(set.axes, data[from]!, data[from + 1]!, data[from + 2]!, scale, orientations, at);
      }
      if (!Number.isFinite(orientations[at]! + orientations[at + 1]! + orientations[at + 2]! + orientations[at + 3]!)) {
        orientations.fill(0, at, at + 3);
        orientations[at + 3] = 1;
      }
    }
  }
}

const NOBODY: EntitySet["ids"] = [];
