import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JSHandle, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MemoryFiles } from "simtape";
import { airport } from "../../../demo/src/flightgear-airport.ts";
import { heights } from "../../../demo/src/flightgear-land.ts";
import { demo } from "../../../demo/src/flightgear.ts";
import { drop, hasChromium, layoutOf, hashOf, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const DEGREE = Math.PI / 180;
const FILE = airport();

describe.skipIf(!hasChromium)("an airport, in a browser", () => {
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[] = [];
  let tape: Uint8Array;

  beforeAll(async () => {
    const files = new MemoryFiles();
    await demo({ seconds: 30, entities: 1, seed: 1 }, files);
    tape = files.bytes;
    viewer = await startViewer([]);
    ({ page, errors } = await viewer.page(
      viewer.address() + hashOf({ shared: { layout: layoutOf(["scene", "info"]) } }),
    ));
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width: 1600, height: 1000 });
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
  }, 120_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
  });

  test("that is long in coming leaves the terrain beside it alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "simtape-airports-"));
    const files = { "flight.fgtape": tape, "flight.apt.dat": FILE, "flight.tif": heights({ seed: 1 }) };
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
    await using own = await startViewer([folder]);
    const { page: slow, errors: wrong } = await own.page("about:blank");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await slow.context().route("**/flight.apt.dat", async (route) => {
      if (route.request().method() === "GET") await released;
      await route.continue();
    });
    await slow.goto(own.address("flight.fgtape") + hashOf({ shared: { layout: layoutOf(["scene", "info"]) } }));
    await slow.getByText("flight.tif, a field of heights (GeoTIFF), shown in the scene").waitFor();
    expect(await slow.getByText("flight.apt.dat").count()).toBe(0);
    release();
    await slow.getByText("flight.apt.dat, a set of airports (apt.dat), shown in the scene").waitFor();
    await slow.getByText("flight.tif, a field of heights (GeoTIFF), shown in the scene").waitFor();
    expect(wrong).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test("dropped with a flight shows its runway, and says what it is", async () => {
    await drop(page, { "flight.fgtape": tape, "apt.dat": FILE });
    await untilOpen(page);
    await page.getByRole("img", { name: /1 runway$/ }).waitFor();
    await page.getByText("set of airports (apt.dat), shown in the scene").waitFor();
    await page.getByText("1 of 1 are near").waitFor();
    await seek(1);
    await keep("airport");
  });

  test("has both ends of the runway within a pixel of where their places are projected", async () => {
    const [one, other] = endsOf(FILE);
    const middle = [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2] as const;
    for (const [north, east, up] of [
      [-0.004, 0, 1500],
      [-0.012, -0.012, 900],
    ] as const) {
      const gaze = {
        position: [middle[0] + north, middle[1] + east, up] as [number, number, number],
        target: [middle[0], middle[1], 20] as [number, number, number],
        field: 55,
      };
      await page.evaluate((given) => simtape.camera!.look(given), gaze);
      const withIt = await pictureWith(true);
      const without = await pictureWith(false);
      const [width, height] = await withIt.evaluate((picture) => [picture.width, picture.height] as const);
      const changed = await page.evaluate(
        ([one, other]) => {
          const bright = ({ data }: ImageData, i: number): number => data[4 * i]! + data[4 * i + 1]! + data[4 * i + 2]!;
          const found: [number, number][] = [];
          for (let i = 0; i < one.width * one.height; i++)
            if (Math.abs(bright(one, i) - bright(other, i)) > 180)
              found.push([(i % one.width) + 0.5, Math.floor(i / one.width) + 0.5]);
          return found;
        },
        [withIt, without] as const,
      );
      expect(changed.length).toBeGreaterThan(500);
      // the place above which the recording begins: the plane of the scene touches the earth there
      const begin = [37.5107, -122.4942, 0] as const;
      const seen = [one, other].map(([latitude, longitude]) =>
        projected(gaze, [latitude, longitude, 20.1168], begin, width, height),
      ) as [Point, Point];
      const long = Math.hypot(seen[1][0] - seen[0][0], seen[1][1] - seen[0][1]);
      const way = [(seen[1][0] - seen[0][0]) / long, (seen[1][1] - seen[0][1]) / long] as const;
      /** Pixels along the runway's middle line from its first end on. */
      const along = changed
        .map(([x, y]) => [x - seen[0][0], y - seen[0][1]] as const)
        .filter(([x, y]) => Math.abs(x * way[1] - y * way[0]) < 1.5)
        .map(([x, y]) => x * way[0] + y * way[1]);
      expect(Math.abs(Math.min(...along)), `first end, from ${up} m`).toBeLessThan(1);
      expect(Math.abs(Math.max(...along) - long), `other end, from ${up} m`).toBeLessThan(1);
      await keep(`airport-${up}`);
    }
    await page.evaluate(() => simtape.camera!.look(null));
  });

  test("is on the map from above: its runway and its name", async () => {
    await page.keyboard.press("w");
    await page.getByRole("button", { name: "Map", exact: true }).click();
    await seek(2);
    const chart = page.locator(".scene-view canvas.scene-chart");
    await chart.waitFor();
    const inked = (): Promise<number> =>
      chart.evaluate((canvas: HTMLCanvasElement) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true })!;
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, i) => i % 4 === 3 && value > 200).length;
      });
    await expect.poll(() => page.getByRole("img", { name: /1 runway$/ }).count()).toBe(1);
    await expect.poll(inked).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    const withIt = await inked();
    await keep("airport-map");
    await page.keyboard.press("w");
    await expect.poll(inked).toBeLessThan(withIt - 200);
    await page.keyboard.press("w");
  });

  async function seek(seconds: number): Promise<void> {
    await page.evaluate((time) => simtape.seek(time), seconds * 1e9);
    await page
      .locator(`.scene-view canvas[role=img][data-quality=full][data-time="${seconds * 1e9}"]`)
      .waitFor({ timeout: 60_000 });
  }

  /** The picture with the world around or without, kept in the page. */
  async function pictureWith(isOn: boolean): Promise<JSHandle<ImageData>> {
    const isThere = (await page.getByRole("img", { name: /1 runway$/ }).count()) > 0;
    if (isThere !== isOn) await page.keyboard.press("w");
    await expect.poll(() => page.getByRole("img", { name: /1 runway$/ }).count()).toBe(isOn ? 1 : 0);
    await page.waitForTimeout(500);
    return page.evaluateHandle(() => {
      const whole = simtape.pictures.get("scene")!();
      const context = new OffscreenCanvas(whole.width, whole.height).getContext("2d", { willReadFrequently: true })!;
      context.drawImage(whole, 0, 0);
      return context.getImageData(0, 0, whole.width, whole.height);
    });
  }

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

