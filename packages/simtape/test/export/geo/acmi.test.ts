import { describe, expect, test } from "vitest";
import type { RecordingEvent } from "../../../src/index.ts";
import { samplesDirectory } from "../../samples.ts";
import {
  aircraftAt,
  CRASH,
  exported,
  fiftyTimes,
  fixAt,
  FLIGHT,
  madeRecording,
  opened,
  putAircraft,
  type ReadFix,
  zeroOf,
} from "./support.ts";

interface AcmiObject {
  readonly properties: Map<string, string>;
  readonly fixes: (ReadFix & { readonly angles: readonly number[] })[];
  removed: number | null;
}

interface Acmi {
  readonly global: Map<string, string>;
  readonly objects: Map<string, AcmiObject>;
  readonly events: { readonly time: number; readonly parts: readonly string[] }[];
}

/**
 * Reads ACMI 2.2 by tacview.net/documentation/acmi: two lines of header, `#` and seconds, `-` and an id, else an id and
 * properties; a backslash takes its meaning from a comma. `T` has 3, 5, 6 or 9 parts, and an empty one is as before.
 */
function readAcmi(text: string): Acmi {
  const lines = text.split("\n");
  expect(lines[0]).toBe("FileType=text/acmi/tacview");
  expect(lines[1]).toMatch(/^FileVersion=2\.[12]$/);
  const acmi: Acmi = { global: new Map(), objects: new Map(), events: [] };
  let time = 0;
  for (const line of lines.slice(2)) {
    if (line === "" || line.startsWith("//")) continue;
    if (line.startsWith("#")) {
      expect(Number(line.slice(1))).toBeGreaterThanOrEqual(time);
      time = Number(line.slice(1));
      continue;
    }
    if (line.startsWith("-")) {
      acmi.objects.get(line.slice(1))!.removed = now(acmi, time);
      continue;
    }
    const [id, ...properties] = line.split(/(?<!\\),/) as [string, ...string[]];
    expect(id).toMatch(/^[0-9a-f]{1,16}$/i);
    for (const property of properties) {
      const [, name, value] = /^(\w+)=(.*)$/.exec(property) as unknown as [string, string, string];
      put(acmi, id, name, value.replaceAll("\\,", ","), time);
    }
  }
  return acmi;
}

function put(acmi: Acmi, id: string, name: string, value: string, time: number): void {
  if (id === "0") {
    if (name === "Event") acmi.events.push({ time: now(acmi, time), parts: value.split("|") });
    else acmi.global.set(name, value);
    return;
  }
  const object = acmi.objects.get(id) ?? { properties: new Map<string, string>(), fixes: [], removed: null };
  acmi.objects.set(id, object);
  expect(object.removed).toBeNull();
  if (name !== "T") {
    object.properties.set(name, value);
    return;
  }
  const parts = value.split("|");
  expect([3, 5, 6, 9]).toContain(parts.length);
  const [longitude, latitude, height] = parts.map(Number) as [number, number, number];
  const angles = parts.length >= 6 ? parts.slice(3, 6).map(Number) : [];
  object.fixes.push({ time: now(acmi, time), latitude, longitude, height, angles });
}

function now({ global }: Acmi, seconds: number): number {
  return Date.parse(global.get("ReferenceTime")!) + seconds * 1000;
}

