import { describe, expect, test } from "vitest";
import { Ghost } from "../../src/ghosts/ghost.ts";
import { GHOSTLY, Race } from "../../src/ghosts/race.ts";
import { gapsText } from "../../src/ghosts/split.ts";
import { GhostTeam } from "../../src/ghosts/team.ts";
import { adapterFor } from "../../src/scene/families.ts";
import { GRID } from "../../src/scene/thing.ts";

/** Runs along x at this speed, blocks a tick, for 400 ticks; `bend`: it comes back from there on. */
function ghostOf(player: string, speed: number, bend = Number.POSITIVE_INFINITY): Ghost {
  const at = (tick: number): number => (tick <= bend ? tick : 2 * bend - tick) * speed * GRID;
  const way = {
    step: 1,
    x: Float64Array.from({ length: 401 }, (_, tick) => at(tick)),
    y: new Float64Array(401).fill(64 * GRID),
    z: new Float64Array(401),
    yaw: new Float64Array(401),
  };
  return new Ghost(`run of ${player}`, player, [], way as never, [100]);
}

describe("the gap to a ghost", () => {
  test.each([
    [0.25, 100],
    [0.2, 100],
    [0.4, 60],
  ])("whose speed is %d blocks a tick, at tick %d", (speed, tick) => {
    // the runner goes 0.2 blocks a tick
    const place = [0.2 * tick, 64, 0.3] as const;
    expect(tick - ghostOf("Alex", speed).passed(place, tick)).toBeCloseTo(tick - (0.2 * tick) / speed, 6);
  });

  test("is that of the pass nearest in time, where a way goes by twice, and none far from it", () => {
    const ghost = ghostOf("Alex", 0.2, 200);
    expect(ghost.passed([30, 64, 0], 140)).toBeCloseTo(150, 6);
    expect(ghost.passed([30, 64, 0], 260)).toBeCloseTo(250, 6);
    expect(ghost.passed([30, 64, 40], 150)).toBeNaN();
  });

  test("is said in seconds, of those that are known", () => {
    const gaps = [
      ["1 Alex", -17],
      ["2 Sam", 24],
      ["3 Kim", Number.NaN],
      ["4 Bo", 0.04],
    ] as const;
    expect(gapsText(gaps)).toBe("-0.85 1 Alex  +1.20 2 Sam  ±0.00 4 Bo");
  });
});

test("a race says gaps each second, not over a split, and not when they are off", async () => {
  const bars: string[] = [];
  const race = new Race(await adapterFor("1.16.5", GHOSTLY), new GhostTeam("runner"), (packets) => {
    for (const [name, params] of packets)
      if (name === "chat") bars.push((JSON.parse((params as { message: string }).message) as { text: string }).text);
    return true;
  });
  // the ghost is where the runner is, and so is not drawn
  race.ghosts = [ghostOf("Alex", 0.2)];
  const runTo = (from: number, to: number): void => {
    for (let tick = from; tick < to; tick++) race.show(tick, [0.2 * tick, 64, 0]);
  };
  runTo(0, 41);
  expect(bars).toEqual(["±0.00 1 Alex", "±0.00 1 Alex"]);
  race.split(1, 41);
  runTo(41, 101);
  expect(bars.slice(2)).toEqual(["Checkpoint 1 0:02.05  -2.95 1 Alex"]);
  runTo(101, 121);
  expect(bars.slice(3)).toEqual(["±0.00 1 Alex"]);
  race.hasGaps = false;
  runTo(121, 200);
  expect(bars).toHaveLength(4);
  // the next run begins
  race.hasGaps = true;
  runTo(0, 21);
  expect(bars).toHaveLength(5);
});
