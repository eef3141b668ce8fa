import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { entriesOf, type ViewEntry } from "../../../simtape/src/cli/view/entries.ts";
import { serveView } from "../../../simtape/src/cli/view/server.ts";
import type { Session } from "../../src/session.ts";
import { builtPage } from "./build.ts";

export { hashOf } from "../../src/kept.ts";

declare global {
  /** The session of the page, as its console sees it. */
  var simtape: Session;
}

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export const hasChromium: boolean = existsSync(EXECUTABLE);
if (!hasChromium) {
  console.warn(
    `tests of the viewer are skipped: no Chromium at ${EXECUTABLE}; install it, or set CHROMIUM to its path`,
  );
}

/** A recording that ships with the project. */
export function example(name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
}

/** The built page, served as `simtape view` does, and a browser with WebGL in software. */
export interface Viewer extends AsyncDisposable {
  readonly entries: readonly ViewEntry[];
  /** Of the built page. */
  readonly folder: string;
  /** Address of the page with those entries open; with none, of its first page. */
  address(...names: string[]): string;
  addressOf(entries: readonly ViewEntry[]): string;
  /** A page of 900 × 520, small for the sake of drawing in software; what goes wrong in it is in `errors`. */
  page(address: string): Promise<{ readonly page: Page; readonly errors: readonly string[] }>;
}

export async function startViewer(
  files: readonly string[],
  given?: Parameters<typeof serveView>[0]["given"],
  modules: readonly string[] = [],
): Promise<Viewer> {
  const folder = await builtPage();
  const entries = await entriesOf(files);
  const server = await serveView({ folder, entries, given, modules });
  const browser = await launch();
  // One for all pages: what was loaded and compiled for one is there for the next.
  const context = await browser.newContext({ viewport: { width: 900, height: 520 } });
  return {
    entries,
    folder,
    addressOf: (opened) => server.address(opened),
    address: (...names) => server.address(names.map((name) => entries.find((entry) => entry.name === name)!)),
    page: (address) => openPage(context, address),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.close();
    },
  };
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--no-sandbox",
      // As a browser is where there is no graphics card: WebGL in software, and the page itself without it.
      "--enable-unsafe-swiftshader",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

async function openPage(context: BrowserContext, address: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.stack ?? String(error)));
  page.on("console", (line) => {
    // Reading pixels back from a software renderer is slow, and Chromium says so.
    if (line.type() === "error" || (line.type() === "warning" && !line.text().includes("GPU stall")))
      errors.push(line.text());
  });
  await page.goto(address);
  return { page, errors };
}

/** Panels side by side, as the layout is kept in an address; a scene takes a while to draw without a graphics card. */
export function layoutOf(panels: readonly string[]): unknown {
  const data = panels.map((id) => ({ type: "leaf", size: 640, data: { id, views: [id], activeView: id } }));
  const named = panels.map((id) => [id, { id, contentComponent: id, title: id }] as const);
  return {
    grid: { root: { type: "branch", size: 500, data }, width: 1280, height: 500, orientation: "HORIZONTAL" },
    panels: Object.fromEntries(named),
  };
}

/** Lets go of files over the page; a name with a slash is in a folder. */
export async function drop(
  page: Page,
  files: Readonly<Record<string, Uint8Array>>,
  options: { readonly shiftKey?: boolean } = {},
): Promise<void> {
  const encoded = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")] as const);
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const [name, text] of dropped) {
      data.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
    }
    return data;
  }, encoded);
  await page.dispatchEvent(".drop-zone", "drop", { dataTransfer: transfer, ...options });
}

/** Waits until a recording is shown, and listens. */
export async function untilOpen(page: Page): Promise<void> {
  await page.getByRole("toolbar", { name: "Playing" }).waitFor();
  await page.waitForFunction(() => simtape.state.value.phase === "open" && simtape.frame !== null);
}
