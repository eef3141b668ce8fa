import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { violations } from "./support/axe.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const CORPUS = fileURLToPath(new URL("../../corpus/cases", import.meta.url));
/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 30_000;

describe.skipIf(!hasChromium)("expressions in the search, and alerts", () => {
  const library = mkdtempSync(join(tmpdir(), "simtape-alerts-page-"));
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    mkdirSync(join(library, "runs"));
    copyFileSync(join(CORPUS, "carla/0.9.15/town.log"), join(library, "town.log"));
    copyFileSync(join(CORPUS, "hcrp/walk/run.hcrp"), join(library, "runs", "run.hcrp"));
    node = await startNode([library]);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 2 && recordings.every(({ state }) => state === "indexed"),
    );
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
  });

  afterEach(() => {
    // a wrong expression is answered with 400, and the browser says so
    expect(browsing.errors.splice(0).filter((text) => !text.includes("400"))).toEqual([]);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    rmSync(library, { recursive: true, force: true });
  });

  const where = "any vehicles (speed > 1 km/h)";
  const cards = (): Promise<string[]> => page.locator(".card-name").allTextContents();

  test("the search shows recordings in which an expression is true, how often, and opens them there", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("2 recordings").waitFor();
    const field = page.getByLabel("Expression that is true at some time");
    await field.fill("any vehicles (speed >");
    await field.press("Enter");
    await page.locator(".where-excerpt").getByText("^").waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await violations(page)).toBe("");
    await field.fill("event(changed) and no/such/path > 1");
    await field.press("Enter");
    await page.getByRole("status").getByText("Nothing found").waitFor();
    await page.locator(".site-empty").getByText("no/such/path").waitFor();
    await field.fill(where);
    await field.press("Enter");
    await page.getByRole("status").getByText("1 of 2 recordings").waitFor();
    expect(await cards()).toEqual(["town.log"]);
    await page.locator(".card-fit").getByText("1 time, first at 0:00").waitFor();
    expect(new URL(page.url()).searchParams.get("where")).toBe(where);
    expect(await violations(page)).toBe("");
    await page.locator(".card").click();
    await untilOpen(page);
    expect(await page.evaluate(() => simtape.state.value.shared["when"])).toBe(where);
    await page.goBack();
    await page.getByRole("status").getByText("1 of 2 recordings").waitFor();
  });

  test("a search is saved and watched, and a new recording that fits rings the bell", async () => {
    await page.getByRole("button", { name: "Save this search …" }).click();
    await page.getByLabel("Name of the search").fill("what moves");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const watch = page.getByRole("button", { name: "Watch what moves" });
    await watch.press("Enter");
    await expect.poll(() => watch.getAttribute("aria-pressed")).toBe("true");
    copyFileSync(join(library, "town.log"), join(library, "later.log"));
    await until(
      () => json<{ unread: number }>(node.address, "/api/alerts"),
      ({ unread }) => unread === 1,
    );
    await page.goto(node.address);
    await page.getByRole("button", { name: "what moves", exact: true }).click();
    await page.getByRole("status").getByText("2 of 3 recordings").waitFor();
    await page.getByRole("link", { name: "Alerts, 1 unread" }).press("Enter");
    const row = page.getByRole("row").filter({ hasText: "later.log" });
    await row.getByText("1 time, first at 0:00").waitFor();
    await row.getByRole("img", { name: "unread" }).waitFor();
    expect(await violations(page)).toBe("");
    await row.getByRole("button", { name: "Mark as read: later.log" }).press("Enter");
    await page.getByRole("link", { name: "Alerts", exact: true }).waitFor();
    await page.getByLabel("unread only").check();
    await page.getByText("Nothing is unread.").waitFor();
    await page.getByLabel("unread only").uncheck();
    await row.getByRole("button", { name: "Mark as unread: later.log" }).click();
    await page.getByRole("link", { name: "Alerts, 1 unread" }).waitFor();
    await row.getByRole("link", { name: "later.log" }).press("Enter");
    await untilOpen(page);
    expect(await page.evaluate(() => simtape.state.value.shared["when"])).toBe(where);
    await until(
      () => json<{ unread: number }>(node.address, "/api/alerts"),
      ({ unread }) => unread === 0,
    );
  });

  test("saved searches are renamed, no longer watched, and deleted", async () => {
    await page.goto(`${node.address}/alerts`);
    await page.getByRole("button", { name: "Rename … what moves" }).click();
    await page.getByLabel("New name of what moves").fill("all that moves");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "all that moves", exact: true }).waitFor();
    await page.getByLabel("Watch all that moves").uncheck();
    await expect
      .poll(() => json(node.address, "/api/searches"))
      .toMatchObject({ searches: [{ name: "all that moves", where, watched: false }] });
    await page.getByRole("button", { name: "Delete all that moves" }).click();
    await page.getByText("No new recording has been found yet").waitFor();
    await page.getByText("save the search, and watch it").waitFor();
  });
});
