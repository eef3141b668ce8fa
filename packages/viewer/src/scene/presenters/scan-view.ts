import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Matrix4,
  Mesh,
  Points,
  ShaderMaterial,
  Vector3,
} from "three";
import { color, ghostColor } from "../drawing/look.ts";
import type { Setting } from "./presenter.ts";
import { RAMP } from "./ramp.ts";
import { type RangeScan, type ScanPlace, scanPoints } from "./scan.ts";

/** How high what a scanner meets is drawn, from so far below its beams on; metres. */
const BEAM = 0.25;
const WALL = 0.55;
/** Ends of two neighbouring beams are of one thing when they are no farther apart: metres, and of their range. */
const GAP = 0.12;
const PART = 0.12;
/** Points that are remembered, and for how long, nanoseconds. */
const REMEMBERED = 8192;
const MEMORY = 20e9;
const LASER = color("#ff5a4f");
/** From what hardly came back to what came back most. */
const COLORS = RAMP.map((one) => color(one));

const VERTEX = /* glsl */ `
attribute float strength;
attribute vec3 tint;
uniform float size;
varying float vStrength;
varying vec3 vTint;
void main() {
  vStrength = strength;
  vTint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const FRAGMENT = /* glsl */ `
uniform float size;
varying float vStrength;
varying vec3 vTint;
void main() {
  float round = size == 0.0 ? 1.0 : clamp((0.5 - length(gl_PointCoord - 0.5)) * size, 0.0, 1.0);
  gl_FragColor = vec4(vTint, vStrength * round);
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
  #shown: RangeScan | undefined;
  #count = 0;
  readonly #shade: Color;
  readonly #isGhost: boolean;
  /** The least and the most that came back of the scan that is shown; null: that is not given. */
  #extent: [least: number, most: number] | null = null;

  constructor({ look }: Setting) {
    this.#isGhost = look.ghost >= 0;
    this.#shade = this.#isGhost ? ghostColor(look.ghost) : LASER;
    const material = (size: number): ShaderMaterial =>
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: { size: { value: size } },
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

  /** What its colours stand for; null: they stand for nothing. */
  get extent(): readonly [least: number, most: number] | null {
    return this.#isGhost ? null : this.#extent;
  }

  /** Shows a scan from a place, null where that is not known; what it was at other times is remembered where it was. */
  update(scan: RangeScan, place: ScanPlace | null, time: number): void {
    this.#here.visible = place !== null;
    if (place !== null) {
      this.#here.position.copy(place.position);
      this.#here.quaternion.copy(place.turn);
      this.#here.updateMatrix();
    }
    if (scan !== this.#shown) {
      this.#shown = scan;
      this.#draw(scan);
      if (place !== null) this.#remember(scan, time);
    }
    this.#fade(time);
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
    this.#tint(scan);
    corners.needsUpdate = hits.needsUpdate = true;
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

  /** Each beam in the colour of how strongly it came back. */
  #tint({ range, intensity }: RangeScan): void {
    const hasIntensity = intensity !== null && !this.#isGhost;
    this.#extent = null;
    if (hasIntensity) {
      this.#extent = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let beam = 0; beam < intensity.length; beam++) {
        if (!Number.isFinite(intensity[beam]!)) continue;
        this.#extent[0] = Math.min(this.#extent[0], intensity[beam]!);
        this.#extent[1] = Math.max(this.#extent[1], intensity[beam]!);
      }
    }
    const [points, walls] = [attribute(this.#points, "tint"), attribute(this.#walls, "tint")];
    for (let beam = 0; beam < range.length; beam++) {
      const { r, g, b } = hasIntensity ? rampAt(intensity[beam]!, this.#extent!) : this.#shade;
      points.setXYZ(beam, r, g, b);
      // a wall has the ends of two beams
      for (const corner of [4 * beam, 4 * beam + 2, 4 * beam - 3, 4 * beam - 1])
        if (corner >= 0 && corner < walls.count) walls.setXYZ(corner, r, g, b);
    }
    points.needsUpdate = walls.needsUpdate = true;
  }

  #remember({ range }: RangeScan, time: number): void {
    const hits = attribute(this.#points, "position").array;
    const tints = attribute(this.#points, "tint").array;
    const places = attribute(this.#past, "position");
    const colors = attribute(this.#past, "tint");
    WORLD.copy(this.#here.matrix);
    for (let beam = 0; beam < range.length; beam++) {
      if (!isHit(hits, 3 * beam)) continue;
      POINT.fromArray(hits, 3 * beam).applyMatrix4(WORLD);
      places.setXYZ(this.#next, POINT.x, POINT.y, POINT.z);
      colors.setXYZ(this.#next, tints[3 * beam]!, tints[3 * beam + 1]!, tints[3 * beam + 2]!);
      this.#times[this.#next] = time;
      this.#next = (this.#next + 1) % REMEMBERED;
    }
    places.needsUpdate = colors.needsUpdate = true;
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
    const area = attribute(this.#area, "tint");
    for (let corner = 0; corner < area.count; corner++)
      area.setXYZ(corner, this.#shade.r, this.#shade.g, this.#shade.b);
    attribute(this.#points, "strength").array.fill(1);
    const { array } = attribute(this.#walls, "strength");
    for (let i = 0; i < array.length; i++) array[i] = (i & 2) === 0 ? 0.55 : 0;
  }
}

function geometryOf(count: number): BufferGeometry {
  const of = (width: number): BufferAttribute =>
    new BufferAttribute(new Float32Array(width * count), width).setUsage(DynamicDrawUsage);
  return new BufferGeometry()
    .setAttribute("position", of(3))
    .setAttribute("strength", of(1))
    .setAttribute("tint", of(3));
}

function attribute({ geometry }: { readonly geometry: BufferGeometry }, name: string): BufferAttribute {
  return geometry.getAttribute(name) as BufferAttribute;
}

/** The colour of a number between two; valid until the next call. */
function rampAt(value: number, [least, most]: readonly [number, number]): Color {
  const part = most > least ? Math.min(1, Math.max(0, (value - least) / (most - least))) : 0;
  const step = (Number.isFinite(part) ? part : 0) * (COLORS.length - 1);
  const at = Math.min(COLORS.length - 2, Math.floor(step));
  return MIXED.copy(COLORS[at]!).lerp(COLORS[at + 1]!, step - at);
}

/** Beams that met nothing end at the scanner. */
function isHit(hits: ArrayLike<number>, at: number): boolean {
  return hits[at] !== 0 || hits[at + 2] !== 0;
}

const MIXED = new Color();
const WORLD = new Matrix4();
const POINT = new Vector3();
