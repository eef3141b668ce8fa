import { Color, CylinderGeometry, Group } from "three";
import { Instances } from "../../drawing/instances.ts";
import type { Look } from "../../drawing/look.ts";
import { ALPHA, PI, STRAND, THREE_TEN } from "./secondary.ts";
import { type Model, type Solid, SolidMesh } from "./solid.ts";
import { BACKBONE, C, C1, N1, N3, NONE, O, type Structure } from "./structure.ts";
import { type Trace, tracesOf } from "./traces.ts";

/** nm: half of the width and of the thickness. */
const TUBE = 0.03;
const NUCLEIC = 0.06;
const HELIX = 0.13;
const SHEET = 0.11;
const ARROW = 0.18;
const TIP = 0.012;
const RIBBON = 0.026;
const BASE = 0.04;
/** nm: what is farther from the one before does not follow it. */
const APART = 0.8;
const FAR = 1.4;
/** Points of all rings together, and how many a ring and a residue have where these are enough. */
const POINTS = 90_000;
const AROUND = [12, 10, 8, 6] as const;
const ALONG = [10, 8, 6, 4] as const;

/**
 * The course of each chain as a tube, a ribbon where it is a helix, an arrow where it is a strand. The spline goes
 * through Cα, or phosphates, of the moment; which residues there are is looked at only when that changes.
 */
export class Cartoon implements Solid {
  readonly object: Group = new Group();
  readonly #mesh: SolidMesh;
  readonly #bases: Instances;
  #structure: Structure | null = null;
  #traces: readonly Trace[] = [];
  #covered = new Uint8Array(0);
  #around = 8;
  #along = 8;
  #cos = new Float32Array(0);
  #sin = new Float32Array(0);
  #areCornersOther = false;
  #points = 0;
  #corners = 0;
  /** Of one trace: its course, the direction of its width, half its width and its thickness. */
  #course = new Float32Array(0);
  #sides = new Float32Array(0);
  #kinds = new Uint8Array(0);
  /** Of the trace. */
  #last = 0;

  constructor(look: Look) {
    this.#mesh = new SolidMesh(look);
    this.#bases = new Instances(new CylinderGeometry(1, 1, 1, 8), look.material({ shine: 0.25 }));
    this.object.add(this.#mesh.object, this.#bases.object);
  }

  covers(structure: Structure): Uint8Array {
    this.#take(structure);
    return this.#covered;
  }

  update(model: Model): void {
    this.#take(model.structure);
    this.#points = 0;
    this.#bases.begin();
    for (const trace of this.#traces) {
      this.#lay(trace, model);
      this.#sweep(trace, model);
      if (trace.isNucleic) this.#putBases(trace, model);
    }
    this.#bases.end();
    this.#mesh.end(this.#points, this.#corners, this.#areCornersOther);
    this.#areCornersOther = false;
  }

  dispose(): void {
    this.#mesh.dispose();
    this.#bases.dispose();
  }

  #take(structure: Structure): void {
    if (structure === this.#structure) return;
    this.#structure = structure;
    this.#traces = tracesOf(structure);
    const isIn = new Uint8Array(structure.residues);
    let residues = 0;
    let longest = 0;
    for (const trace of this.#traces) {
      for (const residue of trace.residues) isIn[residue] = 1;
      residues += trace.residues.length;
      longest = Math.max(longest, trace.residues.length);
    }
    this.#covered = Uint8Array.from(structure.residueOf, (residue) => (residue === NONE ? 0 : isIn[residue]!));
    const fine = AROUND.findIndex((around, i) => around * ALONG[i]! * residues <= POINTS);
    this.#around = AROUND.at(fine)!;
    this.#along = ALONG.at(fine)!;
    const turn = (i: number): number => (2 * Math.PI * i) / this.#around;
    this.#cos = Float32Array.from({ length: this.#around }, (_, i) => Math.cos(turn(i)));
    this.#sin = Float32Array.from({ length: this.#around }, (_, i) => Math.sin(turn(i)));
    this.#course = new Float32Array(3 * longest);
    this.#sides = new Float32Array(3 * longest);
    this.#kinds = new Uint8Array(longest);
    this.#joinRings();
  }

  /** Corners of the faces between rings: always the same. */
  #joinRings(): void {
    const around = this.#around;
    const rings = this.#traces.map(({ residues }) => ringsOf(residues.length, this.#along));
    const points = around * rings.reduce((sum, count) => sum + count, 0);
    this.#corners = 6 * around * rings.reduce((sum, count) => sum + count - 1, 0);
    this.#mesh.reserve(points, this.#corners);
    const { corners } = this.#mesh;
    let [at, first] = [0, 0];
    for (const count of rings) {
      for (let ring = 0; ring + 1 < count; ring++) {
        for (let i = 0; i < around; i++) {
          const a = first + around * ring + i;
          const b = first + around * ring + ((i + 1) % around);
          for (const corner of [a, b, a + around, b, b + around, a + around]) corners[at++] = corner;
        }
      }
      first += around * count;
    }
    this.#areCornersOther = true;
  }

