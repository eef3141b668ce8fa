import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as S3 from "../../src/io/s3/s3.ts";
import { S3Client } from "../../src/io/s3/s3-client.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { servePage, type PageServer } from "./page-server.ts";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** What a bucket must allow a page of another origin, for a store to work there. */
const CORS =
  "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedHeader>*</AllowedHeader>" +
  ["GET", "HEAD", "PUT", "POST", "DELETE"].map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join("") +
  ["ETag", "x-amz-meta-idempotency-key", "Content-Range"]
    .map((name) => `<ExposeHeader>${name}</ExposeHeader>`)
    .join("") +
  "</CORSRule></CORSConfiguration>";

describe.skipIf(!existsSync(EXECUTABLE))("a page in a browser", () => {
  describeWithCeph("with a bucket on a real S3 server", (bucket) => {
    let folder: string;
    let server: PageServer;
    let browser: Browser;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "simtape-page-"));
      const entry = fileURLToPath(new URL("../../src/io/s3/s3.ts", import.meta.url));
      await build({
        logLevel: "silent",
        configFile: false,
        build: { outDir: folder, lib: { entry, formats: ["iife"], name: "simtape", fileName: () => "s3.js" } },
      });
      await writeFile(
        join(folder, "index.html"),
        `<!doctype html><link rel="icon" href="data:,"><script src="s3.js"></script>`,
      );
      server = await servePage(folder, new Map());
      browser = await chromium.launch({
        executablePath: EXECUTABLE,
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--no-first-run",
        ],
      });
      const body = new TextEncoder().encode(CORS);
      const headers = { "content-md5": createHash("md5").update(body).digest("base64") };
      await new S3Client(bucket()).ask({
        method: "PUT",
        key: null,
        query: { cors: "" },
        headers,
        body,
        repeatable: true,
      });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test("puts under conditions, lists, reads in ranges, sends parts and deletes", async () => {
      const context = await browser.newContext({ bypassCSP: true });
      const page = await context.newPage();
      await page.goto(server.url);
      const { endpoint, bucket: name, credentials } = bucket();
      const found = await page.evaluate(
        async (options) => {
          const { s3Store } = (globalThis as unknown as { simtape: typeof S3 }).simtape;
          const store = s3Store({ ...options, prefix: "page", partSize: 5 << 20 });
          const codeOf = (error: unknown): string => (error as { code: string }).code;
          const absent = { absent: true } as const;
          const bytes = new Uint8Array(1000).map((_, i) => i);
          const etag = await store.put("a/b", bytes, { condition: absent, idempotencyKey: "one" });
          const again = await store.put("a/b", bytes, { condition: absent, idempotencyKey: "one" });
          const late = await store.put("a/b", bytes, { condition: absent }).catch(codeOf);
          const stale = await store.put("a/b", bytes, { condition: { etag: "other" } }).catch(codeOf);
          const source = await store.source("a/b");
          const range = [...(await source!.read(500, 3))];
          const sink = await store.sink("large", { condition: absent });
          for (let i = 0; i < 6; i++) await sink.write(new Uint8Array(1 << 20));
          await sink.close();
          const keys: string[] = [];
          for await (const { key, size } of store.list("")) keys.push(`${key} ${size}`);
          await store.delete("a/b", { condition: { etag } });
          return { isSame: again === etag, late, stale, range, keys, gone: await store.head("a/b") };
        },
        { endpoint, bucket: name, credentials },
      );
      await context.close();
      expect(found).toEqual({
        isSame: true,
        late: "conflict",
        stale: "conflict",
        range: [244, 245, 246],
        keys: ["a/b 1000", "large 6291456"],
        gone: null,
      });
    });
  });
});
