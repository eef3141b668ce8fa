import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server saw it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly headers: IncomingMessage["headers"];
}

/** How a server answers request number `n`, from 1. */
export type Manner = (request: IncomingMessage, response: ServerResponse, content: Uint8Array, n: number) => void;

export interface TestServer {
  /** Of a file `run.traj` in the folder `tapes`, with a query. */
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** A server on this machine that answers every request in one manner. */
export async function serve(content: Uint8Array, manner: Manner = wellBehaved): Promise<TestServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, path: url, range: headers.range ?? null, headers });
    response.on("error", () => undefined);
    manner(request, response, content, asked.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/tapes/run.traj?key=a%2Fb`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `[start, end)` of a request with a range, cut at the end of the content; null without a range. */
function rangeOf(request: IncomingMessage, content: Uint8Array): { start: number; end: number } | null {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  return match === null ? null : { start: Number(match[1]), end: Math.min(content.length, Number(match[2]) + 1) };
}

function headersOf(
  start: number,
  end: number,
  size: number | "*",
  more: Record<string, string>,
): Record<string, string> {
  return { "content-range": `bytes ${start}-${end - 1}/${size}`, "content-length": `${end - start}`, ...more };
}

export const wellBehaved: Manner = (request, response, content) => ranges()(request, response, content, 1);

/** Answers ranges as it should, with the headers given. */
export function ranges(more: Record<string, string> = { etag: '"one"' }): Manner {
  return (request, response, content) => {
    const range = rangeOf(request, content);
    if (range === null) return void response.writeHead(200, more).end(content);
    if (range.start >= content.length) {
      return void response.writeHead(416, { "content-range": `bytes */${content.length}` }).end();
    }
    response.writeHead(206, headersOf(range.start, range.end, content.length, more));
    response.end(content.subarray(range.start, range.end));
  };
}

/** Does not know its size, or does not tell. */
export const silentAboutSize: Manner = (request, response, content) => {
  const range = rangeOf(request, content)!;
  if (range.start >= content.length) return void response.writeHead(416).end();
  response.writeHead(206, headersOf(range.start, range.end, "*", {}));
  response.end(content.subarray(range.start, range.end));
};

/** Has never heard of ranges. */
export const noRanges: Manner = (_request, response, content) => {
  response.writeHead(200, { "content-length": `${content.length}` }).end(content);
};

/** As `noRanges`, in chunks, without a length. */
export const chunked: Manner = (_request, response, content) => {
  response.writeHead(200);
  for (let at = 0; at < content.length; at += 50_000) response.write(content.subarray(at, at + 50_000));
  response.end();
};

/** Ranges first, then the whole file whatever is asked. */
export const forgetsRanges: Manner = (request, response, content, n) =>
  (n === 1 ? wellBehaved : noRanges)(request, response, content, n);

/** Sends the range beside the one asked for. */
export const wrongRange: Manner = (request, response, content) => {
  const range = rangeOf(request, content)!;
  response.writeHead(206, headersOf(range.start + 1, range.end + 1, content.length, {}));
  response.end(content.subarray(range.start + 1, range.end + 1));
};

/** At most `most` bytes per answer, and says so. */
export function shortRanges(most: number): Manner {
  return (request, response, content) => {
    const range = rangeOf(request, content)!;
    const end = Math.min(range.end, range.start + most);
    response.writeHead(206, headersOf(range.start, end, content.length, {}));
    response.end(content.subarray(range.start, end));
  };
}

/** Another validator from request `from` on. */
export function changes(header: "etag" | "last-modified", from: number): Manner {
  return (request, response, content, n) =>
    ranges({ [header]: n < from ? "one" : "two" })(request, response, content, n);
}

/** Announces all and cuts the connection after `bytes`, on the first `times` requests. */
export function cuts(bytes: number, times: number): Manner {
  return (request, response, content, n) => {
    const range = rangeOf(request, content);
    if (n > times) return wellBehaved(request, response, content, n);
    const { start, end } = range ?? { start: 0, end: content.length };
    if (range === null) response.writeHead(200, { "content-length": `${content.length}` });
    else response.writeHead(206, headersOf(start, end, content.length, { etag: '"one"' }));
    response.write(content.subarray(start, Math.min(end, start + bytes)), () => response.destroy());
  };
}

/** As `cuts`, but without ranges. */
export function cutsWhole(bytes: number, times: number): Manner {
  return (request, response, content, n) => {
    if (n > times) return noRanges(request, response, content, n);
    response.writeHead(200, { "content-length": `${content.length}` });
    response.write(content.subarray(0, bytes), () => response.destroy());
  };
}

/** A few bytes at a time. */
export const trickles: Manner = (request, response, content) => {
  const { start, end } = rangeOf(request, content)!;
  response.writeHead(206, headersOf(start, end, content.length, {}));
  const step = (at: number): void => {
    if (at >= end) response.end();
    else response.write(content.subarray(at, Math.min(end, at + 100)), () => setImmediate(step, at + 100));
  };
  step(start);
};

/** Sends headers and the first bytes of a body, and then nothing. */
export const stalls: Manner = (request, response, content) => {
  const { start, end } = rangeOf(request, content)!;
  response.writeHead(206, headersOf(start, end, content.length, {}));
  response.write(content.subarray(start, start + 10));
};

/** A status on the first `times` requests. */
export function fails(status: number, times: number): Manner {
  return (request, response, content, n) => {
    if (n > times) return wellBehaved(request, response, content, n);
    response.writeHead(status).end("an explanation for people");
  };
}

/** 416 unless the range ends inside the file. */
export const refusesLongRanges: Manner = (request, response, content, n) => {
  const asked = /-(\d+)$/.exec(request.headers.range ?? "");
  if (Number(asked?.[1]) < content.length) return wellBehaved(request, response, content, n);
  response.writeHead(416, { "content-range": `bytes */${content.length}` }).end();
};

/** 416 to every range, the whole file without one. */
export const refusesRanges: Manner = (request, response, content, n) => {
  if (request.headers.range === undefined) return noRanges(request, response, content, n);
  response.writeHead(416).end();
};

/** Says that its ranges are compressed. */
export const compresses: Manner = (request, response, content) => {
  const { start, end } = rangeOf(request, content)!;
  response.writeHead(206, headersOf(start, end, content.length, { "content-encoding": "br" }));
  response.end(content.subarray(start, end));
};
