import { type Material, ShaderMaterial, type Texture, Vector2 } from "three";
import { LIGHT } from "./lighting.ts";
import { SUN } from "./look.ts";
import { SRGB } from "./srgb.ts";

/** Layers of the camera: what is drawn with everything, and what is drawn instead of it where that takes too long. */
export const [FINE, QUICK] = [1, 2] as const;

const VERTEX = /* glsl */ `
attribute vec3 color;
uniform vec3 sky;
uniform vec3 bounce;
uniform vec3 sun;
uniform vec2 repeat;
varying vec3 vColor;
varying vec2 vPlace;
${SRGB}
void main() {
  vec3 up = normalize(mat3(modelMatrix) * normal);
  vec3 light = mix(bounce, sky, 0.5 * up.y + 0.5) + sun * max(0.0, dot(up, normalize(vec3(${SUN.join(", ")}))));
  vColor = srgb(color * light);
  vPlace = uv * repeat;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity;
uniform sampler2D grain;
varying vec3 vColor;
varying vec2 vPlace;
void main() {
  // Almost white, of which a root is as good as sRGB.
  vec3 color = HAS_GRAIN ? vColor * sqrt(textureLod(grain, vPlace, 0.0).rgb) : vColor;
  gl_FragColor = vec4(color, opacity);
}`;

/**
 * What a material that is lit looks like, with its light reckoned at corners instead of pixels and no shadows:
 * quicker by a third without a graphics card. Null: it is not lit.
 */
export function quickened(material: Material): ShaderMaterial | null {
  if (!("emissive" in material)) return null;
  const map = "map" in material ? (material.map as Texture | null) : null;
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: `const bool HAS_GRAIN = ${map !== null};\n${FRAGMENT}`,
    uniforms: {
      ...LIGHT,
      opacity: { value: material.opacity },
      grain: { value: map },
      repeat: { value: map?.repeat ?? new Vector2(1, 1) },
    },
    transparent: material.transparent,
    depthWrite: material.depthWrite,
    side: material.side,
  });
}
