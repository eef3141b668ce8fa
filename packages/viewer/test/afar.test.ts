import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { MemoryFiles } from "simtape";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../simtape/src/demo/hypercube.ts";
import { READ_AFAR } from "../src/afar.ts";
import type { Kept } from "../src/kept.ts";
import { hasChromium, hashOf, layoutOf, startViewer, untilOpen, type Viewer } from "./support/viewer.ts";

/** Much less than all there is to read. */
const LITTLE = READ_AFAR / 4;

/** A recording behind HTTP in a file that is large, most of which is nothing; counts what of it is asked for. */
class Far {
  readonly #file: Uint8Array;
  readonly #server: Server;
  /** Bytes that were asked for. */
  read = 0;

  constructor(file: Uint8Array) {
    this.#file = file;
    const size = READ_AFAR + file.length;
    this.#server = createServer(({ headers, method }, response) => {
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Access-Control-Allow-Headers", "*");
      response.setHeader("Access-Control-Expose-Headers", "ETag, Content-Range, Content-Length, Accept-Ranges");
      if (method === "OPTIONS") return response.writeHead(204).end();
      const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
      const start = Number(from);
      const end = Math.min(size, to === "" ? size : Number(to) + 1);
      this.read += end - start;
      const range = { "Content-Range": `bytes ${start}-${end - 1}/${size}`, "Content-Length": end - start };
      const content = Buffer.alloc(end - start);
      content.set(this.#file.subarray(start, end));
      return response.writeHead(206, { ...range, ETag: '"a"' }).end(content);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/far.hcrp`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe.skipIf(!hasChromium)("a large recording far away", () => {
  let viewer: Viewer;
  let page: Page;
  let far: Far;
  let errors: readonly string[];

  beforeAll(async () => {
    const files = new MemoryFiles("far.hcrp");
    await demo({ seconds: 400, entities: 40, seed: 1 }, files);
    far = new Far(files.bytes);
    await far.listen();
    viewer = await startViewer([]);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(20_000);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await far?.close();
  });

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  async function go(kept: Kept): Promise<void> {
    far.read = 0;
    await page.goto("about:blank");
    await page.goto(`${viewer.address()}?url=${encodeURIComponent(far.address)}${hashOf(kept)}`);
    await untilOpen(page);
  }

  test("is not read because its panels are open, but by who asks for a plot", async () => {
    await go({});
    await page.getByRole("button", { name: "Read all of the recording, which is far away" }).waitFor();
    for (const [name, told] of [
      ["Messages", /^at least \d+ messages$/],
      ["Bytes", /^\d+ records so far/],
      ["Info", /^bytes$/],
      ["State", /players/],
    ] as const) {
      await page.getByRole("tab", { name, exact: true }).click();
      await page.locator(`section.panel[aria-label=${name}]`).getByText(told).first().waitFor();
    }
    expect(far.read).toBeLessThan(LITTLE);
    // A line that is there has a unit.
    expect(await page.locator(".plot-unit").count()).toBe(0);
    await page.getByRole("button", { name: "Read all of the recording, which is far away" }).click();
    await page.locator(".plot-unit").first().waitFor();
  });

  test("has its messages listed as far as one looks, from now on and before", async () => {
    await go({ t: 200, shared: { layout: layoutOf(["messages"]) } });
    const list = page.getByRole("listbox", { name: "Messages" });
    const times = list.locator(".message-time");
    await expect.poll(() => times.first().textContent()).toBe("3:20.000");
    await list.focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.locator(".inspect-bar output").textContent()).toBe("at least 256 messages");
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Fetch those before the first one" }).click();
    await expect.poll(() => page.locator(".inspect-bar output").textContent()).toBe("at least 384 messages");
    expect(await list.locator("[aria-selected=true] .message-time").textContent()).toBe("3:20.000");
    await list.focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => list.locator("[aria-selected=true] .message-time").textContent()).toBe("3:19.950");
    await page.evaluate(() => simtape.seek(300e9));
    await page.waitForFunction(() => simtape.frame!.time === 300e9);
    await page.getByRole("button", { name: "Go to the messages of now" }).click();
    await expect.poll(() => times.first().textContent()).toBe("5:00.000");
    expect(far.read).toBeLessThan(LITTLE);
  });
});
