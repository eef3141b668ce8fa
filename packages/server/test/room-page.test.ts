import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, untilOpen } from "../../viewer/test/support/viewer.ts";
import { type Browsing, browse } from "./support/browser.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

/** How far apart two pages may show the recording while it plays, milliseconds of it. */
const APART = 125;
/** Pictures of each page that are looked at, and the rate meanwhile: slow, so that it is not over before. */
const PICTURES = 7;
const RATE = 0.2;

interface Shown {
  readonly simtape: {
    readonly time: number;
    readonly frame: {
      readonly state: { readonly sets: ReadonlyMap<string, { readonly ids: readonly (number | string)[] }> };
    };
    readonly sights: ReadonlyMap<string, (set: string, id: number | string) => { x: number; y: number } | null>;
    pointing(): { readonly at: readonly number[] | null } | null;
    setRate(rate: number): void;
    select(selection: { kind: "thing"; set: string; id: number | string }): void;
  };
}

/**
 * In the page: milliseconds of the recording less those of the clock on the wall, at the moments at which a new picture
 * shows. Their median does not depend on how many pictures a machine draws.
 */
async function offsetShown({ pictures, rate }: { pictures: number; rate: number }): Promise<number> {
  const shown = globalThis as unknown as Shown;
  const found: number[] = [];
  let before = shown.simtape.time;
  while (found.length < pictures) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const { time } = shown.simtape;
    if (time !== before) found.push(time / 1e6 - rate * Date.now());
    before = time;
  }
  return found.sort((x, y) => x - y)[pictures >> 1]!;
}

