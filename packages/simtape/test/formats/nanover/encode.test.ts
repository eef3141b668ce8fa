import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { encoder } from "../../../src/formats/nanover/write/encode.ts";
import { create } from "../../../src/formats/nanover/write/writer.ts";
import { writing } from "../../../src/formats/nanover/writing.ts";
import {
  check,
  convert,
  MemoryFiles,
  MutableState,
  open as openRecording,
  placesOf,
  type Recording,
  type State,
  unsetOrigin,
  type Value,
} from "../../../src/index.ts";
import { Ledger } from "../../../src/ops/convert.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { comparable, type Files, filesOf } from "./helpers.ts";

function fixture(path: string): Uint8Array {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url))));
}

function open(files: Files): Promise<Recording> {
  return openRecording(bundleOfFiles(files));
}

/** States one after another, written and opened again. */
async function written(states: readonly State[], name: string, dialect?: string): Promise<[Recording, Ledger, Files]> {
  const to = new MemoryFiles(name);
  const writer = await create(to, { dialect });
  const ledger = new Ledger();
  const encoding = encoder(writer, ledger);
  for (const state of states) encoding.step(state);
  encoding.end();
  await writer.close();
  const files = filesOf(to);
  const recording = await open(files);
  expect((await check(recording)).status).toBe("sound");
  return [recording, ledger, files];
}

function town(time: number, make: (state: MutableState) => void = () => undefined): State {
  const state = new MutableState();
  state.time = time;
  const vehicles = state.set("vehicles", { handed: "left", up: "z", kind: "local" });
  const position = vehicles.column("position", { kind: "f64", width: 3, unit: "cm" });
  for (const [id, x] of [
    [7, 100],
    [9, 250],
  ] as const) {
    position.put3(vehicles.row(id), x + time / 1e6, 40, 5);
    vehicles.column("kind", { kind: "string", width: 1, unit: null }).putText(vehicles.row(id), "vehicle.a");
    vehicles.column("gear", { kind: "i32", width: 1, unit: null }).put(vehicles.row(id), 2);
  }
  state.setValue("weather/rain", 0.25);
  state.setValue("map", "Town01");
  make(state);
  return state.freeze();
}

describe("things of other formats become particles", () => {
  for (const name of ["a.nanover.zip", "a.traj"]) {
    test(`at their places, in nm, right-handed: ${name}`, async () => {
      const [recording, ledger] = await written([town(0), town(50e6), town(100e6)], name);
      const state = await recording.state(50e6);
      const particles = state.sets.get("particles")!;
      const data = particles.columns.get("position")!.data as Float32Array;
      expect(Array.from(data)).toEqual(Array.from(Float32Array.of(1.5e9, -0.4e9, 0.05e9, 3e9, -0.4e9, 0.05e9)));
      expect(particles.columns.get("label")!.data).toEqual(["7", "9"]);
      expect(particles.columns.get("kind")!.data).toEqual(["vehicle.a", "vehicle.a"]);
      expect(Array.from(particles.columns.get("element")!.data as Uint32Array)).toEqual([0, 0]);
      expect(state.values.get("residue.names")).toEqual(["vehicles"]);
      expect(state.values.get("system.simulation.time")).toBe(50e9);
      expect([state.values.get("weather/rain"), state.values.get("map")]).toEqual([0.25, "Town01"]);
      const { carried, lost } = ledger.report(false, 3);
      expect(carried).toContainEqual({ path: "vehicles", count: 6 });
      expect(carried).toContainEqual({ path: "map", count: 1 });
      expect(lost).toEqual([{ path: "vehicles/gear", reason: "NanoVer's particles have no such property", count: 6 }]);
    });
  }
  test("frames hold only what changed, and begin again when other things are there or a value is gone", async () => {
    const third = town(100e6, (state) => state.set("vehicles").remove(7));
    const fourth = town(150e6, (state) => {
      state.set("vehicles").remove(7);
      state.deleteValue("map");
    });
    const [recording] = await written([town(0), town(50e6), third, third, fourth], "a.zip");
    const frames: Record<string, Value>[] = [];
    const keyframes: boolean[] = [];
    for await (const message of recording.messages(recording.channels[0])) {
      frames.push(message.value as Record<string, Value>);
      keyframes.push(message.keyframe);
    }
    expect(keyframes).toEqual([true, false, true, true]);
    expect(Object.keys(frames[1]!).sort()).toEqual(["frame.index", "particle.positions", "system.simulation.time"]);
    expect(frames.map((frame) => frame["system.simulation.counter"])).toEqual([0, undefined, 1, 2]);
    expect(frames[2]!["bond.pairs"]).toEqual(new Uint32Array(0));
    expect((await recording.state(150e6)).values.has("map")).toBe(false);
  });
  test("velocities are in nm/ps; sets without places, big values and names with a meaning are accounted for", async () => {
    const state = town(0, (made) => {
      const set = made.set("walkers", { handed: "right", up: "z", kind: "local" });
      const row = set.row("w");
      set.column("position", { kind: "f64", width: 3, unit: "m" }).put3(row, 1, 2, 3);
      set.column("velocity", { kind: "f64", width: 3, unit: "m/s" }).put3(row, 1, 0, -2);
      made.set("lamps").row(1);
      made.setValue("picture", new Uint8Array(100_000));
      made.setValue("particle.count", 5);
      made.setValue("huge", 2n ** 60n);
      made.setValue("small", 12n);
      made.setValue("scan", Float64Array.of(0.5, 0.1));
      made.setValue("deep", { list: [1, { text: "a" }, new Int32Array(2)] });
    });
    for (const name of ["a.zip", "a.traj"]) {
      const [recording, ledger] = await written([state], name);
      const made = await recording.state(0);
      const velocity = made.sets.get("particles")!.columns.get("velocity")!;
      expect(Array.from(velocity.data as Float32Array).slice(6)).toEqual(Array.from(Float32Array.of(0.001, 0, -0.002)));
      expect(velocity.data[0]).toBeNaN();
      expect(made.values.get("small")).toBe(12);
      expect(Array.from(made.values.get("scan") as Float64Array)).toEqual([0.5, 0.1]);
      const { lost } = ledger.report(false, 1);
      expect(lost.map(({ path }) => path).sort()).toEqual([
        "huge",
        "lamps",
        "particle.count",
        "picture",
        "vehicles/gear",
      ]);
    }
  });
  test("times before 0 are moved where the container counts from 0", async () => {
    const [recording, ledger] = await written([town(-1500), town(0)], "a.traj");
    expect((await recording.timeline()).start).toBe(1000);
    expect(ledger.report(false, 2).lost.filter(({ path }) => path === "time").length).toBe(2);
    const [zipped] = await written([town(-1500)], "a.zip");
    expect((await zipped.timeline()).start).toBe(-1500);
  });
  test("version 1 refuses when other things are there", async () => {
    const other = town(100e6, (state) => state.set("vehicles").remove(7));
    await expect(written([town(0), other], "a.traj", "v1")).rejects.toThrow(/begins again/);
    const [recording] = await written([town(0), town(50e6)], "a.traj", "v1");
    expect(recording.info.version).toBe("1");
  });
});

