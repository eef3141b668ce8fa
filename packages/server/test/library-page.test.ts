import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const TIMEOUT = 20_000;

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

describe.skipIf(!hasChromium)("the library page", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-library-page-"));
  const made = join(folder, "made");
  const library = join(folder, "library");
  const nodes: TestNode[] = [];
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    await printed(["demo", "carla", "-o", made, "--seconds", "3"]);
    await makeDemos(library);
    node = await startNode([library]);
    nodes.push(node);
    await until(listed, (all) => all.length === 5 && all.every(({ state }) => state === "indexed"));
    browsing = await browse();
    page = await browsing.page();
    page.setDefaultTimeout(TIMEOUT);
  });
  afterEach(() => {
    expect(browsing.errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browsing?.close();
    for (const one of nodes) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<readonly Item[]> =>
    (await json<{ recordings: Item[] }>(node.address, "/api/recordings?sort=name")).recordings;
  const cards = (): Promise<string[]> => page.locator(".card-name").allTextContents();
  const selected = (): Promise<string[]> => page.locator("li:has(.card-select:checked) .card-name").allTextContents();
  const fileOf = (path: string, name: string): { name: string; mimeType: string; buffer: Buffer } => {
    return { name, mimeType: "application/octet-stream", buffer: readFileSync(path) };
  };
  const toolbar = () => page.getByRole("toolbar", { name: "Selected recordings" });

  test("region files in a zip beside a recording are seen around its players", async () => {
    const race = (await listed()).find(({ name }) => name.startsWith("race"));
    await page.goto(`${node.address}/r/${race!.id}`);
    await untilOpen(page);
    await page.waitForFunction(() => simtape.companions.value.some(({ name }) => name === "race.region.zip"));
    await page.getByRole("img", { name: /chunks of the world/ }).waitFor();
  });

  test("a road net that is dropped with a recording is seen by all who open it", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload …" }).click(),
    ]);
    // it has the name of the map, not that of the recording
    await chooser.setFiles([
      fileOf(join(made, "town.xodr"), "Town07.xodr"),
      fileOf(join(made, "town.log"), "drive.log"),
    ]);
    await expect.poll(() => page.locator(".uploads li[data-state=done]").count()).toBe(2);
    const drive = await until(
      async () => (await listed()).find(({ name, state }) => name === "drive.log" && state === "indexed"),
      (found) => found !== undefined,
    );
    await page.goto(`${node.address}/r/${drive!.id}`);
    await untilOpen(page);
    await page.waitForFunction(() => simtape.companions.value.length === 1);
    expect(
      await page.evaluate(() => simtape.companions.value.map(({ name, scenery }) => [name, scenery.parts.length > 0])),
    ).toEqual([["Town07.xodr", true]]);
    // and it is removed on the page of the recording
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("button", { name: "Remove Town07.xodr" }).click();
    await page.waitForFunction(() => simtape.companions.value.length === 0);
    await json(node.address, "/api/recordings?limit=1");
    expect((await fetch(`${node.address}/api/recordings/${drive!.id}`, { method: "DELETE" })).status).toBe(204);
  });

  test("a world that comes without its recording is refused, and the page says what to do", async () => {
    await page.goto(node.address);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload …" }).click(),
    ]);
    await chooser.setFiles([fileOf(join(made, "town.xodr"), "alone.xodr")]);
    await page.getByRole("region", { name: "Uploads" }).getByText("drop it together with that one").waitFor();
    expect(await listed()).toHaveLength(5);
  });

  test("several of a property are chosen, counted and kept in the address", async () => {
    await page.goto(node.address);
    const choice = (name: RegExp) => page.locator(".facet-choice").filter({ hasText: name });
    await choice(/CARLA/i).locator("input").check();
    await expect.poll(async () => (await cards()).length).toBe(1);
    // others of the same property are still counted
    await choice(/MIRA/i).locator("small").waitFor();
    await choice(/MIRA/i).locator("input").check();
    await expect.poll(async () => (await cards()).length).toBe(2);
    expect(new URL(page.url()).searchParams.getAll("format")).toEqual(["carla", "mira"]);
    await page.locator(".facet", { hasText: /^Map/ }).locator("input").first().check();
    await expect.poll(async () => (await cards()).length).toBe(1);
    await page.reload();
    await expect.poll(async () => (await cards()).length).toBe(1);
    await page.getByRole("button", { name: "Remove 3 filters" }).click();
    await page.getByLabel("Order", { exact: true }).selectOption("name");
    const names = (await listed()).map(({ name }) => name);
    await expect.poll(cards).toEqual(names);
    await page.getByRole("button", { name: /turn the order/ }).click();
    await expect.poll(cards).toEqual(names.toReversed());
    expect(new URL(page.url()).search).toBe("?sort=name&order=desc");
  });

  test("keys select recordings, two are compared", async () => {
    await page.goto(`${node.address}/?sort=name`);
    await expect.poll(async () => (await cards()).length).toBe(5);
    const names = await cards();
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await expect.poll(selected).toEqual(names.slice(0, 1));
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(selected).toEqual(names.slice(0, 3));
    await toolbar().getByText("3 selected").waitFor();
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(selected).toEqual(names.slice(0, 2));
    await page.keyboard.press("Control+a");
    await expect.poll(selected).toEqual(names);
    expect(await toolbar().getByRole("button", { name: "Compare" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(selected).toEqual([]);
    for (const name of ["race.hcrp", "town.log"]) await page.getByLabel(`Select ${name}`).check();
    await toolbar().getByRole("button", { name: "Compare" }).click();
    await untilOpen(page);
    await page.waitForFunction(() => simtape.state.value.decks.length === 2);
    expect(await page.evaluate(() => simtape.state.value.decks.map(({ place }) => place.name))).toEqual([
      "race.hcrp",
      "town.log",
    ]);
  });

  test("what is done with many says which of them it was not done with", async () => {
    const before = await listed();
    for (const name of ["first.hcrp", "second.hcrp"]) {
      cpSync(join(library, "race.hcrp"), join(library, name));
    }
    const all = await until(
      listed,
      (found) => found.length === before.length + 2 && found.every(({ state }) => state === "indexed"),
    );
    const held = all.find(({ name }) => name === "second.hcrp")!;
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    await json(node.address, `/api/recordings/${held.id}/holds`, { ...init, body: '{"reason":"wanted"}' });
    await json(node.address, "/api/collections", { ...init, body: '{"name":"races","public":"all"}' });
    await page.goto(`${node.address}/?sort=name`);
    for (const { name } of all.filter(({ name: one }) => /^(first|second)/.test(one)))
      await page.getByLabel(`Select ${name}`).check();
    await toolbar().getByRole("button", { name: "Collect …" }).click();
    await page.getByLabel("Collection", { exact: true }).selectOption({ label: "races (for all)" });
    await page.getByRole("button", { name: "Collect", exact: true }).click();
    await page.getByText("2 recordings collected.").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    expect(await json<{ recordings: Item[] }>(node.address, "/api/recordings?collection=races")).toMatchObject({
      recordings: [{}, {}],
    });
    await toolbar().getByRole("button", { name: "Export …" }).click();
    await page.getByLabel("What to export").selectOption("csv");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByText("2 recordings ready to download.").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".batch-list a").first().click(),
    ]);
    expect(readFileSync(await download.path(), "utf8").split("\n").length).toBeGreaterThan(10);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await toolbar().getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("1 of 2 recordings deleted, 1 not.").waitFor();
    await page.getByText("it is on hold: wanted").waitFor();
    browsing.errors.splice(0);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(cards).not.toContain("first.hcrp");
    expect((await listed()).map(({ name }) => name)).toContain("second.hcrp");
  });

  test("a picture moves while its card is looked at, unless the user wants no motion", async () => {
    await page.goto(node.address);
    const card = page.locator(".card").first();
    await card.hover();
    const moving = card.locator(".card-moving");
    await expect.poll(() => moving.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    await page.mouse.move(0, 0);
    await expect.poll(() => moving.count()).toBe(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await card.hover();
    await page.waitForTimeout(500);
    expect(await moving.count()).toBe(0);
    await page.emulateMedia({ reducedMotion: null });
  });

  test("an empty library says what to do", async () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const other = await startNode([empty]);
    nodes.push(other);
    await page.goto(other.address);
    await page.getByRole("heading", { name: "This library is empty" }).waitFor();
    await page.getByText(`simtape push FILE… ${other.address}`).waitFor();
    await page.getByText(`${other.address}/api/live/run-1`).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose files …" }).click(),
    ]);
    await chooser.setFiles([fileOf(join(made, "town.log"), "town.log")]);
    await expect.poll(cards).toEqual(["town.log"]);
  });

  // the last: the clock is that of all pages
  test("what can be chosen is counted again with every list that is other, as long as before or not", async () => {
    const count = (name: RegExp) =>
      page.locator(".facet-choice").filter({ hasText: name }).locator("small").textContent();
    const indexed = async (): Promise<string[]> =>
      (await listed()).filter(({ state }) => state === "indexed").map(({ name }) => name);
    cpSync(join(library, "race.hcrp"), join(library, "third.hcrp"));
    await until(indexed, (names) => names.includes("third.hcrp"));
    await page.clock.install();
    // what is found by a search is counted each time it is asked for
    await page.goto(`${node.address}/?q=longer+than+0.1+s`);
    await expect.poll(() => count(/MIRA/)).toBe("1");
    const races = Number(await count(/HCRP/));
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    const third = (await listed()).find(({ name }) => name === "third.hcrp")!;
    expect((await fetch(`${node.address}/api/recordings/${third.id}`, { method: "DELETE" })).status).toBe(204);
    cpSync(join(library, "robot.tape"), join(library, "other.tape"));
    await until(indexed, (names) => names.includes("other.tape"));
    // the list is asked for again, and not yet all that can be chosen
    await page.clock.runFor(3100);
    await expect.poll(cards).toContain("other.tape");
    await page.clock.runFor(300);
    await expect.poll(() => count(/MIRA/)).toBe("2");
    expect(await count(/HCRP/)).toBe(String(races - 1));
  });
});
