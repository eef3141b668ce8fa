import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { open, type Recording, readPath, type Series, type SeriesPath, type State } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findPath, unitOfItem } from "../../../simtape/src/model/state/path.ts";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import { sample, sampleNames } from "../../../simtape/test/samples.ts";
import { tries } from "../../../simtape/test/soak.ts";
import type { Passing } from "../../src/protocol.ts";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { principal } from "../../src/scene/things/pick.ts";
import type { Crowd } from "../../src/scene/presenters/presenter.ts";
import { type Reading, readingText } from "../../src/scene/presenters/readings.ts";
import { hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";

/** Milliseconds from opening until a user wants to see what it is about. */
const SOON = 30_000;
/** Of the width and height of the picture, what is around its middle, and the very edge of it. */
const MIDDLE = 0.3;
const EDGE = 0.02;
/** The command's own demos. */
const DEMOS = ["molecule.nanover.zip", "town.log", "robot.tape", "flight.fgtape", "race.hcrp"];

/** Real recordings of each format, two usually, in the long run all; and of the variants of one tape. */
const FOLDERS = {
  nanover: (name: string) => !name.endsWith(".state") || !hasTrajectory(name),
  carla: (name: string) => name.endsWith(".log"),
  flightgear: (name: string) => name.endsWith(".fgtape"),
  hypercube: (name: string) => name.endsWith(".hcrp"),
  mira: (name: string) => name.endsWith(".tape"),
  "mira/variants": (name: string) => name.endsWith(".tape") && !name.startsWith("empty"),
} as const;
const REAL = Object.entries(FOLDERS).flatMap(([folder, isOne]) => {
  const names = sampleNames(folder).filter(isOne);
  return names.slice(0, tries(2, names.length)).map((name) => sample(join(folder, name)));
});

/** One moment without a place, where its pair is not beside it. */
const ONE = "nanover/sim-switching.state";
const HAS_ONE = sampleNames("nanover").includes(basename(ONE));

interface Place {
  readonly x: number;
  readonly y: number;
}

function hasTrajectory(state: string): boolean {
  return sampleNames("nanover").includes(state.replace(/\.state$/, ".traj"));
}

describe.skipIf(!hasChromium)("first sight", () => {
  const root = mkdtempSync(join(tmpdir(), "simtape-first-sight-"));
  const demos = join(root, "demos");
  const alone = join(root, "alone.state");
  const files = [...DEMOS.map((name) => join(demos, name)), ...REAL, ...(HAS_ONE ? [alone] : [])];
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    mkdirSync(demos);
    expect((await command(["demo", "-o", demos, "--seconds", "20"])).exit).toBe(0);
    if (HAS_ONE) cpSync(sample(ONE), alone);
    viewer = await startViewer(files);
    ({ page, errors } = await viewer.page("about:blank"));
    await page.setViewportSize({ width: 1280, height: 720 });
    page.setDefaultTimeout(30_000);
  });

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  test.each(files.map((path) => ({ path, name: basename(path) })))(
    "of $name is what it is about, and its numbers are those recorded",
    async ({ path, name }) => {
      const recording = await open(fromFile(path));
      try {
        await page.goto("about:blank");
        await page.goto(viewer.address(name));
        await untilOpen(page);
        await vi.waitFor(() => expectInSight(page), { timeout: SOON, interval: 100 });
        await showPanels(page);
        await expectTrue(page, recording, path);
        // it stays so
        await expectInSight(page);
        // Where nothing is recorded at that very time.
        await page.evaluate(() => {
          const { start, end } = simtape.bounds;
          return simtape.seek(start + 0.6181 * (end - start));
        });
        await expectTrue(page, recording, path);
      } finally {
        await recording.close();
      }
    },
  );
});

