import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { build, createLogger } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { filesBundle, open } from "../../src/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { gzipped, makeContinuous, makeNormal } from "../fixtures/flightgear/make.ts";
import { fixtures as makeHcrp } from "../fixtures/hcrp/make.ts";
import { fixtures as makeTapes } from "../fixtures/mira/make.ts";
import { makeTape } from "../fixtures/mira/tape.ts";
import { fixtures as makeNanover } from "../fixtures/nanover/make.ts";
import { type Summary, summarize } from "./page/summary.ts";
import { type PageServer, servePage } from "./page-server.ts";

/** The files of one recording by name, the main one first. */
type Files = Readonly<Record<string, Uint8Array>>;

/** What is loaded only when a recording needs it, by the beginning of its name in the built page. */
const DECODERS = ["zstd", "xz-decompress", "bzip2", "lz4"] as const;

interface Row {
  readonly format: string;
  readonly what: string;
  readonly files: () => Files | Promise<Files>;
  /** What opening it loads; default nothing. */
  readonly loads?: readonly (typeof DECODERS)[number][];
}

const SEGMENTED = ["segmented/meta.hcrp", "segmented/seg-00000000.hcs", "segmented/seg-00000001.hcs"];
const hcrp = picking(makeHcrp);
const mira = picking(makeTapes);
const nanover = picking(makeNanover);

const RECORDINGS: readonly Row[] = [
  { format: "carla", what: "one file", files: () => ({ "town.log": makeTown(RELEASES[5]!) }) },
  { format: "carla", what: "doubles of 0.10", files: () => ({ "town.log": makeTown(RELEASES.at(-1)!) }) },
  { format: "carla", what: "a cut file", files: () => ({ "cut.log": makeTown(RELEASES[8]!).slice(0, -40) }) },
  { format: "nanover", what: "a pair", files: () => nanover("short.traj", "short.state") },
  { format: "nanover", what: "a pair, the state first", files: () => nanover("short.state", "short.traj") },
  { format: "nanover", what: "a pair of version 1", files: () => nanover("headerless.traj", "headerless.state") },
  { format: "nanover", what: "a zip", files: () => nanover("buckyball.nanover.zip") },
  { format: "nanover", what: "an interrupted zip", files: () => nanover("interrupted.nanover.zip") },
  { format: "hcrp", what: "one file", files: () => hcrp("tower-race.hcrp"), loads: ["zstd"] },
  { format: "hcrp", what: "plain", files: () => hcrp("plain.hcrp"), loads: ["zstd"] },
  { format: "hcrp", what: "a folder of segments", files: () => hcrp(...SEGMENTED), loads: ["zstd"] },
  { format: "hcrp", what: "production 4", files: () => hcrp("production-4.hcrp"), loads: ["zstd"] },
  { format: "hcrp", what: "production 5", files: () => hcrp("production-5.hcrp"), loads: ["zstd"] },
  { format: "flightgear", what: "Normal", files: () => ({ "n.fgtape": gzipped(makeNormal({ generation: 3 })) }) },
  { format: "flightgear", what: "Continuous", files: () => ({ "c.fgtape": makeContinuous() }) },
  { format: "flightgear", what: "deflated", files: () => ({ "d.fgtape": makeContinuous({ compression: "1" }) }) },
  { format: "mira", what: "a tape", files: () => mira("patrol.tape") },
  { format: "mira", what: "a torn tape", files: () => mira("patrol-torn.tape") },
  { format: "mira", what: "data in zstd", files: () => packedTape("plain-sized.zst"), loads: ["zstd"] },
  { format: "mira", what: "data in xz", files: () => packedTape("plain.xz"), loads: ["xz-decompress"] },
  { format: "mira", what: "data in bzip2", files: () => packedTape("plain.bz2"), loads: ["bzip2"] },
  { format: "mira", what: "data in lz4", files: () => packedTape("plain.lz4"), loads: ["lz4"] },
];

/** Opened by the address of the main file; the others are found beside it. */
const ADDRESSES: readonly Pick<Row, "what" | "files">[] = [
  { what: "one file", files: () => ({ "far away.log": makeTown(RELEASES[5]!) }) },
  { what: "a pair", files: () => nanover("short.traj", "short.state") },
  { what: "segments", files: () => hcrp(...SEGMENTED) },
];

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const hasChromium = existsSync(EXECUTABLE);
if (!hasChromium) {
  console.warn(`browser tests are skipped: no Chromium at ${EXECUTABLE}; install it, or set CHROMIUM to its path`);
}

