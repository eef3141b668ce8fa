import {
  BufferAttribute,
  BufferGeometry,
  type Color,
  DoubleSide,
  DynamicDrawUsage,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  ShaderMaterial,
  Vector2,
} from "three";

const VERTEX = /* glsl */ `
attribute vec3 start;
attribute vec3 end;
uniform vec2 view;
uniform float width;
uniform float first;
uniform float count;
uniform float isFading;
varying float vAge;
varying float vSide;
void main() {
  // Along the piece, then across it.
  vec2 corner = vec2(gl_VertexID >> 1 & 1, (gl_VertexID & 1) * 2 - 1);
  vAge = clamp((float(gl_VertexID >> 2) + corner.x - first) / max(1.0, count - first), 0.0, 1.0);
  vSide = corner.y;
  vec4 a = modelViewMatrix * vec4(start, 1.0);
  vec4 b = modelViewMatrix * vec4(end, 1.0);
  // What is behind the eye is cut off, as it would be mirrored.
  float near = -0.01;
  bool isSeen = a.z < near || b.z < near;
  if (a.z > near) a.xyz = mix(b.xyz, a.xyz, (near - b.z) / (a.z - b.z));
  if (b.z > near) b.xyz = mix(a.xyz, b.xyz, (near - a.z) / (b.z - a.z));
  vec4 from = projectionMatrix * a;
  vec4 to = projectionMatrix * b;
  vec2 along = (to.xy / to.w - from.xy / from.w) * view;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  gl_Position = mix(from, to, corner.x);
  float taper = mix(1.0, mix(0.35, 1.0, vAge), isFading);
  gl_Position.xy += vec2(-along.y, along.x) * corner.y * taper * (width + 1.0) / view * gl_Position.w;
  if (!isSeen) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float opacity;
uniform float width;
uniform float isFading;
varying float vAge;
varying float vSide;
void main() {
  float edge = clamp((1.0 - abs(vSide)) * 0.5 * (width + 1.0), 0.0, 1.0);
  float age = mix(1.0, vAge * vAge, isFading);
  gl_FragColor = vec4(color, opacity * edge * age);
  #include <colorspace_fragment>
}`;

export interface RibbonStyle {
  readonly color: Color;
  /** Pixels. */
  readonly width: number;
  readonly opacity: number;
  /** Whether it is thinner and paler towards its beginning. */
  readonly isFading: boolean;
}

/**
 * A line of some pixels' width through the points of an array, each next to the one before. Every piece has four corners
 * of its own: an instance costs far more without a graphics card.
 */
export class Ribbon {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #places: Float32Array;
  /** Each point four times, so that a corner of a piece finds its end four further on. */
  readonly #buffer: InterleavedBuffer;
  readonly #pieces: number;

  /** Three numbers for each point: used again for the next picture when `touch` tells that they have changed. */
  constructor(places: Float32Array, { color, width, opacity, isFading }: RibbonStyle) {
    this.#places = places;
    this.#pieces = Math.max(0, places.length / 3 - 1);
    this.#buffer = new InterleavedBuffer(new Float32Array(CORNERS * places.length), 3);
    this.#buffer.setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("start", new InterleavedBufferAttribute(this.#buffer, 3, 0));
    geometry.setAttribute("end", new InterleavedBufferAttribute(this.#buffer, 3, 3 * CORNERS));
    const corners = new Uint32Array(FACES.length * this.#pieces);
    for (let piece = 0; piece < this.#pieces; piece++) {
      for (const [i, corner] of FACES.entries()) corners[FACES.length * piece + i] = CORNERS * piece + corner;
    }
    geometry.setIndex(new BufferAttribute(corners, 1));
    const material = new ShaderMaterial({
      // a uniform, not a constant: all ribbons are drawn by one program, which takes time to make
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        color: { value: color.clone() },
        opacity: { value: opacity },
        width: { value: width },
        isFading: { value: isFading ? 1 : 0 },
        first: { value: 0 },
        count: { value: this.#pieces },
        view: { value: VIEW },
      },
      transparent: true,
      side: DoubleSide,
      depthWrite: false,
    });
    this.object = new Mesh(geometry, material);
    this.object.frustumCulled = false;
    this.touch(0);
  }

  /** Shows the pieces from `first` on. */
  touch(first: number): void {
    this.object.visible = first < this.#pieces;
    if (!this.object.visible) return;
    this.object.material.uniforms["first"]!.value = first;
    this.object.geometry.setDrawRange(FACES.length * first, FACES.length * (this.#pieces - first));
    const { array } = this.#buffer;
    for (let at = 3 * first; at < this.#places.length; at++) {
      const to = CORNERS * (at - (at % 3)) + (at % 3);
      for (let i = 0; i < CORNERS; i++) array[to + 3 * i] = this.#places[at]!;
    }
    const from = 3 * CORNERS * first;
    this.#buffer.clearUpdateRanges();
    this.#buffer.addUpdateRange(from, array.length - from);
    this.#buffer.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** Of a piece, and its two faces. */
const CORNERS = 4;
const FACES: readonly number[] = [0, 1, 2, 2, 1, 3];
/** Size of the view in pixels, of all ribbons. */
const VIEW = new Vector2(1, 1);

/** Tells all ribbons how large the view is, so that their width is in its pixels. */
export function sizeRibbons(width: number, height: number): void {
  VIEW.set(width, height);
}
