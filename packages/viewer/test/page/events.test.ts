import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { open, type RecordingEvent } from "simtape";
import { beforeAll, describe, expect, test } from "vitest";
import { among, EventList, indexAt } from "../../src/events/event-list.ts";
import { folded } from "../../src/events/presence.ts";
import type { EventRow, Events } from "../../src/protocol.ts";
import { clock } from "../../src/time.ts";
import { onePage } from "../support/one-page.ts";
import { example, hasChromium, hashOf, layoutOf, untilOpen, type Viewer } from "../support/viewer.ts";

describe("a list of events", () => {
  const rows = [1, 2, 2, 5, 9].map(
    (time, i): EventRow => ({
      time,
      kind: i % 2 === 0 ? "chat" : "hit",
      text: `${i} happens`,
      who: "Ada",
      thing: null,
    }),
  );

  test("grows as they are found, and answers for what is behind a moment only when that is known", async () => {
    let report: (events: readonly EventRow[]) => void = () => undefined;
    let end: (events: Events) => void = () => undefined;
    const query = (_name: string, _ask: unknown, { onProgress }: { onProgress: (progress: unknown) => void }) => {
      report = (events) => onProgress({ done: 0, total: null, partial: { events, isEnd: false } });
      return new Promise<Events>((resolve) => {
        end = resolve;
      });
    };
    const deck = { opened: { recording: 0, info: {} }, place: { kind: "files", name: "", files: [] } };
    const list = new EventList({ query } as never, deck as never);
    const all = { kinds: [], text: "" };
    const answers: (string | null)[] = [];
    const ask = async (time: number, direction: 1 | -1, kinds: readonly string[] = []): Promise<void> => {
      answers.push((await list.beside(time, direction, { ...all, kinds }))?.text ?? null);
    };
    const asked = [ask(0, 1), ask(2, 1), ask(5, -1), ask(2, 1, ["chat"]), ask(9, 1)];
    report(rows.slice(0, 3));
    await new Promise((resolve) => setTimeout(resolve));
    expect(answers).toEqual(["0 happens"]);
    end({ events: rows.slice(3), isEnd: true });
    await Promise.all(asked);
    expect(answers).toEqual(["0 happens", "3 happens", "2 happens", "4 happens", null]);
    expect(list.known.value).toEqual({ events: rows, phase: "complete" });
  });

  test("has those of the kinds and with the words that are wanted, and the last one at a time", () => {
    const texts = (kinds: readonly string[], text: string): string[] =>
      among(rows, { kinds, text }).map((row) => row.text.slice(0, 1));
    expect(texts([], "")).toEqual(["0", "1", "2", "3", "4"]);
    expect(texts(["hit"], "")).toEqual(["1", "3"]);
    expect(texts([], "ADA 3")).toEqual(["3"]);
    expect([0, 1, 2, 4, 100].map((time) => indexAt(rows, time))).toEqual([-1, 0, 2, 2, 4]);
    expect(indexAt([], 5)).toBe(-1);
  });

  test("says in one line what was there at the start, and leaves out nothing that happened", () => {
    const row = (time: number, kind: string, id: number): EventRow => {
      return { time, kind, text: `${kind} ${id}`, who: "", thing: { set: "vehicles", id } };
    };
    const first = [row(0, "spawn", 1), row(0, "chat", 1), row(0, "spawn", 2), row(0, "join", 3)];
    const later = [row(5, "spawn", 4), row(5, "spawn", 5), row(5, "spawn", 6)];
    expect(folded([...first, ...later], 0).map(({ text }) => text)).toEqual([
      "3 things at the start",
      "chat 1",
      ...later.map(({ text }) => text),
    ]);
    for (const few of [[], later, [...first.slice(0, 3), ...later]]) expect(folded(few, 0)).toBe(few);
  });
});

describe.skipIf(!hasChromium)("the panel of events", () => {
  let viewer: Viewer;
  let page: Page;
  const events: RecordingEvent[] = [];
  onePage([example("race.hcrp"), example("town.log")], (opened) => ({ viewer, page } = opened));

  test("has one line for what was there at the start, which lists all of it when it is pressed", async () => {
    await page.goto(viewer.address("town.log") + hashOf({ shared: { layout: layoutOf(["events"]) } }));
    await untilOpen(page);
    const there: string[] = [];
    await using recording = await open(new Uint8Array(readFileSync(example("town.log"))));
    const { start } = await recording.timeline();
    for await (const found of recording.events({ kinds: ["spawn"] }))
      for (const { time, text } of found) if (time === start) there.push(text);
    expect(there.length).toBeGreaterThan(2);
    const rows = page.getByRole("listbox", { name: "Events" }).getByRole("option");
    await rows.filter({ hasText: `${there.length} things at the start` }).click();
    await expect.poll(() => rows.filter({ hasText: there[0]! }).count()).toBeGreaterThan(0);
    await page.goto("about:blank");
  });

  beforeAll(async () => {
    await using recording = await open(new Uint8Array(readFileSync(example("race.hcrp"))));
    for await (const found of recording.events()) events.push(...found);
  });

  test("lists those of the library by who and what, filters, searches, jumps and follows the player", async () => {
    await page.goto(viewer.address("race.hcrp") + hashOf({ t: 1, shared: { layout: layoutOf(["events"]) } }));
    await untilOpen(page);
    const list = page.getByRole("listbox", { name: "Events" });
    const reported = page.locator(".inspect-bar output");
    const shownIs = (time: number): Promise<unknown> => page.waitForFunction((at) => simtape.frame?.time === at, time);
    await expect.poll(() => reported.textContent()).toBe(events.length.toLocaleString("en"));
    const chosen = list.locator("[aria-selected=true]");
    const before = events.findLast(({ time }) => time <= 1e9)!;
    await expect.poll(() => chosen.textContent()).toContain(`${clock(before.time)} ${before.kind} ${before.text}`);

    // by the keys of the page, from one moment with an event to the next
    const next = events.find(({ time }) => time > 1e9)!;
    await page.getByRole("slider", { name: "Timeline" }).focus();
    await page.keyboard.press("e");
    await shownIs(next.time);
    await page.getByRole("status").filter({ hasText: next.text }).waitFor();
    await page.keyboard.press("Shift+E");
    await shownIs(before.time);

    const rare = events.find(({ kind }) => kind === "checkpoint")!;
    const count = events.filter(({ kind }) => kind === rare.kind).length;
    await page.getByRole("button", { name: new RegExp(`^${rare.kind} `) }).click();
    await expect.poll(() => reported.textContent()).toBe(`${count} of ${events.length.toLocaleString("en")}`);
    await page.getByRole("option").first().click();
    await shownIs(rare.time);
    const { id, set } = rare.who[0]!;
    expect(await page.evaluate(() => simtape.state.value.selection)).toEqual({ kind: "thing", set, id });
    await page.getByRole("button", { name: "Next event (E)" }).click();
    await shownIs(events.find(({ kind, time }) => kind === rare.kind && time > rare.time)!.time);

    await page.getByRole("button", { name: "all kinds" }).click();
    await page.getByRole("searchbox", { name: "Search events" }).fill(`${rare.who[0]!.label} ${rare.kind}`);
    const name = rare.who[0]!.label;
    const found = events.filter(
      ({ kind, text, who }) =>
        `${kind} ${text}`.includes(rare.kind) && (text.includes(name) || who.some(({ label }) => label === name)),
    );
    await expect.poll(() => reported.textContent()).toMatch(new RegExp(`^${found.length} of `));
    await page.waitForFunction(() => location.hash.includes(encodeURIComponent('"events":{"kinds":[]')));
  });
});
