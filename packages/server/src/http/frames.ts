import type { FastifyInstance } from "fastify";
import type { Settings } from "../settings.ts";

/** What a link shows: a page of a listed site may read it. No cookie counts there. */
const SHARED = /^\/api\/shares\/[^/?]+(?:\/files\/[^/?]+)?(?:\?|$)/;
/** The element `<simtape-player>`: the same code for all, which a browser may keep without its origin. */
const CODE = /^\/(?:player\.js|assets\/[^?]+)(?:\?|$)/;
/** The page of a link. */
const LINKED = /^\/s\/[^?]/;

/** The sites that may show a page in a frame, for `frame-ancestors` (CSP level 3, 6.4.2). `url` is a path with its query. */
export function ancestorsOf(url: string, { frameAncestors }: Settings): string {
  return isFrameable(url) && frameAncestors.length > 0 ? frameAncestors.join(" ") : "'none'";
}

/** Lets pages of the sites that may have frames read what a player needs (Fetch standard, CORS protocol). */
export function allowSites(app: FastifyInstance, { frameAncestors }: Settings): void {
  if (frameAncestors.length === 0) return;
  app.addHook("onRequest", async ({ url, method, headers: { origin } }, reply) => {
    if (CODE.test(url)) void reply.header("access-control-allow-origin", "*");
    if (!SHARED.test(url)) return;
    void reply.header("vary", "Origin");
    if (origin === undefined || !frameAncestors.includes(origin)) return;
    void reply.header("access-control-allow-origin", origin);
    void reply.header("access-control-expose-headers", "Accept-Ranges, Content-Length, Content-Range, ETag");
    if (method !== "OPTIONS") return;
    void reply.header("access-control-allow-methods", "GET, HEAD");
    void reply.header("access-control-allow-headers", "Range");
    await reply.code(204).send();
  });
}

/**
 * Whether a page may be in a frame of a listed site: those of links may, and players, which have no buttons that change
 * anything. The query is read as the page reads it.
 */
function isFrameable(url: string): boolean {
  const [, query = ""] = /\?(.*)$/.exec(url) ?? [];
  const said = new URLSearchParams(query);
  return LINKED.test(url) || (said.has("embed") && !said.has("render"));
}
