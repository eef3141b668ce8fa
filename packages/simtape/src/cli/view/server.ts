import { randomBytes } from "node:crypto";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { openToRead } from "../../io/node/access.ts";
import { withoutCredentials } from "../../io/http/http.ts";
import { opensDoors } from "../../io/source/shown-url.ts";
import { PROVENANCE_ENDING } from "../../model/annotation.ts";
import { showsWorld } from "../../model/file-names.ts";
import { isChunk, isOfSomeWorld } from "../../world/keys.ts";
import { toServers } from "../input/timeout.ts";
import { belongsTo, type ViewEntry } from "./entries.ts";
import { type Growth, sendGrowth } from "./growth.ts";
import { ViewIndexes } from "./indexes.ts";
import { ViewList } from "./list.ts";
import { moduleAddress, scriptAt } from "./modules.ts";
import { pageOf, policyOf, sendPart } from "./page.ts";
import { Names, type Reach } from "./reach.ts";
import { openRegion, regionsBeside } from "./regions.ts";

const LIST = "recordings.json";
const ASTRAY = "Nothing is here: open the whole address that simtape view has printed, with its path.\n";

export interface ViewServer {
  /** Of the page: with those of `entries` opened, the first one played and the others as ghosts; else with the list. */
  address(entries: readonly ViewEntry[]): string;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** What is served, and to whom. */
export interface Serving {
  /** The built page. */
  readonly folder: string;
  readonly entries: readonly ViewEntry[] | ViewList;
  /** Files that show the world of the recording that is opened at first. */
  readonly worlds?: readonly ViewEntry[];
  /** 0, the default: any free one. */
  readonly port?: number;
  /** Files by name for recordings that may have one of that name beside them, and have none. */
  readonly given?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Real paths of format modules, which the page loads with the scripts that they import. */
  readonly modules?: readonly string[];
  /** Absent: this machine only. */
  readonly reach?: Reach;
  /** Makes the seek indexes of what is opened, and is closed with the server; null, the default: there are none. */
  readonly indexes?: ViewIndexes | null;
}

/**
 * Serves a page and the files of recordings, below a path that cannot be guessed. Reading only; files by ranges and with
 * ETags; nothing but what belongs to the entries, wherever links lead. Rejects with the system's error, and a message for
 * users, when it cannot listen there.
 */
export async function serveView({
  folder,
  entries,
  worlds = [],
  port = 0,
  given = new Map(),
  modules = [],
  reach = {},
  indexes = null,
}: Serving): Promise<ViewServer> {
  const token = randomBytes(12).toString("base64url");
  const page = await pageOf(folder, {
    recordings: LIST,
    formats: modules.map(moduleAddress).join(" "),
    // No later run has this path: a page that each run stored would only fill the disk.
    offline: "installed",
  });
  const policy = policyOf(page);
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
    const host = request.headers.host ?? "";
    if (!names.include(host)) return refuse(response, 403, names.refusal(host));
    const path = decodedPath(request.url ?? "/");
    if (path === null || !path.startsWith(`/${token}/`)) return refuse(response, 404, ASTRAY);
    const inside = list.pathInside(path.slice(token.length + 2));
    const file = /^(?:files|relayed)\/(\d+)\/([^/\\]+)$/.exec(inside);
    if (file !== null) return sendFile(list.entry(Number(file[1])), file[2]!, given, indexes, request, response);
    const region = /^files\/(\d+)\/([^/\\]+(?:\/region)?)\/([^/\\]*)$/.exec(inside);
    if (region !== null)
      return sendRegion(regionsOf(list.entry(Number(region[1])), region[2]!), region[3]!, request, response);
    const named = /^worlds\/(\d+)\/(?:[^/\\]+\/){1,2}([^/\\]*)$/.exec(inside);
    if (named !== null) return sendRegion(regionsAt(worlds[Number(named[1])]), named[2]!, request, response);
    const world = /^worlds\/(\d+)\/([^/\\]+)$/.exec(inside);
    if (world !== null) return sendFile(worlds[Number(world[1])], world[2]!, given, null, request, response);
    const beside = /^world\/(\d+)\/(.+)$/.exec(inside);
    if (beside !== null) return sendOfWorld(list.entry(Number(beside[1])), beside[2]!, request, response);
    const growing = growthAt(/^live\/(\d+)$/.exec(inside)?.[1]);
    if (growing !== null) return sendGrowth(growing, request, response);
    const name = inside === "" ? "index.html" : inside;
    const content = (await listed(name)) ?? page.get(name) ?? (await scriptAt(name, modules));
    if (content === null) return refuse(response, 404, ASTRAY);
    await sendPart(name, content, request, response);
  }

  function growthAt(index: string | undefined): Growth | null {
    const entry = index === undefined ? undefined : list.entry(Number(index));
    return entry === undefined || "url" in entry ? null : (entry.growth ?? null);
  }

  async function listed(name: string): Promise<Buffer | null> {
    const [, index] = /^facts\/(\d+)\.json$/.exec(name) ?? [];
    const text = name === LIST ? await list.json() : index === undefined ? null : await list.facts(Number(index));
    return text === null ? null : Buffer.from(text);
  }

