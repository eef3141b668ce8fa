import {
  AddEquation,
  BufferAttribute,
  BufferGeometry,
  type Color,
  CustomBlending,
  DynamicDrawUsage,
  OneFactor,
  OneMinusSrcAlphaFactor,
  Points,
  ShaderMaterial,
} from "three";

const VERTEX = /* glsl */ `
attribute vec4 tint;
attribute float size;
varying vec4 vTint;
void main() {
  vTint = tint;
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * eye;
  // A little towards the eye, before what it shines from.
  gl_Position.z -= 0.5 * size / max(1.0, -eye.z) * gl_Position.w * 0.01;
  gl_PointSize = clamp(size * projectionMatrix[1][1] * 400.0 / -eye.z, 1.0, 160.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec4 vTint;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float light = vTint.a * pow(max(0.0, 1.0 - away), 2.5);
  gl_FragColor = vec4(vTint.rgb, 1.0);
  #include <colorspace_fragment>
  gl_FragColor *= vec4(vec3(light), 0.65 * light);
}`;

/** Light around lamps: soft discs that brighten what is behind them. */
export class Halos {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  #capacity = 0;
  #count = 0;
  #places = new Float32Array(0);
  #tints = new Float32Array(0);
  #sizes = new Float32Array(0);

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      blending: CustomBlending,
      blendEquation: AddEquation,
      blendSrc: OneFactor,
      blendDst: OneMinusSrcAlphaFactor,
    });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  begin(): void {
    this.#count = 0;
  }

  /** Adds one of so many metres, from 0 to 1 strong. */
  put(x: number, y: number, z: number, size: number, { r, g, b }: Color, strength: number): void {
    if (this.#count === this.#capacity) this.#grow();
    const at = this.#count++;
    const [places, tints] = [this.#places, this.#tints];
    places[3 * at] = x;
    places[3 * at + 1] = y;
    places[3 * at + 2] = z;
    tints[4 * at] = r;
    tints[4 * at + 1] = g;
    tints[4 * at + 2] = b;
    tints[4 * at + 3] = strength;
    this.#sizes[at] = size;
  }

  end(): void {
    const { geometry } = this.object;
    this.object.visible = this.#count > 0;
    geometry.setDrawRange(0, this.#count);
    for (const name of Object.keys(geometry.attributes)) geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  #grow(): void {
    const capacity = Math.max(64, 2 * this.#capacity);
    const grown = (array: Float32Array, width: number): Float32Array<ArrayBuffer> => {
      const larger = new Float32Array(capacity * width);
      larger.set(array);
      return larger;
    };
    this.#places = grown(this.#places, 3);
    this.#tints = grown(this.#tints, 4);
    this.#sizes = grown(this.#sizes, 1);
    this.#capacity = capacity;
    this.object.geometry.dispose();
    const geometry = new BufferGeometry();
    for (const [name, array, width] of [
      ["position", this.#places, 3],
      ["tint", this.#tints, 4],
      ["size", this.#sizes, 1],
    ] as const) {
      geometry.setAttribute(name, new BufferAttribute(array, width).setUsage(DynamicDrawUsage));
    }
    this.object.geometry = geometry;
  }
}
