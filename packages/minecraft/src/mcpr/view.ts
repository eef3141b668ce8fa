import type { Packet } from "../game/packet.ts";
import type { Adapter } from "../scene/adapter.ts";
import type { Scene } from "../scene/scene.ts";
import { GRID } from "../scene/thing.ts";

/** Chunks in each direction around the first player that exist from the beginning. */
export const AROUND = 4;
/** Most chunks in each direction that a client must hold: it has an array of all of them. */
export const FARTHEST = 64;
/** The view grows by this many chunks at once, because the client rebuilds its array each time. */
const STEP = 8;

type Spot = readonly [x: number, z: number];

/**
 * The part of a world that a client sees: chunks around a fixed one. The client shows blocks and things in chunks that
 * it has, and takes only chunks in its view; so the view grows with the scene, and empty chunks lie where no chunk is
 * known.
 */
export class View {
  readonly #adapter: Adapter;
  readonly #center: Spot;
  readonly #there = new Set<string>();
  readonly #beyond = new Set<string>();
  #distance = AROUND;

  constructor(adapter: Adapter, center: Spot) {
    this.#adapter = adapter;
    this.#center = center;
  }

  /** Number of chunks with content that are too far away to be seen. */
  get beyond(): number {
    return this.#beyond.size;
  }

  /** The packets before a chunk that is sent now. */
  begin(): Packet[] {
    return this.#adapter.around(...this.#center, this.#distance);
  }

  /** Whether the client can see a chunk at all. */
  reaches([x, z]: Spot): boolean {
    return this.#distanceOf(x, z) <= FARTHEST;
  }

  /** Adds a chunk: makes the view large enough for it. */
  take([x, z]: Spot): Packet[] {
    this.#there.add(`${x},${z}`);
    const distance = this.#distanceOf(x, z);
    if (distance <= this.#distance) return [];
    this.#distance = Math.min(FARTHEST, distance + STEP);
    return this.begin();
  }

  /** Adds empty chunks where there are none yet. */
  fill(spots: Iterable<Spot>): Packet[] {
    const packets: Packet[] = [];
    for (const spot of spots) {
      const key = spot.join();
      if (this.#there.has(key) || this.#beyond.has(key)) continue;
      if (this.reaches(spot)) packets.push(...this.take(spot), ...this.#adapter.emptyChunk(...spot));
      else this.#beyond.add(key);
    }
    return packets;
  }

  /** The chunks in which a scene has content that the previous one did not have there. */
  static *newIn(before: Scene, after: Scene): Generator<Spot> {
    for (const [id, thing] of after.things)
      if (before.things.get(id) !== thing) yield [Math.floor(thing.x / GRID / 16), Math.floor(thing.z / GRID / 16)];
    if (before.blocks === after.blocks) return;
    for (const place of after.blocks.keys()) {
      if (before.blocks.has(place)) continue;
      const [x, , z] = place.split(",").map(Number) as [number, number, number];
      yield [Math.floor(x / 16), Math.floor(z / 16)];
    }
  }

  /** All chunks around the centre from the beginning on. */
  *near(): Generator<Spot> {
    const [x, z] = this.#center;
    for (let dx = -AROUND; dx <= AROUND; dx++) for (let dz = -AROUND; dz <= AROUND; dz++) yield [x + dx, z + dz];
  }

  #distanceOf(x: number, z: number): number {
    return Math.max(Math.abs(x - this.#center[0]), Math.abs(z - this.#center[1]));
  }
}
