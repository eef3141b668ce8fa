import { type Store, StoreError } from "simtape";
import { manifestsIn } from "simtape/lake";
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";

/** What finds a person in texts and values. */
export interface Finder {
  isIn(text: string): boolean;
  isInValue(value: unknown): boolean;
}

/** A recording of a lake that names a person. */
export interface LakeTrace {
  /** What it is called in the lake. */
  readonly recording: string;
  /** A file that names the person; null: the manifest does. */
  readonly key: string | null;
}

/** What a search of a lake has read, and found: each recording once. */
export interface LakeSearch {
  readonly traces: readonly LakeTrace[];
  readonly files: number;
}

/**
 * Searches the manifests of a lake, the names of its files, and every text in them. `skipped`: recordings that are not
 * searched, as the lake calls them.
 */
export async function searchLake(
  lake: Store,
  finder: Finder,
  skipped: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<LakeSearch> {
  const traces: LakeTrace[] = [];
  let files = 0;
  for await (const manifest of manifestsIn(lake, signal)) {
    const { recording } = manifest;
    if (skipped.has(recording)) continue;
    files++;
    if (finder.isInValue(manifest)) {
      traces.push({ recording, key: null });
      continue;
    }
    for (const { key, bytes } of manifest.files) {
      signal.throwIfAborted();
      files++;
      if (!(await isInParquet(lake, key, bytes, finder, signal))) continue;
      traces.push({ recording, key });
      break;
    }
  }
  return { traces, files };
}

/** Reads the columns of texts, one group of rows after the other. */
async function isInParquet(
  lake: Store,
  key: string,
  byteLength: number,
  finder: Finder,
  signal: AbortSignal,
): Promise<boolean> {
  const source = await lake.source(key, signal);
  // replaced or removed since its manifest was read
  if (source === null) return false;
  try {
    const file = {
      byteLength,
      slice: async (start: number, end: number = byteLength): Promise<ArrayBuffer> => {
        const bytes = await source.read(start, end - start, signal);
        return bytes.slice().buffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    for (const { key: name, value = "" } of metadata.key_value_metadata ?? [])
      if (finder.isIn(name) || finder.isIn(value)) return true;
    if (metadata.schema.some(({ name }) => finder.isIn(name))) return true;
    const isText = ({ meta_data }: (typeof metadata.row_groups)[number]["columns"][number]): boolean =>
      meta_data?.type === "BYTE_ARRAY";
    let row = 0;
    for (const group of metadata.row_groups) {
      const columns = [...new Set(group.columns.filter(isText).map((one) => one.meta_data!.path_in_schema[0]!))];
      const rowEnd = row + Number(group.num_rows);
      if (columns.length > 0) {
        const rows = await parquetReadObjects({ file, metadata, columns, rowStart: row, rowEnd });
        if (rows.some((one) => Object.values(one).some((value) => finder.isInValue(value)))) return true;
      }
      row = rowEnd;
    }
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.code === "not-found") return false;
    throw error;
  } finally {
    await source.close();
  }
}
