import { bareEtag } from "./s3-xml.ts";
import { type Condition, type StoreEntry, StoreError } from "../store/store.ts";

/** What a HEAD tells. */
export interface S3Entry extends StoreEntry {
  readonly idempotencyKey: string | null;
}

/** Under which an object carries the idempotency key of the put that made it. */
export const KEY_HEADER = "x-amz-meta-idempotency-key";

export function keyHeader(idempotencyKey: string | undefined): Record<string, string> {
  return idempotencyKey === undefined ? {} : { [KEY_HEADER]: idempotencyKey };
}

export function conditionHeaders(condition: Condition | undefined, quote: string): Record<string, string> {
  if (condition === undefined) return {};
  return "absent" in condition ? { "If-None-Match": "*" } : { "If-Match": `${quote}${condition.etag}${quote}` };
}

export function etagOf(headers: Headers, key: string): string {
  const etag = bareEtag(headers.get("etag") ?? "");
  if (etag === "") throw new StoreError("unavailable", `the server does not show the ETag (CORS?): ${key}`, key);
  return etag;
}
