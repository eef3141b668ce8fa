/**
 * Measures what a frame of the timeline costs while it is dragged and zoomed, for a thousand messages and for a
 * million, in a real Chromium: `npm run bench:timeline`. It measures time of the page's main thread, which other
 * programs hardly change. This should be the same for both, and far below a sixtieth of a second.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { makeTape } from "../packages/simtape/test/fixtures/mira/tape.ts";
import { hashOf, layoutOf, startViewer, untilOpen } from "../packages/viewer/test/support/viewer.ts";

const CHANNELS = 8;
const MOVES = 60;

/** As text, because a compiler adds calls of functions that the page does not have. */
const COUNT_FRAMES = `{
  const counted = (globalThis.counted = { frames: 0, isOn: true });
  requestAnimationFrame(function count() {
    counted.frames++;
    if (counted.isOn) requestAnimationFrame(count);
  });
}`;

const folder = mkdtempSync(join(tmpdir(), "simtape-timeline-"));
try {
  const files = [1000, 1_000_000].map((count) => {
    const path = join(folder, `${count}.tape`);
    writeFileSync(path, tapeOf(count));
    return path;
  });
  await using viewer = await startViewer(files);
  for (const { name } of viewer.entries) {
    const { page } = await viewer.page("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(viewer.address(name) + hashOf({ shared: { layout: layoutOf(["info"]) } }));
    await untilOpen(page);
    await page.waitForTimeout(4000);
    console.log(`\n${name.replace(".tape", "")} messages, ms of the main thread`);
    const box = (await page.getByRole("slider", { name: "Timeline" }).boundingBox())!;
    const x = (part: number): number => box.x + 128 + (box.width - 138) * part;
    const y = box.y + 60;
    await page.mouse.move(x(0.5), y);
    await measured(page, "zoom in, out", async (n) => page.mouse.wheel(0, n % 50 < 25 ? -120 : 120));
    await measured(page, "pan", async (n) => page.mouse.wheel(n % 50 < 25 ? 60 : -60, 0));
    await page.mouse.down();
    await measured(page, "drag", async (n) => page.mouse.move(x(0.5 + 0.4 * Math.sin(n / 9)), y));
    await page.mouse.up();
    await page.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Messages of eight channels, now dense and now rare, over a thousand seconds. */
function tapeOf(count: number): Uint8Array {
  const names = Array.from({ length: CHANNELS }, (_, n) => `/robot/Channel${n}`);
  const every = 1e12 / count;
  return makeTape(
    {
      start: 1_700_000_000_000_000_000n,
      zoneOffset: 0n,
      channels: Object.fromEntries(names.map((name) => [name, { type: "raw" }])),
      messages: Array.from({ length: count }, (_, i) => ({
        channel: names[(i * 7 + (i >> 5)) % CHANNELS]!,
        time: Math.round(i * every),
        sequence: i,
        data: Uint8Array.of(i & 0xff),
      })),
    },
    { maxBlock: 1 << 20 },
  );
}

async function measured(page: Page, what: string, act: (n: number) => Promise<void>): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.evaluate(COUNT_FRAMES);
  const before = await taskTime();
  for (let n = 0; n < MOVES; n++) await act(n);
  const spent = (await taskTime()) - before;
  const frames = await page.evaluate(() => {
    const { counted } = globalThis as unknown as { counted: { frames: number; isOn: boolean } };
    counted.isOn = false;
    return counted.frames;
  });
  console.log(`${what.padEnd(14)} ${frames} frames, ${((1000 * spent) / frames).toFixed(2)} ms each`);
  await cdp.detach();

  async function taskTime(): Promise<number> {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value;
  }
}
