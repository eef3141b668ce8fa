import type { Race, RaceLap } from "simtape/race";
import { expect, test } from "vitest";
import { gapText, lapTime, nameOfLap, optionsOf, USUAL, wantedIn } from "../../src/race/racing.ts";
import type { Deck } from "../../src/session.ts";

test("times of laps and gaps are read as a driver reads them", () => {
  expect([null, 0.0004, 59.9996, 62.345, 605].map(lapTime)).toEqual([
    "–",
    "0.000",
    "1:00.000",
    "1:02.345",
    "10:05.000",
  ]);
  expect([null, 0, 0.5124, -1.25].map(gapText)).toEqual(["", "+0.000", "+0.512", "−1.250"]);
});

test("a lap is called by its thing, and by recording and number where there are several", () => {
  const lap = (recording: number, id: number, number: number, label = ""): RaceLap =>
    ({ recording, set: "cars", id, number, label }) as unknown as RaceLap;
  const laps = [lap(0, 1, 1, "Ada"), lap(0, 2, 1), lap(0, 2, 2), lap(1, 1, 1, "Ada")];
  const decks = ["a.log", "b.log"].map((name) => ({ place: { name } }) as unknown as Deck);
  const race = { laps } as unknown as Race;
  const names = (some: readonly Deck[]): string[] => laps.map((one) => nameOfLap(race, one, some));
  expect(names(decks.slice(0, 1)).slice(0, 3)).toEqual(["Ada", "cars/2 · lap 1", "cars/2 · lap 2"]);
  expect([names(decks)[0], names(decks)[3]]).toEqual(["Ada · a.log", "Ada · ghost b.log"]);
});

test("what is asked is what was chosen; a line that is not said yet asks nothing", () => {
  expect(optionsOf(USUAL, "players", 3)).toEqual({ things: ["players[*]"], sectors: 3 });
  expect(optionsOf({ ...USUAL, who: "subject", by: "mark", at: " go " }, "players", 3)).toEqual({
    things: ["players[3]"],
    sectors: 3,
    mark: "go",
  });
  expect(optionsOf({ ...USUAL, by: "line" }, "players", 3)).toBe(null);
  expect(optionsOf({ ...USUAL, who: "subject" }, "players", undefined)).toEqual({ things: undefined, sectors: 3 });
  expect(wantedIn({ race: { who: "x", by: "line", at: 3, sectors: 0 } })).toEqual({ ...USUAL, by: "line" });
});
