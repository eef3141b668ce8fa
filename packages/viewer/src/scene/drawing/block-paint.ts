import {
  BufferAttribute,
  BufferGeometry,
  type DataArrayTexture,
  type DataTexture,
  Group,
  type Material,
  Mesh,
  Sphere,
  Vector3,
} from "three";
import type { ChunkMesh, FaceArrays } from "../../blocks/chunk-mesh.ts";
import type { SkinPictures } from "../../blocks/skins.ts";
import { grainTexture } from "./grain.ts";
import { Look } from "./look.ts";
import { FINE, QUICK, quickened } from "./quick.ts";
import { quicklySkinned, skinned, skinTexture } from "./skin-material.ts";

const SIDE = 16;
const OPACITY = 0.6;
/** Sixteenths of a block. */
const OVERLAP = 0.03;

/** What meshes of blocks are drawn with. */
export class BlockPaint {
  readonly #grain: DataTexture = grainTexture();
  readonly #skins: DataArrayTexture | null;
  readonly #materials: { readonly opaque: readonly Material[]; readonly clear: readonly Material[] };

  /** `skins`: pictures for the layers that faces have; null: blocks have colours alone. */
  constructor(skins: SkinPictures | null, isSoftware: boolean) {
    // faces tell where they are in sixteenths of a block
    this.#grain.repeat.set(1 / SIDE, 1 / SIDE);
    const look = new Look(-1);
    this.#skins = skins === null ? null : skinTexture(skins);
    const materials = (opacity: number): readonly Material[] => {
      const own = look.material({ map: this.#grain, vertexColors: true, opacity });
      const quick = isSoftware ? quickened(own) : null;
      if (this.#skins !== null) {
        skinned(own, this.#skins);
        if (quick !== null) quicklySkinned(quick, this.#skins);
      }
      return quick === null ? [own] : [own, quick];
    };
    this.#materials = { opaque: materials(1), clear: materials(OPACITY) };
  }

  /** What draws a mesh whose lowest corner is at a place of the scene; its geometries are to be disposed of with it. */
  groupOf({ opaque, clear }: Pick<ChunkMesh, "opaque" | "clear">, x: number, y: number, z: number): Group {
    const group = new Group();
    group.position.set(x, y, z);
    group.scale.setScalar(1 / SIDE);
    for (const [faces, materials] of [
      [opaque, this.#materials.opaque],
      [clear, this.#materials.clear],
    ] as const) {
      if (faces.index.length === 0) continue;
      const geometry = geometryOf(faces);
      for (const [i, material] of materials.entries()) {
        const mesh = new Mesh(geometry, material);
        if (materials.length > 1) mesh.layers.set(i === 0 ? FINE : QUICK);
        mesh.castShadow = i === 0 && !material.transparent;
        mesh.receiveShadow = i === 0;
        group.add(mesh);
      }
    }
    group.updateMatrixWorld(true);
    return group;
  }

  dispose(): void {
    for (const material of [...this.#materials.opaque, ...this.#materials.clear]) material.dispose();
    this.#grain.dispose();
    this.#skins?.dispose();
  }
}

function geometryOf({ position, normal, color, place, layer, index }: FaceArrays): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(overlapping(position), 3));
  geometry.setAttribute("normal", new BufferAttribute(normal, 4, true));
  geometry.setAttribute("color", new BufferAttribute(color, 4, true));
  geometry.setAttribute("uv", new BufferAttribute(place, 2));
  geometry.setAttribute("layer", new BufferAttribute(layer, 1));
  geometry.setIndex(new BufferAttribute(index, 1));
  let highest = 0;
  for (let at = 1; at < position.length; at += 4) highest = Math.max(highest, position[at]!);
  const half = (SIDE * SIDE) / 2;
  geometry.boundingSphere = new Sphere(new Vector3(half, highest / 2, half), Math.hypot(half, half, highest / 2));
  return geometry;
}

/**
 * Places as they are drawn, three numbers for each corner: rectangles reach a little over their edges. Where two end in the
 * middle of a third, what is behind would shine through else.
 */
function overlapping(position: Uint16Array): Float32Array {
  const places = new Float32Array((position.length / 4) * 3);
  for (let face = 0; face < position.length; face += 16) {
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [position[face + k]!, position[face + 4 + k]!, position[face + 8 + k]!];
      const [low, high] = [Math.min(a, b, c), Math.max(a, b, c)];
      const over = low === high ? 0 : OVERLAP;
      for (let corner = 0; corner < 4; corner++) {
        const value = position[face + 4 * corner + k]!;
        places[(face / 4 + corner) * 3 + k] = value === low ? value - over : value + over;
      }
    }
  }
  return places;
}
