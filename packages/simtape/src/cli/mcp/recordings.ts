import { nearest } from "../../model/state/path.ts";
import type { Recording } from "../../model/recording.ts";
import type { ReadOptions } from "../input/recordings.ts";
import { sqlSources } from "../input/sql-sources.ts";
import { UsageError } from "../run/failure.ts";
import type { Named, Recordings } from "./tool.ts";

/** Milliseconds for which a list of a folder holds. */
const FRESH = 2000;

/**
 * The recordings at some places. Only what is listed can be opened, by the name in the list: a name is never a path, so
 * nothing else on the machine can be reached.
 */
export function recordingsOf(places: readonly string[], options: ReadOptions): Recordings {
  let listed: Promise<readonly Named[]> = Promise.resolve([]);
  let listedAt = Number.NEGATIVE_INFINITY;
  const list = (): Promise<readonly Named[]> => {
    const now = performance.now();
    if (now - listedAt < FRESH) return listed;
    listedAt = now;
    listed = sqlSources(places, options);
    listed.catch(() => {
      listedAt = Number.NEGATIVE_INFINITY;
    });
    return listed;
  };
  return {
    list,
    with: async <T>(name: string, work: (recording: Recording) => Promise<T>): Promise<T> => {
      const all = await list();
      const found = all.find((one) => one.name === name);
      if (found === undefined) {
        const names = all.map((one) => one.name);
        const near = nearest(name, names).map((one) => JSON.stringify(one));
        throw new UsageError(`no recording is called ${JSON.stringify(name)}; there are: ${near.join(", ")}`);
      }
      const recording = await found.open();
      try {
        return await work(recording);
      } finally {
        await recording.close();
      }
    },
  };
}
