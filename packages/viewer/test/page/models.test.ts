import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { smallGlb } from "../support/small-glb.ts";
import {
  drop,
  example,
  hasChromium,
  hashOf,
  layoutOf,
  startViewer,
  untilOpen,
  type Viewer,
} from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const text = new TextEncoder();

/** A box in magenta, which nothing else has: half of it is in its colour, half in its picture. */
const CAR = smallGlb({ size: [3, 2.5, 6], color: [1, 1, 1, 1], picture: png(2, 2, [255, 0, 255]) });
const TOWER = smallGlb({ size: [8, 30, 8], color: [1, 0, 1, 1] });

describe.skipIf(!hasChromium)("models of things and maps, in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-models-"));
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[] = [];

  beforeAll(async () => {
    for (const name of ["town.log", "flight.fgtape", "patrol.tape"]) copyFileSync(example(name), join(folder, name));
    writeFileSync(join(folder, "car.glb"), CAR);
    writeFileSync(
      join(folder, "town.models.json"),
      JSON.stringify({ models: [{ things: "vehicles/hero", file: "car.glb" }] }),
    );
    writeFileSync(
      join(folder, "patrol.yaml"),
      "image: patrol.pgm\nresolution: 0.1\norigin: [-9, -5, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n",
    );
    const greys = Array.from({ length: 120 * 100 }, (_, i) => {
      const [x, y] = [i % 120, Math.floor(i / 120)];
      const isWall = Math.min(x, y, 119 - x, 99 - y) < 2 || (x > 40 && x < 60 && y > 40 && y < 52);
      return isWall ? 0 : Math.hypot(x, y) < 30 ? 205 : 254;
    });
    writeFileSync(join(folder, "patrol.pgm"), Uint8Array.from([...text.encode("P5\n120 100\n255\n"), ...greys]));
    viewer = await startViewer([folder]);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(30_000);
    if (SCREENSHOTS !== undefined) mkdirSync(SCREENSHOTS, { recursive: true });
  }, 120_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function go(name: string): Promise<void> {
    await page.goto("about:blank");
    const kept = { shared: { layout: layoutOf(["scene", "info"]), scene: { mode: "follow" } } };
    await page.goto(viewer.address(name) + hashOf(kept));
    await untilOpen(page);
  }

  test("lie beside a recording under its name, and are what it is named: a picture and a place each", async () => {
    await go("town.log");
    await page.evaluate(() => simtape.select({ kind: "thing", set: "vehicles", id: 24 }));
    await expect.poll(magenta).toBeGreaterThan(300);
    await keep("model-hero");
    await page.getByText("1 of 1 read").waitFor();
    // another one is as it always is
    await page.evaluate(() => simtape.select({ kind: "thing", set: "vehicles", id: 25 }));
    await page.keyboard.press("w");
    await page.keyboard.press("w");
  });

  test("dropped with a recording, that says which file is missing, and what is wrong", async () => {
    await go("flight.fgtape");
    const models = {
      models: [{ things: "aircraft/*", file: "ship.glb", scale: 0.2 }],
      scenery: [{ file: "gone.glb" }],
    };
    await drop(page, { "flight.models.json": text.encode(JSON.stringify(models)), "ship.glb": TOWER });
    await expect.poll(magenta).toBeGreaterThan(300);
    await keep("model-aircraft");
    await page.getByText("gone.glb: it was not given with it").waitFor();
    await drop(page, { "wrong.models.json": text.encode('{"models":[{"things":"a"}]}') });
    await page
      .getByText(/wrong\.models\.json is not shown: models\[0\]\.file is to be a text, not nothing/)
      .first()
      .waitFor();
    // the others stay
    await expect.poll(magenta).toBeGreaterThan(300);
  });

  test("scenery stands in the world, on the earth too, and goes with the key of the world", async () => {
    await go("flight.fgtape");
    const place = await page.evaluate(() => {
      const set = simtape.frame!.recorded!.sets.get("aircraft")!;
      const row = set.ids.indexOf("self");
      const [latitude, longitude, feet] = [...set.columns.get("geodetic")!.data].slice(3 * row) as number[];
      return [latitude!, longitude!, 0.3048 * feet!];
    });
    const models = { scenery: [{ file: "tower.glb", geodetic: place, scale: 0.2 }] };
    await drop(page, { "flight.models.json": text.encode(JSON.stringify(models)), "tower.glb": TOWER });
    await expect.poll(magenta).toBeGreaterThan(300);
    await keep("scenery-earth");
    await page.keyboard.press("w");
    await expect.poll(magenta).toBe(0);
  });

  test("a glTF file alone is a scene at the zero of a local world", async () => {
    await go("patrol.tape");
    await drop(page, { "hall.glb": TOWER });
    await page.getByText("scene (glTF)").waitFor();
    await page.getByRole("img", { name: /a scene of 12 triangles/ }).waitFor();
  });

  test("a map of a robot lies below it", async () => {
    await go("patrol.tape");
    await page.getByRole("img", { name: /a map of 12\.0 × 10\.0 m/ }).waitFor();
    await page.evaluate(() => simtape.share("scene", { mode: "top" }));
    await keep("map");
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await keep("map-follow");
    await page.keyboard.press("Shift+D");
    await keep("map-other");
    await page.keyboard.press("Shift+D");
  });

  test("a map whose picture is not given with it says so", async () => {
    await go("flight.fgtape");
    await drop(page, { "hall.yaml": readFileSync(join(folder, "patrol.yaml")) });
    await page
      .getByText(/hall\.yaml is not shown: patrol\.pgm: it was not given with it/)
      .first()
      .waitFor();
  });

  /** Pixels that are as magenta as nothing else is. */
  function magenta(): Promise<number> {
    return page.evaluate(() => {
      const small = document.createElement("canvas");
      [small.width, small.height] = [480, 270];
      const context = small.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(simtape.pictures.get("scene")!(), 0, 0, small.width, small.height);
      const { data } = context.getImageData(0, 0, small.width, small.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i]! > 60 && data[i]! > 2.5 * data[i + 1]! && data[i + 2]! > 2.5 * data[i + 1]!) count++;
      return count;
    });
  }

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

/** A picture of one colour (PNG, section 11: IHDR, IDAT, IEND). */
function png(width: number, height: number, color: readonly number[]): Uint8Array {
  const chunk = (name: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), 4 + body.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => color).flat()]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([magic, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}
