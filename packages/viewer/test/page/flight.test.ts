import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const SECONDS = 40;

describe.skipIf(!hasChromium)("a flight, in a browser", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("flight.fgtape"), example("town.log")], (opened) => ({ viewer, page } = opened));

  beforeAll(async () => {
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
    await page.goto(viewer.address("flight.fgtape"));
    await untilOpen(page);
    await page.evaluate((time) => simtape.seek(time), SECONDS * 1e9);
    await page.locator(`.scene-view canvas[role=img][data-time='${SECONDS * 1e9}']`).waitFor();
  }, 60_000);

  const instruments = () => page.locator(".scene-view .scene-instruments");
  const reading = async (name: string): Promise<number> => {
    const text = await instruments().locator(`[data-instrument=${name}]`).textContent();
    return Number(text!.replaceAll(",", "").replace("−", "-"));
  };

  test("shows on its instruments what is recorded", async () => {
    await instruments().waitFor();
    const told = await page.evaluate(() => {
      const { values } = simtape.frame!.recorded;
      return {
        airspeed: values.get("/velocities/airspeed-kt") as number,
        altitude: values.get("/position/altitude-ft") as number,
        climb: 60 * (values.get("/velocities/vertical-speed-fps") as number),
        heading: values.get("/orientation/heading-deg") as number,
      };
    });
    await expect.poll(() => reading("speed")).toBe(Math.round(told.airspeed));
    expect(await reading("altitude")).toBe(Math.round(told.altitude));
    expect(await reading("climb")).toBe(Math.round(told.climb) + 0);
    expect(await reading("heading")).toBe(Math.round(told.heading) % 360);
    expect(await instruments().locator("title").textContent()).toBe(
      "Flight instruments: attitude, airspeed (kt), altitude (ft), vertical speed (ft/min), heading (°)",
    );
    await keep("instruments");
  });

  test("leaves them out by a key and by a button, and keeps that in the address", async () => {
    await page.keyboard.press("i");
    await instruments().waitFor({ state: "detached" });
    expect(await page.evaluate(() => simtape.state.value.shared["scene"])).toMatchObject({ instruments: false });
    // its attitude is beside its numbers then
    await page.locator(".scene-horizon").waitFor();
    await page.getByRole("button", { name: "Instruments", exact: true }).click();
    await instruments().waitFor();
    await page.locator(".scene-horizon").waitFor({ state: "hidden" });
  });

  test("has them within the picture on a phone, beside nothing else", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
    await expect.poll(async () => (await boxOf(".scene-instruments")).width).toBeLessThan(240);
    const [box, scene, hud] = [
      await boxOf(".scene-instruments"),
      await boxOf(".scene-view"),
      await boxOf(".scene-hud"),
    ];
    expect(box.x).toBeGreaterThanOrEqual(scene.x);
    expect(box.x + box.width).toBeLessThanOrEqual(scene.x + scene.width);
    expect(box.y + box.height).toBeLessThanOrEqual(scene.y + scene.height);
    expect(box.y).toBeGreaterThanOrEqual(hud.y + hud.height);
    await keep("instruments-phone");
    await page.setViewportSize({ width: 900, height: 520 });
  });

  test("has none where nothing flies, and loads none", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto("about:blank");
    await page.goto(viewer.address("town.log"));
    await untilOpen(page);
    await page.locator(".scene-view canvas[role=img]").waitFor();
    expect(await page.getByRole("button", { name: "Instruments", exact: true }).count()).toBe(0);
    expect(asked.filter((url) => url.includes("instruments"))).toEqual([]);
  });

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SCREENSHOTS, `flight-${name}.png`) });
  }
});
