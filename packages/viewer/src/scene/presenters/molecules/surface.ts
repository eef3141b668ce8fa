import { edgeTable, triTable } from "three/addons/objects/MarchingCubes.js";
import type { Object3D } from "three";
import type { Look } from "../../drawing/look.ts";
import { radiusOf } from "./elements.ts";
import { type Model, type Solid, SolidMesh } from "./solid.ts";
import type { Structure } from "./structure.ts";

/** Cells of the grid at most, and nm of one at least. */
const MOST_CELLS = 500_000;
const FINEST = 0.045;
/** nm around the atoms. */
const MARGIN = 0.35;
/** The density of an atom is exp(SHARP · (1 - (d / r)²)): 1 at its radius, which is so much larger than van der Waals. */
const SHARP = 2;
const LARGER = 1.15;
/** (d / r)² beyond which an atom adds nothing: less than 0.01. */
const REACH = 3.3;
const STEPS = 512;
const NO_ATOM = 0xffff_ffff;
const FALLOFF = Float32Array.from({ length: STEPS + 1 }, (_, i) => Math.exp(SHARP * (1 - (REACH * i) / STEPS)));

/** Corners at both ends of the twelve edges of a cell; corners are numbered around its lower face, then its upper one. */
const EDGES = [0, 1, 1, 2, 3, 2, 0, 3, 4, 5, 5, 6, 7, 6, 4, 7, 0, 4, 1, 5, 2, 6, 3, 7] as const;
/** Along which axis an edge goes: it is kept with the corner that it begins at. */
const AXES = [0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2] as const;

/**
 * The surface where the density of all atoms is 1 (Gaussian density, marching cubes), in the colour of the atom that is
 * densest there. Its grid is bounded, so that more atoms make a coarser one.
 */
export class Surface implements Solid {
  readonly object: Object3D;
  readonly #mesh: SolidMesh;
  readonly #grid = new DensityGrid();

  constructor(look: Look) {
    this.#mesh = new SolidMesh(look);
    this.object = this.#mesh.object;
  }

  covers({ count, isSolvent }: Structure): Uint8Array {
    return Uint8Array.from({ length: count }, (_, row) => 1 - isSolvent[row]!);
  }

  update({ structure, positions, shades }: Model): void {
    this.#grid.fill(structure, positions);
    const { points, corners } = this.#grid.march(this.#mesh, shades);
    this.#mesh.end(points, corners, true);
  }

  dispose(): void {
    this.#mesh.dispose();
  }
}

/** What a surface is written into; `SolidMesh` is one. */
export interface SurfaceSink {
  readonly places: Float32Array;
  readonly normals: Float32Array;
  readonly colors: Float32Array;
  readonly corners: Uint32Array;
  /** Makes room; what was written is lost where there was too little. */
  reserve(points: number, corners: number): void;
}

/** Density of atoms on a grid, whose arrays are used again. */
export class DensityGrid {
  #cell = FINEST;
  readonly #low = new Float32Array(3);
  #nx = 0;
  #ny = 0;
  #nz = 0;
  #density = new Float32Array(0);
  /** Of each point: how dense the densest atom is, and which it is. */
  #most = new Float32Array(0);
  #owner = new Uint32Array(0);
  /** Of each point and axis: the point of the surface on the edge that begins there, from 1 on. */
  #onEdge = new Uint32Array(0);

