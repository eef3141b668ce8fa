import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, PointsMaterial, Vector3 } from "three";
import type { Cast } from "../cast.ts";
import { colorOf } from "../drawing/look.ts";
import { placeOf } from "./pick.ts";

/** From so many of its radii away, a thing is smaller than a dot. */
const FAR = 150;

/** A dot of a few pixels for each main thing that is too far away to be seen. */
export class Dots {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  #capacity = 0;
  #places = new Float32Array(0);
  #colors = new Float32Array(0);

  constructor() {
    const material = new PointsMaterial({ size: 5, sizeAttenuation: false, vertexColors: true, fog: false });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
  }

  update(casts: readonly Cast[], camera: Vector3): void {
    let needed = 0;
    for (const { crowds } of casts)
      for (const crowd of crowds) if (crowd.isMain && crowd.hasDots) needed += crowd.poses.count;
    if (needed > this.#capacity) this.#grow(2 * needed);
    let count = 0;
    for (const { crowds, look } of casts) {
      for (const crowd of crowds) {
        if (!crowd.isMain || !crowd.hasDots) continue;
        const far = FAR * crowd.radius * crowd.frame.matrixWorld.getMaxScaleOnAxis();
        for (let row = 0; row < crowd.poses.count; row++) {
          if (!crowd.poses.isDrawn(row)) continue;
          if (placeOf(crowd, row, PLACE).distanceToSquared(camera) < far * far) continue;
          PLACE.toArray(this.#places, 3 * count);
          look.paint(colorOf(crowd.poses.ids[row]!)).toArray(this.#colors, 3 * count);
          count++;
        }
      }
    }
    this.object.visible = count > 0;
    if (count === 0) return;
    const { geometry } = this.object;
    geometry.setDrawRange(0, count);
    geometry.getAttribute("position").needsUpdate = true;
    geometry.getAttribute("color").needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  #grow(capacity: number): void {
    this.#capacity = capacity;
    this.#places = new Float32Array(3 * capacity);
    this.#colors = new Float32Array(3 * capacity);
    const { geometry } = this.object;
    geometry.dispose();
    this.object.geometry = new BufferGeometry();
    this.object.geometry.setAttribute("position", new BufferAttribute(this.#places, 3).setUsage(DynamicDrawUsage));
    this.object.geometry.setAttribute("color", new BufferAttribute(this.#colors, 3).setUsage(DynamicDrawUsage));
  }
}

const PLACE = new Vector3();
