import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { open } from "simtape";
import { describe, expect, test } from "vitest";
import type { Kept } from "../../src/kept.ts";
import { onePage } from "../support/one-page.ts";
import { drop, example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

describe.skipIf(!hasChromium)("the viewer", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("")], (opened) => {
    ({ viewer, page } = opened);
  });

  /** In the same page for all tests, and without the scene, which takes a while to draw without a graphics card. */
  async function go(address: string, kept: Kept = { shared: { layout: layoutOf(["state"]) } }): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address + hashOf(kept));
  }

  test("steps, and repeats what is between [ and ]", async () => {
    await go(viewer.address("race.hcrp"));
    await untilOpen(page);
    await page.getByLabel("Time shown").fill("t40");
    await page.getByLabel("Time shown").press("Enter");
    await page.waitForFunction(() => simtape.frame!.time === 2e9);
    await page.keyboard.press("[");
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press(".");
      await page.waitForFunction((time) => simtape.frame!.time === time, 2e9 + (i + 1) * 50e6);
    }
    await page.keyboard.press("]");
    await page.evaluate(() => {
      Object.assign(globalThis, { seen: [] });
      simtape.onFrame(({ time, cause }) => (globalThis as unknown as { seen: unknown[] }).seen.push([time, cause]));
    });
    await page.keyboard.press(" ");
    await page.waitForFunction(
      () =>
        (globalThis as unknown as { seen: [number, string][] }).seen.filter(([, cause]) => cause === "loop").length > 2,
    );
    const times = await page.evaluate(() =>
      (globalThis as unknown as { seen: [number, string][] }).seen.map(([t]) => t),
    );
    expect(Math.min(...times)).toBeGreaterThanOrEqual(2e9);
    expect(Math.max(...times)).toBeLessThanOrEqual(2.2e9);
    await page.keyboard.press("\\");
    await page.waitForFunction(() => simtape.state.value.status.loop === null);
    await page.getByRole("button", { name: "Loop the whole recording" }).click();
    await page.waitForFunction(() =>
      decodeURIComponent(location.hash).includes('"loop":{"start":0,"end":45000000000}'),
    );
  });

  test("is led by the pointer on the timeline: scrubs, loops with Shift, zooms by wheel", async () => {
    await go(viewer.address("race.hcrp"));
    await untilOpen(page);
    const box = (await page.getByRole("slider", { name: "Timeline" }).boundingBox())!;
    const at = (part: number): number => box.x + 128 + (box.width - 138) * part;
    const y = box.y + 60;
    await page.mouse.move(at(0.25), y);
    await page.mouse.down();
    await page.mouse.move(at(0.5), y, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => Math.abs(simtape.frame!.time - 22.5e9) < 0.1e9);
    await page.keyboard.down("Shift");
    await page.mouse.move(at(0.2), y);
    await page.mouse.down();
    await page.mouse.move(at(0.4), y, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.waitForFunction(() => {
      const { loop } = simtape.state.value.status;
      return loop !== null && Math.abs(loop.start! - 9e9) < 0.1e9 && Math.abs(loop.end! - 18e9) < 0.1e9;
    });
    await page.mouse.wheel(0, -800);
    await page.mouse.move(at(0.4), y);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForFunction(() => Math.abs(simtape.frame!.time - 18e9) < 0.2e9);
  });

  test("tells damage as findings, and shows what is left", async () => {
    await go(viewer.address());
    await drop(page, { "cut.log": new Uint8Array(readFileSync(example("town.log"))).slice(0, 40_000) });
    await untilOpen(page);
    await page.getByRole("button", { name: /^\d+ findings?$/ }).waitFor();
    expect(await page.evaluate(() => simtape.frame!.state.sets.size)).toBeGreaterThan(0);
  });

  test("says why a file cannot be opened, and opens the next one", async () => {
    await go(viewer.address());
    await drop(page, { "notes.txt": new TextEncoder().encode("no recording at all") });
    await page.getByRole("alert").filter({ hasText: "notes.txt" }).waitFor();
    await page.getByRole("button", { name: "town.log" }).click();
    await untilOpen(page);
    await drop(page, { "notes.txt": new TextEncoder().encode("no recording at all") });
    await page.getByRole("alert").filter({ hasText: "not a recording" }).waitFor();
    expect(await page.getByRole("heading", { name: "town.log" }).count()).toBe(1);
  });

  test("says at the row that was clicked why it cannot be opened", async () => {
    await go(viewer.address());
    await page.route("**/patrol.tape", (route) => route.abort());
    const row = page.getByRole("button", { name: "patrol.tape" });
    await row.click();
    const alert = page.getByRole("alert").filter({ hasText: "patrol.tape" });
    await alert.waitFor();
    const [above, below] = [(await row.boundingBox())!, (await alert.boundingBox())!];
    expect(below.y - above.y - above.height).toBeLessThan(30);
    await drop(page, { "notes.txt": new TextEncoder().encode("no recording at all") });
    await page.getByRole("alert").filter({ hasText: "notes.txt" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    await page.unroute("**/patrol.tape");
  });

  test("opens a recording with fewer channels over another", async () => {
    await go(viewer.address("town.log"));
    await untilOpen(page);
    await drop(page, { "patrol.tape": new Uint8Array(readFileSync(example("patrol.tape"))) });
    await page.waitForFunction(() => simtape.state.value.decks[0]?.opened.info.format === "mira");
    await untilOpen(page);
    await page.getByRole("slider", { name: "Timeline" }).waitFor();
  });

  test("opens a typed address", async () => {
    await go(viewer.address());
    await page.getByLabel("Address of a recording").fill("files/2/patrol.tape");
    await page.keyboard.press("Enter");
    await untilOpen(page);
    expect(await page.evaluate(() => simtape.state.value.decks[0]!.opened.info.format)).toBe("mira");
  });

  test("leads by its address to the same moment, loop, selection and layout", async () => {
    await go(viewer.address("town.log"));
    await untilOpen(page);
    await page.evaluate(async () => {
      simtape.select({ kind: "thing", set: "vehicles", id: 1 });
      simtape.setRate(-2);
      simtape.setLoop({ start: 1e9, end: 5e9 });
      simtape.share("note", { shown: ["a", "b"] });
      await simtape.seek(3.25e9);
    });
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Copy the address of this moment" }).click();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await untilOpen(page);
    await page.waitForFunction(() => simtape.state.value.status.loop !== null);
    const kept = await page.evaluate(() => {
      const { selection, status, shared } = simtape.state.value;
      return { time: simtape.frame!.time, rate: status.rate, loop: status.loop, selection, note: shared["note"] };
    });
    expect(kept).toEqual({
      time: 3.25e9,
      rate: -2,
      loop: { start: 1e9, end: 5e9 },
      selection: { kind: "thing", set: "vehicles", id: 1 },
      note: { shown: ["a", "b"] },
    });
  });

  test("leads by its address to the same moment of two recordings", async () => {
    await go(viewer.address("race.hcrp", "race.hcrp"), { t: 12.5, rate: 2, shared: { layout: layoutOf(["state"]) } });
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame?.ghosts.length === 1);
    expect(await page.evaluate(() => [simtape.frame!.time, simtape.state.value.status.rate])).toEqual([12.5e9, 2]);
  });

  test("races a second recording as a ghost, and lays it elsewhere", async () => {
    await go(viewer.address("race.hcrp", "race.hcrp"));
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame?.ghosts.length === 1);
    await page.evaluate(async () => {
      await simtape.placeGhost(1, { offset: 2e9 });
      await simtape.seek(10e9);
    });
    await page.waitForFunction(() => simtape.frame?.ghosts[0]?.time !== undefined && simtape.frame.time === 10e9);
    await using recording = await open(new Uint8Array(readFileSync(example("race.hcrp"))));
    const ghost = await page.evaluate(() => [
      ...simtape.frame!.ghosts[0]!.sets.get("players")!.columns.get("position")!.data,
    ]);
    const there = (await recording.state(8e9, { interpolate: true })).sets.get("players")!.columns.get("position")!;
    expect(ghost).toEqual([...there.data]);
  });

  test("weighs little: 200 kB without 3D, 529 kB with everything that CARLA needs", async () => {
    const manifest = JSON.parse(readFileSync(join(viewer.folder, "manifest.json"), "utf8")) as Manifest;
    const gzipped = (file: string): number => gzipSync(readFileSync(join(viewer.folder, file))).length;
    const page2d = filesOf(manifest, ["index.html", "src/shell/workbench.tsx", "src/inspect/info-panel.tsx"]);
    const weight = [...page2d].reduce((sum, file) => sum + gzipped(file), 0);
    expect(weight).toBeLessThan(200_000);
    expect(
      [...page2d].filter((file) => readFileSync(join(viewer.folder, file), "utf8").includes("WebGLRenderer")),
    ).toEqual([]);

    const { page: fresh } = await viewer.page("about:blank");
    const loaded = new Set<string>();
    fresh.on("request", (request) => loaded.add(new URL(request.url()).pathname.replace(/^\/[^/]*\//, "")));
    await fresh.goto(viewer.address("town.log"));
    await untilOpen(fresh);
    await fresh.waitForLoadState("networkidle");
    await fresh.close();
    const all = [...loaded].filter((file) => file.startsWith("assets/"));
    expect(all.length).toBeGreaterThan(5);
    expect(all.reduce((sum, file) => sum + gzipped(file), 0)).toBeLessThan(529_000);
  });

  test("lists its keys, and does what is chosen in the palette", async () => {
    await go(viewer.address("town.log"));
    await untilOpen(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Play or pause").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).fill("to the end");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.end);
  });

  test("finds things, channels and events by their names in the palette", async () => {
    await go(viewer.address("race.hcrp"));
    await untilOpen(page);
    const find = async (text: string, option: string | RegExp): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command" }).fill(text);
      const found = page.getByRole("option", { name: option });
      await found.waitFor();
      while ((await found.getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Commands" }).waitFor({ state: "detached" });
    };
    await find("dov", "Dov players/4");
    expect(await page.evaluate(() => simtape.state.value.subject)).toMatchObject({ set: "players", id: 4 });

    await find("block set", "set-block channel");
    const channel = page.getByRole("combobox", { name: "Channel" });
    await expect
      .poll(() => channel.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]!.text))
      .toBe("set-block");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"messages":{"channel":"set-block"}'));
    await page.reload();
    await untilOpen(page);
    expect(await channel.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]!.text)).toBe("set-block");

    await find("bo_jumps finish", /Bo_Jumps: finish 0:43\.600$/);
    await page.waitForFunction(() => simtape.frame!.time === 43.6e9);
  });
});

/** Vite's list of what was built, by source. */
type Manifest = Readonly<
  Record<string, { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }>
>;

/** Scripts and styles that sources need at once. */
function filesOf(manifest: Manifest, sources: readonly string[], found: Set<string> = new Set()): Set<string> {
  for (const source of sources) {
    const { file, imports = [], css = [] } = manifest[source]!;
    if (found.has(file)) continue;
    for (const each of [file, ...css]) found.add(each);
    filesOf(manifest, imports, found);
  }
  return found;
}
