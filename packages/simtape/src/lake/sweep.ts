import type { Store } from "../io/store/store.ts";
import { manifestKey } from "./layout.ts";
import { readManifest } from "./manifest.ts";

/** Milliseconds for which a file may belong to a run that is still at work: no recording takes so long. */
const A_DAY = 86_400_000;

/** What a sweep has deleted. */
export interface LakeSweep {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Deletes files of recordings that no manifest names and that are older than `age` milliseconds, by default a day: those of a
 * run that was overtaken and killed. Files that are not in the folder of a recording stay. Lists the whole lake, and reads the
 * manifest of a recording once for each of its tables.
 */
export async function sweepLake(
  lake: Store,
  { age = A_DAY, signal }: { readonly age?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<LakeSweep> {
  const before = Date.now() - age;
  let [files, bytes] = [0, 0];
  let at = "";
  let named: ReadonlySet<string> = new Set();
  const old: { readonly key: string; readonly size: number }[] = [];
  for await (const { key, size, modified } of lake.list("", signal)) {
    const [, folder, recording] =
      /^([^/]+\/format=[^/]+\/day=[^/]+\/recording=([^/]+)\/)[^/]+\.parquet$/.exec(key) ?? [];
    if (folder === undefined || recording === undefined || modified > before) continue;
    if (folder !== at) {
      at = folder;
      const placed = await readManifest(lake, manifestKey(recording), signal);
      named = new Set([...(placed?.manifest.files.map((file) => file.key) ?? []), ...(placed?.manifest.pending ?? [])]);
    }
    if (!named.has(key)) old.push({ key, size });
  }
  for (const { key, size } of old) {
    await lake.delete(key, signal === undefined ? {} : { signal });
    [files, bytes] = [files + 1, bytes + size];
  }
  return { files, bytes };
}
