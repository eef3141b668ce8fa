import { McapStreamReader } from "@mcap/core";
import { expect, test } from "vitest";
import { check, FORMATS, MemoryFiles, type Recording } from "../../simtape/src/index.ts";
import { loadZstd } from "../../simtape/src/kit.ts";
import { demo } from "../src/mcap.ts";
import { openFiles } from "../../simtape/src/testing/observe.ts";

async function made(seconds: number, entities: number, seed: number): Promise<Uint8Array> {
  const to = new MemoryFiles("patrol.mcap");
  await demo({ seconds, entities, seed }, to);
  return to.bytes;
}

const minute = made(60, 1, 1);
const opened = async (bytes: Promise<Uint8Array>): Promise<Recording> =>
  openFiles({ "patrol.mcap": await bytes }, FORMATS);

test("the robot on patrol makes a sound recording with the rates of a robot", async () => {
  await using recording = await opened(minute);
  expect(await check(recording)).toMatchObject({ status: "sound", findings: [] });
  const statistics = await recording.statistics();
  const rates = Object.fromEntries(recording.channels.map(({ id, name }) => [name, statistics[id]!.messages / 60]));
  expect(rates).toMatchObject({ "/tf": 10, "/pose": 10, "/scan": 5, "/fix": 1 });
  expect(recording.channels.map(({ schema }) => schema.name)).toContain("foxglove.LaserScan");
});

test("its laser, camera and what the camera sees are where its transforms put them", async () => {
  await using recording = await opened(minute);
  const { start, end } = await recording.timeline();
  let people = 0;
  for (let i = 0; i <= 60; i++) {
    const { sets } = await recording.state(start + ((end - start) * i) / 60);
    const [frames, poses] = [sets.get("frames")!, sets.get("poses")];
    if (poses === undefined) continue;
    const at = (set: typeof frames, id: string): number[] => {
      const row = set.ids.indexOf(id);
      return [...set.columns.get("position")!.data].slice(3 * row, 3 * row + 3) as number[];
    };
    const [base, laser, pose] = [at(frames, "base"), at(frames, "laser"), at(poses, "/pose")];
    expect(Math.hypot(laser[0]! - base[0]!, laser[1]! - base[1]!)).toBeCloseTo(0.25, 9);
    expect(laser[2]).toBeCloseTo(0.2, 9);
    expect(Math.hypot(pose[0]! - base[0]!, pose[1]! - base[1]!)).toBeLessThan(0.2);
    if (poses.ids.includes("/nearest")) expect(at(poses, "/nearest")[2]).toBeCloseTo(0.9, 9);
    people = Math.max(people, sets.get("scene")?.ids.filter((id) => String(id).includes("person")).length ?? 0);
  }
  expect(people).toBeGreaterThan(0);
});

test("it goes round, and people whom it does not see any more are gone", async () => {
  await using recording = await opened(made(180, 1, 2));
  const counts = new Set<number>();
  const { start, end } = await recording.timeline();
  for (let i = 0; i <= 180; i++) {
    const { sets } = await recording.state(start + ((end - start) * i) / 180);
    counts.add(sets.get("scene")?.ids.filter((id) => String(id).includes("person")).length ?? 0);
  }
  expect(counts.has(0)).toBe(true);
  expect(Math.max(...counts)).toBeGreaterThan(0);
  const lines: string[] = [];
  for await (const some of recording.events()) for (const { text } of some) lines.push(text);
  expect(lines).toContain("patrol: the patrol begins");
  expect(lines.filter((line) => line.includes("corner")).length).toBeGreaterThan(5);
});

test("the same seed gives the same bytes, and several robots have topics of their own", async () => {
  expect(await made(10, 3, 7)).toEqual(await made(10, 3, 7));
  expect(await made(10, 1, 7)).not.toEqual(await made(10, 1, 8));
  await using recording = await opened(made(5, 3, 7));
  expect(recording.channels.map(({ name }) => name)).toContain("/robot3/scan");
});

test("@mcap/core reads every message", async () => {
  const zstd = await loadZstd();
  const reader = new McapStreamReader({
    decompressHandlers: {
      zstd: (bytes, size) => zstd.decompress(bytes, { size: Number(size), allowUnknownSize: true }),
    },
    validateCrcs: true,
  });
  reader.append(await minute);
  let messages = 0;
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Message") messages++;
  }
  await using recording = await opened(minute);
  const statistics = await recording.statistics();
  expect(messages).toBe(statistics.reduce((sum, one) => sum + one.messages, 0));
  expect(messages).toBeGreaterThan(1500);
});
