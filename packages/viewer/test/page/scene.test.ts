import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { open as openRecording } from "simtape";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { example, hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

const SCENES = [
  { name: "buckyball.nanover.zip", seconds: 2, shows: "60 atoms, 90 bonds, 1 person" },
  { name: "town.log", seconds: 3.2, shows: "2 vehicles, 1 walker, 1 traffic light" },
  { name: "patrol.tape", seconds: 11, shows: "1 robot, 1 laser scanner" },
  { name: "flight.fgtape", seconds: 40, shows: "3 aircraft" },
  { name: "race.hcrp", seconds: 30, shows: "5 players, 1 entity, 180 edited blocks" },
] as const;

describe.skipIf(!hasChromium)("the scene, in a browser that draws in software", () => {
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    viewer = await startViewer(SCENES.map(({ name }) => example(name)));
    ({ page, errors } = await viewer.page(viewer.address()));
    page.setDefaultTimeout(20_000);
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
  }, 60_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
  });

  // One after another in the same page, which is quicker than a page for each.
  test.each(SCENES)("shows $name", async ({ name, seconds, shows }) => {
    await open(name);
    await untilShown(page, seconds);
    await page.getByRole("img", { name: shows }).waitFor();
    expect(await colorsOf(page)).toBeGreaterThan(40);
    await keep(name.split(".")[0]!);
  });

  test("goes along, looks down, looks out, and keeps that in the address", async () => {
    for (const mode of ["follow", "top", "first-person", "orbit"]) {
      await page.evaluate((next) => simtape.share("scene", { mode: next }), mode);
      await page.locator(`.scene-bar [aria-pressed=true]`).first().waitFor();
      expect(await colorsOf(page)).toBeGreaterThan(20);
      await keep(`race-${mode}`);
    }
    await page.getByRole("combobox", { name: "Selected thing" }).selectOption({ index: 2 });
    expect(await selection()).toEqual({ kind: "thing", set: "players", id: 2 });
    const labels = page.locator("canvas.scene-labels");
    const shown = async (): Promise<number> => Number(await labels.getAttribute("data-shown"));
    await expect.poll(shown).toBeGreaterThan(1);
    // sharp, with however few pixels the picture itself is drawn
    expect(
      await labels.evaluate((canvas: HTMLCanvasElement) => canvas.width / canvas.clientWidth / devicePixelRatio),
    ).toBeCloseTo(1, 2);
    await page.getByRole("button", { name: "Names", exact: true }).click();
    expect(await page.evaluate(() => simtape.state.value.shared["scene"])).toMatchObject({
      mode: "orbit",
      labels: false,
    });
    // but for what is selected, where that is in the picture
    await expect.poll(shown).toBeLessThan(2);
    await page.evaluate(() => simtape.share("scene", undefined));
  });

  test("tells by how much a ghost is ahead", async () => {
    const ghost = page.getByRole("status", { name: "Ghosts" });
    await page.evaluate(async (url) => {
      await simtape.addGhost({ kind: "url", name: "ghost", url }, { offset: -2e9 });
      simtape.select({ kind: "thing", set: "players", id: 4 });
    }, urlOf("race.hcrp"));
    await untilShown(page, 17);
    await using recording = await openRecording(new Uint8Array(readFileSync(example("race.hcrp"))));
    const placeAt = async (time: number): Promise<number[]> => {
      const { ids, columns } = (await recording.state(time, { interpolate: true })).sets.get("players")!;
      const row = ids.indexOf(4);
      return [...(columns.get("position")!.data as Float64Array).slice(3 * row, 3 * row + 3)];
    };
    const [here, there] = [await placeAt(17e9), await placeAt(19e9)];
    const metres = Math.hypot(...here.map((at, i) => there[i]! - at));
    await expect.poll(() => ghost.textContent()).toMatch(/^ghost: (1\.9|2\.0)\d s ahead · \d/);
    // The recording's state and the ghost's come apart: the distance is right once both are there.
    await expect
      .poll(async () => Number(/([\d.]+) m$/.exec((await ghost.textContent())!)?.[1]))
      .toBeCloseTo(metres, metres < 10 ? 2 : 1);
    await keep("ghost");
  });

  test("a click takes the thing under it", async () => {
    await open("flight.fgtape");
    await untilShown(page, 40);
    // The recorded aircraft is followed: it is in the middle.
    const { x, y, width, height } = (await page.locator(".scene-view canvas[role=img]").boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    expect(await selection()).toEqual({ kind: "thing", set: "aircraft", id: "self" });
  });

  test("lets go of everything when the recording is closed", async () => {
    await page.evaluate(() => simtape.close());
    await page.locator(".scene-view").waitFor({ state: "detached" });
    expect(await page.evaluate(() => simtape.pictures.has("scene"))).toBe(false);
  });

  function urlOf(name: string): string {
    return new URL(new URL(viewer.address(name)).searchParams.get("url")!, viewer.address()).href;
  }

  async function open(name: string): Promise<void> {
    await page.waitForFunction(() => "simtape" in globalThis);
    await page.evaluate(
      async ([file, url]) => {
        await simtape.close();
        await simtape.open({ kind: "url", name: file!, url: url! });
      },
      [name, urlOf(name)],
    );
  }

  function selection(): Promise<unknown> {
    return page.evaluate(() => simtape.state.value.selection);
  }

  async function keep(name: string): Promise<void> {
    // What rests is drawn with everything.
    await page.locator(".scene-view canvas[role=img][data-quality=full]").waitFor();
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

async function untilShown(page: Page, seconds: number): Promise<void> {
  await untilOpen(page);
  await page.evaluate((time) => simtape.seek(time), seconds * 1e9);
  await page.waitForFunction(
    (time) => Number(document.querySelector<HTMLElement>(".scene-view canvas[role=img]")?.dataset["time"]) === time,
    seconds * 1e9,
  );
}

/** How many colours the picture has, of those a person could tell apart. */
function colorsOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const small = document.createElement("canvas");
    small.width = 320;
    small.height = 180;
    const context = small.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(simtape.pictures.get("scene")!(), 0, 0, small.width, small.height);
    const { data } = context.getImageData(0, 0, small.width, small.height);
    const colors = new Set<number>();
    for (let i = 0; i < data.length; i += 4) {
      colors.add(((data[i]! >> 4) << 8) | ((data[i + 1]! >> 4) << 4) | (data[i + 2]! >> 4));
    }
    return colors.size;
  });
}
