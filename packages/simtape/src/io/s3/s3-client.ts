import { AwsV4Signer } from "aws4fetch";
import { causeOf } from "../http/http-answer.ts";
import { SilenceError } from "../http/silence.ts";
import { StoreError, type StoreErrorCode } from "../store/store.ts";
import { readError } from "./s3-xml.ts";
import { parsedUrl, shownUrl, withoutSecrets } from "../source/shown-url.ts";

/** The keys that requests are signed with. They are kept in memory, and are in no message and no error. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For credentials that expire. */
  readonly sessionToken?: string | undefined;
}

/** Where a bucket is, and how to speak to its server. */
export interface S3Options {
  readonly bucket: string;
  /** What every key begins with in the bucket, as a folder would: `"recordings"`. Default: nothing. */
  readonly prefix?: string | undefined;
  /** Default: that of AWS for the region. */
  readonly endpoint?: string | URL | undefined;
  /** Default: `us-east-1`; most servers other than AWS do not care. */
  readonly region?: string | undefined;
  /** Where the bucket's name goes; default: in the path with an endpoint of one's own, else in the host. */
  readonly style?: "path" | "host" | undefined;
  /** Asked for each request when a function, so that they may be renewed; null: requests are not signed. */
  readonly credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>) | null;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How often a request is tried again that may be; default 4. */
  readonly retries?: number | undefined;
  /** Milliseconds until a request without answer has failed; a body adds one for every 64 bytes. Default 60,000. */
  readonly timeout?: number | undefined;
  /** Bytes of one part of a large object; 5 MiB at least for AWS. Default 8 MiB. */
  readonly partSize?: number | undefined;
  /** The time, waiting, and chance. */
  readonly clock?: S3Clock | undefined;
}

/** Time and chance for a client that waits and tries again; tests give their own. */
export interface S3Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Of the store, without its prefix; null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** True when doing it twice does no harm: it is tried again. */
  readonly repeatable: boolean;
  /** Statuses above 299 that are an answer. */
  readonly expected?: readonly number[];
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Signed requests to one bucket, tried again when they may be. Throws `StoreError`, or the signal's reason. */
export class S3Client {
  /** `s3://bucket/prefix`. */
  readonly name: string;
  readonly prefix: string;
  readonly retries: number;
  readonly clock: S3Clock;
  readonly #options: S3Options;
  readonly #base: URL;
  readonly #region: string;
  readonly #fetch: typeof fetch;
  readonly #timeout: number;
  /** Milliseconds that the server's clock is ahead of ours, as far as that matters to it. */
  #skew = 0;
  readonly #cache = new Map<string, ArrayBuffer>();
  /** Of the credentials of the last request: some servers repeat in an error what they were sent. */
  #secrets: readonly string[] = [];

