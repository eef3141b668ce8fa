import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

describe.skipIf(!hasChromium)("on a page of any width", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("race.hcrp")], (opened) => ({ viewer, page } = opened));

  /** Panels are laid out again a moment after the page has another width. */
  async function sound(what: string): Promise<void> {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 800 ? 844 : 720 });
      await expect.poll(() => faults(page), { message: `${what} ${width}` }).toEqual([]);
    }
  }

  test("nothing is wider than it, and no words lie over one another", async () => {
    // With a finger all that is pressed is larger.
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.goto(viewer.address());
    await page.getByRole("button", { name: "race.hcrp" }).waitFor();
    await sound("start");
    await page.goto(viewer.address("race.hcrp"));
    await untilOpen(page);
    await page.getByRole("toolbar", { name: "Scene" }).waitFor();
    await page.locator(".scene-hud h3").waitFor();
    await sound("viewer");
  });
});

const WIDTHS = [390, 360, 768, 1280];

/** What is wider than the page, and what of bars is cut, or lies over another. */
async function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const name = (element: Element): string => `${element.className} ${element.textContent.slice(0, 20)}`;
    if ((document.querySelector(".top-bar")?.clientHeight ?? 0) > 150)
      found.push("bar: more than its name and a row to scroll");
    if (document.documentElement.scrollWidth > innerWidth) found.push(`page: ${document.documentElement.scrollWidth}`);
    const areOver = (one: Element, other: Element): boolean => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      return across > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    };
    for (const bar of document.querySelectorAll("[role=toolbar], .top-bar")) {
      const parts = [...bar.querySelectorAll("button, select, input, h1, .badge")].filter((part) =>
        part.checkVisibility(),
      );
      for (const [i, part] of parts.entries()) {
        if (part.matches("button") && part.scrollWidth > part.clientWidth + 1) found.push(`cut: ${name(part)}`);
        for (const other of parts.slice(i + 1))
          if (areOver(part, other)) found.push(`over: ${name(part)}, ${name(other)}`);
      }
      const corner = document.querySelector(".scene-corner");
      if (corner !== null && areOver(bar, corner)) found.push(`over: ${bar.className}, readings`);
    }
    return found;
  });
}
