import { SourceError } from "../io/source/source.ts";
import { memorySpool, type SpoolFactory } from "../io/source/spool.ts";
import { type Store, StoreError } from "../io/store/store.ts";
import { RecordingError } from "../model/error.ts";
import { LAYOUT, MANIFESTS, manifestKey, recordingId } from "./layout.ts";
import { makeFiles } from "./make-files.ts";
import { type Manifest, noManifest, type PlacedManifest, readManifest } from "./manifest.ts";
import { commit, mended, OvertakenError, remove } from "./settle.ts";
import type { LakeSource } from "./source.ts";
import type { LakeContent } from "./tables.ts";

/** How a lake is kept current. Everything is optional. */
export interface LakeOptions extends LakeContent {
  /** Whether recordings that are in the store no more stay in the lake; false by default. */
  readonly keepVanished?: boolean | undefined;
  /** Whether nothing is changed, and the report says what would be; false by default. */
  readonly dryRun?: boolean | undefined;
  /** Where files wait until they are stored; default: in memory, up to 256 MiB each. `fileSpool()` on Node. */
  readonly spool?: SpoolFactory | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Recordings done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What became of one recording, or would. */
export interface LakeChange {
  /** What it is called in the lake. */
  readonly recording: string;
  /** Where it is, or was, in the store. */
  readonly file: string;
  /**
   * `unchanged`: nothing was written; `mended`: the same, but what an earlier run left was deleted; `kept`: it is in the store
   * no more; `left`: another worker is at work on it; `failed`: its bytes cannot be had, and the lake has what it had.
   */
  readonly did: "added" | "replaced" | "unchanged" | "mended" | "removed" | "kept" | "left" | "failed";
  /** In all its files; 0: it has none, or what they would be is not known. */
  readonly rows: number;
  readonly bytes: number;
  /** That it has files in; none: it has no files, or what they would be is not known. */
  readonly tables: readonly string[];
  readonly outcome: "whole" | "damaged" | "unreadable" | null;
  /** Findings of damage and loss. */
  readonly findings: number;
  /** Why it failed, or was left; null otherwise. */
  readonly reason: string | null;
}

const MEMORY = 256 << 20;
/** Manifests that are read at once. */
const AT_ONCE = 16;
const ENDING = ".json";

/**
 * Brings a lake up to date with recordings: `changes` gives what became of each, those that have gone last. Recordings whose
 * stamp and options are those of their manifest are not opened. One that cannot be read does not keep the others from
 * their turn. Throws `StoreError` when the lake fails, and `TypeError` for two sources of one name.
 */
export async function* updateLake(
  lake: Store,
  sources: readonly LakeSource[],
  options: LakeOptions = {},
): AsyncGenerator<LakeChange> {
  const { signal, keepVanished = false, dryRun = false, onProgress } = options;
  const named = namesOf(sources);
  const gone: string[] = [];
  for await (const id of recordingsIn(lake, signal)) if (!named.has(id)) gone.push(id);
  const total = named.size + gone.length;
  let done = 0;
  const left: LakeSource[] = [];
  for await (const { placed, id } of placedAt(lake, [...named.keys()], signal)) {
    const source = named.get(id)!;
    const change = await updateRecording(lake, source, options, placed ?? noManifest(id));
    if (change.did === "left") left.push(source);
    else yield change;
    onProgress?.(++done, total);
  }
  // by now the other worker is done with them, or gone
  for (const source of left) yield await updateRecording(lake, source, options);
  for await (const { placed } of placedAt(lake, gone, signal)) {
    if (placed !== null) yield await removed(lake, placed, keepVanished, dryRun, signal);
    onProgress?.(++done, total);
  }
}

/** Brings one recording of a lake up to date. `placed`: its manifest, where it was read. Throws as `updateLake`. */
export async function updateRecording(
  lake: Store,
  source: LakeSource,
  options: LakeOptions = {},
  placed?: PlacedManifest,
): Promise<LakeChange> {
  const { signal, dryRun = false } = options;
  const id = source.id ?? recordingId(source.file);
  const before = placed ?? (await readManifest(lake, manifestKey(id), signal)) ?? noManifest(id);
  const content = contentText(options);
  const { origin, layout, pending } = before.manifest;
  const isSame =
    layout === LAYOUT && origin?.stamp === source.stamp && origin.options === content && origin.file === source.file;
  const did = isSame ? (pending.length > 0 ? "mended" : "unchanged") : origin === null ? "added" : "replaced";
  if (dryRun || did === "unchanged") return changeOf(before, source.file, did, isSame);
  const spool = options.spool ?? memorySpool(MEMORY, source.file);
  try {
    if (did === "mended") return changeOf(await mended(lake, before, signal), source.file, did);
    const made = await makeFiles(source, id, options, spool, signal);
    try {
      const of = { file: source.file, stamp: source.stamp, options: content };
      return changeOf(await commit(lake, before, of, made, signal), source.file, did);
    } finally {
      for (const { content: bytes } of made.files) await bytes.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    return { ...changeOf(before, source.file, ...notDone(error)), reason: (error as Error).message };
  }
}

/** Removes one recording from a lake, by what it is called there. Null: the lake has none of that name. */
export async function removeRecording(lake: Store, id: string, signal?: AbortSignal): Promise<LakeChange | null> {
  const placed = await readManifest(lake, manifestKey(id), signal);
  return placed === null ? null : removed(lake, placed, false, false, signal);
}

/** The manifests of a lake, some of them in memory. */
export async function* manifestsIn(lake: Store, signal?: AbortSignal): AsyncGenerator<Manifest> {
  const ids: string[] = [];
  for await (const id of recordingsIn(lake, signal)) ids.push(id);
  for await (const { placed } of placedAt(lake, ids, signal)) if (placed !== null) yield placed.manifest;
}

/** What the recordings of a lake are called there, those without a commit among them; reads a list alone. */
export async function* recordingsIn(lake: Store, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const { key } of lake.list(MANIFESTS, signal))
    if (key.endsWith(ENDING)) yield key.slice(MANIFESTS.length, -ENDING.length);
}

/** The manifests of recordings, in their order, some of them read at once; null: there is none. */
async function* placedAt(
  lake: Store,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly id: string; readonly placed: PlacedManifest | null }> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const placed = await Promise.all(some.map((id) => readManifest(lake, manifestKey(id), signal)));
    for (const [k, id] of some.entries()) yield { id, placed: placed[k]! };
  }
}

