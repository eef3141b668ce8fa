import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-molecules-"));
const command = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const hub = join(folder, "hub.hcrp");
execFileSync(process.execPath, [command, "convert", example("buckyball.nanover.zip"), hub], { stdio: "ignore" });
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasChromium)("molecules and measures", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("buckyball.nanover.zip"), hub], (opened) => {
    ({ viewer, page } = opened);
  });

  async function show(scene: Record<string, unknown>): Promise<void> {
    const shared = { layout: layoutOf(["scene", "plots"]), scene };
    // Another address over this one loads nothing again by itself.
    await page.goto("about:blank");
    await page.goto(viewer.address("buckyball.nanover.zip") + hashOf({ t: 2, shared } as never));
    await untilOpen(page);
    await page.locator("canvas[data-time][data-quality=full]").waitFor();
  }

  test("each style is another picture, and the description names it", async () => {
    await show({});
    const picture = page.locator(".scene-view canvas[role=img]");
    const seen = new Map<string, string>();
    await page.getByRole("button", { name: "Molecules" }).click();
    const style = page.getByLabel("Style");
    for (const name of ["ball-and-stick", "licorice", "spacefill", "lines", "surface"]) {
      await style.selectOption(name);
      const drawn = name === "ball-and-stick" ? /^60 atoms, 90 bonds/ : new RegExp(`drawn as ${name}`);
      await expect.poll(() => picture.getAttribute("aria-label")).toMatch(drawn);
      // What a style needs is loaded on use, and then it is drawn.
      await expect.poll(async () => [...seen.values()].includes(await pixels(page)), { timeout: 10_000 }).toBe(false);
      seen.set(name, await pixels(page));
    }
    expect(new Set(seen.values()).size).toBe(5);
    await expect
      .poll(() => page.evaluate(() => JSON.stringify(simtape.state.value.shared["scene"])))
      .toContain("surface");
  });

  test.each(["buckyball.nanover.zip", "hub.hcrp"])("%s is looked at from around it", async (name) => {
    await page.goto("about:blank");
    await page.goto(viewer.address(name) + hashOf({ t: 2, shared: { layout: layoutOf(["scene"]) } } as never));
    await untilOpen(page);
    await page.locator("canvas[data-time][data-quality=full]").waitFor();
    const pressed = await page.locator(".scene-bar [aria-pressed=true]").allTextContents();
    expect(pressed[0]).toBe("Orbit");
  });

  test("a residue of the list is chosen as a whole", async () => {
    await show({});
    await page.getByRole("button", { name: "Molecules" }).click();
    await page.getByLabel("Chains and residues").selectOption("r0");
    const state = await page.evaluate(() => ({
      selection: simtape.state.value.selection,
      scene: simtape.state.value.shared["scene"],
    }));
    expect(state.selection).toEqual({ kind: "thing", set: "particles", id: 0 });
    expect(state.scene).toMatchObject({ molecules: { part: "residue" } });
  });

  test("a distance is measured by keyboard, kept, and drawn as a curve", async () => {
    await show({});
    await page.keyboard.press("m");
    const field = page.getByLabel("Thing to measure, as set/id");
    for (const id of [0, 31]) {
      await field.fill(`particles/${id}`);
      await field.press("Enter");
    }
    const list = page.getByRole("list", { name: "Measures" });
    await list.getByText("BUC 1 C32").waitFor();
    const [shown, recorded] = await page.evaluate(() => {
      const data = simtape.frame!.recorded.sets.get("particles")!.columns.get("position")!.data as Float32Array;
      const way = [0, 1, 2].map((k) => data[93 + k]! - data[k]!);
      return [document.querySelector(".measures strong")!.textContent, Math.hypot(...way)] as const;
    });
    expect(shown).toBe(`${recorded.toFixed(3)} nm`);
    await list.getByRole("button", { name: "Curve" }).click();
    const plots = await page.evaluate(() => JSON.stringify(simtape.state.value.shared["plots-nanover"]));
    expect(plots).toContain("= distance(particles[0], particles[31])");
    await list.getByRole("button", { name: "Remove this distance" }).click();
    await expect.poll(() => list.count()).toBe(0);
  });
});

/** Of the scene as it is drawn now. */
async function pixels(page: Page): Promise<string> {
  return page.evaluate(() => simtape.pictures.get("scene")!().toDataURL());
}
