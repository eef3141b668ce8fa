import { randomBytes } from "node:crypto";
import { type FileHandle, readdir, readFile, realpath } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { openToRead } from "../io/node/access.ts";
import { withoutCredentials } from "../io/http.ts";
import { opensDoors } from "../io/shown-url.ts";
import { belongsTo, type ViewEntry } from "./view-entries.ts";
import { ViewList } from "./view-list.ts";
import { moduleAddress, scriptAt } from "./view-modules.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".json": "application/json",
};

const LIST = "recordings.json";

export interface ViewServer {
  /** Of the page: with those of `entries` opened, the first one played and the others as ghosts; else with the list. */
  address(entries: readonly ViewEntry[]): string;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the page built in `folder` and the files of `entries` on 127.0.0.1, below a path that cannot be guessed.
 * Reading only; files by ranges and with ETags; nothing but what belongs to the entries, wherever links lead. `given`
 * are files by name for recordings that may have one of that name beside them, and have none.
 * `modules` are real paths of format modules, which the page loads with the scripts that they import.
 */
export async function serveView(
  folder: string,
  entries: readonly ViewEntry[] | ViewList,
  port: number,
  given: ReadonlyMap<string, Uint8Array> = new Map(),
  modules: readonly string[] = [],
): Promise<ViewServer> {
  const token = randomBytes(12).toString("base64url");
  const page = await pageOf(folder, modules);
  const policy = policyOf(page.get("index.html")!.toString());
  const list = entries instanceof ViewList ? entries : new ViewList(entries);
  const server = createServer((request, response) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader("Cache-Control", "no-cache");
    if (policy !== undefined) response.setHeader("Content-Security-Policy", `${policy}; frame-ancestors 'none'`);
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405);
    // Another name for this machine would be a page elsewhere that has the browser ask in its stead.
    const host = request.headers.host ?? "";
    if (host !== `127.0.0.1:${boundPort()}` && host !== `localhost:${boundPort()}`) return refuse(response, 403);
    const path = decodedPath(request.url ?? "/");
    if (path === null || !path.startsWith(`/${token}/`)) return refuse(response, 404);
    const inside = path.slice(token.length + 2);
    const file = /^(?:files|relayed)\/(\d+)\/([^/\\]+)$/.exec(inside);
    if (file !== null) return sendFile(list.entry(Number(file[1])), file[2]!, given, request, response);
    const name = inside === "" ? "index.html" : inside;
    const content = (await listed(name)) ?? page.get(name) ?? (await scriptAt(name, modules));
    if (content === null) return refuse(response, 404);
    response.setHeader("Content-Type", TYPES[extname(name)] ?? "application/octet-stream");
    // Names of what was built tell its content.
    if (name.startsWith("assets/")) response.setHeader("Cache-Control", "private, max-age=31536000, immutable");
    response.end(content);
  }

  async function listed(name: string): Promise<Buffer | null> {
    const [, index] = /^facts\/(\d+)\.json$/.exec(name) ?? [];
    const text = name === LIST ? await list.json() : index === undefined ? null : await list.facts(Number(index));
    return text === null ? null : Buffer.from(text);
  }

  const boundPort = (): number => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const closed = new Promise<void>((resolve) => {
    server.once("close", () => resolve());
  });
  const base = `http://127.0.0.1:${boundPort()}/${token}/`;
  return {
    address: (opened) =>
      `${base}${opened.length === 0 ? "" : "?"}${opened
        .map((entry) => `url=${encodeURIComponent(list.urlOf(entry)).replaceAll("%2F", "/")}`)
        .join("&")}`,
    closed,
    close: () => {
      server.close();
      server.closeAllConnections();
      return closed;
    },
  };
}

/** The files of the built page by name, with the addresses of the list and of format modules written into the page. */
async function pageOf(folder: string, modules: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll(sep, "/"), await readFile(path));
  }
  const index = files.get("index.html")!.toString();
  const told = { recordings: LIST, formats: modules.map(moduleAddress).join(" ") };
  files.set("index.html", Buffer.from(Object.entries(told).reduce(withMeta, index)));
  return files;
}

function withMeta(page: string, [name, content]: readonly [name: string, content: string]): string {
  return page.replace(`name="simtape-${name}" content=""`, `name="simtape-${name}" content="${content}"`);
}

/** What the page's own meta element says, for a header: that holds for its workers too. */
function policyOf(index: string): string | undefined {
  const content = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(index)?.[1];
  return content?.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** Passes on what a server elsewhere has, of the file at `entry` or one beside that belongs to it. */
async function relay(
  entry: Extract<ViewEntry, { url: string }>,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url, headers } = withoutCredentials(new URL(entry.url));
  if (!opensDoors(new URL(entry.url)) || !belongsTo(entry.name, name)) return refuse(response, 404);
  if (name !== entry.name) url.pathname = url.pathname.replace(/[^/]*$/, encodeURIComponent(name));
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const asked = ["range", "if-range", "if-none-match"].flatMap((header) => {
    const value = request.headers[header];
    return typeof value === "string" ? [[header, value] as const] : [];
  });
  const answer = await fetch(url, {
    method: request.method!,
    headers: { ...headers, "accept-encoding": "identity", ...Object.fromEntries(asked) },
    signal: gone.signal,
  });
  for (const header of ["content-range", "content-length", "content-encoding", "etag", "last-modified"]) {
    const value = answer.headers.get(header);
    if (value !== null) response.setHeader(header, value);
  }
  response.setHeader("Content-Type", "application/octet-stream");
  response.writeHead(answer.status);
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
}

async function sendFile(
  entry: ViewEntry | undefined,
  name: string,
  given: ReadonlyMap<string, Uint8Array>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (entry !== undefined && "url" in entry) return relay(entry, name, request, response);
  if (entry === undefined || !belongsTo(entry.main, name)) return refuse(response, 404);
  const file = await opened(entry, name);
  if (file === null) {
    const content = given.get(name);
    if (content === undefined) return refuse(response, 404);
    response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": content.length });
    response.end(content);
    return;
  }
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}"`;
    response.setHeader("ETag", etag);
    response.setHeader("Accept-Ranges", "bytes");
    response.setHeader("Content-Type", "application/octet-stream");
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304).end();
      return;
    }
    const isSame = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
    const range = isSame ? rangeOf(request.headers.range, size) : null;
    if (range === "beyond") {
      response.setHeader("Content-Range", `bytes */${size}`);
      return refuse(response, 416);
    }
    const { start, end } = range ?? { start: 0, end: size };
    if (range !== null) response.setHeader("Content-Range", `bytes ${start}-${end - 1}/${size}`);
    response.setHeader("Content-Length", end - start);
    response.writeHead(range === null ? 200 : 206);
    if (request.method === "HEAD" || end === start) response.end();
    else await pipeline(file.createReadStream({ start, end: end - 1, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** Null: not there, or a link that leads out of the folder. */
async function opened(entry: Extract<ViewEntry, { folder: string }>, name: string): Promise<FileHandle | null> {
  const path = join(entry.folder, name);
  const real = await realpath(path).catch(() => null);
  if (real === null || (name !== entry.main && !real.startsWith(entry.folder + sep))) return null;
  return openToRead(real).catch(() => null);
}

/** One range `[start, end)`; null: none is asked for, or one that is not understood, which means the whole. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | "beyond" | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start >= size || end <= start ? "beyond" : { start, end };
}

function decodedPath(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url, "http://127.0.0.1").pathname);
  } catch {
    return null;
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
