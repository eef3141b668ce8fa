import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { browse } from "./support/browser.ts";
import { printed } from "./support/command.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Job {
  readonly state: string;
  readonly error: string | null;
  readonly result: { readonly files: readonly { readonly name: string }[] } | null;
}

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

  const ask = (body: object): Promise<Response> =>
    fetch(`${node.address}/api/recordings/${recording}/renders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  async function rendered(body: object): Promise<Job & { readonly id: number }> {
    const answer = await ask(body);
    expect(answer.status).toBe(202);
    const { id } = (await answer.json()) as { id: number };
    const job = await until(
      () => json<Job>(node.address, `/api/jobs/${id}`),
      ({ state }) => state === "done" || state === "failed",
    );
    return { ...job, id };
  }

  async function fileOf({ id, result }: Job & { readonly id: number }): Promise<Buffer> {
    const { name } = result!.files[0]!;
    const answer = await fetch(`${node.address}/api/jobs/${id}/files/${name}`);
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  test("are those of the command, with the world that was uploaded", async () => {
    const upload = `${node.address}/api/recordings/${recording}/companions/Town07.xodr`;
    expect((await fetch(upload, { method: "PUT", body: readFileSync(net) })).status).toBe(200);
    const job = await rendered({ to: "png", at: "1s", size: "320x180", overlays: false });
    expect(job.error).toBeNull();
    expect(job.result!.files).toEqual([{ name: "town.png", bytes: expect.any(Number) as number }]);
    const made = await fileOf(job);
    const words = ["--at", "1s", "--size", "320x180", "--no-overlays"];
    const still = async (name: string, ...files: readonly string[]): Promise<Buffer> => {
      await printed(["render", ...files, ...words, "-o", join(folder, name)]);
      return readFileSync(join(folder, name));
    };
    expect(made.equals(await still("still.png", town, net))).toBe(true);
    expect(made.equals(await still("bare.png", town))).toBe(false);
    expect(readdirSync(join(library, ".simtape", "exports"))).toEqual([String(job.id)]);
    // a file that others need beside them is no world, and no second recording
    const part = upload.replace("Town07.xodr", "hall.pgm");
    expect((await fetch(part, { method: "PUT", body: "P5 1 1 255 x" })).status).toBe(200);
    expect((await rendered({ to: "png", at: "2s", size: "320x180" })).error).toBeNull();
  });

  test("are videos of a range, as webm and gif", async () => {
    const range = { from: "1s", until: "1.2s", size: "160x90" };
    const webm = await fileOf(await rendered({ to: "webm", ...range, fps: 10 }));
    expect(webm.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
    const gif = await fileOf(await rendered({ to: "gif", ...range, fps: 10, theme: "light" }));
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
