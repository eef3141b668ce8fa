import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, type Material, Mesh, type Object3D } from "three";
import type { Look } from "../../drawing/look.ts";
import { FINE, QUICK, quickened } from "../../drawing/quick.ts";
import { drawsInSoftware } from "../../drawing/renderer.ts";
import type { Structure } from "./structure.ts";

/** What a style other than balls and sticks is drawn from. */
export interface Model {
  readonly structure: Structure;
  /** Three numbers for each atom, nm. */
  readonly positions: Float32Array;
  /** Three for each atom. */
  readonly shades: Float32Array;
  /** Of each atom: whether it is shown at all. */
  readonly isShown: Uint8Array;
  /** Of each residue, as `secondary` has it. */
  readonly secondary: Uint8Array;
}

/** Draws atoms as something else than balls. */
export interface Solid {
  readonly object: Object3D;
  /** Whether an atom is part of it; the others are drawn as balls and sticks. */
  covers(structure: Structure): Uint8Array;
  update(model: Model): void;
  dispose(): void;
}

const EMPTY = new Float32Array(0);

/** A mesh whose corners are written again for every picture. It grows, and never shrinks. */
export class SolidMesh {
  readonly object: Group = new Group();
  places: Float32Array = EMPTY;
  normals: Float32Array = EMPTY;
  colors: Float32Array = EMPTY;
  corners: Uint32Array = new Uint32Array(0);
  #geometry = new BufferGeometry();
  readonly #meshes: readonly Mesh[];

  constructor(look: Look) {
    const material = look.material({ vertexColors: true, shine: 0.25 });
    // Without a graphics card a simpler one takes its place while the picture changes.
    const quick = drawsInSoftware() ? quickened(material) : null;
    this.#meshes = (quick === null ? [material] : [material, quick]).map((each) => new Mesh(this.#geometry, each));
    for (const [i, mesh] of this.#meshes.entries()) {
      if (quick !== null) mesh.layers.set(i === 0 ? FINE : QUICK);
      mesh.castShadow = mesh.receiveShadow = i === 0 && !material.transparent;
      mesh.frustumCulled = false;
      this.object.add(mesh);
    }
  }

  /** Makes room; what was written is lost where there was too little. */
  reserve(points: number, corners: number): void {
    if (3 * points <= this.places.length && corners <= this.corners.length) return;
    const [room, indexes] = [Math.ceil(points * 1.3), Math.ceil(corners * 1.3)];
    this.#geometry.dispose();
    this.#geometry = new BufferGeometry();
    this.places = new Float32Array(3 * room);
    this.normals = new Float32Array(3 * room);
    this.colors = new Float32Array(3 * room);
    this.corners = new Uint32Array(indexes);
    for (const [name, array] of [
      ["position", this.places],
      ["normal", this.normals],
      ["color", this.colors],
    ] as const)
      this.#geometry.setAttribute(name, new BufferAttribute(array, 3).setUsage(DynamicDrawUsage));
    this.#geometry.setIndex(new BufferAttribute(this.corners, 1).setUsage(DynamicDrawUsage));
    for (const mesh of this.#meshes) mesh.geometry = this.#geometry;
  }

  /** Shows so many points and corners. */
  end(points: number, corners: number, areCornersOther: boolean): void {
    this.object.visible = corners > 0;
    if (corners === 0) return;
    for (const name of ["position", "normal", "color"]) {
      const attribute = this.#geometry.getAttribute(name) as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 3 * points);
      attribute.needsUpdate = true;
    }
    if (areCornersOther) this.#geometry.index!.needsUpdate = true;
    this.#geometry.setDrawRange(0, corners);
  }

  dispose(): void {
    this.#geometry.dispose();
    for (const { material } of this.#meshes) (material as Material).dispose();
  }
}
