import type { Page } from "playwright-core";
import { describe, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, untilOpen, type Viewer } from "../support/viewer.ts";
describe.skipIf(!hasChromium)("look", () => {
  let viewer: Viewer; let page: Page;
  onePage([example("")], (opened) => { ({ viewer, page } = opened); });
  test("find", async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const [name, text] of [["town.log","any vehicles (speed > 20 km/h for 200 ms)"],["race.hcrp","event(checkpoint)"],["flight.fgtape","derivative(/position/altitude-ft) < -1 ft/s"],["town.log","any vehicles (speed > 20 kg)"]] as const) {
      await page.goto("about:blank");
      await page.goto(viewer.address(name) + hashOf({ t: 2, shared: { when: text } }));
      await untilOpen(page);
      await page.screenshot({ path: `/tmp/pics/first.png` });
      await page.keyboard.press("Control+k"); await page.keyboard.type("Show Find"); await page.keyboard.press("Enter");
      await page.waitForTimeout(3000);
      await page.screenshot({ path: `/tmp/pics/find-${name}-${text.length}.png` });
    }
    const field = page.getByRole("combobox", { name: "When is it true" });
    await field.fill("any vehicles (sp");
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/pics/find-complete.png` });
    await field.fill("");
    await page.waitForTimeout(800);
    await page.screenshot({ path: `/tmp/pics/find-empty.png` });
  });
});
