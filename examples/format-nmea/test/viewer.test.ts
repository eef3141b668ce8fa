import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, startViewer, untilOpen, type Viewer } from "../../../packages/viewer/test/support/viewer.ts";
import { harbourRun } from "./sample.ts";

const MODULE = fileURLToPath(new URL("../dist/nmea.js", import.meta.url));
/** Folder for a picture; absent: none is made. */
const PICTURES = process.env["PICTURES"];

describe.skipIf(!hasChromium)("with the module, the viewer plays NMEA 0183", () => {
  const folder = mkdtempSync(join(tmpdir(), "nmea-"));
  let viewer: Viewer;

  beforeAll(async () => {
    writeFileSync(join(folder, "run.nmea"), harbourRun());
    viewer = await startViewer([join(folder, "run.nmea")], undefined, [MODULE]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test("two vessels with their own numbers, and no horizon of an aircraft", async () => {
    const { page, errors } = await viewer.page(viewer.address("run.nmea"));
    await untilOpen(page);
    await page.evaluate(() => simtape.seek(100e9));
    await page.waitForFunction(() => simtape.frame?.time === 100e9);
    const scene = page.getByRole("img", { name: /2 vessels/ });
    await scene.waitFor();
    await expect.poll(() => scene.getAttribute("data-time")).toBe("100000000000");
    const hud = page.locator(".scene-hud");
    await expect.poll(() => hud.textContent()).toContain("depth11.0m");
    expect(await hud.textContent()).toContain("speed8.0kt");
    expect(await hud.textContent()).not.toContain("ft");
    expect(await page.locator(".scene-horizon").isVisible()).toBe(false);
    // The whole run is in the picture.
    await expect.poll(() => page.evaluate(areInside)).toBe(true);
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, "nmea.png") });
    expect(errors).toEqual([]);
    await page.close();
  });
});

/** Whether both vessels are well inside of the picture. */
function areInside(): boolean {
  const sight = simtape.sights.get("scene")!;
  const isInside = (at: number): boolean => at > 0.05 && at < 0.95;
  return [sight("vessel", "self"), sight("vessels", 211_234_560)].every(
    (at) => at !== null && isInside(at.x) && isInside(at.y),
  );
}
