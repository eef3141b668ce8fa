import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Format } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixtures } from "../fixtures/hcrp/make.ts";
import type { Page as Script } from "./bundled/main.ts";
import { type PageServer, servePage } from "./page-server.ts";

const WASM = readFileSync(new URL("../../src/codec/zstd.wasm", import.meta.url));
const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** What esbuild makes of the page without a word on `zstd.wasm`, which it then leaves out. */
describe.skipIf(!existsSync(EXECUTABLE)).each(["esm", "iife"] as const)(
  "zstd in a page by esbuild, as %s",
  (format) => {
    const served = new Map<string, Uint8Array>();
    let folder: string;
    let server: PageServer;
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      served.set("race.hcrp", (await fixtures()).get("tower-race.hcrp")!);
      served.set("zstd.wasm", WASM);
      served.set("page.html", new TextEncoder().encode("<!doctype html>"));
      served.set("damaged.wasm", WASM.subarray(0, 100_000));
      folder = await mkdtemp(join(tmpdir(), "simtape-esbuild-"));
      await bundle(folder, format);
      server = await servePage(folder, served);
      browser = await chromium.launch({
        executablePath: EXECUTABLE,
        args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
      });
    });

    afterAll(async () => {
      await browser?.close();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    beforeEach(async () => {
      page = await browser.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => "opened" in globalThis);
    });

    afterEach(() => page.close());

    test("is an error that says what to do, where the file is not to be had", async () => {
      const said = await opened(page);
      expect(said).toMatch(/^unsupported: zstd\.wasm could not be loaded: /);
      expect(said).toContain("call provideZstd");
    });

    test.each([
      ["a page in its place", "recordings/page.html", "expected WebAssembly"],
      ["nothing", "recordings/none.wasm", "HTTP status 404"],
      ["half a file", "recordings/damaged.wasm", "WebAssembly"],
    ])("is an error where its address has %s", async (_, address, why) => {
      await page.evaluate((at) => (globalThis as unknown as Script).provideZstd(at), address);
      expect(await opened(page)).toContain(why);
    });

    test("opens with its address, also after it failed without", async () => {
      expect(await opened(page)).toMatch(/^unsupported/);
      await page.evaluate(() => (globalThis as unknown as Script).provideZstd("recordings/zstd.wasm"));
      expect(await opened(page)).toBe("hcrp");
    });

    test("opens with its content", async () => {
      await page.evaluate(async () => {
        const bytes = await (await fetch("recordings/zstd.wasm")).arrayBuffer();
        (globalThis as unknown as Script).provideZstd(new Uint8Array(bytes));
      });
      expect(await opened(page)).toBe("hcrp");
    });
  },
);

/** Fails when it takes five seconds: an error must not be waited for. */
async function opened(page: Page): Promise<string> {
  page.setDefaultTimeout(5000);
  const result = await page.waitForFunction(
    () => (globalThis as unknown as Script).opened("recordings/race.hcrp"),
    undefined,
    { polling: 60_000 },
  );
  return result.jsonValue();
}

async function bundle(folder: string, format: Format): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL("bundled/main.ts", import.meta.url))],
    bundle: true,
    format,
    outfile: join(folder, "main.js"),
    logLevel: "error",
  });
  const type = format === "esm" ? ' type="module"' : "";
  await writeFile(join(folder, "index.html"), `<!doctype html><body><script src="main.js"${type}></script></body>`);
}
