import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodingOf } from "../../../simtape/src/cli/render/encoding.ts";
import { FfmpegMovie } from "../../../simtape/src/cli/render/movie.ts";
import { MAIN, simtapeProcess as command } from "../../../simtape/test/cli/run.ts";
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

  test("shows how much there is of health and food, as the page does", async () => {
    const still = join(folder, "bars.png");
    const { exit, stderr } = await command([
      "render",
      example("race.hcrp"),
      "--at",
      "20s",
      ...small.slice(2),
      "-o",
      still,
    ]);
    expect(exit, stderr).toBe(0);
    const shown = pixels(still, 0, 1280, 720);
    for (const color of [
      [0xd6, 0x45, 0x3d],
      [0xb2, 0x7a, 0x34],
    ]) {
      let count = 0;
      for (let y = 0; y < 120; y++)
        for (let x = 0; x < 200; x++)
          if (color.every((value, k) => Math.abs(shown[3 * (1280 * y + x) + k]! - value) < 24)) count++;
      expect(count).toBeGreaterThan(50);
    }
  });

  test("shows the world beside a recording or named with it, and says what of it is not shown", async () => {
    const made = await command(["demo", "carla", "-o", join(folder, "demo"), "--seconds", "3"]);
    expect(made.exit, made.stderr).toBe(0);
    const town = join(folder, "demo", "town.log");
    const net = join(folder, "demo", "town.xodr");
    const bare = join(folder, "bare.log");
    writeFileSync(bare, readFileSync(town));
    writeFileSync(join(folder, "cut.xodr"), readFileSync(net).subarray(0, 9000));
    const shot = async (
      ...files: readonly string[]
    ): Promise<{ readonly picture: Buffer; readonly exit: number | null; readonly stderr: string }> => {
      const still = join(folder, `world-${files.length}-${files[0] === bare}-${files[1] === net}.png`);
      const { exit, stderr } = await command(["render", ...files, "--at", "2s", ...small, "-o", still]);
      return { picture: pixels(still, 0, 640, 360), exit, stderr };
    };
    const [beside, named, alone] = [await shot(town), await shot(bare, net), await shot(bare)];
    expect(psnr(beside.picture, named.picture)).toBeGreaterThan(40);
    expect(psnr(beside.picture, alone.picture)).toBeLessThan(25);
    for (const { exit, stderr } of [beside, named, alone]) {
      expect(exit, stderr).toBe(0);
      expect(stderr).not.toContain("not shown");
    }
    const cut = await shot(bare, join(folder, "cut.xodr"));
    expect([cut.exit, cut.stderr]).toEqual([3, expect.stringContaining("cut.xodr is not shown: ")]);
    expect(psnr(cut.picture, alone.picture)).toBeGreaterThan(40);
    const two = await command(["render", bare, town, "--at", "2s", ...small, "-o", join(folder, "two.png")]);
    expect([two.exit, two.stderr]).toEqual([2, expect.stringContaining("one recording is rendered")]);
  });

  test("that is wrong usage writes nothing, and says why in one line", async () => {
    const before = readdirSync(folder);
    const [path, nothing] = [join(folder, "path.json"), join(folder, "null.json")];
    writeFileSync(path, '{"version":2}');
    writeFileSync(nothing, "null");
    for (const [words, message] of [
      [["--at", "3s", "-o", join(folder, "a.mp4")], "--at makes a picture"],
      [["-o", join(folder, "a.png")], "a picture is of one time"],
      [["--browser", join(folder, "none"), "-o", join(folder, "a.mp4")], "no program that can be started"],
      [["--at", "3s", "--camera", path, "-o", join(folder, "b.png")], "not a camera path"],
      [["--at", "3s", "--camera", nothing, "-o", join(folder, "b.png")], "not a camera path"],
    ] as const) {
      const { exit, stderr } = await command(["render", example("town.log"), ...small.slice(0, 2), ...words]);
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(exit).toBe(2);
    }
    expect(readdirSync(folder).filter((name) => !name.endsWith(".json"))).toEqual(before);
  });

  const short = ["--from", "3s", "--until", "3.2s", "--fps", "10"];

  test("makes a GIF, and a folder with a picture of each frame", async () => {
    const [gif, pictures] = [join(folder, "town.gif"), join(folder, "pictures")];
    for (const output of [gif, pictures]) {
      const { exit, stderr } = await command(["render", example("town.log"), ...short, ...small, "-o", output]);
      expect(exit, stderr).toBe(0);
    }
    expect(probe(gif)).toMatchObject({ codec: "gif", width: 640, height: 360, times: [0, 0.1] });
    expect(readdirSync(pictures)).toEqual(["0001.png", "0002.png"]);
    const last = join(pictures, "0002.png");
    expect(probe(last)).toMatchObject({ codec: "png", width: 640, height: 360 });
    const still = join(folder, "still.png");
    expect((await command(["render", example("town.log"), "--at", "3.1s", ...small, "-o", still])).exit).toBe(0);
    // steps of those who walk go by the way that was watched
    expect(psnr(pixels(last, 0, 640, 360), pixels(still, 0, 640, 360))).toBeGreaterThan(38);
  });

  test("leaves nothing when it is killed but what the next one removes", async () => {
    const [temporary, into] = [join(folder, "temporary"), join(folder, "into")];
    for (const path of [temporary, into]) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
    }
    const env = { ...process.env, TMPDIR: temporary };
    const words = (until: string): string[] => [
      ...[MAIN, "render", example("town.log"), "--from", "1s", "--until", until, "--fps", "10"],
      ...[...small, "-o", join(into, "pictures")],
    ];
    const child = spawn(process.execPath, words("20s"), { env, stdio: "ignore" });
    const isDrawing = (): boolean =>
      readdirSync(into).some((name) => name.endsWith(".part") && readdirSync(join(into, name)).length > 0);
    await expect.poll(isDrawing, { timeout: 100_000 }).toBe(true);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    const ours = (): string[] => readdirSync(temporary).filter((name) => name.startsWith("simtape-render-"));
    expect(ours()).not.toEqual([]);
    expect(readdirSync(into)).not.toContain("pictures");
    const next = spawn(process.execPath, words("1.2s"), { env, stdio: "ignore" });
    expect(await once(next, "exit")).toEqual([0, null]);
    expect(ours()).toEqual([]);
    expect(readdirSync(into)).toEqual(["pictures"]);
  });

  describe.skipIf(process.getuid?.() !== 0 || !canMount())("where it cannot write", () => {
    const disk = join(folder, "disk");
    const outputs = ["a.png", "a.webm", "a/"];

    async function refused(mounted: string): Promise<string[]> {
      mkdirSync(disk, { recursive: true });
      execFileSync("mount", ["-t", "tmpfs", "-o", mounted, "tmpfs", disk]);
      try {
        const lines: string[] = [];
        for (const output of outputs) {
          const what = output === "a.png" ? ["--at", "3s"] : short;
          const words = ["render", example("town.log"), ...what, "--browser", small[3]!, "-o", join(disk, output)];
          const { exit, stdout, stderr } = await command(words);
          expect([exit, stdout], stderr).toEqual([1, ""]);
          expect(readdirSync(disk)).toEqual([]);
          lines.push(...stderr.trim().split("\n"));
        }
        return lines;
      } finally {
        execFileSync("umount", [disk]);
      }
    }

    test("as on a full disk, one line says so, and nothing is left", async () => {
      const lines = await refused("size=16k");
      expect(lines).toHaveLength(outputs.length);
      for (const line of lines) expect(line).toContain("is the disk full? (ENOSPC)");
    });

    test("as in a folder that may not be changed, one line says so", async () => {
      const lines = await refused("ro,size=16k");
      expect(lines).toHaveLength(outputs.length);
      for (const line of lines) expect(line).toContain("cannot be created (EROFS)");
    });
  });

  test.each(["mp4", "webm"] as const)(
    "lets ffmpeg make %s of pictures where the browser encodes none",
    async (kind) => {
      const { codec, ffmpeg, note } = encodingOf(kind, [], "ffmpeg", "640x360");
      expect(note).toContain("ffmpeg makes the");
      const still = join(folder, `${kind}.png`);
      const shot = await command(["render", example("town.log"), "--at", "3s", ...small, "-o", still]);
      expect(shot.exit, shot.stderr).toBe(0);
      const file = join(folder, `movie.${kind}`);
      const movie = new FfmpegMovie(ffmpeg!, kind, file, 10);
      for (let i = 0; i < 3; i++) await movie.add(readFileSync(still));
      await movie.finish();
      const { times, ...found } = probe(file);
      expect(found).toEqual({ codec: codec === "avc" ? "h264" : "vp9", width: 640, height: 360 });
      expect(times.map((time) => Math.round(10 * time))).toEqual([0, 1, 2]);
      expect(psnr(pixels(file, 2, 640, 360), pixels(still, 0, 640, 360))).toBeGreaterThan(30);
    },
  );

  test("names both ways where neither the browser nor ffmpeg encodes", () => {
    for (const kind of ["mp4", "webm"] as const)
      expect(() => encodingOf(kind, [], null, "640x360")).toThrow(/--browser PATH, or install ffmpeg/);
    expect(encodingOf("mp4", ["vp9"], null, "640x360")).toMatchObject({ kind: "mp4", codec: "vp9" });
    expect(encodingOf("webm", ["vp8"], "ffmpeg", "640x360")).toMatchObject({
      kind: "webm",
      codec: "vp8",
      ffmpeg: null,
    });
  });
});

/** Whether a small file system can be had. */
function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), "simtape-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", path], { stdio: "ignore" });
    execFileSync("umount", [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
