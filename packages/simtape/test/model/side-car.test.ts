import { beforeAll, describe, expect, test } from "vitest";
import {
  counted,
  FORMATS,
  type Frame,
  makeSideCar,
  memory,
  MemoryFiles,
  play,
  type SourceBundle,
} from "../../src/index.ts";
import { Budget, Sha256 } from "../../src/kit.ts";
import { openBundle } from "../../src/model/open.ts";
import { demo } from "../../../demo/src/carla.ts";
import { firstChartOf } from "../../src/model/query/first-chart.ts";
import { CHART_POINTS } from "../../src/model/query/kept-chart.ts";
import type { PathInfo } from "../../src/model/query/listing.ts";
import { PathTap } from "../../src/model/query/paths.ts";
import type { Series } from "../../src/model/query/sinks.ts";
import type { Recording } from "../../src/model/recording.ts";
import { SideCarFile, VERSION } from "../../src/model/side-car/layout.ts";
import { MutableState } from "../../src/model/state/state.ts";
import { after } from "../../src/model/values/time.ts";
import { difference } from "../../src/testing/difference.ts";
import { stateText } from "../../src/testing/index.ts";
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

/** Ids of all things, by set. */
async function thingsOf(recording: Recording): Promise<ReadonlyMap<string, ReadonlySet<number | string>>> {
  const things = new Map<string, Set<number | string>>();
  for await (const { sets } of recording.states())
    for (const [name, { ids }] of sets)
      if (ids.length > 0) things.set(name, new Set([...(things.get(name) ?? []), ...ids]));
  return things;
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
    expect(difference(await thingsOf(plain), await kept.sideCar!.things())).toBe(null);
    expect(report.paths).not.toBe(null);
    expect(difference(await plain.paths(), await kept.paths())).toBe(null);
    const chart = await firstChartOf(plain);
    expect(report.hasChart).toBe(chart.length > 0);
    expect(await firstChartOf(kept)).toEqual(chart);
    const [line, found] = await Promise.all([plain, kept].map((one) => one.series(chart, { points: CHART_POINTS })));
    expect(difference(line, found)).toBe(null);
    const half = { start: start + (end - start) / 3, end: start + (2 * (end - start)) / 3 };
    const inHalf = await Promise.all([plain, kept].map((one) => one.series(chart, half)));
    expect(difference(inHalf[0], inHalf[1])).toBe(null);
    expect(difference(await eventsOf(plain), await eventsOf(kept))).toBe(null);
    expect(difference(await eventsOf(plain, half), await eventsOf(kept, half))).toBe(null);
    expect(difference(await facts(plain), await facts(kept))).toBe(null);
    await plain.close();
    await kept.close();
  });
});

test("the first chart of a recording is drawn from its side-car, which has it just as it was read", async () => {
  const { bundle } = SOUND.find(({ format }) => format === "carla")!;
  const { bytes } = await makeSideCar(bundle(), FORMATS, { room: ROOM });
  const kept = await openBundle(bundle(), FORMATS, { seekIndex: memory(bytes) });
  const paths = await firstChartOf(kept);
  const first = await kept.series(paths, { points: CHART_POINTS });
  // whatever a caller does to what it was given
  first[0]!.value.fill(7);
  await kept.reader.close();
  const { start, end } = await kept.timeline();
  const batches: Series[][] = [];
  const asked = { start, end: after(end), points: CHART_POINTS, rows: 10 };
  for await (const batch of kept.seriesBatches(paths, asked)) batches.push([...batch]);
  const plain = await openBundle(bundle(), FORMATS);
  expect(difference(batches, [await plain.series(paths, { points: CHART_POINTS })])).toBe(null);
  // anything else is read
  await expect(kept.series(paths, { points: CHART_POINTS / 2 })).rejects.toThrow();
  await expect(kept.series(paths, { ...asked, end: end - 1 })).rejects.toThrow();
  await plain.close();
});

