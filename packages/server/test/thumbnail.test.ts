import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { momentsOf } from "../src/catalog/index/moments.ts";
import { type Pictures, picturesOf } from "../src/catalog/index/thumbnail.ts";
import { makeDemos } from "./support/demos.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-thumbnails-"));
beforeAll(() => makeDemos(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Point = readonly [x: number, y: number];

/** The lines of a picture. */
function linesOf({ svg }: Pictures): Point[][] {
  const paths = [...svg.matchAll(/<path d="(M[^"]+)" stroke="#[0-9a-f]{6}"\/>/g)].map(([, d]) => d!);
  return paths.map((d) =>
    [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]): Point => [Number(x), Number(y)]),
  );
}

/** By how much a line turns at most, degrees, where both parts are long enough to be seen. */
function sharpest(line: readonly Point[]): number {
  let most = 0;
  for (let i = 1; i + 1 < line.length; i++) {
    const [a, b, c] = [line[i - 1]!, line[i]!, line[i + 1]!];
    const [one, other] = [
      [b[0] - a[0], b[1] - a[1]],
      [c[0] - b[0], c[1] - b[1]],
    ] as const;
    if (Math.hypot(...one) < 12 || Math.hypot(...other) < 12) continue;
    const turn = Math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1]);
    most = Math.max(most, (Math.abs(turn) * 180) / Math.PI);
  }
  return most;
}

/** A thing on a circle, some times around. */
function circle(times: number, rounds: number): number[] {
  return Array.from({ length: times }, (_, i) => (2 * Math.PI * rounds * i) / times).flatMap((angle) => [
    100 * Math.cos(angle),
    100 * Math.sin(angle),
  ]);
}

test("a path is as smooth as it is: no chord of a circle leaves it by a pixel", () => {
  const [line] = linesOf(picturesOf({ tracks: [circle(2000, 5)], lines: [] }));
  const away = line!.slice(1).map(([x, y], i) => {
    const [px, py] = line![i]!;
    return Math.hypot((x + px) / 2 - 320, (y + py) / 2 - 180);
  });
  // the circle fills the height
  for (const radius of away) expect(Math.abs(radius - 152)).toBeLessThan(1);
  expect(sharpest(line!)).toBeLessThan(30);
});

test("however many things there are, a picture stays small", () => {
  const tracks = Array.from({ length: 400 }, (_, n) =>
    circle(2000, 1 + (n % 40)).map((value) => value * (1 + n / 400)),
  );
  const { svg, moving } = picturesOf({ tracks, lines: [] });
  expect(svg.length).toBeLessThan(120_000);
  expect(moving.length).toBeLessThan(120_000);
});

test("in the moving picture each thing is where it was, and is seen as long as it exists", () => {
  const track = Array.from({ length: 2000 }, (_, i) => [i, 0]).flatMap(([x]) =>
    x! < 1000 ? [Number.NaN, Number.NaN] : [x!, 0],
  );
  const other = Array.from({ length: 2000 }, (_, i) => [i, 100]).flat();
  const { moving } = picturesOf({ tracks: [track, other], lines: [] });
  const dots = [...moving.matchAll(/<circle.*?<\/circle>/g)].map(([dot]) => dot);
  expect(dots).toHaveLength(2);
  const late = dots.find((dot) => dot.includes('"opacity"'))!;
  const seen = /"opacity" values="([^"]+)"/.exec(late)![1]!.split(";").map(Number);
  expect(seen.indexOf(1) / seen.length).toBeCloseTo(0.5, 1);
  expect(seen.slice(seen.indexOf(1)).every((one) => one === 1)).toBe(true);
  const xs = /"cx" values="([^"]+)"/
    .exec(dots.find((dot) => !dot.includes('"opacity"'))!)![1]!
    .split(";")
    .map(Number);
  expect(xs).toEqual(xs.toSorted((a, b) => a - b));
});

test("a point on the edge of the picture is drawn, and none beyond it", () => {
  // the long track, which rests at both ends, sets the scale: a unit is a pixel, and it begins at 28 of 640, 180 of 360
  const long = Array.from({ length: 1384 }, (_, i) => [Math.min(584, Math.max(0, i - 400)), 0]).flat();
  const at = (x: number, y: number): number[] => [x - 28, 180 - y];
  const on = [at(0, 90), at(640, 91), at(92, 0), at(93, 360)];
  const beyond = [at(-1, 94), at(641, 95), at(96, -1), at(97, 361), at(1, -1), at(-1, 1)];
  const { svg } = picturesOf({ tracks: [long, ...on, ...beyond], lines: [] });
  const dots = [...svg.matchAll(/<circle cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(dots.toSorted((a, b) => a[1]! - b[1]!)).toEqual([
    [92, 0],
    [0, 90],
    [640, 91],
    [612, 180],
    [93, 360],
  ]);
});

test.each(["town.log", "race.hcrp", "robot.tape", "flight.fgtape"])(
  "the picture of %s shows its whole path",
  async (name) => {
    await using recording = await open(fromFile(join(folder, name)));
    const { start, end } = await recording.timeline();
    const signal = new AbortController().signal;
    const moments = await momentsOf(recording, start, end, (text) => text, signal);
    expect(moments.tracks.length).toBeGreaterThan(0);
    // as many times as the longest recording needs
    expect(moments.tracks[0]!.length / 2).toBe(2000);
    const pictures = picturesOf(moments);
    expect(linesOf(pictures).length).toBeGreaterThan(0);
    expect(pictures.moving).toContain("<animate");
  },
);
