import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { s3Store } from "simtape";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallGlb } from "../../viewer/test/support/small-glb.ts";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { describeWithCeph } from "../../simtape/test/support/ceph.ts";
import { browse } from "./support/browser.ts";
import { printed } from "./support/command.ts";
import { type FileJob, fileOf, jobOf, post } from "./support/file-jobs.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

describe.skipIf(!hasChromium)("pictures and videos of recordings", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-renders-"));
  const library = join(folder, "library");
  const town = join(library, "town.log");
  const net = join(folder, "town.xodr");
  let node: TestNode;
  let recording: string;

  beforeAll(async () => {
    mkdirSync(library);
    await printed(["demo", "carla", "-o", library, "--seconds", "3"]);
    renameSync(join(library, "town.xodr"), net);
    node = await startNode([library, "--access", "open"]);
    const { recordings } = await until(
      () => json<{ recordings: { id: string; state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings.some(({ state }) => state === "indexed"),
    );
    recording = recordings[0]!.id;
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (body: object): Promise<Response> => post(node.address, recording, "renders", body);
  const rendered = (body: object): Promise<FileJob> => jobOf(node.address, recording, "renders", body);

  test("are those of the command, with the world that was uploaded", async () => {
    const upload = `${node.address}/api/recordings/${recording}/companions/Town07.xodr`;
    expect((await fetch(upload, { method: "PUT", body: readFileSync(net) })).status).toBe(200);
    const job = await rendered({ to: "png", at: "1s", size: "320x180", overlays: false });
    expect(job.error).toBeNull();
    expect(job.result!.files).toEqual([{ name: "town.png", bytes: expect.any(Number) as number }]);
    const made = await fileOf(node.address, job);
    const words = ["--at", "1s", "--size", "320x180", "--no-overlays"];
    const still = async (name: string, ...files: readonly string[]): Promise<Buffer> => {
      await printed(["render", ...files, ...words, "-o", join(folder, name)]);
      return readFileSync(join(folder, name));
    };
    expect(made.equals(await still("still.png", town, net))).toBe(true);
    expect(made.equals(await still("bare.png", town))).toBe(false);
    expect(readdirSync(join(library, ".simtape", "exports"))).toEqual([String(job.id)]);
    // files that others need beside them are no worlds of their own, and no second recording
    const put = async (name: string, body: string | Uint8Array<ArrayBuffer>): Promise<string> => {
      const answer = await fetch(upload.replace("Town07.xodr", name), { method: "PUT", body });
      expect(answer.status).toBe(200);
      const path = join(folder, name);
      writeFileSync(path, body);
      return path;
    };
    await put("hall.pgm", "P5 1 1 255 x");
    await put("car.glb", new Uint8Array(smallGlb({ size: [3, 2.5, 6], color: [1, 0, 1, 1] })));
    const models = await put(
      "town.models.json",
      JSON.stringify({ models: [{ things: "vehicles/*", file: "car.glb" }] }),
    );
    const modelled = await fileOf(
      node.address,
      await rendered({ to: "png", at: "1s", size: "320x180", overlays: false }),
    );
    expect(modelled.equals(made)).toBe(false);
    expect(modelled.equals(await still("modelled.png", town, net, models))).toBe(true);
  });

  test("are videos of a range, as webm and gif", async () => {
    const range = { from: "1s", until: "1.2s", size: "160x90" };
    const webm = await fileOf(node.address, await rendered({ to: "webm", ...range, fps: 10 }));
    expect(webm.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
    const gif = await fileOf(node.address, await rendered({ to: "gif", ...range, fps: 10, theme: "light" }));
    expect(gif.toString("latin1", 0, 6)).toBe("GIF89a");
  });

  test("are offered in the page", async () => {
    const browsing = await browse();
    try {
      const page = await browsing.page();
      await page.goto(`${node.address}/r/${recording}`);
      await untilOpen(page);
      await page.keyboard.press("Shift+V");
      const dialog = page.getByRole("dialog", { name: "Video" });
      await dialog.getByRole("combobox", { name: "Format" }).selectOption("gif");
      await dialog.getByLabel("Until").fill("0:00.200");
      await dialog.getByLabel("Until").press("Enter");
      await dialog.getByText("4 frames").waitFor();
      await dialog.getByRole("button", { name: "Make it on the server" }).click();
      await dialog.getByText("The server makes the video.").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("link", { name: "town.gif" }).click(),
      ]);
      expect(readFileSync(await download.path()).toString("latin1", 0, 6)).toBe("GIF89a");
      expect(browsing.errors).toEqual([]);
    } finally {
      await browsing.close();
    }
  });

  test("that cannot be made say why, and leave nothing", async () => {
    const refused = async (body: object): Promise<string> => {
      const answer = await ask(body);
      expect(answer.status).toBe(400);
      return ((await answer.json()) as { detail: string }).detail;
    };
    expect(await refused({ to: "png" })).toBe("a picture is of one time: give at, without from and until");
    expect(await refused({ to: "mp4", at: "1s" })).toBe("at is of a picture: give from and until");
    expect(await refused({ to: "mp4", size: "321x180" })).toContain("even sides");
    const before = readdirSync(join(library, ".simtape", "exports"));
    expect((await rendered({ to: "png", at: "1h" })).error).toContain("1h is not in the recording");
    const camera = { version: 1, keyframes: [{}] };
    expect((await rendered({ to: "png", at: "1s", camera })).error).toContain("not a camera path");
    expect(readdirSync(join(library, ".simtape", "exports"))).toEqual(before);
  });
});

describe.skipIf(!hasChromium)("pictures of a recording in a bucket", () => {
  describeWithCeph("S3", (bucket) => {
    test("are those of its copy on the disk, with its world", async () => {
      const folder = mkdtempSync(join(tmpdir(), "simtape-renders-s3-"));
      const { endpoint, credentials } = bucket();
      const environment = {
        AWS_ENDPOINT_URL: endpoint,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      };
      const words = ["--at", "1s", "--size", "320x180", "--no-overlays"];
      await printed(["demo", "carla", "-o", folder, "--seconds", "3"]);
      await printed(["render", join(folder, "town.log"), ...words, "-o", join(folder, "disk.png")]);
      const still = readFileSync(join(folder, "disk.png"));
      const store = s3Store({ ...bucket(), prefix: "tapes" });
      for (const name of ["town.log", "town.xodr"]) await store.put(name, readFileSync(join(folder, name)));

      const from = `s3://${bucket().bucket}/tapes`;
      const data = join(folder, "data");
      const node = await startNode([from, "--data", data, "--access", "open"], environment);
      try {
        const { recordings } = await until(
          () => json<{ recordings: { id: string; state: string }[] }>(node.address, "/api/recordings"),
          (page) => page.recordings.some(({ state }) => state === "indexed"),
        );
        const body = { to: "png", at: "1s", size: "320x180", overlays: false };
        const job = await jobOf(node.address, recordings[0]!.id, "renders", body);
        expect((await fileOf(node.address, job)).equals(still)).toBe(true);
      } finally {
        await node.stop();
      }
      rmSync(folder, { recursive: true, force: true });
    });
  });
});