  /** Puts down where the trace goes now, and to which side its ribbon is wide. */
  #lay({ residues, atoms, isNucleic }: Trace, { structure, positions, secondary }: Model): void {
    const course = this.#course;
    const sides = this.#sides;
    const count = residues.length;
    this.#last = count - 1;
    for (let i = 0; i < count; i++) {
      const from = 3 * atoms[i]!;
      for (let k = 0; k < 3; k++) course[3 * i + k] = positions[from + k]!;
      const kind = secondary[residues[i]!]!;
      this.#kinds[i] = isNucleic
        ? 0
        : kind === THREE_TEN || kind === PI
          ? ALPHA
          : kind === ALPHA || kind === STRAND
            ? kind
            : 0;
    }
    for (let i = 0; i < count; i++) {
      const at = BACKBONE * residues[i]!;
      const [c, o] = [structure.backbone[at + C]!, structure.backbone[at + O]!];
      if (!isNucleic && c !== NONE && o !== NONE) {
        // The width lies along C=O: along the axis of a helix, across a strand.
        for (let k = 0; k < 3; k++) sides[3 * i + k] = positions[3 * o + k]! - positions[3 * c + k]!;
      } else {
        const [p, n] = [Math.max(0, i - 1), Math.min(count - 1, i + 1)];
        crossed(course, p, i, n, sides, 3 * i);
      }
      straighten(sides, i);
    }
    this.#flatten(count);
  }

  /** Strands go through the middle of their zigzag, and their sides turn evenly. */
  #flatten(count: number): void {
    const course = this.#course;
    const sides = this.#sides;
    const kinds = this.#kinds;
    for (let round = 0; round < 2; round++) {
      const before = BEFORE;
      before.set(course.subarray(0, 3), 0);
      for (let i = 1; i + 1 < count; i++) {
        const isStrand = kinds[i] === STRAND;
        for (let k = 0; k < 3; k++) {
          const at = 3 * i + k;
          const own = course[at]!;
          if (isStrand && near(course, i - 1, i, APART) && near(course, i, i + 1, APART))
            course[at] = (before[k]! + 2 * own + course[at + 3]!) / 4;
          before[k] = own;
        }
      }
    }
    for (let i = 1; i + 1 < count; i++) {
      for (let k = 0; k < 3; k++)
        sides[3 * i + k] = sides[3 * i - 3 + k]! + 2 * sides[3 * i + k]! + sides[3 * i + 3 + k]!;
      unit(sides, 3 * i);
    }
  }

  #sweep(trace: Trace, { shades }: Model): void {
    const { isNucleic, atoms } = trace;
    const count = atoms.length;
    const along = this.#along;
    const far = isNucleic ? FAR : APART;
    const shade = (i: number): number => 3 * atoms[i]!;
    this.#ring(0, Math.min(1, count - 1), 0, 0, 0, shades, shade(0), -1);
    for (let i = 0; i + 1 < count; i++) {
      const isBroken = !near(this.#course, i, i + 1, far);
      for (let step = 0; step < along; step++) {
        const t = step / along;
        // Nothing is drawn where the chain goes through a wall of the box, or is not whole.
        if (isBroken && step > 0) this.#ring(i, i + 1, t < 0.5 ? 0 : 1, 0, 0, shades, shade(t < 0.5 ? i : i + 1), 0);
        else {
          const [width, height] = isNucleic ? ROUND : this.#profile(i, t, count);
          this.#ring(i, i + 1, t, width, height, shades, shade(t < 0.5 ? i : i + 1), 0);
        }
      }
    }
    const [width, height] = isNucleic ? ROUND : this.#profile(count - 1, 0, count);
    this.#ring(count - 2, count - 1, 1, width, height, shades, shade(count - 1), 0);
    this.#ring(count - 2, count - 1, 1, 0, 0, shades, shade(count - 1), 1);
  }

  /** Half of width and thickness between a residue and the next. */
  #profile(i: number, t: number, count: number): readonly [width: number, height: number] {
    const kinds = this.#kinds;
    const kind = (j: number): number => (j < count ? kinds[j]! : 0);
    const own = kind(i);
    const next = kind(i + 1);
    if (own === STRAND) {
      const isHead = next === STRAND && kind(i + 2) !== STRAND;
      PROFILE[0] = next !== STRAND ? TUBE : isHead ? ARROW + (TIP - ARROW) * t : SHEET;
      PROFILE[1] = next !== STRAND ? TUBE : RIBBON;
      return PROFILE;
    }
    const widthOf = (one: number): number => (one === ALPHA ? HELIX : one === STRAND ? SHEET : TUBE);
    const heightOf = (one: number): number => (one === 0 ? TUBE : RIBBON);
    const ease = t * t * (3 - 2 * t);
    PROFILE[0] = widthOf(own) + (widthOf(next) - widthOf(own)) * ease;
    PROFILE[1] = heightOf(own) + (heightOf(next) - heightOf(own)) * ease;
    return PROFILE;
  }

  /** One ring at `t` between two residues; `cap`: -1 and 1 close the ends, whose faces look along the course. */
  #ring(
    i: number,
    j: number,
    t: number,
    width: number,
    height: number,
    shades: Float32Array,
    shade: number,
    cap: number,
  ): void {
    const { places, normals, colors } = this.#mesh;
    const course = this.#course;
    spline(course, Math.max(0, i - 1), i, j, Math.min(this.#last, j + 1), t, HERE, WAY);
    for (let k = 0; k < 3; k++) SIDE[k] = this.#sides[3 * i + k]! * (1 - t) + this.#sides[3 * j + k]! * t;
    const off = SIDE[0]! * WAY[0]! + SIDE[1]! * WAY[1]! + SIDE[2]! * WAY[2]!;
    for (let k = 0; k < 3; k++) SIDE[k]! -= off * WAY[k]!;
    unit(SIDE, 0);
    const [sx, sy, sz] = [SIDE[0]!, SIDE[1]!, SIDE[2]!];
    const nx = WAY[1]! * sz - WAY[2]! * sy;
    const ny = WAY[2]! * sx - WAY[0]! * sz;
    const nz = WAY[0]! * sy - WAY[1]! * sx;
    let at = 3 * this.#points;
    for (let k = 0; k < this.#around; k++, at += 3) {
      const cos = this.#cos[k]!;
      const sin = this.#sin[k]!;
      places[at] = HERE[0]! + cos * width * sx + sin * height * nx;
      places[at + 1] = HERE[1]! + cos * width * sy + sin * height * ny;
      places[at + 2] = HERE[2]! + cos * width * sz + sin * height * nz;
      const [a, b] = cap === 0 ? [cos * height, sin * width] : [0, 0];
      const x = cap * WAY[0]! + a * sx + b * nx;
      const y = cap * WAY[1]! + a * sy + b * ny;
      const z = cap * WAY[2]! + a * sz + b * nz;
      const length = Math.sqrt(x * x + y * y + z * z) || 1;
      normals[at] = x / length;
      normals[at + 1] = y / length;
      normals[at + 2] = z / length;
      colors[at] = shades[shade]!;
      colors[at + 1] = shades[shade + 1]!;
      colors[at + 2] = shades[shade + 2]!;
    }
    this.#points += this.#around;
  }

  /** From the sugar to the far end of each base. */
  #putBases({ residues }: Trace, { structure, positions, shades }: Model): void {
    for (const residue of residues) {
      const at = BACKBONE * residue;
      const from = structure.backbone[at + C1]!;
      const ends = [structure.backbone[at + N1]!, structure.backbone[at + N3]!].filter((atom) => atom !== NONE);
      if (from === NONE || ends.length === 0) continue;
      const [x, y, z] = [positions[3 * from]!, positions[3 * from + 1]!, positions[3 * from + 2]!];
      const length = (atom: number): number =>
        Math.hypot(positions[3 * atom]! - x, positions[3 * atom + 1]! - y, positions[3 * atom + 2]! - z);
      const to = ends.reduce((a, b) => (length(a) > length(b) ? a : b));
      SHADE.fromArray(shades, 3 * from);
      this.#bases.putRod(x, y, z, positions[3 * to]!, positions[3 * to + 1]!, positions[3 * to + 2]!, BASE, SHADE);
    }
  }
}

