import { SilenceError } from "./silence.ts";
import { secretsOf, shownUrl, withoutSecrets } from "../source/shown-url.ts";
import { SourceError } from "../source/source.ts";

/** A status that is final: no use to ask again. */
export class HttpStatusError extends SourceError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("failed", message);
    this.status = status;
  }
}

/** A failure that may pass: a network error, a cut answer, a status of 500 and above. Never leaves the http source. */
export class Transient extends Error {
  readonly status: number | null;

  constructor(message: string, cause: unknown, status: number | null = null) {
    super(message, { cause });
    this.status = status;
  }

  /** The lasting error, after `tries` of them, without the secrets of the URL. */
  after(tries: number, url: URL): SourceError {
    const cause = withoutSecrets(secretsOf(url), this.cause);
    const message = `${this.message}${causeOf(cause)}, tried ${tries} times: ${shownUrl(url)}`;
    return this.status === null
      ? new SourceError("failed", message, { cause })
      : new HttpStatusError(this.status, message);
  }
}

/** What tells one content of a URL from another. */
export interface Validators {
  /** Without the mark of weakness: servers add and drop it as they compress. */
  readonly etag: string | null;
  readonly modified: string | null;
}

/** The validators of an answer; both null where a browser does not show the headers of another origin. */
export function validatorsOf(response: Response): Validators {
  return {
    etag: response.headers.get("etag")?.replace(/^W\//, "") ?? null,
    modified: response.headers.get("last-modified"),
  };
}

/** ETags decide when both answers have one, else dates, else there is nothing to tell them apart. */
export function sameContent(a: Validators, b: Validators): boolean {
  if (a.etag !== null && b.etag !== null) return a.etag === b.etag;
  return a.modified === null || b.modified === null || a.modified === b.modified;
}

/** The range an answer of status 206 brings. */
export interface AnswerPart {
  /** Bytes its body must have; null when the headers do not tell. */
  readonly length: number | null;
  /** Bytes of the whole file; null when the headers do not tell. */
  readonly size: number | null;
  /** True when the file ends with it. */
  readonly last: boolean;
}

/** Checks that a 206 answer is for `[start, end)`, or the beginning of it. Throws `SourceError` when it is not. */
export function partOf(response: Response, start: number, end: number, url: string): AnswerPart {
  const wrong = (what: string): SourceError => new SourceError("failed", `${what}: ${url}`);
  if (isEncoded(response)) throw wrong("server compresses ranges, so their offsets are unknown");
  const text = response.headers.get("content-range");
  if (text === null) {
    if (/^multipart\//i.test(response.headers.get("content-type") ?? ""))
      throw wrong("server answers in several parts");
    // Another origin's Content-Range is hidden from a page unless the server exposes it; the length is not.
    const header = response.headers.get("content-length");
    if (header === null || !/^\d+$/.test(header)) return { length: null, size: null, last: true };
    const length = Number(header);
    if (length > end - start) throw wrong(`server sends ${length} bytes for a range of ${end - start}`);
    return { length, size: length < end - start ? start + length : null, last: true };
  }
  const match = /^\s*bytes\s+(\d+)-(\d+)\/(\d+|\*)\s*$/i.exec(text);
  if (match === null) throw wrong(`server sends a malformed Content-Range "${text.slice(0, 80)}"`);
  const from = Number(match[1]);
  const to = Number(match[2]) + 1;
  const size = match[3] === "*" ? null : Number(match[3]);
  if (from !== start || to > end || to <= from || (size !== null && to > size)) {
    throw wrong(`server sends bytes ${from}-${to - 1} when asked for ${start}-${end - 1}`);
  }
  return { length: to - from, size, last: to === end || to === size };
}

/** The size that the Content-Range of a 416 answer tells, `bytes *` before it and a slash between. */
export function readSize(response: Response): number | null {
  const match = /^\s*bytes\s+\*\/(\d+)\s*$/i.exec(response.headers.get("content-range") ?? "");
  return match === null ? null : Number(match[1]);
}

/** True when the body is not the file's bytes but a compressed form of them. */
export function isEncoded(response: Response): boolean {
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return encoding !== "" && encoding !== "identity";
}

/**
 * Hands the body on as it comes. Throws `Transient` when it breaks off, or ends before `length` bytes, after what came
 * was handed on; `SourceError` when it is longer. What `take` throws ends it.
 */
export async function bodyOf(
  response: Response,
  length: number | null,
  url: string,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const reader = response.body?.getReader();
  let count = 0;
  try {
    for (;;) {
      let chunk: Uint8Array | undefined;
      try {
        chunk = (await reader?.read())?.value;
      } catch (cause) {
        if (cause instanceof SilenceError) throw cause;
        throw new Transient("connection was cut", cause);
      }
      if (chunk === undefined) break;
      count += chunk.length;
      if (length !== null && count > length) {
        throw new SourceError("failed", `server sends more than the ${length} bytes it announced: ${url}`);
      }
      if (chunk.length > 0) take(chunk);
    }
  } catch (error) {
    // The stream may have failed already; then there is nothing to cancel.
    reader?.cancel().catch(() => undefined);
    throw error;
  }
  if (length !== null && count < length) throw new Transient(`answer ends after ${count} of ${length} bytes`, null);
}

/** Releases a body that will not be read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

/** What a status that is final means for the reader of a message. */
export function aboutStatus(status: number): string {
  if (status === 401 || status === 403) return "server refuses access";
  if (status === 404 || status === 410) return "server has no such file";
  return "server refuses the request";
}

/** What the system said, in brackets: ` (ECONNREFUSED)`; empty when it said nothing. */
export function causeOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return "";
  const code = "code" in inner && typeof inner.code === "string" ? inner.code : inner.message;
  return code === "" ? "" : ` (${code})`;
}