describe("recordings of other formats", () => {
  const sources: [string, string][] = [
    ["patrol.tape", "mira/patrol.tape"],
    ["c172p.fgtape", "flightgear/c172p-normal-mp.fgtape"],
    ["race.hcrp", "hcrp/tower-race.hcrp"],
  ];
  test.each(sources)("%s shows everything at its place", async (name, path) => {
    const source = await open({ [name]: fixture(path) });
    const { start, end } = await source.timeline();
    for (const target of ["a.nanover.zip", "a.traj"]) {
      const to = new MemoryFiles(target);
      const report = await convert(source, writing, to);
      expect(report.carried.length).toBeGreaterThan(0);
      const result = await open(filesOf(to));
      expect((await check(result)).status).toBe("sound");
      // The plane touches the earth where the first thing is met, so the first state goes first.
      const origin = unsetOrigin();
      for (const part of [0, 0.3, 0.7, 1]) {
        const at = Math.round((start + (end - start) * part) / 1e6) * 1e6;
        const expected = placesOf(await source.state(at + 1000), origin);
        const found = placesOf(await result.state(at - start + 1000), unsetOrigin()).filter(
          ({ set }) => set === "particles",
        );
        expect(found.length).toBe(expected.length);
        expected.forEach(({ x, y, z, kind }, i) => {
          const particle = found[i]!;
          const reach = 1e-6 * Math.max(1, Math.abs(x), Math.abs(y), Math.abs(z));
          expect(Math.hypot(particle.x - x, particle.y - y, particle.z - z)).toBeLessThan(reach);
          expect(particle.kind).toBe(kind);
        });
      }
      await result.close();
    }
  });
});

describe("a part of a NanoVer recording", () => {
  test.each(["b.nanover.zip", "b.traj"])("goes through state unchanged: %s", async (target) => {
    const source = await open({ "a.nanover.zip": fixture("nanover/buckyball.nanover.zip") });
    const to = new MemoryFiles(target);
    const report = await convert(source, writing, to, { from: 1.2e9 });
    expect(report.lost).toEqual([]);
    const result = await open(filesOf(to));
    expect((await check(result)).status).toBe("sound");
    const plain = (state: State): unknown => {
      const { values, sets } = comparable(state) as { values: Record<string, unknown>; sets: object };
      const { "frame.index": _, ...rest } = values;
      return JSON.parse(JSON.stringify({ sets, rest }));
    };
    for (const at of [1.3e9, 2.2e9, 3.6e9, 4.2e9, 4.9e9]) {
      expect(plain(await result.state(at - 1.2e9)), `at ${at}`).toEqual(plain(await source.state(at)));
    }
  });
});
