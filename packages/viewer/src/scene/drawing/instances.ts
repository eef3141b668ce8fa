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
import { Copies, isShaded, type Posing } from "./copies.ts";
import type { Poses } from "../things/poses.ts";
import { drawsInSoftware } from "./renderer.ts";

/**
 * Many of one shape: filled again when anything has changed, in one draw. It grows by doubling, and never shrinks.
 * Without a graphics card simple shapes are drawn as `Copies`.
 */
export class Instances {
  readonly object: Group = new Group();
  readonly #geometry: BufferGeometry;
  readonly #material: Material;
  #mesh: InstancedMesh;
  readonly #copies: Copies | null;
  #matrices: Float32Array;
  #colors: Float32Array;
  #capacity: number;
  #count = 0;

  /** Geometry and material are its own from now on; `posing` is for `Copies`, which know nothing of shaders. */
  constructor(
    geometry: BufferGeometry,
    material: Material,
    capacity = 16,
    posing: ((shape: BufferGeometry) => Posing) | null = null,
  ) {
    this.#geometry = geometry;
    this.#material = material;
    this.#capacity = capacity;
    this.#matrices = new Float32Array(16 * capacity);
    this.#colors = new Float32Array(3 * capacity);
    this.#mesh = this.#make();
    this.#copies = drawsInSoftware() ? Copies.of(geometry, material, posing) : null;
    if (this.#copies !== null) this.object.add(this.#copies.object);
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
    const isCopied = this.#copies?.suits(this.#count) ?? false;
    this.#copies?.fill(isCopied ? this.#count : 0, this.#matrices, this.#colors);
    this.#mesh.count = isCopied ? 0 : this.#count;
    this.#mesh.visible = this.#mesh.count > 0;
    if (isCopied) return;
    this.#mesh.instanceMatrix.needsUpdate = true;
    this.#mesh.instanceColor!.needsUpdate = true;
  }

  dispose(): void {
    this.#mesh.dispose();
    this.#copies?.dispose();
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
    mesh.castShadow = mesh.receiveShadow = isShaded(this.#material);
    this.object.add(mesh);
    return mesh;
  }
}

function grown(array: Float32Array): Float32Array {
  const larger = new Float32Array(array.length * 2);
  larger.set(array);
  return larger;
}
