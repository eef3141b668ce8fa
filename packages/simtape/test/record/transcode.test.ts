import { describe, expect, test } from "vitest";
import { NameFix } from "../../src/formats/hcrp/chunk/names.ts";
import { createHcrp, hcrp, type NameFixer } from "../../src/formats/hcrp/format.ts";
import { PALETTE } from "../../src/formats/hcrp/layout/chunk.ts";
import { HcrpReader } from "../../src/formats/hcrp/read/reader.ts";
import { MemoryFiles, memoryStore, open, type SourceBundle } from "../../src/index.ts";
import { NBT, nbtCompound, nbtText, writeNbt } from "../../src/kit.ts";
import { Findings } from "../../src/model/error.ts";
import { compact, type CompactReport } from "../../src/record/compact/compact.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { record } from "../../src/record/live/recorder.ts";
import { Clock, comeIn, expectAt, stanceAt, WORLD, walk } from "./walk.ts";
import { bundleOfMemory } from "./wild.ts";

/** What was called so before data version 4100. */
const fixer: NameFixer = (kind, name, from) =>
  from < 4100 && ["block", "item"].includes(kind) && name.startsWith("minecraft:grass")
    ? name.replace("minecraft:grass", "minecraft:short_grass")
    : name === "minecraft:gone"
      ? null
      : name;

/** 600 ticks at data version 4000, and, after a restart, 600 at 4100: a block and an item have another name by then. */
async function recorded(): Promise<SourceBundle> {
  const store = memoryStore();
  const clock = new Clock();
  for (const half of [0, 1]) {
    const versions = { dataVersion: half === 0 ? 4000 : 4100, server: half === 0 ? "one" : "two" };
    const recorder = await record(store, { id: "run", now: clock.now, resume: half === 1, ...versions });
    const { world } = recorder;
    const name = half === 0 ? "minecraft:grass" : "minecraft:short_grass";
    // everything is said again
    const entity = world.join({ uuid: WORLD, name: `Walker${half}` }, stanceAt(half, recorder.tick));
    if (half === 1) for (const at of [0, 300]) world.block([at, 64, 0], `${name}[lit=true]`);
    for (let tick = recorder.tick; tick < 600 * (half + 1); tick++) {
      world.move(entity, stanceAt(half, tick));
      if (tick % 300 === 0) {
        world.block([tick, 64, 0], `${name}[lit=true]`);
        world.equipment(entity, { [tick / 300]: name });
      }
      if (tick === 10) world.block([1, 1, 1], "minecraft:gone");
      clock.time += 50;
      recorder.endTick();
    }
    if (half === 1) await recorder.close();
    else {
      await recorder.flush();
      await recorder.abort();
    }
  }
  return recordingBundle(store, "run");
}

async function compacted(
  from: SourceBundle,
  withFixer: boolean,
): Promise<{ report: CompactReport; files: MemoryFiles }> {
  const files = new MemoryFiles("run.hcrp");
  const report = await compact(from, files, withFixer ? { level: 3, fixer } : { level: 3 });
  return { report, files };
}

/** Kinds of the blocks that were set every 300 ticks, and items worn, at a tick. */
async function seen(bundle: SourceBundle, tick: number, format = hcrp): Promise<string[]> {
  await using recording = await open(bundle, { formats: [format] });
  const state = await recording.state(tick * 5e7);
  const { ids, columns } = state.sets.get("blocks")!;
  const kinds = columns.get("kind")!.data as readonly string[];
  const blocks = ids.flatMap((id, row) =>
    String(id).endsWith(",64,0") && !kinds[row]!.includes("wool") ? [kinds[row]!] : [],
  );
  const items = [...state.values].flatMap(([path, value]) => (path.includes("/items/") ? [value as string] : []));
  return [...blocks, ...items];
}

