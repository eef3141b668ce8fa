import { expect, test } from "vitest";
import { check, MemoryFiles, open } from "../../simtape/src/index.ts";
import { demo } from "../src/hcrp.ts";
import { hcrp } from "../../simtape/src/formats/hcrp/format.ts";
import { bundleOfFiles } from "../../simtape/test/conformance/describe-format.ts";

async function made(seconds: number, entities: number, seed: number): Promise<Uint8Array> {
  const to = new MemoryFiles("race.hcrp");
  await demo({ seconds, entities, seed }, to);
  return to.bytes;
}

test("a race is a sound recording of the length asked for, and the same again for the same seed", async () => {
  const bytes = await made(40, 3, 3);
  expect(Buffer.compare(await made(40, 3, 3), bytes)).toBe(0);
  expect(Buffer.compare(await made(40, 3, 4), bytes)).not.toBe(0);
  await using recording = await open(bundleOfFiles({ "race.hcrp": bytes }), { formats: [hcrp] });
  expect((await check(recording)).findings).toEqual([]);
  expect((await recording.timeline()).end).toBe(40e9);
});

test("players climb, fall, come back and finish, platform by platform", async () => {
  await using recording = await open(bundleOfFiles({ "race.hcrp": await made(120, 8, 1) }), { formats: [hcrp] });
  const said: string[] = [];
  for await (const { value } of recording.messages(recording.channel("chat")))
    said.push(String((value as { line: unknown }).line));
  expect(said[0]).toBe("Race 1: go!");
  expect(said.some((line) => line.includes("fell and is back at"))).toBe(true);
  expect(said.filter((line) => line.includes("finishes")).length).toBeGreaterThanOrEqual(8);
  expect(said).toContain("Race 2: go!");
  // they fall by some 25 blocks a second, and no return to a checkpoint or to the start counts as a speed
  const players = (await recording.state(0)).sets.get("players")!;
  const speeds = await recording.series(players.ids.map((id) => `players/${id}/position.speed`));
  const fastest = Math.max(...speeds.map(({ value }) => value.reduce((most, one) => (one > most ? one : most), 0)));
  expect(fastest).toBeGreaterThan(20);
  expect(fastest).toBeLessThan(60);
  let highest = 0;
  let farthest = 0;
  let before: Float64Array | null = null;
  for (let tick = 60; tick < 700; tick++) {
    const set = (await recording.state(tick * 5e7)).sets.get("players")!;
    const position = set.columns.get("position")!.data as Float64Array;
    for (let i = 0; i < set.ids.length; i++) {
      highest = Math.max(highest, position[3 * i + 1]!);
      if (before === null) continue;
      const moved = Math.hypot(position[3 * i]! - before[3 * i]!, position[3 * i + 2]! - before[3 * i + 2]!);
      // a step of the game, unless a runner was put back
      if (moved < 2) farthest = Math.max(farthest, moved);
    }
    before = position;
  }
  expect(highest).toBeGreaterThan(85);
  expect(farthest).toBeLessThan(0.4);
  expect((await recording.state(0)).sets.get("blocks")!.ids).toHaveLength(360);
  expect(recording.info.metadata["metadata"]).toMatchObject({ hcrp: { outcome: "completed" } });
});

test("one player for a moment is a race, too", async () => {
  await using recording = await open(bundleOfFiles({ "race.hcrp": await made(0.05, 1, 1) }), { formats: [hcrp] });
  expect((await check(recording)).findings).toEqual([]);
  expect((await recording.timeline()).tick!.count).toBe(1);
});
