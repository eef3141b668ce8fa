import { Group, type Mesh } from "three";
import type { EntitySet } from "simtape";
import type { BlockLook } from "../../blocks/block-look.ts";
import { Faces } from "../../blocks/faces.ts";
import { Covers, type Way, WAYS } from "../../blocks/mesher.ts";
import { type BlockSkins, skinnedLook } from "../../blocks/skins.ts";
import { BlockPaint } from "../drawing/block-paint.ts";
import type { Origin } from "../things/origin.ts";
import { drawsInSoftware } from "../drawing/renderer.ts";
import { textAt } from "./cells.ts";
import type { WornSkins } from "./presenter.ts";

const SIDE = 16;
/** Of the light at the four corners of a face: all of it. */
const LIT = 0xff;

interface Section {
  /** What tells whether it has become another. */
  of: string;
  object: Group | null;
}

/** Edited blocks with the textures of a pack, in cubes of 16 blocks: one that an edit has not changed stays as it is. */
export class WornBlocks {
  readonly object: Group = new Group();
  readonly #origin: Origin;
  readonly #paint: BlockPaint;
  readonly #skins: BlockSkins;
  /** By the name of a state, from 1 on; `#looks` has what it looks like. */
  readonly #numbers = new Map<string, number>();
  readonly #looks: (BlockLook | null)[] = [null];
  readonly #sections = new Map<string, Section>();

  constructor({ blocks, pictures }: WornSkins, origin: Origin) {
    this.#skins = blocks;
    this.#origin = origin;
    this.#paint = new BlockPaint(pictures, drawsInSoftware());
  }

  /** Draws the blocks of a set; how many of them are seen. */
  draw(set: EntitySet | undefined): number {
    const cells = new Map<string, number[]>();
    let count = 0;
    const data = set?.columns.get("position")?.data;
    for (let row = 0; data !== undefined && row < set!.ids.length; row++) {
      const place = [0, 1, 2].map((k) => Math.floor(Number(data[3 * row + k])));
      const number = this.#numberOf(textAt(set, "kind", row));
      if (this.#looks[number] === null || !place.every(Number.isFinite)) continue;
      const key = place.map((each) => Math.floor(each / SIDE)).join();
      const [x, y, z] = place.map((each) => each - SIDE * Math.floor(each / SIDE)) as [number, number, number];
      const list = cells.get(key);
      if (list === undefined) cells.set(key, [x, y, z, number]);
      else list.push(x, y, z, number);
      count++;
    }
    for (const key of [...this.#sections.keys()]) if (!cells.has(key)) this.#drop(key);
    for (const [key, list] of cells) {
      const of = list.join();
      if (this.#sections.get(key)?.of === of) continue;
      this.#drop(key);
      const object = this.#make(key, list);
      this.#sections.set(key, { of, object });
      this.object.add(object);
    }
    return count;
  }

  dispose(): void {
    for (const key of [...this.#sections.keys()]) this.#drop(key);
    this.#paint.dispose();
  }

  #numberOf(kind: string): number {
    let number = this.#numbers.get(kind);
    if (number === undefined) {
      number = this.#looks.push(skinnedLook(kind, this.#skins)) - 1;
      this.#numbers.set(kind, number);
    }
    return number;
  }

  #make(key: string, list: readonly number[]): Group {
    const covers = new Covers(this.#looks);
    // one cell around it
    const side = SIDE + 2;
    const cells = new Uint32Array(side ** 3);
    const at = (x: number, y: number, z: number): number => ((y + 1) * side + z + 1) * side + x + 1;
    for (let i = 0; i < list.length; i += 4) cells[at(list[i]!, list[i + 1]!, list[i + 2]!)] = list[i + 3]!;
    const [opaque, clear] = [new Faces(), new Faces()];
    for (let i = 0; i < list.length; i += 4) {
      const [x, y, z, number] = list.slice(i, i + 4) as [number, number, number, number];
      const look = this.#looks[number]!;
      if (covers.isCross(number)) {
        opaque.addCross(x, y, z, look);
        continue;
      }
      for (const way of WAYS) {
        const [dx, dy, dz] = STEPS[way];
        if (covers.hides(cells[at(x + dx, y + dy, z + dz)]!, number, way)) continue;
        const [slice, u, v] = way < 2 ? [x, z, y] : way < 4 ? [y, x, z] : [z, x, y];
        (look.isClear ? clear : opaque).add(way, slice, u, v, 1, 1, look, LIT);
      }
    }
    const { offset } = this.#origin;
    const [x, y, z] = key.split(",").map((each, k) => SIDE * Number(each) - offset[k]!) as [number, number, number];
    return this.#paint.groupOf({ opaque: opaque.take(), clear: clear.take() }, x, y, z);
  }

  #drop(key: string): void {
    const object = this.#sections.get(key)?.object;
    this.#sections.delete(key);
    if (object == null) return;
    this.object.remove(object);
    for (const mesh of object.children) (mesh as Mesh).geometry.dispose();
  }
}

/** To the cell that a face looks at. */
const STEPS: Readonly<Record<Way, readonly [number, number, number]>> = {
  0: [-1, 0, 0],
  1: [1, 0, 0],
  2: [0, -1, 0],
  3: [0, 1, 0],
  4: [0, 0, -1],
  5: [0, 0, 1],
};
