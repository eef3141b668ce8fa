import {
  type BufferGeometry,
  type Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
} from "three";
import { compose, composeRod } from "./compose.ts";
import type { Poses } from "./poses.ts";

/** Many of one shape: filled anew when anything has changed, in one draw. It grows by doubling, and never shrinks. */
export class Instances {
  readonly object: Group = new Group();
  readonly #geometry: BufferGeometry;
  readonly #material: Material;
  #mesh: InstancedMesh;
  #matrices: Float32Array;
  #colors: Float32Array;
  #capacity: number;
  #count = 0;

  /** Geometry and material are its own from now on. */
  constructor(geometry: BufferGeometry, material: Material, capacity = 16) {
    this.#geometry = geometry;
    this.#material = material;
    this.#capacity = capacity;
    this.#matrices = new Float32Array(16 * capacity);
    this.#colors = new Float32Array(3 * capacity);
    this.#mesh = this.#make();
  }

  get count(): number {
    return this.#count;
  }

  /** Starts over. */
  begin(): void {
    this.#count = 0;
  }

  /** Adds one; orientation is a quaternion. */
  put(
    px: number,
    py: number,
    pz: number,
    x: number,
    y: number,
    z: number,
    w: number,
    sx: number,
    sy: number,
    sz: number,
    color: Color,
  ): void {
    this.#grow();
    compose(px, py, pz, x, y, z, w, sx, sy, sz, this.#matrices, 16 * this.#count);
    this.#paint(color);
  }

  /** Adds one where a thing is, turned as it is. */
  putThing(
    { positions: p, orientations: q }: Poses,
    row: number,
    sx: number,
    sy: number,
    sz: number,
    color: Color,
  ): void {
    const [at, from] = [3 * row, 4 * row];
    this.put(p[at]!, p[at + 1]!, p[at + 2]!, q[from]!, q[from + 1]!, q[from + 2]!, q[from + 3]!, sx, sy, sz, color);
  }

  /** Adds a rod of the unit cylinder between two points. */
  putRod(ax: number, ay: number, az: number, bx: number, by: number, bz: number, radius: number, color: Color): void {
    this.#grow();
    composeRod(ax, ay, az, bx, by, bz, radius, this.#matrices, 16 * this.#count);
    this.#paint(color);
  }

  /** Shows what was put since `begin`. */
  end(): void {
    this.#mesh.count = this.#count;
    this.#mesh.visible = this.#count > 0;
    this.#mesh.instanceMatrix.needsUpdate = true;
    this.#mesh.instanceColor!.needsUpdate = true;
  }

  dispose(): void {
    this.#mesh.dispose();
    this.#geometry.dispose();
    this.#material.dispose();
  }

  #paint(color: Color): void {
    const at = 3 * this.#count++;
    this.#colors[at] = color.r;
    this.#colors[at + 1] = color.g;
    this.#colors[at + 2] = color.b;
  }

  #grow(): void {
    if (this.#count < this.#capacity) return;
    this.#capacity *= 2;
    this.#matrices = grown(this.#matrices);
    this.#colors = grown(this.#colors);
    this.object.remove(this.#mesh);
    this.#mesh.dispose();
    this.#mesh = this.#make();
  }

  #make(): InstancedMesh {
    const mesh = new InstancedMesh(this.#geometry, this.#material, 0);
    mesh.instanceMatrix = new InstancedBufferAttribute(this.#matrices, 16).setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(this.#colors, 3).setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.visible = false;
    // Lamps and what is seen through cast no shadow.
    mesh.castShadow = mesh.receiveShadow = "emissive" in this.#material && !this.#material.transparent;
    this.object.add(mesh);
    return mesh;
  }
}

function grown(array: Float32Array): Float32Array {
  const larger = new Float32Array(array.length * 2);
  larger.set(array);
  return larger;
}
