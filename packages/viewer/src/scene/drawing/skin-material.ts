import {
  DataArrayTexture,
  LinearMipmapLinearFilter,
  type Material,
  NearestFilter,
  RepeatWrapping,
  RGBAFormat,
  type ShaderMaterial,
  SRGBColorSpace,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { SkinPictures } from "../../blocks/skins.ts";

/** Opacity below which nothing of a pixel is drawn. */
const HOLE = 0.4;

/** Pictures of blocks for a graphics card, one in each layer, which repeat on every block. */
export function skinTexture({ side, count, pixels }: SkinPictures): DataArrayTexture {
  const texture = new DataArrayTexture(pixels, side, side, count);
  texture.format = RGBAFormat;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = NearestFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}

/**
 * Has a material that is lit and has a map draw pictures on faces whose attribute `layer` is above 0. Of what is
 * clear the picture says how much is seen through it; of all else, where its holes are.
 */
export function skinned<M extends Material>(material: M, skins: DataArrayTexture): M {
  const isClear = material.transparent;
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    shader.uniforms["skins"] = { value: skins };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "attribute float layer;\nflat varying float vLayer;\n#include <common>")
      .replace("#include <uv_vertex>", "#include <uv_vertex>\nvLayer = layer;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        "uniform mediump sampler2DArray skins;\nflat varying float vLayer;\n#include <common>",
      )
      .replace(
        "#include <map_fragment>",
        `
  vec4 plain = texture2D(map, vMapUv);
  vec4 picture = texture(skins, vec3(vMapUv, max(0.0, vLayer - 1.0)));
  if (vLayer < 0.5) diffuseColor *= plain;
  else {
    diffuseColor.rgb *= picture.rgb;
    ${isClear ? "diffuseColor.a = picture.a;" : `if (picture.a < ${HOLE}) discard;`}
  }`,
      );
  };
  material.customProgramCacheKey = () => `skinned ${isClear}`;
  return material;
}

/** Has what is drawn instead of such a material, where drawing takes long, draw the pictures likewise. */
export function quicklySkinned(quick: ShaderMaterial, skins: DataArrayTexture): void {
  quick.uniforms["skins"] = { value: skins };
  quick.vertexShader = `attribute float layer;
flat varying float vLayer;
${quick.vertexShader.replace("void main() {", "void main() {\n  vLayer = layer;")}`;
  // the product of two roots, as the other colours have them
  quick.fragmentShader = `uniform mediump sampler2DArray skins;
flat varying float vLayer;
${quick.fragmentShader.replace(
  "void main() {",
  `void main() {
  vec4 picture = texture(skins, vec3(vPlace, max(0.0, vLayer - 1.0)));
  if (vLayer > 0.5) {
    if (opacity >= 1.0 && picture.a < ${HOLE}) discard;
    gl_FragColor = vec4(vColor * sqrt(picture.rgb), opacity < 1.0 ? picture.a : 1.0);
    return;
  }`,
)}`;
}
