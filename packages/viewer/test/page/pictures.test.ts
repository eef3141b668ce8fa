import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import { startNode } from "../../../server/test/support/node.ts";
import { sample } from "../../../simtape/test/samples.ts";
import { hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";
import { movingPng, smallPng } from "../support/small-png.ts";

/** Folder for the pictures of the documentation; absent: none are made. */
const PICTURES = process.env["PICTURES"];
/** What a picture may weigh, bytes. */
const HEAVIEST = 200_000;

const HEAVIEST_MOVING = 1_000_000;

/** The moving picture: seconds of the recording, frames, and milliseconds between two of them. */
const MOVING = { from: 34, frames: 14, delay: 150 };

interface Shown {
  readonly format: string;
  readonly name: string;
  readonly seconds: number;
  readonly scheme: "dark" | "light";
  /** Set and id of what is looked at; absent: what the page looks at by itself. */
  readonly looksAt?: readonly [string, string];
  /** How molecules are drawn; absent: as usual. */
  readonly molecules?: { readonly style: string; readonly color: string };
}

/** The demo recordings, with the worlds that they have beside them, and when they are worth a picture. */
const SHOWN: readonly Shown[] = [
  {
    ...{ format: "nanover", name: "molecule.nanover.zip", seconds: 20, scheme: "dark" },
    molecules: { style: "ball-and-stick", color: "b-factor" },
  },
  { format: "carla", name: "town.log", seconds: 34, scheme: "dark" },
  { format: "mira", name: "robot.tape", seconds: 9, scheme: "light" },
  { format: "flightgear", name: "flight.fgtape", seconds: 19, scheme: "light" },
  { format: "mcap", name: "patrol.mcap", seconds: 31, scheme: "dark", looksAt: ["poses", "/pose"] },
  { format: "hcrp", name: "race.hcrp", seconds: 26, scheme: "light" },
];

/** Recordings of real simulators among the samples, at their first sight. */
const REAL = [
  { format: "carla", path: "carla/2020-DistanceBetweenVehicles.log", scheme: "light" },
  { format: "nanover", path: "nanover/17-ala-multiple.nanover.zip", scheme: "dark" },
  { format: "flightgear", path: "flightgear/c172p-continuous-full.fgtape", scheme: "light" },
] as const;

/** What makes a recording of players of the game, once it is built, and how many seconds of it are made. */
const MINECRAFT = fileURLToPath(new URL("../../../minecraft/bin/simtape-mc.js", import.meta.url));
const PLAYED = 40;

describe.skipIf(!hasChromium || PICTURES === undefined)("pictures for the documentation", () => {
  let folder: string;
  let viewer: Viewer;

  beforeAll(async () => {
    await mkdir(PICTURES!, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), "simtape-pictures-"));
    expect((await command(["demo", "-o", folder, "--seconds", "60"])).exit).toBe(0);
    viewer = await startViewer([folder]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test.each<Shown>(SHOWN)("of $format", async ({ format, name, seconds, scheme, looksAt, molecules }) => {
    const { page, errors } = await viewer.page("about:blank");
    page.setDefaultTimeout(110_000);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(viewer.address(name));
    await untilOpen(page);
    if (looksAt !== undefined) await page.evaluate(([set, id]) => simtape.select({ kind: "thing", set, id }), looksAt);
    if (molecules !== undefined) await page.evaluate((how) => simtape.share("scene", { molecules: how }), molecules);
    await playTo(page, seconds);
    const picture = smallPng(await page.screenshot());
    expect(picture.length).toBeLessThan(HEAVIEST);
    await writeFile(join(PICTURES!, `${format}.png`), picture);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("of one that plays, forwards and backwards", async () => {
    const { page, errors } = await viewer.page("about:blank");
    page.setDefaultTimeout(110_000);
    await page.setViewportSize({ width: 800, height: 450 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(viewer.address("town.log"));
    await untilOpen(page);
    await playTo(page, MOVING.from);
    const frames: Buffer[] = [];
    for (let i = 0; i < MOVING.frames; i++) {
      const time = Math.round((MOVING.from + (i * MOVING.delay) / 1000) * 1e9);
      await page.evaluate((to) => simtape.seek(to), time);
      await page.waitForFunction((to) => simtape.frame!.time === to, time);
      await page.locator(".scene-view canvas[role=img][data-quality=full]").waitFor();
      await page.waitForTimeout(150);
      frames.push(await page.screenshot());
    }
    const moving = movingPng([...frames, ...frames.slice(1, -1).reverse()], MOVING.delay);
    expect(moving.length).toBeLessThan(HEAVIEST_MOVING);
    await writeFile(join(PICTURES!, "playing.png"), moving);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("of the library", async () => {
    const server = await startNode([folder]);
    const { page, errors } = await viewer.page("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(server.address);
    const thumbnails = page.locator("img[src*=thumbnail]");
    await expect.poll(() => thumbnails.count(), { timeout: 100_000 }).toBe(SHOWN.length);
    // the server counts what can be chosen now and then
    const formats = page.locator(".facet", { hasText: /^Format/ }).locator(".facet-choice");
    await expect.poll(() => formats.count(), { timeout: 40_000 }).toBe(SHOWN.length);
    await page.waitForLoadState("networkidle");
    const picture = smallPng(await page.screenshot());
    expect(picture.length).toBeLessThan(HEAVIEST);
    await writeFile(join(PICTURES!, "library.png"), picture);
    expect(errors).toEqual([]);
    await page.close();
    await server.stop();
  });

  test.skipIf(!existsSync(MINECRAFT))("of players who came through the proxy, over their world", async () => {
    const store = join(folder, "game");
    const demo = spawn(process.execPath, [MINECRAFT, "demo", "--store", store], { stdio: "ignore" });
    await new Promise((resolve) => {
      setTimeout(resolve, PLAYED * 1000);
    });
    demo.kill("SIGINT");
    await once(demo, "exit");
    await using game = await startViewer([store]);
    const [name] = readdirSync(store).filter((one) => one !== "worlds");
    const { page, errors } = await game.page("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(game.address(name!));
    await untilOpen(page);
    // a slow machine has played less than the seconds it was given
    const end = await page.evaluate(() => Math.floor(simtape.bounds.end / 1e9));
    await playTo(page, end - 10);
    await page.waitForTimeout(5000);
    const picture = smallPng(await page.screenshot());
    expect(picture.length).toBeLessThan(HEAVIEST);
    await writeFile(join(PICTURES!, "minecraft.png"), picture);
    expect(errors).toEqual([]);
  });

  test.each(REAL.filter(({ path }) => existsSync(sample(path))))(
    "of a real $format",
    async ({ format, path, scheme }) => {
      await using real = await startViewer([sample(path)]);
      const { page, errors } = await real.page("about:blank");
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(real.address(basename(path)));
      await untilOpen(page);
      await page.waitForTimeout(2000);
      await page.locator(".scene-view canvas[role=img][data-quality=full]").waitFor();
      const picture = smallPng(await page.screenshot());
      expect(picture.length).toBeLessThan(HEAVIEST);
      await writeFile(join(PICTURES!, `real-${format}.png`), picture);
      expect(errors).toEqual([]);
    },
  );

  test("are all there", () => {
    for (const { format } of SHOWN) expect(existsSync(join(PICTURES!, `${format}.png`))).toBe(true);
  });
});

/** Plays some seconds up to a time, so that there are trails, and waits until all is drawn. */
async function playTo(page: Page, seconds: number): Promise<void> {
  await page.evaluate((time) => simtape.seek(time), (seconds - 4) * 1e9);
  await page.waitForFunction((time) => simtape.frame!.time === time, (seconds - 4) * 1e9);
  await page.evaluate(() => simtape.play());
  await page.waitForFunction((time) => simtape.frame!.time >= time, seconds * 1e9);
  await page.evaluate(() => simtape.pause());
  await page.waitForFunction(() => !simtape.isPlaying);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  await page.locator(".scene-view canvas[role=img][data-quality=full]").waitFor();
}