  await listen(server, port, reach.host ?? "127.0.0.1");
  const names = new Names((server.address() as AddressInfo).port, reach);
  const closed = new Promise<void>((resolve) => {
    server.once("close", () => resolve());
    server.once("close", () => indexes?.close());
  });
  const base = `${names.origin}/${token}/`;
  return {
    address: (opened) => {
      const parts = opened.map((entry) => `url=${written(list.urlOf(entry))}`);
      if (parts.length > 0) parts.push(...worlds.map((world, index) => `world=${written(worldAddress(world, index))}`));
      return `${base}${parts.length === 0 ? "" : "?"}${parts.join("&")}`;
    },
    closed,
    close: () => {
      server.close();
      server.closeAllConnections();
      return closed;
    },
  };
}

function worldAddress(world: ViewEntry, index: number): string {
  if (!("url" in world) && world.main === "") return `worlds/${index}/${world.name}/`;
  return "url" in world && !opensDoors(new URL(world.url))
    ? world.url
    : `worlds/${index}/${encodeURIComponent("url" in world ? world.name : world.main)}`;
}

/** In a query of an address. */
function written(address: string): string {
  return encodeURIComponent(address).replaceAll("%2F", "/");
}

/** Passes on what a server elsewhere has, of the file at `entry` or one beside that belongs to it. */
async function relay(
  entry: Extract<ViewEntry, { url: string }>,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url, headers } = withoutCredentials(new URL(entry.url));
  if (!opensDoors(new URL(entry.url)) || !(showsWorld(name) || belongsTo(entry.name, name)))
    return refuse(response, 404);
  if (name !== entry.name) url.pathname = url.pathname.replace(/[^/]*$/, encodeURIComponent(name));
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const asked = ["range", "if-range", "if-none-match"].flatMap((header) => {
    const value = request.headers[header];
    return typeof value === "string" ? [[header, value] as const] : [];
  });
  const answer = await toServers().fetch(url, {
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
  indexes: ViewIndexes | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (entry !== undefined && "url" in entry) return relay(entry, name, request, response);
  const isIndex = entry !== undefined && indexes !== null && name === ViewIndexes.nameOf(entry);
  if (entry === undefined || !(isIndex || showsWorld(name) || belongsTo(entry.main, name)))
    return refuse(response, 404);
  if (name === entry.main) void indexes?.want(entry);
  const file = isIndex ? await indexes.open(entry) : await opened(entry, name);
  // none, which is no fault
  if (file === null && (isIndex || showsWorld(name) || name.endsWith(PROVENANCE_ENDING)))
    return void response.writeHead(204).end();
  if (file === null) {
    const content = given.get(name);
    if (content === undefined) return refuse(response, 404);
    response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": content.length });
    response.end(content);
    return;
  }
  await sendOpened(file, request, response);
}

/** A folder of region files, and the folder that nothing may lead out of; null: there is none. */
type RegionFolder = { readonly folder: string; readonly within: string } | null;

function regionsAt(entry: ViewEntry | undefined): RegionFolder {
  if (entry === undefined || "url" in entry || entry.main !== "") return null;
  return { folder: entry.folder, within: entry.folder };
}

/** Beside a recording, under its name. */
function regionsOf(entry: ViewEntry | undefined, name: string): RegionFolder {
  if (entry === undefined || "url" in entry) return null;
  const folder = regionsBeside(entry, name);
  return folder === null ? null : { folder, within: entry.store };
}

/** A region file, or the answer that the folder exists, for an empty name; a missing one is no fault. */
async function sendRegion(
  regions: RegionFolder,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (regions === null) return refuse(response, 404);
  const found = await openRegion(regions.within, regions.folder, name);
  if (found === null || found === "folder") {
    response.writeHead(found === null ? 204 : 200).end();
    return;
  }
  await sendOpened(found, request, response);
}

/** A part of a world in the store that a recording is in; that it is not there is no fault. */
async function sendOfWorld(
  entry: ViewEntry | undefined,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (entry === undefined || "url" in entry || !isOfSomeWorld(key)) return refuse(response, 404);
  const file = await openWithin(join(entry.store, "worlds"), join(entry.store, key));
  if (file === null) return void response.writeHead(204).end();
  if (isChunk(key)) response.setHeader("Cache-Control", "private, max-age=31536000, immutable");
  await sendOpened(file, request, response);
}

/** The file, or a range of it; closes it. */
async function sendOpened(file: FileHandle, request: IncomingMessage, response: ServerResponse): Promise<void> {
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

/** Null: not there, no file, or a link that leads out of the folder. */
async function openWithin(folder: string, path: string): Promise<FileHandle | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !real.startsWith(folder + sep) || !(await stat(real)).isFile()) return null;
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

function refuse(response: ServerResponse, status: number, text = ""): void {
  if (text !== "") response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.writeHead(status).end(text);
}

/** Listens. Rejects with the system's error, in words that say what to do. */
async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw Object.assign(error as Error, { message: REFUSED[code]?.(port, host) ?? message });
  }
}

const REFUSED: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port) =>
    `port ${port} is taken by another program: choose another --port, or leave it out for a free one`,
  EACCES: (port) => `port ${port} is not for this user: choose a --port from 1024 on, or leave it out for a free one`,
  EADDRNOTAVAIL: (_, host) => `${host} is no address of this machine: --host takes one of its own, or 0.0.0.0 for all`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
};

function unknownHost(_: number, host: string): string {
  return `no machine is known by the name ${host}: --host takes a name or address of this one`;
}
