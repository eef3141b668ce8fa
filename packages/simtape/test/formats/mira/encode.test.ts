import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Axes,
  check,
  MemoryFiles,
  MutableState,
  open,
  placesOf,
  type Recording,
  type State,
  unsetOrigin,
  type Value,
} from "../../../src/index.ts";
import { toEuler } from "../../../src/model/axes/rotation.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { openTape, writing } from "./tapes.ts";

interface Encoded {
  readonly recording: Recording;
  readonly bytes: Uint8Array;
  readonly carried: ReadonlyMap<string, number>;
  readonly lost: ReadonlyMap<string, string>;
}

async function encoded(states: readonly State[]): Promise<Encoded> {
  const to = new MemoryFiles();
  const writer = await writing.create(to, { epoch: 1_777_883_400_000_000_000n });
  const carried = new Map<string, number>();
  const lost = new Map<string, string>();
  const encoder = writing.encoder(writer, {
    carried: (path, count = 1) => carried.set(path, (carried.get(path) ?? 0) + count),
    lost: (path, reason) => lost.set(path, reason),
    noted: () => undefined,
  });
  for (const state of states) encoder.step(state);
  encoder.end();
  await writer.close();
  const recording = await openTape(to.bytes);
  expect((await check(recording)).status).toBe("sound");
  return { recording, bytes: to.bytes, carried, lost };
}

const RIGHT: Axes = { handed: "right", up: "z", kind: "local" };
const LEFT: Axes = { handed: "left", up: "z", kind: "local" };

/** Places of a state, and the same as a tape's poses tell them, by path. */
function expectPlaces(state: State, tape: State, origin = unsetOrigin(), digits = 4): void {
  const places = placesOf(state, origin);
  expect(places.length).toBeGreaterThan(0);
  const poses = tape.sets.get("poses")!;
  const position = poses.columns.get("position")!.data as Float64Array;
  const rotation = poses.columns.get("rotation")!.data as Float64Array;
  expect(poses.ids).toHaveLength(places.length);
  for (const { set, id, x, y, z, orientation } of places) {
    const row = poses.ids.indexOf(`/${set}/${id}/Pose`);
    expect(row, `${set} ${id}`).toBeGreaterThanOrEqual(0);
    for (const [k, number] of [x, y, z].entries()) expect(position[3 * row + k]).toBeCloseTo(number, digits);
    const angles: [number, number, number] = [0, 0, 0];
    if (orientation !== null) toEuler(...orientation, angles, 0);
    for (const [k, angle] of angles.entries()) expect(Math.cos(rotation[3 * row + k]! - angle)).toBeCloseTo(1, 6);
  }
}

function vehicles(time: number, cells: readonly (readonly [number, number, number, number])[]): State {
  const state = new MutableState();
  const set = state.set("vehicles", LEFT);
  cells.forEach(([x, y, z, yaw], i) => {
    const row = set.row(i + 7);
    set.column("position", { kind: "f64", width: 3, unit: "cm" }).put3(row, x, y, z);
    set.column("rotation", { kind: "f64", width: 3, unit: "deg" }).put3(row, 0, 10, yaw);
    set.column("velocity", { kind: "f64", width: 3, unit: "cm/s" }).put3(row, 100 * i, 50, 0);
    set.column("kind", { kind: "string", width: 1, unit: null }).putText(row, "vehicle.tesla.model3");
    set.column("label", { kind: "string", width: 1, unit: null }).putText(row, i === 0 ? "hero" : "");
    set.column("color", { kind: "u8", width: 3, unit: null }).put3(row, 1, 2, 3);
  });
  state.time = time;
  return state.freeze();
}