describe.skipIf(!hasChromium)("a page in a browser, under a strict content security policy", () => {
  const served = new Map<string, Uint8Array>();
  let folder: string;
  let server: PageServer;
  let browser: Browser;
  let page: Page;
  let warnings: string[];
  let errors: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "simtape-page-"));
    warnings = await buildPage(folder);
    server = await servePage(folder, served);
    browser = await chromium.launch({
      executablePath: EXECUTABLE,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    errors = [];
    server.answers.length = 0;
    served.clear();
    page = await browser.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") errors.push(line.text());
    });
    // A refused eval that is caught shows nowhere else.
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`refused by the content security policy: ${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    await page.goto(server.url);
  });

  afterEach(async () => {
    await page.close();
    expect(errors).toEqual([]);
  });

  test("takes nothing of Node: the bundler warns of nothing", () => {
    // That a module is in the same chunk as its users although some load it late harms no page.
    expect(warnings.filter((text) => !text.includes("INEFFECTIVE_DYNAMIC_IMPORT"))).toEqual([]);
  });

  test.each(RECORDINGS)("shows of dropped $format files what Node finds: $what", async ({ format, files, loads }) => {
    const dropped = await files();
    const loaded = new Set<string>();
    page.on("request", (request) => {
      const file = request.url().slice(request.url().lastIndexOf("/") + 1);
      for (const name of DECODERS) if (file.startsWith(`${name}-`)) loaded.add(name);
    });
    await dropFiles(page, dropped);
    const shown = await shownBy(page);
    expect(shown).toEqual(await foundByNode(dropped));
    expect(shown.format.split(" ")[0]).toBe(format);
    expect(Number.parseInt(shown.decoded, 10)).toBeGreaterThan(0);
    expect([...loaded]).toEqual(loads ?? []);
  });

  test.each(ADDRESSES)("reads from an address by range requests: $what", async ({ files }) => {
    const there = await files();
    for (const [name, bytes] of Object.entries(there)) served.set(name, bytes);
    await page.fill("#address", `recordings/${encodeURIComponent(Object.keys(there)[0]!)}`);
    await page.click("button");
    expect(await shownBy(page)).toEqual(await foundByNode(there));
    expect(new Set(server.answers.map(({ name }) => name))).toEqual(new Set(Object.keys(there)));
    for (const { status, range } of server.answers) {
      expect(status).toBe(206);
      expect(range).toMatch(/^bytes=\d+-\d+$/);
    }
  });

  test("says of a file that is no recording what it is, and opens the next one", async () => {
    await dropFiles(page, { "notes.txt": new TextEncoder().encode("no recording at all") });
    await page.waitForSelector("[data-phase=failed]");
    expect(await page.textContent("#failure")).toMatch(/^unknown-format: .*notes\.txt/);
    const files = { "town.log": makeTown(RELEASES[0]!) };
    await dropFiles(page, files);
    expect(await shownBy(page)).toEqual(await foundByNode(files));
  });
});

/** Builds the page as a user's bundler would, without configuration; returns what the bundler warns of. */
async function buildPage(folder: string): Promise<string[]> {
  const warnings: string[] = [];
  const note = (message: string): void => void warnings.push(message);
  // Under NODE_ENV=test, which vitest sets, Vite does not build for production and keeps some warnings back.
  vi.stubEnv("NODE_ENV", "production");
  try {
    await build({
      root: fileURLToPath(new URL("page", import.meta.url)),
      configFile: false,
      logLevel: "warn",
      customLogger: { ...createLogger("warn"), warn: note, warnOnce: note, error: note },
      build: { outDir: folder, emptyOutDir: true },
    });
  } finally {
    vi.unstubAllEnvs();
  }
  return warnings;
}

/** Lets go of real `File`s over the page's drop zone. */
async function dropFiles(page: Page, files: Files): Promise<void> {
  const encoded = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")] as const);
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const [name, text] of dropped) {
      data.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
    }
    return data;
  }, encoded);
  await page.dispatchEvent("#drop", "drop", { dataTransfer: transfer });
}

/** Waits until the page has read the recording; fails with what it says when it cannot. */
async function shownBy(page: Page): Promise<Summary> {
  await page.waitForSelector("[data-phase=done], [data-phase=failed]");
  expect(await page.textContent("#failure")).toBe("");
  return page.evaluate(() => {
    const text = (id: string): string => document.getElementById(id)?.textContent ?? "";
    const rows = [...document.querySelectorAll<HTMLTableRowElement>("#channels tr")];
    return {
      format: text("format"),
      timeline: text("timeline"),
      decoded: text("decoded"),
      findings: text("findings"),
      channels: rows.map(({ cells }) => [cells[0]?.textContent ?? "", cells[1]?.textContent ?? ""] as const),
      state: text("state"),
    };
  });
}

async function foundByNode(files: Files): Promise<Summary> {
  await using recording = await open(filesBundle(new Map(Object.entries(files))));
  return await summarize(recording);
}

/** Chooses of the fixtures of a format by path; the folder is not part of the name, as in a page. */
function picking(
  make: () => ReadonlyMap<string, Uint8Array> | Promise<ReadonlyMap<string, Uint8Array>>,
): (...paths: string[]) => Promise<Files> {
  return async (...paths) => {
    const made = await make();
    return Object.fromEntries(paths.map((path) => [path.slice(path.lastIndexOf("/") + 1), made.get(path)!]));
  };
}

/** A tape whose data is the plain text of the codec fixtures, packed as the fixture `name` has it. */
function packedTape(name: string): Files {
  const fixture = (file: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(`../fixtures/codec/${file}`, import.meta.url)));
  const data = fixture("plain.bin");
  const messages = [0, 1e9, 2e9].map((time) => ({ channel: "/notes", time, data, isCompressed: true }));
  const content = { start: 0n, zoneOffset: 0n, channels: { "/notes": { type: "Notes" } }, messages };
  return { "notes.tape": makeTape(content, { compress: () => fixture(name) }) };
}
