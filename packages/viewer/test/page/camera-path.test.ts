import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { CameraPath } from "../../src/video/path.ts";
import { PathRun } from "../../src/video/path-run.ts";
import { hasFfmpeg, pixels, probe, psnr } from "../support/ffmpeg.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

/** Decibels from which on two pictures show the same. */
const ALIKE = 30;
const [WIDTH, HEIGHT] = [640, 360];

describe.skipIf(!hasChromium)("a camera path in the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-path-page-"));
  let viewer: Viewer;
  let page: Page;
  let panel: Locator;
  let keyframes: Locator;
  onePage([example("town.log"), example("flight.fgtape")], (opened) => {
    ({ viewer, page } = opened);
    panel = page.getByRole("region", { name: "Camera path" });
    keyframes = panel.getByRole("list", { name: "Keyframes" }).getByRole("listitem");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    // the browser keeps the path of each recording
    await page.evaluate(() => localStorage.removeItem("simtape-camera-paths-by-recording")).catch(() => undefined);
    await page.goto("about:blank");
    await page.emulateMedia({ reducedMotion: null });
    await page.addInitScript("delete globalThis.showSaveFilePicker");
  });

  async function go(name: string, seconds: number, shared: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await page.goto(viewer.address(name) + hashOf({ t: seconds, shared: { layout: layoutOf(["scene"]), ...shared } }));
    await untilOpen(page);
    await page.locator(".scene-view canvas").first().waitFor();
  }

  function kept(): Promise<CameraPath | undefined> {
    return page.evaluate(() => simtape.state.value.shared["path"] as CameraPath | undefined);
  }

  /** Adds a keyframe by its key, at a time and seen from a place. */
  async function add(seconds: number, move: readonly [number, number]): Promise<void> {
    await page.evaluate((time) => simtape.seek(time * 1e9), seconds);
    const box = (await page.locator(".scene-view").boundingBox())!;
    await page.mouse.move(box.x + 200, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 200 + move[0], box.y + 100 + move[1], { steps: 3 });
    await page.mouse.up();
    await page.keyboard.press("Shift+K");
    await page.waitForFunction(
      (time) =>
        (simtape.state.value.shared["path"] as CameraPath | undefined)?.keyframes.some((one) => one.time === time),
      seconds,
    );
  }

  test("is made by keys, changed in the list, undone and kept in the address", async () => {
    await go("town.log", 3);
    await page.getByRole("toolbar", { name: "Scene" }).getByRole("button", { name: "Orbit" }).click();
    await add(3, [30, 0]);
    await panel.waitFor();
    await add(5, [40, 10]);
    await add(4, [-60, 20]);
    expect((await kept())!.keyframes.map(({ time }) => time)).toEqual([3, 4, 5]);
    await expect.poll(() => keyframes.count()).toBe(3);

    const time = panel.getByLabel("Time of keyframe 2");
    await time.fill("4.5");
    await time.press("Enter");
    await panel.getByLabel("Speed at keyframe 3").fill("0.5");
    await panel.getByLabel("Speed at keyframe 3").press("Enter");
    await panel.getByLabel("Ease at keyframe 1").check();
    const { keyframes: changed } = (await kept())!;
    expect(changed.map((one) => [one.time, one.rate, one.ease])).toEqual([
      [3, undefined, true],
      [4.5, undefined, undefined],
      [5, 0.5, undefined],
    ]);

    // a time that another one has is none
    await time.fill("5");
    await time.press("Enter");
    expect((await kept())!.keyframes).toEqual(changed);

    const look = panel.getByLabel("Keyframe 1 looks at");
    await look.selectOption("subject");
    const subject = await page.evaluate(() => simtape.state.value.subject!);
    expect((await kept())!.keyframes[0]!.lookAt).toEqual({ set: subject.set, id: subject.id });
    await panel.getByRole("button", { name: "Remove keyframe 2" }).click();
    expect((await kept())!.keyframes).toHaveLength(2);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect.poll(kept).toMatchObject({ keyframes: changed });
    await page.keyboard.press("Control+Shift+Z");
    await expect.poll(async () => (await kept())!.keyframes[0]!.lookAt).toEqual({ set: subject.set, id: subject.id });

    const path = await kept();
    // the address is written a moment later
    await page.waitForFunction((written) => decodeURIComponent(location.hash).includes(written), JSON.stringify(path));
    await page.reload();
    await untilOpen(page);
    expect(await kept()).toEqual(path);
  });

  test("is flown along: the camera is where the path says at the time that is drawn, and the user's again after it", async () => {
    const path = circle(2, 4);
    // the camera is on the path at once, without going there
    await page.emulateMedia({ reducedMotion: "reduce" });
    await go("town.log", 1, { path });
    await page.keyboard.press("Shift+P");
    await panel.getByRole("button", { name: "Preview" }).click();
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>(".scene-view canvas[role=img]")!.dataset["time"]) >= 2e9,
    );
    const run = new PathRun(path);
    for (let i = 0; i < 4; i++) {
      const { time, gaze } = await page.evaluate(
        () =>
          new Promise<{ time: number; gaze: { position: number[] } }>((resolve) => {
            const stop = simtape.onFrame(() => {
              stop();
              const drawn = Number(
                document.querySelector<HTMLElement>(".scene-view canvas[role=img]")!.dataset["time"],
              );
              resolve({ time: drawn, gaze: simtape.camera!.gaze() as unknown as { position: number[] } });
            });
          }),
      );
      const { position } = run.at(time / 1e9);
      for (const [k, value] of position.entries()) expect(gaze.position[k]).toBeCloseTo(value, 3);
    }
    await panel.getByRole("button", { name: "Preview" }).waitFor({ timeout: 60_000 });
    expect(await page.evaluate(() => [simtape.isPlaying, simtape.frame!.time])).toEqual([false, 4e9]);
    const [, last] = path.keyframes.slice(-2);
    const { position } = (await page.evaluate(() => simtape.camera!.gaze()))!;
    for (const [k, value] of last!.position.entries()) expect(position[k]).toBeCloseTo(value, 1);
  });

  test("goes to the clipboard, into a file and back, and says what is wrong with a file", async () => {
    const path = circle(2, 4);
    await go("town.log", 3, { path });
    await page.keyboard.press("Shift+P");
    const download = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Download" }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe("town.camera.json");
    const file = join(folder, "town.camera.json");
    await saved.saveAs(file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(path);

    await panel.getByRole("button", { name: "Clear" }).click();
    expect(await kept()).toBeUndefined();
    const load = async (from: string): Promise<void> => {
      const chooser = page.waitForEvent("filechooser");
      await panel.getByRole("button", { name: "Load …" }).click();
      await (await chooser).setFiles(from);
    };
    await load(file);
    await expect.poll(kept).toEqual(path);
    const wrong = join(folder, "wrong.json");
    writeFileSync(wrong, JSON.stringify({ version: 1, keyframes: [{ time: 1 }] }));
    await load(wrong);
    await panel.getByRole("alert").getByText("keyframes[0].position is three numbers").waitFor();
    expect(await kept()).toEqual(path);
  });

  test("is drawn in the scene with a camera for each keyframe, and has nothing that axe finds serious", async () => {
    await go("town.log", 3, { path: circle(2, 4) });
    await page.keyboard.press("Shift+P");
    await panel.waitFor();
    const drawn = page.locator(".scene-view canvas[data-cameras]");
    await expect.poll(() => drawn.getAttribute("data-cameras")).not.toBe("0");
    for (const scheme of ["dark", "light"]) {
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(".path", { resultTypes: ["violations"] }),
      );
      const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(
        bad.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        scheme,
      ).toEqual([]);
      await page.keyboard.press("Shift+D");
    }
  });

  describe.skipIf(!hasFfmpeg)("a video along it", () => {
    test.each([
      ["town.log", 3],
      ["flight.fgtape", 12],
    ])("of %s shows at each frame what the scene shows from there", async (name, start) => {
      await go(name, start);
      const path = await around(start, start + 0.5);
      await page.evaluate((value) => simtape.share("path", value), path as unknown);
      await page.keyboard.press("Shift+V");
      const dialog = page.getByRole("dialog", { name: "Video" });
      await dialog.getByLabel("Format").selectOption("webm");
      await dialog.getByLabel("Size").selectOption({ label: "360p, 640 × 360" });
      await dialog.getByLabel("Frames", { exact: true }).selectOption("24");
      await dialog.getByLabel("Names, readings and the time").uncheck();
      expect(await dialog.getByLabel("Along the camera path").isChecked()).toBe(true);
      await dialog.getByText("12 frames, 0.5 s").waitFor();
      const download = page.waitForEvent("download", { timeout: 120_000 });
      await dialog.getByRole("button", { name: "Make the video" }).click();
      const file = join(folder, `${name}.webm`);
      await (await download).saveAs(file);
      await page.keyboard.press("Escape");
      expect(probe(file).times).toHaveLength(12);
      const run = new PathRun(path, name === "flight.fgtape");
      await page.getByRole("toolbar", { name: "Scene" }).getByRole("button", { name: "Names" }).click();
      for (const index of [0, 5, 11]) {
        const time = start * 1e9 + Math.round((index / 24) * 1e9);
        const still = join(folder, `${name}-${index}.png`);
        writeFileSync(still, await picture(time, run.at(time / 1e9)));
        const [frame, shot] = [pixels(file, index, WIDTH, HEIGHT), pixels(still, 0, WIDTH, HEIGHT)];
        expect(psnr(frame, shot), `frame ${index}`).toBeGreaterThan(ALIKE);
      }
      // and the camera did move
      const [first, last] = [0, 11].map((index) => pixels(file, index, WIDTH, HEIGHT));
      expect(psnr(first!, last!)).toBeLessThan(ALIKE);
    });
  });

  /** A quarter of the way around what the scene shows, with a rise. */
  async function around(start: number, end: number): Promise<CameraPath> {
    const { gaze, isGeodetic } = await page.evaluate(() => ({
      gaze: simtape.camera!.gaze()!,
      isGeodetic: simtape.camera!.isGeodetic,
    }));
    const [x, y, z] = gaze.target;
    const way = gaze.position.map((value, k) => value - gaze.target[k]!) as [number, number, number];
    // east is shorter by the cosine of the latitude
    const wide = isGeodetic ? Math.cos((x * Math.PI) / 180) : 1;
    const places = [0, 0.6, 1.2].map((turn): [number, number, number] => {
      const [north, east] = [way[0], way[1] * wide];
      const [a, b] = [north * Math.cos(turn) - east * Math.sin(turn), north * Math.sin(turn) + east * Math.cos(turn)];
      return [x + a, y + b / wide, z + way[2] * (1 + turn / 4)];
    });
    return {
      version: 1,
      keyframes: places.map((position, i) => ({
        time: start + ((end - start) * i) / 2,
        position,
        target: gaze.target,
      })),
    };
  }

  /** What the scene of the page shows at a time from a place, as large as it is laid out for a video. */
  async function picture(time: number, gaze: unknown): Promise<Buffer> {
    const text = await page.evaluate(
      async ({ at, from }) => {
        const view = document.querySelector<HTMLElement>(".scene-view")!;
        Object.assign(view.style, { position: "fixed", inset: "auto", width: "1280px", height: "720px" });
        await simtape.seek(at);
        simtape.camera!.look(from as never);
        for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
        return simtape.pictures.get("scene")!().toDataURL();
      },
      { at: time, from: gaze },
    );
    return Buffer.from(text.slice(text.indexOf(",") + 1), "base64");
  }

  test("comes back with its recording, and not with another", async () => {
    await go("town.log", 1);
    await add(1, [30, 0]);
    await add(3, [-60, 20]);
    const path = await kept();
    await go("flight.fgtape", 1);
    await page.keyboard.press("Shift+P");
    await panel.waitFor();
    expect(await kept()).toBeUndefined();
    await go("town.log", 0);
    expect(await kept()).toBeUndefined();
    await page.keyboard.press("Shift+P");
    await expect.poll(() => keyframes.count()).toBe(2);
    expect(await kept()).toEqual(path);
    // the next keyframe joins those that are kept
    await go("town.log", 0);
    await add(5, [20, 0]);
    expect((await kept())!.keyframes.map(({ time }) => time)).toEqual([1, 3, 5]);
  });
});

/** Half a circle in a town, seen from above. */
function circle(start: number, end: number): CameraPath {
  const angles = [0, 1, 2, 3].map((part) => (part * Math.PI) / 3);
  return {
    version: 1,
    keyframes: angles.map((angle, i) => ({
      time: start + ((end - start) * i) / 3,
      position: [60 * Math.cos(angle), 60 * Math.sin(angle), 40],
      target: [0, 0, 0],
    })),
  };
}