describe("things with places", () => {
  test("become poses in metres, right-handed, with what they are beside them", async () => {
    const states = [
      vehicles(0, [
        [100, 200, 30, 90],
        [-500, 40, 0, -45],
      ]),
      vehicles(1e9, [
        [110, 200, 30, 95],
        [-500, 40, 0, -45],
      ]),
    ];
    const { recording, carried, lost } = await encoded(states);
    for (const state of states) expectPlaces(state, await recording.state(state.time));
    expect(recording.channels.map(({ name, schema }) => [name, schema.name])).toEqual([
      ["/vehicles/7/Pose", "mira::RigidTransform<float,3>"],
      ["/vehicles/7/Velocity", "mira::Point3f"],
      ["/vehicles/7/Kind", "std::string"],
      ["/vehicles/7/Label", "std::string"],
      ["/vehicles/8/Pose", "mira::RigidTransform<float,3>"],
      ["/vehicles/8/Velocity", "mira::Point3f"],
      ["/vehicles/8/Kind", "std::string"],
    ]);
    // Only what changed is written again.
    const statistics = await recording.statistics();
    expect(statistics.map(({ messages }) => messages)).toEqual([2, 1, 1, 1, 1, 1, 1]);
    const end = await recording.state(1e9);
    expect(end.values.get("/vehicles/8/Velocity")).toEqual({ x: 1, y: -0.5, z: 0 });
    expect(end.values.get("/vehicles/7/Kind")).toBe("vehicle.tesla.model3");
    expect(end.values.get("/vehicles/7/Label")).toBe("hero");
    expect(carried.get("vehicles")).toBe(3);
    expect([...lost.keys()]).toEqual(["vehicles/color"]);
    await recording.close();
  });

  test("that go, that have no rotation or no place, are accounted for", async () => {
    const state = (time: number, ids: readonly number[]): State => {
      const made = new MutableState();
      const set = made.set("particles", RIGHT);
      const signs = made.set("signs", RIGHT);
      signs.row(1);
      for (const id of ids) set.column("position", { kind: "f64", width: 3, unit: "nm" }).put3(set.row(id), id, 2, 3);
      made.time = time;
      return made.freeze();
    };
    const { recording, lost } = await encoded([state(0, [1, 2, 3]), state(5, [1, 3]), state(6, [1, 2, 3])]);
    expect(lost.get("particles/rotation")).toContain("written as no rotation");
    expect(lost.get("particles")).toContain("cannot say that a thing is gone");
    expect(lost.get("signs")).toContain("no position");
    expectPlaces(state(6, [1, 2, 3]), await recording.state(6), unsetOrigin(), 12);
    await recording.close();
  });

  test("far away, or on the earth, are reported in doubles", async () => {
    const state = new MutableState();
    const far = state.set("balloons", RIGHT);
    far.column("position", { kind: "f64", width: 3, unit: "km" }).put3(far.row("b"), 123.456789, -1, 2);
    const aircraft = state.set("aircraft", { handed: "right", up: "z", kind: "geodetic" });
    const geodetic = aircraft.column("geodetic", { kind: "f64", width: 3, unit: null });
    geodetic.put3(aircraft.row("own"), 37.6, -122.4, 1000);
    geodetic.put3(aircraft.row("other"), 37.7, -122.3, 2000);
    aircraft.column("rotation", { kind: "f64", width: 3, unit: "deg" }).put3(aircraft.row("own"), 1, 5, 280);
    const { recording } = await encoded([state.freeze()]);
    const origin = unsetOrigin();
    const end = await recording.state(0);
    expectPlaces(state.freeze(), end, origin, 9);
    expect(end.values.get("/Origin/Latitude")).toBe(origin.latitude);
    expect(end.values.get("/Origin/Altitude")).toBeCloseTo(609.6, 9);
    expect(recording.channel("/balloons/b/Pose").schema.name).toBe("mira::RigidTransform<double,3>");
    await recording.close();
  });
});

