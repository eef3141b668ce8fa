import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../viewer/test/support/viewer.ts";
import { violations } from "./support/axe.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { startNode, type TestNode } from "./support/node.ts";
import { PASSWORD, userCommand } from "./support/people.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 30_000;

describe.skipIf(!hasChromium)("the page of administrators", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-admin-"));
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    expect((await userCommand(["add", "anna", folder, "--role", "admin"])).exit).toBe(0);
    node = await startNode([folder]);
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
    await page.goto(`${node.address}/admin`);
    await page.getByLabel("Name").fill("anna");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("navigation", { name: "Parts" }).waitFor();
    browsing.errors.length = 0;
  });

  afterEach(() => {
    expect(browsing.errors.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const row = (text: string) => page.locator("tbody tr").filter({ hasText: text });
  const part = (name: string): Promise<void> =>
    page.getByRole("navigation", { name: "Parts" }).getByRole("link", { name }).click();

  test("makes accounts, changes their roles, disables them", async () => {
    await part("People");
    await page.getByLabel("New account").fill("bo");
    await page.getByLabel("password").fill(PASSWORD);
    await page.getByRole("button", { name: "Make it" }).click();
    await row("bo").waitFor();
    expect(await violations(page)).toBe("");
    await page.getByLabel("Role of bo").selectOption("staff");
    await row("bo").getByRole("button", { name: "Disable" }).click();
    await row("bo").getByRole("button", { name: "Let in again" }).waitFor();
    expect(await page.getByLabel("Role of bo").inputValue()).toBe("staff");
    await page.getByLabel("New account").fill("cem");
    await page.getByLabel("password").fill("short");
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByRole("alert").waitFor();
    browsing.errors.length = 0;
  });

  test("resets a password, which is shown once; its owner signs in with it and changes it", async () => {
    await part("People");
    await row("bo").getByRole("button", { name: "Let in again" }).click();
    await row("bo").getByRole("button", { name: "Disable" }).waitFor();
    await row("bo").getByRole("button", { name: "New password …" }).click();
    await page.getByRole("button", { name: "Make a new one" }).click();
    const password = await page.getByLabel("The password").inputValue();
    expect(await violations(page)).toBe("");
    await page.getByRole("button", { name: "Done" }).click();
    const other = await browsing.stranger();
    other.setDefaultTimeout(TIMEOUT);
    await other.goto(`${node.address}/account`);
    await other.getByLabel("Name").fill("bo");
    await other.getByLabel("Password").fill(password);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.getByLabel("Password until now").fill(password);
    await other.getByLabel("New password", { exact: true }).fill("one of my own");
    await other.getByLabel("New password once more").fill("another one");
    await other.getByRole("button", { name: "Change it" }).click();
    await other.getByText("The two new passwords are not the same.").waitFor();
    await other.getByLabel("New password once more").fill("one of my own");
    await other.getByRole("button", { name: "Change it" }).click();
    await other.getByText("Your password is changed.").waitFor();
    expect(await violations(other)).toBe("");
    await other.reload();
    await other.getByRole("button", { name: "bo" }).click();
    await other.getByRole("menuitem", { name: "Your account" }).waitFor();
    browsing.errors.length = 0;
  });

  test("makes a token that works until it is revoked", async () => {
    await part("Tokens");
    await page.getByLabel("New token for").fill("the robot");
    await page.getByRole("button", { name: "Make it" }).click();
    const token = await page.getByLabel("The token").inputValue();
    const status = async (): Promise<number> =>
      (await fetch(`${node.address}/api/recordings`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    expect(await violations(page)).toBe("");
    await row("the robot").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There are no tokens.").waitFor();
    await expect.poll(status).toBe(401);
  });

  test("makes a collection, says who may read it, and takes it away", async () => {
    await part("Collections");
    await page.getByLabel("New collection").fill("finals");
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByLabel("Who may read finals").selectOption("all");
    expect(await violations(page)).toBe("");
    await row("finals").getByRole("button", { name: "Take away" }).click();
    await expect.poll(() => row("finals").count()).toBe(0);
  });

  test("shows what the server does, and who did what", async () => {
    await part("Jobs");
    await row("sweep").first().waitFor();
    await part("Audit");
    await row("collection deleted").waitFor();
    expect(await violations(page)).toBe("");
    await page.getByLabel("did what").fill("user made");
    await page.getByRole("button", { name: "Search" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    expect(await row("user made").first().textContent()).toContain("bo");
  });
});
