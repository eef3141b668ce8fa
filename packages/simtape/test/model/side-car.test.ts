import { describe, expect, test } from "vitest";
import { Budget } from "../../src/bytes/budget.ts";
import { Sha256 } from "../../src/bytes/sha256.ts";
import { FORMATS } from "../../src/formats.ts";
import { memory } from "../../src/io/memory.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";
import { SideCarFile, VERSION } from "../../src/model/side-car/layout.ts";
import { makeSideCar } from "../../src/ops/side-car.ts";
import type { Frame } from "../../src/play/frame.ts";
import { play } from "../../src/play/player.ts";
import { stateText } from "../../src/testing/digest.ts";
import { difference } from "../../src/testing/difference.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { ManualClock } from "../play/manual-clock.ts";
import { Truth } from "../play/truth.ts";
import { everyRecording } from "../recordings.ts";
import { SOUND } from "../specimens.ts";

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

const recordings = await everyRecording();

describe("a recording opened with its side-car", () => {
  test.each(recordings.map((of) => [of.name, of] as const))("is as without: %s", async (_, { files }) => {
    const bundle = () => bundleOfFiles(files);
    const plain = await openBundle(bundle(), FORMATS);
    const total = (await plain.statistics()).reduce((sum, { bytes }) => sum + bytes, 0);
    const { bytes, report } = await makeSideCar(bundle(), FORMATS, { every: total / 6, room: ROOM, paths: true });
    const kept = await openBundle(bundle(), FORMATS, { seekIndex: memory(bytes) });
    expect(kept.sideCar).not.toBe(null);
    if (plain.info.seekIndex === "built" && report.hasScan) expect(kept.info.seekIndex).toBe("kept");
    expect(difference(await facts(plain), await facts(kept))).toBe(null);
    const { start, end } = await plain.timeline();
    for (const part of [1, 0.99, 0.8, 0.7, 0.33, 0.5, 0]) {
      const time = Math.round(start + part * (end - start));
      expect(stateText(await kept.state(time)), `at ${part}`).toBe(stateText(await plain.state(time)));
    }
    expect(report.paths).not.toBe(null);
    expect(difference(await plain.paths(), await kept.paths())).toBe(null);
    const half = { start: start + (end - start) / 3, end: start + (2 * (end - start)) / 3 };
    expect(difference(await eventsOf(plain), await eventsOf(kept))).toBe(null);
    expect(difference(await eventsOf(plain, half), await eventsOf(kept, half))).toBe(null);
    expect(difference(await facts(plain), await facts(kept))).toBe(null);
    await plain.close();
    await kept.close();
  });
});

describe("a player of a recording with a side-car", () => {
  test.each(SOUND.map((of) => [of.name, of] as const))("shows what was recorded, backwards too: %s", async (_, of) => {
    const truth = await Truth.of(await openBundle(of.bundle(), FORMATS));
    const bytes = Object.values(of.files).reduce((sum, { length }) => sum + length, 0);
    const sideCar = await makeSideCar(of.bundle(), FORMATS, { every: bytes / 10, room: ROOM });
    const recording = await openBundle(of.bundle(), FORMATS, { seekIndex: memory(sideCar.bytes) });
    const clock = new ManualClock();
    const rate = -Math.max(1, Math.min(16, (truth.end - truth.start) / 4e9));
    await using player = play(recording, { clock, rate, interpolate: false, interval: 100e6 });
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    await player.seek(truth.end);
    player.play();
    await clock.advance(4e9);
    for (const part of [0.9, 0.4, 0.6]) await player.seek(truth.start + part * (truth.end - truth.start));
    await clock.advance(0);
    for (const { time, state } of frames) truth.expect(state, time);
    expect(frames.length).toBeGreaterThan(3);
  });
});

test("what a scan and a fold learn is as it was when the version of side-cars was raised last", async () => {
  const digests: Record<string, string> = {};
  for (const { name, format, bundle } of SOUND) {
    const { bytes } = await makeSideCar(bundle(), FORMATS, { every: 4096, room: ROOM });
    const file = await SideCarFile.open(memory(bytes), new Budget());
    const hash = new Sha256();
    for (const section of file.names) hash.update(new TextEncoder().encode(await textOf(file, section)));
    digests[`${format}: ${name}`] = hash.digest().slice(0, 16);
  }
  // Another digest: raise VERSION in model/side-car/layout.ts, then `npx vitest run -u` this file.
  expect({ version: VERSION, digests }).toMatchSnapshot();
});

/** Of a section without its checksums and its compression. */
async function textOf(file: SideCarFile, section: string): Promise<string> {
  return JSON.stringify(await file.section(section), (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return ArrayBuffer.isView(value) ? [...(value as Uint8Array)] : value;
  });
}