describe("values", () => {
  const stateOf = (time: number, values: Readonly<Record<string, Value>>): State => ({
    time,
    values: new Map(Object.entries(values)),
    sets: new Map(),
  });

  test("keep their types and bits", async () => {
    const values: Record<string, Value> = {
      "/number": 0.1,
      "/nan": Number.NaN,
      "/tiny": 1e-300,
      "/flag": true,
      "/text": "Grüße ✓",
      "/empty": "",
      "/large": 2n ** 60n,
      "/huge": 2n ** 63n + 5n,
      "/bytes": Uint8Array.of(1, 2, 3),
      "/floats": Float32Array.of(1.5, -2),
      "/doubles": Float64Array.of(0.1, 1e10),
      "/integers": Int32Array.of(-1, 7),
      "/unsigned": Uint32Array.of(1, 0xffff_ffff),
      "/shorts": Uint16Array.of(1, 0xffff),
      "/list": [1.5, 2, 3],
      "/names": ["a", "", "bc"],
    };
    const { recording, lost, carried } = await encoded([stateOf(0, values), stateOf(1, { ...values, "/number": 0.2 })]);
    expect([...lost]).toEqual([]);
    const { values: read } = await recording.state(1);
    const expected = { ...values, "/number": 0.2, "/list": Float64Array.of(1.5, 2, 3) };
    expect(Object.fromEntries(read)).toEqual(expected);
    expect((await recording.state(0)).values.get("/number")).toBe(0.1);
    expect(carried.get("/number")).toBe(2);
    expect(carried.get("/bytes")).toBe(1);
    await recording.close();
  });

  test("members of objects have channels of their own", async () => {
    const { recording } = await encoded([stateOf(0, { simulation: { name: "run", box: { x: 1, y: 2 } } })]);
    expect(Object.fromEntries((await recording.state(0)).values)).toEqual({
      "/simulation/name": "run",
      "/simulation/box/x": 1,
      "/simulation/box/y": 2,
    });
    await recording.close();
  });

  test("that a tape has no room for, that go, or change their type, are accounted for", async () => {
    const { recording, lost } = await encoded([
      stateOf(0, { "/a": 1, "/b": "x", "/none": null, "/mixed": [1, "x"], "/wide": 2n ** 64n, "bad\nname": 1 }),
      stateOf(1, { "/a": "one" }),
    ]);
    expect([...lost.keys()].toSorted()).toEqual(["/a", "/b", "/mixed", "/none", "/wide", "bad\nname"]);
    expect(lost.get("/a")).toContain("its type changed");
    expect(lost.get("/b")).toContain("cannot say that a value is gone");
    expect(recording.channels.map(({ name }) => name)).toEqual(["/a", "/b"]);
    await recording.close();
  });
});

test.each([
  ["flightgear", "flightgear/c172p-normal-mp.fgtape"],
  ["hcrp", "hcrp/plain.hcrp"],
  ["nanover", "nanover/buckyball.nanover.zip"],
])("a recording of %s shows its things at their places", async (_format, path) => {
  const file = new Uint8Array(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url)));
  await using source = await open(bundleOfFiles({ [path.split("/")[1]!]: file }));
  const { start, end } = await source.timeline();
  const states: State[] = [];
  for (let i = 0; i <= 4; i++) states.push(await source.state(start + ((end - start) * i) / 4));
  const { recording } = await encoded(states);
  const origin = unsetOrigin();
  for (const state of states) placesOf(state, origin);
  const last = states.at(-1)!;
  const count = placesOf(last, origin).length;
  const tape = await recording.state(last.time);
  expect(tape.sets.get("poses")!.ids.length).toBeGreaterThanOrEqual(count);
  const first = unsetOrigin();
  placesOf(states.find((state) => placesOf(state, unsetOrigin()).length > 0)!, first);
  const shown = tape.sets.get("poses")!;
  const position = shown.columns.get("position")!.data as Float64Array;
  for (const { set, id, x, y, z } of placesOf(last, first)) {
    const row = shown.ids.indexOf(`/${set}/${id}/Pose`);
    const scale = Math.max(1e-9, Math.abs(x), Math.abs(y), Math.abs(z));
    for (const [k, number] of [x, y, z].entries()) {
      expect(Math.abs(position[3 * row + k]! - number) / scale).toBeLessThan(1e-6);
    }
  }
  await recording.close();
});
