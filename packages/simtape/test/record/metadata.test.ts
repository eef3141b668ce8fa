import { describe, expect, test } from "vitest";
import { nbtToValue } from "../../src/codec/nbt.ts";
import { headerCrc } from "../../src/formats/hcrp/layout/framing.ts";
import { HcrpReader } from "../../src/formats/hcrp/read/reader.ts";
import {
  MemoryFiles,
  memoryStore,
  open as openAny,
  type SourceBundle,
  type Store,
  storeBundle,
} from "../../src/index.ts";
import { crc32 } from "../../src/kit.ts";
import { Findings } from "../../src/model/error.ts";
import { changeMetadata } from "../../src/record/compact/change-metadata.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { verify } from "../../src/record/compact/verify.ts";
import type { VisitorMark } from "../../src/record/compact/visitors.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { record } from "../../src/record/live/recorder.ts";
import { twoEpochs, walk as walkContent } from "../fixtures/hcrp/make.ts";
import { Clock, comeIn, expectAt, openRecording, walk } from "./walk.ts";
import { bundleOfMemory, segmentedBundle } from "./wild.ts";

const MARKS: readonly VisitorMark[] = Array.from({ length: 1000 }, (_, n) => ({
  tick: n,
  kind: n % 2 === 0 ? "anticheat" : "bookmark",
  entity: n % 3 === 0 ? null : n % 3,
  label: `flag ${n} ü`,
  severity: n % 128,
}));

/** As `hcrp.marks` has them (HCRP spec §4). */
const REPORTED = MARKS.map(({ entity, ...mark }) => ({ ...mark, entity: entity ?? -1 }));

async function recorded(): Promise<Store> {
  const store = memoryStore();
  const clock = new Clock();
  const recorder = await record(store, { id: "run", now: clock.now, metadata: { server: { name: "one", slots: 20 } } });
  comeIn(recorder.world, 2);
  await walk(recorder, clock, 2, 1500);
  await recorder.close();
  return store;
}

async function compacted(from: SourceBundle, marks: readonly VisitorMark[] = []): Promise<MemoryFiles> {
  const files = new MemoryFiles("run.hcrp");
  await compact(from, files, {
    level: 3,
    visitors: [{ name: "flags", chunk: () => undefined, finish: () => ({ marks }) }],
  });
  return files;
}

async function metadataOf(bundle: SourceBundle): Promise<Record<string, Record<string, unknown>>> {
  const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
  const root = nbtToValue(reader.preamble.metadata.root);
  await reader.close();
  return root as Record<string, Record<string, unknown>>;
}

describe("row 2: metadata in the recording", () => {
  test("1,000 marks by compaction are read back equal", async () => {
    const files = await compacted(recordingBundle(await recorded(), "run"), MARKS);
    expect((await metadataOf(bundleOfMemory(files)))["hcrp"]!["marks"]).toEqual(REPORTED);
  });

  test("1,000 marks added to a compacted file are read back equal, and its chunks are where they were", async () => {
    const before = await compacted(recordingBundle(await recorded(), "run"));
    const old = await verify(bundleOfMemory(before));
    const files = new MemoryFiles("run.hcrp");
    const report = await changeMetadata(bundleOfMemory(before), files, { marks: MARKS });
    expect(report).toMatchObject({ marks: 1000, bytesAfter: files.bytes.length });
    expect(report.bytesBefore).toBe(before.bytes.length);
    // both compaction and this count one up
    const { compaction } = (await metadataOf(bundleOfMemory(files)))["hcrp"] as Record<string, Record<string, number>>;
    expect(report.generation).toBe(compaction!["source_generation"]! + 2);
    const bundle = bundleOfMemory(files);
    expect((await metadataOf(bundle))["hcrp"]!["marks"]).toEqual(REPORTED);
    expect(await verify(bundle)).toMatchObject({
      status: "sound",
      findings: [],
      eventHash: old.eventHash,
      stateHash: old.stateHash,
    });
  });

  test("1,000 marks added to a segmented recording are read back equal, and no segment is touched", async () => {
    const store = await recorded();
    const { source, sink } = storeBundle(store, "run/meta.hcrp");
    const report = await changeMetadata(source, sink, { marks: MARKS });
    expect(report.marks).toBe(1000);
    expect((await metadataOf(source))["hcrp"]!["marks"]).toEqual(REPORTED);
    expect(await verify(source)).toMatchObject({ status: "sound", findings: [] });
    await using recording = await openRecording(store, "run");
    await expectAt(recording, 2, 1499);
    // what was made of the generation before is made again
    expect((await compacted(source)).bytes.length).toBeGreaterThan(0);
  });

  test("a reader that knows nothing of hcrp plays the same", async () => {
    const { bytes } = await compacted(recordingBundle(await recorded(), "run"), MARKS);
    const strange = bytes.slice();
    const view = new DataView(strange.buffer);
    const end = 256 + view.getUint32(49);
    // the name of the compound, and the crcs over it
    const at = Buffer.from(strange.buffer).indexOf("hcrp", 256);
    strange.set(new TextEncoder().encode("xxxx"), at);
    view.setUint32(85, crc32(strange.subarray(256, end)));
    view.setUint32(252, headerCrc(strange));
    await using recording = await openAny(bundleOfFiles({ "run.hcrp": strange }));
    expect(recording.findings).toEqual([]);
    expect(recording.info.metadata["metadata"]).not.toHaveProperty("hcrp");
    for (let tick = 0; tick < 1500; tick += 53) await expectAt(recording, 2, tick);
  });

  test("values are laid over what is there, and null takes away", async () => {
    const store = await recorded();
    const { source, sink } = storeBundle(store, "run/meta.hcrp");
    await changeMetadata(source, sink, {
      values: {
        server: { slots: null, motd: "hello" },
        reviewed: true,
        hcrp: { outcome: "reset", duration_ms: 75_000 },
      },
    });
    expect(await metadataOf(source)).toMatchObject({
      server: { name: "one", motd: "hello" },
      reviewed: 1,
      hcrp: { outcome: "reset", duration_ms: 75_000, next_entity_id: 3 },
    });
    expect((await metadataOf(source))["server"]).not.toHaveProperty("slots");
  });

  test("what is the recorder's, what goes on, what is damaged and what is too much is refused", async () => {
    const store = await recorded();
    const { source, sink } = storeBundle(store, "run/meta.hcrp");
    const before = (await store.get("run/meta.hcrp"))!.bytes.slice();
    for (const values of [{ hcrp: { epochs: [] } }, { simtape: { profile: "x" } }, { hcrp: 5 }])
      await expect(changeMetadata(source, sink, { values })).rejects.toThrow(RangeError);
    const much = { values: { notes: Array.from({ length: 400 }, () => "x".repeat(50_000)) } };
    await expect(changeMetadata(source, sink, much)).rejects.toThrow(/at most 16777216/);
    expect((await store.get("run/meta.hcrp"))!.bytes).toEqual(before);
    const open = await segmentedBundle(walkContent(), 3, { header: (head) => ({ ...head, flags: head.flags & ~4 }) });
    await expect(changeMetadata(open, new MemoryFiles("meta.hcrp"), {})).rejects.toThrow("not finished");
    const bad = await compacted(await segmentedBundle(twoEpochs()));
    bad.bytes[300]! ^= 0x10;
    bad.bytes[302]! ^= 0x10;
    bad.bytes[305]! ^= 0x77;
    await expect(changeMetadata(bundleOfMemory(bad), new MemoryFiles("b.hcrp"), {})).rejects.toThrow("damaged");
  });
});
