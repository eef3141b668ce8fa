import { Group, type Mesh, type Vector3 } from "three";
import type { State } from "simtape";
import type { ChunkMesh } from "../../blocks/chunk-mesh.ts";
import type { SkinPictures } from "../../blocks/skins.ts";
import type { ChunkAsk } from "../../protocol.ts";
import type { Scheme } from "../../theme.ts";
import { BlockPaint } from "../drawing/block-paint.ts";
import { Edits } from "./edits.ts";
import type { Origin } from "../things/origin.ts";
import type { WorldPart } from "./world-part.ts";

/** Asks for what is seen of a chunk; null: nothing. */
export type AskChunk = (ask: ChunkAsk, signal: AbortSignal) => Promise<ChunkMesh | null>;

/** Makes the backdrop of a scene whose zero is known. */
export type MakeBackdrop = (origin: Origin, isSoftware: boolean, onChange: () => void) => Backdrop;

/** `skins`: pictures for the layers that chunks have; null: blocks have colours alone. */
export function backdropOf(ask: AskChunk, skins: SkinPictures | null): MakeBackdrop {
  return (origin, isSoftware, onChange) =>
    new Backdrop(ask, origin, isSoftware ? EXTENTS.software : EXTENTS.card, isSoftware, onChange, skins);
}

/** How much of a world is drawn. */
interface Extent {
  /** Chunks from the one that is looked at, each way. */
  readonly radius: number;
  /** Triangles at most: farther chunks are left out. */
  readonly triangles: number;
}

/** With a graphics card, and without. */
const EXTENTS = {
  card: { radius: 10, triangles: 3_000_000 },
  software: { radius: 6, triangles: 400_000 },
} as const satisfies Record<string, Extent>;

/** Chunks that are asked for at a time: the player is in the same thread. */
const AT_ONCE = 2;
/** Chunks beyond the radius that stay. */
const SLACK = 2;
const SIDE = 16;
/** Where the game is when a recording does not say so. */
const USUAL = "minecraft:overworld";
/** Blocks from where a player stands to the cut: over the head. Within the second number below, the cut stays. */
const HEADROOM = 3;
const FALL = 6;

interface Drawn {
  /** What it was asked with. */
  readonly of: string;
  readonly object: Group | null;
  readonly triangles: number;
}

/**
 * The world that a recording was made in: the chunks around what is looked at, the nearest first. A block that the recording
 * has edited is not drawn, as the edit is. `onChange` is called when there is more to draw.
 */
export class Backdrop implements WorldPart {
  readonly object: Group = new Group();
  readonly coversGround = true;
  readonly floor = null;
  readonly #ask: AskChunk;
  readonly #origin: Origin;
  readonly #extent: Extent;
  readonly #onChange: () => void;
  readonly #paint: BlockPaint;
  readonly #drawn = new Map<string, Drawn>();
  readonly #underWay = new Map<string, AbortController>();
  readonly #edits = new Edits();
  #dimension = USUAL;
  /** Chunk that is looked at. */
  #middle: readonly [number, number] = [0, 0];
  #isOn = true;
  #isCut = false;
  #top: number | null = null;
  #triangles = 0;
  #isDisposed = false;

  constructor(
    ask: AskChunk,
    origin: Origin,
    extent: Extent,
    isSoftware: boolean,
    onChange: () => void,
    skins: SkinPictures | null = null,
  ) {
    this.#ask = ask;
    this.#origin = origin;
    this.#extent = extent;
    this.#onChange = onChange;
    this.#paint = new BlockPaint(skins, isSoftware);
  }

  set isOn(isOn: boolean) {
    this.#isOn = this.object.visible = isOn;
    if (!isOn) this.#callOff();
  }

  /** Blocks have their own colours. */
  set scheme(_: Scheme) {
    // the same by day and by night
  }

  /** Whether everything above the head of who is looked at is left out. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
  }

  /** Whether anything of it is in the picture. */
  get isShown(): boolean {
    return this.#isOn && this.#triangles > 0;
  }

