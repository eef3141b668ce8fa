import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GameProxy } from "../../src/proxy/proxy.ts";
import { COURSE, Sprinter } from "../support/course.ts";
import { TestServer } from "../support/squid.ts";

let store = "";
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "simtape-words-"));
});
afterEach(() => rmSync(store, { recursive: true, force: true, maxRetries: 5 }));

/** What a server hears of what a player types through a proxy. */
async function heard(options: Partial<Parameters<typeof GameProxy.listen>[0]>, ...texts: readonly string[]) {
  await using game = await TestServer.start("1.16.5");
  const server = { host: "127.0.0.1", port: game.port };
  const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, ...options });
  try {
    const { looker } = await Sprinter.join(proxy.port, "1.16.5", "one");
    const said = game.listen("one");
    for (const text of [...texts, "end"]) looker.say(text);
    await expect.poll(() => said.at(-1)).toBe("end");
    await looker[Symbol.asyncDispose]();
    return said.slice(0, -1);
  } finally {
    await proxy.close();
  }
}

const TYPED = ["/ghost list", "/report one", "/ghostly", "ghost", "/ghost", "/reports one", "//ghost"];

test("/ghost is the proxy's own where it has a course, /report unless it leaves that to the server", async () => {
  const withoutReport = TYPED.filter((text) => text !== "/report one");
  const withoutGhost = TYPED.filter((text) => !/^\/ghost( |$)/.test(text));
  expect(await heard({}, ...TYPED)).toEqual(withoutReport);
  expect(await heard({ ring: { seconds: 5, tail: 0 } }, ...TYPED)).toEqual(withoutReport);
  expect(await heard({ leavesReports: true }, ...TYPED)).toEqual(TYPED);
  expect(await heard({ leavesReports: true, course: COURSE }, ...TYPED)).toEqual(withoutGhost);
});

test("a flood of commands neither reaches the server nor ends the connection", async () => {
  const flood = Array.from({ length: 2000 }, (_, i) => (i % 2 === 0 ? "/ghost top" : "/ghost list"));
  expect(await heard({ course: COURSE }, ...flood)).toEqual([]);
});
