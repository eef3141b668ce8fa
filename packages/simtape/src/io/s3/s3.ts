import { http } from "../http/http.ts";
import { S3Client, type S3Options } from "./s3-client.ts";
import { conditionHeaders, etagOf, KEY_HEADER, keyHeader, type S3Entry } from "./s3-headers.ts";
import { s3Sink } from "./s3-sink.ts";
import { type ListPage, readList } from "./s3-xml.ts";
import type { ByteSink } from "../sink/sink.ts";
import type { ByteSource } from "../source/source.ts";
import { type Condition, type PutOptions, type Store, type StoreEntry, StoreError } from "../store/store.ts";
import { checkKey, checkPrefix, checkPut, conflict, holds, isKey } from "../store/store-key.ts";

/**
 * Objects in a bucket of S3, or of a server that speaks like it and knows conditional puts: AWS, Ceph, MinIO, R2.
 * Requests that may be made twice are tried again. A put with an idempotency key carries it as metadata
 * (`x-amz-meta-idempotency-key`) and so finds out whether it was there before. Two things are looked at first and then
 * done, as servers do not do them in one: a conditional `delete`, and the condition of a sink that took several parts;
 * a change made by another in between is lost. Objects whose keys are none for a store are not listed.
 * In a page the bucket's CORS must expose `ETag` and `x-amz-meta-idempotency-key`.
 */
export function s3Store(options: S3Options): Store {
  return new S3Store(new S3Client(options), options.partSize ?? 8 * 1024 * 1024);
}

/** Makes addresses at which an object of a bucket can be read for some seconds without its credentials. */
export function s3Presigner(options: S3Options): (key: string, seconds: number) => Promise<string> {
  const client = new S3Client(options);
  return (key, seconds) => client.presigned(key, seconds);
}

class S3Store implements Store {
  readonly name: string;
  readonly #client: S3Client;
  readonly #partSize: number;
  /** Around an etag in `If-Match` of a put, as HTTP wants it; Ceph 16 knows it only without. */
  #quote: '"' | "" = '"';

  constructor(client: S3Client, partSize: number) {
    this.name = client.name;
    this.#client = client;
    this.#partSize = partSize;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoreEntry> {
    checkPrefix(prefix, this.name);
    const from = this.#client.prefix;
    for (let token: string | null = ""; token !== null; ) {
      const query = {
        "list-type": "2",
        "encoding-type": "url",
        prefix: from + prefix,
        ...(token === "" ? {} : { "continuation-token": token }),
      };
      const { bytes } = await this.#client.ask({ method: "GET", key: null, query, signal, repeatable: true });
      const page: ListPage = readList(new TextDecoder().decode(bytes));
      for (const { key, ...rest } of page.contents) {
        signal?.throwIfAborted();
        const own = key.slice(from.length);
        if (key.startsWith(from) && isKey(own)) yield { key: own, ...rest };
      }
      token = page.next;
    }
  }

  async head(key: string, signal?: AbortSignal): Promise<StoreEntry | null> {
    const found = await this.#look(key, signal);
    if (found === null) return null;
    const { size, etag, modified } = found;
    return { key, size, etag, modified };
  }

  async get(key: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; etag: string } | null> {
    checkKey(key, this.name);
    const answer = await this.#client.ask({ method: "GET", key, signal, repeatable: true, expected: [404] });
    return answer.status === 404 ? null : { bytes: answer.bytes, etag: etagOf(answer.headers, key) };
  }

  async source(key: string, signal?: AbortSignal): Promise<ByteSource | null> {
    const found = await this.#look(key, signal);
    if (found === null) return null;
    const client = this.#client;
    return http(client.url(key), {
      fetch: client.fetching(found.etag),
      retries: client.retries,
      wait: (attempt, stop) => client.wait(attempt, stop),
    });
  }

  async put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    checkPut(key, options, this.name);
    const { condition, idempotencyKey, signal } = options;
    const repeatable = condition === undefined || idempotencyKey !== undefined;
    const expected = condition === undefined ? [] : [404, 409, 412];
    for (let tries = 1; ; tries++) {
      const quote = this.#quote;
      const headers = { ...conditionHeaders(condition, quote), ...keyHeader(idempotencyKey) };
      const answer = await this.#client.ask({ method: "PUT", key, headers, body: bytes, signal, repeatable, expected });
      if (answer.status < 300) return etagOf(answer.headers, key);
      const found = await this.#look(key, signal);
      if (found !== null && idempotencyKey !== undefined && found.idempotencyKey === idempotencyKey) return found.etag;
      const isRefused = !holds(condition, found) || tries > this.#client.retries;
      if (!isRefused && answer.status === 412 && quote === '"') this.#quote = "";
      // 409 is also said of a change under way that came to nothing.
      else if (!isRefused && answer.status === 409 && repeatable) await this.#client.wait(tries, signal);
      else throw conflict(key, condition!, found, this.name);
    }
  }

  async sink(key: string, options: PutOptions = {}): Promise<ByteSink> {
    checkPut(key, options, this.name);
    return s3Sink(this.#client, key, options, {
      partSize: this.#partSize,
      head: () => this.#look(key, options.signal),
      put: (bytes) => this.put(key, bytes, options),
    });
  }

  async delete(
    key: string,
    { condition, signal }: { readonly condition?: Condition; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    checkKey(key, this.name);
    if (condition === undefined) {
      await this.#client.ask({ method: "DELETE", key, signal, repeatable: true, expected: [404] });
      return;
    }
    for (let tries = 1; ; tries++) {
      const found = await this.#look(key, signal);
      // After a failed try it may have been us.
      if (found === null && tries > 1) return;
      if (!holds(condition, found)) throw conflict(key, condition, found, this.name);
      if (found === null) return;
      try {
        await this.#client.ask({ method: "DELETE", key, signal, repeatable: false, expected: [404] });
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "unavailable" || tries > this.#client.retries) throw error;
        await this.#client.wait(tries, signal);
      }
    }
  }

  async #look(key: string, signal: AbortSignal | undefined): Promise<S3Entry | null> {
    checkKey(key, this.name);
    const { status, headers } = await this.#client.ask({
      method: "HEAD",
      key,
      signal,
      repeatable: true,
      expected: [404],
    });
    if (status === 404) return null;
    return {
      key,
      size: Number(headers.get("content-length")),
      etag: etagOf(headers, key),
      modified: Date.parse(headers.get("last-modified") ?? ""),
      idempotencyKey: headers.get(KEY_HEADER),
    };
  }
}
