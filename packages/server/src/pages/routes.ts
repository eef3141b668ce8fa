import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pageOf, policyOf, sendPart } from "simtape/serving";
import type { Routes } from "../http/app.ts";
import { notFound, Problem } from "../http/problem.ts";

/** Paths at which the page shows something: it looks itself at what. */
const PAGES = ["/", "/r/:id", "/room/:id", "/reviews", "/account", "/admin", "/s/:id"];

/** Of what is the same for all: the page comes while the database is away, and says that. */
const SHELL = { role: null, isBare: true } as const;

/** The viewer's page; where it is not installed or not built, a text that says so: everything else works without it. */
export async function pageRoutes(): Promise<Routes> {
  const folder = builtPage();
  if (folder === null) return missingPage;
  const page = await pageOf(folder, { server: "/" });
  const policy = policyOf(page);
  // a page at /r/… has its scripts where they are
  const index = Buffer.from(page.get("index.html")!.toString().replaceAll('="./', '="/'));
  return (app: FastifyInstance) => {
    const send = async (name: string, content: Buffer, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (policy !== undefined) void reply.header("content-security-policy", `${policy}; frame-ancestors 'none'`);
      reply.hijack();
      for (const [header, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(header, value!);
      reply.raw.setHeader("Cache-Control", "no-cache");
      await sendPart(name, content, request.raw, reply.raw);
    };
    for (const path of PAGES)
      app.get(path, { config: SHELL, schema: { hide: true } }, (request, reply) =>
        send("index.html", index, request, reply),
      );
    app.get("/icon.svg", { config: SHELL, schema: { hide: true } }, (request, reply) =>
      send("icon.svg", page.get("icon.svg")!, request, reply),
    );
    app.get<{ Params: { "*": string } }>("/assets/*", { config: SHELL, schema: { hide: true } }, (request, reply) => {
      const name = `assets/${request.params["*"]}`;
      const content = page.get(name);
      if (content === undefined) throw notFound("the file");
      return send(name, content, request, reply);
    });
  };
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

/** Its folder; null: there is none. */
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
