import {
  type Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Matrix4,
  Mesh,
  Points,
  ShaderMaterial,
  Vector3,
} from "three";
import type { Value } from "simtape";
import { color, ghostColor } from "../look.ts";
import type { Poses } from "../poses.ts";
import type { Setting } from "./presenter.ts";
import { type RangeScan, scanPoints } from "./scan.ts";

/** How high the scanner sits, and how high what it meets is drawn; metres. */
const BEAM = 0.25;
const WALL = 0.55;
/** Ends of two neighbouring beams are of one thing when they are no farther apart: metres, and of their range. */
const GAP = 0.12;
const PART = 0.12;
/** Points that are remembered, and for how long, nanoseconds. */
const REMEMBERED = 8192;
const MEMORY = 20e9;
const LASER = color("#ff5a4f");

const VERTEX = /* glsl */ `
attribute float strength;
uniform float size;
varying float vStrength;
void main() {
  vStrength = strength;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float size;
varying float vStrength;
void main() {
  float round = size == 0.0 ? 1.0 : clamp((0.5 - length(gl_PointCoord - 0.5)) * size, 0.0, 1.0);
  gl_FragColor = vec4(color, vStrength * round);
  #include <colorspace_fragment>
}`;

/** What one scanner sees: the area that is free, what stands at its edge, and where it met something a while ago. */
export class ScanView {
  readonly object: Group = new Group();
  /** Goes along with the robot. */
  readonly #here = new Group();
  readonly #area: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #walls: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #points: Points<BufferGeometry, ShaderMaterial>;
  readonly #past: Points<BufferGeometry, ShaderMaterial>;
  readonly #times = new Float64Array(REMEMBERED).fill(Number.NaN);
  #next = 0;
  #shown: Value | undefined;
  #count = 0;

  constructor({ look }: Setting) {
    const shade = look.ghost < 0 ? LASER : ghostColor(look.ghost);
    const material = (size: number): ShaderMaterial =>
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: { color: { value: shade }, size: { value: size } },
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
      });
    this.#area = new Mesh(new BufferGeometry(), material(0));
    this.#walls = new Mesh(new BufferGeometry(), material(0));
    this.#points = new Points(new BufferGeometry(), material(6));
    this.#past = new Points(geometryOf(REMEMBERED), material(3));
    for (const part of [this.#area, this.#walls, this.#points, this.#past]) part.frustumCulled = false;
    this.#here.add(this.#area, this.#walls, this.#points);
    this.object.add(this.#here, this.#past);
  }

  /** Shows a scan from the pose in a row; what it was at other times is remembered where it was. */
  update(scan: RangeScan, value: Value, poses: Poses, row: number, time: number): void {
    const isKnown = poses.isKnown(row);
    if (isKnown) {
      this.#here.position.fromArray(poses.positions, 3 * row);
      this.#here.quaternion.fromArray(poses.orientations, 4 * row);
      this.#here.position.y += BEAM;
      this.#here.updateMatrix();
    }
    if (value !== this.#shown) {
      this.#shown = value;
      this.#draw(scan);
      if (isKnown) this.#remember(scan, time);
    }
    this.#fade(time);
  }

  widen(box: Box3): void {
    if (!this.object.visible || this.#count === 0) return;
    this.object.updateWorldMatrix(true, true);
    box.expandByObject(this.#points);
  }

  dispose(): void {
    for (const part of [this.#area, this.#walls, this.#points, this.#past]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }

  #draw(scan: RangeScan): void {
    const beams = scan.range.length;
    if (beams !== this.#count) this.#size(beams);
    const corners = attribute(this.#area, "position");
    const hits = attribute(this.#points, "position");
    scanPoints(scan, corners.array as Float32Array, hits.array as Float32Array);
    this.#raise(hits.array as Float32Array, scan);
    corners.needsUpdate = hits.needsUpdate = true;
    this.#points.geometry.computeBoundingSphere();
    this.#points.geometry.computeBoundingBox();
  }

  /** From neighbouring hits, a wall of unknown height: it fades upwards. */
  #raise(hits: Float32Array, { range }: RangeScan): void {
    const places = attribute(this.#walls, "position");
    for (let beam = 0; beam + 1 < range.length; beam++) {
      const a = 3 * beam;
      const away = Math.hypot(hits[a + 3]! - hits[a]!, hits[a + 5]! - hits[a + 2]!);
      const isOne = away < GAP + PART * range[beam]! && isHit(hits, a) && isHit(hits, a + 3);
      for (let k = 0; k < 4; k++) {
        const end = a + (k & 1 ? 3 : 0);
        const up = k < 2 ? -BEAM : WALL - BEAM;
        places.setXYZ(4 * beam + k, isOne ? hits[end]! : 0, isOne ? up : 0, isOne ? hits[end + 2]! : 0);
      }
    }
    places.needsUpdate = true;
  }

  #remember({ range }: RangeScan, time: number): void {
    const hits = attribute(this.#points, "position").array;
    const places = attribute(this.#past, "position");
    WORLD.copy(this.#here.matrix);
    for (let beam = 0; beam < range.length; beam++) {
      if (!isHit(hits, 3 * beam)) continue;
      POINT.fromArray(hits, 3 * beam).applyMatrix4(WORLD);
      places.setXYZ(this.#next, POINT.x, POINT.y, POINT.z);
      this.#times[this.#next] = time;
      this.#next = (this.#next + 1) % REMEMBERED;
    }
    places.needsUpdate = true;
  }

  #fade(time: number): void {
    const strengths = attribute(this.#past, "strength");
    for (let i = 0; i < REMEMBERED; i++) {
      const age = Math.abs(time - this.#times[i]!) / MEMORY;
      strengths.setX(i, age < 1 ? 0.7 * (1 - age) : 0);
    }
    strengths.needsUpdate = true;
  }

  #size(beams: number): void {
    this.#count = beams;
    for (const [part, count] of [
      [this.#area, beams + 1],
      [this.#points, beams],
      [this.#walls, 4 * (beams - 1)],
    ] as const) {
      part.geometry.dispose();
      part.geometry = geometryOf(count);
    }
    const fan: number[] = [];
    const walls: number[] = [];
    for (let beam = 1; beam < beams; beam++) {
      fan.push(0, beam, beam + 1);
      const at = 4 * (beam - 1);
      walls.push(at, at + 1, at + 2, at + 2, at + 1, at + 3);
    }
    this.#area.geometry.setIndex(fan);
    this.#walls.geometry.setIndex(walls);
    attribute(this.#area, "strength").array.fill(0.05).fill(0.34, 0, 1);
    attribute(this.#points, "strength").array.fill(1);
    const { array } = attribute(this.#walls, "strength");
    for (let i = 0; i < array.length; i++) array[i] = (i & 2) === 0 ? 0.55 : 0;
  }
}

function geometryOf(count: number): BufferGeometry {
  const of = (width: number): BufferAttribute =>
    new BufferAttribute(new Float32Array(width * count), width).setUsage(DynamicDrawUsage);
  return new BufferGeometry().setAttribute("position", of(3)).setAttribute("strength", of(1));
}

function attribute({ geometry }: { readonly geometry: BufferGeometry }, name: string): BufferAttribute {
  return geometry.getAttribute(name) as BufferAttribute;
}

/** Beams that met nothing end at the scanner. */
function isHit(hits: ArrayLike<number>, at: number): boolean {
  return hits[at] !== 0 || hits[at + 2] !== 0;
}

const WORLD = new Matrix4();
const POINT = new Vector3();
