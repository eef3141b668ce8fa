import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from "three";
import type { Value } from "simtape";
import { color, ghostColor, type Look } from "../../drawing/look.ts";

/** The cell that the simulation repeats. */
export class SimulationBox {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  #vectors: Value | undefined;

  constructor({ ghost }: Look) {
    const tint = ghost < 0 ? color("#8496a5") : ghostColor(ghost);
    this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: tint }));
    this.object.geometry.setAttribute("position", new BufferAttribute(new Float32Array(72), 3));
    this.object.visible = false;
    this.object.frustumCulled = false;
  }

  update(vectors: Value | undefined): void {
    if (vectors === this.#vectors) return;
    this.#vectors = vectors;
    const corners = this.object.geometry.getAttribute("position") as BufferAttribute;
    this.object.visible = boxEdges(vectors, corners.array as Float32Array);
    corners.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** nm: half of the shortest side of the box; what is longer goes through its walls. */
export function longestBond(box: Value | undefined): number {
  const v = box as ArrayLike<number> | undefined;
  if (!ArrayBuffer.isView(box) || v!.length !== 9) return Number.POSITIVE_INFINITY;
  const shortest = Math.min(
    Math.hypot(v![0]!, v![1]!, v![2]!),
    Math.hypot(v![3]!, v![4]!, v![5]!),
    Math.hypot(v![6]!, v![7]!, v![8]!),
  );
  return shortest > 0 ? shortest / 2 : Number.POSITIVE_INFINITY;
}

/**
 * The twelve edges of the cell that three vectors (rows, z up) span from zero, as 24 points with y up. False: no box.
 */
export function boxEdges(vectors: Value | undefined, out: Float32Array): boolean {
  const v = vectors as ArrayLike<number> | undefined;
  if (!ArrayBuffer.isView(vectors) || v!.length !== 9) return false;
  let at = 0;
  for (let along = 0; along < 3; along++) {
    for (let corner = 0; corner < 4; corner++) {
      for (let end = 0; end < 2; end++) {
        POINT.set(0, 0, 0);
        for (let side = 0; side < 3; side++) {
          const isOn = side === along ? end === 1 : (corner & (side === (along + 1) % 3 ? 1 : 2)) !== 0;
          if (isOn) POINT.set(POINT.x + v![3 * side]!, POINT.y + v![3 * side + 1]!, POINT.z + v![3 * side + 2]!);
        }
        out[at++] = POINT.x;
        out[at++] = POINT.z;
        out[at++] = -POINT.y;
      }
    }
  }
  return out.every(Number.isFinite);
}

const POINT = new Vector3();
