import type { Color } from "three";
import type { Column, EntitySet } from "simtape";
import { rotate } from "../drawing/compose.ts";
import type { Instances } from "../drawing/instances.ts";
import type { Look } from "../drawing/look.ts";
import type { Poses } from "../things/poses.ts";

/** What `locate` has found. */
export const PLACE: Float64Array = new Float64Array(3);

/** `PLACE` gets a place in a thing's own axes: ahead, up, right. */
export function locate(
  { positions: p, orientations: q }: Poses,
  row: number,
  ahead: number,
  up: number,
  right: number,
): void {
  rotate(q, 4 * row, ahead, up, right, PLACE, 0);
  for (let k = 0; k < 3; k++) PLACE[k] = PLACE[k]! + p[3 * row + k]!;
}

/** Puts a shape at a place in a thing's own axes, turned as the thing is. `PLACE` is where that is. */
export function putAt(
  shapes: Instances,
  look: Look,
  poses: Poses,
  row: number,
  ahead: number,
  up: number,
  right: number,
  sx: number,
  sy: number,
  sz: number,
  shade: Color,
): void {
  locate(poses, row, ahead, up, right);
  const { orientations: q } = poses;
  const from = 4 * row;
  const paint = look.paint(shade);
  shapes.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, q[from]!, q[from + 1]!, q[from + 2]!, q[from + 3]!, sx, sy, sz, paint);
}

/** Puts a unit shape as large as the box that was read. */
export function putBox(
  shapes: Instances,
  look: Look,
  poses: Poses,
  row: number,
  { middle: m, half: h }: Boxes,
  shade: Color,
): void {
  putAt(shapes, look, poses, row, m[0]!, m[1]!, m[2]!, 2 * h[0]!, 2 * h[1]!, 2 * h[2]!, shade);
}

/** Of ahead, up, right: the recording has ahead, right, up. */
const ALONG = [0, 2, 1] as const;

/**
 * Bounding boxes of a set, in the axes of their things: metres ahead, up and to the right. They hardly ever change, and
 * are turned once.
 */
export class Boxes {
  /** Of the box read last, the middle and half the size. */
  readonly middle: Float64Array = new Float64Array(3);
  readonly half: Float64Array = new Float64Array(3);
  readonly #fallback: readonly [number, number, number];
  #centers: Column | undefined;
  #extents: Column | undefined;
  /** Of each row the middle and half the size. */
  #turned = new Float64Array(0);

  /** `fallback`: half the size where none is known, along x, y, z of the recording. */
  constructor(fallback: readonly [number, number, number]) {
    this.#fallback = fallback;
  }

  /** Takes the set as it is now. */
  update(set: EntitySet | undefined): void {
    const centers = set?.columns.get("box-center");
    const extents = set?.columns.get("box-extent");
    const length = 6 * (set?.ids.length ?? 0);
    if (centers === this.#centers && extents === this.#extents && length === this.#turned.length) return;
    this.#centers = centers;
    this.#extents = extents;
    this.#turned = new Float64Array(length);
    for (let row = 0; row < length / 6; row++) this.#turn(row);
  }

  /** A row of the set. */
  read(row: number): void {
    const at = 6 * row;
    for (let k = 0; k < 3; k++) {
      this.middle[k] = this.#turned[at + k]!;
      this.half[k] = this.#turned[at + 3 + k]!;
    }
  }

  #turn(row: number): void {
    const at = 6 * row;
    const isKnown = metres(this.#extents, row, 0) > 0;
    for (let k = 0; k < 3; k++) {
      const item = ALONG[k]!;
      const center = metres(this.#centers, row, item);
      const extent = metres(this.#extents, row, item);
      this.#turned[at + k] = isKnown && Number.isFinite(center) ? center : 0;
      this.#turned[at + 3 + k] = isKnown && extent > 0 ? extent : this.#fallback[item]!;
    }
    if (!isKnown) this.#turned[at + 1] = this.#turned[at + 4]!;
  }

  /** Height of the lowest bottom of all boxes; null when there is none. */
  lowest(poses: Poses): number | null {
    let lowest = Number.POSITIVE_INFINITY;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      this.read(row);
      lowest = Math.min(lowest, poses.positions[3 * row + 1]! + this.middle[1]! - this.half[1]!);
    }
    return Number.isFinite(lowest) ? lowest : null;
  }
}

/** NaN: not known. */
function metres(column: Column | undefined, row: number, item: number): number {
  const cell = column?.data[3 * row + item];
  return typeof cell === "number" && Number.isFinite(cell) ? cell / 100 : Number.NaN;
}