  /** Throws `TypeError` for an endpoint that is no URL, or a bucket or prefix that cannot be one. */
  constructor(options: S3Options) {
    const { bucket, prefix = "", region = "us-east-1", endpoint } = options;
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket))
      throw new TypeError(`not a bucket: ${JSON.stringify(bucket)}`);
    if (prefix.split("/").some((segment) => segment === "." || segment === ".."))
      throw new TypeError(`a prefix cannot have the parts . and ..: ${JSON.stringify(prefix)}`);
    this.prefix = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
    this.name = `s3://${bucket}/${this.prefix}`.replace(/\/$/, "");
    this.retries = options.retries ?? 4;
    this.clock = options.clock ?? CLOCK;
    this.#options = options;
    this.#region = region;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#timeout = options.timeout ?? 60_000;
    this.#base = parsedUrl(endpoint ?? `https://s3.${region}.amazonaws.com`);
    if (this.#base.username !== "" || this.#base.password !== "" || this.#base.search !== "")
      throw new TypeError(`an endpoint has no name, password or query: ${shownUrl(this.#base)}`);
    const style = options.style ?? (endpoint !== undefined || bucket.includes(".") ? "path" : "host");
    const path = this.#base.pathname.replace(/\/$/, "");
    if (style === "host") this.#base.hostname = `${bucket}.${this.#base.hostname}`;
    this.#base.pathname = style === "host" ? path : `${path}/${bucket}`;
  }

  /** Address of an object, or of the bucket. */
  url(key: string | null, query: Readonly<Record<string, string>> = {}): URL {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${key === null ? "" : encoded(this.prefix + key)}`;
    url.search = new URLSearchParams(query).toString().replaceAll("+", "%20");
    return url;
  }

  /** An address at which an object can be read for `seconds` without credentials. */
  async presigned(key: string, seconds: number): Promise<string> {
    const url = this.url(key, { "X-Amz-Expires": String(seconds) });
    const credentials = await this.#credentials();
    if (credentials === null) return this.url(key).href;
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const signer = new AwsV4Signer({
      method: "GET",
      url: url.href,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: this.#region,
      datetime: this.#now(),
      cache: this.#cache,
      signQuery: true,
    });
    return (await signer.sign()).url.href;
  }

  /** Waits before try `attempt` (1, 2, …): at random, on average twice as long each time, 20 s at most. */
  wait(attempt: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(this.clock.random() * Math.min(20_000, 100 * 2 ** attempt), signal);
  }

  async ask(request: S3Request): Promise<S3Answer> {
    const { key, signal, expected = [] } = request;
    for (let tries = 1; ; tries++) {
      let answer = await this.#try(request);
      if (!(answer instanceof Unanswered) && this.#isSkewed(answer)) answer = await this.#try(request);
      const isLast = !request.repeatable || tries > this.retries;
      if (answer instanceof Unanswered) {
        const how = request.repeatable ? `, tried ${tries} times` : ", it is not known whether the request took effect";
        const message = `${answer.message}${causeOf(answer.cause)}${how}: ${this.#where(key)}`;
        if (isLast) throw new StoreError("unavailable", message, key, { cause: answer.cause });
      } else {
        const { status } = answer;
        const error =
          status < 300 && request.method !== "POST" ? null : readError(new TextDecoder().decode(answer.bytes));
        // An upload is completed with 200 at once, and a later failure is reported in the body.
        const isFine = status < 300 ? error === null : expected.includes(status) && error?.code !== "NoSuchBucket";
        if (isFine) return answer;
        const isPassing = PASSING.has(status) || status < 300 || error?.code === "RequestTimeout";
        if (isLast || !isPassing) throw this.#failure(status, error, key, tries);
      }
      await this.wait(tries, signal);
    }
  }

  /**
   * A `fetch` for `http()`, signing its requests, for the content with this etag only. It does not try again, which is
   * for `http()` to do.
   */
  fetching(etag: string): typeof fetch {
    return async (input, init) => {
      const headers = { ...(init?.headers as Record<string, string>), "If-Match": `"${etag}"` };
      const deadline = new Deadline(this.#timeout, init?.signal ?? undefined);
      try {
        const { signal } = deadline;
        const send = (): Promise<Response> => this.#send(new URL(input as string), { method: "GET", headers, signal });
        let response = await send();
        if (this.#isSkewed(response)) {
          await response.body?.cancel();
          response = await send();
        }
        if (response.status !== 429) return response;
        // "Too many requests" is final for `http()`, and here it is not.
        await response.body?.cancel();
        return new Response(null, { status: 503 });
      } finally {
        // The body still ends with the signal.
        deadline.met();
      }
    };
  }

  /**
   * Whether a request was refused because this machine's clock is wrong: from then on the server's counts. It has a
   * minute or more of patience, usually 15.
   */
  #isSkewed({ status, headers }: { readonly status: number; readonly headers: Headers }): boolean {
    if (status !== 403) return false;
    const skew = Date.parse(headers.get("date") ?? "") - this.clock.now();
    if (!(Math.abs(skew - this.#skew) > MOST_SKEW)) return false;
    this.#skew = skew;
    return true;
  }

  async #try(request: S3Request): Promise<S3Answer | Unanswered> {
    const { method, key, query, body, signal } = request;
    signal?.throwIfAborted();
    const headers: Record<string, string> = { ...request.headers };
    if (body !== undefined) headers["x-amz-content-sha256"] = await sha256(body);
    const deadline = new Deadline(this.#timeout + Math.ceil((body?.length ?? 0) / 64), signal);
    try {
      const init = { method, headers, body: body ?? null, signal: deadline.signal };
      const response = await this.#send(this.url(key, query), init);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof SilenceError) throw new StoreError("unavailable", cause.message, key, { cause });
      if (cause instanceof CredentialsError) throw new StoreError("denied", cause.message, key, { cause });
      const safe = withoutSecrets(this.#secrets, cause);
      return new Unanswered(deadline.signal.aborted ? "no answer in time" : "cannot reach the server", safe);
    } finally {
      deadline.stop();
    }
  }

  async #send(
    url: URL,
    init: {
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly body?: Uint8Array | null;
      readonly signal: AbortSignal;
    },
  ): Promise<Response> {
    const { method, signal } = init;
    const body = (init.body ?? null) as Uint8Array<ArrayBuffer> | null;
    const credentials = await this.#credentials();
    if (credentials === null) return this.#fetch(url.href, { method, headers: init.headers, body, signal });
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    this.#secrets = [secretAccessKey, sessionToken ?? ""].filter((secret) => secret !== "");
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: init.headers,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: this.#region,
      datetime: this.#now(),
      cache: this.#cache,
    });
    const { headers } = await signer.sign();
    return this.#fetch(url.href, { method, headers, body, signal });
  }

  /** As signatures have it. */
  #now(): string {
    return new Date(this.clock.now() + this.#skew).toISOString().replace(/[:-]|\.\d{3}/g, "");
  }

  async #credentials(): Promise<S3Credentials | null> {
    const { credentials } = this.#options;
    if (typeof credentials !== "function") return credentials;
    try {
      return await credentials();
    } catch (cause) {
      throw new CredentialsError(`no credentials found: ${this.name}`, { cause });
    }
  }

  #failure(status: number, error: ReturnType<typeof readError>, key: string | null, tries: number): StoreError {
    const said = error === null ? "" : ` ${error.code}${error.message === "" ? "" : `: ${error.message}`}`;
    const safe = this.#secrets.reduce((text, secret) => text.replaceAll(secret, "…"), said);
    const about = error?.code === "RequestTimeTooSkewed" ? WRONG_CLOCK : ABOUT[codeOf(status, error?.code)];
    const message = `${about} (${status}${safe})${tries > 1 ? `, tried ${tries} times` : ""}`;
    return new StoreError(codeOf(status, error?.code), `${message}: ${this.#where(key)}`, key);
  }

  #where(key: string | null): string {
    return key === null ? this.name : `${this.name}/${key}`;
  }
}

