import { Color, Mesh, PlaneGeometry, ShaderMaterial } from "three";
import type { Scheme } from "../theme.ts";
import { SUN, SURROUNDINGS } from "./look.ts";

const VERTEX = /* glsl */ `
varying vec3 vRay;
void main() {
  vec3 ray = vec3(position.x / projectionMatrix[0][0], position.y / projectionMatrix[1][1], -1.0);
  vRay = (vec4(ray, 0.0) * viewMatrix).xyz;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 haze;
uniform vec3 zenith;
uniform vec3 sun;
varying vec3 vRay;
void main() {
  vec3 ray = normalize(vRay);
  float glow = pow(max(dot(ray, normalize(vec3(${SUN.join(", ")}))), 0.0), 24.0);
  vec3 sky = mix(haze, zenith, pow(clamp(ray.y, 0.0, 1.0), 0.6)) + 0.35 * glow * sun;
  // Half a step of noise: dark gradients have few steps, which are seen.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  gl_FragColor = vec4(sky, 1.0);
  #include <colorspace_fragment>
  gl_FragColor.rgb += noise / 255.0;
}`;

/** Behind everything: hazy at the horizon, deeper above, brighter where the light comes from. */
export class Sky {
  readonly object: Mesh<PlaneGeometry, ShaderMaterial>;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { haze: { value: new Color() }, zenith: { value: new Color() }, sun: { value: new Color() } },
      depthTest: false,
      depthWrite: false,
    });
    this.object = new Mesh(new PlaneGeometry(2, 2), material);
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
