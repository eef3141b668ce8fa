import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copy, FORMATS, open as openRecording, rewrite } from "../../src/index.ts";
import { filesBundle } from "../../src/io/source/bundle.ts";
import { memoryStore } from "../../src/io/store/memory-store.ts";
import { fileSpool } from "../../src/io/node/index.ts";
import { s3Store } from "../../src/io/s3/s3.ts";
import { MemoryFiles } from "../../src/io/sink/sink.ts";
import { memorySpool } from "../../src/io/source/spool.ts";
import { Spooled } from "../../src/io/source/spooled.ts";
import { storeBundle } from "../../src/io/store/store-bundle.ts";
import { demo } from "../../../demo/src/mira.ts";
import type { Store } from "../../src/io/store/store.ts";
import { sampleBytes } from "../conformance/describe-source.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { faulty } from "../support/faulty-store.ts";

const bytes = sampleBytes(5000);

describe("a recording in a store, read", () => {
  test("is its main file and those beside it", async () => {
    const store = memoryStore();
    await store.put("runs/one/run.traj", bytes);
    await store.put("runs/one/run.state", bytes.slice(0, 10));
    const { source } = storeBundle(store, "runs/one/run.traj");
    expect(source.name).toBe("run.traj");
    const main = await source.open();
    expect(await main!.read(100, 50)).toEqual(bytes.slice(100, 150));
    const state = await source.open("run.state");
    expect(await state!.size()).toBe(10);
    expect(await source.open("run.other")).toBeNull();
    await main!.close();
    await state!.close();
  });

  test("says what is wrong as sources do", async () => {
    const store = memoryStore();
    const { source } = storeBundle(store, "runs/none");
    await expect(source.open()).rejects.toMatchObject({
      name: "SourceError",
      message: "nothing there: memory/runs/none",
    });
    for (const name of ["../none", "a/b", "", "with space"])
      await expect(source.open(name)).rejects.toMatchObject({ name: "SourceError" });
    const failing = storeBundle(faulty(store, { seed: 1, rate: 1, kinds: ["before"] }), "a").source;
    await expect(failing.open()).rejects.toMatchObject({ name: "SourceError", cause: { code: "unavailable" } });
  });
});

describe("a recording in a store, written", () => {
  test("appears file by file as they are closed, any of its bytes overwritten until then", async () => {
    const store = memoryStore();
    const { sink } = storeBundle(store, "runs/run.log");
    const large = sampleBytes(20_000_000);
    const main = await sink.open();
    const beside = await sink.open("run.state");
    await beside.write(bytes);
    for (let at = 0; at < large.length; at += 700_001) {
      const piece = large.slice(at, at + 700_001);
      piece.fill(0, 0, 100);
      await main.write(piece);
      await main.writeAt(at, large.subarray(at, at + 60));
    }
    for (let at = 0; at < large.length; at += 700_001)
      await main.writeAt(at + 50, large.subarray(at + 50, Math.min(at + 100, large.length)));
    await main.flush();
    expect(await store.head("runs/run.log")).toBeNull();
    await beside.close();
    await main.close();
    expect(Buffer.compare((await store.get("runs/run.log"))!.bytes, large)).toBe(0);
    expect((await store.get("runs/run.state"))!.bytes).toEqual(bytes);
  });

  test("leaves nothing when it is aborted, or is larger than the spool takes", async () => {
    const store = memoryStore();
    const { sink } = storeBundle(store, "a", { spool: memorySpool(1000, "spool") });
    const aborted = await sink.open();
    await aborted.write(bytes);
    await aborted.abort();
    const large = await sink.open();
    await expect(large.write(new Uint8Array(9_000_000)).then(() => large.write(bytes))).rejects.toMatchObject({
      name: "SourceError",
    });
    await expect(large.close()).rejects.toMatchObject({ name: "SourceError" });
    expect(await store.head("a")).toBeNull();
  });

  test("overwrites nothing under `absent`, however late another comes", async () => {
    const store = memoryStore();
    const { sink } = storeBundle(store, "a", { condition: { absent: true } });
    const ours = await sink.open();
    await ours.write(bytes);
    await store.put("a", new Uint8Array(1));
    await expect(ours.close()).rejects.toMatchObject({
      name: "SourceError",
      cause: { name: "StoreError", code: "conflict" },
    });
    expect(await store.head("a")).toMatchObject({ size: 1 });
  });
});

test("what is spooled is what was written, in whatever pieces and places", async () => {
  const piece = fc.record({
    at: fc.nat(1000),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }),
    isAppended: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.nat(1000), fc.nat(300), async (pieces, from, count) => {
      const spooled = new Spooled(64, memorySpool(1 << 20, "spool"));
      const model: number[] = [];
      for (const { at, bytes: content, isAppended } of pieces) {
        const offset =
          isAppended || model.length < content.length ? model.length : at % (model.length - content.length + 1);
        await spooled.write(offset, content);
        for (const [i, byte] of content.entries()) model[offset + i] = byte;
        content.fill(0);
      }
      expect(spooled.length).toBe(model.length);
      const start = Math.min(from, model.length);
      const end = Math.min(start + count, model.length);
      expect([...(await spooled.read(start, end - start))]).toEqual(model.slice(start, end));
      expect([...(await spooled.read(0, model.length))]).toEqual(model);
      await spooled.close();
      await spooled.close();
    }),
  );
});

async function roundTrip(store: Store): Promise<void> {
  const files = new MemoryFiles("robot.tape");
  await demo({ seconds: 2, entities: 1, seed: 1 }, files);
  const original = await openRecording(filesBundle(files.files));
  const there = storeBundle(store, "demo/robot.tape", { condition: { absent: true }, spool: fileSpool() });
  await copy(original, filesBundle(files.files), there.sink);
  expect(Buffer.compare((await store.get("demo/robot.tape"))!.bytes, files.bytes)).toBe(0);
  const recording = await openRecording(there.source);
  const writing = await FORMATS.find(({ id }) => id === "mira")!.writing!();
  await rewrite(recording, writing, storeBundle(store, "demo/again.tape").sink);
  const again = await openRecording(storeBundle(store, "demo/again.tape").source);
  const time = (await original.timeline()).end;
  expect(await again.state(time)).toEqual(await original.state(time));
  for (const open of [original, recording, again]) await open.close();
}

test("a recording goes through a store and comes out the same", () => roundTrip(memoryStore()));

describeWithCeph("on a real S3 server", (bucket) => {
  test("a recording goes there and comes back the same", () => roundTrip(s3Store(bucket())));

  test("a large one is sent in parts, and only where nothing is", async () => {
    const store = s3Store({ ...bucket(), prefix: "large" });
    const large = sampleBytes(9_000_000);
    const ours = await storeBundle(store, "a", { condition: { absent: true }, spool: fileSpool() }).sink.open();
    await ours.write(large);
    await ours.writeAt(0, large.subarray(0, 10));
    await ours.close();
    expect(Buffer.compare((await store.get("a"))!.bytes, large)).toBe(0);
    const late = await storeBundle(store, "a", { condition: { absent: true } }).sink.open();
    await late.write(large);
    await expect(late.close()).rejects.toMatchObject({ cause: { code: "conflict" } });
  });
});
