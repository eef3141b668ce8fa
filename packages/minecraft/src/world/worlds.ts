import type { Store } from "simtape";
import { RecordingError } from "simtape";
import { type WorldName, type WorldProblem, WorldReader } from "simtape/world";

/** A version of a world in a store. */
export interface StoredWorld extends WorldName {
  /** Number of chunks by dimension. */
  readonly dimensions: Readonly<Record<string, number>>;
}

/** All versions of all worlds in a store, in the order of their names. Rejects like the store. */
export async function worldsIn(store: Store): Promise<WorldName[]> {
  const found = new Map<string, WorldName>();
  for await (const { key } of store.list("worlds/")) {
    const [, id, version] = /^worlds\/([^/]+)\/v\.([^/]+)\//.exec(key) ?? [];
    if (id !== undefined && version !== undefined) found.set(`${id}/${version}`, { id, version });
  }
  return [...found.values()];
}

/** Number of chunks of a world, by dimension; damaged regions count as empty. */
export async function chunksOf(store: Store, world: WorldName): Promise<StoredWorld> {
  const reader = new WorldReader(store, world);
  const dimensions: Record<string, number> = {};
  for await (const { dimension, x, z } of reader.regions()) {
    const region = await reader.region(dimension, x, z).catch(ignoreDamage);
    dimensions[dimension] = (dimensions[dimension] ?? 0) + (region?.size ?? 0);
  }
  return { ...world, dimensions };
}

/** Chunks that the index names and that are missing or changed. Rejects like the store. */
export function problemsOf(store: Store, world: WorldName): AsyncGenerator<WorldProblem> {
  return new WorldReader(store, world).check();
}

function ignoreDamage(error: unknown): null {
  if (RecordingError.is(error)) return null;
  throw error;
}
