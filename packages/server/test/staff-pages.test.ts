import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { violations } from "./support/axe.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { makeDemos } from "./support/demos.ts";
import { SdkClient } from "../../simtape/test/live/foxglove/sdk-client.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 30_000;

interface Item {
  readonly id: string;
  readonly format: string;
  readonly state: string;
}

describe.skipIf(!hasChromium)("pages of the staff", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-staff-"));
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;
  let race: Item;

  beforeAll(async () => {
    await makeDemos(folder);
    node = await startNode([folder, "--into", "foxglove=0,nanover=0"]);
    const { recordings } = await until(
      () => json<{ recordings: Item[] }>(node.address, "/api/recordings"),
      (found) => found.recordings.length === 5 && found.recordings.every(({ state }) => state === "indexed"),
    );
    race = recordings.find(({ format }) => format === "hcrp")!;
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
  });

  afterEach(() => {
    expect(browsing.errors.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browsing?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const report = (body: object): Promise<unknown> =>
    json(node.address, "/api/reports", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ recording: race.id, first: 1, last: 3, ...body }),
    });

  test("a report goes from the queue to its verdict by keys and a form", async () => {
    await report({ subject: "Elif", text: "flew over the gap", score: 2, flags: ["fly"] });
    await report({ subject: "Kasam", text: "said something", score: 9 });
    await page.goto(`${node.address}/reviews`);
    const rows = page.locator(".reviews tbody tr");
    await expect.poll(() => rows.locator("b").allTextContents()).toEqual(["Kasam", "Elif"]);
    expect(await violations(page)).toBe("");
    // on a phone, too, all of it can be seen and pressed
    const { width, height } = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of ["Take", "race.hcrp"]) {
      const box = (await rows.first().getByText(name).boundingBox())!;
      expect([name, box.x >= 0 && box.x + box.width <= 390]).toEqual([name, true]);
    }
    expect(await violations(page)).toBe("");
    await page.setViewportSize({ width, height });
    await rows.first().focus();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await rows.nth(1).getByText("yours").waitFor();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("complementary", { name: "Review" });
    await panel.getByText("flew over the gap").waitFor();
    await untilOpen(page);
    await expect.poll(() => page.evaluate(() => simtape.time)).toBe(1e9);
    await page.evaluate(() => simtape.seek(2.5e9));
    await panel.getByLabel("A mark at this moment").fill("leaves the ground");
    await panel.getByRole("button", { name: "Mark", exact: true }).click();
    await panel.getByRole("button", { name: /0:02\.5 leaves the ground/ }).waitFor();
    await panel.getByLabel("What it is").fill("confirmed");
    await panel.getByLabel("Remark").fill("seen twice");
    await panel.getByRole("button", { name: "Close with this verdict" }).click();
    await panel.getByText("seen twice").waitFor();
    await panel.getByRole("link", { name: "Queue" }).click();
    await expect.poll(() => rows.locator("b").allTextContents()).toEqual(["Kasam"]);
    await page.getByLabel("Which", { exact: true }).selectOption("Closed");
    await rows.getByText("confirmed").waitFor();
  });

  test("two who take the same review: the second one reads who has it", async () => {
    await page.goto(`${node.address}/reviews`);
    const row = page.locator(".reviews tbody tr").first();
    await row.getByRole("button", { name: "Take" }).waitFor();
    // from now on the page hears nothing of what others do
    await page.route("**/api/reviews?*", () => undefined);
    const { reviews } = await json<{ reviews: { id: string }[] }>(node.address, "/api/reviews?state=pending");
    const first = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    await json(node.address, `/api/reviews/${reviews[0]!.id}/assign`, first);
    await row.getByRole("button", { name: "Take" }).click();
    await page.getByRole("alert").getByText("assigned to another member of the staff").waitFor();
    await page.unroute("**/api/reviews?*");
    // the browser notes the answer 409
    browsing.errors.length = 0;
    await page.reload();
    await row.getByText("yours").waitFor();
  });

  test("a link shows the recording, or a part of it, to others, until it is taken back", async () => {
    await page.goto(`${node.address}/r/${race.id}`);
    await untilOpen(page);
    await page.evaluate(() => simtape.seek(2e9));
    const dialog = page.getByRole("dialog", { name: "Share" });
    const make = async (part: RegExp): Promise<string> => {
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByRole("menuitem", { name: "Make a link for others …" }).click();
      await dialog.getByLabel(part).check();
      await dialog.getByRole("button", { name: "Make the link" }).click();
      const link = await dialog.getByLabel("The link", { exact: true }).inputValue();
      expect(await violations(page)).toBe("");
      await page.keyboard.press("Escape");
      return link;
    };
    const [whole, moment] = [await make(/whole recording/), await make(/this moment/)];
    const other = await browsing.page();
    await other.goto(whole);
    await untilOpen(other);
    expect(await other.evaluate(() => simtape.bounds.end)).toBe(await page.evaluate(() => simtape.bounds.end));
    await other.goto(moment);
    await other.getByText("Shared: the moment at 0:02.0").waitFor();
    await untilOpen(other);
    expect(await other.evaluate(() => simtape.bounds.end - simtape.bounds.start)).toBeLessThan(1e9);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("menuitem", { name: "Make a link for others …" }).click();
    for (let left = 2; left > 0; left--) {
      await expect.poll(() => dialog.getByRole("button", { name: "Take back" }).count()).toBe(left);
      await dialog.getByRole("button", { name: "Take back" }).first().click();
    }
    await expect.poll(() => dialog.getByRole("button", { name: "Take back" }).count()).toBe(0);
    await other.goto("about:blank");
    await other.goto(whole);
    await other.getByRole("alert").getByText("This link shows nothing").waitFor();
    await other.close();
  });

  test("a recording plays into a program, and is paused and stopped, from its page", async () => {
    const { outlets } = await json<{ outlets: { address: string }[] }>(node.address, "/api/outlets");
    const client = new SdkClient(outlets[0]!.address);
    await client.until(() => client.info);
    await page.goto(`${node.address}/r/${race.id}?t=1`);
    await untilOpen(page);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Play into a program …" }).click();
    const dialog = page.getByRole("dialog", { name: "Play into a program" });
    await dialog.getByLabel("Begin again at the end").check();
    const foxglove = dialog.locator(".outlets li").first();
    await foxglove.getByText("1 client").waitFor();
    await foxglove.getByRole("button", { name: "Play this here" }).click();
    await client.until(() => client.channels.size > 0);
    await foxglove.getByText(/: playing, 0:\d\d of 0:\d\d, again and again/).waitFor();
    expect(await violations(page)).toBe("");
    await foxglove.getByRole("button", { name: "Pause" }).click();
    await foxglove.getByText(/: paused, /).waitFor();
    await foxglove.getByRole("button", { name: "Stop" }).click();
    await foxglove.getByText("nothing plays").waitFor();
    await client.until(() => client.channels.size === 0);
    await client.close();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }, 120_000);
});
