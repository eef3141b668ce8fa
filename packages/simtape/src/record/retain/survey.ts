import type { Store } from "../../io/store/store.ts";
import { META, PREVIOUS } from "../live/recording-folder.ts";
import type { Listed } from "./facts.ts";
import { buriedId, type MainFile, TRASH } from "./tombstone.ts";

/** A recording as the listing of a store shows it. */
export interface Found extends Listed {
  /** In the order in which they are deleted: see `ORDER`. */
  readonly files: readonly MainFile[];
}

/** What is in a store. */
export interface Survey {
  /** By id. */
  readonly recordings: readonly Found[];
  /** Ids that have a tombstone. */
  readonly buried: ReadonlySet<string>;
}

/** Beside the metadata file once it was compacted; a single file beside the folder is called `<id>.hcrp`. */
export const COMPACTED = "recording.hcrp";

/**
 * Main files in the order of their deletion. The metadata file of the generation before goes first, so that it never
 * stands for the present one; then the metadata file, so that it never lists missing segments; a compacted file is
 * whole by itself. So what can be opened is whole until the last of them is gone; segments, journal and lock go after
 * that.
 */
const ORDER = ["previous", "meta", "compacted", "single", "other"] as const;
type Role = (typeof ORDER)[number];

/**
 * The main files that tell of a recording, the compacted one first; the generation before only when there is no other.
 */
export function tellingFiles({ files }: Found): string[] {
  const keys = files.map(({ key }) => key).reverse();
  const others = keys.filter((key) => !key.endsWith(`/${PREVIOUS}`));
  return others.length > 0 ? others : keys;
}

/** One listing of the whole store. Keys that are of no recording are not looked at. */
export async function survey(store: Store, signal?: AbortSignal): Promise<Survey> {
  const found = new Map<string, Gathered>();
  const buried = new Set<string>();
  for await (const { key, size, etag, modified } of store.list("", signal)) {
    if (key.startsWith(TRASH)) {
      const id = buriedId(key);
      if (id !== null) buried.add(id);
      continue;
    }
    const place = placeOf(key);
    if (place === null) continue;
    const one = found.get(place.id) ?? new Gathered(place.id);
    found.set(place.id, one);
    one.add(place.role, { key, etag }, size, modified);
  }
  const recordings = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { recordings, buried };
}

/** All objects of one recording, as they are now. */
export interface Remains {
  readonly files: readonly MainFile[];
  /** Segments, and what a recorder left in the folder. */
  readonly others: readonly (MainFile & { readonly modified: number })[];
  /** Unix milliseconds of the last change of any of them. */
  readonly modified: number;
}

export async function remains(store: Store, id: string, signal?: AbortSignal): Promise<Remains> {
  const all = new Gathered(id);
  const others: (MainFile & { modified: number })[] = [];
  const take = (key: string, etag: string, size: number, modified: number): void => {
    const place = placeOf(key);
    if (place?.id !== id) return;
    all.add(place.role, { key, etag }, size, modified);
    if (place.role === "other") others.push({ key, etag, modified });
  };
  for await (const { key, size, etag, modified } of store.list(`${id}/`, signal)) take(key, etag, size, modified);
  const single = await store.head(`${id}.hcrp`, signal);
  if (single !== null) take(single.key, single.etag, single.size, single.modified);
  return { files: all.files, others, modified: all.modified };
}

class Gathered implements Found {
  readonly id: string;
  bytes = 0;
  modified = 0;
  readonly #files: (MainFile & { readonly role: Role })[] = [];

  constructor(id: string) {
    this.id = id;
  }

  get files(): MainFile[] {
    this.#files.sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
    return this.#files.map(({ key, etag }) => ({ key, etag }));
  }

  add(role: Role, { key, etag }: MainFile, size: number, modified: number): void {
    this.bytes += size;
    this.modified = Math.max(this.modified, modified);
    if (role !== "other") this.#files.push({ key, etag, role });
  }
}

/** The id under which retention knows the recording that a key is of; null: it is of none. */
export function retentionIdOf(key: string): string | null {
  return placeOf(key)?.id ?? null;
}

const OTHERS = /^(seg-\d{8,10}\.hcs|journal\.hcj|writer\.lock)$/;

/** The recording that a key is of (HCRP spec §2); null: of none. */
function placeOf(key: string): { readonly id: string; readonly role: Role } | null {
  const slash = key.lastIndexOf("/");
  const folder = key.slice(0, Math.max(0, slash));
  const name = key.slice(slash + 1);
  const role = name === META ? "meta" : name === PREVIOUS ? "previous" : name === COMPACTED ? "compacted" : null;
  if (folder !== "" && role !== null) return { id: folder, role };
  if (folder !== "" && OTHERS.test(name)) return { id: folder, role: "other" };
  const isSingle = role !== "meta" && name.endsWith(".hcrp") && name.length > ".hcrp".length;
  return isSingle ? { id: key.slice(0, -".hcrp".length), role: "single" } : null;
}
