import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../viewer/test/support/viewer.ts";
import { violations } from "./support/axe.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 60_000;
const CORPUS = fileURLToPath(new URL("../../corpus/cases", import.meta.url));

describe.skipIf(!hasChromium)("the page of SQL", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-sql-page-"));
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    copyFileSync(join(CORPUS, "carla/0.9.15/town.log"), join(folder, "town.log"));
    node = await startNode([folder]);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      (found) => found.recordings[0]?.state === "indexed",
    );
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
  }, 240_000);

  afterEach(() => {
    expect(browsing.errors.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const statement = () => page.getByLabel("Statement");
  const answer = () => page.getByRole("table", { name: "Answer" });
  const status = () => page.locator(".sql-status");
  const shot = async (name: string): Promise<void> => {
    const path = process.env["SIMTAPE_SHOTS"];
    if (path !== undefined) await page.screenshot({ path: join(path, `${name}.png`) });
  };

  test("a statement runs by a key, and its answer is a table with units and a chart", async () => {
    await page.goto(node.address);
    await page.getByRole("link", { name: "SQL" }).click();
    await page.getByText("Of 1 recording.").waitFor();
    await statement().fill("select time, id, position_x, label from vehicles where id = 24 order by time");
    await page.keyboard.press("Control+Enter");
    await answer().waitFor();
    await expect.poll(() => status().textContent()).toMatch(/^\d+ rows, /);
    const heads = await answer().getByRole("columnheader").allTextContents();
    expect(heads).toEqual(["time s", "id", "position_x cm", "label"]);
    expect(new URL(page.url()).searchParams.get("q")).toContain("from vehicles");
    await page.getByRole("button", { name: "Chart" }).click();
    const count = Number.parseInt((await status().textContent()) ?? "", 10);
    await page.getByRole("img", { name: `position_x [cm] over time [s], ${count} points` }).waitFor();
    expect(await violations(page)).toBe("");
    await shot("light");
    await page.getByRole("button", { name: "Dark colours" }).click();
    expect(await violations(page)).toBe("");
    await shot("dark");
    await page.getByRole("button", { name: "Light colours" }).click();
    // the chart stays for the next answer, of which it is
    await statement().fill("select id, count(*) as n from vehicles group by id");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("img", { name: /^n over id, \d+ points$/ }).waitFor();
  });

  test("a link brings the statement and its answer; back brings the one before", async () => {
    const address = (sql: string): string => `${node.address}/sql?q=${encodeURIComponent(sql)}`;
    await page.goto(address("select 'first' as word"));
    await answer().getByText("first", { exact: true }).waitFor();
    await statement().fill("select 'second' as word");
    await page.getByRole("button", { name: "Run" }).click();
    await answer().getByText("second", { exact: true }).waitFor();
    await page.goBack();
    await answer().getByText("first", { exact: true }).waitFor();
    expect(await statement().inputValue()).toBe("select 'first' as word");
    // what was run is kept in this browser
    const kept = page.getByRole("list").filter({ hasText: "second" }).getByRole("button");
    expect((await kept.allTextContents())[0]).toBe("select 'second' as word");
  });

  test("a wrong statement has a caret below its wrong place, and the cursor stands there", async () => {
    await page.goto(`${node.address}/sql`);
    // before anything was asked there are statements to press
    await page.getByRole("button", { name: "select kind, count(*) as events" }).waitFor();
    await statement().fill("select id,\n  positionx from vehicles");
    await page.keyboard.press("Control+Enter");
    const alert = page.locator(".sql-failure");
    await alert.getByText("the nearest is position_x").waitFor();
    expect(await alert.locator("pre").textContent()).toBe("  positionx from vehicles\n  ^");
    const at = await statement().evaluate((field) => (field as HTMLTextAreaElement).selectionStart);
    expect(at).toBe("select id,\n  ".length);
    expect(await violations(page)).toBe("");
    await shot("error");
    // the browser notes the answer 400
    browsing.errors.length = 0;
  });

  test("Escape ends a statement that runs", async () => {
    const slow = "select count(*) from range(10000000) a, range(10000000) b where a.range * b.range % 7 = 3";
    await statement().fill(slow);
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => status().textContent()).toBe("Running …");
    await statement().focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => status().textContent()).toBe("Cancelled.");
  });

  test("a table of the list is shown, its columns are put into the statement, and answers are files", async () => {
    await page.getByText("vehicles", { exact: true }).click();
    await page.getByRole("button", { name: "Show its rows" }).locator("visible=true").click();
    await answer().getByRole("columnheader", { name: "brake", exact: true }).waitFor();
    await statement().fill("select  from vehicles");
    await statement().evaluate((field) => (field as HTMLTextAreaElement).setSelectionRange(7, 7));
    await page.getByRole("button", { name: "brake", exact: true }).click();
    await expect.poll(() => statement().inputValue()).toBe("select brake from vehicles");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => answer().getByRole("columnheader").allTextContents()).toEqual(["brake"]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("answer.csv");
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split(/\r?\n/);
    expect([lines[0], lines.length]).toEqual(["brake", 27]);
    // the answer is still there
    await answer().waitFor();
  });

  test("many rows: only those that are seen are in the page, and keys scroll to the last", async () => {
    await statement().fill("select range as n from range(9000)");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => status().textContent()).toMatch(/^9,000 rows/);
    expect(await answer().getByRole("row").count()).toBeLessThan(200);
    expect(await answer().getAttribute("aria-rowcount")).toBe("9001");
    await page.locator(".sql-rows").focus();
    await page.keyboard.press("End");
    await answer().getByRole("cell", { name: "8999", exact: true }).waitFor();
  });

  test("on a phone all of it can be reached", async () => {
    const { width, height } = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 800 });
    const box = (await statement().boundingBox())!;
    expect(box.x >= 0 && box.x + box.width <= 390).toBe(true);
    await page.getByText("recordings", { exact: true }).scrollIntoViewIfNeeded();
    expect(await violations(page)).toBe("");
    await page.setViewportSize({ width, height });
  });
});
