import { readFileSync } from "node:fs";
import { open } from "simtape";
import { expect, test } from "vitest";
import { PANELS } from "../../src/panels.ts";
import { PRESETS, presetsFor } from "../../src/shell/layout/presets.ts";
import { example } from "../support/viewer.ts";

test.each([
  ["town.log", "driving"],
  ["buckyball.nanover.zip", "molecules"],
  ["flight.fgtape", "flight"],
  ["patrol.tape", "robot"],
  ["race.hcrp", "game"],
])("of %s the layout for %s is offered first, and none for something else", async (name, preset) => {
  await using recording = await open(new Uint8Array(readFileSync(example(name))));
  const { start, end } = await recording.timeline();
  const general = presetsFor(null);
  expect(general.length).toBeGreaterThan(2);
  expect(presetsFor(await recording.state((start + end) / 2))).toEqual([preset, ...general]);
});

test("layouts name panels that exist", () => {
  const panels = PANELS.map(({ id }) => id);
  for (const { side = [], below = [] } of PRESETS) {
    expect(panels).toEqual(expect.arrayContaining([...side, ...below]));
  }
});
