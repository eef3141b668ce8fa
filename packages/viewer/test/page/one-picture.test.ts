import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { hasFfmpeg, pixels, psnr } from "../support/ffmpeg.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

const EQUAL = Number.POSITIVE_INFINITY;
/**
 * Recordings in which a person walks, wheels, propellers, atoms and robots move, seconds at which they do, and decibels
 * from which on it is the same: a scanner's dots are what was watched.
 */
const MOVING = [
  ["race.hcrp", 20, EQUAL],
  ["town.log", 4, EQUAL],
  ["flight.fgtape", 12, EQUAL],
  ["buckyball.nanover.zip", 2, EQUAL],
  ["patrol.tape", 6, 40],
] as const;

describe.skipIf(!hasChromium || !hasFfmpeg)("a time", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-one-picture-"));
  let viewer: Viewer;
  let page: Page;
  onePage(
    MOVING.map(([name]) => example(name)),
    (opened) => {
      ({ viewer, page } = opened);
    },
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Plays from a time for a moment; the time that is shown then. */
  async function playFrom(time: number, rate: number): Promise<number> {
    return await page.evaluate(
      async ([from, by]) => {
        const turn = (): Promise<unknown> => new Promise(requestAnimationFrame);
        await simtape.seek(from);
        simtape.setRate(by);
        simtape.play();
        while (Math.abs(simtape.frame!.time - from) < 4e8) await turn();
        simtape.pause();
        while (simtape.state.value.status.phase !== "paused") await turn();
        // what was on its way from the worker
        let time: number;
        do {
          time = simtape.frame!.time;
          for (let i = 0; i < 10; i++) await turn();
        } while (simtape.frame!.time !== time);
        return time;
      },
      [time, rate] as const,
    );
  }

  /** What the scene shows now, in a file. */
  async function picture(name: string): Promise<Buffer> {
    const text = await page.evaluate(() => simtape.pictures.get("scene")!().toDataURL());
    const file = join(folder, name);
    writeFileSync(file, Buffer.from(text.slice(text.indexOf(",") + 1), "base64"));
    return pixels(file, 0, 900, 300);
  }

  test.each(MOVING)("has one picture, however it was come to: %s", async (name, seconds, least) => {
    await page.goto("about:blank");
    const shared = { layout: layoutOf(["scene"]), scene: { mode: "orbit" } };
    await page.goto(viewer.address(name) + hashOf({ t: seconds, shared }));
    await untilOpen(page);
    await page.waitForLoadState("networkidle");
    // the camera stays where the user has it
    await page.locator(".scene-view canvas").first().hover();
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -300);
    for (const rate of [1, -1]) {
      const time = await playFrom(seconds * 1e9, rate);
      const played = await picture("played.png");
      await page.evaluate(async (at) => {
        await simtape.seek(at - 1.7e9);
        await simtape.seek(at);
      }, time);
      expect(psnr(played, await picture("sought.png")), `rate ${rate}`).toBeGreaterThanOrEqual(least);
    }
  });
});
