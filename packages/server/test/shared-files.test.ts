/** Open files that several readers share, when the system fails: see `library/open-files.ts` and `bytes/passes.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { afterAll, expect, test } from "vitest";
import { Passes } from "../src/bytes/passes.ts";
import { sendFile } from "../src/bytes/send-file.ts";
import { limitsOf } from "../src/http/limits.ts";
import { folderLibrary } from "../src/library/folder.ts";
import type { Library, OpenFile } from "../src/library/library.ts";
import { sharingOpenFiles } from "../src/library/open-files.ts";
import { NONE } from "../src/people/person.ts";
import { settingsOf } from "../src/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-shared-"));
writeFileSync(join(folder, "file"), Buffer.alloc(1000, 7));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The library in the folder, whose open files `change` makes worse. */
async function worse(change: (opened: OpenFile) => Partial<OpenFile>): Promise<Library> {
  const library = await folderLibrary(folder);
  return {
    ...library,
    open: async (key) => {
      const opened = await library.open(key);
      return opened === null ? null : { ...opened, ...change(opened) };
    },
  };
}

test("a file that cannot be closed fails no request, with readers or without", async () => {
  const failures: unknown[] = [];
  const hear = (error: unknown): unknown => failures.push(error);
  process.on("unhandledRejection", hear);
  const library = sharingOpenFiles(
    await worse(({ close }) => ({
      close: async () => {
        await close();
        throw new Error("EIO");
      },
    })),
  );
  for (const isLeftFirst of [true, false]) {
    writeFileSync(join(folder, "other"), "text");
    const opened = await library.open("other");
    if (isLeftFirst) await library.remove("other");
    await opened!.close();
    if (!isLeftFirst) await library.remove("other");
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", hear);
  expect(failures).toEqual([]);
});

test("a range of a file that becomes shorter while it is read counts once", async () => {
  let isShorter = false;
  const library = sharingOpenFiles(
    await worse(({ read }) => ({
      read: async (start, end) => {
        const content = await read(start, isShorter ? end - 1 : end);
        isShorter = false;
        return content;
      },
    })),
  );
  const app = fastify();
  const settings = await settingsOf({ store: folder, requestsPerMinute: 3 }, undefined, {});
  const limits = await limitsOf(app, settings);
  const passes = new Passes(limits);
  app.decorate("limits", limits);
  app.decorate("passes", passes);
  app.decorateRequest("person");
  app.addHook("onRequest", async (asked, reply) => {
    asked.person = NONE;
    limits.request(asked, reply);
  });
  const lease = { until: Number.POSITIVE_INFINITY };
  app.get("/file", (asked, reply) => sendFile(library, "file", asked, reply, "no-cache", [lease]));
  app.server.removeAllListeners("request").on("request", (raw, response) => {
    const pipeline = (): void => app.routing(raw, response);
    if (!passes.answer(raw, response, pipeline)) pipeline();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = app.server.address() as AddressInfo;
      const headers = { range: "bytes=0-99" };
      request({ agent, host: "127.0.0.1", port, path: "/file", headers }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode!));
      })
        .on("error", reject)
        .end();
    });
  expect(await ask()).toBe(206);
  isShorter = true;
  expect(await ask()).toBe(206);
  expect(isShorter).toBe(false);
  expect([await ask(), await ask()]).toEqual([206, 429]);
  agent.destroy();
  await app.close();
});