/** The things that it is about, or the one that is followed, lie in the middle of the picture; where there are none, there is no picture. */
async function expectInSight(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const { placed, showing } = simtape.state.value.decks[0]!.opened;
    const { sets } = simtape.frame!.recorded;
    const sight = simtape.sights.get("scene");
    const isFollowing = document.querySelector(".scene-bar [aria-pressed=true], .scene [aria-pressed=true]");
    const name = showing.things?.find((set) => (sets.get(set)?.ids.length ?? 0) > 0);
    const set = name === undefined ? undefined : sets.get(name);
    const ids = [...(set?.ids ?? [])];
    const hero = set?.columns.get("label")?.data.indexOf("hero" as never) ?? -1;
    const main = hero >= 0 ? ids[hero]! : ids.includes("self" as never) ? "self" : ids[0]!;
    return {
      isPlaced: placed !== null,
      hasScene: sight !== undefined,
      mode: isFollowing?.textContent,
      main: sight?.(name ?? "", main) ?? null,
      all: ids.map((id) => sight?.(name ?? "", id) ?? null),
    };
  });
  expect(seen.hasScene).toBe(seen.isPlaced);
  if (!seen.isPlaced) return;
  const isInside = (at: Place | null, edge: number): at is Place =>
    at !== null && [at.x, at.y].every((part) => part > edge && part < 1 - edge);
  if (seen.mode === "Follow") {
    expect(seen.main, "who is followed").toSatisfy((at: Place | null) => isInside(at, MIDDLE));
    return;
  }
  const inside = seen.all.filter((at) => isInside(at, EDGE));
  expect(inside.length / seen.all.length, "those inside the picture").toBeGreaterThan(0.95);
  const [x, y] = [inside.map((at) => at.x), inside.map((at) => at.y)];
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  expect({ x: mean(x), y: mean(y) }, "their middle").toSatisfy((at: Place) => isInside(at, MIDDLE));
  const [wide, high] = [x, y].map((of) => Math.max(...of) - Math.min(...of));
  if (inside.length > 1) expect(Math.max(wide!, high!), "as large as fits").toBeGreaterThan(0.5);
}

/** The panels with numbers, wherever they are. */
async function showPanels(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const id of ["plots", "state"]) simtape.showPanel(id);
    simtape.read(null);
  });
  await page.getByRole("tree", { name: "State" }).waitFor();
}

/** Every number in State, readings and legends is what the command tells of that time. */
async function expectTrue(page: Page, recording: Recording, path: string): Promise<void> {
  const time = await page.evaluate(() => simtape.frame!.time);
  const state = await recording.state(time);
  await expectCommand(path, state, time);
  const reported = numbersIn(state);
  const search = page.getByRole("searchbox", { name: "Search the state" });
  for (const words of ["/", ""]) {
    await search.fill(words);
    await expect.poll(() => wrongRows(page, reported), { message: `in State, found by ${words}` }).toEqual([]);
  }
  const passings = await page.evaluate(() =>
    simtape.query("passings", { recording: simtape.state.value.decks[0]!.opened.recording, isReading: true }),
  );
  const read = readingsOf(state, passings);
  const tick = read.length > 0 ? await tickOf(recording, time) : [];
  await expect.poll(() => readingsIn(page)).toEqual([...tick, ...read]);
  const legends = await page
    .locator(".plot-line output")
    .evaluateAll((all) =>
      all.map((output) => [output.getAttribute("aria-label")!.replace(/ now$/, ""), output.textContent] as const),
    );
  for (const [label, text] of legends)
    expect(`${label} ${text}`).toBe(`${label} ${await legendOf(label, recording, state)}`);
}

/** That the command says the same of the time as the library, number by number. */
async function expectCommand(path: string, state: State, time: number): Promise<void> {
  const { exit, stdout } = await command(["state", path, "--at", `${time}ns`, "--json"]);
  expect(exit).toBeOneOf([0, 3]);
  const { sets } = JSON.parse(stdout) as {
    readonly sets: Readonly<
      Record<string, { readonly columns: Readonly<Record<string, { readonly data: unknown[] }>> }>
    >;
  };
  for (const [set, { columns }] of state.sets) {
    for (const [column, { data }] of columns) {
      const found = sets[set]!.columns[column]!.data;
      for (let i = 0; i < data.length; i++) {
        const number = data[i]!;
        if (typeof number === "number" && Number.isFinite(number)) expect(Number(found[i]) + 0).toBe(number + 0);
      }
    }
  }
}

