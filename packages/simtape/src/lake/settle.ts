import { type Store, StoreError } from "../io/store/store.ts";
import { folderOf, LAYOUT, manifestKey } from "./layout.ts";
import type { MadeRecording } from "./make-files.ts";
import {
  type LakeFile,
  type LakeOrigin,
  type Manifest,
  type PlacedManifest,
  putManifest,
  readManifest,
} from "./manifest.ts";
import type { MadeFile } from "./parquet-rows.ts";

/** Bytes put at once, and digits of a digest in a name. */
const PIECE = 1 << 20;
const WHOLE = 8 << 20;
const DIGITS = 16;

/** Another worker has changed what the lake has of a recording; it decides, and nothing of this one is left. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/**
 * Stores the files of a recording in place of those that it has: the manifest states what is about to be written, then the
 * files are written, then the manifest is the commit, then the files before are deleted. Ended anywhere in between,
 * `mended` or the next commit does the rest. A file whose content the recording has already is not written again. Throws
 * `OvertakenError`, and what the store throws.
 */
export async function commit(
  lake: Store,
  placed: PlacedManifest,
  of: Pick<LakeOrigin, "file" | "stamp" | "options">,
  made: MadeRecording,
  signal: AbortSignal | undefined,
): Promise<PlacedManifest> {
  const { recording, files: before, pending, origin } = placed.manifest;
  const { format, day, outcome, findings } = made;
  // no two tries share a name: what one of them deletes is never what another has written
  const attempt = crypto.randomUUID().slice(0, 8);
  const files: LakeFile[] = [];
  const fresh: { readonly file: MadeFile; readonly key: string }[] = [];
  for (const file of made.files) {
    const { table, rows, content, digest } = file;
    const stem = `${folderOf(table, format, day, recording)}${digest.slice(0, DIGITS)}`;
    const key = before.find((one) => one.key.startsWith(`${stem}-`))?.key ?? `${stem}-${attempt}.parquet`;
    files.push({ table, key, rows, bytes: content.length });
    if (!before.some((one) => one.key === key)) fresh.push({ file, key });
  }
  const keys = fresh.map(({ key }) => key);
  return overtakable(lake, recording, keys, signal, async () => {
    let at = placed;
    if (fresh.length > 0) {
      const about: Manifest = { layout: LAYOUT, recording, origin, files: before, pending: union(pending, keys) };
      at = await putManifest(lake, about, at.etag, signal);
      for (const { file, key } of fresh) await putFile(lake, key, file, signal);
    }
    const kept = new Set(files.map(({ key }) => key));
    const old = union(
      pending,
      before.map(({ key }) => key),
    ).filter((key) => !kept.has(key));
    const now = { layout: LAYOUT, recording, origin: { ...of, format, day, outcome, findings }, files, pending: old };
    return mend(lake, await putManifest(lake, now, at.etag, signal), signal);
  });
}

/** Deletes what belongs to no commit. Throws as `commit` does. */
export function mended(lake: Store, placed: PlacedManifest, signal: AbortSignal | undefined): Promise<PlacedManifest> {
  return overtakable(lake, placed.manifest.recording, [], signal, () => mend(lake, placed, signal));
}

/** The manifest of a recording that has no commit is deleted with the rest. */
async function mend(lake: Store, placed: PlacedManifest, signal: AbortSignal | undefined): Promise<PlacedManifest> {
  const { manifest, etag } = placed;
  for (const key of manifest.pending) await lake.delete(key, signal === undefined ? {} : { signal });
  if (manifest.origin === null) {
    const key = manifestKey(manifest.recording);
    if (etag !== null) await lake.delete(key, { condition: { etag }, ...(signal === undefined ? {} : { signal }) });
    return { manifest: { ...manifest, pending: [] }, etag: null };
  }
  return manifest.pending.length === 0 ? placed : putManifest(lake, { ...manifest, pending: [] }, etag, signal);
}

/** Removes a recording: first the commit, then the files. Throws as `commit` does. */
export function remove(lake: Store, placed: PlacedManifest, signal: AbortSignal | undefined): Promise<PlacedManifest> {
  const { recording, files, pending, origin } = placed.manifest;
  return overtakable(lake, recording, [], signal, async () => {
    const gone = union(
      pending,
      files.map(({ key }) => key),
    );
    const now = { layout: LAYOUT, recording, origin: null, files: [], pending: gone };
    const marked = origin === null && files.length === 0 ? placed : await putManifest(lake, now, placed.etag, signal);
    return mend(lake, marked, signal);
  });
}

/** Does `work`; when another writer was first, deletes `keys`, unless they are committed. */
async function overtakable<T>(
  lake: Store,
  recording: string,
  keys: readonly string[],
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "conflict") throw error;
    const theirs = await readManifest(lake, manifestKey(recording), signal);
    const used = new Set(theirs?.manifest.files.map(({ key }) => key));
    for (const key of keys) if (!used.has(key)) await lake.delete(key, signal === undefined ? {} : { signal });
    throw new OvertakenError(`another worker is at work on ${recording} in ${lake.name}`, { cause: error });
  }
}

async function putFile(
  lake: Store,
  key: string,
  { content }: MadeFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (content.length <= WHOLE) {
    await lake.put(key, await content.read(0, content.length), { signal });
    return;
  }
  const sink = await lake.sink(key, { signal });
  try {
    for (let at = 0; at < content.length; at += PIECE)
      await sink.write(await content.read(at, Math.min(PIECE, content.length - at)));
    await sink.close();
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
