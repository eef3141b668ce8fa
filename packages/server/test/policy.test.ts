import fastify from "fastify";
import { expect, test } from "vitest";
import type { Context } from "../src/context.ts";
import { pageRoutes } from "../src/pages/routes.ts";
import { type Given, settingsOf } from "../src/settings.ts";

/** What a page of a server with these settings may connect to, by each of its addresses. */
async function connections(given: Given): Promise<readonly string[]> {
  const settings = await settingsOf(given, undefined, {});
  const app = fastify();
  (await pageRoutes(settings))(app, { settings } as Context);
  const found = new Set<string>();
  for (const url of ["/", "/r/x", "/room/x", "/reviews", "/account", "/admin", "/s/x"]) {
    const { headers, statusCode } = await app.inject({ url });
    expect(statusCode, url).toBe(200);
    found.add(/connect-src ([^;]*)/.exec(String(headers["content-security-policy"]))?.[1] ?? "none");
  }
  await app.close();
  return [...found];
}

test("pages read from their server and from the bucket that browsers are sent to, and from nowhere else", async () => {
  const s3 = { store: "s3://tapes/all", s3Key: "key", s3Secret: "secret", s3Endpoint: "https://s3.example.org:8443" };
  expect(await connections({ store: "." })).toEqual(["'self'"]);
  expect(await connections(s3)).toEqual(["'self'"]);
  expect(await connections({ ...s3, direct: "on" })).toEqual(["'self' https://s3.example.org:8443/tapes/all/"]);
});