/** Aborts with a signal, or when the time is over. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(milliseconds: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    this.#timer = setTimeout(() => this.#controller.abort(new Unanswered("no answer in time", null)), milliseconds);
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time no longer counts. */
  met(): void {
    clearTimeout(this.#timer);
  }

  /** Neither does the signal. */
  stop(): void {
    this.met();
    this.#outer?.removeEventListener("abort", this.#abort);
  }
}

/** Nothing came back: it may have been done, or not. */
class Unanswered extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

class CredentialsError extends Error {}

/** Milliseconds between two clocks that no server minds. */
const MOST_SKEW = 60_000;
const WRONG_CLOCK = "the server refuses access, because the clock of this machine differs from its own";

const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

const ABOUT: Readonly<Record<StoreErrorCode, string>> = {
  conflict: "the condition does not hold",
  "not-found": "no such object",
  denied: "the server refuses access",
  full: "no space left",
  unavailable: "the server fails",
  malformed: "the server refuses the request",
};

function codeOf(status: number, code: string | undefined): StoreErrorCode {
  if (code === "QuotaExceeded" || status === 507) return "full";
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "not-found";
  if (status === 409 || status === 412) return "conflict";
  return PASSING.has(status) || status < 300 || code === "RequestTimeout" ? "unavailable" : "malformed";
}

const CLOCK: S3Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
    }),
};

/** A key in a path: as encodeURIComponent, and the four marks that signatures want encoded, too. */
function encoded(key: string): string {
  return key
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/");
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
