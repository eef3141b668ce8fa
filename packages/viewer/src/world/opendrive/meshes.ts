import type { SceneryPart } from "../companion.ts";

/** Corners of one scenery, at most: half a gibibyte with all that is made of them. */
const MOST_CORNERS = 6_000_000;

/** Thrown where a scenery would be too large to be drawn. */
export class TooLarge extends Error {}

/** Numbers whose count is not known before. */
class Growing<A extends Float32Array | Uint32Array> {
  #array: A;
  length = 0;
  readonly #make: (length: number) => A;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#array = make(768);
  }

  push(a: number, b: number, c: number): void {
    if (this.length + 3 > this.#array.length) {
      const larger = this.#make(2 * this.#array.length);
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.length++] = a;
    this.#array[this.length++] = b;
    this.#array[this.length++] = c;
  }

  take(): A {
    return this.#array.slice(0, this.length) as A;
  }
}

/** Triangles by paint, metres in the world; normals follow from them. */
export class Meshes {
  readonly middle: readonly [number, number, number];
  readonly #parts = new Map<
    string,
    { readonly corners: Growing<Float32Array>; readonly index: Growing<Uint32Array> }
  >();
  #count = 0;

  constructor(middle: readonly [number, number, number]) {
    this.middle = middle;
  }

  /** Adds a corner; gives its number in its part. Throws `TooLarge`. */
  corner(paint: string, x: number, y: number, z: number): number {
    if (++this.#count > MOST_CORNERS) throw new TooLarge();
    const { corners } = this.#of(paint);
    corners.push(x - this.middle[0], y - this.middle[1], z - this.middle[2]);
    return corners.length / 3 - 1;
  }

  triangle(paint: string, a: number, b: number, c: number): void {
    this.#of(paint).index.push(a, b, c);
  }

  /** A flat polygon, convex, counter-clockwise seen from its front: three numbers a corner. */
  polygon(paint: string, places: ArrayLike<number>): void {
    const count = places.length / 3;
    let first = 0;
    for (let i = 0; i < count; i++) {
      const corner = this.corner(paint, places[3 * i]!, places[3 * i + 1]!, places[3 * i + 2]!);
      if (i === 0) first = corner;
      if (i > 1) this.triangle(paint, first, corner - 1, corner);
    }
  }

  take(): SceneryPart[] {
    return [...this.#parts].flatMap(([paint, { corners, index }]) => {
      if (index.length === 0) return [];
      const positions = corners.take();
      const triangles = index.take();
      return [{ paint, positions, normals: normalsOf(positions, triangles), index: triangles }];
    });
  }

  #of(paint: string): { readonly corners: Growing<Float32Array>; readonly index: Growing<Uint32Array> } {
    let part = this.#parts.get(paint);
    if (part === undefined) {
      part = { corners: new Growing((n) => new Float32Array(n)), index: new Growing((n) => new Uint32Array(n)) };
      this.#parts.set(paint, part);
    }
    return part;
  }
}

/** Of each corner, the mean of its triangles', the larger ones counting more. */
export function normalsOf(p: Float32Array, index: Uint32Array): Float32Array {
  const normals = new Float32Array(p.length);
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [3 * index[i]!, 3 * index[i + 1]!, 3 * index[i + 2]!];
    const [ux, uy, uz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
    const [vx, vy, vz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const at of [a, b, c]) {
      normals[at] = normals[at]! + x;
      normals[at + 1] = normals[at + 1]! + y;
      normals[at + 2] = normals[at + 2]! + z;
    }
  }
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at]!, normals[at + 1]!, normals[at + 2]!);
    if (length > 0) for (let k = 0; k < 3; k++) normals[at + k] = normals[at + k]! / length;
    else normals[at + 2] = 1;
  }
  return normals;
}
