import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  FrontSide,
  type Material,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from "three";
import type { Solid } from "../../world/companion.ts";
import type { Look } from "./look.ts";

/** What draws a solid, owned by who asked; `dispose` lets go of all of it. */
export interface Drawable {
  readonly geometry: BufferGeometry;
  readonly material: Material;
  dispose(): void;
}

/** Arrays stay those of the solid. */
export function drawableOf({ positions, normals, places, index, ...solid }: Solid, look: Look): Drawable {
  const geometry = new BufferGeometry()
    .setAttribute("position", new BufferAttribute(positions, 3))
    .setAttribute("normal", new BufferAttribute(normals, 3))
    .setIndex(new BufferAttribute(index, 1));
  if (places !== null) geometry.setAttribute("uv", new BufferAttribute(places, 2));
  const map = solid.picture === null ? null : textureOf(solid.picture);
  const material = look.material({
    side: solid.isDoubleSided ? DoubleSide : FrontSide,
    opacity: solid.opacity,
    ...(map === null ? {} : { map }),
  });
  material.alphaTest = solid.cutoff;
  const [red, green, blue] = solid.color;
  material.color.copy(look.paint(new Color(red, green, blue)));
  return {
    geometry,
    material,
    dispose: () => {
      geometry.dispose();
      material.dispose();
      map?.dispose();
    },
  };
}

function textureOf(picture: ImageBitmap): Texture {
  const texture = new Texture(picture);
  // pictures of glTF begin at their top
  texture.flipY = false;
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.needsUpdate = true;
  return texture;
}