  /** In words; empty: nothing is drawn. */
  describe(): string {
    const count = [...this.#drawn.values()].filter(({ object }) => object !== null).length;
    return this.isShown ? `${count} ${count === 1 ? "chunk" : "chunks"} of the world` : "";
  }

  update({ values, sets }: State): void {
    const named = values.get("world/dimension");
    const dimension = typeof named === "string" ? named : USUAL;
    if (dimension !== this.#dimension) this.#clear();
    this.#dimension = dimension;
    this.#edits.update(sets.get("blocks"));
  }

  /** Asks for what is not there around a place in the scene, and lets go of what is far. `feet`: height of who is looked at. */
  look(target: Vector3, feet: number | null): void {
    if (!this.#isOn || this.#isDisposed || !this.#origin.isKnown) return;
    const { offset } = this.#origin;
    this.#middle = [chunkOf(target.x + offset[0]!), chunkOf(target.z + offset[2]!)];
    this.#top = this.#isCut && feet !== null ? this.#cutAt(feet + offset[1]!) : null;
    for (const key of [...this.#drawn.keys(), ...this.#underWay.keys()])
      if (this.#away(key) > this.#extent.radius + SLACK) this.#drop(key);
    this.#work();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#clear();
    this.#paint.dispose();
  }

  /** Begins with the nearest chunks that are not as they should be. */
  #work(): void {
    for (const [x, z] of spiral(this.#extent.radius)) {
      if (this.#underWay.size >= AT_ONCE) return;
      const [atX, atZ] = [this.#middle[0] + x, this.#middle[1] + z];
      const key = `${atX},${atZ}`;
      const isMore = !this.#drawn.has(key) && this.#triangles > this.#extent.triangles;
      if (isMore || this.#underWay.has(key) || this.#drawn.get(key)?.of === this.#wanted(key)) continue;
      void this.#load(key, atX, atZ);
    }
  }

  /** What tells whether a chunk that is drawn is as it should be. */
  #wanted(key: string): string {
    return `${this.#top} ${this.#edits.sumOf(key)}`;
  }

  async #load(key: string, x: number, z: number): Promise<void> {
    const of = this.#wanted(key);
    const controller = new AbortController();
    this.#underWay.set(key, controller);
    const ask = { dimension: this.#dimension, x, z, edits: this.#edits.around(x, z), top: this.#top };
    // one that is damaged is left out, as one that is not there
    const mesh = await this.#ask(ask, controller.signal).catch(() => null);
    if (controller.signal.aborted) return;
    this.#underWay.delete(key);
    this.#put(key, of, x, z, mesh);
    this.#onChange();
    this.#work();
  }

  #put(key: string, of: string, x: number, z: number, mesh: ChunkMesh | null): void {
    this.#forget(key);
    const object = mesh === null ? null : this.#objectOf(mesh, x, z);
    const triangles = mesh === null ? 0 : (mesh.opaque.index.length + mesh.clear.index.length) / 3;
    this.#drawn.set(key, { of, object, triangles });
    this.#triangles += triangles;
    if (object !== null) this.object.add(object);
  }

  #objectOf(mesh: ChunkMesh, x: number, z: number): Group {
    const { offset } = this.#origin;
    return this.#paint.groupOf(mesh, SIDE * x - offset[0]!, mesh.bottom - offset[1]!, SIDE * z - offset[2]!);
  }

  /** Over the head of who stands at that height, and so for a while when that goes up or down a little. */
  #cutAt(feet: number): number {
    const least = Math.floor(feet) + HEADROOM;
    const before = this.#top;
    return before !== null && before >= least && before <= least + FALL ? before : least;
  }

  #away(key: string): number {
    const [x, z] = key.split(",").map(Number) as [number, number];
    return Math.hypot(x - this.#middle[0], z - this.#middle[1]);
  }

  #drop(key: string): void {
    this.#underWay.get(key)?.abort();
    this.#underWay.delete(key);
    this.#forget(key);
  }

  #forget(key: string): void {
    const drawn = this.#drawn.get(key);
    if (drawn === undefined) return;
    this.#drawn.delete(key);
    this.#triangles -= drawn.triangles;
    if (drawn.object === null) return;
    this.object.remove(drawn.object);
    for (const mesh of drawn.object.children) (mesh as Mesh).geometry.dispose();
  }

  #callOff(): void {
    for (const controller of this.#underWay.values()) controller.abort();
    this.#underWay.clear();
  }

  #clear(): void {
    this.#callOff();
    for (const key of [...this.#drawn.keys()]) this.#forget(key);
  }
}

function chunkOf(place: number): number {
  return Math.floor(place / SIDE);
}

const spirals = new Map<number, readonly (readonly [number, number])[]>();

/** Steps to all chunks within a radius, the nearest first. */
function spiral(radius: number): readonly (readonly [number, number])[] {
  let steps = spirals.get(radius);
  if (steps === undefined) {
    const along = Array.from({ length: 2 * radius + 1 }, (_, i) => i - radius);
    steps = along
      .flatMap((x) => along.map((z) => [x, z] as const))
      .filter(([x, z]) => Math.hypot(x, z) <= radius)
      .sort(([a, b], [c, d]) => Math.hypot(a, b) - Math.hypot(c, d));
    spirals.set(radius, steps);
  }
  return steps;
}
