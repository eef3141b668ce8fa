import { expect, test } from "vitest";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import { check, MemoryFiles, open } from "../../src/index.ts";
import { Ring } from "../../src/record/live/ring.ts";
import { bundleOfFiles } from "../conformance/describe-format.ts";

const STEVE = { uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" };

/** Where a walker is at a tick: nothing that compresses by itself. */
function stance(tick: number): { x: number; y: number; z: number; yaw: number; pitch: number; onGround: boolean } {
  const angle = tick / 40 + Math.sin(tick / 7);
  return {
    x: 20 * Math.cos(angle) + Math.sin(tick * 1.7) / 9,
    y: 64 + Math.abs(Math.sin(tick / 9)),
    z: 20 * Math.sin(angle * 1.1) + Math.cos(tick * 2.3) / 9,
    yaw: tick * 7.3 + 5 * Math.sin(tick * 0.9),
    pitch: 20 * Math.sin(tick / 13),
    onGround: tick % 18 < 3,
  };
}

async function walked(ticks: number, from: Ring | null = null): Promise<{ ring: Ring; entity: number }> {
  const ring = from ?? (await Ring.create({ dataVersion: 4903, epoch: 1_700_000_000_000_000_000n }));
  const entity = ring.world.join(STEVE, stance(0));
  ring.world.equipment(entity, { 5: "minecraft:diamond_boots" });
  ring.world.vitals(entity, 20, 20, 0);
  for (let tick = 0; tick < ticks; tick++) {
    if (tick % 4 !== 3) ring.world.move(entity, stance(tick));
    if (tick % 50 === 0) ring.world.swing(entity);
    ring.endTick();
  }
  return { ring, entity };
}

async function openClip(files: MemoryFiles): ReturnType<typeof open> {
  return open(bundleOfFiles({ "clip.hcrp": files.bytes }), { formats: [hcrp] });
}

test("row 36: a clip of the last five minutes holds 6,000 to 6,200 ticks, begins with a snapshot and says that it is a clip", async () => {
  const { ring, entity } = await walked(20_123);
  expect(ring.ticks).toBeGreaterThanOrEqual(6000);
  expect(ring.ticks).toBeLessThanOrEqual(6200);
  const files = new MemoryFiles("clip.hcrp");
  const clip = await ring.save("cheating?", 0, () => files);
  expect(clip).toMatchObject({ until: 20_123, triggers: [{ tick: 20_123, reason: "cheating?" }] });
  await using recording = await openClip(files);
  expect((await check(recording)).findings).toEqual([]);
  const timeline = await recording.timeline();
  expect(timeline.tick!.count).toBe(20_123 - clip.from);
  expect(timeline.epoch).toBe(1_700_000_000_000_000_000n + BigInt(clip.from) * 50_000_000n);
  expect(recording.info.metadata).toMatchObject({ clip: true });
  // flag CLIP (HCRP spec §3.1), and a snapshot at tick 0
  expect(new DataView(files.bytes.buffer, files.bytes.byteOffset).getUint16(5) & 0x100).toBe(0x100);
  expect((await recording.reader.keyframe(0))!.time).toBe(0);
  for await (const batch of recording.batches({ channels: [recording.channel("snapshot")] })) {
    expect(batch.time[0]).toBe(0);
    break;
  }
  const { hcrp } = recording.info.metadata["metadata"] as { hcrp: Record<string, unknown> };
  expect(hcrp["origin"]).toMatchObject({ from_tick: clip.from });
  expect(hcrp["marks"]).toMatchObject([{ kind: "report", label: "cheating?", tick: 20_123 - clip.from }]);
  for (const tick of [0, 1, 777, 3000, 5999]) {
    const players = (await recording.state(tick * 5e7)).sets.get("players")!;
    expect(players.ids).toEqual([entity]);
    const position = players.columns.get("position")!.data as Float64Array;
    let reported = clip.from + tick;
    if (reported % 4 === 3) reported--;
    const at = stance(reported);
    expect(Math.abs(position[0]! - at.x)).toBeLessThan(1.3e-4);
    expect(Math.abs(position[2]! - at.z)).toBeLessThan(1.3e-4);
    expect((players.columns.get("health")!.data as Float64Array)[0]).toBe(20);
    expect(players.columns.get("label")!.data).toEqual(["Steve"]);
  }
});

test("row 36: a player of 140 B/s takes at most 64 KiB, at every tick", async () => {
  const { ring, entity } = await walked(6400);
  let most = 0;
  for (let tick = 6400; tick < 9000; tick++) {
    ring.world.move(entity, stance(tick));
    ring.endTick();
    most = Math.max(most, ring.bytes);
  }
  expect(most).toBeLessThanOrEqual(64 << 10);
  // as much as the row supposes, at least
  expect(most / (ring.ticks / 20)).toBeGreaterThan(140);
});

test("row 36: a tail is recorded after the trigger, and triggers that overlap are one clip", async () => {
  const { ring, entity } = await walked(7000);
  const files = new MemoryFiles("clip.hcrp");
  let asked = 0;
  const to = (): MemoryFiles => {
    asked++;
    return files;
  };
  const first = ring.save("report by Alex", 1200, to);
  for (let tick = 7000; tick < 7600; tick++) {
    ring.world.move(entity, stance(tick));
    ring.endTick();
  }
  const second = ring.save("report by Kim", 1200, to);
  for (let tick = 7600; tick < 9000; tick++) {
    ring.world.move(entity, stance(tick));
    ring.endTick();
  }
  const clip = await first;
  expect(await second).toBe(clip);
  expect(asked).toBe(1);
  expect(clip.until).toBe(8800);
  expect(clip.until - clip.from).toBeGreaterThanOrEqual(6000 + 1800);
  expect(clip.until - clip.from).toBeLessThanOrEqual(6200 + 1800);
  await using recording = await openClip(files);
  expect((await check(recording)).findings).toEqual([]);
  expect((await recording.timeline()).tick!.count).toBe(clip.until - clip.from);
  const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { marks: { label: string }[] } };
  expect(hcrp.marks.map(({ label }) => label)).toEqual(["report by Alex", "report by Kim"]);
});

