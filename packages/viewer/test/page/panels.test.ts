import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { open } from "simtape";
import { describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

/** Pictures to look at go there. */
const PICTURES = process.env["PICTURES"];

interface Wheel {
  readonly steering: number;
}

describe.skipIf(!hasChromium)("plots and inspection in the page", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("")], (opened) => {
    ({ viewer, page } = opened);
  });

  /** A recording at a time, with the panels named only: a scene takes a while to draw without a graphics card. */
  async function go(name: string, seconds: number, panels: readonly string[], shared: object = {}): Promise<void> {
    const hash = hashOf({ t: seconds, shared: { ...shared, layout: layoutOf(panels) } });
    await page.goto("about:blank");
    await page.goto(viewer.address(name) + hash);
    await untilOpen(page);
    await page.waitForFunction((time) => simtape.frame?.time === time, seconds * 1e9);
  }

  async function picture(name: string): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` });
  }

  test("a number is found, plotted, read at the player's time, zoomed into and gone to", async () => {
    await go("buckyball.nanover.zip", 2, ["plots"], { "plots-nanover": { charts: [] } });
    await page.getByRole("button", { name: "Add a plot …" }).click();
    await page.getByRole("combobox", { name: "Search numbers" }).fill("energy kin");
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Search numbers" }).fill("particles/7/position");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator(".plot canvas").waitFor();

    await using recording = await open(new Uint8Array(readFileSync(example("buckyball.nanover.zip"))));
    const state = await recording.state(2e9);
    const kinetic = state.values.get("energy.kinetic") as number;
    const shown = page.getByLabel("energy.kinetic now");
    await expect.poll(async () => Number(await shown.textContent())).toBeCloseTo(kinetic, 3);
    await expect.poll(() => page.locator(".plot-unit").allTextContents()).toEqual(["kJ/mol", "nm"]);

    const over = (await page.locator(".plot .u-over").boundingBox())!;
    await page.mouse.move(over.x + over.width / 2, over.y + 20);
    await page.mouse.wheel(0, -500);
    await page.waitForFunction(() => simtape.state.value.shared["window"] !== undefined);
    await picture("plots");
    await page.mouse.click(over.x + over.width / 2, over.y + 20);
    await page.waitForFunction(() => Math.abs(simtape.frame!.time - 2.4595e9) < 0.05e9);

    const download = page.waitForEvent("download");
    await page.getByTitle("Save the plotted numbers as CSV").click();
    const csv = readFileSync(await (await download).path(), "utf8");
    expect(csv.split("\n")[0]).toBe("time [s],energy.kinetic [kJ/mol],particles/7/position.y [nm]");
    await page.getByRole("button", { name: "Remove energy.kinetic from this plot" }).click();
    await expect.poll(() => page.locator(".plot-name").allTextContents()).toEqual(["C8 · position y"]);
  });

  test("plots show the part of the recording that the timeline shows, and the other way round", async () => {
    await go("buckyball.nanover.zip", 2, ["plots"]);
    const slider = page.getByRole("slider", { name: "Timeline" });
    const window = (): Promise<{ start: number; end: number }> =>
      page.evaluate(() => simtape.state.value.shared["window"] as { start: number; end: number });
    /** Where the player's line is in the plot, as a part of its width. */
    const placeOfNow = (): Promise<number> =>
      page.locator(".plot-now").evaluate((line) => {
        const { left } = line.getBoundingClientRect();
        const over = line.parentElement!.getBoundingClientRect();
        return (left - over.left) / over.width;
      });
    const expectSame = async (): Promise<void> => {
      const { start, end } = await window();
      await expect.poll(placeOfNow).toBeCloseTo((2e9 - start) / (end - start), 2);
    };
    await page.locator(".plot canvas").waitFor();
    await slider.focus();
    await page.keyboard.press("+");
    await page.waitForFunction(() => simtape.state.value.shared["window"] !== undefined);
    await expectSame();
    const before = await window();
    const over = (await page.locator(".plot .u-over").boundingBox())!;
    await page.mouse.move(over.x + over.width * 0.4, over.y + 20);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(
      (start) => (simtape.state.value.shared["window"] as { start: number }).start > start,
      before.start,
    );
    await expectSame();
    await slider.dblclick({ position: { x: 400, y: 60 } });
    await page.waitForFunction(() => simtape.state.value.shared["window"] === undefined);
  });

  test("the state is searched and walked through by keys; what changes is marked", async () => {
    await go("town.log", 2, ["state"]);
    const tree = page.getByRole("tree", { name: "State" });
    await tree.focus();
    for (const key of ["Home", "ArrowRight", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole("treeitem", { name: /position/ }).count()).toBe(1);
    await using recording = await open(new Uint8Array(readFileSync(example("town.log"))));
    const { ids, columns } = (await recording.state(2e9)).sets.get("vehicles")!;
    const data = columns.get("position")!.data as ArrayLike<number>;
    const text = await page
      .getByRole("treeitem", { name: /position/ })
      .locator(".tree-text")
      .textContent();
    expect(text!.split(", ").map(Number)).toEqual([0, 1, 2].map((i) => expect.closeTo(data[i]!, 1)));
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => simtape.state.value.selection)).toEqual(
      expect.objectContaining({ set: "vehicles", id: ids[0] }),
    );
    await page.getByRole("searchbox", { name: "Search the state" }).fill("vehicles/24 steer");
    await expect.poll(() => tree.getByRole("treeitem").count()).toBe(3);
    await page.getByRole("searchbox", { name: "Search the state" }).fill("visual");
    await page.evaluate(() => {
      simtape.play();
    });
    await page.locator("[data-changed]").first().waitFor();
    await page.evaluate(() => {
      simtape.pause();
    });
  });

  test("what is many in a crowd comes when it is opened, searched, plotted or picked", async () => {
    await go("town.log", 2, ["state"]);
    await using recording = await open(new Uint8Array(readFileSync(example("town.log"))));
    const wheels = (await recording.state(2e9, { interpolate: true })).values.get(
      "wheels/24",
    ) as never as readonly Wheel[];
    const held = (): Promise<unknown> =>
      page.evaluate(() => {
        const { values } = simtape.frame!.state;
        return [...values.keys()].filter((name) => name === "wheels/24").map((name) => values.get(name) ?? "spared");
      });
    await expect.poll(held).toEqual(["spared"]);

    const row = (name: RegExp) => page.getByRole("tree", { name: "State" }).getByRole("treeitem", { name });
    await page.getByRole("tree", { name: "State" }).hover();
    await page.mouse.wheel(0, 140);
    await row(/wheels/).click();
    await expect.poll(held).toEqual([wheels]);
    await expect.poll(() => row(/24.*location/).textContent()).toContain(`steering: ${wheels[0]!.steering}`);
    await row(/wheels/).click();
    await expect.poll(held).toEqual(["spared"]);

    const search = page.getByRole("searchbox", { name: "Search the state" });
    await search.fill("wheels/24 steering");
    await expect.poll(held).toEqual([wheels]);
    await expect.poll(() => page.getByText("steering", { exact: true }).count()).toBe(wheels.length);
    await search.fill("");
    await expect.poll(held).toEqual(["spared"]);

    await go("town.log", 2, ["plots"], { "plots-carla": { charts: [] } });
    await expect.poll(held).toEqual(["spared"]);
    await page.getByRole("button", { name: "Add a plot …" }).click();
    await page.getByRole("combobox", { name: "Search numbers" }).fill("wheels/24.0.steering");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Done" }).click();
    await expect
      .poll(async () => Number(await page.getByLabel("wheels/24.0.steering now").textContent()))
      .toBeCloseTo(wheels[0]!.steering, 3);
    expect(await held()).toEqual([wheels]);
  });

  test("the state keeps up with the pictures, however long these take", async () => {
    await go("town.log", 1, ["state"]);
    await page.getByRole("searchbox", { name: "Search the state" }).fill("visual-time");
    const text = page.getByRole("tree", { name: "State" }).locator(".tree-text");
    await expect.poll(() => text.count()).toBe(1);
    const shown = await page.evaluate(
      () =>
        new Promise<(readonly [reported: number, held: number])[]>((resolve) => {
          const found: (readonly [number, number])[] = [];
          const stop = simtape.onFrame(({ state }) => {
            const slow = performance.now() + 150;
            while (performance.now() < slow);
            const reported = Number(document.querySelector(".tree-text")!.textContent);
            found.push([reported, state.values.get("visual-time") as number]);
            if (found.length < 14) return;
            stop();
            simtape.pause();
            resolve(found);
          });
          simtape.play();
        }),
    );
    expect(new Set(shown.map(([reported]) => reported)).size).toBeGreaterThan(5);
    for (const [reported, held] of shown) expect(reported, JSON.stringify(shown)).toBeCloseTo(held, 4);
  });

  test("messages follow the player, until one scrolls away and back to now", async () => {
    await go("race.hcrp", 5, ["messages"]);
    const list = page.getByRole("listbox", { name: "Messages" });
    const chosen = list.locator("[aria-selected=true] .message-time");
    const now = page.getByTitle("Go to the present messages, and follow the player");
    await expect.poll(() => chosen.textContent()).toBe("0:05.000");
    await page.evaluate(() => simtape.seek(20e9));
    await expect.poll(() => chosen.textContent()).toBe("0:20.000");
    await list.hover();
    await page.mouse.wheel(0, -100);
    await expect.poll(() => now.getAttribute("aria-pressed")).toBe("false");
    await page.evaluate(() => simtape.seek(30e9));
    await page.waitForFunction(() => simtape.frame?.time === 30e9);
    expect(await list.locator(".message-time").first().textContent()).toMatch(/^0:(19|20)/);
    await now.click();
    await expect.poll(() => chosen.textContent()).toBe("0:30.000");
  });

  test("messages are listed to the last, searched, and gone to; their bytes are shown", async () => {
    await go("race.hcrp", 1, ["messages", "bytes"]);
    const list = page.getByRole("listbox", { name: "Messages" });
    await expect.poll(() => list.locator(".message-channel").first().textContent()).not.toBeNull();
    await list.focus();
    await page.keyboard.press("End");
    await expect.poll(() => list.locator(".message-time").last().textContent()).toBe("0:44.950");
    await page.getByRole("searchbox", { name: "Text in messages" }).fill("checkpoint");
    await expect.poll(() => page.locator(".inspect-bar output").first().textContent()).toMatch(/^\d+ found$/);
    const time = await list.locator(".message-time").nth(1).textContent();
    await list.getByRole("option").nth(1).click();
    await expect.poll(() => page.getByLabel("Time shown", { exact: true }).inputValue()).toBe(time);
    // its fields stand below, without the bytes
    const detail = page.getByRole("region", { name: "Selected message" });
    await detail
      .getByRole("option", { name: /checkpoint/ })
      .first()
      .waitFor();
    await picture("messages");

    await page
      .getByRole("listbox", { name: "Records" })
      .getByRole("option", { name: /header/ })
      .click();
    const fields = page.getByRole("listbox", { name: "Fields" });
    await expect.poll(() => fields.getByRole("option", { name: /magic/ }).textContent()).toContain("HCRP");
    await fields.getByRole("option", { name: /^version/ }).click();
    await expect.poll(() => page.locator(".hex-bytes [data-chosen]").allTextContents()).toEqual(["01"]);
    await picture("bytes");

    // pointing in one shows the place in the other; keys step from field to field
    await page.locator(".hex-bytes [data-byte='7']").hover();
    await expect.poll(() => fields.locator("[data-pointed]").textContent()).toContain("worldId");
    expect(await page.locator(".hex-bytes [data-pointed]").count()).toBe(16);
    await page.getByRole("listbox", { name: "Bytes", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator(".hex-bytes [data-chosen]").allTextContents()).toEqual(["00", "05"]);
    await page.getByRole("checkbox", { name: "list framing" }).uncheck();
    expect(await fields.getByRole("option", { name: /magic/ }).count()).toBe(0);

    await page.getByRole("listbox", { name: "Records" }).focus();
    for (const _ of ["metadata", "index", "chunk"]) await page.keyboard.press("ArrowDown");
    await page.getByRole("button", { name: "Inflated" }).click();
    await expect.poll(() => fields.getByRole("option", { name: /minecraft:overworld/ }).count()).toBeGreaterThan(0);
  });
});
