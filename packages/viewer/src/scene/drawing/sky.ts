import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial, Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import { SUN, SURROUNDINGS } from "./look.ts";

const VERTEX = /* glsl */ `
attribute vec3 color;
varying vec3 vColor;
void main() {
  vColor = color;
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
const RINGS = 16;
const CORNERS = 48;
const TO_SUN = new Vector3(...SUN).normalize();
const PLACE = new Vector3();
const SHADE = new Color();

/** Behind everything: a dome, hazy at the horizon, deeper above, brighter where the light comes from; below it is what the scene is cleared with. */
export class Sky {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  /** Of the horizon. */
  readonly haze: Color = new Color();

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      depthTest: false,
      depthWrite: false,
    });
    this.object = new Mesh(domeGeometry(), material);
    this.object.renderOrder = -3;
    this.object.frustumCulled = false;
  }

  set scheme(scheme: Scheme) {
    const [zenith, sun] = [new Color(SURROUNDINGS[scheme].zenith), new Color(SURROUNDINGS[scheme].sun)];
    this.haze.set(SURROUNDINGS[scheme].haze);
    const { position, color } = this.object.geometry.attributes;
    for (let i = 0; i < position!.count; i++) {
      PLACE.fromBufferAttribute(position as BufferAttribute, i);
      const glow = 0.35 * Math.max(PLACE.dot(TO_SUN), 0) ** 24;
      const { r, g, b } = SHADE.lerpColors(this.haze, zenith, Math.max(PLACE.y, 0) ** 0.6);
      SHADE.setRGB(r + glow * sun.r, g + glow * sun.g, b + glow * sun.b).convertLinearToSRGB();
      color!.setXYZ(i, SHADE.r, SHADE.g, SHADE.b);
    }
    color!.needsUpdate = true;
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
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(places.length), 3));
  return geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
}
