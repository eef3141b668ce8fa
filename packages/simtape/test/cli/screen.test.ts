import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Braille } from "../../src/cli/screen/braille.ts";
import { cellsOf, cut, lineOf } from "../../src/cli/screen/line.ts";
import { barCells, barLine, columnOf, eventRow, neighbour } from "../../src/cli/screen/timeline.ts";
import type { RecordingEvent } from "../../src/index.ts";
import { MAIN, simtapeProcess } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

function event(time: number, kind = "spawn"): RecordingEvent {
  return { time, kind, text: "", who: [], channel: null, sequence: null, value: null };
}

describe("the parts of a screen", () => {
  test("a line has exactly its cells, whatever text is in it, and nothing that a terminal acts on", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary" }), { maxLength: 4 }),
        fc.integer({ min: 0, max: 100 }),
        (texts, width) => {
          const line = lineOf(
            texts.map((text) => ({ text })),
            width,
          );
          expect(cellsOf(line)).toBe(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });

  test("a text is cut between letters, with an ellipsis", () => {
    expect(cut("collision", 5)).toBe("coll…");
    expect(cut("冒険冒険", 5)).toBe("冒険…");
    expect(cut("👩‍🚀👩‍🚀👩‍🚀", 4)).toBe("👩‍🚀…");
    expect(cut("short", 5)).toBe("short");
  });

  test("dots are where they are put: two beside each other and four below each other in a cell", () => {
    const picture = new Braille(2, 1);
    picture.dot(0, 0);
    picture.dot(3, 3);
    picture.dot(4, 0);
    picture.dot(-1, 0);
    expect(picture.rows()).toEqual(["⠁⢀"]);
    const line = new Braille(3, 1);
    line.line(0, 3, 5, 3);
    expect(line.rows()).toEqual(["⣀⣀⣀"]);
    const far = new Braille(3, 1);
    far.line(Number.NaN, 0, 1e300, 1e300);
    expect(far.rows()).toEqual(["   "]);
  });

  test("the bar shows the time in its cells, and the ends of what repeats", () => {
    const bounds = { start: 1e9, end: 11e9 };
    expect(columnOf(1e9, bounds, 11)).toBe(0);
    expect(columnOf(6e9, bounds, 11)).toBe(5);
    expect(columnOf(99e9, bounds, 11)).toBe(10);
    const texts = barLine(6e9, bounds, { start: 3e9, end: 9e9 }, 40).map(({ text }) => text);
    expect(texts.join("")).toMatch(/^0:05.000 ━+\[━+●─+]─+ 0:10.000$/);
    expect(barCells(bounds, 40)).toBe(texts[1]!.length + texts[2]!.length);
  });

  test("bars of events are as high as they are many, and marks stand out", () => {
    const bounds = { start: 0, end: 4e9 };
    const events = [event(0), event(1e9), event(1e9), event(3e9, "mark")];
    expect(eventRow(events, bounds, 5)).toBe("▄█ ▼ ");
    expect(neighbour(events, 0, true)?.time).toBe(1e9);
    expect(neighbour(events, 1e9, true)?.time).toBe(3e9);
    expect(neighbour(events, 1e9, false)?.time).toBe(0);
    expect(neighbour(events, 0, false)).toBe(null);
    expect(neighbour(events, 3e9, true)).toBe(null);
  });
});

/** Of the newest server: one that was killed takes a moment to be gone, and a session of the next test would go with it. */
let server = 0;

function tmux(...words: string[]): string {
  return execFileSync("tmux", ["-L", `simtape-${process.pid}-${server}`, ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const hasTmux = ((): boolean => {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
})();

/** The command in a terminal of that size. */
function start(columns: number, rows: number, words: readonly string[]): void {
  server++;
  const env = ["-e", "NO_COLOR=1", "-e", "LC_ALL=C.UTF-8"];
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(" ");
  tmux("-u", "new-session", "-d", ...env, "-x", `${columns}`, "-y", `${rows}`, `${command}; echo "exit $?"; sleep 60`);
}

const screen = (): string => tmux("capture-pane", "-p");

/** The screen when it has a picture, events, and has not changed for half a second. */
async function settled(): Promise<string> {
  let before = "";
  for (;;) {
    const now = screen();
    if (now === before && /[▁▂▃▄▅▆▇█]/u.test(now) && /[⠀-⣿]/u.test(now)) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe.skipIf(!hasTmux)("the player of the terminal, in tmux", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "screen-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    [80, 24, "town.log", "3s"],
    [200, 60, "town.log", "3s"],
    [80, 24, "buckyball.nanover.zip", "2s"],
    [80, 24, "flight.fgtape", "30s"],
    [200, 60, "race.hcrp", "20s"],
    [80, 24, "patrol.tape", "10s"],
  ])("%i x %i: %s at %s", async (columns, rows, name, at) => {
    start(columns, rows, ["play", example(name), "--paused", "--at", at]);
    try {
      const picture = await settled();
      await expect(picture).toMatchFileSnapshot(`../fixtures/screens/${name}-${columns}x${rows}.txt`);
    } finally {
      tmux("kill-server");
    }
  });

  test("keys drive it, the size may change, and q gives the terminal back", async () => {
    start(80, 24, ["play", example("town.log"), "--paused"]);
    try {
      await settled();
      tmux("send-keys", "/");
      tmux("send-keys", "-l", "5s");
      await expect.poll(screen).toContain("/5s▏");
      tmux("send-keys", "Enter");
      await expect.poll(screen).toMatch(/0:05.000 ━/);
      tmux("send-keys", "r", "]");
      await expect.poll(screen).toMatch(/paused {2}2x backwards/);
      tmux("send-keys", "E");
      await expect.poll(screen).not.toMatch(/0:05.000 ━/);
      tmux("send-keys", "/");
      tmux("send-keys", "-l", "velocity 24");
      tmux("send-keys", "Enter");
      await expect.poll(screen).toContain("values with “velocity 24”");
      expect(screen()).not.toContain("frame-duration");
      tmux("resize-window", "-x", "60", "-y", "12");
      await expect
        .poll(
          () =>
            screen()
              .split("\n")
              .filter((line) => line !== "").length,
        )
        .toBe(12);
      await expect.poll(screen).toContain("values with");
      tmux("send-keys", "?");
      await expect.poll(screen).toContain("play, pause");
      tmux("send-keys", "Escape");
      await expect.poll(screen).not.toContain("play, pause");
      tmux("send-keys", "Space");
      await expect.poll(screen, { timeout: 30_000 }).toMatch(/playing|ended/);
      tmux("send-keys", "q");
      await expect.poll(screen).toContain("exit 0");
      expect(screen()).not.toContain("town.log");
    } finally {
      tmux("kill-server");
    }
  });
});

test("the page about the terminal shows what the terminal shows", () => {
  const page = readFileSync(new URL("../../../../docs/terminal.md", import.meta.url), "utf8");
  const screen = readFileSync(new URL("../fixtures/screens/town.log-80x24.txt", import.meta.url), "utf8");
  expect(page).toContain(`\`\`\`text\n${screen}\`\`\``);
});

test("without a terminal the command says what it needs", async () => {
  const { exit, stderr, stdout } = await simtapeProcess(["play", example("town.log")]);
  expect([exit, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--into PROGRAM, or --stdout ndjson");
});

test.each(["town.log", "patrol.tape"])(
  "%s: --stdout writes the messages of cat, once each, in either direction",
  async (name) => {
    const all = (await simtapeProcess(["cat", example(name), "--format", "ndjson"])).stdout.split("\n");
    const forwards = await simtapeProcess(["play", example(name), "--stdout", "ndjson", "--rate", "32"]);
    expect(forwards.exit).toBe(0);
    expect(forwards.stdout.split("\n")).toEqual(all);
    const backwards = await simtapeProcess(["play", example(name), "--stdout", "ndjson", "--rate", "-32"]);
    expect(backwards.stdout.split("\n").slice(0, -1)).toEqual(all.slice(0, -1).reverse());
  },
);

test("--stdout begins at a time", async () => {
  const words = ["--stdout", "ndjson", "--rate", "64", "--at", "6s"];
  const { stdout } = await simtapeProcess(["play", example("town.log"), ...words]);
  const { stdout: rest } = await simtapeProcess(["cat", example("town.log"), "--format", "ndjson", "--from", "6s"]);
  const last = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  expect(last(rest).slice(-last(stdout).length)).toEqual(last(stdout));
  expect(last(stdout).length).toBeGreaterThan(10);
});
