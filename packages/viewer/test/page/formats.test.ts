import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { numberAt, numericPaths, open, type SeriesPath } from "../../../simtape/src/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import { tries } from "../../../simtape/test/soak.ts";
import { sampleBytes, sampleNames } from "../../../simtape/test/samples.ts";
import { REAL, type SoundRecording, SOUND } from "../../../simtape/test/specimens.ts";
import { drop, hasChromium, hashOf, layoutOf, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

const FORMATS = ["carla", "flightgear", "hcrp", "mira", "nanover"] as const;

/** One recording of each format, the smallest real one where there are some; in the long run all there are. */
const RECORDINGS = FORMATS.flatMap((format) => {
  const found = [REAL, SOUND].flatMap((recordings) =>
    recordings
      .filter((recording) => recording.format === format && !isShort(recording))
      .sort((a, b) => bytesOf(a) - bytesOf(b)),
  );
  return found.slice(0, tries(1, found.length));
}).map((recording, i) => ({ ...recording, folder: `${i}` }));

/** Real ones that are damaged, or too short for all that; one of them usually, in the long run all. */
const ODD = [
  ...REAL.filter(isShort),
  ...["mira/variants", "flightgear"].flatMap((folder) =>
    sampleNames(folder)
      .filter((name) => folder.startsWith("mira") || name.includes("crashed"))
      .map((name) => {
        const files = { [name]: sampleBytes(`${folder}/${name}`) };
        return { name, format: folder.split("/")[0]!, files };
      }),
  ),
]
  .slice(0, tries(1, Number.POSITIVE_INFINITY))
  .map((recording, i) => ({ ...recording, folder: `odd-${i}` }));

/** Panels without the scene, which other tests look at: it takes a while to draw without a graphics card. */
const PANELS = ["state", "plots", "messages", "bytes"];

describe.skipIf(!hasChromium)("end to end, what the page shows is what the command tells", () => {
  const root = mkdtempSync(join(tmpdir(), "simtape-formats-"));
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    for (const { folder, files } of [...RECORDINGS, ...ODD]) {
      mkdirSync(join(root, folder));
      for (const [name, bytes] of Object.entries(files)) writeFileSync(join(root, folder, name), bytes);
    }
    viewer = await startViewer(RECORDINGS.map(pathOf));
    ({ page, errors } = await viewer.page("about:blank"));
    await page.setViewportSize({ width: 1280, height: 640 });
    page.setDefaultTimeout(30_000);
  });

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  test.each(RECORDINGS)("$format: $name", async (recording) => {
    const path = pathOf(recording);
    const { files } = recording;
    await go(viewer.address(), { shared: { layout: layoutOf(PANELS) } });
    await drop(page, files);
    await untilOpen(page);
    const { start, end } = await page.evaluate(() => simtape.bounds);

    // Seek by typing.
    await page.getByLabel("Time shown").fill("50%");
    await page.getByLabel("Time shown").press("Enter");
    const middle = Math.round((start + end) / 2);
    await page.waitForFunction((time) => simtape.frame?.time === time, middle);
    const reported = await stateAt(path, "50%");
    expect(difference(await shownState(page), reported)).toBeNull();
    const recorded = await stateAt(path, "50%", []);
    expect(difference(await shownState(page, "recorded"), recorded)).toBeNull();
    await expectPlotted(recording, middle, recorded);

    // Backwards, a step on, and forwards to the end.
    await page.keyboard.press("j");
    await page.waitForFunction((time) => simtape.frame!.time < time, middle);
    await page.keyboard.press("k");
    const back = await pausedAt(page);
    expect(back).toBeLessThan(middle);
    expect(difference(await shownState(page), await stateAt(path, `${back}ns`))).toBeNull();
    await page.keyboard.press(".");
    await page.waitForFunction((time) => simtape.frame!.time > time, back);
    await page.keyboard.press("l");
    await page.waitForFunction((time) => simtape.frame!.time > time, middle);
    await page.keyboard.press("End");
    await page.waitForFunction((time) => simtape.frame!.time === time, end);
    expect(difference(await shownState(page), await stateAt(path, "100%"))).toBeNull();

    // What is in the file.
    const { stdout } = await command(["cat", path, "--limit", "1", "--json"]);
    const { channel } = JSON.parse(stdout) as { readonly channel: string };
    const messages = page.getByRole("listbox", { name: "Messages" });
    await messages.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => messages.locator(".message-channel").first().textContent()).toBe(channel);
    await page.getByRole("listbox", { name: "Records" }).getByRole("option").first().click();
    // Of a gzip file the records are those of what is in it.
    const bytes = Object.values(files)[0]!;
    const content = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    const head = Buffer.from(content.subarray(0, 2)).toString("hex");
    await expect
      .poll(async () => (await page.locator(".hex-bytes").first().textContent())!.replace(/\s/g, ""))
      .toContain(head);

    // A loop.
    const loop = { start: start + Math.round((end - start) * 0.4), end: start + Math.round((end - start) * 0.45) };
    expect(await loopStaysInside(page, loop)).toBe(true);

    // A ghost, a tenth of the recording behind.
    const offset = Math.round((end - start) / 10);
    await drop(page, files, { shiftKey: true });
    await page.waitForFunction(() => simtape.frame?.ghosts.length === 1);
    await page.evaluate((behind) => simtape.placeGhost(1, { offset: behind }), offset);
    await page.evaluate((time) => simtape.seek(time), middle);
    await page.waitForFunction((time) => simtape.frame!.ghosts[0]?.time === time, middle - offset);
    expect(difference(await shownState(page, 0), await stateAt(path, `${middle - offset}ns`))).toBeNull();
  });

  test.each(RECORDINGS)("$format: a link to $name restores everything", async (recording) => {
    const entry = viewer.entries[RECORDINGS.indexOf(recording)]!;
    const plots = { charts: [] };
    await go(viewer.addressOf([entry]), { shared: { layout: layoutOf(PANELS), [`plots-${recording.format}`]: plots } });
    await untilOpen(page);
    await page.evaluate(async () => {
      const { start, end } = simtape.bounds;
      const at = (part: number): number => start + Math.round((end - start) * part);
      const [found] = [...simtape.frame!.state.sets].filter(([, { ids }]) => ids.length > 0);
      if (found === undefined) simtape.select({ kind: "message", time: start, sequence: 0 });
      else simtape.select({ kind: "thing", set: found[0], id: found[1].ids[0]! });
      simtape.setRate(-2);
      simtape.setLoop({ start: at(0.2), end: at(0.8) });
      simtape.share("scene", { mode: "orbit", camera: { position: [1, 2, 3], target: [4, 5, 6] } });
      await simtape.seek(at(0.6));
    });
    const wanted = await keptBy(page);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Copy the address of this moment" }).click();
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.evaluate(readAll);
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame !== null);
    expect(await keptBy(page)).toEqual(wanted);
    for (const name of ["State", "Plots", "Messages", "Bytes"]) {
      await page.getByRole("region", { name, exact: true }).first().waitFor();
    }
    expect(difference(await shownState(page), await stateAt(pathOf(recording), `${wanted.time}ns`))).toBeNull();
  });

  test.each(ODD)("$format: $name, as far as there is anything", async (recording) => {
    await go(viewer.address(), { shared: { layout: layoutOf(PANELS) } });
    await drop(page, recording.files);
    await page.waitForFunction(() => ["open", "failed"].includes(simtape.state.value.phase));
    const { exit } = await command(["info", pathOf(recording), "--json"]);
    const phase = await page.evaluate(() => simtape.state.value.phase);
    expect([phase, exit]).toEqual(phase === "failed" ? ["failed", 1] : ["open", 0]);
    if (phase === "failed") return;
    await untilOpen(page);
    for (const [key, at] of [
      ["End", "100%"],
      ["Home", "0%"],
    ] as const) {
      await page.keyboard.press(key);
      const wanted = await page.evaluate((end) => simtape.bounds[end ? "end" : "start"], key === "End");
      await page.waitForFunction((time) => simtape.frame?.time === time, wanted);
      expect(difference(await shownState(page), await stateAt(pathOf(recording), at))).toBeNull();
    }
  });

  async function go(address: string, kept: Parameters<typeof hashOf>[0]): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address + hashOf(kept));
    await page.evaluate(readAll);
  }

  function pathOf({ folder, files }: { readonly folder: string; readonly files: SoundRecording["files"] }): string {
    return join(root, folder, Object.keys(files)[0]!);
  }

  /** The first number of the state is plotted, and what is written beside it is what was reported. */
  async function expectPlotted(recording: SoundRecording, time: number, reported: Reported): Promise<void> {
    await using opened = await open(recording.bundle());
    const state = await opened.state(time, { interpolate: true });
    const found = [...numericPaths(state)].find(
      ({ path }) =>
        Number.isFinite(numberAt(state, path)) &&
        !("value" in path && typeof state.values.get(path.value) === "boolean"),
    );
    if (found === undefined) return;
    await page.evaluate(([key, path]) => simtape.share(key!, { charts: [[path]] }), [
      `plots-${recording.format}`,
      found.path,
    ] as const);
    const shown = page.getByLabel(`${found.text} now`, { exact: true });
    await expect.poll(() => shown.textContent()).toBe(String(Number(toldNumber(reported, found.path).toPrecision(7))));
  }
});

