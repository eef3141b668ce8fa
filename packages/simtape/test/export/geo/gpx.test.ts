import { describe, expect, test } from "vitest";
import { samplesDirectory } from "../../samples.ts";
import { originAt } from "../../../src/index.ts";
import { complaints, content, elements, gpsbabelReads, gpxTracks, root } from "./programs.ts";
import {
  aircraftAt,
  CRASH,
  DRIVE,
  exported,
  fiftyTimes,
  fixAt,
  FLIGHT,
  has,
  madeRecording,
  opened,
  putAircraft,
  zeroOf,
} from "./support.ts";

describe.skipIf(samplesDirectory === null)("GPX of real recordings", () => {
  for (const name of [FLIGHT, CRASH]) {
    test(`has every aircraft where the state has it at fifty times: ${name}`, async () => {
      await using recording = await opened(name);
      const { text } = await exported(recording, "gpx");
      const tracks = gpxTracks(text);
      const zero = await zeroOf(recording);
      let compared = 0;
      for (const time of await fiftyTimes(recording)) {
        for (const [id, place] of await aircraftAt(recording, time)) {
          const fix = fixAt(tracks.get(id === "self" ? "c172p" : id)!.flat(), zero + time / 1e6)!;
          expect(Math.abs(fix.latitude - place[0]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.longitude - place[1]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.height - place[2]!)).toBeLessThan(1e-3);
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(100);
    });
  }

  test.skipIf(!has("xmllint"))("is what the schema says (xmllint)", async () => {
    for (const name of [FLIGHT, CRASH]) {
      await using recording = await opened(name);
      const { text } = await exported(recording, "gpx");
      expect(complaints(text, "gpx.rng")).toBe("");
      expect(complaints(text.replace("<ele>", "<ele>x"), "gpx.rng")).not.toBe("");
    }
  });

  test.skipIf(!has("gpsbabel"))("is read by gpsbabel, every fix of every aircraft", async () => {
    await using recording = await opened(FLIGHT);
    const { text } = await exported(recording, "gpx");
    const [own, read] = [gpxTracks(text), gpsbabelReads(text, "gpx")];
    expect([...read.keys()]).toEqual([...own.keys()]);
    for (const [name, segments] of own) {
      expect(read.get(name)!.map((fixes) => fixes.length)).toEqual(segments.map((fixes) => fixes.length));
      for (const [i, fix] of segments.flat().entries()) {
        const other = read.get(name)!.flat()[i]!;
        expect(Math.abs(other.latitude - fix.latitude)).toBeLessThan(1e-8);
        expect(Math.abs(other.longitude - fix.longitude)).toBeLessThan(1e-8);
        expect(Math.abs(other.height - fix.height)).toBeLessThan(1e-2);
        expect(Math.abs(other.time - fix.time)).toBeLessThan(1);
      }
    }
  });

  test("speeds are those of the vehicles over ground", async () => {
    await using recording = await opened(DRIVE);
    const { text } = await exported(recording, "gpx", { origin: originAt(48, 8), ids: [270] });
    const points = elements(root(text), "trk").flatMap((track) =>
      elements(track, "trkseg").flatMap((segment) => elements(segment, "trkpt")),
    );
    expect(points.length).toBeGreaterThan(100);
    const zero = await zeroOf(recording);
    for (const time of await fiftyTimes(recording)) {
      const set = (await recording.state(time)).sets.get("vehicles")!;
      const row = set.ids.indexOf(270);
      if (row < 0) continue;
      const velocity = set.columns.get("velocity")!.data as unknown as ArrayLike<number>;
      const point = points.findLast((one) => Date.parse(content(one, "time")) <= zero + time / 1e6)!;
      const extension = elements(elements(point, "extensions")[0]!, "gpxtpx:TrackPointExtension")[0]!;
      expect(Number(content(extension, "gpxtpx:speed"))).toBeCloseTo(
        Math.hypot(velocity[3 * row]!, velocity[3 * row + 1]!),
        3,
      );
    }
  });
});

test("a thing that goes and comes again begins a new segment", async () => {
  const recording = madeRecording({
    times: [0, 1, 2, 3, 4].map((second) => second * 1e9),
    epoch: 1_700_000_000_500_000_000n,
    fill: (state, time) => {
      // at 2 s its place is not known, at 3 s it is there, and so is another
      const place = [10 + time / 1e12, 20, 1000] as const;
      putAircraft(state, [{ id: "a", place: time === 2e9 ? [Number.NaN, 20, 0] : place }]);
      if (time === 3e9) putAircraft(state, [{ id: "b", place }]);
    },
  });
  const { text, report } = await exported(recording, "gpx");
  const tracks = gpxTracks(text);
  expect(tracks.get("aircraft a")!.map((fixes) => fixes.map(({ time }) => time - 1_700_000_000_500))).toEqual([
    [0, 1000],
    [3000, 4000],
  ]);
  expect(tracks.get("aircraft b")!.map((fixes) => fixes.length)).toEqual([1]);
  expect(report).toMatchObject({ of: ["aircraft"], count: 5, unit: "fix", lost: [] });
  expect(report.notes.join()).not.toContain("2000-01-01");
  if (has("xmllint")) expect(complaints(text, "gpx.rng")).toBe("");
});

test("longitudes are from -180 to below 180 on both sides of the date line", async () => {
  const longitudes = [179.999, 180, 180.001, -180.001, 539.5, 179.99999999999];
  const recording = madeRecording({
    times: longitudes.map((_, second) => second * 1e9),
    fill: (state, time) => putAircraft(state, [{ id: "a", place: [10, longitudes[time / 1e9]!, time / 1e9] }]),
  });
  const { text } = await exported(recording, "gpx");
  const read = gpxTracks(text).get("aircraft")!.flat();
  expect(read.map(({ longitude }) => longitude)).toEqual([179.999, -180, -179.999, 179.999, 179.5, -180]);
  if (has("xmllint")) expect(complaints(text, "gpx.rng")).toBe("");
});

test("what is no place on the earth has no fix", async () => {
  const places = [
    [10, 20, 0],
    [90.001, 20, 0],
    [10, Number.POSITIVE_INFINITY, 0],
    [10, 20, 1e300],
    [-90, 20, 1],
  ] as const;
  const recording = madeRecording({
    times: places.map((_, second) => second * 1e9),
    fill: (state, time) => putAircraft(state, [{ id: "a", place: places[time / 1e9]! }]),
  });
  const fixes = gpxTracks((await exported(recording, "gpx")).text).get("aircraft")!;
  expect(fixes.map((some) => some.map(({ latitude }) => latitude))).toEqual([[10], [-90]]);
});

test("what stands still for long has a fix where that ends, so that nothing creeps", async () => {
  const recording = madeRecording({
    times: Array.from({ length: 101 }, (_, tick) => tick * 1e8),
    fill: (state, time) => putAircraft(state, [{ id: "a", place: [time < 9e9 ? 10 : 11, 20, 0] }]),
  });
  const { text } = await exported(recording, "gpx");
  const fixes = gpxTracks(text).get("aircraft")!.flat();
  const zero = Date.UTC(2000, 0, 1);
  expect(fixes.map(({ time, latitude }) => [time - zero, latitude])).toEqual([
    [0, 10],
    [8900, 10],
    [9000, 11],
    [10000, 11],
  ]);
});

test("events are waypoints where their thing was", async () => {
  const who = [{ set: "aircraft", id: "a", label: "A" }];
  const event = { channel: null, sequence: null, value: null };
  const recording = madeRecording({
    times: [0, 1e9, 2e9],
    fill: (state, time) => putAircraft(state, [{ id: "a", place: [10 + time / 1e9, 20, 0] }]),
    events: [
      { ...event, time: 1e9, kind: "crash", text: "it <crashes>", who },
      { ...event, time: 1.5e9, kind: "flag", text: "lights on", who },
      { ...event, time: 1.5e9, kind: "note", text: "seen", who: [] },
    ],
  });
  const { text, report } = await exported(recording, "gpx");
  const points = elements(root(text), "wpt");
  expect(
    points.map((point) => [Number(point.attributes["lat"]), content(point, "name"), content(point, "desc")]),
  ).toEqual([
    [11, "crash", "it <crashes>"],
    [11, "note", "seen"],
  ]);
  expect(report.notes).toContain("events that happen all the time are left out: 1 flag");
});
