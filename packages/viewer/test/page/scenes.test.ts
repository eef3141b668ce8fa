import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { open, posesOf } from "simtape";
import { beforeEach, describe, expect, test } from "vitest";
import type { Gaze } from "../../src/gaze.ts";
import { type CameraPlace, fieldFor } from "../../src/scene/camera/camera-rig.ts";
import { violations } from "../support/axe.ts";
import { onePage } from "../support/one-page.ts";
import { projected } from "../support/projected.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

/** Pictures to look at go there. */
const PICTURES = process.env["PICTURES"];

describe.skipIf(!hasChromium)("two scenes", () => {
  let viewer: Viewer;
  let page: Page;
  onePage(["town.log", "buckyball.nanover.zip"].map(example), (opened) => {
    ({ viewer, page } = opened);
  });
  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(viewer.address());
    await page.evaluate(() => localStorage.clear());
    await go(viewer.address("town.log"));
  });

  const panel = (name: string) => page.locator(`section.panel[aria-label="${name}"]`);
  const canvas = (name: string) => panel(name).locator("canvas[role=img]");
  const first = () => canvas("Scene");
  const second = () => canvas("Scene 2");

  async function go(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await first().waitFor();
    // what is done first loads what can be done
    await page.mouse.move(400, 300);
    await page.mouse.move(410, 300);
    await expect.poll(() => page.evaluate(() => simtape.sights.has("scene"))).toBe(true);
  }

  async function run(command: string): Promise<void> {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).fill(command);
    await page.getByRole("option", { name: command }).waitFor();
    await page.keyboard.press("Enter");
  }

  /** Turns a camera by so many pixels of the mouse. */
  async function drag(name: string, x: number, y: number, button: "left" | "right" = "left"): Promise<void> {
    const box = (await canvas(name).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 30);
    await page.mouse.down({ button });
    await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2 + 30 + y, { steps: 4 });
    await page.mouse.up({ button });
  }

  /** Moves a camera away from what it looks at. */
  async function goBack(name: string): Promise<void> {
    const box = (await canvas(name).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, 240);
  }

  const settings = (key: string) => page.evaluate((name) => simtape.state.value.shared[name], key);
  const cameraOf = async (key: string): Promise<CameraPlace> =>
    ((await settings(key)) as { readonly camera: CameraPlace }).camera;

  async function seek(seconds: number): Promise<void> {
    await page.evaluate((time) => simtape.seek(time), seconds * 1e9);
    for (const each of await page.locator(".scene-view canvas[role=img]").all())
      await expect.poll(() => each.getAttribute("data-time"), { timeout: 20_000 }).toBe(String(seconds * 1e9));
  }

  async function keep(name: string): Promise<void> {
    if (PICTURES === undefined) return;
    await mkdir(PICTURES, { recursive: true });
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  test("each have a camera, which the address keeps; all is within a pixel of where it is projected", async () => {
    await run("Scene beside, or close it");
    await second().waitFor();
    await expect.poll(() => settings("scene-2")).toMatchObject({ mode: "top" });
    await panel("Scene").getByRole("button", { name: "Orbit" }).click();
    await goBack("Scene");
    await goBack("Scene 2");
    await drag("Scene", 60, 20);
    await drag("Scene 2", 30, -20, "right");
    await expect.poll(() => cameraOf("scene-2")).toBeDefined();
    const before = [await cameraOf("scene"), await cameraOf("scene-2")] as const;
    expect(before[0]).not.toEqual(before[1]);
    for (const camera of before)
      await expect
        .poll(() => page.evaluate(() => decodeURIComponent(location.hash)), { timeout: 10_000 })
        .toContain(JSON.stringify(camera));
    await go(page.url());
    await second().waitFor();
    expect([await cameraOf("scene"), await cameraOf("scene-2")]).toEqual(before);

    await using recording = await open(new Uint8Array(readFileSync(example("town.log"))));
    let checked = 0;
    for (const seconds of [2, 3.2]) {
      await seek(seconds);
      const { sets } = await recording.state(seconds * 1e9, { interpolate: true });
      for (const [i, key] of ["scene", "scene-2"].entries()) {
        const box = (await canvas(i === 0 ? "Scene" : "Scene 2").boundingBox())!;
        const aspect = box.width / box.height;
        const gaze: Gaze = {
          position: inRecording(before[i]!.position),
          target: inRecording(before[i]!.target),
          field: fieldFor(aspect),
        };
        for (const name of ["vehicles", "walkers"]) {
          const set = sets.get(name)!;
          const poses = posesOf(set)!;
          const place = new Float64Array(3);
          for (const [row, id] of set.ids.entries()) {
            if (!poses.position(row, place, 0)) continue;
            const seen = projected(gaze, [...place], aspect);
            if (Math.abs(seen.x - 0.5) > 0.6 || Math.abs(seen.y - 0.5) > 0.6) continue;
            const sight = await page.evaluate(
              ([from, of, which]) => simtape.sights.get(from as string)!(of as string, which!),
              [key, name, id] as const,
            );
            expect(Math.abs(seen.x - sight!.x) * box.width, `${key}: ${name} ${id} across`).toBeLessThan(1);
            expect(Math.abs(seen.y - sight!.y) * box.height, `${key}: ${name} ${id} down`).toBeLessThan(1);
            checked++;
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(5);
    await keep("town-two");
  });

  test("the first that the user does may be its key", async () => {
    await page.goto("about:blank");
    await page.goto(viewer.address("town.log"));
    await untilOpen(page);
    await expect.poll(() => page.evaluate(() => simtape.sights.has("scene"))).toBe(true);
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    await page.keyboard.press("Shift+S");
    await second().waitFor({ state: "detached" });
    // it stands in the same list as all others
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    for (const title of ["Play or pause", "Scene beside, or close it", "Undo in layout and camera path"])
      await help.getByText(title).waitFor();
  });

  test("the second is opened and closed by a key, and what was undone comes back with its camera", async () => {
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    await drag("Scene 2", 40, 10, "right");
    await expect.poll(() => cameraOf("scene-2")).toBeDefined();
    const camera = await cameraOf("scene-2");
    await page.keyboard.press("Control+z");
    await second().waitFor({ state: "detached" });
    await page.keyboard.press("Control+Shift+Z");
    await second().waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
    await page.keyboard.press("Shift+S");
    await second().waitFor({ state: "detached" });
    await first().waitFor();
    await page.keyboard.press("Control+z");
    await second().waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
    // by its tab
    await page.getByRole("tab", { name: "Scene 2" }).focus();
    await page.keyboard.press("Delete");
    await second().waitFor({ state: "detached" });
    expect(await page.evaluate(() => [...simtape.sights.keys()])).toEqual(["scene"]);
  });

  test("are kept with the recording and under a name, with their cameras", async () => {
    await page.keyboard.press("Shift+S");
    await drag("Scene 2", 40, 10, "right");
    await expect.poll(() => cameraOf("scene-2")).toBeDefined();
    const camera = await cameraOf("scene-2");
    await go(viewer.address("town.log"));
    await second().waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
    await page.getByRole("button", { name: "Layout", exact: true }).click();
    await page.getByRole("menuitem", { name: "Saved layouts …" }).click();
    await page.getByRole("textbox", { name: "Name of the layout" }).fill("map beside");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "map beside", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => localStorage.removeItem("simtape-layouts-by-recording"));
    await go(viewer.address("town.log"));
    expect(await second().count()).toBe(0);
    await page.getByRole("button", { name: "Layout", exact: true }).click();
    await page.getByRole("menuitem", { name: "Saved layouts …" }).click();
    await page.getByRole("button", { name: "map beside", exact: true }).click();
    await second().waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
  });

  test("stay where a preset lays out the others, and a link to that has both; one for a scene alone closes the second", async () => {
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    await drag("Scene 2", 40, 10, "right");
    await expect.poll(() => cameraOf("scene-2")).toBeDefined();
    const camera = await cameraOf("scene-2");
    await run("Layout: Driving");
    await panel("Plots").waitFor();
    await second().waitFor();
    const [a, b] = [(await first().boundingBox())!, (await second().boundingBox())!];
    expect(b.x).toBeGreaterThanOrEqual(a.x + a.width);
    expect(Math.min(a.width, b.width)).toBeGreaterThan(250);
    await keep("town-two-driving");
    // with its drawers open
    await page.waitForFunction(() => {
      const layout = JSON.stringify(simtape.state.value.shared["layout"]);
      return !layout.includes('"collapsed":true') && decodeURIComponent(location.hash).includes(layout);
    });
    const address = page.url();
    await page.evaluate(() => localStorage.clear());
    await go(address);
    await second().waitFor();
    await panel("Plots").waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
    await run("Layout: Scene alone");
    await second().waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await second().waitFor();
    expect(await cameraOf("scene-2")).toEqual(camera);
  });

  test("have what is selected and measured in common, and what is hidden each for itself", async () => {
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    await panel("Scene 2").getByRole("button", { name: "Names", exact: true }).click();
    expect(await settings("scene-2")).toMatchObject({ labels: false });
    expect(await settings("scene")).not.toMatchObject({ labels: false });
    // keys do what they do where the user was last
    await second().click({ position: { x: 20, y: 60 } });
    await page.keyboard.press("w");
    await expect.poll(() => settings("scene-2")).toMatchObject({ world: false });
    expect(await settings("scene")).not.toMatchObject({ world: false });
    await panel("Scene 2").getByRole("combobox", { name: "Selected thing" }).selectOption({ index: 1 });
    const chosen = () => page.getByRole("combobox", { name: "Selected thing" });
    expect(await chosen().evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value))).toEqual(["0", "0"]);
    await page.keyboard.press("m");
    const list = panel("Scene 2").getByRole("region", { name: "Measure" });
    for (const id of await page.evaluate(() => [...simtape.frame!.state.sets.get("vehicles")!.ids].slice(0, 2))) {
      await list.getByRole("textbox").fill(`vehicles/${id}`);
      await page.keyboard.press("Enter");
    }
    await list.getByRole("list", { name: "Measures" }).getByText("distance").waitFor();
    expect(await settings("scene")).toMatchObject({ measures: [{}] });
    expect(await settings("scene-2")).not.toHaveProperty("measures");
    expect(await page.getByRole("region", { name: "Measure" }).count()).toBe(1);
    // over each, beside names
    expect(await panel("Scene").locator("canvas.scene-labels").count()).toBe(2);
    expect(await panel("Scene 2").locator("canvas.scene-labels").count()).toBe(2);
    expect(await violations(page)).toBe("");
  });

  test("lend the page the camera of the first, where that is closed of the other", async () => {
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    const lent = () =>
      page.evaluate(() => [simtape.camera!.isFollowing, [...simtape.pictures.keys()].join(" ")] as const);
    await page.evaluate(() => simtape.share("scene", { mode: "follow" }));
    await expect.poll(lent).toEqual([true, "scene scene-2"]);
    await page.getByRole("tab", { name: "Scene", exact: true }).focus();
    await page.keyboard.press("Delete");
    await expect.poll(lent).toEqual([false, "scene-2"]);
    await page.keyboard.press("Shift+S");
    await second().waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => simtape.camera)).toBeNull();
    await page.keyboard.press("Shift+S");
    await expect.poll(lent).toEqual([true, "scene"]);
  });

  test("draw molecules in two ways", async () => {
    await go(viewer.address("buckyball.nanover.zip"));
    await page.keyboard.press("Shift+S");
    await second().waitFor();
    expect(await settings("scene-2")).toMatchObject({ molecules: { style: "spacefill" } });
    await seek(2);
    const part = (key: string) =>
      page.evaluate((name) => {
        const picture = simtape.pictures.get(name)!();
        const context = picture.getContext("2d")!;
        const { data } = context.getImageData(0, 0, picture.width, picture.height);
        // of atoms: the ground is light
        let dark = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at]! + data[at + 1]! + data[at + 2]! < 400) dark++;
        return dark / (data.length / 4);
      }, key);
    // in the same way, from the same side, it would be as much
    expect(await part("scene-2")).toBeGreaterThan(1.08 * (await part("scene")));
  });

  test("lie over one another on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await go(viewer.address("town.log"));
    await run("Scene beside, or close it");
    await second().waitFor();
    const [a, b] = [(await first().boundingBox())!, (await second().boundingBox())!];
    expect(a.width).toBeGreaterThan(380);
    expect(b.width).toBeGreaterThan(380);
    expect(b.y).toBeGreaterThanOrEqual(a.y + a.height);
    expect(Math.min(a.height, b.height)).toBeGreaterThan(120);
    expect(await violations(page)).toBe("");
    await keep("town-phone");
  });
});

/** A place of a scene whose zero is that of the recording: z up again. */
function inRecording([x, y, z]: readonly number[]): readonly [number, number, number] {
  return [x!, -z!, y!];
}
