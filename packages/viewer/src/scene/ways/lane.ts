import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, ShaderMaterial, Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import { SURROUNDINGS } from "../drawing/look.ts";

const VERTEX = /* glsl */ `
varying vec3 vWorld;
void main() {
  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float reach;
varying vec3 vWorld;
void main() {
  float far = 1.0 - smoothstep(0.4, 7.0, distance(vWorld, cameraPosition) / reach);
  gl_FragColor = vec4(color, far * far);
  #include <colorspace_fragment>
}`;

/** Two points of a lane are no nearer than this part of its width. */
const STEP = 0.3;

/** Shared by all lanes, so that those that cross are one road. */
const MATERIAL = new ShaderMaterial({
  vertexShader: VERTEX,
  fragmentShader: FRAGMENT,
  uniforms: { color: { value: new Color() }, reach: { value: 1 } },
  transparent: true,
  depthWrite: false,
  side: DoubleSide,
});

/** The ground that a thing drives over on its way, as wide as it needs: where many have driven, these are roads. */
export class Lane {
  readonly object: Mesh;

  /** Through places, three numbers for each, so many metres above them. */
  constructor(places: Float32Array, width: number, above: number) {
    const corners: number[] = [];
    const side = new Vector3();
    let last = -1;
    for (let at = 0; at < places.length; at += 3) {
      const from = last < 0 ? Math.min(at + 3, places.length - 3) : last;
      side.set(places[at]! - places[from]!, 0, places[at + 2]! - places[from + 2]!);
      if (last >= 0 && side.length() < STEP * width) continue;
      if (last < 0) side.negate();
      side.set(-side.z, 0, side.x).setLength(width / 2);
      const height = places[at + 1]! + above;
      corners.push(places[at]! - side.x, height, places[at + 2]! - side.z);
      corners.push(places[at]! + side.x, height, places[at + 2]! + side.z);
      last = at;
    }
    const index: number[] = [];
    for (let i = 2; i < corners.length / 3; i += 2) index.push(i - 2, i - 1, i, i, i - 1, i + 1);
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex(index);
    this.object = new Mesh(geometry, MATERIAL);
    this.object.frustumCulled = false;
    // On the ground, under shadows.
    this.object.renderOrder = -1.5;
  }

  dispose(): void {
    this.object.geometry.dispose();
  }
}

/** Paints all lanes, to be looked at from so far away; null: not at all, as the roads themselves are there. */
export function paintLanes(scheme: Scheme | null, reach: number): void {
  MATERIAL.visible = scheme !== null;
  if (scheme === null) return;
  (MATERIAL.uniforms["color"]!.value as Color).set(SURROUNDINGS[scheme].road);
  MATERIAL.uniforms["reach"]!.value = reach;
}
