import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { servePage } from "../../packages/simtape/test/browser/page-server.ts";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The functions of the project's pages. */
interface Page {
  opened(address: string): Promise<{ readonly info: { readonly format: string } }>;
  provideZstd(wasm: string): void;
}

/**
 * Opens recordings of `project` in a built page; null when all open, or what went wrong. `withZstd`: the bundler left
 * zstd.wasm out, and the page says where it is.
 */
export async function openedInChromium(
  built: string,
  project: string,
  recordings: readonly string[],
  withZstd: boolean,
): Promise<string | null> {
  if (!existsSync(EXECUTABLE)) {
    console.log(`  --  no Chromium at ${EXECUTABLE}: pages are built and not opened`);
    return null;
  }
  const served = new Map(recordings.map((name) => [name, new Uint8Array(readFileSync(join(project, name)))]));
  served.set("zstd.wasm", readFileSync(join(project, "node_modules/simtape-core/dist/codec/zstd.wasm")));
  const server = await servePage(built, served);
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => "opened" in globalThis);
    if (withZstd) await page.evaluate(() => (globalThis as unknown as Page).provideZstd("recordings/zstd.wasm"));
    for (const name of recordings) {
      await page.evaluate(
        async (address) => void (await (globalThis as unknown as Page).opened(address)),
        `recordings/${name}`,
      );
    }
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await browser.close();
    await server.close();
  }
}
