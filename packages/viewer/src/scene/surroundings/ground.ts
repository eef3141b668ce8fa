import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, type Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import { EXTENT } from "../drawing/lighting.ts";
import { SURROUNDINGS } from "../drawing/look.ts";
import { SRGB } from "../drawing/srgb.ts";

/** Where it has faded into the haze, of the distance that is looked from. */
const REACH = 9;

const VERTEX = /* glsl */ `
varying vec2 vPlace;
varying vec3 vWorld;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  // Within the plane, whose middle is on a crossing of lines: far from the scene's zero nothing trembles.
  vPlace = world.xz - modelMatrix[3].xz;
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 haze;
uniform vec3 ground;
uniform vec3 line;
uniform vec3 target;
uniform float size;
uniform float reach;
uniform float scale;
uniform bool hasGrid;
varying vec2 vPlace;
varying vec3 vWorld;
const float LEAST = 9.0;
${SRGB}
float lines(vec2 place, vec2 pixel, float size) {
  vec2 away = abs(fract(place / size - 0.5) - 0.5) * size;
  vec2 drawn = 1.0 - smoothstep(0.3 * pixel, 1.3 * pixel, away);
  return max(drawn.x, drawn.y);
}
void main() {
  vec2 along = dFdx(vPlace);
  vec2 across = dFdy(vPlace);
  float away = distance(vWorld.xz, target.xz) / reach;
  float drawn = 0.0;
  if (hasGrid && away < 4.5) {
    vec2 pixel = scale * sqrt(along * along + across * across);
    // Lines are never closer than LEAST pixels: where they would be, every tenth is left, and the others fade before.
    float level = max(0.0, log2(LEAST * max(pixel.x, pixel.y) / size) * ${Math.LOG10E * Math.LN2});
    float near = size * exp2(floor(level) * ${Math.LOG2E * Math.LN10});
    float fade = fract(level);
    drawn = max((1.0 - fade) * 0.34 * lines(vPlace, pixel, near), mix(0.75, 0.34, fade) * lines(vPlace, pixel, 10.0 * near));
    if (fade > 0.0) drawn = max(drawn, fade * 0.75 * lines(vPlace, pixel, 100.0 * near));
    drawn *= 1.0 - smoothstep(0.7, 4.5, away);
  }
  float far = smoothstep(0.4, ${REACH.toFixed(1)}, distance(vWorld, cameraPosition) / reach);
  vec3 lit = ground * (1.0 + 0.05 * (1.0 - smoothstep(0.0, 1.6, away)));
  gl_FragColor = vec4(srgb(mix(mix(lit, line, drawn), haze, sqrt(far))), 1.0);
}`;

/** A plane below the things, with a grid as fine as the view asks for, and the shadows that fall on it. */
export class Ground {
  readonly object: Group = new Group();
  height = 0;
  readonly #plane: Mesh<PlaneGeometry, ShaderMaterial>;
  readonly #shadows: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        haze: { value: new Color() },
        ground: { value: new Color() },
        line: { value: new Color() },
        target: { value: null },
        size: { value: 1 },
        reach: { value: 1 },
        scale: { value: 1 },
        hasGrid: { value: true },
      },
      depthWrite: false,
    });
    const geometry = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.#plane = new Mesh(geometry, material);
    this.#plane.renderOrder = -2;
    this.#shadows = new Mesh(geometry, new ShadowMaterial({ depthWrite: false }));
    this.#shadows.receiveShadow = true;
    this.#shadows.renderOrder = -1;
    this.#plane.frustumCulled = this.#shadows.frustumCulled = false;
    this.object.add(this.#plane, this.#shadows);
  }

  set scheme(scheme: Scheme) {
    const colors = SURROUNDINGS[scheme];
    const { uniforms } = this.#plane.material;
    for (const name of ["haze", "ground", "line"] as const) (uniforms[name]!.value as Color).set(colors[name]);
    this.#shadows.material.opacity = colors.shadow;
  }

  /** With lines, without, or not at all. */
  set style(style: "grid" | "plain" | "none") {
    this.object.visible = style !== "none";
    this.#plane.material.uniforms["hasGrid"]!.value = style === "grid";
  }

  /** Whether shadows fall on it. */
  set shadows(areOn: boolean) {
    this.#shadows.visible = areOn;
  }

  /** Of the pixels there are along each side, so many are drawn: lines are as wide and as close as with all of them. */
  set scale(scale: number) {
    this.#plane.material.uniforms["scale"]!.value = scale;
  }

  /** Below the point that is looked at, from so far away and so high above it. */
  place(target: Vector3, distance: number, above: number): void {
    const reach = Math.max(distance, above);
    const size = stepFor(reach);
    const { uniforms } = this.#plane.material;
    uniforms["size"]!.value = size;
    uniforms["reach"]!.value = reach;
    uniforms["target"]!.value = target;
    const crossing = 1000 * size;
    this.object.position.set(
      Math.round(target.x / crossing) * crossing,
      this.height,
      Math.round(target.z / crossing) * crossing,
    );
    const half = crossing + reach * REACH * 2;
    this.#plane.scale.set(half, 1, half);
    // Only where the light's shadows can fall.
    const shaded = 1.5 * EXTENT * distance + Math.max(0, target.y - this.height);
    this.#shadows.position.set(target.x - this.object.position.x, 0, target.z - this.object.position.z);
    this.#shadows.scale.set(shaded, 1, shaded);
  }

  dispose(): void {
    this.#plane.geometry.dispose();
    this.#plane.material.dispose();
    this.#shadows.material.dispose();
  }
}

/** The power of ten of which 4 to 40 fit into the distance. */
export function stepFor(distance: number): number {
  return 10 ** Math.floor(Math.log10(Math.max(distance, 1e-3) / 4));
}