type Point = readonly [x: number, y: number];
type Three = readonly [number, number, number];

/** Both ends of the only runway of a file, degrees. */
function endsOf(bytes: Uint8Array): [Point, Point] {
  const row = new TextDecoder()
    .decode(bytes)
    .split("\n")
    .find((line) => line.startsWith("100 "))!
    .split(" ");
  return [
    [Number(row[9]), Number(row[10])],
    [Number(row[18]), Number(row[19])],
  ];
}

/** Where a place of the earth is in a picture, pixels: by the book, from nothing of the page. */
function projected(
  { position, target, field }: { readonly position: Three; readonly target: Three; readonly field: number },
  place: Three,
  zero: Three,
  width: number,
  height: number,
): Point {
  const [eye, goal, point] = [position, target, place].map(ofEarth) as [Three, Three, Three];
  const unit = (a: Three): Three => a.map((value) => value / Math.hypot(...a)) as unknown as Three;
  const minus = (a: Three, b: Three): Three => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const dot = (a: Three, b: Three): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a: Three, b: Three): Three => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const [north, east] = [zero[0] * DEGREE, zero[1] * DEGREE];
  const above: Three = [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  const ahead = unit(minus(goal, eye));
  const right = unit(cross(ahead, above));
  const up = cross(right, ahead);
  const way = minus(point, eye);
  const half = Math.tan((field * DEGREE) / 2) * dot(way, ahead);
  return [((1 + (dot(way, right) / half) * (height / width)) / 2) * width, ((1 - dot(way, up) / half) / 2) * height];
}

/** Metres from the middle of the earth (WGS 84). */
function ofEarth([latitude, longitude, height]: Three): Three {
  const [a, e2] = [6_378_137, 0.00669437999014];
  const [north, east] = [latitude * DEGREE, longitude * DEGREE];
  const n = a / Math.sqrt(1 - e2 * Math.sin(north) ** 2);
  return [
    (n + height) * Math.cos(north) * Math.cos(east),
    (n + height) * Math.cos(north) * Math.sin(east),
    (n * (1 - e2) + height) * Math.sin(north),
  ];
}
