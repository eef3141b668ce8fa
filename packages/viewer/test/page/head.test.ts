import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeNanover } from "../../../../bench/make/nanover.ts";
import type { Kept } from "../../src/kept.ts";
import { FarServer, partHeaders } from "../support/far-server.ts";
import { onePage } from "../support/one-page.ts";
import { hasChromium, hashOf, untilOpen, type Viewer } from "../support/viewer.ts";

/** Just more than what is read without a look at the head. */
const BYTES = 68e6;
/** Behind the head: what is asked for from there on has to wait. */
const HELD_FROM = 16 << 20;
/** As many carbon atoms as it has. */
const PDB = Array.from({ length: 173 }, (_, i) => {
  const at = `${(i % 9).toFixed(3).padStart(8)}${(i / 9).toFixed(3).padStart(8)}${"0.000".padStart(8)}`;
  return `HETATM${String(i + 1).padStart(5)}  C   UNK A${String(i + 1).padStart(4)}    ${at}  1.00  7.50           C  \n`;
}).join("");

describe.skipIf(!hasChromium)("a long recording without an index", () => {
  let viewer: Viewer;
  let page: Page;
  let far: FarServer;
  let isBroken = false;
  let release: () => void = () => undefined;
  let released: Promise<void> = Promise.resolve();

  onePage([], (opened) => {
    ({ viewer, page } = opened);
  });

  beforeAll(async () => {
    const content = Buffer.concat([...makeNanover(BYTES)]);
    far = new FarServer((response, { start, ...asked }, { url }) => {
      const end = Math.min(content.length, asked.end);
      const answer = (): void => {
        if (start >= HELD_FROM && isBroken) {
          response.destroy();
          return;
        }
        response.writeHead(206, { ...partHeaders(start, end, content.length), ETag: '"a"' });
        response.end(content.subarray(start, end));
      };
      if (url === "/run.pdb") response.end(PDB);
      else if (url !== "/run.traj") response.writeHead(404).end();
      else if (start >= HELD_FROM) void released.then(answer);
      else answer();
    });
    await far.listen();
  });

  beforeEach(() => {
    isBroken = false;
    released = new Promise((resolve) => {
      release = resolve;
    });
  });

  afterAll(() => far?.[Symbol.asyncDispose]());

  /** Until the head of it is drawn. */
  async function go(kept: Kept): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${viewer.address()}?url=${encodeURIComponent(far.addressOf("run.traj"))}${hashOf(kept)}`);
    await page.locator("canvas[data-time]").waitFor();
    expect(await page.evaluate(() => simtape.state.value.phase)).toBe("opening");
  }

  test("shows its head, and says nothing of the rest, until all of it takes its place", async () => {
    await go({});
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText(/The page is still reading the recording/).waitFor();
    expect(await page.getByRole("slider", { name: "Timeline" }).count()).toBe(0);
    expect(await page.getByRole("toolbar", { name: "Playing" }).textContent()).toContain("/ …");
    expect(await page.getByText(/\bfindings?$/).count()).toBe(0);
    await page.getByRole("tab", { name: "Messages", exact: true }).click();
    await page.getByText("This panel appears when the whole recording has been read.").first().waitFor();
    const head = await page.evaluate(() => ({ ...simtape.state.value.decks[0]!.opened, bounds: simtape.bounds }));
    expect(head).toMatchObject({ isHead: true, placed: 0, findings: [] });

    const { x, y, width, height } = (await page.locator("canvas[data-time]").boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 120, y + height / 2 + 30, { steps: 4 });
    await page.mouse.up();
    await page.evaluate(async () => {
      await simtape.seek(3e9);
      simtape.select({ kind: "thing", set: "particles", id: 17 });
    });
    const look = () =>
      page.evaluate(() => ({
        time: simtape.time,
        selection: simtape.state.value.selection,
        camera: simtape.state.value.shared["scene"],
        sight: simtape.sights.get("scene")!("particles", 17)!,
      }));
    await page.waitForFunction(
      () => document.querySelector("canvas[data-time]")!.getAttribute("data-time") === "3000000000",
    );
    const before = await look();
    expect(before).toMatchObject({ time: 3e9, camera: { camera: expect.any(Object) } });

    release();
    await untilOpen(page);
    await page.getByRole("slider", { name: "Timeline" }).waitFor();
    const { x: across, y: down } = before.sight;
    const sight = { x: expect.closeTo(across, 1.5) as number, y: expect.closeTo(down, 1.5) as number };
    expect(await look()).toEqual({ ...before, sight });
    const whole = await page.evaluate(() => ({ ...simtape.state.value.decks[0]!.opened, bounds: simtape.bounds }));
    expect(whole.isHead).toBe(false);
    expect(whole.bounds.end).toBeGreaterThan(10 * head.bounds.end);
    const closed = page.evaluate((recording) => simtape.query("findings", { recording }), head.recording);
    await expect(closed).rejects.toThrow("no open recording");
  });

  test("plays on where its head ended", async () => {
    await go({});
    await page.evaluate(async () => {
      await simtape.seek(simtape.bounds.end - 1e8);
      simtape.play();
    });
    await page.waitForFunction(() => simtape.state.value.status.phase === "ended");
    const ended = await page.evaluate(() => simtape.time!);
    release();
    await untilOpen(page);
    await page.waitForFunction((time) => simtape.isPlaying && simtape.time! > time, ended);
  });

  test("goes to the moment of its address once that has been read", async () => {
    await go({ t: 300 });
    expect(await page.evaluate(() => simtape.time)).toBe(0);
    release();
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame!.time === 300e9);
  });

  test("is asked for what fits to a companion once all of it has been read", async () => {
    await page.goto("about:blank");
    const [run, beside] = ["run.traj", "run.pdb"].map((name) => encodeURIComponent(far.addressOf(name)));
    await page.goto(`${viewer.address()}?url=${run}&world=${beside}`);
    await page.locator("canvas[data-time]").waitFor();
    expect(await page.evaluate(() => [simtape.state.value.phase, simtape.companions.value])).toEqual(["opening", []]);
    release();
    await untilOpen(page);
    await page.waitForFunction(() => simtape.companions.value.length === 1);
    expect(
      await page.evaluate(() => simtape.companions.value.map(({ name, scenery }) => [name, scenery.findings])),
    ).toEqual([["run.pdb", []]]);
  });

  test("is closed again when the rest cannot be read", async () => {
    await go({});
    isBroken = true;
    release();
    await page.getByRole("alert").getByText("run.traj").waitFor({ timeout: 60_000 });
    expect(await page.evaluate(() => simtape.state.value)).toMatchObject({ phase: "failed", decks: [] });
  });
});
