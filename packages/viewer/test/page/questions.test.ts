import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { open } from "simtape";
import { type Answer, ask } from "simtape/ask";
import { type Comparison, compare } from "simtape/compare";
import { race } from "simtape/race";
import { statistics } from "simtape/stats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lapTime } from "../../src/race/racing.ts";
import { startViewer, type Viewer } from "../support/viewer.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen } from "../support/viewer.ts";

/** Pictures to look at go there. */
const PICTURES = process.env["PICTURES"];
const FAST = "any vehicles (speed > 5 km/h for 200 ms)";

describe.skipIf(!hasChromium)("questions in the page", () => {
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[];
  let folder: string;
  /** A copy of town.log in which one vehicle is elsewhere at one moment. */
  let other: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "simtape-questions-"));
    other = join(folder, "other.log");
    await writeFile(other, await moved(await readFile(example("town.log"))));
    viewer = await startViewer([example("town.log"), example("race.hcrp"), example("flight.fgtape"), other]);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(20_000);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  afterAll(async () => {
    await viewer[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
    expect(errors).toEqual([]);
  });

  async function go(names: readonly string[], panels: readonly string[], shared: object = {}): Promise<void> {
    await page.goto("about:blank");
    await page.goto(viewer.address(...names) + hashOf({ t: 0, shared: { ...shared, layout: layoutOf(panels) } }));
    await untilOpen(page);
  }

  async function picture(name: string): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` });
  }

  /** Text of each row of a list, as far as it is seen. */
  function rowsOf(label: string): Promise<readonly string[]> {
    return page.getByRole("listbox", { name: label, exact: true }).getByRole("option").allInnerTexts();
  }

  test("the palette leads into the field of Find, and into the panel Statistics", async () => {
    await go(["town.log"], ["events"]);
    const show = async (words: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill(words);
      await page.keyboard.press("Enter");
    };
    await show("find");
    const field = page.getByPlaceholder(/^When: /);
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("event(collision)");
    expect(await field.inputValue()).toBe("event(collision)");
    await show("statistics");
    await page.getByRole("listbox", { name: "Numbers", exact: true }).waitFor();
  });

  test.each([
    ["town.log", FAST],
    ["town.log", "each vehicles (speed > 5 km/h)"],
    ["race.hcrp", "event(checkpoint)"],
    ["flight.fgtape", "derivative(/position/altitude-ft) < -1 ft/s"],
  ])("%s: the times at which '%s' are those of the library, and keys go through them", async (name, text) => {
    const wanted = await answersOf(name, text);
    expect(wanted.length).toBeGreaterThan(0);
    await go([name], ["find"], { when: text });
    const count = `${wanted.length.toLocaleString("en")} ${wanted.length === 1 ? "time" : "times"}`;
    await page.getByText(count, { exact: true }).waitFor();
    expect(await rowsOf("Times at which it is true")).not.toEqual([]);
    const starts = [...new Set(wanted.map(({ from }) => from))].filter((from) => from > 0);
    for (const start of starts.slice(0, 3)) {
      await page.keyboard.press("f");
      await page.waitForFunction((time) => simtape.frame?.time === Math.round(time), start);
    }
    if (starts.length > 1) {
      await page.keyboard.press("Shift+F");
      await page.waitForFunction((time) => simtape.frame?.time === Math.round(time), starts.slice(0, 3).at(-2)!);
    }
    await picture(`find-${name}`);
  });

  test("an expression is typed with completions, answered as it stands, and kept in the address", async () => {
    await go(["town.log"], ["find"]);
    await page.getByRole("button", { name: "any vehicles (speed > 1 m/s for 200 ms)" }).waitFor();
    const field = page.getByRole("combobox", { name: "When is it true" });
    await field.pressSequentially("any veh");
    await page.getByRole("option", { name: "vehicles", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("any vehicles");
    await field.pressSequentially(" (speed > 5 kg)");
    await page.getByRole("alert").filter({ hasText: "mass" }).waitFor();
    expect(await page.getByRole("alert").locator("pre").innerText()).toContain("^^^^");
    await picture("find-wrong");
    await field.fill(FAST);
    const wanted = await answersOf("town.log", FAST);
    await page.getByText(`${wanted.length} ${wanted.length === 1 ? "time" : "times"}`, { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => simtape.state.value.shared["when"])).toBe(FAST);
    const completions = page.getByRole("listbox", { name: "Completions", includeHidden: true });
    await field.fill(`${FAST} `);
    await completions.getByRole("option", { name: "and", exact: true }).waitFor();
    await field.fill(FAST);
    await field.press("Enter");
    // what was still looked for does not come over the answer
    await page.waitForTimeout(500);
    await expect.poll(() => completions.isHidden()).toBe(true);
    await field.press("Control+k");
    await page.getByRole("dialog", { name: "Commands" }).waitFor();
    await page.keyboard.press("Escape");
    await field.fill("");
    await page.getByRole("button", { name: "any vehicles (speed > 1 m/s for 200 ms)" }).click();
    await expect.poll(() => field.inputValue()).toBe("any vehicles (speed > 1 m/s for 200 ms)");
  });

  test("what an expression gives is plotted, read at the player's time, and saved", async () => {
    const text = "distance(vehicles[24], vehicles[25])";
    await using recording = await open(new Uint8Array(await readFile(example("town.log"))));
    const [times, values]: [number[], number[]] = [[], []];
    for await (const { time, value } of (await ask(recording, text)).values()) {
      times.push(...time);
      values.push(...value);
    }
    const at = times.findLastIndex((time) => time <= 3e9);
    await go(["town.log"], ["find", "plots"], { when: text, "plots-carla": { charts: [] } });
    await page.getByRole("button", { name: "Plot it" }).click();
    await page.locator(".plot canvas").waitFor();
    await page.evaluate(() => simtape.seek(3e9));
    const shown = page.getByLabel(`= ${text} now`);
    await expect.poll(async () => Number(await shown.textContent())).toBeGreaterThan(0);
    const unit = await page.locator(".plot-unit").first().innerText();
    const factor = { cm: 1, m: 0.01, km: 1e-5 }[unit]!;
    await expect.poll(async () => Number(await shown.textContent())).toBeCloseTo(values[at]! * factor, 1);
    await picture("plot-derived");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const [header, ...rows] = (await readFile(await (await saved).path(), "utf8")).trimEnd().split("\n");
    expect(header).toBe(`time [s],"${text} [cm]"`);
    expect(rows).toHaveLength(times.length);
    expect(rows[at]).toBe(`${times[at]! / 1e9},${values[at]}`);
    await page.getByRole("button", { name: "Add a plot …" }).click();
    await page.getByRole("combobox", { name: "Search numbers" }).fill("speed(vehicles[24]) * 2");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByLabel("= speed(vehicles[24]) * 2 now").waitFor();
  });

  test("a recording and its ghost are compared: the same, or where they differ, and keys go there", async () => {
    await go(["town.log", "town.log"], ["compare"]);
    await page.getByText("The same, byte for byte.").waitFor();
    const wanted = await comparisonOf(other);
    expect(wanted.first).not.toBe(null);
    await go(["town.log", "other.log"], ["compare"]);
    await page.getByText("First difference:").waitFor();
    await picture("compare");
    await page.getByRole("button", { name: wanted.first!.path }).click();
    await page.waitForFunction((time) => simtape.frame?.time === time, wanted.first!.time);
    const rows = await rowsOf("Differences");
    expect(rows.map((row) => row.trim().split(/\s/)[0])).toEqual(
      wanted.paths.filter(({ differs }) => differs).map(({ path }) => path),
    );
    await page.keyboard.press("Home");
    await page.keyboard.press("x");
    await page.waitForFunction((time) => simtape.frame?.time === time, Math.round(wanted.first!.time));
    const rules = page.getByLabel("Rules: what may differ by how much");
    await rules.fill("*: 1000 km; nonsense");
    await rules.press("Enter");
    await page.getByText("a rule is PATH").waitFor();
    await rules.fill(wanted.paths.map(({ path }) => `${path}: 1000 m`).join("; "));
    await rules.press("Enter");
    await page.getByText("The same within the tolerances.").waitFor();
  });

  test("who was faster is what the library says, and a lap is gone to", async () => {
    const wanted = await standingsOf(["players[*]"]);
    expect(wanted.length).toBeGreaterThan(2);
    await go(["race.hcrp"], ["race"]);
    await page.getByRole("img", { name: "Gaps along the course" }).waitFor();
    const rows = async (): Promise<readonly string[]> =>
      (await rowsOf("Laps")).map((row) => row.trim().split(/\s+/).slice(1, 3).join(" "));
    await expect.poll(rows).toEqual(wanted);
    await picture("race");
    await page.getByRole("listbox", { name: "Laps", exact: true }).getByRole("option").nth(1).click();
    await page.waitForFunction(() => simtape.state.value.selection?.kind === "thing");
    await page.getByLabel("Where laps begin").selectOption("laps by a line");
    const line = page.getByLabel("Line at which laps begin");
    await line.fill("nonsense");
    await line.press("Enter");
    await page.getByRole("alert").filter({ hasText: "nonsense" }).waitFor();
  });

  test("without a ghost it says what to compare with", async () => {
    await go(["town.log"], ["compare"]);
    await page.getByRole("button", { name: "Add files as ghosts …" }).waitFor();
  });

  test("numbers of a recording are those of the library, and a number is plotted", async () => {
    await using recording = await open(new Uint8Array(await readFile(example("race.hcrp"))));
    const wanted = await statistics(recording);
    await go(["race.hcrp"], ["stats", "plots"], { "plots-hcrp": { charts: [] } });
    const search = page.getByLabel("Search numbers of the recording");
    await search.fill("players/*/position.y");
    const row = page.getByRole("listbox", { name: "Numbers", exact: true }).getByRole("option");
    await expect.poll(() => row.count()).toBe(1);
    const { least, most, mean } = wanted.paths.find(({ path }) => path === "players/*/position.y")!;
    const said = await row.innerText();
    for (const value of [least, most]) expect(said).toContain(String(Number(value.toPrecision(4))));
    expect(mean).toBeGreaterThan(least);
    await row.click();
    await page.locator(".plot canvas").waitFor();
    await picture("numbers");
    await search.fill("");
    await page.getByLabel("What is counted").selectOption("How far things went");
    const travel = wanted.travels[0]!;
    await page.getByText(`${travel.set}/${travel.id}`).first().waitFor();
  });
});

async function standingsOf(things: readonly string[]): Promise<readonly string[]> {
  await using recording = await open(new Uint8Array(await readFile(example("race.hcrp"))));
  const { laps } = await race([{ recording }], { things });
  return laps.map(({ label, seconds }) => `${label} ${lapTime(seconds)}`);
}

async function answersOf(name: string, text: string): Promise<readonly Answer[]> {
  await using recording = await open(new Uint8Array(await readFile(example(name))));
  const found: Answer[] = [];
  for await (const answers of (await ask(recording, text)).answers()) found.push(...answers);
  return found.sort((a, b) => a.from - b.from);
}

async function comparisonOf(path: string): Promise<Comparison> {
  await using one = await open(new Uint8Array(await readFile(example("town.log"))));
  await using other = await open(new Uint8Array(await readFile(path)));
  return await compare(one, other);
}

/** The place of one vehicle at 3 s is another, by one bit of its x. */
async function moved(bytes: Uint8Array): Promise<Uint8Array> {
  await using recording = await open(bytes.slice());
  const place = (await recording.state(3e9)).sets.get("vehicles")!.columns.get("position")!;
  const wanted = Buffer.from(Float32Array.from([0, 1, 2].map((item) => Number(place.data[item]))).buffer);
  const changed = Buffer.from(bytes);
  const at = changed.indexOf(wanted);
  expect(at).toBeGreaterThan(0);
  changed[at + 2]! ^= 0x40;
  return changed;
}
