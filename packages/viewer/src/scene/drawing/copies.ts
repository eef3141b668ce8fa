import { BufferAttribute, BufferGeometry, type Color, DynamicDrawUsage, Group, type Material, Mesh } from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import { FINE, QUICK, quickened } from "./quick.ts";

/** Corners of all copies at most: 36 bytes each go to the graphics card for every picture. */
const MOST_CORNERS = 1 << 19;
/** Corners of one shape at most: of larger ones an instance costs less than its corners would here. */
const MOST_OF_ONE = 600;
/** What is computed again for every picture. */
const CHANGING = ["position", "normal", "color"] as const;

/** How the corners of one copy lie, where they are not all as the shape has them. */
export interface Posing {
  /** Whether a corner takes the colour of its copy; the others take the plain one. */
  readonly isTinted: readonly boolean[];
  readonly plain: Color;
  /** Where corners of a copy are, and where they look to: three numbers for each, in the shape's own axes. */
  pose(copy: number, places: Float32Array, directions: Float32Array): void;
}

/**
 * Many of one shape as a single mesh, whose corners are put in their places here. Without a graphics card an instance
 * costs as much as hundreds of corners, whatever its shape.
 */
export class Copies {
  readonly object: Group = new Group();
  readonly #meshes: readonly Mesh[];
  #geometry = new BufferGeometry();
  readonly #shape: BufferGeometry;
  readonly #posing: Posing | null;
  /** Of the shape: as the copy at hand has them. */
  readonly #places: Float32Array;
  readonly #directions: Float32Array;
  readonly #shades: Float32Array | null;
  readonly #plain: Float32Array;
  #capacity = 0;

  private constructor(shape: BufferGeometry, material: Material, posing: Posing | null) {
    this.#shape = shape;
    this.#posing = posing;
    this.#places = floats(shape, "position")!;
    this.#directions = floats(shape, "normal")!;
    this.#shades = material.vertexColors ? floats(shape, "color") : null;
    this.#plain = Float32Array.from(posing?.plain.toArray() ?? [1, 1, 1]);
    const own = material.clone();
    // Faces that are flat have their directions at their corners here.
    Object.assign(own, { vertexColors: true, flatShading: false });
    const quick = quickened(own);
    this.#meshes = (quick === null ? [own] : [own, quick]).map((each) => new Mesh(this.#geometry, each));
    for (const [i, mesh] of this.#meshes.entries()) {
      if (quick !== null) mesh.layers.set(i === 0 ? FINE : QUICK);
      mesh.castShadow = mesh.receiveShadow = i === 0 && isShaded(own);
      mesh.frustumCulled = false;
      this.object.add(mesh);
    }
  }

  /**
   * Of a shape, which stays the caller's, and whose colours are multiplied with those of the copies. Null: it has too
   * many corners for this. `posing` is asked for with the shape whose corners it will pose.
   */
  static of(
    shape: BufferGeometry,
    material: Material,
    posing: ((shape: BufferGeometry) => Posing) | null = null,
  ): Copies | null {
    const own = "flatShading" in material && material.flatShading === true ? facetted(shape) : shape;
    if (own.getAttribute("position").count > MOST_OF_ONE) return null;
    return new Copies(own, material, posing?.(own) ?? null);
  }

