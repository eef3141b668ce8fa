import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "./support/postgres.ts";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { startSender, type TestSender } from "./support/sender.ts";

interface Item {
  readonly state: string;
  readonly seconds: number;
}

/** How far what is shown may be behind now: two seconds, and as much again for a busy machine. */
const LATE = 4;

describe.skipIf(!hasChromium)("the page of a recording that is being made", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-live-page-"));
  let words: readonly string[];
  let node: TestNode;
  let browsing: Browsing;
  let page: Page;
  let sender: TestSender;

  beforeAll(async () => {
    words = [join(folder, "library"), "--port", String(await freePort()), "--live-silence", "2"];
    node = await startNode(words);
    browsing = await browse();
    page = await browsing.page();
    sender = startSender(node.address, "run");
    sender.run();
    await until(
      () => json<Item>(node.address, "/api/recordings/run").catch(() => null),
      (found) => found?.state === "live" && found.seconds > 1,
    );
    await page.goto(`${node.address}/r/run`);
    await untilOpen(page);
  });

  afterAll(async () => {
    sender?.cut();
    await browsing?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const badge = () => page.getByRole("button", { name: "Live" });
  const ends = (): Promise<number> => page.evaluate(() => simtape.bounds.end / 1e9);
  const shown = (): Promise<number> => page.evaluate(() => (simtape.time ?? 0) / 1e9);
  /** Seconds from the moment that was recorded, as its own value says, to now; null: nothing is shown. */
  const behind = (): Promise<number | null> =>
    page.evaluate(() => {
      const wall = simtape.frame?.recorded.sets.get("things")?.columns.get("wall")?.data[0];
      return wall === undefined ? null : (Date.now() - Number(wall)) / 1000;
    });

  test("plays what happens now, and grows", async () => {
    await expect.poll(behind).toBeLessThan(LATE);
    const before = await ends();
    await expect.poll(ends).toBeGreaterThan(before + 2);
    await expect.poll(behind).toBeLessThan(LATE);
    expect(await page.evaluate(() => simtape.isPlaying)).toBe(true);
    expect(await badge().getAttribute("aria-pressed")).toBe("true");
  });

  test("is rewound while it grows, and brought back by the button and by a key", async () => {
    await page.keyboard.press("Home");
    await expect.poll(() => badge().getAttribute("aria-pressed")).toBe("false");
    const before = await ends();
    await expect.poll(ends).toBeGreaterThan(before + 1);
    expect(await shown()).toBeLessThan(before);
    await badge().click();
    await expect.poll(behind).toBeLessThan(LATE);
    expect(await badge().getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Home");
    await expect.poll(() => badge().getAttribute("aria-pressed")).toBe("false");
    await page.keyboard.press("End");
    await expect.poll(() => badge().getAttribute("aria-pressed")).toBe("true");
    await expect.poll(behind).toBeLessThan(LATE);
  });

  test("goes on by itself behind a server that was killed, and shows the whole recording when it has ended", async () => {
    await node.kill();
    sender.cut();
    node = await startNode(words);
    sender = startSender(node.address, "run", {}, 400);
    sender.run();
    const before = await ends();
    await expect.poll(ends, { timeout: 60_000 }).toBeGreaterThan(Math.max(before, 20));
    await expect.poll(behind).toBeLessThan(LATE);
    browsing.errors.splice(0);
    await sender.end();
    await badge().waitFor({ state: "detached" });
    const { seconds } = await until(
      () => json<Item>(node.address, "/api/recordings/run"),
      ({ state }) => state === "indexed",
    );
    await expect.poll(ends).toBeCloseTo(seconds, 0);
    expect(browsing.errors).toEqual([]);
  });
});
