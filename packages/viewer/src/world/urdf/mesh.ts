import type { Solid } from "../companion.ts";

/** What a file of a mesh has. */
export interface Mesh {
  readonly solids: readonly Solid[];
  /** Whose colours it has: those of the visual, its own, or its own where the visual has none. */
  readonly wears: "paint" | "own" | "own unless painted";
}

/** Of a solid that has a colour alone. */
export const PLAIN = {
  places: null,
  color: [1, 1, 1],
  picture: null,
  opacity: 1,
  cutoff: 0,
  isDoubleSided: true,
} as const satisfies Partial<Solid>;

/** Normals of triangles whose corners are their own: what each faces. */
export function facesOf(positions: Float32Array): Float32Array {
  const normals = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 9) {
    const along = (corner: number, k: number): number => positions[at + 3 * corner + k]! - positions[at + k]!;
    const [ax, ay, az] = [along(1, 0), along(1, 1), along(1, 2)];
    const [bx, by, bz] = [along(2, 0), along(2, 1), along(2, 2)];
    const [x, y, z] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    const length = Math.hypot(x, y, z) || 1;
    for (let k = 0; k < 9; k += 3) normals.set([x / length, y / length, z / length], at + k);
  }
  return normals;
}

/** Throws `Error` for more triangles than are read. */
export function checkCount(count: number, most: number): void {
  if (count > most)
    throw new Error(`it has ${count.toLocaleString("en")} triangles; at most ${most.toLocaleString("en")} are read`);
  if (count === 0) throw new Error("it has no triangles");
}
