import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

test.skipIf(!hasChromium)("a town as Foxglove has it is about a vehicle, whatever else comes first there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simtape-subject-"));
  const file = join(folder, "town.mcap");
  expect((await command(["export", example("town.log"), "--to", "mcap", "-o", file])).exit).toBe(0);
  await using town = await startViewer([file]);
  const { page, errors } = await town.page(town.address("town.mcap"));
  await untilOpen(page);
  await page.waitForFunction(() => String(simtape.state.value.subject?.id).startsWith("/state/scene/vehicles "));
  // what stands in a frame is drawn there: the vehicle is in the middle, where the camera looks
  const { set, id } = await page.evaluate(() => simtape.state.value.subject!);
  const at = await page.evaluate((thing) => simtape.sights.get("scene")!(thing.set, thing.id), { set, id });
  expect(at!.x).toBeCloseTo(0.5, 1);
  expect(at!.y).toBeCloseTo(0.5, 0);
  expect(errors).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

/** The names of it that the page says: its readings, the list, the plot. */
async function namedIn(page: Page): Promise<readonly (string | undefined)[]> {
  const hud = await page.locator(".scene-hud h3").textContent();
  const list = await page
    .getByRole("combobox", { name: "Selected thing" })
    .evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]?.text);
  const [plot] = await page.locator(".plot-name").allTextContents();
  // What follows the name says more of it in one place than in another.
  return [hud, list?.replace(/, not selected$/, ""), plot].map((text) => text?.split(" · ")[0]);
}

test.skipIf(!hasChromium).each(["town.log", "patrol.tape"])(
  "each thing of %s has one name in readings, list and plot",
  async (name) => {
    await using viewer = await startViewer([example(name)]);
    const { page, errors } = await viewer.page(viewer.address(name));
    await untilOpen(page);
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    const list = page.getByRole("combobox", { name: "Selected thing" });
    await expect.poll(() => page.locator(".plot-name").count()).toBeGreaterThan(0);
    const count = await list.locator("option").count();
    for (const index of [count - 2, count - 1]) {
      await list.selectOption({ index });
      const text = (await list.locator("option").nth(index).textContent())!.replace(/, not selected$/, "");
      await expect.poll(() => namedIn(page), { message: text }).toEqual(Array(3).fill(text));
    }
    expect(errors).toEqual([]);
  },
);

describe.skipIf(!hasChromium)("what the page is about", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("race.hcrp")], (opened) => ({ viewer, page } = opened));

  test("is one thing in readings, list, plot and address, wherever it was chosen", async () => {
    await page.goto(viewer.address("race.hcrp") + hashOf({ t: 20 }));
    await untilOpen(page);
    await page.getByRole("tab", { name: "Plots", exact: true }).click();
    await page.locator(".scene-view canvas[role=img][data-time='20000000000']").waitFor();
    const [first] = await page.getByRole("combobox", { name: "Selected thing" }).locator("option").allTextContents();
    await expect.poll(() => namedIn(page)).toEqual(Array(3).fill(first!.split(" · ")[0]));
    await page.getByRole("combobox", { name: "Selected thing" }).selectOption({ index: 4 });
    const other = await page
      .locator(".scene-things option")
      .nth(4)
      .evaluate((one) => one.textContent.split(" · ")[0]);
    expect(other).not.toBe(first!.split(" · ")[0]);
    await expect.poll(() => namedIn(page)).toEqual(Array(3).fill(other));
    // A message that is looked at leaves it, and so does a link.
    await page.evaluate(() => simtape.select({ kind: "byte", offset: 3 }));
    await expect.poll(() => namedIn(page)).toEqual(Array(3).fill(other));
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"subject":{"set":"players"'));
    await page.reload();
    await untilOpen(page);
    await expect.poll(() => namedIn(page)).toEqual(Array(3).fill(other));
    // Where it is not, nothing is reported of another under its name.
    await page.evaluate(() => simtape.select({ kind: "thing", set: "players", id: 99 }));
    await expect.poll(() => page.locator(".scene-hud").isVisible()).toBe(false);
  });

  test("plays by the space bar after a click on any button, which the keyboard still presses", async () => {
    const isPlaying = (): Promise<boolean> => page.evaluate(() => simtape.isPlaying);
    const names = page.getByRole("button", { name: "Names", exact: true });
    const pressed = (): Promise<string | null> => names.getAttribute("aria-pressed");
    await names.click();
    await page.keyboard.press(" ");
    expect([await pressed(), await isPlaying()]).toEqual(["false", true]);
    await page.keyboard.press(" ");
    expect([await pressed(), await isPlaying()]).toEqual(["false", false]);
    await page.keyboard.press("Enter");
    expect(await pressed()).toBe("true");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press(" ");
    expect([await pressed(), await isPlaying()]).toEqual(["false", false]);
    await page.getByLabel("Time shown").click();
    await page.keyboard.press(" ");
    expect(await isPlaying()).toBe(false);
  });
});
