import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { MemoryFiles, open, posesOf, type Recording } from "simtape";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { demo, world } from "../../../demo/src/carla.ts";
import type { Gaze } from "../../src/gaze.ts";
import { projected } from "../support/projected.ts";
import { drop, hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const OPTIONS = { seconds: 6, entities: 24, seed: 3 };
const SECONDS = 4.5;

describe.skipIf(!hasChromium)("a town of CARLA, in a browser", () => {
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[] = [];
  let log: Uint8Array;
  let recording: Recording;

  beforeAll(async () => {
    const files = new MemoryFiles();
    await demo(OPTIONS, files);
    log = files.bytes;
    recording = await open(log);
    viewer = await startViewer([]);
    ({ page, errors } = await viewer.page(viewer.address()));
    page.setDefaultTimeout(60_000);
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
  }, 120_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await recording?.close();
  });

  test("dropped with its road net shows both", async () => {
    await drop(page, { "town.log": log, "town.xodr": world(OPTIONS) });
    await untilOpen(page);
    await page
      .getByRole("img", { name: /^24 vehicles, \d+ walkers, 24 traffic lights, 56 roads, 9 junctions$/ })
      .waitFor();
    await seek(SECONDS);
    await keep("town");
    // Road and pavement: there is less of the ground's own colour with them.
    const both = await colors();
    await page.keyboard.press("w");
    await page.getByRole("img", { name: /traffic lights$/ }).waitFor();
    await expect.poll(colors).not.toBe(both);
    await page.keyboard.press("w");
    await page.getByRole("img", { name: /9 junctions$/ }).waitFor();
  });

  test("has every vehicle within a pixel of where its recorded place is projected", async () => {
    const { sets } = await recording.state(SECONDS * 1e9, { interpolate: true });
    const set = sets.get("vehicles")!;
    const poses = posesOf(set)!;
    const place = new Float64Array(3);
    const middle = [0, 1, 2].map((axis) => {
      const along = set.ids.map((_, row) => poses.position(row, place, 0) && place[axis]!);
      return (Math.min(...(along as number[])) + Math.max(...(along as number[]))) / 2;
    });
    let checked = 0;
    // Of the place that is looked at, metres: from high above, aslant, and near the ground.
    for (const [x, y, z, field] of [
      [1, 0, 260, 50],
      [-150, 120, 110, 65],
      [90, 160, 8, 40],
    ] as const) {
      const gaze = {
        position: [middle[0]! + x, middle[1]! + y, middle[2]! + z],
        target: middle,
        field,
      } as unknown as Gaze;
      await page.evaluate((given) => simtape.camera!.look(given), gaze);
      await seek(SECONDS);
      await page.waitForTimeout(1000);
      const canvas = (await page.locator(".scene-view canvas[role=img]").boundingBox())!;
      const sights = await page.evaluate(
        (ids) => ids.map((id) => simtape.sights.get("scene")!("vehicles", id)),
        [...set.ids],
      );
      for (const [row, sight] of sights.entries()) {
        if (sight === null) continue;
        poses.position(row, place, 0);
        const seen = projected(gaze, [...place], canvas.width / canvas.height);
        // Outside of the picture a pixel is as good as nothing.
        if (Math.abs(seen.x - 0.5) > 0.6 || Math.abs(seen.y - 0.5) > 0.6) continue;
        expect(Math.abs(seen.x - sight.x) * canvas.width, `vehicle ${set.ids[row]} across, from ${z} m`).toBeLessThan(
          1,
        );
        expect(Math.abs(seen.y - sight.y) * canvas.height, `vehicle ${set.ids[row]} down, from ${z} m`).toBeLessThan(1);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(40);
    await page.evaluate(() => simtape.camera!.look(null));
  });

  test("has the values of wheels and bones where it shows them", async () => {
    const names = await page.evaluate(() =>
      [...simtape.frame!.state.values].filter(([, value]) => value !== undefined).map(([name]) => name.split("/")[0]!),
    );
    expect(names).toContain("wheels");
    expect(names).toContain("physics");
    expect(names).toContain("bones");
  });

  async function seek(seconds: number): Promise<void> {
    await page.evaluate((time) => simtape.seek(time), seconds * 1e9);
    await page
      .locator(`.scene-view canvas[role=img][data-quality=full][data-time="${seconds * 1e9}"]`)
      .waitFor({ timeout: 60_000 });
  }

  /** What the picture is like, in few colours. */
  function colors(): Promise<string> {
    return page.evaluate(() => {
      const small = document.createElement("canvas");
      [small.width, small.height] = [16, 9];
      const context = small.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(simtape.pictures.get("scene")!(), 0, 0, small.width, small.height);
      return context
        .getImageData(0, 0, small.width, small.height)
        .data.map((value) => value >> 4)
        .join();
    });
  }

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});
