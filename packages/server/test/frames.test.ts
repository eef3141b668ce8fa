import fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../src/context.ts";
import { allowSites } from "../src/http/frames.ts";
import { pageRoutes } from "../src/pages/routes.ts";
import { type Given, settingsOf } from "../src/settings.ts";

const LISTED = "https://docs.example.org";
const OTHER = "https://evil.example";

async function served(given: Given): Promise<ReturnType<typeof fastify>> {
  const settings = await settingsOf({ store: ".", ...given }, undefined, {});
  const app = fastify();
  allowSites(app, settings);
  (await pageRoutes(settings))(app, { settings } as Context);
  // what the real route answers is not what is tested here
  app.get("/api/shares/:secret/files/:name", async () => "bytes");
  app.get("/api/shares", async () => "list");
  return app;
}

async function ancestors(app: ReturnType<typeof fastify>, url: string): Promise<string | undefined> {
  const { headers, statusCode } = await app.inject({ url });
  expect(statusCode, url).toBe(200);
  return /frame-ancestors ([^;]*)/.exec(String(headers["content-security-policy"]))?.[1];
}

let app: ReturnType<typeof fastify>;

beforeAll(async () => {
  app = await served({ frameAncestors: `${LISTED}, http://localhost:8888` });
});

afterAll(() => app.close());

test("links and players may be in frames of the listed sites, and no other page", async () => {
  const both = `${LISTED} http://localhost:8888`;
  for (const url of ["/s/secret", "/s/secret?embed", "/r/x?embed", "/r/x?at=3&embed=&rate=2", "/?embed"])
    expect(await ancestors(app, url), url).toBe(both);
  for (const url of [
    "/",
    "/r/x",
    "/r/x?embedded",
    "/r/x?q=embed",
    "/admin?q=?embed",
    "/r/x?q=%26embed",
    "/?render&embed",

    "/admin",
    "/account",
    "/sql",
    "/room/x",
  ])
    expect(await ancestors(app, url), url).toBe("'none'");
});

test("without the setting no site has a frame, and none may read", async () => {
  const closed = await served({});
  for (const url of ["/s/secret", "/r/x?embed", "/"]) expect(await ancestors(closed, url), url).toBe("'none'");
  const { headers } = await closed.inject({ url: "/api/shares/x/files/y", headers: { origin: LISTED } });
  expect(headers["access-control-allow-origin"]).toBeUndefined();
  await closed.close();
});

test("a listed site may read what a link shows, and another site may not; the code of the player is for all", async () => {
  const allowed = async (url: string, origin: string, method: "GET" | "OPTIONS" = "GET"): Promise<unknown> =>
    (await app.inject({ url, method, headers: { origin } })).headers["access-control-allow-origin"];
  const file = "/api/shares/x/files/y";
  expect(await allowed(file, LISTED)).toBe(LISTED);
  for (const origin of [OTHER, "null", `${LISTED}.evil.example`])
    expect(await allowed(file, origin), origin).toBeUndefined();
  expect(await allowed("/player.js", LISTED)).toBe("*");
  for (const url of ["/api/shares", "/", "/r/x", "/icon.svg"]) expect(await allowed(url, LISTED), url).toBeUndefined();
  const { statusCode, headers } = await app.inject({
    url: "/api/shares/x/files/y",
    method: "OPTIONS",
    headers: { origin: LISTED, "access-control-request-headers": "range" },
  });
  expect(statusCode).toBe(204);
  expect(headers).toMatchObject({ "access-control-allow-headers": "Range", vary: "Origin" });
  expect(headers["access-control-allow-credentials"]).toBeUndefined();
  expect(await allowed("/api/shares/x/files/y", OTHER, "OPTIONS")).toBeUndefined();
});

test.each(["docs.example.org", "https://docs.example.org/path", "*", "https://a.example; script-src *"])(
  "%s is no origin",
  async (frameAncestors) => {
    await expect(settingsOf({ store: ".", frameAncestors }, undefined, {})).rejects.toThrow(/--frame-ancestors/);
  },
);