function ringsOf(residues: number, along: number): number {
  return (residues - 1) * along + 3;
}

/** A Catmull-Rom spline between `b` and `c`: place, and direction of length 1. */
function spline(
  course: Float32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  t: number,
  place: Float32Array,
  way: Float32Array,
): void {
  const [t2, t3] = [t * t, t * t * t];
  for (let k = 0; k < 3; k++) {
    const p1 = course[3 * b + k]!;
    const p2 = course[3 * c + k]!;
    const m1 = (p2 - course[3 * a + k]!) / 2;
    const m2 = (course[3 * d + k]! - p1) / 2;
    place[k] = (2 * t3 - 3 * t2 + 1) * p1 + (t3 - 2 * t2 + t) * m1 + (3 * t2 - 2 * t3) * p2 + (t3 - t2) * m2;
    way[k] = (6 * t2 - 6 * t) * (p1 - p2) + (3 * t2 - 4 * t + 1) * m1 + (3 * t2 - 2 * t) * m2;
  }
  unit(way, 0);
}

/** Perpendicular to both ways through the middle of three points. */
function crossed(course: Float32Array, a: number, b: number, c: number, out: Float32Array, at: number): void {
  const v = (from: number, to: number, k: number): number => course[3 * to + k]! - course[3 * from + k]!;
  out[at] = v(a, b, 1) * v(b, c, 2) - v(a, b, 2) * v(b, c, 1);
  out[at + 1] = v(a, b, 2) * v(b, c, 0) - v(a, b, 0) * v(b, c, 2);
  out[at + 2] = v(a, b, 0) * v(b, c, 1) - v(a, b, 1) * v(b, c, 0);
}

