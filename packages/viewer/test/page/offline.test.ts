import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { FORMATS } from "simtape";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildNext } from "../support/build.ts";
import { drop, example, hasChromium, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";
import { WebServer } from "../support/web-server.ts";

declare global {
  /** Of the second build. */
  var version: string | undefined;
}

const TOWN = { "town.log": readFileSync(example("town.log")) };
/** Where the page is on its server. */
const PATH = "/apps/simtape/";
/** What the browser writes of a server that is away. */
const AWAY = /ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to fetch|404 \(Not Found\)/;

describe.skipIf(!hasChromium)("the page as an application", () => {
  let viewer: Viewer;
  let next: string;
  let folders: Record<string, string>;
  let server: WebServer;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    viewer = await startViewer([example("town.log")]);
    next = mkdtempSync(join(tmpdir(), "simtape-next-"));
    await buildNext(next);
    folders = { [PATH]: viewer.folder, "/recordings/": example("") };
    server = await new WebServer(folders).listen();
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(30_000);
  });
  afterEach(() => {
    expect(errors.filter((error) => !AWAY.test(error))).toEqual([]);
  });
  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    rmSync(next, { recursive: true, force: true });
  });

  const address = (query = ""): string => `${server.origin}${PATH}${query}`;

  /** Waits until the files of the page are stored, and it gets them from there. */
  async function untilStored(where = page): Promise<void> {
    await where.evaluate(() => navigator.serviceWorker.ready);
    await where.waitForFunction(() => navigator.serviceWorker.controller !== null);
  }

  /** Paths of all that any cache has, from the page on. */
  function stored(where = page): Promise<string[]> {
    return where.evaluate(async () => {
      const base = new URL(".", document.baseURI).href;
      const found: string[] = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) found.push(url.replace(base, ""));
      return [...new Set(found)].sort();
    });
  }

  const versions = (where = page): Promise<number> => where.evaluate(async () => (await caches.keys()).length);

  test("opens without its server, under any path, and plays a file that is dropped", async () => {
    await page.goto(address());
    await untilStored();
    const { port } = server;
    await server.stop();
    try {
      await page.reload();
      await page.getByRole("button", { name: "Open files …" }).waitFor();
      await drop(page, TOWN);
      await untilOpen(page);
      await page.keyboard.press(" ");
      await page.waitForFunction(() => simtape.frame!.time > 0.2e9);
      await page.keyboard.press(" ");
      // a panel and a dialog that no page has loaded before
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command" }).fill("show state");
      await page.keyboard.press("Enter");
      await page.getByRole("tree", { name: "State" }).waitFor();
      await page.getByRole("button", { name: "Export …" }).click();
      await page.getByRole("dialog", { name: "Export" }).waitFor();
      await page.keyboard.press("Escape");
    } finally {
      await server.listen(port);
    }
  });

  test("stores the files of the page, and nothing that it reads", async () => {
    await page.goto(address("?url=/recordings/town.log"));
    await untilOpen(page);
    await page.goto(address("?token=secret"));
    await page.getByRole("button", { name: "Open files …" }).waitFor();
    const built = readdirSync(viewer.folder, { recursive: true, encoding: "utf8" });
    const isPart = (name: string): boolean =>
      (name.startsWith("assets/") && !name.startsWith("assets/player-")) ||
      /^(icon.*|simtape\.webmanifest)$/.test(name);
    expect(await stored()).toEqual(["", ...built.filter(isPart)].sort());
  });

  test("changes to a new version at the next load, and has parts of one version only", async () => {
    await page.goto(address());
    await untilStored();
    await drop(page, TOWN);
    await untilOpen(page);
    folders[PATH] = next;
    // the old page still gets its own parts, which the server has no more
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Video …" }).click();
    await page.getByRole("dialog", { name: "Video" }).waitFor();
    expect(await page.evaluate(() => globalThis.version)).toBeUndefined();

    await page.reload();
    expect(await page.evaluate(() => globalThis.version)).toBe("next");
    await expect.poll(versions).toBe(2);
    const phase = (): Promise<string | undefined> =>
      page.evaluate(async () => {
        const { installing, waiting, active } = (await navigator.serviceWorker.getRegistration())!;
        return (installing ?? waiting ?? active)?.state;
      });
    await expect.poll(phase).toBe("activated");
    expect(await versions()).toBe(2);
    const { port } = server;
    await server.stop();
    try {
      await page.reload();
      await page.getByRole("button", { name: "Open files …" }).waitFor();
      expect(await page.evaluate(() => globalThis.version)).toBe("next");
      await drop(page, TOWN);
      await untilOpen(page);
    } finally {
      await server.listen(port);
    }

    // when no page can need them, the files of the old version are removed
    await page.goto("about:blank");
    await page.goto(address());
    await untilStored();
    await expect.poll(versions).toBe(1);
    expect(await stored()).toEqual(
      expect.arrayContaining(readdirSync(join(next, "assets")).filter(isOfPage).map(asset)),
    );
  });

  test("stores nothing where it is a frame, draws videos, or comes from simtape view and is not installed", async () => {
    const other = await new WebServer(folders).listen();
    const registered = async (where: string): Promise<number> => {
      await page.goto(where);
      await page.waitForLoadState("networkidle");
      return page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
    };
    expect(await registered(`${other.origin}${PATH}?embed&url=/recordings/town.log`)).toBe(0);
    expect(await registered(`${other.origin}${PATH}?render`)).toBe(0);
    expect(await registered(viewer.address())).toBe(0);
    await page.evaluate(() => dispatchEvent(new Event("appinstalled")));
    await untilStored();
    const inView = await stored();
    expect(inView).toContain("icon.svg");
    expect(inView.filter((path) => /files|json$/.test(path) && !path.startsWith("assets/"))).toEqual([]);
    await other[Symbol.asyncDispose]();
  });

  test("says to the browser what it is: name, icons, and the files of all formats", async () => {
    await page.goto(address());
    const client = await page.context().newCDPSession(page);
    const { errors: faults, data } = await client.send("Page.getAppManifest");
    expect(faults).toEqual([]);
    const { installabilityErrors } = await client.send("Page.getInstallabilityErrors");
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    const manifest = JSON.parse(data!) as {
      readonly display: string;
      readonly icons: readonly { readonly src: string; readonly sizes: string }[];
      readonly file_handlers: readonly { readonly accept: Record<string, readonly string[]> }[];
    };
    expect(manifest.display).toBe("standalone");
    const endings = manifest.file_handlers.flatMap(({ accept }) => Object.values(accept).flat());
    for (const { extensions } of FORMATS) for (const one of extensions) expect(endings).toContain(`.${one}`);
    for (const { src, sizes } of manifest.icons) {
      const width = await page.evaluate(async (file) => {
        const image = new Image();
        image.src = file;
        await image.decode();
        return image.naturalWidth;
      }, src);
      if (sizes !== "any") expect(`${width}x${width}`, src).toBe(sizes);
    }
  });

  test("opens files that the system hands to it as if they were dropped, with the world that is among them", async () => {
    const { page: launched, errors: said } = await viewer.page("about:blank");
    // the system has installed nothing here: its queue is stood in for, the files are real ones of the browser
    await launched.addInitScript(() => {
      const setConsumer = (consumer: unknown): unknown => Object.assign(globalThis, { consumer });
      Object.defineProperty(globalThis, "launchQueue", { value: { setConsumer } });
    });
    await launched.goto(address("?alone"));
    await launched.waitForFunction(() => "consumer" in globalThis);
    const files = {
      "town.log": TOWN["town.log"].toString("base64"),
      "town.xodr": Buffer.from('<OpenDRIVE><header revMajor="1" revMinor="4"/></OpenDRIVE>').toString("base64"),
    };
    await launched.evaluate(async (given) => {
      const folder = await navigator.storage.getDirectory();
      const handles: FileSystemFileHandle[] = [];
      for (const [name, text] of Object.entries(given)) {
        const handle = await folder.getFileHandle(name, { create: true });
        const writable = await handle.createWritable();
        await writable.write(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
        await writable.close();
        handles.push(handle);
      }
      (globalThis as unknown as { consumer: (launch: object) => void }).consumer({ files: handles });
    }, files);
    await untilOpen(launched);
    expect(
      await launched.evaluate(() => [
        simtape.state.value.decks[0]!.place.name,
        simtape.given.value.map(({ name }) => name),
      ]),
    ).toEqual(["town.log", ["town.xodr"]]);
    expect(said).toEqual([]);
    await launched.close();
  });
});

function isOfPage(name: string): boolean {
  return !name.startsWith("player-");
}

function asset(name: string): string {
  return `assets/${name}`;
}
