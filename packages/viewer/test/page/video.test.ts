import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { hasFfmpeg, pixels, probe, psnr } from "../support/ffmpeg.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

/** Decibels from which on two pictures show the same. */
const ALIKE = 30;
const [WIDTH, HEIGHT] = [640, 360];

describe.skipIf(!hasChromium || !hasFfmpeg)("a video in the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-video-page-"));
  let viewer: Viewer;
  let page: Page;
  let dialog: Locator;
  onePage([example("flight.fgtape"), example("town.log"), example("buckyball.nanover.zip")], (opened) => {
    ({ viewer, page } = opened);
    dialog = page.getByRole("dialog", { name: "Video" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    await page.goto("about:blank");
    // a dialog of the system, which no test can answer: the page offers a download without it
    await page.addInitScript("delete globalThis.showSaveFilePicker");
  });

  async function go(name: string, loop: { readonly start: number; readonly end: number }): Promise<void> {
    await page.goto(
      viewer.address(name) + hashOf({ t: loop.start / 1e9, loop, shared: { layout: layoutOf(["scene"]) } }),
    );
    await untilOpen(page);
    await page.locator(".scene-view canvas").first().waitFor();
  }

  /** Opens the dialog with these choices. */
  async function ask(kind: string, fps: number): Promise<void> {
    await page.keyboard.press("Shift+V");
    await dialog.getByLabel("Format").selectOption(kind);
    await dialog.getByLabel("Size").selectOption({ label: "360p, 640 × 360" });
    await dialog.getByLabel("Frames", { exact: true }).selectOption(String(fps));
    await dialog.getByLabel("Names, readings and the time").uncheck();
  }

  /** What the dialog makes. */
  async function made(): Promise<string> {
    const download = page.waitForEvent("download", { timeout: 120_000 });
    await dialog.getByRole("button", { name: "Make the video" }).click();
    const file = await download;
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }

  /** What the scene of the page itself shows at a time, as large as it is laid out for a video. */
  async function picture(time: number): Promise<string> {
    const text = await page.evaluate(async (at) => {
      const view = document.querySelector<HTMLElement>(".dock-scene .scene-view, .scene-view")!;
      Object.assign(view.style, { position: "fixed", inset: "auto", width: "1280px", height: "720px" });
      await simtape.seek(at);
      for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return simtape.pictures.get("scene")!().toDataURL();
    }, time);
    const path = join(folder, `${time}.png`);
    writeFileSync(path, Buffer.from(text.slice(text.indexOf(",") + 1), "base64"));
    return path;
  }

  async function expectFrames(file: string, moments: readonly (readonly [index: number, time: number])[]) {
    await page.keyboard.press("Escape");
    const at = page.getByRole("toolbar", { name: "Scene" });
    // a picture has names where the scene has
    await at.getByRole("button", { name: "Names" }).click();
    for (const [index, time] of moments) {
      const frame = pixels(file, index, WIDTH, HEIGHT);
      // on a busy machine the scene draws what was sought some pictures later
      const likeness = async (): Promise<number> => psnr(frame, pixels(await picture(time), 0, WIDTH, HEIGHT));
      await expect.poll(likeness, { message: `frame ${index}`, timeout: 30_000 }).toBeGreaterThan(ALIKE);
    }
  }

  test("of a drive as WebM has every frame at its time, the first and the last as the scene shows them", async () => {
    await go("town.log", { start: 4e9, end: 4.5e9 });
    await ask("webm", 24);
    const file = await made();
    expect(file.endsWith("town.webm")).toBe(true);
    const { times, codec, ...size } = probe(file);
    expect(size).toEqual({ width: WIDTH, height: HEIGHT });
    expect(["vp8", "vp9", "av1"]).toContain(codec);
    expect(times).toHaveLength(12);
    for (const [i, time] of times.entries()) expect(Math.abs(time - i / 24)).toBeLessThan(0.0011);
    await expectFrames(file, [
      [0, 4e9],
      [11, 4e9 + Math.round((11 / 24) * 1e9)],
    ]);
  });

  test("of a flight as MP4 plays as fast as it is asked to", async () => {
    await go("flight.fgtape", { start: 10e9, end: 18e9 });
    await ask("mp4", 30);
    await dialog.getByLabel("Rate").fill("16");
    await dialog.getByLabel("Rate").press("Tab");
    const file = await made();
    const { times } = probe(file);
    expect(times).toHaveLength(15);
    for (const [i, time] of times.entries()) expect(Math.abs(time - i / 30)).toBeLessThan(0.0011);
    await expectFrames(file, [
      [0, 10e9],
      [14, 10e9 + Math.round((14 * 16e9) / 30)],
    ]);
  });

  test("as pictures in a zip has each frame, and its time is that of the scene while it is drawn", async () => {
    await go("buckyball.nanover.zip", { start: 1e9, end: 1.2e9 });
    await ask("png", 30);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const drawn = new MutationObserver((changes) => {
        for (const { target } of changes) {
          const canvas = target as HTMLCanvasElement;
          // in the stage is the scene that is copied to the canvas of the frames
          if (canvas.closest(".video-stage") === null) seen.push(canvas.dataset["time"]!);
        }
      });
      // a busy machine shows the canvas of the frames later than it draws the first, or not at all
      const { createElement } = document;
      document.createElement = (...args: Parameters<typeof createElement>) => {
        const made = createElement.apply(document, args);
        if (made instanceof HTMLCanvasElement) drawn.observe(made, { attributeFilter: ["data-time"] });
        return made;
      };
    });
    const files = unzipSync(readFileSync(await made()));
    expect(Object.keys(files)).toEqual(["0001.png", "0002.png", "0003.png", "0004.png", "0005.png", "0006.png"]);
    const path = join(folder, "0006.png");
    writeFileSync(path, files["0006.png"]!);
    const last = 1e9 + Math.round((5 / 30) * 1e9);
    const seen = await page.evaluate(() => (globalThis as unknown as { readonly seen: readonly string[] }).seen);
    expect(seen.at(-1)).toBe(String(last));
    expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(seen);
    await expectFrames(path, [[0, last]]);
  });

  test("as a GIF repeats, at its rate", async () => {
    await go("town.log", { start: 4e9, end: 4.25e9 });
    await ask("gif", 20);
    const file = await made();
    const { times, codec } = probe(file);
    expect(codec).toBe("gif");
    expect(times.map((time) => Math.round(100 * time))).toEqual([0, 5, 10, 15, 20]);
    const loops = execFileSync("ffprobe", ["-v", "error", "-ignore_loop", "0", "-show_format", file]).toString();
    expect(loops).toContain("format_name=gif");
    expect(readFileSync(file).includes("NETSCAPE2.0")).toBe(true);
    await expectFrames(file, [[4, 4.2e9]]);
  });

  test("that is cancelled leaves nothing, neither in the page nor in its storage", async () => {
    await go("town.log", { start: 1e9, end: 20e9 });
    await ask("webm", 60);
    await dialog.getByRole("button", { name: "Make the video" }).click();
    await dialog.getByText(/Frame [1-9]\d* of \d+/).waitFor({ timeout: 60_000 });
    await dialog.locator(".video-preview canvas[data-time]").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Make the video" }).waitFor();
    await page.waitForFunction(async () => {
      const storage = await navigator.storage.getDirectory();
      for await (const _ of (storage as unknown as { keys(): AsyncIterable<string> }).keys()) return false;
      return document.querySelector(".video-stage") === null;
    });
  });
});
