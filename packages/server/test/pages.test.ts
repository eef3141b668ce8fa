import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { drop, hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 20_000;

describe.skipIf(!hasChromium)("the pages of a server", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-pages-"));
  const library = join(folder, "library");
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    await makeDemos(library);
    node = await startNode([library]);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 5 && recordings.every(({ state }) => state === "indexed"),
    );
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

  const cards = (): Promise<string[]> => page.locator(".card-name").allTextContents();

  test("list the library, find in it as one types, open a recording, and go back", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    expect((await cards()).length).toBe(5);
    await expect
      .poll(() =>
        page.locator(".card img").evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)),
      )
      .toBe(true);
    await page.keyboard.press("/");
    await page.keyboard.type("race");
    await expect.poll(cards).toEqual(["race.hcrp"]);
    expect(new URL(page.url()).search).toBe("?q=race");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await untilOpen(page);
    expect(new URL(page.url()).pathname).toMatch(/^\/r\//);
    expect(await page.evaluate(() => simtape.state.value.decks[0]!.opened.info.format)).toBe("hcrp");
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("status").getByText("5 recordings").waitFor();
    expect(await page.evaluate(() => simtape.state.value.decks.length)).toBe(0);
  });

  test("open a large recording at its end by its seek index, without reading all of it", async () => {
    await printed(["demo", "carla", "-o", folder, "--seconds", "60", "--entities", "70"]);
    const bytes = statSync(join(folder, "town.log")).size;
    expect(bytes).toBeGreaterThan(16 << 20);
    cpSync(join(folder, "town.log"), join(library, "large.log"));
    const { id, url } = await until(
      async () => {
        const { recordings } = await json<{ recordings: { id: string; url: string; name: string; state: string }[] }>(
          node.address,
          "/api/recordings",
        );
        return recordings.find(({ name, state }) => name === "large.log" && state === "indexed");
      },
      (found) => found !== undefined,
    ).then((found) => found!);
    // it comes behind the facts
    await until(
      () => fetch(`${node.address}${url}.simtape-index`, { method: "HEAD" }),
      ({ status }) => status === 200,
    );
    const ranges: { readonly start: number; readonly length: number }[] = [];
    const note = (request: Request): void => {
      const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers()["range"] ?? "") ?? [];
      if (new URL(request.url()).pathname === url && request.method() === "GET")
        ranges.push({ start: Number(start), length: Number(last) - Number(start) + 1 });
    };
    page.on("request", note);
    await page.goto(`${node.address}/r/${id}#t=59`);
    await untilOpen(page);
    await expect.poll(() => page.evaluate(() => simtape.state.value.status.time / 1e9)).toBeCloseTo(59, 0);
    await page.getByRole("heading", { name: "hero" }).waitFor();
    await page.getByText("has a place in space now").waitFor({ state: "hidden" });
    page.off("request", note);
    // plots read on later; looks at a few places, which tell whether it is the file of the index, are short
    const end = ranges.findIndex(({ start, length }) => start > bytes * 0.9 && length > 256 << 10);
    expect(end).toBeGreaterThan(0);
    const before = ranges.slice(0, end).reduce((sum, { length }) => sum + length, 0);
    expect(before).toBeLessThan(bytes / 6);
    rmSync(join(library, "large.log"));
    await until(
      () => json<{ recordings: unknown[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 5,
    );
  });

  test("say what to do where nothing is found", async () => {
    await page.goto(`${node.address}/?q=nothing-is-called-so`);
    await page.getByText("Nothing found").waitFor();
    await page.getByRole("button", { name: "Show all recordings" }).click();
    await expect.poll(async () => (await cards()).length).toBe(5);
  });

  test("go through the cards by arrows", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    const names = await cards();
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.querySelector(".card-name")?.textContent);
    await expect.poll(focused).toBe(names[0]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toBe(names[1]);
    await page.keyboard.press("End");
    await expect.poll(focused).toBe(names[4]);
  });

  test("show what comes into the folder by itself", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    cpSync(join(library, "race.hcrp"), join(library, "arrived.hcrp"));
    await expect.poll(cards, { timeout: TIMEOUT }).toContain("arrived.hcrp");
    rmSync(join(library, "arrived.hcrp"));
    await expect.poll(cards, { timeout: TIMEOUT }).not.toContain("arrived.hcrp");
  });

  test("keep tags, a collection and a search that the user names", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    await json(node.address, "/api/collections", { ...init, body: '{"name":"finals","public":"all"}' });
    const { recordings } = await json<{ recordings: { id: string }[] }>(node.address, "/api/recordings?format=hcrp");
    await page.goto(`${node.address}/r/${recordings[0]!.id}`);
    await untilOpen(page);
    await page.getByRole("button", { name: "Details" }).click();
    const side = page.getByRole("complementary", { name: "Details" });
    await side.getByLabel("A new tag").fill("last run");
    await page.keyboard.press("Enter");
    await side.getByLabel("Remove the tag last run").waitFor();
    await side.getByLabel("Collection").selectOption({ label: "finals (for all)" });
    await expect
      .poll(
        async () =>
          (await json<{ recordings: unknown[] }>(node.address, "/api/recordings?collection=finals")).recordings,
      )
      .toHaveLength(1);
    await page.goto(`${node.address}/?tag=last%20run`);
    await expect.poll(cards).toEqual(["race.hcrp"]);
    await page.getByRole("button", { name: "Save this search …" }).click();
    await page.getByLabel("Name of the search").fill("last ones");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto(node.address);
    await page.getByRole("button", { name: "last ones", exact: true }).click();
    await expect.poll(cards).toEqual(["race.hcrp"]);
    await page.getByRole("button", { name: "Forget last ones" }).click();
    await expect.poll(() => page.getByRole("button", { name: "last ones", exact: true }).count()).toBe(0);
  });

  test("take files that the user chooses", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload …" }).click(),
    ]);
    const buffer = readFileSync(join(library, "race.hcrp"));
    await chooser.setFiles([{ name: "sent by hand.hcrp", mimeType: "application/octet-stream", buffer }]);
    await page.getByRole("region", { name: "Uploads" }).getByText("arrived").waitFor();
    await expect.poll(cards, { timeout: TIMEOUT }).toContain("sent by hand.hcrp");
    rmSync(join(library, "uploads"), { recursive: true });
    await expect.poll(cards, { timeout: TIMEOUT }).not.toContain("sent by hand.hcrp");
  });

  test("say at an address at which nothing is that it is so, and programs as they read it", async () => {
    const asked = async (path: string, accept: string): Promise<string> => {
      const { status, headers } = await fetch(node.address + path, { headers: { accept } });
      return `${status} ${headers.get("content-type")!.split(";")[0]}`;
    };
    expect(await asked("/nosuch", "text/html,*/*")).toBe("404 text/html");
    expect(await asked("/nosuch/deep?x=1", "text/html,*/*")).toBe("404 text/html");
    expect(await asked("/nosuch", "application/json")).toBe("404 application/problem+json");
    expect(await asked("/api/nosuch", "text/html,*/*")).toBe("404 application/problem+json");
    expect(await asked("/reviews", "text/html,*/*")).toBe("200 text/html");
    await page.goto(`${node.address}/nosuch`);
    await page.getByText("Nothing is at this address.").waitFor();
    await page.getByRole("link", { name: "To the library", exact: true }).waitFor();
    // The browser itself tells of the status.
    expect(browsing.errors.splice(0).every((line) => line.includes("404"))).toBe(true);
  });

  test("lead by the address to the same moment of a recording", async () => {
    const { recordings } = await json<{ recordings: { id: string }[] }>(node.address, "/api/recordings?format=carla");
    await page.goto(`${node.address}/r/${recordings[0]!.id}#t=2.5`);
    await untilOpen(page);
    await expect.poll(() => page.evaluate(() => simtape.time)).toBe(2.5e9);
    await page.evaluate(() => {
      simtape.select({ kind: "thing", set: "vehicles", id: 1 });
      return simtape.seek(3.25e9);
    });
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("menuitem", { name: "Copy the address of this moment" }).click();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await expect.poll(() => page.evaluate(() => simtape.time)).toBe(3.25e9);
    expect(await page.evaluate(() => simtape.state.value.selection)).toEqual({ kind: "thing", set: "vehicles", id: 1 });
  });

  test("tell what is in a recording, and lead to others that have it", async () => {
    const { recordings } = await json<{ recordings: { id: string }[] }>(node.address, "/api/recordings?format=hcrp");
    await page.goto(`${node.address}/r/${recordings[0]!.id}`);
    await untilOpen(page);
    await page.getByRole("button", { name: "Details" }).click();
    const side = page.getByRole("complementary", { name: "Details" });
    await side.getByRole("link", { name: "race.hcrp" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      side.getByRole("link", { name: "race.hcrp" }).click(),
    ]);
    expect(readFileSync(await download.path())).toEqual(readFileSync(join(library, "race.hcrp")));
    await side.locator("a.tag").first().click();
    await expect.poll(cards).toEqual(["race.hcrp"]);
  });

  test("store the page, nothing of the library, and open files of this machine without the server", async () => {
    await page.goto(node.address);
    await page.getByRole("status").getByText("5 recordings").waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const stored = await page.evaluate(async () => {
      const found: string[] = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) found.push(url.slice(location.origin.length));
      return found;
    });
    expect(stored.length).toBeGreaterThan(100);
    expect(stored.filter((path) => !/^\/(assets\/[^/?]+|icon[^/?]*|simtape\.webmanifest)?$/.test(path))).toEqual([]);

    // a file that the system opens is shown without the library
    await page.goto(`${node.address}/?alone`);
    const town = { "town.log": readFileSync(join(library, "town.log")) };
    await drop(page, town);
    await untilOpen(page);

    await node.stop();
    await page.goto(node.address);
    await page.getByRole("button", { name: "Open files …" }).waitFor();
    await drop(page, town);
    await untilOpen(page);
    expect(await page.evaluate(() => simtape.state.value.decks[0]!.place.kind)).toBe("files");
    browsing.errors.splice(0);
  });
});
