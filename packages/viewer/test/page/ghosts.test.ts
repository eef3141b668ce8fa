import type { Page } from "playwright-core";
import { open, play } from "simtape";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ghostTime, mainTime } from "../../src/placement.ts";
import type { Placement } from "../../src/protocol.ts";
import type { Deck } from "../../src/session.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

const RACE = new Uint8Array(readFileSync(example("race.hcrp")));

test.each<Placement>([
  {},
  { offset: 2.5e9 },
  { offset: -1e9, rate: 0.5 },
  { align: { main: 11.75e9, ghost: 20e9 }, rate: 2 },
])("a ghost laid by %j is drawn at the times at which it is played", async (placement) => {
  await using recording = await open(RACE);
  await using player = play(recording, { ghosts: [{ ...placement, recording }] });
  const deck = { opened: { timeline: await recording.timeline() }, placement } as unknown as Deck;
  const shown: [number, number][] = [];
  player.subscribe(({ time, ghosts: [ghost] }) => {
    shown.push([time, ghost!.time]);
  });
  for (const time of [15e9, 20e9]) {
    expect(await player.seek(time)).toBe(true);
    const [at, own] = shown.at(-1)!;
    expect(at).toBe(time);
    expect(ghostTime(time, deck, deck)).toBeCloseTo(own, 0);
    expect(mainTime(own, deck, deck)).toBeCloseTo(time, 0);
  }
});

describe.skipIf(!hasChromium)("ghosts in the page", () => {
  let viewer: Viewer;
  let page: Page;
  onePage([example("race.hcrp")], (opened) => {
    ({ viewer, page } = opened);
  });

  test("are laid by start, mark, event or the present moment of each, later and at a rate of their own", async () => {
    const path = { set: "players", id: 1, column: "position", item: 1 };
    const shared = { layout: layoutOf(["plots"]), "plots-hcrp": { charts: [[path]] } };
    await page.goto(viewer.address("race.hcrp", "race.hcrp") + hashOf({ t: 10, shared }));
    await untilOpen(page);
    await page.waitForFunction(() => simtape.frame?.ghosts.length === 1);
    await page.getByRole("button", { name: "Ghosts (1)" }).click();
    const dialog = page.getByRole("dialog", { name: "Ghosts" });
    const [ours, theirs] = ["race.hcrp", "ghost race.hcrp"].map((name) => ({
      typed: dialog.getByLabel(`Moment of ${name}`, { exact: true }),
      chosen: dialog.getByLabel(`Choose a moment of ${name}`, { exact: true }),
    }));
    await ours!.chosen.selectOption("what it shows now");
    await expectGhostAt(0);
    await theirs!.typed.fill("5.5");
    await theirs!.typed.press("Enter");
    await expectGhostAt(5.5e9);
    await theirs!.chosen.locator("option", { hasText: "Elif: checkpoint 1" }).waitFor({ state: "attached" });
    await theirs!.chosen.selectOption({ label: "0:11.8 Elif: checkpoint 1" });
    await expectGhostAt(11.75e9);
    await dialog.getByLabel("Later by, seconds").fill("-1.5");
    await dialog.getByLabel("Later by, seconds").press("Enter");
    await expectGhostAt(13.25e9);
    await dialog.getByLabel("Rate").fill("2");
    await dialog.getByLabel("Rate").press("Enter");
    await expectGhostAt(14.75e9);
    await dialog.getByLabel("Rate").fill("fast");
    await dialog.getByLabel("Rate").press("Tab");
    expect(await dialog.getByLabel("Rate").inputValue()).toBe("2");
    await dialog.getByLabel("Aligned at").selectOption("the start of both");
    await expectGhostAt((10e9 + 1.5e9) * 2);
    await dialog.getByRole("button", { name: "Remove race.hcrp" }).click();
    await page.waitForFunction(() => simtape.frame?.ghosts.length === 0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  /** Where it is at ten seconds of what plays. */
  async function expectGhostAt(time: number): Promise<void> {
    await page.waitForFunction((own) => simtape.frame!.time === 10e9 && simtape.frame!.ghosts[0]?.time === own, time);
  }
});
