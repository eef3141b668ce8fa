import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** A web server that knows nothing of simtape: folders and texts by path, each with these headers. */
export class WebServer implements AsyncDisposable {
  /** Pages by path. */
  readonly pages: Map<string, string> = new Map();
  readonly #server: Server;

  constructor(folders: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    this.#server = createServer(({ url = "/", headers: { range } }, response) => {
      const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
      const content = this.#contentAt(path, folders);
      if (content === null) {
        response.writeHead(404, headers).end();
        return;
      }
      const isPage = path.endsWith("/") || this.pages.has(path);
      const type = TYPES[isPage ? ".html" : extname(path)] ?? "application/octet-stream";
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
      if (from === undefined) {
        response.writeHead(200, { ...headers, "content-type": type, "content-length": content.length }).end(content);
        return;
      }
      const end = Math.min(content.length, to === "" ? content.length : Number(to) + 1);
      const part = content.subarray(Number(from), end);
      const about = `bytes ${from}-${end - 1}/${content.length}`;
      response.writeHead(206, { ...headers, "content-type": type, "content-range": about }).end(part);
    });
  }

  #contentAt(path: string, folders: Readonly<Record<string, string>>): Buffer | null {
    const page = this.pages.get(path);
    if (page !== undefined) return Buffer.from(page);
    const found = Object.entries(folders).find(([prefix]) => path.startsWith(prefix));
    if (found === undefined) return null;
    const [prefix, folder] = found;
    const file = join(folder, normalize(`/${path.slice(prefix.length)}`), path.endsWith("/") ? "index.html" : "");
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : null;
  }

  /** `port` 0: any free one. */
  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return this;
  }

  /** Answers no more, until it listens again. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** What lets pages of any origin read. */
export const OPEN = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "Range",
  "access-control-expose-headers": "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified",
} as const;
