import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pageOf, policyOf, sendPart } from "simtape/serving";
import type { Routes } from "../http/app.ts";
import { ancestorsOf } from "../http/frames.ts";
import { notFound, Problem } from "../problem.ts";
import { openLibrary } from "../library/open.ts";
import type { Settings } from "../settings.ts";

/** Paths of the page: the viewer itself decides what to show. */
const PAGES = ["/", "/r/:id", "/room/:id", "/reviews", "/sql", "/alerts", "/account", "/admin", "/s/:id"];

/** Headers of files that are the same for all users: the page loads while the database is away, and says so. */
const SHELL = { role: null, isBare: true } as const;

/**
 * Serves the viewer's page; where the viewer is not installed or not built, a text that says so: all else works without
 * it.
 */
export async function pageRoutes(settings: Settings): Promise<Routes> {
  const folder = builtPage();
  if (folder === null) return missingPage;
  const page = await pageOf(folder, { server: "/" });
  const policy = policyOf(page);
  const stores = await storesOf(settings);
  // a page at /r/… must find its scripts
  const index = Buffer.from(page.get("index.html")!.toString().replaceAll('="./', '="/'));
  return (app: FastifyInstance) => {
    const send = async (name: string, content: Buffer, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (policy !== undefined)
        void reply.header(
          "content-security-policy",
          `${connectingTo(stores, policy)}; frame-ancestors ${ancestorsOf(request.url, settings)}`,
        );
      reply.hijack();
      for (const [header, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(header, value!);
      reply.raw.setHeader("Cache-Control", "no-cache");
      await sendPart(name, content, request.raw, reply.raw);
    };
    for (const path of PAGES)
      app.get(path, { config: SHELL, schema: { hide: true } }, (request, reply) =>
        send("index.html", index, request, reply),
      );
    // At any other address, browsers get a page that says that nothing is there; programs get problem details as usual.
    app.get("/*", { config: SHELL, schema: { hide: true } }, (request, reply) => {
      const [path] = request.url.split("?", 1) as [string];
      const isForPeople = request.headers.accept?.includes("text/html") === true && !path.startsWith("/api/");
      if (!isForPeople) throw new Problem(404, `nothing is at GET ${path}`);
      reply.raw.statusCode = 404;
      return send("index.html", index, request, reply);
    });
    // icons, manifest, service worker, the player for other pages, licences
    const files = [...page.keys()].filter((name) => !name.includes("/") && name !== "index.html");
    for (const name of new Set([...files, "player.js"]))
      app.get(`/${name}`, { config: SHELL, schema: { hide: true } }, (request, reply) => {
        const content = page.get(name);
        if (content === undefined) throw notFound("the file");
        return send(name, content, request, reply);
      });
    app.get<{ Params: { "*": string } }>("/assets/*", { config: SHELL, schema: { hide: true } }, (request, reply) => {
      const name = `assets/${request.params["*"]}`;
      const content = page.get(name);
      if (content === undefined) throw notFound("the file");
      return send(name, content, request, reply);
    });
  };
}

/**
 * The content security policy of the page: it may read from this server and these stores only, so that its data goes
 * nowhere else.
 */
function connectingTo(stores: readonly string[], policy: string): string {
  const sources = ["connect-src 'self'", ...stores].join(" ");
  return policy.replace(/connect-src [^;]*/, sources);
}

/** The stores that pages of this server read from: the bucket, where browsers are sent there. */
async function storesOf(settings: Settings): Promise<readonly string[]> {
  const presigned = settings.direct === "on" ? await (await openLibrary(settings)).presigned("x") : null;
  if (presigned === null) return [];
  const { origin, pathname } = new URL(presigned);
  // the address without the key; the path stays, because a host may have many buckets
  return [`${origin}${pathname.slice(0, pathname.lastIndexOf("/") + 1)}`];
}

function missingPage(app: FastifyInstance): void {
  for (const path of PAGES)
    app.get(path, { config: { role: null }, schema: { hide: true } }, () => {
      throw new Problem(
        503,
        "the viewer is not there: npm install simtape-viewer, or npm run build:viewer in a checkout",
      );
    });
}

/** Folder of the viewer; null: it does not exist. */
function builtPage(): string | null {
  let manifest: string;
  try {
    manifest = fileURLToPath(import.meta.resolve("simtape-viewer/package.json"));
  } catch {
    return null;
  }
  const folder = join(dirname(manifest), "dist");
  return existsSync(join(folder, "index.html")) ? folder : null;
}
