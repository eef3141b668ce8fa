import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Fog,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Vector3,
} from "three";
import type { Scheme } from "../theme.ts";
import { SURROUNDINGS } from "./look.ts";

/** Lines to each side. */
const LINES = 60;

/** A grid below the things, in steps of 1, 10, 100 … metres or tenths, as near as the camera is; it fades into the sky. */
export class Ground {
  readonly object: Group = new Group();
  readonly fog: Fog = new Fog(0, 1, 10);
  height = 0;
  readonly #fine: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #coarse: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor() {
    const grid = gridGeometry();
    this.#fine = new LineSegments(grid, new LineBasicMaterial({ transparent: true, opacity: 0.5, depthWrite: false }));
    this.#coarse = new LineSegments(grid, new LineBasicMaterial({ depthWrite: false }));
    this.object.add(this.#fine, this.#coarse);
    for (const grids of [this.#fine, this.#coarse]) grids.frustumCulled = false;
  }

  paint(scheme: Scheme): Color {
    const { sky, line } = SURROUNDINGS[scheme];
    this.#fine.material.color.set(line);
    this.#coarse.material.color.set(line);
    this.fog.color.set(sky);
    return this.fog.color;
  }

  /** Below the point that is looked at, from so far. */
  place(target: Vector3, distance: number, above: number): void {
    const step = stepFor(Math.max(distance, above));
    for (const [grid, size] of [
      [this.#fine, step],
      [this.#coarse, step * 10],
    ] as const) {
      grid.scale.set(size, 1, size);
      grid.position.set(Math.round(target.x / size) * size, this.height, Math.round(target.z / size) * size);
    }
    const reach = Math.max(distance, above);
    this.fog.near = reach * 1.2;
    this.fog.far = reach * 7;
  }

  dispose(): void {
    this.#fine.geometry.dispose();
    this.#fine.material.dispose();
    this.#coarse.material.dispose();
  }
}

/** The power of ten that gives about twenty lines over the view. */
export function stepFor(distance: number): number {
  return 10 ** Math.floor(Math.log10(Math.max(distance, 1e-3) / 5));
}

function gridGeometry(): BufferGeometry {
  const places: number[] = [];
  for (let i = -LINES; i <= LINES; i++) places.push(i, 0, -LINES, i, 0, LINES, -LINES, 0, i, LINES, 0, i);
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
}