describe.skipIf(!hasChromium)("a room in two browsers", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-room-"));
  const browsers: Browsing[] = [];
  let node: TestNode;
  let address: string;
  let recording: string;

  beforeAll(async () => {
    await makeDemos(join(folder, "library"));
    node = await startNode([join(folder, "library")]);
    const { recordings } = await until(
      () => json<{ recordings: { id: string; format: string; state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    recording = recordings.find(({ format }) => format === "hcrp")!.id;
    const room = await json<{ id: string }>(node.address, "/api/rooms", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Review", recordings: [recording] }),
    });
    address = `${node.address}/room/${room.id}`;
  });

  afterAll(async () => {
    for (const browser of browsers) await browser.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function entered(): Promise<Page> {
    const browser = await browse();
    browsers.push(browser);
    const page = await browser.page();
    await page.goto(address);
    await untilOpen(page);
    return page;
  }

  const timeIn = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as Shown).simtape.time);
  const timesIn = (pages: readonly Page[]): Promise<number[]> => Promise.all(pages.map(timeIn));
  test("shows the same moment to all, also to who comes late", async () => {
    // when it is tried again, those who are left of the first time go
    for (const browser of browsers.splice(0)) await browser.close();
    const leader = await entered();
    const follower = await entered();
    const both = [leader, follower];
    await expect.poll(() => leader.getByText("leads").count(), { timeout: 20_000 }).toBeGreaterThan(0);

    await leader.evaluate((rate) => (globalThis as unknown as Shown).simtape.setRate(rate), RATE);
    await leader.keyboard.press("Space");
    await expect.poll(() => timeIn(follower), { timeout: 20_000 }).toBeGreaterThan(1e8);
    const [a, b] = await Promise.all(
      both.map((page) => page.evaluate(offsetShown, { pictures: PICTURES, rate: RATE })),
    );
    expect(Math.abs(a! - b!)).toBeLessThan(APART);

    await leader.keyboard.press("Space");
    await expect.poll(async () => new Set(await timesIn(both)).size, { timeout: 20_000 }).toBe(1);

    await leader.keyboard.press("End");
    await expect.poll(() => timeIn(follower), { timeout: 20_000 }).toBeGreaterThan(3.5e9);
    await leader.keyboard.press("Home");
    await expect.poll(() => timesIn(both), { timeout: 20_000 }).toEqual([0, 0]);

    const late = await entered();
    await expect.poll(() => timesIn([...both, late]), { timeout: 20_000 }).toEqual([0, 0, 0]);
    for (const { errors } of browsers) expect(errors).toEqual([]);
  });

  test("shows guests by the names that they give", async () => {
    const [leader, follower] = browsers.map(({ context }) => context.pages()[0]!) as [Page, Page];
    await follower.getByTitle("Change your name").click();
    await follower.getByLabel("Your name").fill("Ada Spacey");
    await follower.getByRole("button", { name: "Keep" }).click();
    await follower.getByText("Ada Spacey (you)").waitFor();
    const members = leader.getByRole("list", { name: "Who is here" });
    await members.getByText("Ada Spacey").waitFor();
    await expect.poll(() => members.getByRole("listitem").count()).toBe(browsers.length);
  });

  test("lets a follower look freely and come back", async () => {
    const [leader, follower] = browsers.map(({ context }) => context.pages()[0]!) as [Page, Page];
    await follower.getByRole("button", { name: "Look freely" }).click();
    await follower.keyboard.press("End");
    await expect.poll(() => timeIn(follower), { timeout: 20_000 }).toBeGreaterThan(3.5e9);
    expect(await timeIn(leader)).toBe(0);
    await follower.getByRole("button", { name: "Return to the room" }).click();
    await expect.poll(() => timeIn(follower), { timeout: 20_000 }).toBe(0);
  });

  test("shows notes of one to all, and keeps them with the recording", async () => {
    const [leader, follower] = browsers.map(({ context }) => context.pages()[0]!) as [Page, Page];
    const flagIn = (page: Page) => page.getByRole("button", { name: /^Note at .*: The tail swings$/ });
    await leader.keyboard.press("n");
    await leader.getByLabel("A note at this moment").fill("The tail swings");
    await leader.keyboard.press("Enter");
    for (const page of [leader, follower]) await flagIn(page).waitFor();
    await follower.getByRole("button", { name: "Notes (1)" }).click();
    const listed = follower.getByRole("complementary", { name: "Notes" });
    await listed.getByText("The tail swings").waitFor();
    await follower.reload();
    await untilOpen(follower);
    await flagIn(follower).waitFor();
    const { notes } = await json<{ notes: { text: string }[] }>(node.address, `/api/recordings/${recording}/notes`);
    expect(notes.map(({ text }) => text)).toEqual(["The tail swings"]);
  });

  test("shows where others point and what they have selected, until they go", async () => {
    const [leader, follower, late] = browsers.map(({ context }) => context.pages()[0]!) as [Page, Page, Page];
    // the camera of each where it is at first
    for (const page of [leader, follower]) {
      await page.reload();
      await untilOpen(page);
      await page.waitForFunction(() => (globalThis as unknown as Shown).simtape.sights.has("scene"));
    }
    const thing = await follower.evaluate(firstThing);
    const picture = (await follower.locator(".scene-view canvas[role=img]").boundingBox())!;
    await follower.mouse.move(picture.x + thing.x * picture.width, picture.y + thing.y * picture.height);
    const point = leader.locator(".scene-watcher-point", { hasText: "Ada Spacey" });
    const name = point.getByText("Ada Spacey");
    await name.waitFor();
    const pointed = await follower.evaluate(() => (globalThis as unknown as Shown).simtape.pointing()!.at!);
    const heard = (await point.getAttribute("data-at"))!.split(" ").map(Number);
    for (let k = 0; k < 3; k++) expect(heard[k]).toBeCloseTo(pointed[k]!, 6);
    await follower.evaluate(
      ({ set, id }) => (globalThis as unknown as Shown).simtape.select({ kind: "thing", set, id }),
      thing,
    );
    const ring = leader.locator(`.scene-watcher-ring[data-thing="${thing.set}/${thing.id}"]`);
    await ring.getByText("Ada Spacey").waitFor();
    const color = await ring.evaluate((element) => element.style.getPropertyValue("--watcher"));
    const member = leader.getByRole("listitem").filter({ hasText: "Ada Spacey" }).locator(".room-color");
    await member.evaluate((element, expected) => {
      const probe = document.createElement("i");
      probe.style.background = expected;
      if (probe.style.background !== (element as HTMLElement).style.background) throw new Error("another colour");
    }, color);

    // what leaves the picture has an arrow at its edge
    const view = (await leader.locator(".scene-view canvas[role=img]").boundingBox())!;
    const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    await leader.mouse.move(middle.x, middle.y);
    await leader.mouse.down({ button: "right" });
    await leader.mouse.move(view.x + 4 * view.width, middle.y, { steps: 4 });
    await leader.mouse.up({ button: "right" });
    await expect.poll(() => leader.evaluate(sideOf, thing)).toBeGreaterThan(1);
    await expect.poll(() => ring.getAttribute("class")).toContain("is-away");
    const arrow = (await ring.getByText("Ada Spacey").boundingBox())!;
    expect(arrow.x).toBeGreaterThan(middle.x);
    expect(arrow.x + arrow.width).toBeLessThanOrEqual(view.x + view.width);

    await follower.mouse.move(2, 2);
    await expect.poll(() => name.isVisible()).toBe(false);
    await follower.close();
    await expect.poll(() => leader.locator(".scene-watcher-ring:not([hidden])").count()).toBe(0);
    await late.close();
  });

  test("says so when a leader's moves do not reach the room, and goes back to where it is", async () => {
    const [other] = browsers.map(({ context }) => context.pages()[0]!) as [Page];
    const browser = await browse();
    browsers.push(browser);
    const leader = await browser.page();
    let isCut = false;
    const cuts: (() => Promise<void>)[] = [];
    await leader.routeWebSocket(/\/socket$/u, (socket) => {
      if (isCut) void socket.close();
      else {
        socket.connectToServer();
        cuts.push(() => socket.close());
      }
    });
    await leader.goto(address);
    await untilOpen(leader);
    await other.getByRole("button", { name: "Lead", exact: true }).click();
    await other.getByRole("menuitem", { name: "Release the lead" }).click();
    await leader.getByRole("button", { name: "Take the lead" }).click();
    await leader.getByRole("button", { name: "Lead", exact: true }).waitFor();
    await leader.keyboard.press("Home");
    await expect.poll(() => timesIn([leader, other]), { timeout: 20_000 }).toEqual([0, 0]);

    isCut = true;
    for (const cut of cuts) await cut();
    await expect
      .poll(async () => {
        await leader.keyboard.press("End");
        return await leader.getByText("The room cannot be reached now: try again in a moment").count();
      })
      .toBe(1);
    await expect.poll(() => timesIn([leader, other]), { timeout: 20_000 }).toEqual([0, 0]);

    isCut = false;
    await leader.getByText("Connecting …").waitFor({ state: "detached" });
    // who is away for too long has lost the lead
    const take = leader.getByRole("button", { name: "Take the lead" });
    if ((await take.count()) > 0) await take.click();
    await leader.getByRole("button", { name: "Lead", exact: true }).waitFor();
    await leader.keyboard.press("End");
    await expect.poll(() => timeIn(other), { timeout: 20_000 }).toBeGreaterThan(3.5e9);
  });
});

/** Runs in a page: where a thing is from the left of the picture, from 0 to 1 in it. */
function sideOf({ set, id }: { set: string; id: number | string }): number {
  return (globalThis as unknown as Shown).simtape.sights.get("scene")!(set, id)?.x ?? Number.NaN;
}

/** Runs in a page: a thing that is seen, and where in the picture it is. */
function firstThing(): { set: string; id: number | string; x: number; y: number } {
  const { frame, sights } = (globalThis as unknown as Shown).simtape;
  for (const [set, { ids }] of frame.state.sets) {
    for (const id of ids) {
      const sight = sights.get("scene")!(set, id);
      if (sight !== null && sight.x > 0.3 && sight.x < 0.7 && sight.y > 0.3 && sight.y < 0.7)
        return { set, id, ...sight };
    }
  }
  throw new Error("nothing is seen");
}
