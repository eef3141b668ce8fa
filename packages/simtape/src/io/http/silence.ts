import { SourceError } from "../source/source.ts";
import { shownUrl } from "../source/shown-url.ts";

/** Milliseconds of a wait that each byte of a body that is sent adds to it. */
const SENT = 1 / 64;

/** The server was silent for too long. It is not asked again: what is asked of it next may wait as long. */
export class SilenceError extends SourceError {
  constructor(milliseconds: number, url: string) {
    super("failed", `the server sent nothing for ${milliseconds / 1000} s (--timeout): ${shownUrl(url)}`);
    this.name = "SilenceError";
  }
}

/**
 * A `fetch` that fails with `SilenceError` when a server sends nothing for so many milliseconds: no answer, or no more of
 * its body while that is read.
 */
export function withTimeout(milliseconds: number, send: typeof fetch = globalThis.fetch): typeof fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const error = new SilenceError(milliseconds, input instanceof Request ? input.url : String(input));
    const within = async <T>(limit: number, work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => silence.abort(error), limit);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    };
    const outer = init?.signal ?? null;
    const signal = outer === null ? silence.signal : AbortSignal.any([outer, silence.signal]);
    const sent = init?.body instanceof Uint8Array ? init.body.length : 0;
    const response = await within(milliseconds + sent * SENT, send(input, { ...init, signal }));
    if (response.body === null) return response;
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await within(milliseconds, reader.read());
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
