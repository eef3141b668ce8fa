import { type Store, StoreError } from "../../io/store/store.ts";

/** A file that a recording can be opened by: the compacted one, the metadata file, or that of the generation before. */
export interface MainFile {
  readonly key: string;
  readonly etag: string;
}

/**
 * The mark of a recording that is to go: an object of the store. It comes and changes only by conditional puts, so that
 * of several that want different things one succeeds.
 */
export interface Tombstone {
  readonly version: 1;
  readonly id: string;
  /** UUID, where the recording has one. */
  readonly recordingId: string | null;
  /**
   * `marked`: in its grace; `deleting`: from now on it is finished; `undone`: of no effect, and about to be removed.
   */
  readonly state: "marked" | "deleting" | "undone";
  /** Unix milliseconds. */
  readonly marked: number;
  readonly class: string | null;
  readonly reason: string;
  readonly bytes: number;
  /** The recording's main files as they were then; none where only segments were left. */
  readonly files: readonly MainFile[];
}

/** A tombstone as it is in the store. */
export interface Placed {
  readonly tombstone: Tombstone;
  readonly etag: string;
}

/** What the keys of all tombstones begin with. */
export const TRASH = "trash/";
const NAME = "/tombstone.json";

/** Key of a recording's tombstone. Behind the id stands a name of its own, as an id may be as long as a name can be. */
export function tombstoneKey(id: string): string {
  return `${TRASH}${id}${NAME}`;
}

/** The id that a key below `trash/` is the tombstone of; null: it is none. */
export function buriedId(key: string): string | null {
  return key.startsWith(TRASH) && key.endsWith(NAME) && key.length > TRASH.length + NAME.length
    ? key.slice(TRASH.length, -NAME.length)
    : null;
}

/** Null: there is none. Throws `StoreError` `malformed` for one that cannot be read. */
export async function readTombstone(store: Store, id: string, signal?: AbortSignal): Promise<Placed | null> {
  const key = tombstoneKey(id);
  const found = await store.get(key, signal);
  if (found === null) return null;
  const tombstone = parse(new TextDecoder().decode(found.bytes));
  if (tombstone === null || tombstone.id !== id)
    throw new StoreError("malformed", `not a tombstone of ${id}: ${key} in ${store.name}`, key);
  return { tombstone, etag: found.etag };
}

/** Null: there is none that can be read. */
export async function readableTombstone(store: Store, id: string, signal?: AbortSignal): Promise<Placed | null> {
  try {
    return await readTombstone(store, id, signal);
  } catch (error) {
    if (error instanceof StoreError && error.code === "malformed") return null;
    throw error;
  }
}

/** Puts it in the place of `before`, or where nothing is, and gives its etag. Null: another process came first. */
export async function putTombstone(
  store: Store,
  tombstone: Tombstone,
  before: string | null,
  signal?: AbortSignal,
): Promise<string | null> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(tombstone, null, 2)}\n`);
  const condition = before === null ? { absent: true as const } : { etag: before };
  const idempotencyKey = crypto.randomUUID();
  return unlessConflict(store.put(tombstoneKey(tombstone.id), bytes, { condition, idempotencyKey, signal }));
}

/** Takes it away, if it is still this one. */
export async function removeTombstone(store: Store, id: string, etag: string, signal?: AbortSignal): Promise<void> {
  await unlessConflict(
    store.delete(tombstoneKey(id), { condition: { etag }, ...(signal === undefined ? {} : { signal }) }),
  );
}

/**
 * Makes a tombstone of no effect, and removes it. It is put first, as a put is conditional in every store. False:
 * another process changed it meanwhile.
 */
export async function withdrawTombstone(
  store: Store,
  { tombstone, etag }: Placed,
  signal?: AbortSignal,
): Promise<boolean> {
  const undone = await putTombstone(store, { ...tombstone, state: "undone" }, etag, signal);
  if (undone === null) return false;
  await removeTombstone(store, tombstone.id, undone, signal);
  return true;
}

/** Whether there are main files now that were not there, or not the same, when the recording was marked. */
export function isChanged(marked: readonly MainFile[], found: readonly MainFile[]): boolean {
  return found.some(({ key, etag }) => !marked.some((file) => file.key === key && file.etag === etag));
}

/** Null instead of a conflict. */
export async function unlessConflict<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError && error.code === "conflict") return null;
    throw error;
  }
}

function parse(text: string): Tombstone | null {
  try {
    const found = JSON.parse(text) as Partial<Tombstone> | null;
    const isWhole =
      found?.version === 1 &&
      typeof found.id === "string" &&
      typeof found.marked === "number" &&
      ["marked", "deleting", "undone"].includes(found.state ?? "") &&
      Array.isArray(found.files);
    return isWhole ? (found as Tombstone) : null;
  } catch {
    return null;
  }
}
