import { Gate, NO_BYTES } from "../source/gate.ts";
import {
  aboutStatus,
  bodyOf,
  discard,
  HttpStatusError,
  isEncoded,
  type AnswerPart,
  partOf,
  readSize,
  sameContent,
  Transient,
  type Validators,
  validatorsOf,
} from "./http-answer.ts";
import { SilenceError } from "./silence.ts";
import { Shared } from "../source/shared.ts";
import { decoded, parsedUrl, shownUrl } from "../source/shown-url.ts";
import { type ByteSource, SourceError } from "../source/source.ts";

/** How a source speaks to its server. */
export interface HttpOptions {
  /** Stands in for the global `fetch`: to sign requests, add credentials, go through a proxy. */
  readonly fetch?: typeof fetch;
  /** How often a read is tried again after a network error, a cut answer or a status of 500 and above; default 3. */
  readonly retries?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes held in memory at most, when the server knows no ranges and sends the whole file; default 256 MiB. */
  readonly limit?: number;
  /** Waits before try `attempt` (1, 2, …); default 200 ms, doubling, 5 s at most. */
  readonly wait?: (attempt: number, signal: AbortSignal) => Promise<void>;
}

/** Bytes that must have come before a cut connection, for the cut not to count as a failed try. */
const PROGRESS = 64 * 1024;

/**
 * A file on an HTTP server, by range requests. The first answer tells the size; there is no HEAD request. Answers must
 * agree in ETag, Last-Modified and size, else `SourceError("changed")`. A server without ranges is asked for the whole
 * file once, which is then kept in memory, up to `limit`. Statuses from 400 to 499 are final; network errors, cut
 * answers and 500 and above are tried again. Name and password inside the URL are sent as basic authorization. Throws
 * `TypeError` when `url` is not a URL.
 */
export function http(url: string | URL, options: HttpOptions = {}): ByteSource {
  return new HttpSource(url, options);
}

type Answer =
  | { readonly kind: "part"; readonly part: AnswerPart; readonly response: Response }
  | { readonly kind: "end"; readonly size: number | null }
  | { readonly kind: "whole"; readonly bytes: Shared<Uint8Array> };

class HttpSource implements ByteSource {
  readonly name: string;
  /** As it was given, with all its secrets; and as it is asked for. */
  readonly #given: URL;
  readonly #url: string;
  readonly #gate: Gate;
  readonly #fetch: typeof fetch;
  readonly #retries: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #limit: number;
  readonly #wait: (attempt: number, signal: AbortSignal) => Promise<void>;
  #size: number | null = null;
  /** True when the server was asked for the size and does not tell. */
  #silent = false;
  #validators: Validators | null = null;
  #body: Uint8Array | null = null;
  #whole: Shared<Uint8Array> | null = null;
  #tooLarge: string | null = null;
  /** The first read, on whose answer `size()` waits rather than ask itself. */
  #first: Promise<unknown> | null = null;
  #asking: Shared<void> | null = null;

  constructor(url: string | URL, options: HttpOptions) {
    const given = parsedUrl(url);
    const { url: plain, headers } = withoutCredentials(given);
    plain.hash = "";
    this.#given = given;
    this.#url = plain.href;
    this.name = shownUrl(plain);
    this.#gate = new Gate(this.name);
    // Out of its cache Chromium gives bytes of another content with the ETag of the one it knows: that could not be noticed.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, { ...init, cache: "no-store" }));
    this.#retries = options.retries ?? 3;
    this.#headers = { ...headers, ...options.headers };
    this.#limit = options.limit ?? 256 * 1024 * 1024;
    this.#wait = options.wait ?? backOff;
  }

