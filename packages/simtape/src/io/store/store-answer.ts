import { type Condition, type Store, type StoreEntry, StoreError, type StoreErrorCode } from "./store.ts";

/** What is asked of a store over HTTP. */
export interface StoreRequest {
  readonly method: string;
  /** Null: a list is asked for. */
  readonly key: string | null;
  /** Of a list: what keys begin with, and behind which one it goes on. */
  readonly query?: { readonly prefix?: string | undefined; readonly after?: string | undefined };
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is answered. */
export interface StoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: there is none, as for HEAD, or it is not sent. */
  readonly body: Uint8Array | null;
}

/** Status for a `StoreError`. */
export const STORE_STATUS: Readonly<Record<StoreErrorCode, number>> = {
  conflict: 412,
  "not-found": 404,
  denied: 403,
  full: 507,
  unavailable: 503,
  malformed: 400,
};

/** Entries of a list that are sent at once. */
const PAGE = 1000;

/** The server's side of `httpStore`. Throws `StoreError`. */
export async function answerStore(store: Store, request: StoreRequest): Promise<StoreAnswer> {
  const { method, key, signal } = request;
  if (key === null) return listOf(store, request);
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === "string" ? value : undefined;
  };
  const condition = conditionIn(header("if-match"), header("if-none-match"), key);
  if (method === "PUT") {
    const idempotencyKey = header("idempotency-key");
    const etag = await store.put(key, request.body ?? new Uint8Array(0), { condition, idempotencyKey, signal });
    return { status: 200, headers: { etag: `"${etag}"`, "content-length": "0" }, body: null };
  }
  if (method === "DELETE") {
    await store.delete(key, { ...(condition === undefined ? {} : { condition }), ...(signal && { signal }) });
    return { status: 204, headers: {}, body: null };
  }
  const found = await store.head(key, signal);
  if (found === null) throw new StoreError("not-found", `no such object: ${key}`, key);
  if (condition !== undefined && !("etag" in condition && condition.etag === found.etag))
    throw new StoreError("conflict", `the object has changed: ${key}`, key);
  if (method === "HEAD") return { status: 200, headers: headersOf(found), body: null };
  return header("range") === undefined ? wholeOf(store, key, signal) : rangeOf(store, found, header("range")!, signal);
}

async function wholeOf(store: Store, key: string, signal: AbortSignal | undefined): Promise<StoreAnswer> {
  const content = await store.get(key, signal);
  if (content === null) throw new StoreError("not-found", `no such object: ${key}`, key);
  const { bytes, etag } = content;
  return {
    status: 200,
    headers: { etag: `"${etag}"`, "accept-ranges": "bytes", "content-length": String(bytes.length) },
    body: bytes,
  };
}

async function rangeOf(
  store: Store,
  found: StoreEntry,
  range: string,
  signal: AbortSignal | undefined,
): Promise<StoreAnswer> {
  const { key, size } = found;
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (first === "" || start >= end)
    return { status: 416, headers: { "content-range": `bytes */${size}`, "content-length": "0" }, body: null };
  const source = await store.source(key, signal);
  if (source === null) throw new StoreError("not-found", `no such object: ${key}`, key);
  try {
    const body = await source.read(start, end - start, signal);
    // what was read is what the head has described
    if ((await store.head(key, signal))?.etag !== found.etag)
      throw new StoreError("conflict", `the object has changed: ${key}`, key);
    const own = { "content-range": `bytes ${start}-${end - 1}/${size}`, "content-length": String(body.length) };
    return { status: 206, headers: { ...headersOf(found), ...own }, body };
  } finally {
    await source.close();
  }
}

async function listOf(store: Store, { query = {}, signal }: StoreRequest): Promise<StoreAnswer> {
  const { prefix = "", after = "" } = query;
  const entries: StoreEntry[] = [];
  let next: string | null = null;
  for await (const entry of store.list(prefix, signal)) {
    if (entry.key <= after) continue;
    if (entries.length === PAGE) {
      next = entries.at(-1)!.key;
      break;
    }
    entries.push(entry);
  }
  const body = new TextEncoder().encode(JSON.stringify({ entries, next }));
  return {
    status: 200,
    headers: { "content-type": "application/json", "content-length": String(body.length) },
    body,
  };
}

function headersOf({ etag, size, modified }: StoreEntry): Record<string, string> {
  return {
    etag: `"${etag}"`,
    "accept-ranges": "bytes",
    "content-length": String(size),
    "last-modified": new Date(modified).toUTCString(),
  };
}

function conditionIn(match: string | undefined, none: string | undefined, key: string): Condition | undefined {
  if (match === undefined && none === undefined) return undefined;
  if (match === undefined && none === "*") return { absent: true };
  const [, etag] = /^"([^"]*)"$/.exec(match ?? "") ?? [];
  if (etag !== undefined && none === undefined) return { etag };
  throw new StoreError("malformed", `the condition is If-None-Match: * or one strong If-Match: ${key}`, key);
}
