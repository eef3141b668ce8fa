import { http } from "./http.ts";
import { withTimeout } from "./silence.ts";
import { parsedUrl, shownUrl } from "../source/shown-url.ts";
import type { ByteSink } from "../sink/sink.ts";
import type { ByteSource } from "../source/source.ts";
import { memorySpool } from "../source/spool.ts";
import { Spooled } from "../source/spooled.ts";
import {
  type Condition,
  type PutOptions,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreErrorCode,
} from "../store/store.ts";
import { checkKey, checkPrefix, checkPut } from "../store/store-key.ts";
import { readableStoreSink } from "../store/store-sink.ts";

/** How a store on a server is reached. */
export interface HttpStoreOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** What all keys begin with, and addresses do not: the id of the one recording that is there. Default: nothing. */
  readonly folder?: string | undefined;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How often a request is tried again that may be; default 4. */
  readonly retries?: number | undefined;
  /** Milliseconds of silence after which a request has failed; default 60,000. */
  readonly timeout?: number | undefined;
}

interface Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly url: URL;
  readonly key: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Doing it twice does no harm. */
  readonly repeatable: boolean;
}

/** Bytes of a sink kept in memory, and at most. */
const MEMORY = 8 << 20;
const MOST = 256 << 20;

/**
 * Objects of a server that answers as `answerStore` does: `GET`, `HEAD`, `PUT` and `DELETE` of `url/key`, and `GET url`
 * for a list. Conditions are `If-None-Match: *` and `If-Match`. Requests that may be made twice are tried again. Throws
 * `TypeError` when `url` is not a URL.
 */
export function httpStore(url: string | URL, options: HttpStoreOptions = {}): Store {
  return new HttpStore(parsedUrl(url), options);
}

class HttpStore implements Store {
  readonly name: string;
  readonly #base: string;
  readonly #folder: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #retries: number;

