import { type DataArrayTexture, type Material, ShaderMaterial, type Texture, Vector2 } from "three";
import { LIGHT } from "./lighting.ts";
import { SUN } from "./look.ts";
import { SRGB } from "./srgb.ts";

/** Layers of the camera: what is drawn with everything, and what is drawn instead of it where that takes too long. */
export const [FINE, QUICK] = [1, 2] as const;

const VERTEX = /* glsl */ `
attribute vec3 color;
#ifdef HAS_SKINS
attribute float layer;
flat varying float vLayer;
#endif
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
#ifdef HAS_SKINS
  vLayer = layer;
#endif
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity;
uniform sampler2D grain;
varying vec3 vColor;
varying vec2 vPlace;
#ifdef HAS_SKINS
uniform mediump sampler2DArray skins;
flat varying float vLayer;
#endif
void main() {
#ifdef HAS_SKINS
  vec4 picture = texture(skins, vec3(vPlace, max(0.0, vLayer - 1.0)));
  if (vLayer > 0.5) {
    if (opacity >= 1.0 && picture.a < 0.4) discard;
    // the product of two roots, as the other colours have them
    gl_FragColor = vec4(vColor * sqrt(picture.rgb), opacity < 1.0 ? picture.a : 1.0);
    return;
  }
#endif
  // Almost white, of which a root is as good as sRGB.
  vec3 color = HAS_GRAIN ? vColor * sqrt(textureLod(grain, vPlace, 0.0).rgb) : vColor;
  gl_FragColor = vec4(color, opacity);
}`;

/**
 * What a material that is lit looks like, with its light reckoned at corners instead of pixels and no shadows:
 * quicker by a third without a graphics card. Null: it is not lit. `skins`: pictures for faces with a `layer` above 0.
 */
export function quickened(material: Material, skins: DataArrayTexture | null = null): Material | null {
  if (!("emissive" in material)) return null;
  const map = "map" in material ? (material.map as Texture | null) : null;
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: `const bool HAS_GRAIN = ${map !== null};\n${FRAGMENT}`,
    uniforms: {
      ...LIGHT,
      ...(skins === null ? {} : { skins: { value: skins } }),
      opacity: { value: material.opacity },
      grain: { value: map },
      repeat: { value: map?.repeat ?? new Vector2(1, 1) },
    },
    ...(skins === null ? {} : { defines: { HAS_SKINS: "" } }),
    transparent: material.transparent,
    depthWrite: material.depthWrite,
    side: material.side,
  });
}
