import { type WorldChunk, WorldReader } from "simtape/world";
import type { Recording } from "simtape";
import type { ChunkAsk, ChunkSight, Locator } from "../protocol.ts";
import { Regions } from "./anvil/regions.ts";
import { meshOf } from "./mesher.ts";
import type { BlockSkins } from "./skins.ts";
import { clear, Looks, volumeOf } from "./volume.ts";

/** Chunks that are kept, each of 200 kB at most. */
const KEPT = 160;
const EVERYTHING = Number.POSITIVE_INFINITY;

/** The world below a recording, as it is read in the worker: its own, and where that has nothing, that of companions. */
export class Backing {
  readonly #reader: WorldReader | null;
  readonly #regions: readonly Regions[];
  readonly #looks: Looks;
  /** By dimension and place; the one that was asked for last is the last. */
  readonly #chunks = new Map<string, Promise<WorldChunk | null>>();

  constructor(reader: WorldReader | null, regions: readonly Regions[], skins: BlockSkins | null) {
    this.#looks = new Looks(skins);
    this.#reader = reader;
    this.#regions = regions;
  }

  /** Whether the recording's own world has anything around a place, in blocks. */
  async isThere(dimension: string, x: number, z: number): Promise<boolean> {
    const at = (value: number): number => Math.floor(value / 512);
    return ((await this.#reader?.region(dimension, at(x), at(z))) ?? null) !== null;
  }

  /** What is seen of a chunk. Rejects for a damaged one of the recording's own world. */
  async sight({ dimension, x, z, edits, top }: ChunkAsk): Promise<ChunkSight> {
    const found = await this.#chunk(dimension, x, z).catch((error: unknown) => {
      if (!(error instanceof CompanionError)) throw error;
      return error;
    });
    if (found instanceof CompanionError) return { mesh: null, problem: found.message };
    if (found === null) return NOTHING;
    const beside = (dx: number, dz: number): Promise<WorldChunk | null> =>
      this.#chunk(dimension, x + dx, z + dz).catch(() => null);
    const [west, east, north, south] = await Promise.all([beside(-1, 0), beside(1, 0), beside(0, -1), beside(0, 1)]);
    const volume = volumeOf(found, { west, east, north, south }, this.#looks, top ?? EVERYTHING);
    if (volume === null) return NOTHING;
    clear(volume, edits);
    return { mesh: meshOf(volume), problem: null };
  }

  #chunk(dimension: string, x: number, z: number): Promise<WorldChunk | null> {
    const key = `${dimension} ${x} ${z}`;
    const known = this.#chunks.get(key);
    this.#chunks.delete(key);
    const chunk = known ?? this.#read(dimension, x, z);
    this.#chunks.set(key, chunk);
    if (this.#chunks.size > KEPT) this.#chunks.delete(this.#chunks.keys().next().value!);
    chunk.catch(() => this.#chunks.delete(key));
    return chunk;
  }

  async #read(dimension: string, x: number, z: number): Promise<WorldChunk | null> {
    const own = (await this.#reader?.chunk(dimension, x, z)) ?? null;
    if (own !== null) return own;
    for (const regions of this.#regions) {
      if (!regions.isOf(dimension)) continue;
      const chunk = await regions.chunk(x, z).catch((error: unknown) => {
        throw new CompanionError(error instanceof Error ? error.message : String(error));
      });
      if (chunk !== null) return chunk;
    }
    return null;
  }
}

const NOTHING: ChunkSight = { mesh: null, problem: null };

/** A chunk of a companion cannot be read. */
class CompanionError extends Error {}

/** What companions have of a world of blocks. */
interface Accompanied {
  readonly regions: readonly Regions[];
  readonly skins: BlockSkins | null;
}

/** By the number that `accompany` gave. */
const companions: Accompanied[] = [];

/** Takes note of folders of region files, and of textures; the number is what `backingOf` takes. */
export function accompany(places: readonly Locator[], skins: BlockSkins | null): number {
  return companions.push({ regions: places.map((place) => new Regions(place)), skins }) - 1;
}

const ALONE: Accompanied = { regions: [], skins: null };
const backings = new WeakMap<Recording, Map<string, Backing>>();

/**
 * Null: the recording names no world, and no companions are given. `base`: the address that keys of the store
 * are relative to; null: no world is kept beside the recording.
 */
export function backingOf(recording: Recording, base: string | null, beside: number | null = null): Backing | null {
  const known = backings.get(recording) ?? new Map<string, Backing>();
  backings.set(recording, known);
  const key = `${base} ${beside}`;
  let backing = known.get(key) ?? null;
  if (backing === null) {
    const { worldId: id, worldVersion: version } = recording.info.metadata;
    const isNamed = typeof id === "string" && typeof version === "string" && /[1-9a-f]/i.test(id);
    const reader =
      isNamed && base !== null
        ? new WorldReader({ get: (path) => load(new URL(path, base)), list: unlisted }, { id, version })
        : null;
    if (reader === null && beside === null) return null;
    const { regions, skins } = beside === null ? ALONE : companions[beside]!;
    backing = new Backing(reader, regions, skins);
    known.set(key, backing);
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