test("paths are listed unless they are too many, or have to be decoded at every moment", async () => {
  const late = SOUND.filter(({ format }) => format === "carla");
  for (const { bundle, format } of SOUND) {
    const { report } = await makeSideCar(bundle(), FORMATS, { room: ROOM });
    if (format !== "carla" && format !== "mcap") expect(report.paths).toBe((await pathsOf(bundle())).length);
  }
  const reports = await Promise.all(late.map(({ bundle }) => makeSideCar(bundle(), FORMATS, { room: ROOM })));
  expect(reports.map(({ report }) => report.paths)).toContain(null);
  const { bundle } = SOUND.find(({ format }) => format === "nanover")!;
  const recording = await openBundle(bundle(), FORMATS);
  const state = new MutableState();
  const tap = new PathTap(recording.reader, state, 3, true);
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      tap.rows(batch, i, i + 1);
      recording.reader.state.apply(state, batch, i);
      tap.end(state, batch.time[i]!);
    }
  }
  expect(await tap.list(() => recording.traits())).toBe(null);
  // of values that are not listed it is not known which paths they have
  const { unlisted, columns } = tap.inventory()!;
  expect(unlisted).toEqual(expect.arrayContaining([...(await recording.state(0)).values.keys()]));
  expect(columns.length).toBeGreaterThan(0);
  await recording.close();
});

async function pathsOf(bundle: SourceBundle): Promise<readonly PathInfo[]> {
  const recording = await openBundle(bundle, FORMATS);
  const paths = await recording.paths();
  await recording.close();
  return paths;
}

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

describe("a recording with a side-car, of ten thousand kilobytes", () => {
  const to = new MemoryFiles("town.log");
  const ten = { start: 40e9, end: 42e9 };
  let sideCar = new Uint8Array(0);
  beforeAll(async () => {
    await demo({ seconds: 60, entities: 24, seed: 1 }, to);
    ({ bytes: sideCar } = await makeSideCar(bundleOfFiles({ "town.log": to.bytes }), FORMATS, {
      every: 1 << 19,
      room: ROOM,
    }));
  });

  const rowsOf = async (recording: Recording, of: string, options: object): Promise<number> => {
    let rows = 0;
    for await (const { length } of await recording.table(of, options)) rows += length;
    return rows;
  };
  /** What is asked, and how much there is of it. */
  const asked: readonly (readonly [string, (recording: Recording) => Promise<number>])[] = [
    ["a table of a set", (one) => rowsOf(one, "vehicles", ten)],
    ["a table of a set, at steps", (one) => rowsOf(one, "vehicles", { ...ten, every: 1e8 })],
    [
      "a table of a channel",
      async (one) => {
        let rows = 0;
        for await (const { length } of await one.table(one.channel("position"), ten)) rows += length;
        return rows;
      },
    ],
    ["events", async (one) => (await eventsOf(one, ten)).length],
    [
      "a series",
      async (one) => {
        const [id] = (await one.state(ten.start)).sets.get("vehicles")!.ids;
        const [line] = await one.series([{ set: "vehicles", id: id!, column: "position", item: 0 }], ten);
        return line!.time.length;
      },
    ],
  ];

  test.each(asked)("reads for %s no more than the range, and what leads there", async (_, ask) => {
    const source = counted(memory(to.bytes));
    const open = async (name?: string) => (name === undefined ? source : null);
    await using kept = await openBundle({ name: "town.log", open }, FORMATS, { seekIndex: memory(sideCar) });
    await using plain = await openBundle(bundleOfFiles({ "town.log": to.bytes }), FORMATS);
    source.reset();
    expect(await ask(kept)).toBe(await ask(plain));
    // pieces of a mebibyte are read, at most twice: those of the range, and one that leads there
    expect(source.bytes).toBeLessThanOrEqual(4 << 20);
  });

  test("says without reading it that nothing has an id", async () => {
    const source = counted(memory(to.bytes));
    const open = async (name?: string) => (name === undefined ? source : null);
    await using kept = await openBundle({ name: "town.log", open }, FORMATS, { seekIndex: memory(sideCar) });
    const opened = source.bytes;
    await expect(kept.table("vehicles", { ids: [35, "nobody"] })).rejects.toThrow(
      /^nothing in vehicles has the id nobody; there are: \d+, .* …$/,
    );
    expect(source.bytes).toBe(opened);
  });
});
