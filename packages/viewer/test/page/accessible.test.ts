import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

const SIZES = [
  ["a small screen", { width: 1280, height: 720 }],
  ["a tablet held upright", { width: 820, height: 1180 }],
] as const;

describe.skipIf(!hasChromium)("without a mouse", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("race.hcrp")], (opened) => {
    ({ viewer, page } = opened);
  });

  async function go(panels: readonly string[]): Promise<void> {
    await page.goto("about:blank");
    await page.goto(viewer.address("race.hcrp") + hashOf({ t: 10, shared: { layout: layoutOf(panels) } }));
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame?.time === 10e9);
  }

  test.each(SIZES)("everything has a name and fits on %s", async (_, size) => {
    await page.setViewportSize(size);
    await page.goto("about:blank");
    await page.goto(viewer.address());
    await page.getByRole("button", { name: "race.hcrp" }).waitFor();
    expect(await faults(page)).toEqual([]);
    for (const panels of [["state", "messages"], ["bytes", "info"], ["plots"]]) {
      await go(panels);
      await expect.poll(() => page.locator("section.panel").count()).toBe(panels.length);
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      expect(await faults(page), panels.join()).toEqual([]);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  test("all that can be pressed is reached by Tab, and is seen to have the focus", async () => {
    await page.setViewportSize(SIZES[0][1]);
    await go(["state"]);
    // a panel comes when it has been loaded
    await page.getByLabel("Search the state").waitFor();
    await page.getByRole("tab", { name: "State" }).waitFor();
    const reached = new Set<string>();
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        // Tabs of the layout draw theirs behind them.
        const isSeen = [null, "::after", "::before"].some((part) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
          return outlineStyle !== "none" && outlineWidth !== "0px";
        });
        const name = element.getAttribute("aria-label") ?? element.title ?? "";
        return {
          name: name || element.textContent.slice(0, 30),
          isSeen,
          isBody: element === document.body,
        };
      });
      // Behind the last one the browser's own controls have it.
      if (focused.isBody || reached.has(focused.name)) break;
      reached.add(focused.name);
      expect(focused.isSeen, focused.name).toBe(true);
    }
    for (const name of ["Timeline", "Play (Space)", "Rate", "Time shown", "State", "Share"])
      expect([...reached]).toContain(name);
    await page.getByRole("slider", { name: "Timeline" }).focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => simtape.frame?.time === 11e9);
    expect(await page.getByRole("slider", { name: "Timeline" }).getAttribute("aria-valuetext")).toBe("0:11.000");
    await page.keyboard.press("End");
    await page.waitForFunction(() => simtape.frame?.time === simtape.bounds.end);
  });

  test("a finger scrubs, two zoom", async () => {
    await page.setViewportSize(SIZES[1][1]);
    await go(["state"]);
    const box = (await page.getByRole("slider", { name: "Timeline" }).boundingBox())!;
    const plot = box.width - 138;
    const at = (part: number): { x: number; y: number } => ({ x: box.x + 128 + plot * part, y: box.y + 60 });
    const touch = await touching(page);
    await touch("touchStart", [at(0.25)]);
    await touch("touchMove", [at(0.5)]);
    await touch("touchEnd", []);
    await page.waitForFunction(() => Math.abs(simtape.frame!.time - 22.5e9) < 0.2e9);
    // From a half to all of the width: what is left is a half of the recording, its middle in the middle.
    await touch("touchStart", [at(0.25)]);
    await touch("touchStart", [at(0.25), at(0.75)]);
    await touch("touchMove", [at(0.1), at(0.9)]);
    await touch("touchMove", [at(0), at(1)]);
    await touch("touchEnd", []);
    await touch("touchStart", [at(0.5)]);
    await touch("touchMove", [at(1)]);
    await touch("touchEnd", []);
    await page.waitForFunction(() => Math.abs(simtape.frame!.time - 33.75e9) < 0.3e9);
  });
});

type Touch = (type: string, points: readonly { readonly x: number; readonly y: number }[]) => Promise<void>;

async function touching(page: Page): Promise<Touch> {
  const cdp = await page.context().newCDPSession(page);
  return async (type, points) => {
    const touchPoints = points.map(({ x, y }, id) => ({ x, y, id }));
    await cdp.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints });
  };
}

/** What would keep a user from using the page without seeing it, or without a mouse; each in words. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const reported = (element: Element): string => element.outerHTML.slice(0, 120);
    const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });
    const controls =
      "button, a[href], input, select, textarea, [role=slider], [role=tree], [role=listbox], [role=dialog]";
    for (const element of document.querySelectorAll<HTMLElement>(controls)) {
      if (!isSeen(element)) continue;
      const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
      const name = [
        element.getAttribute("aria-label"),
        element.title,
        element.textContent,
        ...labels.map((l) => l.textContent),
      ];
      if (name.every((text) => (text ?? "").trim() === "")) found.push(`no name: ${reported(element)}`);
      if (element.tabIndex > 0) found.push(`order of its own: ${reported(element)}`);
    }
    for (const image of document.querySelectorAll("img:not([alt]), svg:not([aria-hidden]):not([aria-label])")) {
      if (isSeen(image)) found.push(`no text instead: ${reported(image)}`);
    }
    for (const name of ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant"]) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        const ids = element.getAttribute(name)!.split(" ");
        for (const id of ids)
          if (document.getElementById(id) === null) found.push(`${name} of nothing: ${reported(element)}`);
      }
    }
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`two of id ${id}`);
    if (document.documentElement.lang === "") found.push("no language");
    if (document.title === "") found.push("no title");
    if (document.querySelector("main") === null) found.push("no main part");
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`wider than the screen: ${scrollWidth} of ${clientWidth}`);
    return found;
  });
}
