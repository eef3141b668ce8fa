import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SimtapePlayer } from "../../viewer/player.d.ts";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { WebServer } from "../../viewer/test/support/web-server.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Item {
  readonly id: string;
  readonly format: string;
  readonly state: string;
}

describe.skipIf(!hasChromium)("links in pages of other sites", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-frames-"));
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;
  let listed: WebServer;
  let other: WebServer;

  beforeAll(async () => {
    await makeDemos(folder);
    listed = await new WebServer({}).listen();
    other = await new WebServer({}).listen();
    node = await startNode([folder, "--frame-ancestors", listed.origin]);
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(30_000);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    for (const server of [listed, other]) await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("what the dialog gives to copy works in a listed site, and in no other", async () => {
    const { recordings } = await until(
      () => json<{ recordings: Item[] }>(node.address, "/api/recordings"),
      (found) => found.recordings.length === 5 && found.recordings.every(({ state }) => state === "indexed"),
    );
    await page.goto(`${node.address}/r/${recordings.find(({ format }) => format === "carla")!.id}`);
    await untilOpen(page);
    await page.evaluate(() => simtape.seek(2e9));
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("menuitem", { name: "Make a link for others …" }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    await dialog.getByRole("button", { name: "Make the link" }).click();
    await dialog.getByText("Show it in another page").click();
    const frame = await dialog.getByRole("textbox", { name: "HTML: a frame" }).inputValue();
    const element = await dialog.getByRole("textbox", { name: /^HTML: the element/ }).inputValue();
    expect(await dialog.getByRole("textbox", { name: "Jupyter" }).inputValue()).toContain("IFrame(");
    for (const site of [listed, other]) {
      site.pages.set("/frame", frame);
      site.pages.set("/element", element);
    }

    await page.goto(`${listed.origin}/frame`);
    const inside = page.frames().find((one) => one !== page.mainFrame())!;
    await inside.waitForFunction(() => globalThis.simtape?.frame?.time === 2e9);
    expect(await inside.getByRole("toolbar", { name: "Playing" }).count()).toBe(1);
    await page.goto(`${listed.origin}/element`);
    await page.waitForFunction(() => {
      const player = document.querySelector<SimtapePlayer>("simtape-player");
      return player?.state != null && player.currentTime === 2;
    });

    const refused = page.waitForEvent("console", (line) => line.text().includes("frame-ancestors"));
    await page.goto(`${other.origin}/frame`);
    await refused;
    await page.goto(`${other.origin}/element`);
    await page.getByRole("alert").getByText("(CORS)").waitFor();
    expect(await page.evaluate(() => document.querySelector<SimtapePlayer>("simtape-player")!.state)).toBeNull();
  });
});
