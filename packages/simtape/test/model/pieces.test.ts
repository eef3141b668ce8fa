import { expect, test } from "vitest";
import { open, type RecordingEvent } from "../../src/index.ts";
import { readRows } from "../../src/model/query/events.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { expectSame } from "../support/same.ts";
import { BOMBS } from "../support/bombs.ts";

test.each([
  ["hcrp: chat of one tick", 0.05, 4096, 20_000],
  ["carla: collisions", 0.2, 60_000, 120_000],
])("events of %s come in arrays of a few messages, and are those of its batches", async (named, size, most, count) => {
  const { file, make } = BOMBS.find(({ name }) => name === named)!;
  const recording = await open(bundleOfFiles({ [file]: make(size) }));
  const events: RecordingEvent[] = [];
  for await (const some of recording.events()) {
    expect(some.length).toBeLessThanOrEqual(most);
    for (const event of some) events.push(event);
  }
  expect(events.length).toBe(count);
  const reader = (await (await recording.traits()).events!(recording))!;
  const whole: RecordingEvent[] = [];
  const channels = recording.channels.filter(({ id }) => reader.channels.has(id));
  for await (const batch of recording.batches({ channels })) {
    const before = whole.length;
    readRows(reader, batch, whole);
    // a batch has them all
    expect([0, count]).toContain(whole.length - before);
  }
  expectSame(events, whole);
  await recording.close();
});