  constructor(url: URL, { token, folder, fetch: send, retries = 4, timeout = 60_000 }: HttpStoreOptions) {
    this.#folder = folder === undefined ? "" : `${folder}/`;
    this.#base = url.href.replace(/\/$/, "");
    this.name = shownUrl(url).replace(/\/$/, "");
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.#fetch = withTimeout(timeout, send);
    this.#retries = retries;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoreEntry> {
    checkPrefix(prefix, this.name);
    const isBelow = prefix.startsWith(this.#folder);
    if (!isBelow && !this.#folder.startsWith(prefix)) return;
    const own = isBelow ? prefix.slice(this.#folder.length) : "";
    for (let after: string | null = ""; after !== null; ) {
      const url = new URL(this.#base);
      url.searchParams.set("prefix", own);
      url.searchParams.set("after", after);
      const answer = await this.#ask({ method: "GET", url, key: null, signal, repeatable: true });
      const page = (await answer.json()) as { readonly entries: readonly StoreEntry[]; readonly next: string | null };
      for (const { key, size, etag, modified } of page.entries) {
        signal?.throwIfAborted();
        yield { key: this.#folder + key, size, etag, modified };
      }
      after = page.next;
    }
  }

  async head(key: string, signal?: AbortSignal): Promise<StoreEntry | null> {
    const answer = await this.#ask({ method: "HEAD", ...this.#at(key), signal, repeatable: true });
    if (answer.status === 404) return null;
    const { headers } = answer;
    return {
      key,
      size: Number(headers.get("content-length")),
      etag: etagIn(headers, key),
      modified: Date.parse(headers.get("last-modified") ?? ""),
    };
  }

  async get(key: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; etag: string } | null> {
    const answer = await this.#ask({ method: "GET", ...this.#at(key), signal, repeatable: true });
    if (answer.status === 404) return null;
    return { bytes: new Uint8Array(await answer.arrayBuffer()), etag: etagIn(answer.headers, key) };
  }

  async source(key: string, signal?: AbortSignal): Promise<ByteSource | null> {
    const found = await this.head(key, signal);
    if (found === null) return null;
    const headers = { ...this.#headers, "If-Match": `"${found.etag}"` };
    return http(this.#at(key).url, { headers, fetch: this.#fetch, retries: this.#retries });
  }

  async put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    checkPut(key, options, this.name);
    const { condition, idempotencyKey, signal } = options;
    const answer = await this.#ask({
      method: "PUT",
      ...this.#at(key),
      headers: {
        "Content-Type": "application/octet-stream",
        ...conditionHeaders(condition),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      },
      body: bytes,
      signal,
      repeatable: condition === undefined || idempotencyKey !== undefined,
    });
    return etagIn(answer.headers, key);
  }

  async sink(key: string, options: PutOptions = {}): Promise<ByteSink> {
    checkPut(key, options, this.name);
    const content = new Spooled(MEMORY, memorySpool(MOST, `${this.name}/${key}`));
    const work = {
      read: (offset: number, length: number) => content.read(offset, length),
      write: (offset: number, bytes: Uint8Array) => content.write(offset, bytes),
      flush: async () => undefined,
      discard: () => content.close(),
      finish: async () => {
        await this.put(key, await content.read(0, content.length), options);
        await content.close();
      },
    };
    return readableStoreSink(`${this.name}/${key}`, work, options.signal);
  }

  async delete(
    key: string,
    { condition, signal }: { readonly condition?: Condition; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const headers = conditionHeaders(condition);
    await this.#ask({ method: "DELETE", ...this.#at(key), headers, signal, repeatable: condition === undefined });
  }

  #at(key: string): { readonly key: string; readonly url: URL } {
    checkKey(key, this.name);
    if (!key.startsWith(this.#folder))
      throw new StoreError("malformed", `only keys below ${this.#folder} are in ${this.name}, not ${key}`, key);
    return { key, url: new URL(`${this.#base}/${key.slice(this.#folder.length)}`) };
  }

  /** An answer that is fine, or a 404 of what reads. Throws `StoreError`, or the signal's reason. */
  async #ask({ method, url, key, headers, body, signal, repeatable }: Request): Promise<Response> {
    const init = {
      method,
      headers: { ...this.#headers, ...headers },
      body: (body ?? null) as Uint8Array<ArrayBuffer> | null,
      ...(signal === undefined ? {} : { signal }),
    };
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const answer = await this.#fetch(url, init).catch((cause: unknown) => {
        signal?.throwIfAborted();
        return cause;
      });
      const isLast = !repeatable || tries > this.#retries;
      if (!(answer instanceof Response)) {
        const how = repeatable ? `tried ${tries} times` : "it is not known whether the request took effect";
        if (isLast)
          throw new StoreError("unavailable", `cannot reach the server, ${how}: ${this.#where(key)}`, key, {
            cause: answer,
          });
      } else {
        if (answer.ok || (answer.status === 404 && method !== "PUT")) return answer;
        const code = codeOf(answer.status);
        const said = await saidIn(answer);
        if (isLast || code !== "unavailable")
          throw new StoreError(code, `${said} (${answer.status}): ${this.#where(key)}`, key);
      }
      await pause(Math.random() * Math.min(5000, 100 * 2 ** tries), signal);
    }
  }

  #where(key: string | null): string {
    return key === null ? this.name : `${this.name}/${key.slice(this.#folder.length)}`;
  }
}

function conditionHeaders(condition: Condition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return "absent" in condition ? { "If-None-Match": "*" } : { "If-Match": `"${condition.etag}"` };
}

function codeOf(status: number): StoreErrorCode {
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "not-found";
  if (status === 409 || status === 412) return "conflict";
  if (status === 413 || status === 507) return "full";
  return status === 429 || status >= 500 ? "unavailable" : "malformed";
}

/** The sentence in problem details (RFC 9457), if that is what was answered. */
async function saidIn(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => "");
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === "string") return detail.slice(0, 300);
  } catch {
    // it is something else
  }
  return "the server refuses it";
}

function etagIn(headers: Headers, key: string): string {
  const [, etag] = /^"([^"]*)"$/.exec(headers.get("etag") ?? "") ?? [];
  if (etag === undefined) throw new StoreError("unavailable", `the server gives no strong ETag for ${key}`, key);
  return etag;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
