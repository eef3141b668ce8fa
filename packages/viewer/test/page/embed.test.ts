import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { simtape as command } from "../../../simtape/test/cli/run.ts";
import type { SimtapePlayer } from "../../player.d.ts";
import { smallTargets, violations } from "../support/axe.ts";
import { example, hasChromium, hashOf, startViewer, type Viewer } from "../support/viewer.ts";
import { OPEN, WebServer } from "../support/web-server.ts";

const DOCUMENT = readFileSync(fileURLToPath(new URL("../../../../docs/embed.md", import.meta.url)), "utf8");
const [FRAME_PAGE, ELEMENT_PAGE] = [...DOCUMENT.matchAll(/```html\n(.*?)```/gs)].map(([, page]) => page!) as [
  string,
  string,
];
/** What fails beside a recording that has no road net. */
const USUAL = /404 \(Not Found\)|GPU stall|blocked by CORS policy|net::ERR_FAILED/;

/** What is recorded in one set at a time, as the command prints it. */
async function printed(file: string, at: string, set: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { exit, stdout } = await command(["state", example(file), "--at", at, "--json"]);
  expect(exit).toBe(0);
  const { columns } = (
    JSON.parse(stdout) as { sets: Record<string, { columns: Record<string, { data: readonly unknown[] }> }> }
  ).sets[set]!;
  return Object.fromEntries(Object.entries(columns).map(([name, { data }]) => [name, data]));
}