  /** Whether so many are drawn so. */
  suits(count: number): boolean {
    return (count * this.#places.length) / 3 <= MOST_CORNERS;
  }

  /** Matrices have 16 numbers for each copy, column-major, colours 3. */
  fill(count: number, matrices: Float32Array, colors: Float32Array): void {
    this.object.visible = count > 0;
    if (count === 0) return;
    if (count > this.#capacity) this.#grow(Math.max(count, 2 * this.#capacity));
    const [places, directions, paints] = CHANGING.map((name) => this.#geometry.getAttribute(name).array);
    for (let copy = 0; copy < count; copy++) {
      this.#posing?.pose(copy, this.#places, this.#directions);
      this.#place(places as Float32Array, copy, matrices);
      this.#turn(directions as Float32Array, copy, matrices);
      this.#paint(paints as Float32Array, copy, colors);
    }
    for (const name of CHANGING) {
      const attribute = this.#geometry.getAttribute(name) as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, count * this.#places.length);
      attribute.needsUpdate = true;
    }
    this.#geometry.setDrawRange(0, count * (this.#shape.index?.count ?? this.#places.length / 3));
  }

  dispose(): void {
    this.#geometry.dispose();
    for (const { material } of this.#meshes) (material as Material).dispose();
  }

  #place(out: Float32Array, copy: number, m: Float32Array): void {
    const places = this.#places;
    const i = 16 * copy;
    let to = copy * places.length;
    for (let at = 0; at < places.length; at += 3, to += 3) {
      const x = places[at]!;
      const y = places[at + 1]!;
      const z = places[at + 2]!;
      out[to] = m[i]! * x + m[i + 4]! * y + m[i + 8]! * z + m[i + 12]!;
      out[to + 1] = m[i + 1]! * x + m[i + 5]! * y + m[i + 9]! * z + m[i + 13]!;
      out[to + 2] = m[i + 2]! * x + m[i + 6]! * y + m[i + 10]! * z + m[i + 14]!;
    }
  }

  /** Of what is stretched along its axes, a face looks less along those. */
  #turn(out: Float32Array, copy: number, m: Float32Array): void {
    const directions = this.#directions;
    const i = 16 * copy;
    const a = squared(m, i);
    const b = squared(m, i + 4);
    const c = squared(m, i + 8);
    let to = copy * directions.length;
    for (let at = 0; at < directions.length; at += 3, to += 3) {
      const x = directions[at]! / a;
      const y = directions[at + 1]! / b;
      const z = directions[at + 2]! / c;
      out[to] = m[i]! * x + m[i + 4]! * y + m[i + 8]! * z;
      out[to + 1] = m[i + 1]! * x + m[i + 5]! * y + m[i + 9]! * z;
      out[to + 2] = m[i + 2]! * x + m[i + 6]! * y + m[i + 10]! * z;
    }
  }

  #paint(out: Float32Array, copy: number, colors: Float32Array): void {
    const shades = this.#shades;
    const posing = this.#posing;
    const length = this.#places.length;
    let to = copy * length;
    for (let at = 0; at < length; at += 3, to += 3) {
      const isPlain = posing !== null && !posing.isTinted[at / 3]!;
      const from = isPlain ? 0 : 3 * copy;
      const paint = isPlain ? this.#plain : colors;
      out[to] = paint[from]! * (shades?.[at] ?? 1);
      out[to + 1] = paint[from + 1]! * (shades?.[at + 1] ?? 1);
      out[to + 2] = paint[from + 2]! * (shades?.[at + 2] ?? 1);
    }
  }

  #grow(capacity: number): void {
    this.#capacity = capacity;
    this.#geometry.dispose();
    this.#geometry = new BufferGeometry();
    for (const mesh of this.#meshes) mesh.geometry = this.#geometry;
    const corners = this.#places.length / 3;
    for (const name of CHANGING) {
      const attribute = new BufferAttribute(new Float32Array(3 * corners * capacity), 3);
      this.#geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
    }
    const uv = floats(this.#shape, "uv");
    if (uv !== null) this.#geometry.setAttribute("uv", new BufferAttribute(repeated(uv, capacity, 0), 2));
    const { index } = this.#shape;
    if (index === null) return;
    this.#geometry.setIndex(new BufferAttribute(repeated(Uint32Array.from(index.array), capacity, corners), 1));
  }
}

/** Lamps and what is seen through cast no shadow. */
export function isShaded(material: Material): boolean {
  return "emissive" in material && !material.transparent;
}

/** The same shape, with corners of their own for faces that look elsewhere. */
function facetted(shape: BufferGeometry): BufferGeometry {
  const apart = shape.index === null ? shape.clone() : shape.toNonIndexed();
  apart.computeVertexNormals();
  return mergeVertices(apart);
}

/** So many times, each a `step` more than the one before. */
function repeated<T extends Float32Array | Uint32Array>(values: T, times: number, step: number): T {
  const all = new (values.constructor as new (length: number) => T)(values.length * times);
  for (let i = 0; i < all.length; i++) all[i] = values[i % values.length]! + step * Math.floor(i / values.length);
  return all;
}

/** A copy; null: there is none of that name. */
function floats(geometry: BufferGeometry, name: string): Float32Array | null {
  return geometry.hasAttribute(name) ? Float32Array.from(geometry.getAttribute(name).array) : null;
}

function squared(m: Float32Array, at: number): number {
  return m[at]! ** 2 + m[at + 1]! ** 2 + m[at + 2]! ** 2 || 1;
}
