import { describe, expect, test } from "vitest";
import { Budget } from "../../../src/kit.ts";
import { samplesDirectory } from "../../samples.ts";
import { complaints, content, elements, gpsbabelReads, microseconds, root } from "./programs.ts";
import {
  aircraftAt,
  CRASH,
  exported,
  fiftyTimes,
  fixAt,
  FLIGHT,
  has,
  madeRecording,
  opened,
  putAircraft,
  type ReadFix,
  zeroOf,
} from "./support.ts";

interface KmlTrack {
  readonly name: string;
  readonly runs: readonly (readonly (ReadFix & { readonly angles: readonly number[] })[])[];
}

/** Tracks by the structure of kml22gx.xsd: as many times as places, and as many angles as either or none. */
function kmlTracks(text: string): KmlTrack[] {
  const document = elements(root(text), "Document")[0]!;
  return elements(document, "Placemark").map((placemark) => {
    const several = elements(placemark, "gx:MultiTrack")[0];
    return {
      name: content(placemark, "name"),
      runs: elements(several ?? placemark, "gx:Track").map((track) => {
        const whens = elements(track, "when").map(({ text: when }) => when);
        const coords = elements(track, "gx:coord").map(({ text: coord }) => coord.split(" ").map(Number));
        const angles = elements(track, "gx:angles").map(({ text: three }) => three.split(" ").map(Number));
        expect(coords).toHaveLength(whens.length);
        if (angles.length > 0) expect(angles).toHaveLength(whens.length);
        return whens.map((when, i) => ({
          time: Date.parse(when) + microseconds(when),
          longitude: coords[i]![0]!,
          latitude: coords[i]![1]!,
          height: coords[i]![2]!,
          angles: angles[i] ?? [],
        }));
      }),
    };
  });
}

