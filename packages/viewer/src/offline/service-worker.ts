/**
 * Keeps the files of the built page, so that it opens without its server. It stores those files when it is installed, and
 * nothing else ever: no recording, no stream, no answer of a server. `offline.ts` of the package builds it, with the
 * names below.
 *
 * The page itself comes from the server if that answers. Names of its parts tell their content, so parts of two versions
 * are never mixed; those of an older one stay as long as a page may need them.
 */

/** Of the files, relative to the page. */
declare const PARTS: readonly string[];
/** A digest of them. */
declare const VERSION: string;

/** Of a service worker, what is used here: the types of the page do not have it. */
interface Global {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: {
      readonly type: "window";
      readonly includeUncontrolled: boolean;
    }): Promise<readonly { readonly url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(kind: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void): void;
}

interface WorkerEvent {
  readonly request: Request;
  waitUntil(promise: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as Global;
/** Address of the page. */
const PAGE = worker.registration.scope;
/** What names of all versions begin with: other pages of this origin have others. */
const OWN = `simtape ${PAGE} `;
/** Names in a query with which the page is a frame or is for one user: the worker leaves it alone. */
const APART = ["embed", "render", "token"];

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { href, search, searchParams } = new URL(request.url);
  if (request.method !== "GET" || !href.startsWith(PAGE)) return;
  const path = href.slice(PAGE.length).replace(/[?#].*$/, "");
  if (request.mode === "navigate") {
    if (path !== "" || APART.some((name) => searchParams.has(name))) return;
    event.respondWith(page(request));
    event.waitUntil(forgetOld());
  } else if (search === "" && (isNamedByContent(path) || PARTS.includes(path))) {
    event.respondWith(part(request, path));
  }
});

/** Stores all files of this version: those that an older one has are copied. One request at a time: what plays goes first. */
async function install(): Promise<void> {
  try {
    const cache = await caches.open(OWN + VERSION);
    const found = await fetch(PAGE, { cache: "no-cache" });
    const named = (await found.clone().text()).match(/assets\/[\w.-]+/g) ?? [];
    // A server that has another version by now has another worker, too, which will be installed.
    if (!found.ok || named.length === 0 || !named.every((name) => PARTS.includes(name)))
      throw new Error("the page is of another version");
    await cache.put(PAGE, found);
    for (const path of PARTS) {
      const address = PAGE + path;
      const isLasting = isNamedByContent(path);
      const answer =
        (isLasting ? await stored(address) : undefined) ??
        (await fetch(address, { cache: isLasting ? "default" : "no-cache" }));
      if (!answer.ok) throw new Error(`${answer.status} at ${address}`);
      await cache.put(address, answer);
    }
  } catch (error) {
    await caches.delete(OWN + VERSION);
    throw error;
  }
  // Pages of older versions are served as before: their files stay.
  await worker.skipWaiting();
}

/** The page of the server, or without it the page alone. */
async function page(request: Request): Promise<Response> {
  const answer = await fetch(request).catch(() => Response.error());
  const isThere = answer.type !== "error" && answer.status < 500 && answer.status !== 404;
  return isThere ? answer : ((await pageAlone()) ?? answer);
}

/** The page as it was stored, without what its server wrote into it: recordings, formats and a library are not there. */
async function pageAlone(): Promise<Response | undefined> {
  const found = await stored(PAGE);
  if (found === undefined) return undefined;
  const text = (await found.text()).replace(/(name="simtape-[a-z]+" content=")[^"]*/g, "$1");
  const headers = new Headers(found.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(text, { headers });
}

async function part(request: Request, path: string): Promise<Response> {
  if (isNamedByContent(path)) return (await stored(request.url)) ?? fetch(request);
  const answer = await fetch(request).catch(() => Response.error());
  return answer.ok ? answer : ((await stored(request.url)) ?? answer);
}

/** A file of this version, or of an older one. */
async function stored(address: string): Promise<Response | undefined> {
  for (const name of await versions()) {
    const found = await (await caches.open(name)).match(address, { ignoreVary: true });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Removes the files of older versions when the page is opened and no other page of this origin may need them. */
async function forgetOld(): Promise<void> {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (windows.some(({ url }) => url.startsWith(PAGE))) return;
  for (const name of await versions()) if (name !== OWN + VERSION) await caches.delete(name);
}

/** Names of all versions that are stored, this one first. */
async function versions(): Promise<readonly string[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN));
  return names.toSorted((a, b) => Number(b === OWN + VERSION) - Number(a === OWN + VERSION));
}

/** Such a file never changes. */
function isNamedByContent(path: string): boolean {
  return path.startsWith("assets/");
}
