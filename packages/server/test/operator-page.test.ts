import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { hasChromium } from "../../viewer/test/support/viewer.ts";
import { violations } from "./support/axe.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 30_000;
/** A player of the demo. */
const ELDAR = "Eldar";

describe.skipIf(!hasChromium)("what an operator does in the page of administrators", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-operator-"));
  const library = join(folder, "library");
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    await printed(["demo", "hcrp", "-o", library, "--seconds", "3"]);
    const policy = join(folder, "policy.json");
    const kept = { name: "races", days: 1, keepBest: false };
    writeFileSync(policy, JSON.stringify({ version: 1, graceHours: 1, classes: [kept] }));
    node = await startNode([library, "--retention", policy]);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings[0]?.state === "indexed",
    );
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
    await page.goto(`${node.address}/admin`);
    await page.getByRole("navigation", { name: "Parts" }).waitFor();
  });

  afterEach(() => {
    expect(browsing.errors.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const part = (name: string): Promise<void> =>
    page.getByRole("navigation", { name: "Parts" }).getByRole("link", { name }).press("Enter");

  test("says in words what the server does", async () => {
    await page.getByText(/^1 recording, /).waitFor();
    await page.getByText("0 rooms, 0 viewers by way of this node").waitFor();
    await page
      .getByText(/ of .* free$/)
      .first()
      .waitFor();
    expect(await violations(page)).toBe("");
  });

  test("shows the policy, what it would delete, and runs it", async () => {
    await part("Retention");
    await page.getByText("The policy").click();
    await page.getByText('"graceHours": 1').waitFor();
    await page.getByText(/^Checked .*: 1 of 1 go /).waitFor();
    await page.getByRole("row").filter({ hasText: "race" }).getByText("goes").waitFor();
    expect(await violations(page)).toBe("");
    await page.getByRole("button", { name: "Run it …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run it" }).click();
    await page.getByText(/^Carried out .*: 1 of 1 go /).waitFor();
    await page.getByRole("button", { name: "Check what it would delete" }).click();
    await page.getByText(/^Checked /).waitFor();
  });

  test("finds a subject, holds a recording, exports what is kept of them, and says what is not erased", async () => {
    await part("Subjects");
    await page.getByLabel("Name, UUID or account").fill(ELDAR);
    await page.getByLabel("Name, UUID or account").press("Enter");
    const found = page.getByRole("region", { name: "Found" });
    await found.getByRole("row").filter({ hasText: "race" }).getByRole("button", { name: "Hold …" }).click();
    await page.getByLabel("Why is it kept?").fill("a court asks");
    await page.getByRole("dialog").getByRole("button", { name: "Hold" }).click();
    await found.getByText("a court asks").waitFor();
    await found.getByRole("button", { name: "Export everything" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect(
      readFileSync(await (await download).path())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
    await found.getByRole("button", { name: "Erase …" }).click();
    const erase = page.getByRole("dialog").getByRole("button", { name: "Erase" });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${ELDAR} to go on`).fill(ELDAR);
    expect(await violations(page)).toBe("");
    await erase.click();
    await page.getByText("Not erased, look here:").waitFor();
    await page.getByRole("listitem").filter({ hasText: "on hold" }).waitFor();
    expect(await violations(page)).toBe("");
    await part("Retention");
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("Nothing is on hold.").waitFor();
  });

  test("the audit of a range of time is a table to download, with the same lines as the page", async () => {
    await part("Audit");
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "erase-subject" }).waitFor();
    await page.getByLabel("until").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Nothing was done that fits.").waitFor();
    await page.getByLabel("until").fill("");
    await page.getByLabel("from").fill("2020-01-01T00:00");
    await page.getByLabel("did what").fill("hold");
    await page.getByRole("button", { name: "Search" }).click();
    await rows.filter({ hasText: "hold" }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as CSV" }).click();
    const table = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\n");
    expect(table[0]).toBe("id,at,who,name,role,action,recording,request,address,details");
    expect(table).toHaveLength(2);
    expect(table[1]).toContain(",hold,");
    expect(await violations(page)).toBe("");
  });

  test("is readable in the dark, and on a telephone without pushing it to and fro", async () => {
    await page.getByRole("button", { name: "Dark colours" }).click();
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of ["Overview", "People", "Retention", "Subjects", "Audit"]) {
      await part(name);
      await page.locator("main [aria-current=page]").filter({ hasText: name }).waitFor();
      expect(await violations(page), name).toBe("");
      expect(await page.evaluate(() => document.querySelector("main")!.scrollWidth), name).toBeLessThanOrEqual(390);
    }
  });
});