test("a subject that does nothing for hours has a clip of five minutes all the same", async () => {
  const { ring, entity } = await walked(10);
  ring.goTo(200_000);
  expect(ring.ticks).toBeLessThanOrEqual(6200);
  expect(ring.bytes).toBeLessThan(16 << 10);
  const files = new MemoryFiles("clip.hcrp");
  const clip = await ring.save("idle", 0, () => files);
  await using recording = await openClip(files);
  expect((await recording.timeline()).tick!.count).toBe(clip.until - clip.from);
  const players = (await recording.state(0)).sets.get("players")!;
  expect(players.ids).toEqual([entity]);
  expect((players.columns.get("food")!.data as Float64Array)[0]).toBe(20);
});

test("a ring that is younger than its length saves what there is; one that holds nothing, an empty clip", async () => {
  const { ring } = await walked(50);
  const files = new MemoryFiles("clip.hcrp");
  expect(await ring.save("early", 0, () => files)).toMatchObject({ from: 0, until: 50 });
  await using recording = await openClip(files);
  expect((await recording.timeline()).tick!.count).toBe(50);
  const empty = await Ring.create();
  const nothing = new MemoryFiles("clip.hcrp");
  empty.goTo(300);
  await empty.save("nothing", 0, () => nothing);
  await using none = await openClip(nothing);
  expect((await check(none)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
});

test("the ring goes on after a clip, and a clip that cannot be written tells so and harms nothing", async () => {
  const { ring, entity } = await walked(6500);
  const broken = ring.save("no room", 0, () => ({
    name: "clip.hcrp",
    open: () => Promise.reject(new RangeError("disk full")),
  }));
  await expect(broken).rejects.toThrow("disk full");
  for (let tick = 6500; tick < 7000; tick++) {
    ring.world.move(entity, stance(tick));
    ring.endTick();
  }
  const files = new MemoryFiles("clip.hcrp");
  const clip = ring.save("again", 400, () => files);
  ring.goTo(7040);
  await ring.finish();
  expect(await clip).toMatchObject({ until: 7040 });
  await using recording = await openClip(files);
  expect((await check(recording)).findings).toEqual([]);
});