/** In the page: all of a state is there, also what its panels do not show. */
function readAll(): void {
  simtape.read(null);
}

/** What `simtape state --json` prints. */
interface Reported {
  readonly time: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly sets: Readonly<
    Record<
      string,
      {
        readonly ids: readonly (number | string)[];
        readonly columns: Readonly<Record<string, { readonly width: number; readonly data: readonly unknown[] }>>;
      }
    >
  >;
}

async function stateAt(path: string, at: string, options: readonly string[] = ["--interpolate"]): Promise<Reported> {
  const { exit, stdout, stderr } = await command(["state", path, "--at", at, ...options, "--json"]);
  expect([exit, stderr]).toEqual([0, ""]);
  const { findings, ...reported } = JSON.parse(stdout) as Reported & { readonly findings: unknown };
  expect(findings).toEqual([]);
  return reported;
}

function toldNumber(reported: Reported, path: SeriesPath): number {
  if ("value" in path)
    return path.keys.reduce<unknown>((part, key) => (part as never)[key], reported.values[path.value]) as number;
  const { ids, columns } = reported.sets[path.set]!;
  const { width, data } = columns[path.column]!;
  const at = ids.indexOf(path.id) * width;
  if (path.item === "length") return Math.hypot(...(data.slice(at, at + width) as number[]));
  return data[at + Number(path.item ?? 0)] as number;
}

