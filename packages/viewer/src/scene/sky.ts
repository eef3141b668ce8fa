import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial } from "three";
import type { Scheme } from "../theme.ts";
import { SUN, SURROUNDINGS } from "./look.ts";

const VERTEX = /* glsl */ `
uniform vec3 haze;
uniform vec3 zenith;
uniform vec3 sun;
varying vec3 vColor;
void main() {
  float glow = pow(max(dot(position, normalize(vec3(${SUN.join(", ")}))), 0.0), 24.0);
  vec3 sky = mix(haze, zenith, pow(max(position.y, 0.0), 0.6)) + 0.35 * glow * sun;
  // sRGB.
  vColor = mix(1.055 * pow(sky, vec3(1.0 / 2.4)) - 0.055, 12.92 * sky, lessThan(sky, vec3(0.0031308)));
  // As far away as can be.
  gl_Position = (projectionMatrix * vec4((viewMatrix * vec4(position, 0.0)).xyz, 1.0)).xyww;
}`;

const FRAGMENT = /* glsl */ `
varying vec3 vColor;
void main() {
  // Half a step of noise: dark gradients have few steps, which are seen.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  gl_FragColor = vec4(vColor + noise / 255.0, 1.0);
}`;

/** Rings of the dome, closer to one another near the horizon, and corners of each. */
const RINGS = 24;
const CORNERS = 64;

/** Behind everything: a dome, hazy at the horizon, deeper above, brighter where the light comes from; below it is what the scene is cleared with. */
export class Sky {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  /** Of the horizon. */
  readonly haze: Color = new Color();

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { haze: { value: this.haze }, zenith: { value: new Color() }, sun: { value: new Color() } },
      depthTest: false,
      depthWrite: false,
    });
    this.object = new Mesh(domeGeometry(), material);
    this.object.renderOrder = -3;
    this.object.frustumCulled = false;
  }

  set scheme(scheme: Scheme) {
    const { uniforms } = this.object.material;
    for (const name of ["haze", "zenith", "sun"] as const) {
      (uniforms[name]!.value as Color).set(SURROUNDINGS[scheme][name]);
    }
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** Half a ball of radius 1 around zero, seen from inside. */
function domeGeometry(): BufferGeometry {
  const places: number[] = [];
  const faces: number[] = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    const height = (Math.PI / 2) * (ring / RINGS) ** 2.2;
    for (let corner = 0; corner <= CORNERS; corner++) {
      const round = (corner / CORNERS) * 2 * Math.PI;
      places.push(Math.cos(height) * Math.cos(round), Math.sin(height), Math.cos(height) * Math.sin(round));
      if (ring === RINGS || corner === CORNERS) continue;
      const here = ring * (CORNERS + 1) + corner;
      const above = here + CORNERS + 1;
      faces.push(here, here + 1, above, here + 1, above + 1, above);
    }
  }
  const geometry = new BufferGeometry().setIndex(faces);
  return geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
}