describe.skipIf(!hasChromium)("a recording in another page", () => {
  let viewer: Viewer;
  /** The page of an author, with the player and recordings beside it. */
  let site: WebServer;
  /** Another server: with CORS, and without. */
  let open: WebServer;
  let closed: WebServer;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    viewer = await startViewer([example("town.log")]);
    const folders = { "/simtape/": viewer.folder, "/recordings/": example("") };
    site = await new WebServer(folders).listen();
    open = await new WebServer(folders, OPEN).listen();
    closed = await new WebServer(folders).listen();
    site.pages.set("/frame", FRAME_PAGE);
    site.pages.set("/element", ELEMENT_PAGE);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(30_000);
  });
  afterEach(() => {
    expect(errors.filter((error) => !USUAL.test(error))).toEqual([]);
  });
  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    for (const server of [site, open, closed]) await server?.[Symbol.asyncDispose]();
  });

  async function go(address: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(address);
  }

  function embedded(query: string, hash = ""): string {
    return `${site.origin}/simtape/?embed${query}${hash}`;
  }

  async function untilShown(where: Page | Frame = page): Promise<void> {
    await where.waitForFunction(() => globalThis.simtape?.frame !== null && simtape.state.value.phase === "open");
  }

  describe("in a frame", () => {
    test("is at the moment of the address, as the first example of the document has it", async () => {
      await go(`${site.origin}/frame`);
      await page.locator("iframe").waitFor();
      const frame = page.frames().find((one) => one.url().includes("embed"))!;
      await untilShown(frame);
      const shown = await frame.evaluate(() => ({
        time: simtape.frame!.time,
        speeds: [...simtape.frame!.recorded.sets.get("vehicles")!.columns.get("position")!.data],
      }));
      expect(shown.time).toBe(2.5e9);
      expect(shown.speeds).toEqual((await printed("town.log", "2.5", "vehicles"))["position"]);
      await frame.getByRole("toolbar", { name: "Playing" }).waitFor();
      expect(await frame.getByRole("toolbar", { name: "Scene" }).count()).toBe(0);
      await frame.getByRole("slider", { name: "Time" }).waitFor();
      await frame.locator('.scene-view canvas[data-time="2500000000"]').waitFor();
    });

    test("takes rate, loop, camera, what is followed and the colours from the address, before what is behind #", async () => {
      const kept = hashOf({ t: 1, rate: -3, shared: { scene: { labels: false } } });
      const query = "&url=/recordings/town.log&at=50%25&rate=2&loop=1,3&camera=top&follow=vehicles/24&theme=dark";
      await go(embedded(query, kept));
      await untilShown();
      await page.waitForFunction(() => simtape.state.value.subject?.isChosen === true);
      const state = await page.evaluate(() => {
        const { status, shared, subject } = simtape.state.value;
        const { rate, loop } = status;
        return { time: simtape.time, end: simtape.bounds.end, rate, loop, scene: shared["scene"], subject };
      });
      expect(state).toMatchObject({
        time: Math.round(state.end / 2),
        rate: 2,
        loop: { start: 1e9, end: 3e9 },
        scene: { labels: false, mode: "top" },
        subject: { set: "vehicles", id: 24, isChosen: true },
      });
      expect(await page.locator(".player").getAttribute("data-scheme")).toBe("dark");
    });

    test("shows the measures that the address has", async () => {
      await go(embedded("&url=/recordings/town.log&at=2.5"));
      await untilShown();
      const ids = await page.evaluate(() => [...simtape.frame!.state.sets.get("vehicles")!.ids]);
      const things = ids.slice(0, 2).map((id) => ({ set: "vehicles", id }));
      const kept = hashOf({ t: 2.5, shared: { scene: { mode: "top", labels: false, measures: [{ things }] } } });
      await go(embedded("&url=/recordings/town.log", kept));
      await untilShown();
      const canvases = page.locator(".scene-view canvas.scene-labels");
      await expect.poll(() => canvases.count()).toBe(2);
      const painted = () =>
        canvases.evaluateAll((all) =>
          all.map((canvas) => {
            const { width, height } = canvas as HTMLCanvasElement;
            const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
            return data.some((value) => value > 0);
          }),
        );
      await expect.poll(painted).toContain(true);
    });

    test("plays at once where it is to, by keys while it has the focus, and leads to the whole page", async () => {
      await go(embedded("&url=/recordings/town.log&autoplay"));
      await untilShown();
      await page.waitForFunction(() => simtape.isPlaying && simtape.frame!.time > 0);
      await page.keyboard.press("k");
      expect(await page.evaluate(() => simtape.isPlaying)).toBe(true);
      await page.locator(".scene-view").click();
      await page.keyboard.press("k");
      await page.waitForFunction(() => !simtape.isPlaying);
      await page.keyboard.press("Home");
      await page.waitForFunction(() => simtape.frame!.time === simtape.bounds.start);
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() => simtape.frame!.time === 1e9);
      const link = page.getByRole("link", { name: "Open in simtape" });
      await link.focus();
      const address = new URL((await link.getAttribute("href"))!);
      expect(address.searchParams.has("embed")).toBe(false);
      expect(new URL(address.searchParams.get("url")!, address).pathname).toBe("/recordings/town.log");
      expect(decodeURIComponent(address.hash)).toContain('"t":1');
    });

    test("seeks where the line is pressed, and says the time of the pointer", async () => {
      await go(embedded("&url=/recordings/town.log"));
      await untilShown();
      const { x, y, width, height } = (await page.locator(".player-track").boundingBox())!;
      await page.mouse.move(x + width / 4, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.up();
      await page.waitForFunction(() => Math.abs(simtape.frame!.time / simtape.bounds.end - 0.5) < 0.01);
      expect(await page.getByRole("slider", { name: "Time" }).getAttribute("aria-valuetext")).toMatch(/^0:03/);
      expect(await page.locator(".player-tip").innerText()).toMatch(/^0:03/);
    });

    test("says why it shows nothing, and what to do", async () => {
      const trouble = page.getByRole("alert");
      await go(embedded(`&url=${closed.origin}/recordings/town.log`));
      await trouble.getByText("(CORS)").waitFor();
      expect(await trouble.innerText()).toContain(`Access-Control-Allow-Origin: ${site.origin}`);
      await trouble.getByRole("button", { name: "Try again" }).waitFor();
      await go(embedded("&url=/recordings/none.log"));
      await trouble.getByText("no such file (404)").waitFor();
      await go(embedded(""));
      await trouble.getByText("No recording is named").waitFor();
      await go(embedded("&url=/simtape/icon.svg"));
      await trouble.getByText("not a recording").waitFor();
    });

    test("is refused by simtape view", async () => {
      site.pages.set("/refused", `<iframe src="${viewer.address("town.log").replace("?", "?embed&")}"></iframe>`);
      const refused = page.waitForEvent("console", (line) => line.text().includes("frame-ancestors"));
      await go(`${site.origin}/refused`);
      await refused;
      const frame = page.frames().find((one) => one !== page.mainFrame())!;
      expect(await frame.evaluate(() => "simtape" in globalThis).catch(() => false)).toBe(false);
      (errors as string[]).splice(0);
    });

    test.each(["light", "dark"] as const)("has nothing in it that axe finds serious, in %s", async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await go(embedded("&url=/recordings/town.log&at=2"));
      await untilShown();
      expect(await page.locator(".player").getAttribute("data-scheme")).toBe(colorScheme);
      expect(await violations(page)).toBe("");
      await go(embedded(`&url=${closed.origin}/recordings/town.log`));
      await page.getByRole("alert").getByText("(CORS)").waitFor();
      expect(await violations(page)).toBe("");
    });

    test("has room for fingers on a phone", async () => {
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true });
      const before = page.viewportSize()!;
      await page.setViewportSize({ width: 360, height: 400 });
      await go(embedded("&url=/recordings/town.log&at=2"));
      await untilShown();
      expect(await smallTargets(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      const link = (await page.getByRole("link", { name: "Open in simtape" }).boundingBox())!;
      expect(link.x + link.width).toBeLessThanOrEqual(360);
      await page.setViewportSize(before);
      await cdp.detach();
    });
  });

  describe("as an element", () => {
    /** Writes down what players tell, from the first on. */
    async function listen(): Promise<void> {
      await page.evaluate(() => {
        const reported: string[] = [];
        Object.assign(globalThis, { reported });
        const names =
          "loadstart loadedmetadata play pause ended timeupdate seeking seeked ratechange emptied error".split(" ");
        for (const name of names)
          document.addEventListener(name, ({ target }) => reported.push(`${(target as Element).id} ${name}`), true);
      });
    }

    const reported = (): Promise<string[]> =>
      page.evaluate(() => {
        const { reported: all } = globalThis as unknown as { readonly reported: string[] };
        return all.splice(0).filter((line) => !line.endsWith("timeupdate"));
      });

    const ready = (id: string): Promise<unknown> =>
      page.waitForFunction((name) => (document.getElementById(name) as SimtapePlayer | null)?.state != null, id);

    test("two of them play in a page, as the second example of the document has them", async () => {
      await go(`${site.origin}/element`);
      await ready("town");
      await ready("molecule");
      const shown = await page.evaluate(() => {
        const town = document.querySelector<SimtapePlayer>("#town")!;
        const molecule = document.querySelector<SimtapePlayer>("#molecule")!;
        return {
          town: Array.from(town.state!.sets.get("vehicles")!.columns.get("position")!.data),
          times: [town.currentTime, molecule.currentTime - (molecule.startTime + molecule.duration) / 2],
          schemes: [town, molecule].map(
            (one) => one.shadowRoot!.querySelector<HTMLElement>(".player")!.dataset["scheme"],
          ),
        };
      });
      expect(shown.times[0]).toBe(2);
      expect(shown.times[1]).toBeCloseTo(0, 6);
      expect(shown.town).toEqual((await printed("town.log", "2", "vehicles"))["position"]);
      expect(shown.schemes[1]).toBe("dark");
      await page.getByRole("button", { name: "The moment of braking" }).click();
      await expect.poll(() => page.locator("#time").innerText()).toBe("4.2 s of 6.8 s");
      expect(page.workers()).toHaveLength(2);
    });

    test("is driven as a film is, and tells what it does", async () => {
      site.pages.set("/driven", `<!doctype html><script type="module" src="/simtape/player.js"></script><body>`);
      await go(`${site.origin}/driven`);
      await listen();
      const found = await page.evaluate(async () => {
        await customElements.whenDefined("simtape-player");
        const player = document.createElement("simtape-player");
        player.id = "p";
        player.src = "/recordings/town.log";
        document.body.append(player);
        const until = (name: string): Promise<unknown> =>
          new Promise((resolve) => player.addEventListener(name, resolve, { once: true }));
        await until("loadedmetadata");
        const before = [player.paused, player.duration, player.startTime, player.playbackRate, player.phase];
        const seeked = until("seeked");
        const isShown = await player.seek(3);
        await seeked;
        const at = player.currentTime;
        player.setAttribute("rate", "8");
        const ended = until("ended");
        await player.play();
        const isPlaying = [player.paused, player.hasAttribute("playing"), player.playbackRate];
        await ended;
        const after = [player.ended, player.paused, player.currentTime, player.hasAttribute("playing")];
        return { before, isShown, at, isPlaying, after };
      });
      expect(found).toEqual({
        before: [true, 6.8, 0, 1, "ready"],
        isShown: true,
        at: 3,
        isPlaying: [false, true, 8],
        after: [true, true, 6.8, false],
      });
      const events = ["loadstart", "loadedmetadata", "seeking", "seeked", "ratechange", "play", "pause", "ended"];
      expect(await reported()).toEqual(events.map((name) => `p ${name}`));
    });

    test("follows its attributes: another recording, another time, playing, a loop", async () => {
      await listen();
      const set = (name: string, value: string | null): Promise<void> =>
        page.evaluate(
          ([attribute, text]) => {
            const player = document.getElementById("p")!;
            if (text === null) player.removeAttribute(attribute!);
            else player.setAttribute(attribute!, text!);
          },
          [name, value],
        );
      const read = (): Promise<readonly unknown[]> =>
        page.evaluate(() => {
          const player = document.querySelector<SimtapePlayer>("#p")!;
          return [player.currentTime, player.paused, player.duration];
        });
      await set("rate", "1");
      await set("at", "1:30");
      await expect.poll(read).toEqual([6.8, true, 6.8]);
      await set("at", "1s500ms");
      await expect.poll(read).toEqual([1.5, true, 6.8]);
      await set("playing", "");
      await page.waitForFunction(() => !document.querySelector<SimtapePlayer>("#p")!.paused);
      await set("playing", null);
      await page.waitForFunction(() => document.querySelector<SimtapePlayer>("#p")!.paused);
      await reported();
      await set("at", "0:02");
      await set("loop", "1,2");
      await set("src", "/recordings/race.hcrp");
      await expect.poll(read).toEqual([2, true, 45]);
      expect(await reported()).toContain("p emptied");
      await set("src", "/recordings/none.log");
      await page.waitForFunction(() => document.querySelector<SimtapePlayer>("#p")!.error !== null);
      expect((await reported()).at(-1)).toBe("p error");
      const refusal = await page.evaluate(() =>
        document
          .querySelector<SimtapePlayer>("#p")!
          .play()
          .catch((error: Error) => error.message),
      );
      expect(refusal).toContain("404");
    });

    test("plays a file that the page has", async () => {
      const time = await page.evaluate(async () => {
        const player = document.querySelector<SimtapePlayer>("#p")!;
        const answer = await fetch("/recordings/flight.fgtape");
        player.srcObject = new File([await answer.blob()], "flight.fgtape");
        await new Promise((resolve) => player.addEventListener("loadedmetadata", resolve, { once: true }));
        await player.seek(20);
        return [player.currentTime, player.error];
      });
      expect(time).toEqual([20, null]);
    });

    test("comes from another server, and reads from a third", async () => {
      site.pages.set(
        "/far",
        `<!doctype html><script type="module" src="${open.origin}/simtape/player.js"></script>
        <simtape-player id="far" src="${open.origin}/recordings/town.log" at="2"></simtape-player>
        <simtape-player id="shut" src="${closed.origin}/recordings/town.log"></simtape-player>`,
      );
      await go(`${site.origin}/far`);
      await ready("far");
      expect(await page.evaluate(() => document.querySelector<SimtapePlayer>("#far")!.currentTime)).toBe(2);
      await page.locator("#shut").getByText(`Access-Control-Allow-Origin: ${site.origin}`).waitFor();
    });

    test("ends its worker and its drawing when it is removed, and goes on when it is only moved", async () => {
      await go(`${site.origin}/element`);
      await ready("town");
      await ready("molecule");
      await page.evaluate(() => {
        const molecule = document.querySelector("#molecule")!;
        document.body.prepend(molecule);
        const town = document.querySelector("#town")!;
        const canvas = town.shadowRoot!.querySelector<HTMLCanvasElement>(".scene-view canvas")!;
        Object.assign(globalThis, { town, canvas });
        town.remove();
      });
      await expect.poll(() => page.workers().length).toBe(1);
      expect(
        await page.evaluate(() => {
          const { canvas } = globalThis as unknown as { readonly canvas: HTMLCanvasElement };
          return canvas.getContext("webgl2")!.isContextLost();
        }),
      ).toBe(true);
      expect(await page.evaluate(() => document.querySelector<SimtapePlayer>("#molecule")!.phase)).toBe("ready");
      await page.evaluate(() => document.body.append((globalThis as unknown as { readonly town: Element }).town));
      await ready("town");
      expect(await page.evaluate(() => document.querySelector<SimtapePlayer>("#town")!.currentTime)).toBe(2);
      expect(page.workers()).toHaveLength(2);
      await page.evaluate(() => {
        for (const player of document.querySelectorAll("simtape-player")) player.remove();
      });
      await expect.poll(() => page.workers().length).toBe(0);
    });

    test("leaves wheel and keys to the page until the user enters it", async () => {
      site.pages.set(
        "/long",
        `<!doctype html><script type="module" src="/simtape/player.js"></script>
        <simtape-player id="long" src="/recordings/town.log" at="2"></simtape-player><div style="height: 4000px">`,
      );
      await go(`${site.origin}/long`);
      await ready("long");
      const { x, y, width, height } = (await page.locator("#long").boundingBox())!;
      await page.mouse.move(x + width / 2, y + height / 3);
      await page.mouse.wheel(0, 100);
      await page.waitForFunction(() => scrollY > 0);
      await page.keyboard.press("End");
      await page.waitForFunction(() => scrollY > 1000);
      expect(await page.evaluate(() => document.querySelector<SimtapePlayer>("#long")!.currentTime)).toBe(2);
    });
  });

  test("weighs less than 250 kB as an element, with all that it needs at once", () => {
    const manifest = JSON.parse(readFileSync(join(viewer.folder, "manifest-player.json"), "utf8")) as Readonly<
      Record<string, { readonly file: string; readonly imports?: readonly string[] }>
    >;
    const files = new Set<string>();
    const add = (key: string): void => {
      const { file, imports = [] } = manifest[key]!;
      if (files.has(file)) return;
      files.add(file);
      for (const other of imports) add(other);
    };
    add("src/player/player.ts");
    const texts = [...files].map((file) => readFileSync(join(viewer.folder, file)));
    expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(250_000);
    expect(texts.some((text) => text.includes("react"))).toBe(false);
  });
});