  async size(): Promise<number | null> {
    this.#gate.refuse();
    if (this.#size === null && this.#first !== null) {
      await this.#gate.run(undefined, () => this.#first?.catch(() => undefined) ?? Promise.resolve());
    }
    if (this.#size !== null || this.#silent) return this.#size;
    this.#asking ??= new Shared((signal) => this.#askSize(signal));
    await this.#gate.run(undefined, (signal) => this.#asking?.join(signal) ?? Promise.resolve());
    return this.#size;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0 || (this.#size !== null && offset >= this.#size)) return NO_BYTES;
    if (this.#body !== null) return this.#body.subarray(offset, offset + length);
    const reading = this.#gate.run(signal, (inner) => this.#read(offset, offset + length, inner));
    if (this.#size === null) this.#first ??= reading.catch(() => undefined);
    return reading;
  }

  async close(): Promise<void> {
    this.#gate.close();
    this.#body = null;
  }

  async #askSize(signal: AbortSignal): Promise<void> {
    try {
      await this.#read(0, 1, signal);
      this.#silent = this.#size === null;
    } finally {
      this.#asking = null;
    }
  }

  async #read(offset: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let at = offset;
    let stop = Math.min(end, this.#size ?? end);
    let failures = 0;
    while (at < stop) {
      const before = at;
      try {
        const answer = await this.#ask(at, stop, signal);
        if (answer.kind === "whole") return (await answer.bytes.join(signal)).subarray(offset, end);
        if (answer.kind === "end") {
          if (answer.size === null || answer.size <= at) break;
          // The range was refused although it begins inside: some servers want its end inside, too.
          if (answer.size >= stop) throw new HttpStatusError(416, `server refuses the range (416): ${this.name}`);
          stop = answer.size;
          continue;
        }
        await bodyOf(answer.response, answer.part.length, this.name, (chunk) => {
          parts.push(chunk);
          at += chunk.length;
        });
        if (answer.part.last || at === before) break;
        if (this.#size !== null) stop = Math.min(stop, this.#size);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Transient)) throw error;
        failures = at - before >= PROGRESS ? 1 : failures + 1;
        if (failures > this.#retries) throw error.after(failures, this.#given);
        await this.#wait(failures, signal);
        signal.throwIfAborted();
      }
    }
    return join(parts, at - offset);
  }

  /** One request for `[start, end)`. What it throws as `Transient` may be tried again. */
  async #ask(start: number, end: number, signal: AbortSignal): Promise<Answer> {
    if (this.#whole !== null && !this.#whole.abandoned) return { kind: "whole", bytes: this.#whole };
    if (this.#tooLarge !== null) throw new SourceError("failed", this.#tooLarge);
    const lead = new Lead();
    const response = await this.#request({ Range: `bytes=${start}-${end - 1}` }, lead, signal);
    if (response.status === 200) return { kind: "whole", bytes: this.#takeWhole(response, lead, signal) };
    if (response.status === 416) {
      discard(response);
      const size = readSize(response);
      if (this.#size !== null && start < this.#size && (size ?? 0) <= start) throw this.#changed("it is shorter now");
      if (size !== null) this.#learnSize(size);
      // An empty file, or a server that answers so to every range: the whole tells.
      else if (start === 0) return { kind: "whole", bytes: this.#takeWhole(null, lead, signal) };
      return { kind: "end", size };
    }
    try {
      this.#checkValidators(response);
      const part = partOf(response, start, end, this.name);
      if (part.size !== null) this.#learnSize(part.size);
      return { kind: "part", part, response };
    } catch (error) {
      discard(response);
      throw error;
    }
  }

  /** A request whose answer is 200, 206 or 416. `lead` ends it, following `signal` until another call changes that. */
  async #request(range: { readonly Range?: string }, lead: Lead, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted();
    lead.follow(signal);
    // With a Range fetch itself asks for identity (Fetch standard, HTTP-network-or-cache fetch); twice would be sent twice.
    const headers = { ...this.#headers, ...("Range" in range ? range : { "Accept-Encoding": "identity" }) };
    let response: Response;
    try {
      response = await this.#fetch(this.#url, { headers, signal: lead.signal });
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof SilenceError) throw cause;
      throw new Transient("cannot reach the server", cause);
    }
    const { status } = response;
    if (status === 200 || status === 206 || status === 416) return response;
    discard(response);
    if (status >= 500) throw new Transient(`server fails (${status})`, null, status);
    if (status === 412) throw this.#changed("its content differs");
    throw new HttpStatusError(status, `${aboutStatus(status)} (${status}): ${this.name}`);
  }

  /** The whole body, from an answer at hand or a new one; one download for all who need it. */
  #takeWhole(response: Response | null, lead: Lead, signal: AbortSignal): Shared<Uint8Array> {
    // From here on the request belongs to all who wait for the whole file, not to the read that found out.
    lead.follow(null);
    if (this.#whole !== null && !this.#whole.abandoned) {
      if (response !== null) discard(response);
      return this.#whole;
    }
    signal.throwIfAborted();
    const whole = new Shared(async (shared) => {
      try {
        const bytes = await this.#download(response, lead, shared);
        if (!this.#gate.closed) {
          this.#learnSize(bytes.length);
          this.#body = bytes;
        }
        return bytes;
      } finally {
        if (this.#whole === whole) this.#whole = null;
      }
    });
    this.#whole = whole;
    return whole;
  }

  async #download(first: Response | null, begun: Lead, signal: AbortSignal): Promise<Uint8Array> {
    // Lets `#whole` be set before anything here can end.
    await Promise.resolve();
    let response = first;
    let lead = begun;
    for (let failures = 0; ; ) {
      try {
        lead.follow(signal);
        response ??= await this.#request({}, lead, signal);
        return await this.#collect(response, lead);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Transient)) throw error;
        if (++failures > this.#retries) throw error.after(failures, this.#given);
        await this.#wait(failures, signal);
        lead.follow(null);
        response = null;
        lead = new Lead();
      } finally {
        lead.follow(null);
      }
    }
  }

  async #collect(response: Response, lead: Lead): Promise<Uint8Array> {
    const refuse = (): SourceError => {
      const why = `server does not support ranges, and the file is larger than ${this.#limit} bytes`;
      this.#tooLarge = `${why}; download it first and open the copy: ${this.name}`;
      lead.end();
      return new SourceError("failed", this.#tooLarge);
    };
    if (response.status !== 200) {
      discard(response);
      throw new HttpStatusError(response.status, `server gives neither ranges nor the whole file: ${this.name}`);
    }
    try {
      this.#checkValidators(response);
    } catch (error) {
      discard(response);
      throw error;
    }
    const lengthHeader = response.headers.get("content-length");
    // Of an encoded body the length tells nothing: fetch has decoded it.
    const length =
      lengthHeader === null || !/^\d+$/.test(lengthHeader) || isEncoded(response) ? null : Number(lengthHeader);
    if (length !== null && length > this.#limit) {
      discard(response);
      throw refuse();
    }
    const parts: Uint8Array[] = [];
    let count = 0;
    await bodyOf(response, null, this.name, (chunk) => {
      parts.push(chunk);
      count += chunk.length;
      if (count > this.#limit) throw refuse();
    });
    if (length !== null && count < length) throw new Transient(`answer ends after ${count} of ${length} bytes`, null);
    return join(parts, count);
  }

  #checkValidators(response: Response): void {
    const now = validatorsOf(response);
    const known = this.#validators ?? now;
    if (!sameContent(known, now)) throw this.#changed("its ETag or date differs");
    this.#validators = { etag: known.etag ?? now.etag, modified: known.modified ?? now.modified };
  }

  #learnSize(size: number): void {
    if (this.#size === null) this.#size = size;
    else if (this.#size !== size) throw this.#changed(`it had ${this.#size} bytes and has ${size} now`);
  }

  #changed(how: string): SourceError {
    return new SourceError("changed", `file was changed on the server, ${how}: ${this.name}`);
  }
}

/** Ends a request when the signal it follows aborts; whom it follows can change while its body is on the way. */
class Lead {
  readonly #controller = new AbortController();
  #signal: AbortSignal | null = null;
  readonly #abort = (): void => this.#controller.abort(this.#signal?.reason);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  follow(signal: AbortSignal | null): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#signal = signal;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener("abort", this.#abort);
  }

  end(): void {
    this.#controller.abort();
  }
}

/** A URL without name and password, which fetch refuses there, and the header that says them. */
export function withoutCredentials(url: URL): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const plain = new URL(url);
  if (url.username === "" && url.password === "") return { url: plain, headers: {} };
  const text = `${decoded(url.username)}:${decoded(url.password)}`;
  plain.username = "";
  plain.password = "";
  const Authorization = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`;
  return { url: plain, headers: { Authorization } };
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const result = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const go = (): void => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(go, Math.min(5000, 100 * 2 ** attempt));
    signal.addEventListener("abort", stop, { once: true });
  });
}