describe("row 30: game data of two versions", () => {
  const before = ["minecraft:grass", "minecraft:grass", "minecraft:grass[lit=true]", "minecraft:grass[lit=true]"];
  const fixed = before.map((name) => name.replace("grass", "short_grass"));
  const after = [...fixed.slice(0, 2), ...Array.from({ length: 4 }, () => fixed[2]!)];

  test("is right in both halves as recorded, and after compaction, which keeps both epochs", async () => {
    const source = await recorded();
    const { report, files } = await compacted(source, false);
    const bundle = bundleOfMemory(files);
    expect(report.frames).toBeGreaterThanOrEqual(2);
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    expect(reader.preamble.reserved.epochs).toMatchObject([
      { chunk: 0, dataVersion: 4000 },
      { chunk: expect.any(Number), dataVersion: 4100 },
    ]);
    for (const each of [source, bundle]) {
      expect((await seen(each, 599)).sort()).toEqual(before);
      expect((await seen(each, 1199)).sort()).toEqual(after);
      // brought up to date where it is read
      expect((await seen(each, 599, createHcrp({ fixer }))).sort()).toEqual(fixed);
      expect((await seen(each, 1199, createHcrp({ fixer }))).sort()).toEqual(after);
    }
  });

  test("is right in both halves after transcoding, which leaves one epoch and otherwise the same", async () => {
    const source = await recorded();
    const { report, files } = await compacted(source, true);
    const bundle = bundleOfMemory(files);
    expect(report.unresolved).toHaveLength(1);
    expect(report.unresolved[0]).toContain("block minecraft:gone of data version 4000");
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    expect(reader.preamble.reserved.epochs).toMatchObject([{ chunk: 0, dataVersion: 4100, server: "two" }]);
    expect((await seen(bundle, 599)).sort()).toEqual(fixed);
    expect((await seen(bundle, 1199)).sort()).toEqual(after);
    await using recording = await open(bundle, { formats: [hcrp] });
    for (let tick = 0; tick < 1200; tick += 41) await expectAt(recording, 1, tick);
    const { columns, ids } = (await recording.state(100 * 5e7)).sets.get("blocks")!;
    expect((columns.get("kind")!.data as readonly string[])[ids.indexOf("1,1,1")]).toBe("unresolved:minecraft:gone");
    const [from, to] = [await verify(source), await verify(bundle)];
    expect(to).toMatchObject({ status: "sound", events: from.events });
    expect(to.eventHash).not.toBe(from.eventHash);
  });

  test("where nothing changes, transcoding gives what compaction gives, but for the epochs", async () => {
    const source = await recorded();
    const files = new MemoryFiles("run.hcrp");
    await compact(source, files, { level: 3, fixer: (_, name) => name });
    const [from, to] = [await verify(source), await verify(bundleOfMemory(files))];
    expect([to.eventHash, to.stateHash]).toEqual([from.eventHash, from.stateHash]);
  });

  test("joins the frames of both versions where a snapshot says nothing new", async () => {
    const store = memoryStore();
    const clock = new Clock();
    const recorder = await record(store, { id: "run", now: clock.now, dataVersion: 4000 });
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 300);
    recorder.epoch({ dataVersion: 4100 });
    await walk(recorder, clock, 1, 300);
    await recorder.close();
    const source = recordingBundle(store, "run");
    expect((await compacted(source, false)).report.frames).toBe(2);
    const { report, files } = await compacted(source, true);
    expect(report.frames).toBe(1);
    expect(await verify(bundleOfMemory(files))).toMatchObject({ status: "sound", findings: [] });
    await using recording = await open(bundleOfMemory(files), { formats: [hcrp] });
    for (let tick = 0; tick < 600; tick += 29) await expectAt(recording, 1, tick);
  });

  test("an item is known by the id in its NBT, and what is no name stays as it is", () => {
    const names = new NameFix(fixer, 4000, new Findings());
    const item = (id: string): Uint8Array =>
      writeNbt({ name: null, root: nbtCompound({ count: { type: NBT.byte, value: 2 }, id: nbtText(id) }) });
    expect(names.entry(PALETTE.item, item("minecraft:grass"))).toEqual(item("minecraft:short_grass"));
    const text = new TextEncoder().encode("minecraft:grass");
    expect(names.entry(PALETTE.block, text)).toEqual(new TextEncoder().encode("minecraft:short_grass"));
    for (const [kind, bytes] of [
      [PALETTE.text, text],
      [PALETTE.item, item("minecraft:stone")],
      [PALETTE.item, Uint8Array.of(10, 1, 2)],
      [PALETTE.block, Uint8Array.of(0xff, 0xfe)],
    ] as const)
      expect(names.entry(kind, bytes)).toBe(bytes);
  });
});
