import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Judged, streamed, valueIn } from "../../../simtape/test/export/mcap/judge.ts";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

describe.skipIf(!hasChromium)("an export in the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-export-page-"));
  let viewer: Viewer;
  let page: Page;
  let dialog: Locator;
  onePage([example("flight.fgtape"), example("town.log"), example("buckyball.nanover.zip")], (opened) => {
    ({ viewer, page } = opened);
    dialog = page.getByRole("dialog", { name: "Export" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => page.goto("about:blank"));

  async function go(name: string, kept: Parameters<typeof hashOf>[0] = {}): Promise<void> {
    await page.goto(
      viewer.address(name) + hashOf({ ...kept, shared: { ...kept.shared, layout: layoutOf(["state"]) } }),
    );
    await untilOpen(page);
    await page.getByRole("button", { name: "Export …" }).click();
    await dialog.getByLabel("To", { exact: true }).waitFor();
  }

  /** What the button gives, by the name of the file. */
  async function exported(): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Export" }).click();
    const file = await download;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  }

  /** What the command writes, as a file of this name. */
  async function written(file: string, recording: string, words: readonly string[]): Promise<Buffer> {
    const path = join(folder, file);
    const { exit, stderr } = await command(["export", example(recording), ...words, "-o", path, "--force"]);
    expect(exit, stderr).toBe(0);
    return readFileSync(path);
  }

  test("of a flight as KML has the bytes that the command writes", async () => {
    await go("flight.fgtape");
    await dialog.getByLabel("To", { exact: true }).selectOption("kml");
    const { name, bytes } = await exported();
    expect(name).toBe("flight.kml");
    expect(bytes.equals(await written(name, "flight.fgtape", []))).toBe(true);
    await dialog.getByRole("status").getByRole("link", { name: "flight.kml" }).waitFor();
  });

  test("of the loop of a drive as CSV has the bytes that the command writes", async () => {
    await go("town.log");
    await page.evaluate(() => simtape.setLoop({ start: 2e9, end: 4e9 }));
    await dialog.getByLabel("To", { exact: true }).selectOption("csv");
    await dialog.getByRole("radio", { name: /^the loop/ }).check();
    await dialog.getByLabel("Every").fill("100ms");
    const { name, bytes } = await exported();
    expect(name).toBe("town.csv");
    const words = ["--from", "2s", "--until", "4000000001ns", "--every", "100ms"];
    expect(bytes.equals(await written(name, "town.log", words))).toBe(true);
    const lines = bytes.toString().trim().split("\n");
    expect(lines.length).toBeGreaterThan(20);
    expect(await dialog.getByRole("status").textContent()).toContain(`${lines.length - 1} rows of vehicles`);
  });

  test("of what the timeline shows, with an origin, has the bytes that the command writes", async () => {
    await go("town.log", { shared: { window: { start: 1e9, end: 3e9, of: "town.log" } } });
    await dialog.getByLabel("To", { exact: true }).selectOption("gpx");
    await dialog.getByLabel("Of", { exact: true }).selectOption({ label: "vehicles" });
    await dialog.getByRole("radio", { name: "what the timeline shows: 0:01.000 to 0:03.000" }).check();
    await dialog.getByLabel("Origin").fill("48.35, 11.79");
    const { name, bytes } = await exported();
    const words = ["--set", "vehicles", "--from", "1s", "--until", "3000000001ns", "--origin", "48.35,11.79"];
    expect(bytes.equals(await written(name, "town.log", words))).toBe(true);
  });

  test("of chosen columns of the selected thing, turned to other axes, has the bytes that the command writes", async () => {
    await go("town.log");
    await page.evaluate(() => simtape.select({ kind: "thing", set: "vehicles", id: 24 }));
    await dialog.getByLabel("To", { exact: true }).selectOption("csv");
    await dialog.getByText("Options: columns, things, axes, units").click();
    const columns = dialog.getByRole("group", { name: "Columns" });
    await columns.getByRole("button", { name: "None" }).click();
    await dialog.getByText("Tick at least one column.").waitFor();
    expect(await dialog.getByRole("button", { name: "Export" }).isDisabled()).toBe(true);
    await columns.getByRole("checkbox", { name: /^position x, y, z \[cm\]/ }).check();
    await columns.getByRole("checkbox", { name: /^velocity/ }).check();
    await dialog.getByRole("button", { name: "Selected" }).click();
    await dialog.getByLabel("Axes").selectOption({ label: "right-handed, z up: ROS, most robots" });
    await dialog.getByLabel("Times in").selectOption("ns");
    await dialog.getByRole("checkbox", { name: "units in headers" }).uncheck();
    const { name, bytes } = await exported();
    const words = ["--columns", "position,velocity", "--id", "24", "--axes", "standard", "--time", "ns", "--no-units"];
    expect(bytes.toString()).toBe((await written(name, "town.log", words)).toString());
    expect(bytes.toString().split("\n").length).toBeGreaterThan(20);
    expect(await violations(page)).toEqual([]);
  });

  test("shows the columns that the rows have, of each set and channel that is chosen", async () => {
    await go("town.log");
    await dialog.getByLabel("To", { exact: true }).selectOption("ndjson");
    await dialog.getByText("Options: columns, things, axes, units").click();
    for (const [label, words] of [
      ["vehicles", ["--set", "vehicles"]],
      ["messages of event-add", ["--channel", "event-add"]],
    ] as const) {
      await dialog.getByLabel("Of", { exact: true }).selectOption({ label });
      await dialog.getByRole("group", { name: "Columns" }).waitFor();
      const shown = await dialog.getByRole("group", { name: "Columns" }).getByRole("checkbox").count();
      const header = (await written("columns.csv", "town.log", ["--no-units", ...words])).toString().split("\n", 1)[0]!;
      const inEachRow = label === "vehicles" ? ["t", "utc", "id"] : ["t", "utc", "sequence", "record"];
      const groups = new Set(header.split(",").map((each) => each.split(".")[0]!));
      for (const each of inEachRow) groups.delete(each);
      expect([label, shown]).toEqual([label, groups.size]);
    }
  });

  test("to MCAP carries the files of the recording inside, unless it is not to", async () => {
    const original = readFileSync(example("town.log"));
    await go("town.log");
    await dialog.getByLabel("To", { exact: true }).selectOption("mcap");
    await dialog.getByText("Options: original").click();
    const box = dialog.getByRole("checkbox", { name: /^the files of the recording inside/ });
    expect(await box.isChecked()).toBe(true);
    const whole = await streamed((await exported()).bytes);
    expect(whole.attachments.map(({ name }) => name)).toContain("original/town.log");
    expect(Buffer.from(whole.attachments.find(({ name }) => name === "original/town.log")!.data).equals(original)).toBe(
      true,
    );
    await box.uncheck();
    const other = await streamed((await exported()).bytes);
    expect(other.attachments).toEqual([]);
    expect(other.messages.length).toBe(whole.messages.length);
  });

  test("of several files gives all of them, each by a link", async () => {
    await go("buckyball.nanover.zip");
    await dialog.getByLabel("To", { exact: true }).selectOption("dcd");
    await dialog.getByRole("button", { name: "Export" }).click();
    const links = dialog.getByRole("status").getByRole("link");
    await links.nth(1).waitFor();
    const main = await written("buckyball.dcd", "buckyball.nanover.zip", []);
    const beside = readFileSync(join(folder, "buckyball.pdb"));
    for (const [file, bytes] of [
      ["buckyball.dcd", main],
      ["buckyball.pdb", beside],
    ] as const) {
      const download = page.waitForEvent("download");
      await links.filter({ hasText: file }).click();
      expect(readFileSync(await (await download).path()).equals(bytes), file).toBe(true);
    }
  });

  test.each(["npz", "parquet", "arrow"])("as %s has the bytes that the command writes", async (to) => {
    const { bytes, other } = await both(to);
    expect(bytes.equals(other)).toBe(true);
  });

  test("as glTF has the scene that the command writes", async () => {
    const { bytes, other } = await both("gltf");
    const [ours, theirs] = [glb(bytes), glb(other)];
    expect(ours.binary.equals(theirs.binary)).toBe(true);
    expect(ours.json).toEqual(theirs.json);
  });

  test("as MCAP has the messages that the command writes, compressed by another zstd", async () => {
    const { bytes, other } = await both("mcap");
    const [ours, theirs] = [await streamed(bytes), await streamed(other)];
    expect(ours.messages.length).toBeGreaterThan(100);
    expect(ours.messages.map(plain)).toEqual(theirs.messages.map(plain));
    expect(ours.schemas).toEqual(theirs.schemas);
  });

  /** Of a drive, by the page and by the command. */
  async function both(to: string): Promise<{ readonly bytes: Buffer; readonly other: Buffer }> {
    await go("town.log");
    await dialog.getByLabel("To", { exact: true }).selectOption(to);
    const { name, bytes } = await exported();
    return { bytes, other: await written(name, "town.log", ["--to", to]) };
  }

  test("lists only targets that fit, and says in words why one cannot be written", async () => {
    await go("buckyball.nanover.zip");
    const ids = await dialog
      .getByLabel("To", { exact: true })
      .locator("option")
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    const listed = await command(["export", example("buckyball.nanover.zip"), "--list", "--json"]);
    const { targets } = JSON.parse(listed.stdout) as { targets: { id: string; fits: string[] }[] };
    expect(ids).toEqual(targets.flatMap(({ id, fits }) => (fits.length > 0 ? [id] : [])));
    await dialog.getByLabel("To", { exact: true }).selectOption("kml");
    await dialog.getByRole("button", { name: "Export" }).click();
    expect(await dialog.getByRole("alert").textContent()).toMatch(/where on the earth/);
    await dialog.getByLabel("Every").fill("soon");
    expect(await dialog.getByRole("button", { name: "Export" }).isDisabled()).toBe(true);
    await dialog.getByText("This is no length of time").waitFor();
  });

  test("is cancelled, and leaves nothing", async () => {
    await go("town.log");
    await dialog.getByLabel("To", { exact: true }).selectOption("ndjson");
    await dialog.getByLabel("Every").fill("100us");
    await dialog.getByRole("button", { name: "Export" }).click();
    await dialog.getByRole("progressbar", { name: "Exported" }).waitFor();
    await page.waitForFunction(() => document.querySelector("progress")?.hasAttribute("value"));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Export" }).waitFor();
    expect(await dialog.getByRole("link").count()).toBe(0);
    // the worker is free for the next one
    await dialog.getByLabel("Every").fill("1s");
    expect((await exported()).name).toBe("town.ndjson");
  });

  test("is done by keys alone, from the palette", async () => {
    await page.goto(viewer.address("flight.fgtape") + hashOf({ shared: { layout: layoutOf(["state"]) } }));
    await untilOpen(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).fill("export");
    await page.keyboard.press("Enter");
    const to = dialog.getByLabel("To", { exact: true });
    await to.waitFor();
    await to.focus();
    await page.keyboard.press("g");
    const download = page.waitForEvent("download");
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press("Tab");
      if (await dialog.getByRole("button", { name: "Export" }).evaluate((one) => one === document.activeElement)) break;
    }
    await page.keyboard.press("Enter");
    expect((await download).suggestedFilename()).toMatch(/^flight\.(gpx|glb)$/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test.each(["light", "dark"] as const)("in %s colours, axe finds nothing serious", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await go("flight.fgtape");
    await dialog.getByLabel("To", { exact: true }).selectOption("kml");
    await dialog.getByLabel("Origin").fill("north");
    await page.evaluate(() => simtape.setLoop({ start: 1e9, end: 2e9 }));
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("Origin").fill("");
    await exported();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("To", { exact: true }).selectOption("csv");
    await dialog.getByText("Options: columns, things, axes, units").click();
    await dialog.getByRole("group", { name: "Columns" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const { EXPORT_PICTURE } = process.env;
    if (EXPORT_PICTURE !== undefined) await page.screenshot({ path: `${EXPORT_PICTURE}-${colorScheme}.png` });
  });
});

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run("dialog"));
  return found.violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

/** The parts of a GLB: its JSON, with numbers of twelve digits, and its buffer. */
function glb(bytes: Buffer): { readonly json: unknown; readonly binary: Buffer } {
  const length = bytes.readUInt32LE(12);
  return { json: rounded(bytes.toString("utf8", 20, 20 + length)), binary: bytes.subarray(20 + length) };
}

/** JSON whose numbers have twelve digits: the engines of browsers and of Node round powers and angles differently. */
function rounded(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(12)) : value));
}

/** A message with its value. */
function plain(judged: Judged): unknown {
  const { data: _, ...message } = judged;
  return { ...message, value: rounded(JSON.stringify(valueIn(judged))) };
}