/** The texts of numbers by the keys of their rows. */
function numbersIn({ sets, values }: State): ReadonlyMap<string, string> {
  const reported = new Map<string, string>();
  const cell = (value: number): string => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(7))));
  for (const [set, { ids, columns }] of sets) {
    for (const [column, { data, width }] of columns) {
      if (Array.isArray(data)) continue;
      for (const [row, id] of ids.entries()) {
        const cells = Array.from({ length: width }, (_, item) => cell(Number(data[row * width + item])));
        reported.set(`${set}/${id}/${column}`, cells.join(", "));
      }
    }
  }
  const add = (key: string, value: unknown): void => {
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
      reported.set(key, String(value));
    else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
      for (const [part, inner] of Object.entries(value)) add(`${key}.${part}`, inner);
    }
  };
  for (const [name, value] of values) {
    const key = `=${name
      .split("/")
      .filter((part) => part !== "")
      .join("/")}`;
    add(key, value);
    add(`${key}=`, value);
  }
  return reported;
}

/** Rows of State whose number is another than it should be. */
async function wrongRows(page: Page, reported: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await page.locator("[role=treeitem]:has(.tree-plot)").evaluateAll((all) =>
    all.map((row) => {
      const key = row.querySelector(".tree-plot")!.getAttribute("aria-label")!;
      return [key.replace(/^Plot (.*) \(P\)$/, "$1"), row.querySelector(".tree-text")!.textContent ?? ""] as const;
    }),
  );
  return rows.flatMap(([key, text]) =>
    reported.get(key) === text ? [] : [`${key}: ${text}, not ${reported.get(key)}`],
  );
}

async function readingsIn(page: Page): Promise<string[]> {
  return page.locator(".scene-hud:not([hidden]) dl > div").evaluateAll((all) =>
    all.map((line) =>
      [...line.children]
        .map((part) => part.textContent)
        .join(" ")
        .trim(),
    ),
  );
}

/** What is read before all others where time goes in ticks. */
async function tickOf(recording: Recording, time: number): Promise<string[]> {
  const { tick } = await recording.timeline();
  return tick?.name === "tick" && tick.duration !== null ? [`tick ${Math.floor(time / tick.duration)}`] : [];
}

function readingsOf(state: State, passings: readonly Passing[]): string[] {
  const cast = new Cast(new Origin(), -1);
  cast.show(state);
  cast.mark(passings);
  const spot = principal(cast.crowds);
  const reported =
    spot === null ? cast.crowds.map((crowd) => readingsAt(crowd, 0, state)) : [readingsAt(spot.crowd, spot.row, state)];
  cast.dispose();
  const readings = reported.find(({ length }) => length > 0) ?? [];
  return readings.map((reading) => `${reading.label} ${readingText(reading)} ${reading.unit}`.trim());
}

function readingsAt(crowd: Crowd, row: number, state: State): readonly Reading[] {
  return crowd.poses.count > row ? crowd.readings(row, state) : [];
}

async function legendOf(label: string, recording: Recording, state: State): Promise<string> {
  const path = findPath(label, state);
  if (path === null) return "–";
  let number: number;
  if ("set" in path && path.item === "speed") number = lastOf((await recording.series([path]))[0]!, state.time);
  else number = Number(readPath(state, path) ?? Number.NaN);
  const shown = "set" in path ? number * everyday(path.set, unitOf(path, state)) : number;
  return Number.isNaN(number) ? "–" : String(Number(shown.toPrecision(7)));
}

function unitOf({ set, column, item }: Extract<SeriesPath, { set: string }>, { sets }: State): string | null {
  const { unit, width } = sets.get(set)!.columns.get(column)!;
  return unitOfItem(unit, width, item);
}

/** What the page multiplies numbers of a unit with, so that people know what they say. */
function everyday(set: string, unit: string | null): number {
  const isOnRoad = set === "vehicles" || set === "walkers";
  if (unit === "m/s" && isOnRoad) return 3.6;
  if (unit === "cm/s") return isOnRoad ? 0.036 : 0.01;
  if (unit === "cm") return 0.01;
  if (unit === "rad" || unit === "rad/s") return 180 / Math.PI;
  if (set === "aircraft")
    return { "m/s": 3600 / 1852, "ft/s": 0.3048 * (3600 / 1852), fps: 0.3048 * (3600 / 1852) }[unit ?? ""] ?? 1;
  return 1;
}

function lastOf({ time, value, valid }: Series, at: number): number {
  const row = time.findLastIndex((one) => one <= at);
  return row < 0 || valid[row] === 0 ? Number.NaN : value[row]!;
}
