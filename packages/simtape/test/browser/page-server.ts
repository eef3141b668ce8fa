import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

/** No code but the page's own files, no eval; WebAssembly may be compiled. Nothing is loaded from elsewhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

export interface PageServer {
  /** Of the page, with a slash at its end. */
  readonly url: string;
  /** Answers given for files of recordings, in order: name, status and the range asked for. */
  readonly answers: { readonly name: string; readonly status: number; readonly range: string | undefined }[];
  close(): Promise<void>;
}

/** Serves a built page from `folder`, and recordings at `/recordings/<name>` by range requests, on 127.0.0.1. */
export async function servePage(folder: string, recordings: ReadonlyMap<string, Uint8Array>): Promise<PageServer> {
  const answers: PageServer["answers"] = [];
  const server = createServer((request, response) => {
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://page").pathname);
    const name = /^\/recordings\/(.+)$/.exec(path)?.[1];
    if (name !== undefined) {
      sendRecording(recordings.get(name), request, response);
      answers.push({ name, status: response.statusCode, range: request.headers.range });
    } else {
      void sendFile(join(folder, normalize(path === "/" ? "/index.html" : path)), response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    answers,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const content = await readFile(path).catch(() => null);
  if (content === null) {
    // A browser asks for an icon on its own; that none is there is no error of the page.
    response.writeHead(path.endsWith("favicon.ico") ? 204 : 404).end();
    return;
  }
  response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(content);
}

function sendRecording(bytes: Uint8Array | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (bytes === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("Content-Type", "application/octet-stream");
  response.setHeader("ETag", `"${bytes.length}"`);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  if (range === null) {
    response.writeHead(200).end(bytes);
    return;
  }
  const start = Number(range[1]);
  const end = Math.min(Number(range[2]) + 1, bytes.length);
  if (start >= end) {
    response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end();
    return;
  }
  response.writeHead(206, { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` });
  response.end(bytes.subarray(start, end));
}
