import { expect, test } from "vitest";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import { check, open, s3Store, storeBundle } from "../../src/index.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { record } from "../../src/record/live/recorder.ts";
import { recover } from "../../src/record/live/recover.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { faulty } from "../support/faulty-store.ts";
import { Clock, comeIn, expectAt, listed, openRecording, walk } from "./walk.ts";

describeWithCeph("a recording in S3", (bucket) => {
  test("is committed, readable while it grows, and finished, through a connection that fails", async () => {
    const real = s3Store({ ...bucket(), prefix: "replays/" });
    const store = faulty(real, { seed: 5, rate: 0 });
    const clock = new Clock();
    const recorder = await record(store, { id: "run", now: clock.now, commit: { every: 5000 } });
    store.rate = 0.3;
    comeIn(recorder.world, 2);
    for (let n = 0; n < 6; n++) {
      await walk(recorder, clock, 2, 101);
      await recorder.flush();
    }
    await using growing = await openRecording(real, "run");
    expect((await growing.timeline()).tick!.count).toBe(606);
    await expectAt(growing, 2, 605);
    await recorder.close();
    expect(recorder.status).toMatchObject({ dropped: {}, failure: null });
    await using recording = await openRecording(real, "run");
    expect((await check(recording)).findings).toEqual([]);
    for (let tick = 0; tick < 606; tick += 61) await expectAt(recording, 2, tick);
  });

  test("goes on after a crash, and who was thought dead is refused", async () => {
    const store = s3Store({ ...bucket(), prefix: "replays/" });
    const clock = new Clock();
    const lost = await record(store, { id: "crashed", now: clock.now });
    comeIn(lost.world, 1);
    await walk(lost, clock, 1, 100);
    await lost.flush();
    const recorder = await record(store, { id: "crashed", resume: true, now: clock.now });
    expect(recorder.tick).toBe(100);
    comeIn(recorder.world, 1, 100);
    await walk(recorder, clock, 1, 30);
    await recorder.flush();
    await walk(lost, clock, 1, 50);
    await expect(lost.flush()).rejects.toMatchObject({ code: "conflict" });
    await walk(recorder, clock, 1, 30);
    await recorder.flush();
    await recorder.abort();
    expect(await recover(store, "crashed")).toMatchObject({ status: "recovered", ticks: 160 });
    await using recording = await openRecording(store, "crashed");
    expect((await check(recording)).findings).toEqual([]);
  });

  test("is compacted within the bucket, and plays", async () => {
    const store = s3Store({ ...bucket(), prefix: "replays/" });
    const clock = new Clock();
    const recorder = await record(store, { id: "long", now: clock.now });
    comeIn(recorder.world, 3);
    await walk(recorder, clock, 3, 1500);
    await recorder.close();
    const { source, sink } = storeBundle(store, "long/recording.hcrp");
    const report = await compact(recordingBundle(store, "long"), sink);
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore);
    expect([...(await listed(store, "long/")).keys()]).toContain("recording.hcrp");
    await using recording = await open(source, { formats: [hcrp] });
    expect((await check(recording)).findings).toEqual([]);
    for (let tick = 0; tick < 1500; tick += 149) await expectAt(recording, 3, tick);
  });
});
