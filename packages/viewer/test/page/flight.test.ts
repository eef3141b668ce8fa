import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { drop, example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";
import { tiffOf } from "../world/small-tiff.ts";

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
    const reported = await page.evaluate(() => {
      const { values } = simtape.frame!.recorded;
      return {
        airspeed: values.get("/velocities/airspeed-kt") as number,
        altitude: values.get("/position/altitude-ft") as number,
        climb: 60 * (values.get("/velocities/vertical-speed-fps") as number),
        heading: values.get("/orientation/heading-deg") as number,
      };
    });
    await expect.poll(() => reading("speed")).toBe(Math.round(reported.airspeed));
    expect(await reading("altitude")).toBe(Math.round(reported.altitude));
    expect(await reading("climb")).toBe(Math.round(reported.climb) + 0);
    expect(await reading("heading")).toBe(Math.round(reported.heading) % 360);
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

  test("is seen on a map, with north up and all of its way", async () => {
    await page.getByRole("button", { name: "Map", exact: true }).click();
    await page.locator(".scene-chart").waitFor({ state: "attached" });
    // the camera goes there in a moment of its own, and farther away when the way is known
    const above = () =>
      page.evaluate(() => {
        const { position, target } = simtape.camera!.gaze()!;
        return { aside: Math.hypot(position[0] - target[0], position[1] - target[1]), high: position[2] - target[2] };
      });
    // straight above what it looks at, far enough away to see more than the aircraft
    await expect.poll(async () => (await above()).high).toBeGreaterThan(1500);
    await expect.poll(async () => (await above()).aside).toBeLessThan(1e-3);
    expect(await page.locator(".scene-compass").textContent()).toContain("N");
    const seen = () => page.evaluate(() => simtape.sights.get("scene")!("aircraft", "self"));
    const isWithin = (part: number): boolean => part > 0 && part < 1;
    await expect.poll(async () => isWithin((await seen())!.x) && isWithin((await seen())!.y)).toBe(true);
    await keep("map");
  });

  test("has the names of a map where no readings and no instruments lie over them", async () => {
    const names = await page.evaluate(async () => {
      const write = CanvasRenderingContext2D.prototype.fillText;
      const found: { readonly text: string; readonly from: number; readonly y: number; readonly width: number }[] = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const { width } = this.measureText(text);
        const from = x - { left: 0, center: width / 2, right: width, start: 0, end: width }[this.textAlign];
        if (this.canvas.className === "scene-chart") found.push({ text, from, y, width });
        write.call(this, text, x, y);
      };
      simtape.pictures.get("scene")!();
      CanvasRenderingContext2D.prototype.fillText = write;
      return found;
    });
    expect(names.filter(({ text }) => /[NSEW]$/.test(text)).length).toBeGreaterThan(3);
    const scene = (await page.locator(".scene-chart").boundingBox())!;
    for (const selector of [".scene-hud", ".scene-bearings", ".scene-instruments"]) {
      const box = (await page.locator(selector).boundingBox())!;
      const [left, top] = [box.x - scene.x, box.y - scene.y];
      for (const { text, from, y, width } of names) {
        const isBeside = from > left + box.width || from + width < left || y - 5 > top + box.height || y + 5 < top;
        expect(isBeside, `${text} under ${selector}`).toBe(true);
      }
    }
  });

  test("stays in the middle of its map while it flies, where it was chosen", async () => {
    await page.evaluate(() => simtape.select({ kind: "thing", set: "aircraft", id: "self" }));
    const off = () =>
      page.evaluate(() => {
        const { x, y } = simtape.sights.get("scene")!("aircraft", "self")!;
        return Math.hypot(x - 0.5, y - 0.5);
      });
    for (const seconds of [SECONDS, 10, 50]) {
      await page.evaluate((time) => simtape.seek(time), seconds * 1e9);
      await page.locator(`.scene-view canvas[role=img][data-time='${seconds * 1e9}']`).waitFor();
      await expect.poll(off).toBeLessThan(0.03);
    }
    await keep("map-chosen");
    await page.evaluate(() => simtape.select(null));
    await page.evaluate((time) => simtape.seek(time), SECONDS * 1e9);
    await page.getByRole("button", { name: "Home", exact: true }).click();
  });

  test("has terrain from a file that is dropped", async () => {
    const [latitude, longitude] = await page.evaluate(() => {
      const { values } = simtape.frame!.recorded;
      return [values.get("/position/latitude-deg") as number, values.get("/position/longitude-deg") as number];
    });
    const size = 60;
    const heights = Float32Array.from({ length: size * size }, (_, i) => 200 + 150 * Math.sin((i % size) / 5));
    const options = { width: size, height: size, point: [0.002, 0.002] as const };
    const corner = [longitude! - 0.06, latitude! + 0.06] as const;
    await drop(page, { "hills.tif": tiffOf(heights, { ...options, corner }) });
    await page.getByRole("img", { name: /aircraft, terrain$/ }).waitFor();
    await keep("terrain-map");
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await keep("terrain");
    await page.keyboard.press("w");
    await page.getByRole("img", { name: /aircraft$/ }).waitFor();
    await page.keyboard.press("w");
    await page.getByRole("img", { name: /aircraft, terrain$/ }).waitFor();
    const whole = tiffOf(heights, { ...options, corner });
    await drop(page, { "cut.tif": whole.subarray(0, whole.length >> 1) });
    await page.getByText(/^cut\.tif is not shown: it is cut or damaged \(/).waitFor();
  });

  test("has none where nothing flies, and loads none", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto("about:blank");
    await page.goto(viewer.address("town.log"));
    await untilOpen(page);
    await page.locator(".scene-view canvas[role=img]").waitFor();
    expect(await page.getByRole("button", { name: "Instruments", exact: true }).count()).toBe(0);
    expect(asked.filter((url) => /\/(instruments|chart|land-110m)-|heights/.test(url))).toEqual([]);
  });

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SCREENSHOTS, `flight-${name}.png`) });
  }
});
