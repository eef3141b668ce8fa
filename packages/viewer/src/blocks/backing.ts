import { type WorldChunk, WorldReader } from "simtape/world";
import type { Recording } from "simtape";
import type { ChunkAsk } from "../protocol.ts";
import type { ChunkMesh } from "./faces.ts";
import { meshOf } from "./mesher.ts";
import { clear, Looks, volumeOf } from "./volume.ts";

/** Chunks that are kept, each of 200 kB at most. */
const KEPT = 160;
const EVERYTHING = Number.POSITIVE_INFINITY;

/** The world below a recording, as it is read in the worker. */
export class Backing {
  readonly #reader: WorldReader;
  readonly #looks = new Looks();
  /** By dimension and place; the one that was asked for last is the last. */
  readonly #chunks = new Map<string, Promise<WorldChunk | null>>();

  constructor(world: { readonly id: string; readonly version: string }, base: string) {
    this.#reader = new WorldReader({ get: (key) => load(new URL(key, base)), list: unlisted }, world);
  }

  /** Whether there is anything of it around a place, in blocks. */
  async isThere(dimension: string, x: number, z: number): Promise<boolean> {
    const at = (value: number): number => Math.floor(value / 512);
    return (await this.#reader.region(dimension, at(x), at(z))) !== null;
  }

  /** What is seen of a chunk; null: there is none, or nothing. Rejects for one that is damaged. */
  async mesh({ dimension, x, z, edits, top }: ChunkAsk): Promise<ChunkMesh | null> {
    const chunk = await this.#chunk(dimension, x, z);
    if (chunk === null) return null;
    const beside = (dx: number, dz: number): Promise<WorldChunk | null> =>
      this.#chunk(dimension, x + dx, z + dz).catch(() => null);
    const [west, east, north, south] = await Promise.all([beside(-1, 0), beside(1, 0), beside(0, -1), beside(0, 1)]);
    const volume = volumeOf(chunk, { west, east, north, south }, this.#looks, top ?? EVERYTHING);
    if (volume === null) return null;
    clear(volume, edits);
    return meshOf(volume);
  }

  #chunk(dimension: string, x: number, z: number): Promise<WorldChunk | null> {
    const key = `${dimension} ${x} ${z}`;
    const known = this.#chunks.get(key);
    this.#chunks.delete(key);
    const chunk = known ?? this.#reader.chunk(dimension, x, z);
    this.#chunks.set(key, chunk);
    if (this.#chunks.size > KEPT) this.#chunks.delete(this.#chunks.keys().next().value!);
    chunk.catch(() => this.#chunks.delete(key));
    return chunk;
  }
}

const backings = new WeakMap<Recording, Backing | null>();

/** Null: the recording names no world. `base`: the address that keys of the store are relative to. */
export function backingOf(recording: Recording, base: string): Backing | null {
  let backing = backings.get(recording);
  if (backing === undefined) {
    const { worldId: id, worldVersion: version } = recording.info.metadata;
    const isNamed = typeof id === "string" && typeof version === "string" && /[1-9a-f]/i.test(id);
    backing = isNamed ? new Backing({ id, version }, base) : null;
    backings.set(recording, backing);
  }
  return backing;
}

/** Null: it is not there. A server of simtape says so with 204, as it is no fault. */
async function load(address: URL): Promise<{ bytes: Uint8Array; etag: string } | null> {
  const answer = await fetch(address);
  if (answer.status === 204 || answer.status === 404) return null;
  if (!answer.ok) throw new Error(`the server refused ${address.pathname} (${answer.status})`);
  return { bytes: new Uint8Array(await answer.arrayBuffer()), etag: answer.headers.get("etag") ?? "" };
}

function unlisted(): never {
  throw new Error("a world behind a URL cannot be listed");
}
