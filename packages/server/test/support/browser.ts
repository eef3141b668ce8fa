import { type BrowserContext, chromium, type Page } from "playwright-core";

/** A browser, and what goes wrong in its pages. */
export interface Browsing {
  readonly context: BrowserContext;
  /** Empty it to forget what was expected to go wrong. */
  readonly errors: string[];
  page(): Promise<Page>;
  /** A page of another browser: without its cookies. */
  stranger(): Promise<Page>;
  close(): Promise<void>;
}

/** Starts Chromium; pages are 1280 × 720. */
export async function browse(): Promise<Browsing> {
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking", "--no-first-run"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const errors: string[] = [];
  return {
    context,
    errors,
    page: async () => {
      const page = await context.newPage();
      page.on("pageerror", (error) => errors.push(error.stack ?? String(error)));
      page.on("console", (line) => {
        // parts of the server that are asked for and not there are no error of the page
        const isMissing = line.text().includes("404");
        if (line.type() === "error" && !isMissing) errors.push(line.text());
      });
      return page;
    },
    stranger: async () => (await browser.newContext()).newPage(),
    close: () => browser.close(),
  };
}