  /** Positions have three numbers for each atom, nm. Atoms of the solvent, and those that are nowhere, are left out. */
  fill(structure: Structure, positions: Float32Array): void {
    if (!this.#measure(structure, positions)) return;
    const [nx, ny] = [this.#nx, this.#ny];
    const cell = this.#cell;
    for (let row = 0; row < structure.count; row++) {
      if (structure.isSolvent[row] === 1) continue;
      const radius = LARGER * radiusOf(structure.elements[row]!);
      const reach = radius * Math.sqrt(REACH);
      const x = positions[3 * row]! - this.#low[0]!;
      const y = positions[3 * row + 1]! - this.#low[1]!;
      const z = positions[3 * row + 2]! - this.#low[2]!;
      if (!Number.isFinite(x + y + z)) continue;
      const scale = STEPS / (REACH * radius * radius);
      const [i0, i1] = [Math.ceil((x - reach) / cell), Math.floor((x + reach) / cell)];
      const [j0, j1] = [Math.ceil((y - reach) / cell), Math.floor((y + reach) / cell)];
      const [k0, k1] = [Math.ceil((z - reach) / cell), Math.floor((z + reach) / cell)];
      for (let k = k0; k <= k1; k++) {
        const dz = (k * cell - z) ** 2;
        for (let j = j0; j <= j1; j++) {
          const dyz = dz + (j * cell - y) ** 2;
          const line = nx * (j + ny * k);
          for (let i = i0; i <= i1; i++) {
            const step = (dyz + (i * cell - x) ** 2) * scale;
            if (step >= STEPS) continue;
            const value = FALLOFF[step | 0]!;
            const at = line + i;
            this.#density[at]! += value;
            if (value > this.#most[at]!) {
              this.#most[at] = value;
              this.#owner[at] = row;
            }
          }
        }
      }
    }
  }

  /** Writes the surface; `shades` has three numbers for each atom. */
  march(sink: SurfaceSink, shades: Float32Array): { readonly points: number; readonly corners: number } {
    const [nx, ny, nz] = [this.#nx, this.#ny, this.#nz];
    const density = this.#density;
    const { points, corners } = this.#count();
    sink.reserve(points, corners);
    this.#putPoints(sink, shades);
    const steps = [0, 1, 1 + nx, nx, nx * ny, 1 + nx * ny, 1 + nx + nx * ny, nx + nx * ny] as const;
    let at = 0;
    for (let k = 0; k + 1 < nz; k++) {
      for (let j = 0; j + 1 < ny; j++) {
        for (let i = 0; i + 1 < nx; i++) {
          const first = i + nx * (j + ny * k);
          let kind = 0;
          for (let corner = 0; corner < 8; corner++) if (density[first + steps[corner]!]! < 1) kind |= 1 << corner;
          if (edgeTable[kind] === 0) continue;
          for (let t = 16 * kind; triTable[t]! >= 0; t += 3) {
            // What is dense lies behind a face: its corners go around as they are seen from outside.
            for (const edge of [triTable[t]!, triTable[t + 1]!, triTable[t + 2]!])
              sink.corners[at++] = this.#onEdge[3 * (first + steps[EDGES[2 * edge]!]!) + AXES[edge]!]! - 1;
          }
        }
      }
    }
    return { points, corners };
  }

  /** Where the grid lies; false: there are no atoms. */
  #measure({ count, isSolvent }: Structure, positions: Float32Array): boolean {
    const low = this.#low.fill(Number.POSITIVE_INFINITY);
    const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let row = 0; row < count; row++) {
      if (isSolvent[row] === 1 || !Number.isFinite(positions[3 * row]!)) continue;
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k]!, positions[3 * row + k]! - MARGIN);
        high[k] = Math.max(high[k]!, positions[3 * row + k]! + MARGIN);
      }
    }
    const sizes = high.map((value, k) => value - low[k]!);
    this.#nx = this.#ny = this.#nz = 0;
    if (!sizes.every((size) => size > 0 && Number.isFinite(size))) return false;
    const volume = sizes.reduce((product, size) => product * size, 1);
    this.#cell = Math.max(FINEST, Math.cbrt(volume / MOST_CELLS));
    // Of what is long and thin, the points at its ends count, too.
    const counts = (): number[] => sizes.map((size) => Math.ceil(size / this.#cell) + 2);
    while (counts().reduce((product, each) => product * each, 1) > 1.5 * MOST_CELLS) this.#cell *= 1.1;
    const [nx, ny, nz] = counts() as [number, number, number];
    [this.#nx, this.#ny, this.#nz] = [nx, ny, nz];
    const points = nx * ny * nz;
    if (this.#density.length < points) {
      this.#density = new Float32Array(points);
      this.#most = new Float32Array(points);
      this.#owner = new Uint32Array(points);
      this.#onEdge = new Uint32Array(3 * points);
    } else {
      this.#density.fill(0, 0, points);
      this.#most.fill(0, 0, points);
    }
    this.#owner.fill(NO_ATOM, 0, points);
    return true;
  }

  /** Points on edges, and corners of faces. */
  #count(): { readonly points: number; readonly corners: number } {
    const [nx, ny, nz] = [this.#nx, this.#ny, this.#nz];
    const density = this.#density;
    const onEdge = this.#onEdge;
    onEdge.fill(0, 0, 3 * nx * ny * nz);
    const nexts = [1, nx, nx * ny] as const;
    const steps = [0, 1, 1 + nx, nx, nx * ny, 1 + nx * ny, 1 + nx + nx * ny, nx + nx * ny] as const;
    let [points, corners] = [0, 0];
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++) {
          const at = i + nx * (j + ny * k);
          const isIn = density[at]! >= 1;
          if (i + 1 < nx && density[at + nexts[0]]! >= 1 !== isIn) onEdge[3 * at] = ++points;
          if (j + 1 < ny && density[at + nexts[1]]! >= 1 !== isIn) onEdge[3 * at + 1] = ++points;
          if (k + 1 < nz && density[at + nexts[2]]! >= 1 !== isIn) onEdge[3 * at + 2] = ++points;
          if (i + 1 >= nx || j + 1 >= ny || k + 1 >= nz) continue;
          let kind = 0;
          for (let corner = 0; corner < 8; corner++) if (density[at + steps[corner]!]! < 1) kind |= 1 << corner;
          for (let t = 16 * kind; triTable[t]! >= 0; t++) corners++;
        }
      }
    }
    return { points, corners };
  }

  #putPoints(sink: SurfaceSink, shades: Float32Array): void {
    const [nx, ny, nz] = [this.#nx, this.#ny, this.#nz];
    const nexts = [1, nx, nx * ny] as const;
    const density = this.#density;
    const cell = this.#cell;
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++) {
          const at = i + nx * (j + ny * k);
          for (let axis = 0; axis < 3; axis++) {
            const point = this.#onEdge[3 * at + axis]!;
            if (point === 0) continue;
            const other = at + nexts[axis]!;
            const part = (1 - density[at]!) / (density[other]! - density[at]!);
            const to = 3 * (point - 1);
            sink.places[to] = this.#low[0]! + cell * (i + (axis === 0 ? part : 0));
            sink.places[to + 1] = this.#low[1]! + cell * (j + (axis === 1 ? part : 0));
            sink.places[to + 2] = this.#low[2]! + cell * (k + (axis === 2 ? part : 0));
            this.#lookOut(at, other, part, nexts, sink.normals, to);
            const denser = density[at]! > density[other]! ? at : other;
            const shade = 3 * this.#owner[denser]!;
            for (let c = 0; c < 3; c++) sink.colors[to + c] = shades[shade + c] ?? 1;
          }
        }
      }
    }
  }

  /** Outwards is where it is less dense. */
  #lookOut(a: number, b: number, part: number, nexts: readonly number[], out: Float32Array, to: number): void {
    const density = this.#density;
    for (let axis = 0; axis < 3; axis++) {
      const step = nexts[axis]!;
      const first = (density[a - step] ?? 0) - (density[a + step] ?? 0);
      const second = (density[b - step] ?? 0) - (density[b + step] ?? 0);
      out[to + axis] = first + (second - first) * part;
    }
    const length = Math.sqrt(out[to]! ** 2 + out[to + 1]! ** 2 + out[to + 2]! ** 2) || 1;
    for (let axis = 0; axis < 3; axis++) out[to + axis]! /= length;
  }
}