describe.skipIf(samplesDirectory === null)("ACMI of real flights", () => {
  for (const name of [FLIGHT, CRASH]) {
    test(`has every aircraft where the state has it, and how it lies, at fifty times: ${name}`, async () => {
      await using recording = await opened(name);
      const { text, report } = await exported(recording, "acmi");
      const { objects } = readAcmi(text);
      const zero = await zeroOf(recording);
      let compared = 0;
      for (const time of await fiftyTimes(recording)) {
        const set = (await recording.state(time)).sets.get("aircraft")!;
        const rotation = set.columns.get("rotation")!.data as unknown as Float64Array;
        for (const [id, place] of await aircraftAt(recording, time)) {
          const call = id === "self" ? "c172p" : id;
          const object = [...objects.values()].find(({ properties }) => properties.get("CallSign") === call)!;
          expect(object.properties.get("Type")).toBe("Air+FixedWing");
          expect(object.properties.get("Name")).toBe("c172p");
          expect(object.properties.get("Color") === "Blue").toBe(id === "self");
          const fix = fixAt(object.fixes, zero + time / 1e6)!;
          expect(Math.abs(fix.latitude - place[0]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.longitude - place[1]!)).toBeLessThan(1e-9);
          expect(Math.abs(fix.height - place[2]!)).toBeLessThan(1e-3);
          const row = set.ids.indexOf(id);
          for (let k = 0; k < 3; k++) {
            const turn = (fix.angles[k]! - rotation[3 * row + k]!) / 360;
            expect(Math.abs(turn - Math.round(turn)) * 360).toBeLessThan(2e-3);
          }
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(100);
      expect(report.count).toBe([...objects.values()].reduce((sum, { fixes }) => sum + fixes.length, 0));
    });
  }

  test("has what pilots said, at its time and of them", async () => {
    await using recording = await opened(CRASH);
    const { events, objects } = readAcmi((await exported(recording, "acmi")).text);
    const pilot = [...objects].find(([, { properties }]) => properties.get("CallSign") === "TEST2")![0];
    const zero = await zeroOf(recording);
    const real: RecordingEvent[] = [];
    for await (const some of recording.events({ kinds: ["chat"] })) real.push(...some);
    const said = events.filter(({ parts }) => parts[0] === "Message" && parts[1] === pilot);
    expect(said.map(({ parts, time }) => [Math.round((time - zero) * 1e6), parts[2]])).toEqual([
      [0, "TEST2 joins"],
      ...real.map(({ time, text }) => [time, text]),
    ]);
    expect(real.length).toBeGreaterThan(1);
  });
});

test("an aircraft takes off with its last wheel, lands with its first, and crashes", async () => {
  const who = [{ set: "aircraft", id: "a", label: "A" }];
  const event = (time: number, kind: string, text: string): object => ({
    time: time * 1e9,
    kind,
    text,
    who,
    channel: null,
    sequence: null,
    value: null,
  });
  const recording = madeRecording({
    times: [0, 1, 2, 3, 4, 5, 6].map((second) => second * 1e9),
    epoch: 1_700_000_000_250_000_000n,
    fill: (state, time) =>
      putAircraft(state, [{ id: "a", place: [10 + time / 1e12, 20, 0], label: "A, the|first\\one" }]),
    events: [
      event(1, "liftoff", "gear/gear leaves the ground"),
      event(2, "liftoff", "gear/gear[1] leaves the ground"),
      event(4, "touchdown", "gear/gear[1] touches the ground"),
      event(5, "touchdown", "gear/gear touches the ground"),
      event(6, "crash", "the aircraft crashes, and burns"),
    ] as never,
  });
  const { global, events, objects } = readAcmi((await exported(recording, "acmi")).text);
  expect(global.get("ReferenceTime")).toBe("2023-11-14T22:13:20Z");
  expect(global.get("DataSource")).toBe("made");
  expect(events.map(({ time, parts }) => [(time - 1_700_000_000_250) / 1000, ...parts.slice(0, 2)])).toEqual([
    [1, "Message", "1"],
    [2, "TakenOff", "1"],
    [4, "Landed", "1"],
    [5, "Message", "1"],
    [6, "Destroyed", "1"],
  ]);
  expect(events.at(-1)!.parts[2]).toBe("the aircraft crashes, and burns");
  expect(objects.get("1")!.properties.get("CallSign")).toBe("A, the/first/one");
});

test("what goes is removed at the first time without it, and comes again as another object", async () => {
  const recording = madeRecording({
    times: [0, 1, 2, 3].map((second) => second * 1e9),
    fill: (state, time) =>
      putAircraft(state, time === 1e9 ? [] : [{ id: "a", place: [10, 20, 0], rotation: [1, 2, 3] }]),
  });
  const { objects } = readAcmi((await exported(recording, "acmi")).text);
  const zero = Date.UTC(2000, 0, 1);
  expect([...objects.values()].map(({ removed }) => (removed === null ? null : removed - zero))).toEqual([1000, null]);
  expect([...objects.values()].map(({ fixes }) => fixes.map(({ time }) => time - zero))).toEqual([[0], [2000, 3000]]);
  expect(objects.get("2")!.fixes[0]!.angles).toEqual([1, 2, 3]);
});
