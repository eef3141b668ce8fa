import { BufferAttribute, BufferGeometry, type Color, DoubleSide, Group, Mesh, MeshBasicMaterial } from "three";
import { Ribbon } from "./ribbon.ts";

/** Between its way and the ground, how much of what is behind it is covered. */
const OPACITY = 0.09;
/** Metres that its track is above the ground, so that it is not below it. */
const LIFT = 0.3;

/** From the way of what flies down to the ground, so that its height is seen; with the track on the ground. */
export class Curtain {
  readonly object: Group = new Group();
  readonly #sheet: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #track: Ribbon;

  /** Three numbers for each place of the way, scene metres. */
  constructor(places: Float32Array, color: Color, floor: number) {
    const count = places.length / 3;
    const corners = new Float32Array(6 * count);
    const track = new Float32Array(3 * count);
    const index = new Uint32Array(6 * Math.max(0, count - 1));
    for (let i = 0; i < count; i++) {
      const [x, y, z] = [places[3 * i]!, places[3 * i + 1]!, places[3 * i + 2]!];
      corners.set([x, y, z, x, Math.min(y, floor), z], 6 * i);
      track.set([x, floor + LIFT, z], 3 * i);
      if (i > 0) index.set([2 * i - 2, 2 * i - 1, 2 * i, 2 * i, 2 * i - 1, 2 * i + 1], 6 * (i - 1));
    }
    const geometry = new BufferGeometry()
      .setAttribute("position", new BufferAttribute(corners, 3))
      .setIndex(new BufferAttribute(index, 1));
    const material = new MeshBasicMaterial({
      color,
      transparent: true,
      opacity: OPACITY,
      side: DoubleSide,
      // one colour over itself is the same in any order
      forceSinglePass: true,
      depthWrite: false,
    });
    this.#sheet = new Mesh(geometry, material);
    this.#sheet.frustumCulled = false;
    this.#track = new Ribbon(track, { color, width: 1, opacity: 0.35, isFading: false });
    this.object.add(this.#sheet, this.#track.object);
  }

  dispose(): void {
    this.#sheet.geometry.dispose();
    this.#sheet.material.dispose();
    this.#track.dispose();
  }
}
