import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { violations } from "../support/axe.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

/** Pictures to look at go there. */
const PICTURES = process.env["PICTURES"];

describe.skipIf(!hasChromium)("layouts", () => {
  let viewer: Viewer;
  let page: Page;
  onePage(["town.log", "buckyball.nanover.zip"].map(example), (opened) => {
    ({ viewer, page } = opened);
  });
  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(viewer.address());
    await page.evaluate(() => localStorage.clear());
  });

  async function go(name: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(viewer.address(name));
    await untilOpen(page);
    await page.locator(".scene-view canvas[role=img]").waitFor();
  }

  const panel = (name: string) => page.locator(`section.panel[aria-label="${name}"]`);
  const plots = () => page.locator(".plots");
  const menu = () => page.getByRole("button", { name: "Layout", exact: true });

  async function choose(layout: string): Promise<void> {
    await menu().click();
    await page.getByRole("menuitem", { name: layout, exact: true }).click();
  }

  async function run(command: string): Promise<void> {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).fill(command);
    await page.keyboard.press("Enter");
  }

  /** Parts of the window that the panels in front have, by name. */
  function shown(): Promise<Record<string, number>> {
    return page.evaluate(() =>
      Object.fromEntries(
        [...document.querySelectorAll<HTMLElement>("section.panel")].flatMap((panel) => {
          const { width, height } = panel.getBoundingClientRect();
          const part = (width * height) / (innerWidth * innerHeight);
          return part > 0.01 && panel.checkVisibility() ? [[panel.getAttribute("aria-label")!, part]] : [];
        }),
      ),
    );
  }

  const untilShown = (...names: readonly string[]) =>
    expect.poll(async () => Object.keys(await shown()).sort()).toEqual([...names].sort());

  test("are offered by what the recording has, and lay out panels in their sizes", async () => {
    await go("buckyball.nanover.zip");
    await menu().click();
    const items = page.getByRole("menu").locator("visible=true").getByRole("menuitem");
    await expect.poll(() => items.first().textContent()).toBe("Molecules");
    expect(await items.allTextContents()).not.toContain("Driving");
    await page.keyboard.press("Enter");
    await untilShown("Scene", "Plots");
    expect((await shown())["Plots"]).toBeGreaterThan(0.2);

    await go("town.log");
    await menu().click();
    await expect.poll(() => items.first().textContent()).toBe("Driving");
    expect(await items.allTextContents()).not.toContain("Molecules");
    await page.keyboard.press("Escape");
    // by keyboard alone
    await menu().focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => items.first().evaluate((item) => item === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await untilShown("Scene", "Plots", "Events");
    await choose("Scene alone");
    await untilShown("Scene");
    await run("layout: numbers");
    await untilShown("Scene", "Plots", "Statistics");
    expect((await shown())["Plots"]).toBeGreaterThan(0.25);
  });

  test("are undone and made again, with the camera path in one list", async () => {
    await go("town.log");
    await choose("Driving");
    await untilShown("Scene", "Plots", "Events");
    await page.evaluate(() => simtape.seek(1e9));
    await page.keyboard.press("Shift+K");
    await page.waitForFunction(() => simtape.state.value.shared["path"] !== undefined);
    await choose("Scene alone");
    await untilShown("Scene");
    await page.keyboard.press("Control+z");
    await untilShown("Scene", "Plots", "Events");
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => simtape.state.value.shared["path"] === undefined);
    await page.keyboard.press("Control+z");
    await untilShown("Scene");
    await page.waitForFunction(() => simtape.state.value.shared["layout"] === undefined);
    await page.keyboard.press("Control+z");
    await page.getByText("Nothing was changed").waitFor();
    await page.keyboard.press("Control+Shift+Z");
    await untilShown("Scene", "Plots", "Events");
    await page.keyboard.press("Control+Shift+Z");
    await page.waitForFunction(() => simtape.state.value.shared["path"] !== undefined);
    await page.keyboard.press("Control+Shift+Z");
    await untilShown("Scene");
    await menu().click();
    await page.getByRole("menuitem", { name: "Undo", exact: true }).click();
    await untilShown("Scene", "Plots", "Events");
  });

  test("what a user drags, opens and closes is undone; which tab is in front is no change of its own", async () => {
    await go("town.log");
    await choose("Driving");
    await untilShown("Scene", "Plots", "Events");
    const before = (await shown())["Events"]!;
    const side = (await panel("Events").boundingBox())!;
    await page.mouse.move(side.x - 1, side.y + side.height / 2);
    await page.mouse.down();
    await page.mouse.move(side.x - 151, side.y + side.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await shown())["Events"]).toBeGreaterThan(before * 1.3);
    await page.getByRole("tab", { name: "State", exact: true }).click();
    await untilShown("Scene", "Plots", "State");
    await page.keyboard.press("Control+z");
    await untilShown("Scene", "Plots", "Events");
    await expect.poll(async () => Math.abs((await shown())["Events"]! - before)).toBeLessThan(0.01);
    await page.getByRole("tab", { name: "Plots", exact: true }).focus();
    await page.keyboard.press("Delete");
    await untilShown("Scene", "Events");
    await page.keyboard.press("Control+z");
    await untilShown("Scene", "Plots", "Events");
  });

  test("are kept with the recording, and in the address before that", async () => {
    await go("town.log");
    await choose("Driving");
    await untilShown("Scene", "Plots", "Events");
    await page.waitForFunction(() => location.hash.includes("layout"));
    const address = page.url();
    await go("buckyball.nanover.zip");
    await untilShown("Scene");
    await go("town.log");
    await untilShown("Scene", "Plots", "Events");
    await choose("Messages and bytes");
    await untilShown("Scene", "Messages", "Bytes");
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await untilShown("Scene", "Plots", "Events");
    await go("town.log");
    await untilShown("Scene", "Messages", "Bytes");
    await choose("Default layout");
    await untilShown("Scene");
    await go("town.log");
    await untilShown("Scene");
  });

  test("two panels of plots have paths of their own, which the address keeps", async () => {
    await go("town.log");
    await choose("Driving");
    await plots().first().waitFor();
    await choose("Another Plots");
    const second = panel("Plots 2");
    await second.getByRole("button", { name: "Add a plot …" }).click();
    await page.getByRole("combobox", { name: "Search numbers" }).fill("visual-time");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Done" }).click();
    const first = panel("Plots");
    await expect.poll(() => second.locator(".plot-name").allTextContents()).toEqual(["visual time"]);
    await expect.poll(() => first.locator(".plot-name").count()).toBeGreaterThan(0);
    expect(await first.locator(".plot-name").allTextContents()).not.toContain("visual time");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes("plots-2-"));
    const address = page.url();
    await page.evaluate(() => localStorage.clear());
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await expect.poll(() => second.locator(".plot-name").allTextContents()).toEqual(["visual time"]);
    await run("another plots");
    await panel("Plots 3").waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(() => panel("Plots 3").count()).toBe(0);
    await expect.poll(() => second.locator(".plot-name").allTextContents()).toEqual(["visual time"]);
  });

  test("can be used without seeing them, light and dark", async () => {
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await go("town.log");
      await choose("Driving");
      await run("another plots");
      await untilShown("Scene", "Plots", "Plots 2", "Events");
      await page.waitForLoadState("networkidle");
      expect(await violations(page)).toBe("");
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/layout-${scheme}.png` });
      await menu().click();
      expect(await violations(page)).toBe("");
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/layout-menu-${scheme}.png` });
      await page.keyboard.press("Escape");
      await choose("Default layout");
    }
    await page.emulateMedia({ colorScheme: null });
  });
});
