import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PANELS } from "../../src/panels.ts";
import { smallTargets, violations } from "../support/axe.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

describe.skipIf(!hasChromium).each(["light", "dark"] as const)(
  "in %s colours axe finds nothing serious",
  (colorScheme) => {
    let viewer: Viewer;
    let page: Page;
    onePage([example("race.hcrp"), example("town.log")], (opened) => {
      ({ viewer, page } = opened);
    });

    async function go(address: string): Promise<void> {
      await page.goto("about:blank");
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.goto(address);
    }

    test("on the first page, also when something cannot be opened", async () => {
      await go(viewer.address());
      const row = page.getByRole("button", { name: "town.log" });
      await row.waitFor();
      expect(await violations(page)).toBe("");
      await page.route("**/town.log", (route) => route.abort());
      await row.click();
      await page.getByRole("alert").waitFor();
      expect(await violations(page)).toBe("");
      await page.unroute("**/town.log");
    });

    test.each(PANELS.map(({ id }) => id))("in the panel %s", async (id) => {
      const others = PANELS.map((panel) => panel.id).filter((other) => other !== id && other !== "scene");
      const layout = layoutOf([id, others[0]!]);
      await go(viewer.address("race.hcrp") + hashOf({ t: 10, shared: { layout } }));
      await untilOpen(page);
      await page.locator(`section.panel`).first().waitFor();
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      await page.evaluate(() => simtape.select({ kind: "thing", set: "players", id: 2 }));
      await page.waitForTimeout(300);
      expect(await violations(page)).toBe("");
    });

    test("in dialogs and menus", async () => {
      await go(viewer.address("race.hcrp") + hashOf({ t: 10, shared: { layout: layoutOf(["state"]) } }));
      await untilOpen(page);
      for (const [key, name] of [
        ["?", "Keys"],
        ["Control+k", "Commands"],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole("dialog", { name }).waitFor();
        expect(`${name}${await violations(page)}`).toBe(name);
        await page.keyboard.press("Escape");
      }
      for (const name of ["Open", "Panels", "Share"]) {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByRole("menu").waitFor();
        expect(`${name}${await violations(page)}`).toBe(name);
        await page.keyboard.press("Escape");
      }
    });
  },
);

describe.skipIf(!hasChromium)("where the pointer is a finger", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("race.hcrp"), example("town.log")], (opened) => {
    ({ viewer, page } = opened);
  });

  test.each([
    [1280, 800],
    [820, 1180],
  ])("all that is pressed is at least 44 pixels wide and high on %d × %d", async (width, height) => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.setViewportSize({ width, height });
    await page.goto(viewer.address());
    expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
    await page.getByRole("button", { name: "town.log" }).waitFor();
    expect(await smallTargets(page)).toEqual([]);
    for (const { id } of PANELS) {
      await page.goto("about:blank");
      await page.goto(viewer.address("race.hcrp") + hashOf({ t: 10, shared: { layout: layoutOf([id]) } }));
      await untilOpen(page);
      await page.locator("section.panel").first().waitFor();
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      expect([id, ...(await smallTargets(page))]).toEqual([id]);
    }
    await page.getByRole("button", { name: "Panels" }).click();
    await page.getByRole("menu").waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await cdp.detach();
  });
});
