import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { tries } from "../../../simtape/test/soak.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

/** The last two usually, in the long run all. */
const DEMOS = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"].slice(-tries(2, 5));
const SIZES = [
  { width: 1280, height: 720 },
  { width: 1600, height: 1000 },
  { width: 540, height: 1000 },
];

describe.skipIf(!hasChromium)("the layout there is at first", () => {
  let viewer: Viewer;
  let page: Page;

  onePage(DEMOS.map(example), (opened) => ({ viewer, page } = opened));

  async function go(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await page.locator(".scene-view canvas[role=img]").waitFor();
  }

  /** Of the window, what the picture of the scene has. */
  function partOfScene(): Promise<number> {
    return page.locator(".scene-view canvas[role=img]").evaluate((canvas) => {
      const { width, height } = canvas.getBoundingClientRect();
      return (width * height) / (innerWidth * innerHeight);
    });
  }

  test.each(DEMOS)("gives the scene 60 % of the window: %s", async (name) => {
    await page.setViewportSize(SIZES[0]!);
    await go(viewer.address(name));
    await page.waitForLoadState("networkidle");
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.reload();
      await untilOpen(page);
      await page.locator(".scene-view canvas[role=img]").waitFor();
      await expect.poll(partOfScene, { message: `${size.width}x${size.height}` }).toBeGreaterThanOrEqual(0.6);
    }
  });

  test("has the others in drawers that their tabs open and shut, and the address keeps", async () => {
    await page.setViewportSize(SIZES[0]!);
    await go(viewer.address("race.hcrp"));
    const state = page.getByRole("tree", { name: "State" });
    const plots = page.locator(".plots");
    await page.getByRole("tab", { name: "State", exact: true }).click();
    await state.waitFor();
    expect(await plots.count()).toBe(0);
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    await plots.waitFor();
    const untilKept = (isShut: boolean): Promise<unknown> =>
      page.waitForFunction((is) => decodeURIComponent(location.hash).includes('"collapsed":true') === is, isShut);
    await untilKept(false);
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    await untilKept(true);
    await page.reload();
    await untilOpen(page);
    await state.waitFor();
    expect(await plots.count()).toBe(0);
    await page.getByRole("button", { name: "Panels" }).click();
    await page.getByRole("menuitem", { name: "Plots" }).click();
    await plots.waitFor();
    await page.getByRole("button", { name: "Layout", exact: true }).click();
    await page.getByRole("menuitem", { name: "Default layout" }).click();
    await expect.poll(partOfScene).toBeGreaterThanOrEqual(0.6);
  });

  test("has plots over the same pixels as the timeline", async () => {
    await page.setViewportSize(SIZES[0]!);
    await go(viewer.address("race.hcrp"));
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    const [plot, timeline] = [page.locator(".plots .u-over").first(), page.locator(".timeline")];
    await plot.waitFor();
    const timeAt = async (x: number, y: number): Promise<number> => {
      await page.mouse.click(x, y);
      return page.evaluate(async () => {
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return simtape.time!;
      });
    };
    for (const zoom of ["", "+", "+"]) {
      if (zoom !== "") await timeline.press(zoom);
      const { y } = (await timeline.boundingBox())!;
      await expect
        .poll(async () => {
          const box = (await plot.boundingBox())!;
          const off: number[] = [];
          for (const part of [0.1, 0.5, 0.9]) {
            const x = Math.round(box.x + part * box.width);
            const above = await timeAt(x, box.y + box.height / 2);
            off.push(Math.abs(above - (await timeAt(x, y + 30))));
          }
          return Math.max(...off);
        })
        .toBeLessThan(60e6);
    }
  });
});
