import { describe, expect, test } from "vitest";
import { encoder } from "../../../src/formats/flightgear/write/encode.ts";
import { createWriter } from "../../../src/formats/flightgear/write/writer.ts";
import {
  type Axes,
  type CreateOptions,
  MemoryFiles,
  MutableState,
  type Origin,
  originAt,
  placesOf,
  type Reader,
  type State,
  TangentPlane,
  unsetOrigin,
} from "../../../src/index.ts";
import { Fold } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { Ledger } from "../../../src/ops/convert.ts";
import { makeContinuous } from "../../fixtures/flightgear/make.ts";
import { readerOf } from "./specimens.ts";

const F64 = { kind: "f64", width: 3, unit: "m" } as const;
const TEXT = { kind: "string", width: 1, unit: null } as const;
const RIGHT: Axes = { handed: "right", up: "z", kind: "local" };

interface Encoded {
  readonly reader: Reader;
  readonly ledger: Ledger;
  readonly findings: Findings;
  stateAt(seconds: number): Promise<State>;
}

async function encoded(
  states: Iterable<State>,
  options: CreateOptions = {},
  origin: Origin = unsetOrigin(),
): Promise<Encoded> {
  const files = new MemoryFiles();
  const writer = await createWriter(files, options);
  const ledger = new Ledger();
  const steps = encoder(writer, ledger, origin);
  for (const state of states) steps.step(state);
  steps.end();
  await writer.close();
  const findings = new Findings();
  const reader = await readerOf(files.bytes, findings);
  const fold = new Fold(reader);
  return { reader, ledger, findings, stateAt: async (seconds) => (await fold.at(seconds * 1e9)).freeze() };
}

/** A parked lorry, a car that drives north-east and a walker, ten states a second. */
function* street(axes: Axes = RIGHT, scale = 1): Generator<State> {
  const state = new MutableState();
  const turn = (x: number, y: number, z: number): [number, number, number] =>
    axes.handed === "left" ? [x * scale, -y * scale, z * scale] : [x * scale, y * scale, z * scale];
  const unit = scale === 100 ? "cm" : "m";
  for (let k = 0; k <= 20; k++) {
    state.time = k * 1e8;
    const walkers = state.set("walkers", axes);
    walkers.column("position", { ...F64, unit }).put3(walkers.row(7), ...turn(5, k * 0.1, 0));
    const vehicles = state.set("vehicles", axes);
    const position = vehicles.column("position", { ...F64, unit });
    const rotation = vehicles.column("rotation", { ...F64, unit: "deg" });
    position.put3(vehicles.row(1), ...turn(100, 50, 2));
    position.put3(vehicles.row(2), ...turn(k, k, 10));
    rotation.put3(vehicles.row(2), 0, 0, axes.handed === "left" ? -45 : 45);
    vehicles.column("kind", TEXT).putText(vehicles.row(2), "vehicle.car");
    vehicles.column("color", { ...F64, unit: null }).put3(vehicles.row(2), 255, 0, 10);
    state.setValue("frame", k);
    state.setValue("weather", { rain: 0.25, name: k < 10 ? "clear" : "café" });
    state.setValue("scan", new Float32Array(100));
    if (k < 15) state.setValue("note", "early");
    else state.deleteValue("note");
    yield state.freeze();
  }
}

