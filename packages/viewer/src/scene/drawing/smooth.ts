import {
  type Camera,
  type Scene,
  ShaderMaterial,
  SRGBColorSpace,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { FullScreenQuad } from "three/addons/postprocessing/Pass.js";

const VERTEX = /* glsl */ `
varying vec2 vPlace;
void main() {
  vPlace = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform sampler2D picture;
varying vec2 vPlace;
void main() {
  gl_FragColor = vec4(texture2D(picture, vPlace).rgb, 1.0);
}`;

const SAMPLES = 4;

/**
 * Draws with smooth edges into a canvas that has none. A canvas has them always or never; in software they cost more
 * than half of the time that many small things take, which a picture that changes cannot afford.
 */
export class Smooth {
  readonly #renderer: WebGLRenderer;
  readonly #target = new WebGLRenderTarget(1, 1, { samples: SAMPLES });
  readonly #copy: FullScreenQuad;

  constructor(renderer: WebGLRenderer) {
    this.#renderer = renderer;
    const { texture } = this.#target;
    // As in a headset: colours are written, and blended, as they are in a canvas.
    Object.assign(this.#target, { isXRRenderTarget: true });
    texture.colorSpace = SRGBColorSpace;
    texture.internalFormat = "RGBA8";
    const uniforms = { picture: { value: texture } };
    this.#copy = new FullScreenQuad(
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms,
        depthTest: false,
        depthWrite: false,
      }),
    );
  }

  render(scene: Scene, camera: Camera): void {
    const renderer = this.#renderer;
    renderer.getDrawingBufferSize(SIZE);
    this.#target.setSize(SIZE.x, SIZE.y);
    renderer.setRenderTarget(this.#target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    this.#copy.render(renderer);
  }

  dispose(): void {
    this.#target.dispose();
    this.#copy.material.dispose();
    this.#copy.dispose();
  }
}

const SIZE = new Vector2();