describe.skipIf(samplesDirectory === null)("KML of real flights", () => {
  for (const name of [FLIGHT, CRASH]) {
    test(`has every aircraft where the state has it at fifty times: ${name}`, async () => {
      await using recording = await opened(name);
      const { text, report } = await exported(recording, "kml");
      const tracks = kmlTracks(text);
      const zero = await zeroOf(recording);
      let compared = 0;
      for (const time of await fiftyTimes(recording)) {
        for (const [id, place] of await aircraftAt(recording, time)) {
          const track = tracks.find((one) => one.name === (id === "self" ? "c172p" : id))!;
          const fix = fixAt(track.runs.flat(), zero + time / 1e6)!;
          expect(Math.abs(fix.latitude - place[0]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.longitude - place[1]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.height - place[2]!)).toBeLessThan(1e-3);
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(100);
      expect(tracks[0]!.name).toBe("c172p");
      expect(report.of).toEqual(["aircraft"]);
      expect(report.count).toBe(tracks.flatMap(({ runs }) => runs.flat()).length);
      expect(report.notes.join("; ")).toContain("2000-01-01");
    });
  }

  test.skipIf(!has("xmllint"))("is what the schemas say (xmllint)", async () => {
    await using recording = await opened(CRASH);
    const { text } = await exported(recording, "kml");
    expect(complaints(text, "kml.rng")).toBe("");
    expect(complaints(text.replace("<altitudeMode>", "<altitude>"), "kml.rng")).not.toBe("");
  });

  test.skipIf(!has("gpsbabel"))("is read by gpsbabel, every fix of every aircraft", async () => {
    await using recording = await opened(FLIGHT);
    const { text } = await exported(recording, "kml");
    const read = gpsbabelReads(text, "kml");
    const own = kmlTracks(text);
    expect([...read.keys()].sort()).toEqual(own.map(({ name }) => name).sort());
    for (const { name, runs } of own) {
      const fixes = read.get(name)!.flat();
      expect(fixes).toHaveLength(runs.flat().length);
      for (const [i, fix] of runs.flat().entries()) {
        expect(Math.abs(fixes[i]!.latitude - fix.latitude)).toBeLessThan(1e-8);
        expect(Math.abs(fixes[i]!.longitude - fix.longitude)).toBeLessThan(1e-8);
        expect(Math.abs(fixes[i]!.height - fix.height)).toBeLessThan(1e-2);
        expect(Math.abs(fixes[i]!.time - fix.time)).toBeLessThan(1);
      }
    }
  });
});

test("a nose that is up is a negative tilt, a right side that is down a negative roll", async () => {
  const recording = madeRecording({
    times: [0, 1e9],
    fill: (state, time) =>
      putAircraft(state, [{ id: "a", place: [10, 20, 1000 + time / 1e9], rotation: [30, 5, 350] }]),
  });
  const [track] = kmlTracks((await exported(recording, "kml")).text);
  expect(track!.runs[0]!.map(({ angles }) => angles)).toEqual([
    [350, -5, -30],
    [350, -5, -30],
  ]);
});

test.each(["kml", "gpx", "czml"])("more things than there is memory for are over budget: %s", async (target) => {
  const crafts = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${n}`, place: [n / 100, 20, 1000] as const }));
  const of = (count: number) =>
    madeRecording({
      times: [0, 1e9],
      fill: (state) => putAircraft(state, crafts(count)),
      budget: new Budget(6 * 2 ** 20),
    });
  await expect(exported(of(3000), target)).rejects.toThrow(/^over budget: the ways of things would take/);
  expect((await exported(of(1000), target)).report.count).toBe(2000);
});

test("a thing that goes and comes again has several tracks without a line between", async () => {
  const recording = madeRecording({
    times: [0, 1, 2, 3, 4, 5].map((second) => second * 1e9),
    fill: (state, time) => putAircraft(state, time === 2e9 ? [] : [{ id: "a", place: [10 + time / 1e12, 20, 1000] }]),
  });
  const { text } = await exported(recording, "kml");
  const [track] = kmlTracks(text);
  expect(track!.runs.map((run) => run.length)).toEqual([2, 3]);
  expect(text).toContain("<gx:interpolate>0</gx:interpolate>");
  expect(text).not.toContain("gx:angles");
  if (has("gpsbabel"))
    expect([...gpsbabelReads(text, "kml").values()].flat().map((fixes) => fixes.length)).toEqual([2, 3]);
  if (has("xmllint")) expect(complaints(text, "kml.rng")).toBe("");
});

test("events are placemarks where their thing was, or the first thing; those before any fix are left out", async () => {
  const event = { channel: null, sequence: null, value: null };
  const recording = madeRecording({
    times: [0, 1e9, 2e9],
    fill: (state, time) => {
      const crafts = ["a", "b"].map((id, k) => ({ id, place: [10 + k, 20 + time / 1e9, 3000] as const }));
      putAircraft(state, crafts);
    },
    events: [
      { ...event, time: -5e9, kind: "message", text: "early", who: [] },
      { ...event, time: 1e9, kind: "chat", text: "b: hello", who: [{ set: "aircraft", id: "b", label: "B" }] },
      { ...event, time: 2e9, kind: "note", text: "the end", who: [{ set: "birds", id: "b", label: "B" }] },
    ],
  });
  const { text, report } = await exported(recording, "kml");
  const folder = elements(elements(root(text), "Document")[0]!, "Folder")[0]!;
  const read = elements(folder, "Placemark").map((placemark) => [
    content(placemark, "name"),
    content(placemark, "description"),
    content(elements(placemark, "TimeStamp")[0]!, "when"),
    content(elements(placemark, "Point")[0]!, "coordinates"),
  ]);
  expect(read).toEqual([
    ["chat", "b: hello", "2000-01-01T00:00:01.000Z", "21,11,914.4"],
    ["note", "the end", "2000-01-01T00:00:02.000Z", "22,10,914.4"],
  ]);
  expect(report.notes).toContain("events before the first fix are left out: 1");
  if (has("xmllint")) expect(complaints(text, "kml.rng")).toBe("");
});

test("names with marks of XML and control characters are text again when read", async () => {
  const recording = madeRecording({
    times: [0],
    fill: (state) => putAircraft(state, [{ id: "a", place: [10, 20, 0], label: `<"&'>]]>\u0000\ud800é`, kind: "x" }]),
  });
  const { text } = await exported(recording, "kml");
  expect(kmlTracks(text)[0]!.name).toBe(`<"&'>]]>\ufffd\ufffdé`);
  if (has("xmllint")) expect(complaints(text, "kml.rng")).toBe("");
});