describe("an encoder", () => {
  test.each([
    ["metres, right-handed", RIGHT, 1],
    ["centimetres, left-handed", { ...RIGHT, handed: "left" } as const, 100],
  ])("puts what moves first where it is on the earth: %s", async (_, axes, scale) => {
    const { findings, stateAt } = await encoded(street(axes, scale), {}, originAt(47, 8, 400));
    expect(findings.list()).toEqual([]);
    const state = await stateAt(2);
    const { ids, columns } = state.sets.get("aircraft")!;
    expect(ids).toEqual(["1", "7", "self"]);
    const expected: [number, number, number] = [0, 0, 0];
    new TangentPlane(originAt(47, 8, 400)).toGeodetic(20, 20, 10, expected, 0);
    const geodetic = columns.get("geodetic")!.data as Float64Array;
    const own = ids.indexOf("self");
    expect(geodetic[3 * own]).toBeCloseTo(expected[0], 9);
    expect(geodetic[3 * own + 1]).toBeCloseTo(expected[1], 9);
    expect(geodetic[3 * own + 2]! * 0.3048).toBeCloseTo(410, 3);
    // North-east is heading 45.
    const rotation = columns.get("rotation")!.data as Float64Array;
    expect([...rotation.subarray(3 * own, 3 * own + 3)].map(Math.round)).toEqual([0, 0, 45]);
    const velocity = columns.get("velocity")!.data as Float64Array;
    expect(velocity[3 * own]).toBeCloseTo(Math.hypot(10, 10), 3);
    expect(velocity[3 * own + 1]).toBeCloseTo(0, 3);
  });

  test("keeps all distances between things", async () => {
    const { stateAt } = await encoded(street());
    const places = placesOf(await stateAt(2), unsetOrigin());
    const at = (id: string) => places.find((place) => place.id === id)!;
    const self = at("self");
    expect(at("1").x - self.x).toBeCloseTo(80, 2);
    expect(at("1").y - self.y).toBeCloseTo(30, 2);
    expect(at("1").z - self.z).toBeCloseTo(-8, 2);
    expect(at("7").y - self.y).toBeCloseTo(-18, 2);
    const [x, y, z, w] = self.orientation!;
    const turn = Math.abs(z - Math.sin(Math.PI / 8)) + Math.abs(w - Math.cos(Math.PI / 8));
    expect(turn + Math.abs(x) + Math.abs(y)).toBeLessThan(1e-4);
  });

  test("makes values properties, and takes out what is gone", async () => {
    const { stateAt, ledger } = await encoded(street());
    const { values } = await stateAt(1);
    expect(values.get("/simtape/frame")).toBe("10");
    expect(values.get("/simtape/weather/rain")).toBe("0.25");
    expect(values.get("/simtape/weather/name")).toBe("café");
    expect(values.get("/simtape/note")).toBe("early");
    expect(values.get("/simtape/aircraft/self/kind")).toBe("vehicle.car");
    expect(values.get("/simtape/aircraft/self/set")).toBe("vehicles");
    expect(values.get("/simtape/aircraft/self/color")).toBe("255");
    expect(values.get("/simtape/aircraft/self/color[2]")).toBe("10");
    expect((await stateAt(2)).values.has("/simtape/note")).toBe(false);
    const { carried, lost } = ledger.report(false, 0);
    expect(lost.map(({ path }) => path)).toEqual(["scan"]);
    expect(carried.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["vehicles", "walkers", "frame", "weather", "note"]),
    );
  });

  test("tells what a kind of tape cannot hold", async () => {
    const { ledger, stateAt } = await encoded(street(), { dialect: "normal" });
    const { lost } = ledger.report(false, 0);
    expect(lost.map(({ path }) => path)).toEqual(expect.arrayContaining(["frame", "weather", "scan", "note"]));
    expect((await stateAt(2)).sets.get("aircraft")!.ids).toEqual(["1", "7", "self"]);
  });

  test("makes a Recovery tape of how it was in the end", async () => {
    const { reader, ledger } = await encoded(street(), { dialect: "recovery" });
    expect(reader.info.metadata).toMatchObject({ kind: "recovery", frames: 1 });
    expect(ledger.report(false, 0).lost.map(({ path }) => path)).toContain("walkers");
  });

  test("reports the one earlier moment that a Recovery tape of two loses", async () => {
    const { ledger } = await encoded([...street()].slice(0, 2), { dialect: "recovery" });
    expect(ledger.report(false, 0).lost).toContainEqual(expect.objectContaining({ path: "time", count: 1 }));
  });

  test("tells that a thing is gone, which no tape can", async () => {
    const states = [...street()].map((state, k) => {
      if (k < 10) return state;
      return { ...state, sets: new Map([...state.sets].filter(([name]) => name !== "walkers")) };
    });
    const { ledger, stateAt } = await encoded(states);
    expect(ledger.report(false, 0).lost).toContainEqual(expect.objectContaining({ path: "walkers/7", count: 1 }));
    expect((await stateAt(2)).values.has("/simtape/aircraft/7/id")).toBe(false);
  });

  test("of another tape keeps its aircraft where they are", async () => {
    const source = await readerOf(makeContinuous());
    const fold = new Fold(source);
    const states: State[] = [];
    for (let k = 0; k < 40; k++) states.push((await fold.at(Math.round(k * 5e7))).freeze());
    const { stateAt, findings } = await encoded(states);
    expect(findings.list()).toEqual([]);
    for (const k of [5, 20, 39]) {
      const [expected, found] = [states[k]!, await stateAt(k * 0.05)].map((state) => state.sets.get("aircraft")!);
      expect(found!.ids).toEqual(expected!.ids);
      const columns = (name: string) => [expected!, found!].map((set) => set.columns.get(name)!.data as Float64Array);
      const [a, b] = columns("geodetic") as [Float64Array, Float64Array];
      for (let i = 0; i < a.length; i++) expect(b[i]).toBeCloseTo(a[i]!, i % 3 === 2 ? 3 : 8);
      const [c, d] = columns("rotation") as [Float64Array, Float64Array];
      for (let i = 0; i < c.length; i++) expect(Math.cos(((c[i]! - d[i]!) * Math.PI) / 180)).toBeCloseTo(1, 5);
    }
  });

  test("of a state without places writes values alone", async () => {
    const state = new MutableState();
    const states = [0, 1, 2].map((k) => {
      state.time = k * 1e9;
      state.setValue("a b/c[1]", k);
      return state.freeze();
    });
    const { stateAt } = await encoded(states);
    expect(Object.fromEntries((await stateAt(1)).values)).toEqual({ "/simtape/a_b/c[1]": "1" });
  });
});
