import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simtapeProcess as command } from "../../../simtape/test/cli/run.ts";
import { builtPage } from "../support/build.ts";
import { hasFfmpeg, pixels, probe, psnr } from "../support/ffmpeg.ts";
import { example, hasChromium } from "../support/viewer.ts";

describe.skipIf(!hasChromium || !hasFfmpeg)("simtape render", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-render-test-"));
  const small = ["--size", "640x360", "--browser", process.env["CHROMIUM"] ?? "/usr/bin/chromium"];
  beforeAll(() => builtPage());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("makes a video whose first and last frame are pictures of these times", async () => {
    const video = join(folder, "town.webm");
    const range = ["--from", "3s", "--until", "3.5s", "--fps", "24"];
    const { exit, stdout, stderr } = await command([
      "render",
      example("town.log"),
      ...range,
      ...small,
      "-o",
      video,
      "--json",
    ]);
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: video, width: 640, height: 360, frames: 12 });
    const { times } = probe(video);
    expect(times).toHaveLength(12);
    for (const [i, time] of times.entries()) expect(Math.abs(time - i / 24)).toBeLessThan(0.0011);
    for (const [index, at] of [
      [0, "3s"],
      [11, `${3e9 + Math.round((11 / 24) * 1e9)}ns`],
    ] as const) {
      const still = join(folder, `${index}.png`);
      const shot = await command(["render", example("town.log"), "--at", at, ...small, "-o", still]);
      expect(shot.exit, shot.stderr).toBe(0);
      expect(psnr(pixels(video, index, 640, 360), pixels(still, 0, 640, 360)), at).toBeGreaterThan(30);
    }
  });

  test("that is wrong usage writes nothing, and says why in one line", async () => {
    const before = readdirSync(folder);
    const path = join(folder, "path.json");
    writeFileSync(path, '{"version":2}');
    for (const [words, message] of [
      [["--at", "3s", "-o", join(folder, "a.mp4")], "--at makes a picture"],
      [["-o", join(folder, "a.png")], "a picture is of one time"],
      [["--browser", join(folder, "none"), "-o", join(folder, "a.mp4")], "no program that can be started"],
      [["--at", "3s", "--camera", path, "-o", join(folder, "b.png")], "not a camera path"],
    ] as const) {
      const { exit, stderr } = await command(["render", example("town.log"), ...small.slice(0, 2), ...words]);
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(exit).toBe(2);
    }
    expect(readdirSync(folder).filter((name) => name !== "path.json")).toEqual(before);
  });
});