/** What the page shows now, of the recording, as it is drawn or as it was recorded, or of a ghost, as `simtape state --json` would print it. */
async function shownState(page: Page, which: number | "state" | "recorded" = "state"): Promise<unknown> {
  const text = await page.evaluate((of) => {
    const state = typeof of === "number" ? simtape.frame!.ghosts[of]! : simtape.frame![of];
    const { time, values, sets } = state;
    return JSON.stringify(
      {
        time,
        values: Object.fromEntries(values),
        sets: Object.fromEntries(
          [...sets].map(([name, { ids, columns, axes }]) => [
            name,
            {
              ids,
              columns: Object.fromEntries(
                [...columns].map(([column, { unit, width, data }]) => [column, { unit, width, data }]),
              ),
              ...(axes === null ? {} : { axes }),
            },
          ]),
        ),
      },
      (_, value: unknown) => {
        if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
        if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
        return ArrayBuffer.isView(value) ? [...(value as Uint8Array)] : value;
      },
    );
  }, which);
  return JSON.parse(text) as unknown;
}

/** Where two values differ; null: nowhere. Sines differ in the last digits from engine to engine. */
function difference(a: unknown, b: unknown, at = "state"): string | null {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a)) ? null : `${at}: ${a}, ${b}`;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return a === b ? null : `${at}: ${String(a)}, ${String(b)}`;
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    const found = difference((a as never)[key], (b as never)[key], `${at}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Whether three rounds of a loop stay inside it, at a rate that gets there soon. */
async function loopStaysInside(page: Page, loop: { readonly start: number; readonly end: number }): Promise<boolean> {
  return page.evaluate(
    ({ start, end }) =>
      new Promise<boolean>((resolve) => {
        let rounds = 0;
        let isInside = true;
        void simtape.seek(start).then(() => {
          const stop = simtape.onFrame(({ time, cause }) => {
            isInside &&= time >= start && time <= end;
            if (cause === "loop") rounds++;
            if (rounds < 3 && isInside) return;
            stop();
            simtape.pause();
            simtape.setLoop(null);
            simtape.setRate(1);
            resolve(isInside);
          });
          simtape.setLoop({ start, end });
          simtape.setRate(8);
          simtape.play();
        });
      }),
    loop,
  );
}

function keptBy(page: Page): Promise<{ readonly time: number | null }> {
  return page.evaluate(() => {
    const { selection, status, shared } = simtape.state.value;
    return { time: simtape.time, rate: status.rate, loop: status.loop, selection, shared };
  });
}

async function pausedAt(page: Page): Promise<number> {
  await page.waitForFunction(() => simtape.state.value.status.phase.match(/paused|ended/) !== null);
  // The last frame of playing may still be on its way: what was asked for behind it comes behind it.
  return page.evaluate(async () => {
    const { recording } = simtape.state.value.decks[0]!.opened;
    for (let round = 0; round < 2; round++) {
      await simtape.query("findings", { recording });
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return simtape.frame!.time;
  });
}

function bytesOf({ files }: SoundRecording): number {
  return Object.values(files).reduce((sum, { length }) => sum + length, 0);
}

/** Too short to play to and fro in. */
function isShort({ name }: Pick<SoundRecording, "name">): boolean {
  return /golden|synthetic|two-epochs|variants|recovery/.test(name);
}
