import { expect, test } from "vitest";
import { allFormats } from "../../src/cli/input/formats.ts";
import { drive } from "../../src/cli/live/keys.ts";
import { open, play } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { sample, samplesDirectory } from "../samples.ts";

test.skipIf(samplesDirectory === null)("keys play, pause, go, step, and change the speed", async () => {
  await using recording = await open(fromFile(sample("nanover/17-ala-multiple.nanover.zip")), {
    formats: allFormats(),
  });
  await using player = play(recording);
  const { start } = await recording.timeline();
  expect(await player.seek(start)).toBe(true);
  drive(player, { sequence: "\u001b[C", name: "right" });
  while (player.status.time !== start + 5e9) await new Promise((resolve) => setTimeout(resolve, 10));
  drive(player, { sequence: "\u001b[D", name: "left" });
  while (player.status.time !== start) await new Promise((resolve) => setTimeout(resolve, 10));
  drive(player, { sequence: "]" });
  expect(player.status.rate).toBe(2);
  drive(player, { sequence: "r", name: "r" });
  drive(player, { sequence: "[" });
  expect(player.status.rate).toBe(-1);
  drive(player, { sequence: "r", name: "r" });
  drive(player, { sequence: " ", name: "space" });
  expect(["playing", "buffering", "loading"]).toContain(player.status.phase);
  drive(player, { sequence: "." });
  expect(player.status.phase).not.toBe("playing");
});
