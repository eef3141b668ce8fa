import { type Condition, type PutOptions, type StoreEntry, StoreError } from "./store.ts";

/** What S3 takes at most, in bytes; keys are ASCII. */
const LONGEST = 1024;

/** One part of a key: an id (HCRP spec §12), and nothing that leads elsewhere. */
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/** The same, or a folder of a partition, as `day=2026-11-25` (the layout of Apache Hive). */
const PART = /^(?!\.{1,2}$)[A-Za-z0-9._=-]{1,128}$/;

/** True for what is an id, or a plain name between two slashes of a key. */
export function isSegment(text: string): boolean {
  return SEGMENT.test(text);
}

/** True for what may be between two slashes of a key. */
export function isPart(text: string): boolean {
  return PART.test(text);
}

/** True for what every store takes as a key. */
export function isKey(text: string): boolean {
  return text.length <= LONGEST && text.split("/").every(isPart);
}

/** Throws `StoreError` `malformed` for what is no key. */
export function checkKey(key: string, store: string): void {
  if (!isKey(key)) throw new StoreError("malformed", `not a key: ${JSON.stringify(key)} in ${store}`, key);
}

/** Throws `StoreError` `malformed` for what no key begins with; `""` and `"run/"` are fine, so is `"run/seg-"`. */
export function checkPrefix(prefix: string, store: string): void {
  const segments = prefix.split("/");
  const last = segments.pop()!;
  const isFine = prefix.length <= LONGEST && segments.every(isPart) && /^[A-Za-z0-9._=-]{0,128}$/.test(last);
  if (!isFine) throw new StoreError("malformed", `no key begins with ${JSON.stringify(prefix)} in ${store}`, null);
}

/** Throws for a key, or an idempotency key, that no store takes. */
export function checkPut(key: string, { idempotencyKey, signal }: PutOptions, store: string): void {
  checkKey(key, store);
  if (idempotencyKey !== undefined && !isSegment(idempotencyKey))
    throw new StoreError("malformed", `not an idempotency key: ${JSON.stringify(idempotencyKey)}`, key);
  signal?.throwIfAborted();
}

/** True when a change under `condition` may be made where `found` is. */
export function holds(condition: Condition | undefined, found: Pick<StoreEntry, "etag"> | null): boolean {
  if (condition === undefined) return true;
  return "absent" in condition ? found === null : found?.etag === condition.etag;
}

/** What is thrown when the condition fails. */
export function conflict(
  key: string,
  condition: Condition,
  found: Pick<StoreEntry, "etag"> | null,
  store: string,
): StoreError {
  const where = `${key} in ${store}`;
  // who may only make a thing must call it otherwise; what was read before it changed must be read again
  const message =
    "absent" in condition
      ? `the name is already in use: ${where}. Choose another name, or remove it first`
      : `${found === null ? "it was removed" : "another writer has changed it"} since it was read: ${where}`;
  return new StoreError("conflict", message, key);
}

/** What is thrown when a change would lead beyond the quota. */
export function overQuota(key: string, quota: number, store: string): StoreError {
  return new StoreError("full", `more than the ${quota} bytes allowed: ${key} in ${store}`, key);
}
