import type { BlockLook } from "./block-look.ts";
import type { FaceArrays } from "./chunk-mesh.ts";

/** Of the light, what comes to a corner in which so few blocks stand: three to none. */
const LIGHT = [0.5, 0.68, 0.84, 1] as const;

/** Collects rectangles. */
export class Faces {
  #count = 0;
  #position = new Uint16Array(16 * 256);
  #normal = new Int8Array(16 * 256);
  #color = new Uint16Array(16 * 256);
  #place = new Uint16Array(8 * 256);
  #layer = new Uint16Array(4 * 256);

  /**
   * Adds faces of one look, `w` by `l` of them from (`i`, `j`) of a slice: of sides those are along x or z, and upwards; of
   * others along x and z. `light` is that at the four corners, as the mesher has it.
   */
  add(way: number, slice: number, i: number, j: number, w: number, l: number, look: BlockLook, light: number): void {
    this.#grow();
    const axis = way >> 1;
    const isPositive = (way & 1) === 1;
    const inset = 16 * look.inset;
    const [low, high] = [16 * look.from, 16 * (1 - look.from - look.height)];
    const isUpright = axis !== 1;
    const depth = isUpright
      ? 16 * slice + (isPositive ? 16 - inset : inset)
      : 16 * slice + (isPositive ? 16 - high : low);
    const [u0, u1] = [16 * i + inset, 16 * (i + w) - inset];
    const [v0, v1] = isUpright ? [16 * j + low, 16 * (j + l) - high] : [16 * j + inset, 16 * (j + l) - inset];
    // seen from outside, corners go round against the clock
    const isTurned = axis === 2 ? !isPositive : isPositive;
    const round = isTurned ? [0, 2, 3, 1] : [0, 1, 3, 2];
    const lights = [light & 3, (light >>> 2) & 3, (light >>> 4) & 3, light >>> 6];
    // parted along the brighter of the two ways through it, so that the same corners look the same everywhere
    const first = lights[0]! + lights[3]! >= lights[1]! + lights[2]! ? 0 : 1;
    const layer = look.skin?.layers[way] ?? 0;
    const color = layer === 0 ? look.color : look.skin!.tints[way]!;
    for (let k = 0; k < 4; k++) {
      const corner = round[(first + k) & 3]!;
      const u = (corner & 1) === 0 ? u0 : u1;
      const v = (corner & 2) === 0 ? v0 : v1;
      const at = 16 * this.#count + 4 * k;
      this.#position[at] = axis === 0 ? depth : u;
      this.#position[at + 1] = axis === 1 ? depth : v;
      this.#position[at + 2] = axis === 2 ? depth : axis === 0 ? u : v;
      this.#normal[at + axis] = isPositive ? 127 : -127;
      const part = 65_535 * LIGHT[lights[corner] as 0 | 1 | 2 | 3];
      for (let c = 0; c < 3; c++) this.#color[at + c] = Math.round(part * color[c]!);
      this.#color[at + 3] = 65_535;
      // pictures are the right way round from outside, and on what lies as the game has them
      this.#place[at >> 1] = layer > 0 && MIRRORED[way] === true ? TURN - u : u;
      this.#place[(at >> 1) + 1] = layer > 0 && axis === 1 ? TURN - v : v;
      this.#layer[at >> 2] = layer;
    }
    this.#count++;
  }

  /** Adds two squares that cross in the block at a place, with one picture on all four sides of them. */
  addCross(x: number, y: number, z: number, look: BlockLook): void {
    for (const isOther of [false, true]) {
      for (const isBack of [false, true]) {
        this.#grow();
        for (let k = 0; k < 4; k++) {
          const corner = (isBack ? [0, 2, 3, 1] : [0, 1, 3, 2])[k]!;
          const [isRight, isHigh] = [(corner & 1) === 1, (corner & 2) === 2];
          const at = 16 * this.#count + 4 * k;
          this.#position[at] = 16 * x + (isRight ? 15 : 1);
          this.#position[at + 1] = 16 * y + (isHigh ? 16 : 0);
          this.#position[at + 2] = 16 * z + (isRight === isOther ? 1 : 15);
          // as bright as the ground from wherever it is seen
          this.#normal[at + 1] = 127;
          for (let c = 0; c < 3; c++) this.#color[at + c] = Math.round(65_535 * look.color[c]!);
          this.#color[at + 3] = 65_535;
          this.#place[at >> 1] = isRight ? 16 : 0;
          this.#place[(at >> 1) + 1] = isHigh ? 16 : 0;
          this.#layer[at >> 2] = look.cross!;
        }
        this.#count++;
      }
    }
  }

  take(): FaceArrays {
    const count = this.#count;
    const index = new Uint32Array(6 * count);
    for (let face = 0; face < count; face++) {
      for (let k = 0; k < 6; k++) index[6 * face + k] = 4 * face + CORNERS[k as 0]!;
    }
    return {
      position: this.#position.slice(0, 16 * count),
      normal: this.#normal.slice(0, 16 * count),
      color: this.#color.slice(0, 16 * count),
      place: this.#place.slice(0, 8 * count),
      layer: this.#layer.slice(0, 4 * count),
      index,
    };
  }

  #grow(): void {
    if (16 * this.#count < this.#position.length) return;
    const size = 2 * this.#position.length;
    this.#position = larger(new Uint16Array(size), this.#position);
    this.#normal = larger(new Int8Array(size), this.#normal);
    this.#color = larger(new Uint16Array(size), this.#color);
    this.#place = larger(new Uint16Array(size / 2), this.#place);
    this.#layer = larger(new Uint16Array(size / 4), this.#layer);
  }
}

/** More than any place on faces of a chunk, and a multiple of a block. */
const TURN = 8192;
/** Ways in which the axis along a face goes to the left: +x and -z. */
const MIRRORED = [false, true, false, false, true, false] as const;

const CORNERS = [0, 1, 2, 0, 2, 3] as const;

function larger<A extends Uint16Array<ArrayBuffer> | Int8Array<ArrayBuffer>>(into: A, from: A): A {
  into.set(from);
  return into;
}
