import {
  DataTexture,
  LinearMipmapLinearFilter,
  NearestFilter,
  RepeatWrapping,
  RGBAFormat,
  SRGBColorSpace,
} from "three";

/** Sixteen squares of slightly different greys along each side of a block, darker at its edges. */
export function grainTexture(): DataTexture {
  const side = 16;
  const cells = new Uint8Array(4 * side * side);
  let seed = 7;
  for (let i = 0; i < side * side; i++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    const [x, y] = [i % side, Math.floor(i / side)];
    const isEdge = x === 0 || y === 0 || x === side - 1 || y === side - 1;
    cells.fill(Math.round((isEdge ? 205 : 238) + ((seed >> 16) % 17)), 4 * i, 4 * i + 3);
    cells[4 * i + 3] = 255;
  }
  const texture = new DataTexture(cells, side, side, RGBAFormat);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = NearestFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}
