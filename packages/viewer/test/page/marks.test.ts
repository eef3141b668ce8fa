import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, untilOpen, type Viewer } from "../support/viewer.ts";

describe.skipIf(!hasChromium)("what the page points at", () => {
  const root = mkdtempSync(join(tmpdir(), "simtape-marks-"));
  mkdirSync(join(root, "damaged"));
  const town = new Uint8Array(readFileSync(example("town.log")));
  const middle = town.length >> 1;
  writeFileSync(
    join(root, "damaged/damaged.log"),
    town.map((byte, i) => (i >= middle && i < middle + 64 ? 0xff : byte)),
  );
  let viewer: Viewer;
  let page: Page;
  onePage([example("town.log"), example("race.hcrp"), join(root, "damaged/damaged.log")], (opened) => {
    ({ viewer, page } = opened);
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  async function go(name: string): Promise<void> {
    await page.goto("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(viewer.address(name));
    await untilOpen(page);
  }

  test("is gone to exactly by a click on its mark, also with a hand that trembles", async () => {
    await go("race.hcrp");
    const { marks } = await page.evaluate(() => {
      const { recording, timeline } = simtape.state.value.decks[0]!.opened;
      return simtape.query("marks", { recording, ...timeline, columns: 2048, isReading: true });
    });
    const timeline = (await page.getByRole("slider", { name: "Timeline" }).boundingBox())!;
    const { start, end } = await page.evaluate(() => simtape.bounds);
    const mark =
      marks.find(({ time }) => time > start + 0.3 * (end - start) && time < end && time % 1e6 !== 0) ?? marks.at(-1)!;
    // Where it is drawn is found as a user finds it: by what is said of it.
    const tip = page.locator(".timeline-tip");
    const found = async (): Promise<{ x: number; y: number } | null> => {
      for (let y = timeline.y + 40; y < timeline.y + timeline.height; y += 7) {
        for (let x = timeline.x; x < timeline.x + timeline.width; x += 4) {
          const near = timeline.x + 128 + ((mark.time - start) / (end - start)) * (timeline.width - 138);
          if (Math.abs(x - near) > 8) continue;
          await page.mouse.move(x, y);
          if ((await tip.count()) > 0 && (await tip.textContent())!.includes(mark.label)) return { x, y };
        }
      }
      return null;
    };
    const place = (await found())!;
    expect(place).not.toBeNull();
    await page.mouse.move(place.x + 2, place.y);
    await page.mouse.down();
    await page.mouse.move(place.x + 1, place.y);
    await page.mouse.up();
    await page.waitForFunction((time) => simtape.frame!.time === time, mark.time);
  });

  test("opens its bytes by a click on a finding, which is on the timeline", async () => {
    await go("damaged.log");
    const findings = await page.evaluate(() =>
      simtape.query("findings", { recording: simtape.state.value.decks[0]!.opened.recording }),
    );
    const finding = findings.find(({ offset, length }) => offset !== undefined && length !== undefined)!;
    const damage = await page.evaluate(() =>
      simtape.query("damage", { recording: simtape.state.value.decks[0]!.opened.recording }),
    );
    expect(damage.map(({ message }) => message)).toContain(finding.message);
    await page.evaluate(() => simtape.showPanel("info"));
    await page.locator(".finding-go", { hasText: finding.message }).click();
    await page.getByRole("listbox", { name: "Records" }).waitFor();
    const title = page.locator(".inspect-bar output", { hasText: " at " });
    await expect.poll(() => title.textContent()).toContain(`at ${finding.offset!.toLocaleString("en")}`);
  });

  test("is read beside the picture while nothing plays", async () => {
    await go("town.log");
    const name = page.locator(".scene-hud h3");
    await expect.poll(() => name.textContent()).toBe("hero");
    const other = await page.evaluate(() => {
      const { ids, columns } = simtape.frame!.recorded.sets.get("vehicles")!;
      const id = ids[columns.get("label")!.data.findIndex((label) => label !== "hero")]!;
      simtape.select({ kind: "thing", set: "vehicles", id });
      return String(id);
    });
    await expect.poll(() => name.textContent()).toContain(other);
    await page.evaluate(() => simtape.select(null));
    await expect.poll(() => name.textContent()).toBe("hero");
  });

  test("is no event that did not happen", async () => {
    await go("town.log");
    const { lists, names } = await page.evaluate(async () => {
      const { recording, timeline, channels } = simtape.state.value.decks[0]!.opened;
      const { lists } = await simtape.query("marks", { recording, ...timeline, columns: 64, isReading: true });
      return { lists, names: lists.map((id) => channels[id]!.name) };
    });
    expect(lists.length).toBeGreaterThan(0);
    expect(names).toContain("collision");
    expect(names).not.toContain("position");
  });
});
