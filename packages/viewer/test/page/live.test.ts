import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import type { Events, Progress } from "../../src/protocol.ts";
import { example, hasChromium, hashOf, layoutOf, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

const COMMAND = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const SECOND = 1e9;

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Settles when the pattern has come out, with what it found. */
  said(pattern: RegExp): Promise<string>;
}

let folder = "";
const running: ChildProcess[] = [];

/** A command in a process of its own. */
function command(...words: string[]): Run {
  const child = spawn(process.execPath, [COMMAND, ...words], { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
  running.push(child);
  let text = "";
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      text += data.toString();
      for (const look of looks) look();
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(text);
        if (found !== null) resolve(found[0]);
      };
      looks.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without ${String(pattern)}: ${text}`)));
    });
  return { child, ended, said };
}

const badge = (page: Page) => page.getByRole("button", { name: "Live" });

/** Waits until the page plays at the edge of what has been recorded. */
async function untilNow(page: Page): Promise<void> {
  await expect.poll(() => badge(page).getAttribute("aria-pressed")).toBe("true");
  await page.waitForFunction(
    (near) => simtape.time !== null && simtape.bounds.end > near && simtape.bounds.end - simtape.time < near,
    8 * SECOND,
  );
}

async function untilGrown(page: Page): Promise<void> {
  const end = await page.evaluate(() => simtape.bounds.end);
  await page.waitForFunction((before) => simtape.bounds.end > before, end);
}

/** Texts of the gaps in what the page has open. */
function gapsOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { recording } = simtape.state.value.decks[0]!.opened;
    const found: string[] = [];
    const take = ({ events }: Events): void => void found.push(...events.map(({ text }) => text));
    const onProgress = ({ partial }: Progress): void => take(partial as Events);
    take(await simtape.query("events", { recording, limit: 10_000, isReading: true }, { onProgress }));
    return found.filter((text) => text.startsWith("nothing for"));
  });
}

describe.skipIf(!hasChromium)("a program that runs", () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer([]);
  });
  afterAll(async () => {
    await viewer[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "simtape-live-page-"));
  });
  afterEach(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  test("plays at the edge, is left and found again, over a crash of the program, and remains", async () => {
    const ball = example("buckyball.nanover.zip");
    const first = command("play", ball, "--into", "nanover", "--port", "0", "--repeat");
    const source = await first.said(/ws:\/\/127\.0\.0\.1:\d+/);
    const view = command("view", "--from", "nanover", source, "-o", "run.nanover.zip");
    // drawing takes long without a graphics card
    const address = (await view.said(/http:\S+/)) + hashOf({ shared: { layout: layoutOf(["state"]) } });
    const { page, errors } = await viewer.page(address);
    const { page: other } = await viewer.page(address);
    await untilOpen(page);
    await untilNow(page);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("run");
    expect(await page.evaluate(() => simtape.isPlaying || simtape.state.value.status.phase === "ended")).toBe(true);
    expect(await page.evaluate(() => simtape.frame!.state.sets.get("particles")!.ids.length)).toBeGreaterThanOrEqual(
      60,
    );

    // paused it stays where it is, while more comes
    await page.keyboard.press("k");
    await expect.poll(() => badge(page).getAttribute("aria-pressed")).toBe("false");
    // frames that were under way are shown before
    await untilGrown(page);
    const paused = await page.evaluate(() => simtape.time);
    await untilGrown(page);
    await expect.poll(() => badge(page).textContent()).toMatch(/^Live\d+ s behind$/);
    expect(await page.evaluate(() => simtape.time)).toBe(paused);
    // from the start, and back by key
    await page.keyboard.press("Home");
    await page.waitForFunction(() => simtape.frame!.time === 0);
    await page.keyboard.press("End");
    await untilNow(page);

    // loaded again it is at the edge, and one that was left for good is where it was left
    await expect.poll(() => page.url()).toContain("%22live%22");
    await page.reload();
    await untilOpen(page);
    await untilNow(page);
    await untilOpen(other);
    await other.keyboard.press("k");
    await other.keyboard.press("Home");
    await other.waitForFunction(() => simtape.frame!.time === 0);
    await expect.poll(() => decodeURIComponent(other.url())).toContain('"t":0');
    await other.reload();
    await untilOpen(other);
    await expect.poll(() => badge(other).getAttribute("aria-pressed")).toBe("false");
    expect(await other.evaluate(() => simtape.frame!.time)).toBe(0);

    // the program is killed, and comes again
    first.child.kill("SIGKILL");
    await page.getByText("No connection").waitFor();
    const end = await page.evaluate(() => simtape.bounds.end);
    const second = command("play", ball, "--into", "nanover", "--port", new URL(source).port, "--repeat");
    await page.waitForFunction((before) => simtape.bounds.end > before + 2e9, end);
    await page.getByText("No connection").waitFor({ state: "detached" });
    await untilNow(page);
    // a gap is found as an event of the recording, when the page has opened it as it is now
    await expect.poll(() => gapsOf(page), { timeout: 90_000 }).toHaveLength(1);

    // it ends in order: what was recorded remains
    second.child.kill("SIGTERM");
    await view.said(/has ended/);
    await badge(page).waitFor({ state: "detached" });
    await page.keyboard.press("Home");
    await page.waitForFunction(() => simtape.frame!.time === 0);
    await badge(other).waitFor({ state: "detached" });
    await view.said(/run\.nanover\.zip: /);
    expect(errors).toEqual([]);
    view.child.kill("SIGINT");
    // there is a gap
    expect(await view.ended).toBe(3);
    expect(existsSync(join(folder, "run.nanover.zip.take"))).toBe(false);
    await using kept = await open(fromFile(join(folder, "run.nanover.zip")));
    expect(kept.info.format).toBe("nanover");
    expect((await kept.timeline()).end).toBeGreaterThan(end);
    await page.close();
    await other.close();
  }, 300_000);

  test("of robots, in light and dark", async () => {
    const player = command("play", example("race.hcrp"), "--into", "foxglove", "--port", "0", "--repeat");
    const source = await player.said(/ws:\/\/127\.0\.0\.1:\d+/);
    const view = command("view", "--from", "foxglove", source);
    const { page, errors } = await viewer.page(await view.said(/http:\S+/));
    await untilOpen(page);
    await untilNow(page);
    const places = await page.evaluate(() =>
      [...simtape.frame!.state.sets.values()].reduce((n, { ids }) => n + ids.length, 0),
    );
    expect(places).toBeGreaterThan(0);
    const shots = process.env["SHOTS"];
    if (shots !== undefined) await page.screenshot({ path: join(shots, "live-light.png") });
    await page.keyboard.press("Shift+D");
    if (shots !== undefined) await page.screenshot({ path: join(shots, "live-dark.png") });
    expect(errors).toEqual([]);
    view.child.kill("SIGINT");
    expect(await view.ended).toBe(0);
    await page.close();
  });
});
