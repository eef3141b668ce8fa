import type { Page } from "playwright-core";
import { MemoryFiles } from "simtape";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../../demo/src/hcrp.ts";
import { READ_AFAR } from "../../src/afar.ts";
import type { Kept } from "../../src/kept.ts";
import { FarServer, partHeaders } from "../support/far-server.ts";
import { onePage } from "../support/one-page.ts";
import { hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

/** Much less than all there is to read. */
const LITTLE = READ_AFAR / 4;

describe.skipIf(!hasChromium)("a large recording far away", () => {
  let viewer: Viewer;
  let page: Page;
  let far: FarServer;
  /** Bytes that were asked for. */
  let read = 0;

  onePage([], (opened) => {
    ({ viewer, page } = opened);
  });

  beforeAll(async () => {
    const files = new MemoryFiles("far.hcrp");
    await demo({ seconds: 400, entities: 40, seed: 1 }, files);
    // Most of it is nothing.
    const size = READ_AFAR + files.bytes.length;
    far = new FarServer((response, { start, ...asked }) => {
      const end = Math.min(size, asked.end);
      read += end - start;
      const content = Buffer.alloc(end - start);
      content.set(files.bytes.subarray(start, end));
      response.writeHead(206, { ...partHeaders(start, end, size), ETag: '"a"' }).end(content);
    });
    await far.listen();
  });

  afterAll(() => far?.[Symbol.asyncDispose]());

  async function go(kept: Kept): Promise<void> {
    read = 0;
    await page.goto("about:blank");
    await page.goto(`${viewer.address()}?url=${encodeURIComponent(far.addressOf("far.hcrp"))}${hashOf(kept)}`);
    await untilOpen(page);
  }

  test("is not read because its panels are open, but by who asks for a plot", async () => {
    await go({});
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    await page.getByTitle("Read the whole recording over the network").waitFor();
    for (const [name, reported] of [
      ["Messages", /^at least \d+ messages$/],
      ["Bytes", /^\d+ records so far/],
      ["Info", /^bytes$/],
      ["State", /players/],
    ] as const) {
      await page.getByRole("tab", { name, exact: true }).click();
      await page.locator(`section.panel[aria-label=${name}]`).getByText(reported).first().waitFor();
    }
    expect(read).toBeLessThan(LITTLE);
    // A line that is there has a unit.
    expect(await page.locator(".plot-unit").count()).toBe(0);
    await page.getByTitle("Read the whole recording over the network").click();
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
    await page.getByTitle("Load earlier messages").click();
    await expect.poll(() => page.locator(".inspect-bar output").textContent()).toBe("at least 384 messages");
    expect(await list.locator("[aria-selected=true] .message-time").textContent()).toBe("3:20.000");
    await list.focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => list.locator("[aria-selected=true] .message-time").textContent()).toBe("3:19.950");
    await page.evaluate(() => simtape.seek(300e9));
    await page.waitForFunction(() => simtape.frame!.time === 300e9);
    await page.getByTitle("Go to the present messages").click();
    await expect.poll(() => times.first().textContent()).toBe("5:00.000");
    expect(read).toBeLessThan(LITTLE);
  });
});
