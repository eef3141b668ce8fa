import { describe, expect, test } from "vitest";
import { FORMATS } from "../../src/formats.ts";
import { memory } from "../../src/io/memory.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";
import { MAGIC } from "../../src/model/side-car/layout.ts";
import type { EntitySet, State } from "../../src/model/state.ts";
import { makeSideCar } from "../../src/ops/side-car.ts";
import { difference } from "../../src/testing/difference.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { everyRecording } from "../recordings.ts";

const ROOM = 64 << 20;

/** Everything that a side-car may stand in for. */
async function facts(recording: Recording): Promise<unknown> {
  const { info } = recording;
  return {
    info: { ...info, seekIndex: null },
    channels: recording.channels.map(({ id, name, metadata, schema }) => [id, name, metadata, schema.name]),
    timeline: await recording.timeline(),
    statistics: await recording.statistics(),
    findings: recording.findings,
  };
}

async function eventsOf(recording: Recording, query = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const events of recording.events(query)) found.push(...events);
  return found;
}

/** A state as objects, which `difference` looks into. */
function opened({ time, values, sets }: State): unknown {
  const columns = (set: EntitySet): unknown => Object.fromEntries(set.columns);
  return {
    time,
    values: Object.fromEntries([...values].map(([path, value]) => [path, value])),
    sets: Object.fromEntries([...sets].map(([name, set]) => [name, { ...set, columns: columns(set) }])),
  };
}

const recordings = await everyRecording();

describe("a recording opened with its side-car", () => {
  test.each(recordings.map((of) => [of.name, of] as const))("is as without: %s", async (_, { files }) => {
    const bundle = () => bundleOfFiles(files);
    const plain = await openBundle(bundle(), FORMATS);
    const total = (await plain.statistics()).reduce((sum, { bytes }) => sum + bytes, 0);
    const { bytes, report } = await makeSideCar(bundle(), FORMATS, { every: total / 6, room: ROOM });
    const kept = await openBundle(bundle(), FORMATS, { seekIndex: memory(bytes) });
    expect(kept.sideCar).not.toBe(null);
    if (plain.info.seekIndex === "built" && report.hasScan) expect(kept.info.seekIndex).toBe("kept");
    expect(difference(await facts(plain), await facts(kept))).toBe(null);
    const { start, end } = await plain.timeline();
    for (const part of [1, 0.99, 0.8, 0.7, 0.33, 0.5, 0]) {
      const time = Math.round(start + part * (end - start));
      expect([part, difference(opened(await plain.state(time)), opened(await kept.state(time)))]).toEqual([part, null]);
    }
    const half = { start: start + (end - start) / 3, end: start + (2 * (end - start)) / 3 };
    expect(difference(await eventsOf(plain), await eventsOf(kept))).toBe(null);
    expect(difference(await eventsOf(plain, half), await eventsOf(kept, half))).toBe(null);
    expect(difference(await facts(plain), await facts(kept))).toBe(null);
    await plain.close();
    await kept.close();
  });
});

test("begins with its magic number", () => {
  expect(String.fromCharCode(...MAGIC.slice(1, 5))).toBe("STIX");
});
