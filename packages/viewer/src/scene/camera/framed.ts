import { Box3, type Vector3 } from "three";

/** A box that remembers what it was widened by: a camera comes closer to that than to the corners of the box. */
export class Framed extends Box3 {
  /** Three numbers for each. */
  readonly points: number[] = [];

  override expandByPoint(point: Vector3): this {
    this.points.push(point.x, point.y, point.z);
    return super.expandByPoint(point);
  }

  override union(box: Box3): this {
    if (!box.isEmpty()) this.points.push(...cornersOf(box));
    return super.union(box);
  }
}

/** Three numbers for each point that is to be seen. */
export function pointsOf(box: Box3): readonly number[] {
  return box instanceof Framed ? box.points : cornersOf(box);
}

function cornersOf({ min, max }: Box3): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) => [
    corner & 1 ? max.x : min.x,
    corner & 2 ? max.y : min.y,
    corner & 4 ? max.z : min.z,
  ]);
}
