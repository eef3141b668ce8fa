import { Color, Mesh, PlaneGeometry, ShaderMaterial, type Vector3 } from "three";
import type { Scheme } from "../theme.ts";
import { SURROUNDINGS } from "./look.ts";

/** Where it has faded into the sky, of the distance that is looked from. */
const REACH = 4;

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
uniform vec3 sky;
uniform vec3 ground;
uniform vec3 line;
uniform float size;
uniform float reach;
varying vec2 vPlace;
varying vec3 vWorld;
float lines(vec2 place) {
  vec2 width = fwidth(place);
  vec2 away = abs(fract(place - 0.5) - 0.5) / width;
  // Where lines come closer than two pixels, they are one grey.
  return (1.0 - min(min(away.x, away.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
  float drawn = max(0.45 * lines(vPlace / size), 0.9 * lines(vPlace / (10.0 * size)));
  float far = smoothstep(0.5, ${REACH.toFixed(1)}, distance(vWorld, cameraPosition) / reach);
  gl_FragColor = vec4(mix(mix(ground, line, drawn), sky, far), 1.0);
  #include <colorspace_fragment>
}`;

/** A plane below the things with a grid in steps of 1, 10, 100 … metres or tenths, as near as the camera is. */
export class Ground {
  readonly object: Mesh<PlaneGeometry, ShaderMaterial>;
  height = 0;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        sky: { value: new Color() },
        ground: { value: new Color() },
        line: { value: new Color() },
        size: { value: 1 },
        reach: { value: 1 },
      },
      depthWrite: false,
    });
    this.object = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.object.renderOrder = -1;
    this.object.frustumCulled = false;
  }

  /** Returns the colour of the sky. */
  paint(scheme: Scheme): Color {
    const colors = SURROUNDINGS[scheme];
    const { uniforms } = this.object.material;
    for (const name of ["sky", "ground", "line"] as const) (uniforms[name]!.value as Color).set(colors[name]);
    return new Color(colors.sky);
  }

  /** Below the point that is looked at, from so far away and so high above it. */
  place(target: Vector3, distance: number, above: number): void {
    const reach = Math.max(distance, above);
    const size = stepFor(reach);
    const { uniforms } = this.object.material;
    uniforms["size"]!.value = size;
    uniforms["reach"]!.value = reach;
    const crossing = 10 * size;
    this.object.position.set(
      Math.round(target.x / crossing) * crossing,
      this.height,
      Math.round(target.z / crossing) * crossing,
    );
    this.object.scale.set(reach * REACH * 2, 1, reach * REACH * 2);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** The power of ten of which 4 to 40 fit into the distance. */
export function stepFor(distance: number): number {
  return 10 ** Math.floor(Math.log10(Math.max(distance, 1e-3) / 4));
}
