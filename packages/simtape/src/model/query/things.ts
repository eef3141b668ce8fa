import type { Time, TimeRange } from "../values/time.ts";
import { boundsOf, type QuerySource } from "./source.ts";
import type { ThingIds } from "./thing-ids.ts";
import { Notes } from "./notes.ts";
import { type OnProgress, Walk } from "./walk.ts";

/** Of which part of a recording the things are listed. Everything is optional. */
export interface ThingsOptions extends TimeRange {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** See `Recording.things`. Goes through the range once, and folds all of it. */
export async function thingsOf(source: QuerySource, options: ThingsOptions): Promise<ThingIds> {
  const { reader, fold } = source;
  const bounds = await boundsOf(source, options);
  const found = new Map<string, Set<number | string>>();
  if (bounds.start >= bounds.end) return found;
  const notes = new Notes(reader.budget);
  const add = (name: string, id: number | string): void => {
    let ids = found.get(name);
    if (ids === undefined) {
      ids = new Set();
      found.set(name, ids);
    }
    if (ids.has(id)) return;
    notes.add();
    ids.add(id);
  };
  const walk = await Walk.begin(reader, fold, bounds, bounds.first, options);
  for (const [name, { ids }] of walk.state.sets) if (!name.startsWith(".")) for (const id of ids) add(name, id);
  const touched = walk.state.touch();
  const take = (): void => {
    if (touched.byOwner.size === 0) return;
    for (const [name, set] of walk.state.sets) {
      if (!name.startsWith(".")) for (const id of touched.byOwner.get(set) ?? []) add(name, id);
    }
    touched.forget();
  };
  const stops = { until: (next: Time): Time => next };
  for await (const batch of walk.batches()) {
    for (const _ of walk.fold(batch, stops));
    take();
  }
  return found;
}
