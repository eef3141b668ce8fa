import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AddressInfo } from "node:net";
import { Names } from "simtape/serving";
import type { Settings } from "../settings.ts";
import { Problem } from "../problem.ts";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const NAMES = new WeakMap<FastifyInstance, Names>();
/** Host names that were checked and are ours: the same few, with every request. */
const OWN = new WeakMap<Names, Set<string>>();
const MOST_OWN = 100;

/**
 * Refuses requests that a page of another site makes a browser send: to host names that this server does not have (DNS
 * rebinding), and changes from another origin. Programs send no origin. Throws `Problem`.
 */
export function checkOrigin(request: FastifyRequest, app: FastifyInstance, settings: Settings): void {
  if (request.raw.url?.startsWith("/") !== true) throw new Problem(400, "this server is no proxy: a path is expected");
  const hosts = countOf("host", request.raw.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === "1.1"))
    throw new Problem(400, "one header Host is expected");
  const names = namesOf(app, settings);
  const { host = "", origin, upgrade } = request.headers;
  if (names !== null && !includes(names, host))
    throw new Problem(403, `this server answers to ${names.origin}; start it with --public-origin for another name`);
  const isSafe = SAFE.has(request.method) && upgrade === undefined;
  if (isSafe || origin === undefined) {
    // an old browser without this header sends the origin with changes
    const site = request.headers["sec-fetch-site"];
    if (!isSafe && site !== undefined && site !== "same-origin" && site !== "none")
      throw new Problem(403, `a change from another site (${String(site)}) is refused`);
    return;
  }
  if (!isOwn(origin, host, settings)) throw new Problem(403, `a change from another origin (${origin}) is refused`);
}

/**
 * Refuses a change or a socket that is allowed by a cookie alone, without an origin: a browser always names the page
 * that sends the request. Throws `Problem`.
 */
export function checkSession({ person, method, headers }: FastifyRequest): void {
  const isSafe = SAFE.has(method) && headers.upgrade === undefined;
  if (isSafe || person.via !== "session") return;
  if (headers.origin === undefined && headers["sec-fetch-site"] !== "same-origin")
    throw new Problem(403, "with a session, a change needs the header Origin; programs send a token");
}

/** Takes names and values in turn. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at]!;
    if (found.length === name.length && found.toLowerCase() === name) count++;
  }
  return count;
}

/** Whether an `Origin` header names this server. */
export function isOwn(origin: string, host: string, { publicOrigin }: Settings): boolean {
  if (publicOrigin !== null && origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function includes(names: Names, host: string): boolean {
  const own = OWN.get(names) ?? new Set();
  if (own.has(host)) return true;
  if (!names.include(host)) return false;
  if (own.size < MOST_OWN) OWN.set(names, own.add(host));
  return true;
}

function namesOf(app: FastifyInstance, { host, publicOrigin }: Settings): Names | null {
  const known = NAMES.get(app);
  if (known !== undefined) return known;
  const address = app.server.address() as AddressInfo | null;
  // a request without a socket, as in tests
  if (address === null) return null;
  const names = new Names(address.port, { host, publicOrigin: publicOrigin ?? undefined });
  NAMES.set(app, names);
  return names;
}