/** Makes it of length 1, and turned as the one before. */
function straighten(sides: Float32Array, i: number): void {
  const at = 3 * i;
  unit(sides, at);
  if (i === 0) return;
  const [x, y, z] = [sides[at]!, sides[at + 1]!, sides[at + 2]!];
  const [a, b, c] = [sides[at - 3]!, sides[at - 2]!, sides[at - 1]!];
  // Where the course is straight there is none of its own.
  if (x === 0 && y === 0 && z === 0) sides.copyWithin(at, at - 3, at);
  else if (x * a + y * b + z * c < 0) for (let k = 0; k < 3; k++) sides[at + k] = -sides[at + k]!;
}

function unit(vector: Float32Array, at: number): void {
  const length = Math.sqrt(vector[at]! ** 2 + vector[at + 1]! ** 2 + vector[at + 2]! ** 2) || 1;
  vector[at]! /= length;
  vector[at + 1]! /= length;
  vector[at + 2]! /= length;
}

function near(course: Float32Array, i: number, j: number, limit: number): boolean {
  const [a, b] = [3 * i, 3 * j];
  const squared =
    (course[a]! - course[b]!) ** 2 + (course[a + 1]! - course[b + 1]!) ** 2 + (course[a + 2]! - course[b + 2]!) ** 2;
  return squared < limit * limit;
}

const SHADE = new Color();
const HERE = new Float32Array(3);
const WAY = new Float32Array(3);
const SIDE = new Float32Array(3);
const BEFORE = new Float32Array(3);
const ROUND = [NUCLEIC, NUCLEIC] as const;
const PROFILE: [number, number] = [0, 0];
