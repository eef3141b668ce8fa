import { describe, expect, test } from "vitest";
import { nbtToValue } from "../../src/codec/nbt.ts";
import { HcrpReader } from "../../src/formats/hcrp/read/reader.ts";
import { writing } from "../../src/formats/hcrp/writing.ts";
import { convert, MemoryFiles, memoryStore, open, type SourceBundle } from "../../src/index.ts";
import { Findings } from "../../src/model/error.ts";
import { compact, type CompactReport } from "../../src/record/compact/compact.ts";
import { ghost } from "../../src/record/compact/ghost.ts";
import { stateHash } from "../../src/record/compact/state-hash.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { splits, statistics } from "../../src/record/compact/visitors.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import type { RecordingProfile } from "../../src/record/live/profile.ts";
import { record } from "../../src/record/live/recorder.ts";
import type { World } from "../../src/record/live/world.ts";
import { SOUND } from "../specimens.ts";
import { Clock, comeIn, step, turn, WORLD } from "./walk.ts";
import { bundleOfMemory, random } from "./wild.ts";

const TICKS = 1700;
const PLAYERS = 4;

/** A server on which everything happens now and then. */
async function recorded(profile: RecordingProfile): Promise<SourceBundle> {
  const store = memoryStore();
  const clock = new Clock();
  const { now, sleep } = clock;
  const recorder = await record(store, { id: "run", worldId: WORLD, now, sleep, profile });
  recorder.subject(1, "00000000-0000-4000-8000-000000000000", "Walker0");
  const host = recorder.channel("my:score");
  const roll = random(3);
  recorder.world.dimension("minecraft:overworld");
  recorder.world.world(1000, 0);
  comeIn(recorder.world, PLAYERS);
  for (let tick = 0; tick < TICKS; tick++) {
    step(recorder.world, PLAYERS, tick);
    if (tick === 100) recorder.world.mark("start", "go");
    if (tick === 700 || tick === 1400) recorder.world.mark("checkpoint", `gate ${tick}`, 1);
    if (tick === 1600) recorder.world.mark("end", "finish", 1);
    for (let n = roll(3); n > 0; n--) happen(recorder.world, roll, 1 + roll(PLAYERS));
    if (tick % 90 === 3) recorder.write(host, Uint8Array.of(tick & 255, 7));
    clock.time += 50;
    recorder.endTick();
    if (tick % 50 === 49) await turn();
  }
  await recorder.close();
  return recordingBundle(store, "run");
}

const pets: number[] = [];

function happen(world: World, roll: (below: number) => number, entity: number): void {
  const stance = { x: roll(99), y: 70, z: roll(99), yaw: roll(360), pitch: 0, onGround: true };
  switch (roll(20)) {
    case 0:
      pets.push(world.spawn(`minecraft:pet_${roll(3)}`, stance));
      return;
    case 1: {
      const pet = pets.pop();
      if (pet !== undefined) world.remove(pet);
      return;
    }
    case 2:
      if (pets[0] !== undefined) world.move(pets[0], { ...stance, headYaw: roll(360) });
      return;
    case 3:
      world.velocity(entity, [0.1, roll(9) / 10, 0]);
      return;
    case 4:
      world.exact(entity, { ...stance, x: 1 / 3 }, [0, 0.4, 0]);
      return;
    case 5:
      world.state(entity, roll(3), roll(16));
      return;
    case 6:
      world.equipment(entity, { [roll(4)]: roll(3) === 0 ? null : `minecraft:item_${roll(9)}` });
      return;
    case 7:
      world.heldSlot(entity, roll(9));
      return;
    case 8:
      world.itemUse(entity, roll(3) as 0 | 1 | 2);
      return;
    case 9:
      world.metadata(entity, new Map([[roll(5), Uint8Array.of(roll(200))]]));
      return;
    case 10:
      world.effect(entity, `minecraft:effect_${roll(4)}`, 1, roll(3) * 50);
      return;
    case 11:
      world.vitals(entity, roll(121), roll(20), roll(1000));
      return;
    case 12:
      world.view(entity, roll(4));
      return;
    case 13:
      world.block([roll(20), 60 + roll(5), roll(20)], `minecraft:block_${roll(20)}`);
      return;
    case 14:
      world.chat(`line ${roll(50)}`, entity);
      return;
    case 15:
      world.sound(`minecraft:sound_${roll(9)}`, [1, 2, 3]);
      return;
    case 16:
      world.particles(`minecraft:particle_${roll(9)}`, [1, 2, 3], 5);
      return;
    case 17:
      world.swing(entity);
      return;
    case 18:
      if (roll(10) === 0) world.world(roll(24_000), roll(2));
      return;
    default:
      if (pets[0] !== undefined) world.mount(entity, roll(2) === 0 ? [] : [pets[0]]);
  }
}

async function compacted(
  from: SourceBundle,
): Promise<{ readonly report: CompactReport; readonly bundle: SourceBundle; readonly hcrp: Record<string, unknown> }> {
  const files = new MemoryFiles("run.hcrp");
  const report = await compact(from, files, { level: 3, visitors: [statistics(), splits(), ghost()] });
  const bundle = bundleOfMemory(files);
  const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
  const root = nbtToValue(reader.preamble.metadata.root) as Record<string, Record<string, unknown>>;
  return { report, bundle, hcrp: root["hcrp"]! };
}

describe("what a recorder recorded", () => {
  for (const profile of ["ghost", "standard", "review", "cinema"] as const) {
    test(`in profile ${profile} loses its snapshots and nothing else`, async () => {
      pets.length = 0;
      const source = await recorded(profile);
      const before = await verify(source);
      expect(before).toMatchObject({ status: "sound", snapshotsDiffering: 0, findings: [] });
      const { report, bundle, hcrp } = await compacted(source);
      expect(report.frames).toBeLessThan(report.chunks / 3);
      const after = await verify(bundle);
      expect(report.snapshotsDropped).toBe(before.snapshots - after.snapshots);
      expect(after.snapshots).toBe(report.frames);
      expect(after).toMatchObject({ status: "sound", findings: [], eventHash: before.eventHash });
      expect(hcrp["analysis"]).toMatchObject({
        splits: [
          { entity: 1, label: "gate 700", tick: 700, split: 600 },
          { entity: 1, label: "gate 1400", tick: 1400, split: 700 },
          { entity: 1, label: "finish", tick: 1600, split: 200 },
        ],
        ghost: { entity: 1, from_tick: 100, step: 1, rows: 1501 },
      });
    });
  }

  test("from another format keeps its values and sets, exactly", async () => {
    const specimen = SOUND.find(({ format }) => format === "nanover")!;
    await using from = await open(specimen.bundle());
    const files = new MemoryFiles("carried.hcrp");
    await convert(from, writing, files);
    const source = bundleOfMemory(files);
    const { report, bundle } = await compacted(source);
    expect(report.losses).toEqual([]);
    await using old = await open(source);
    await using made = await open(bundle);
    const { end } = await old.timeline();
    for (let n = 0; n <= 10; n++) {
      const time = Math.round((end * n) / 10 / 5e7) * 5e7;
      expect(stateHash(await made.state(time))).toBe(stateHash(await old.state(time)));
    }
  });
});