async function removed(
  lake: Store,
  placed: PlacedManifest,
  keeps: boolean,
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<LakeChange> {
  const { origin, recording } = placed.manifest;
  const file = origin?.file ?? recording;
  // of a recording without a commit nothing is to be kept
  if (keeps && origin !== null) return changeOf(placed, file, "kept");
  if (dryRun) return changeOf(placed, file, "removed", false);
  try {
    return changeOf(await remove(lake, placed, signal), file, "removed", false);
  } catch (error) {
    signal?.throwIfAborted();
    return { ...changeOf(placed, file, ...notDone(error)), reason: (error as Error).message };
  }
}

/** Throws what is no fault of one recording. */
function notDone(error: unknown): [did: "left" | "failed"] {
  if (error instanceof OvertakenError) return ["left"];
  if (error instanceof SourceError || RecordingError.is(error)) return ["failed"];
  // its store failed, not the lake
  if (error instanceof StoreError && error.code === "not-found") return ["failed"];
  throw error;
}

function changeOf({ manifest }: PlacedManifest, file: string, did: LakeChange["did"], isKnown = true): LakeChange {
  const { recording, files, origin } = manifest;
  const sum = (of: "rows" | "bytes"): number => (isKnown ? files.reduce((all, one) => all + one[of], 0) : 0);
  return {
    ...{ recording, file, did, rows: sum("rows"), bytes: sum("bytes") },
    tables: isKnown ? files.map(({ table }) => table) : [],
    outcome: isKnown ? (origin?.outcome ?? null) : null,
    findings: isKnown ? (origin?.findings ?? 0) : 0,
    reason: null,
  };
}

function namesOf(sources: readonly LakeSource[]): Map<string, LakeSource> {
  const named = new Map<string, LakeSource>();
  for (const source of sources) {
    const id = source.id ?? recordingId(source.file);
    const other = named.get(id);
    if (other !== undefined) throw new TypeError(`two recordings are called ${id}: ${other.file}, ${source.file}`);
    named.set(id, source);
  }
  return named;
}

/** The same text for the same content. */
function contentText({ sets, every, channels }: LakeContent): string {
  return JSON.stringify({
    sets: sets === undefined ? null : [...new Set(sets)].sort(),
    every: every ?? null,
    channels: channels === true,
  });
}
