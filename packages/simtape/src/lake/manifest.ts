import { type Store, StoreError } from "../io/store/store.ts";
import { list, object, oneOf, orNull, problemIn, type Shape, tell, text, whole } from "../model/shape.ts";
import { LAYOUT, manifestKey } from "./layout.ts";

/** A file of a lake. */
export interface LakeFile {
  readonly table: string;
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Of what the files of a manifest were made. */
export interface LakeOrigin {
  /** Where the recording is in its store; the column `file` of `recordings`. */
  readonly file: string;
  /** Changes with the content of the recording; never parsed. */
  readonly stamp: string;
  /** What of it is in the lake, see `LakeOptions`, as JSON. */
  readonly options: string;
  readonly format: string;
  /** In UTC, as 2026-11-25; null: not known. */
  readonly day: string | null;
  /** `damaged`: what is readable is there; `unreadable`: findings alone. */
  readonly outcome: "whole" | "damaged" | "unreadable";
  /** Findings of damage and loss. */
  readonly findings: number;
}

/** What a lake has of one recording. It is the commit: readers that follow it see no half of a recording. */
export interface Manifest {
  readonly layout: number;
  readonly recording: string;
  /** Null: nothing is committed. */
  readonly origin: LakeOrigin | null;
  readonly files: readonly LakeFile[];
  /** Keys that belong to no commit, or to none any more: a writer is about to write them, or to delete them. */
  readonly pending: readonly string[];
}

const COUNT = whole(0, Number.MAX_SAFE_INTEGER);

/** The document `_manifests/RECORDING.json`. */
export const MANIFEST: Shape<Manifest> = object({
  layout: COUNT,
  recording: text,
  origin: orNull(
    object({
      ...{ file: text, stamp: text, options: text, format: text, day: orNull(text) },
      outcome: oneOf("whole", "damaged", "unreadable"),
      findings: COUNT,
    }),
  ),
  files: list(object({ table: text, key: text, rows: COUNT, bytes: COUNT })),
  pending: list(text),
});

/** A manifest, and the etag under which it is stored; null: it is not stored yet. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  readonly etag: string | null;
}

export function noManifest(recording: string): PlacedManifest {
  return { manifest: { layout: LAYOUT, recording, origin: null, files: [], pending: [] }, etag: null };
}

/** Null: there is none. Throws `StoreError` `malformed` for what is no manifest, as nothing says what it had. */
export async function readManifest(store: Store, key: string, signal?: AbortSignal): Promise<PlacedManifest | null> {
  const found = await store.get(key, signal);
  if (found === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(found.bytes));
  } catch (cause) {
    throw new StoreError("malformed", `no manifest of a lake, as it is no JSON: ${key} in ${store.name}`, key, {
      cause,
    });
  }
  const problem = problemIn(MANIFEST, value);
  if (problem !== null)
    throw new StoreError(
      "malformed",
      `no manifest of a lake, ${problem.path}: ${tell(problem)}: ${key} in ${store.name}`,
      key,
    );
  return { manifest: value as Manifest, etag: found.etag };
}

/** Puts a manifest in place of the one that was read. Throws `StoreError` `conflict` when another writer was first. */
export async function putManifest(
  store: Store,
  manifest: Manifest,
  before: string | null,
  signal?: AbortSignal,
): Promise<PlacedManifest> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(manifest)}\n`);
  const etag = await store.put(manifestKey(manifest.recording), bytes, {
    condition: before === null ? { absent: true } : { etag: before },
    idempotencyKey: crypto.randomUUID(),
    signal,
  });
  return { manifest, etag };
}
