import {
  type Color,
  DoubleSide,
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
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
varying float vAge;
varying float vSide;
void main() {
  float index = float(gl_InstanceID);
  vAge = clamp((index + position.x - first) / max(1.0, count - first), 0.0, 1.0);
  vSide = position.y;
  vec4 a = modelViewMatrix * vec4(start, 1.0);
  vec4 b = modelViewMatrix * vec4(end, 1.0);
  // What is behind the eye is cut off, as it would be mirrored.
  float near = -0.01;
  bool isSeen = (a.z < near || b.z < near) && index >= first && index < count;
  if (a.z > near) a.xyz = mix(b.xyz, a.xyz, (near - b.z) / (a.z - b.z));
  if (b.z > near) b.xyz = mix(a.xyz, b.xyz, (near - a.z) / (b.z - a.z));
  vec4 from = projectionMatrix * a;
  vec4 to = projectionMatrix * b;
  vec2 along = (to.xy / to.w - from.xy / from.w) * view;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  gl_Position = mix(from, to, position.x);
  float taper = mix(1.0, mix(0.35, 1.0, vAge), isFading);
  gl_Position.xy += vec2(-along.y, along.x) * position.y * taper * (width + 1.0) / view * gl_Position.w;
  if (!isSeen) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float opacity;
uniform float width;
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

/** A line of some pixels' width through the points of an array, each next to the one before. */
export class Ribbon {
  readonly object: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  readonly #buffer: InstancedInterleavedBuffer;

  /** Three numbers for each point: used again for the next picture when `touch` tells that they have changed. */
  constructor(places: Float32Array, { color, width, opacity, isFading }: RibbonStyle) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", CORNERS);
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    this.#buffer = new InstancedInterleavedBuffer(places, 3);
    this.#buffer.setUsage(DynamicDrawUsage);
    geometry.setAttribute("start", new InterleavedBufferAttribute(this.#buffer, 3, 0));
    geometry.setAttribute("end", new InterleavedBufferAttribute(this.#buffer, 3, 3));
    geometry.instanceCount = places.length / 3 - 1;
    const material = new ShaderMaterial({
      vertexShader: `const float isFading = ${isFading ? "1.0" : "0.0"};\n${VERTEX}`,
      fragmentShader: `const float isFading = ${isFading ? "1.0" : "0.0"};\n${FRAGMENT}`,
      uniforms: {
        color: { value: color.clone() },
        opacity: { value: opacity },
        width: { value: width },
        first: { value: 0 },
        count: { value: geometry.instanceCount },
        view: { value: VIEW },
      },
      transparent: true,
      side: DoubleSide,
      depthWrite: false,
    });
    this.object = new Mesh(geometry, material);
    this.object.frustumCulled = false;
  }

  /** Shows the pieces from `first` on. */
  touch(first: number): void {
    this.object.material.uniforms["first"]!.value = first;
    this.object.visible = first < this.object.geometry.instanceCount;
    this.#buffer.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** Along the piece, then across it. */
const CORNERS = new Float32BufferAttribute([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0], 3);
/** Size of the view in pixels, of all ribbons. */
const VIEW = new Vector2(1, 1);

/** Tells all ribbons how large the view is, so that their width is in its pixels. */
export function sizeRibbons(width: number, height: number): void {
  VIEW.set(width, height);
}
