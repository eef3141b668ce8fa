import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import { type PhysicsControl, writePhysicsControl } from "../../../src/formats/carla/layout/physics.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import { MemoryFiles, open as openRecording, type Recording } from "../../../src/index.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { bundleOfFiles, describeFormat, type Specimen } from "../../conformance/describe-format.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";

const made: Specimen[] = RELEASES.map((release) => ({
  name: `made ${release.name}`,
  files: { "town.log": makeTown(release) },
}));
const whole = makeTown(RELEASES[5]!, 10);
const broken = whole.slice();
broken.fill(0xee, 3000, 3040);
const damaged: Specimen[] = [
  { name: "cut in a packet", files: { "cut.log": whole.slice(0, whole.length - 40) }, isDamaged: true },
  { name: "overwritten in the middle", files: { "broken.log": broken }, isDamaged: true },
];
const real: Specimen[] = sampleNames("carla")
  .filter((name) => name.endsWith(".log"))
  .map((name) => ({ name, files: { [name]: sampleBytes(`carla/${name}`) } }));

describeFormat(carla, [...made, ...damaged, ...real]);

describe("the dialect of a release is reported by shape", () => {
  test.each(RELEASES)("$name", async (release) => {
    await using recording = await openRecording(bundleOfFiles({ "town.log": makeTown(release) }), { formats: [carla] });
    const names = new Set(recording.channels.map(({ name }) => name));
    for (const [packet, kind] of Object.entries(release.late)) {
      const channel = recording.channels.find(({ metadata }) => metadata["packet"] === packet)!;
      expect(channel.name).toBe(kind);
    }
    expect(names.has("packet-139")).toBe(true);
    expect(recording.info.metadata["vectors"]).toBe(release.scalar === 4 ? "float32" : "float64");
    if (release.until >= 15) expect(recording.info.metadata["wheelBytes"]).toBe(release.wheel);
  });
});

describe("state", () => {
  const open = () => openRecording(bundleOfFiles({ "town.log": makeTown(RELEASES[5]!) }), { formats: [carla] });

  test("resolves an actor spawned on another to the world and carries it along", async () => {
    await using recording = await open();
    const { end } = await recording.timeline();
    const state = await recording.state(end);
    const [x, y, z] = state.sets.get("vehicles")!.columns.get("position")!.data as Float64Array;
    const yaw = ((state.sets.get("vehicles")!.columns.get("rotation")!.data as Float64Array)[2]! * Math.PI) / 180;
    const sensor = state.sets.get("sensors")!;
    expect(sensor.ids).toEqual([29]);
    const [sx, sy, sz] = sensor.columns.get("position")!.data as Float64Array;
    expect(sx).toBeCloseTo(x! + 100 * Math.cos(yaw), 3);
    expect(sy).toBeCloseTo(y! + 100 * Math.sin(yaw), 3);
    expect(sz).toBeCloseTo(z! + 280, 3);
    expect((sensor.columns.get("parent")!.data as Float64Array)[0]).toBe(24);
  });

  test("forgets what is destroyed", async () => {
    await using recording = await open();
    const { end } = await recording.timeline();
    expect((await recording.state(0)).sets.get("walkers")!.ids).toEqual([26]);
    expect((await recording.state(end)).sets.get("walkers")!.ids).toEqual([]);
  });

  test("interpolates when asked and only then", async () => {
    await using recording = await open();
    const x = async (time: number, interpolate: boolean): Promise<number> =>
      (
        (await recording.state(time, { interpolate })).sets.get("vehicles")!.columns.get("position")!
          .data as Float64Array
      )[0]!;
    const [a, b] = [await x(50e6, false), await x(100e6, false)];
    expect(await x(75e6, false)).toBe(a);
    expect(await x(75e6, true)).toBeCloseTo((a + b) / 2, 6);
    expect(a).not.toBe(b);
  });
});

describe("findings", () => {
  test("name the place where a recording was cut, and everything before it is read", async () => {
    await using recording = await openRecording(bundleOfFiles({ "cut.log": damaged[0]!.files["cut.log"]! }), {
      formats: [carla],
    });
    expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([["truncated", "loss"]]);
    const statistics = await recording.statistics();
    expect(statistics[recording.channel("frame-start").id]!.messages).toBe(10);
  });

  test("a damaged frame costs only itself", async () => {
    await using recording = await openRecording(bundleOfFiles({ "broken.log": broken }), { formats: [carla] });
    const statistics = await recording.statistics();
    expect(statistics[recording.channel("frame-start").id]!.messages).toBeGreaterThanOrEqual(9);
    expect(recording.findings[0]).toMatchObject({ code: "bad-packet", severity: "damage" });
  });

  test("damage within a frame costs the packets it hits, and the others keep their time", async () => {
    const times = async (bytes: Uint8Array): Promise<Map<string, number[]>> => {
      await using recording = await openRecording(bundleOfFiles({ "hit.log": bytes }), { formats: [carla] });
      const found = new Map(recording.channels.map(({ name }) => [name, [] as number[]]));
      for await (const { channel, time } of recording.messages()) found.get(channel.name)!.push(time);
      return found;
    };
    await using recording = await openRecording(bundleOfFiles({ "town.log": whole }), { formats: [carla] });
    let positions = 0;
    const hit = whole.slice();
    for await (const records of recording.records()) {
      for (const { kind, offset } of records) {
        // Size and count of the fifth frame's positions.
        if (kind === "position" && ++positions === 5) hit.fill(0xff, offset + 1, offset + 7);
      }
    }
    const [before, after] = [await times(whole), await times(hit)];
    for (const [name, expected] of before) {
      const left = name === "position" ? expected.filter((_, n) => n !== 4) : expected;
      expect(after.get(name), name).toEqual(left);
    }
  });

  test("a frame whose start is lost or says an impossible time has the time that its neighbours tell", async () => {
    await using sound = await openRecording(bundleOfFiles({ "town.log": whole }), { formats: [carla] });
    const starts: number[] = [];
    for await (const records of sound.records()) {
      for (const { kind, offset } of records) if (kind === "frame-start") starts.push(offset);
    }
    for (const change of [
      (bytes: Uint8Array, at: number) => bytes.fill(0xff, at, at + 5),
      (bytes: Uint8Array, at: number) => bytes.fill(0xff, at + 21, at + 29),
      (bytes: Uint8Array, at: number) => bytes.fill(0, at + 21, at + 29),
    ]) {
      const hit = whole.slice();
      change(hit, starts[6]!);
      await using recording = await openRecording(bundleOfFiles({ "hit.log": hit }), { formats: [carla] });
      expect(recording.findings).toHaveLength(1);
      expect(recording.findings[0]!.severity).toBe("damage");
      const [expected, found] = [await sound.timeline(), await recording.timeline()];
      expect([found.start, found.end]).toEqual([expected.start, expected.end]);
      const times = async (of: Recording): Promise<number[]> => {
        const all: number[] = [];
        for await (const { time } of of.messages(of.channel("position"))) all.push(time);
        return all;
      };
      expect(await times(recording)).toEqual(await times(sound));
    }
  });

  test("a file with only a header is a recording without frames", async () => {
    const builder = new ByteBuilder();
    builder.raw(whole.subarray(0, 34));
    await using recording = await openRecording(bundleOfFiles({ "empty.log": builder.take() }), { formats: [carla] });
    expect(recording.findings).toMatchObject([{ code: "no-frames", severity: "note" }]);
    expect(await recording.timeline()).toMatchObject({ start: 0, end: 0 });
  });
});

describe.runIf(samplesDirectory !== null)("real recordings hold the packets their origin counted", () => {
  test.each([
    [
      "2020-DistanceBetweenVehicles.log",
      1232,
      41.737319,
      {
        "event-add": [1232, 19669],
        position: [1232, 77504],
        state: [1232, 452144],
        "scene-light": [1, 5623],
        kinematics: [1231, 77497],
        "physics-control": [1, 677],
        "platform-time": [1232, 16016],
      },
    ],
    [
      "2021-DistanceToLaneCenter.log",
      432,
      12.528205,
      {
        "event-add": [432, 25564],
        position: [432, 1454432],
        state: [432, 158544],
        kinematics: [431, 15085],
        "bounding-box": [432, 6552],
        "frame-end": [432, 2160],
      },
    ],
  ] as const)("%s", async (name, frames, duration, histogram) => {
    await using recording = await openRecording(bundleOfFiles({ [name]: sampleBytes(`carla/${name}`) }), {
      formats: [carla],
    });
    const timeline = await recording.timeline();
    expect(timeline.tick).toEqual({ name: "frame", count: frames, duration: null });
    expect(timeline.end / 1e9).toBeCloseTo(duration, 6);
    const statistics = await recording.statistics();
    for (const [kind, [packets, bytes]] of Object.entries(histogram)) {
      const of = statistics[recording.channel(kind).id]!;
      expect([of.messages, of.bytes + 5 * of.messages], kind).toEqual([packets, bytes]);
    }
    expect(recording.info.metadata["map"]).toBe("Town01");
  });
});

describe("the width of wheels", () => {
  const control = (id: number, wheels: readonly object[]): PhysicsControl =>
    ({
      ...{ id, maxRpm: 1, moi: 1, useGearAutobox: true, clutchStrength: 1, finalRatio: 1, mass: 1, dragCoefficient: 1 },
      ...{ dampingRateFullThrottle: 1, dampingRateZeroThrottleClutchEngaged: 1 },
      ...{ dampingRateZeroThrottleClutchDisengaged: 1, centerOfMass: [0, 0, 0] },
      ...{ torqueCurve: [], forwardGears: [], steeringCurve: [], wheels },
    }) as unknown as PhysicsControl;
  const wheel = { tireFriction: 3.5, dampingRate: 1, maxSteerAngle: 70, radius: 35, maxBrakeTorque: 1 };
  const wide = { ...wheel, maxHandbrakeTorque: 0, stiffness: [2, 17, 1000], position: [1, 2, 3] };

  test("is reported by the first vehicle that has any", async () => {
    const to = new MemoryFiles("run.log");
    const writer = await writing.create(to, { dialect: "0.9.14" });
    for (const [n, wheels] of [[], [wide, wide], []].entries()) {
      const list = new ByteBuilder().u16le(1);
      writePhysicsControl(list, control(n + 1, wheels));
      writer.write(writer.channel({ name: "physics-control" }), n * 1e8, list.take());
    }
    await writer.close();
    await using recording = await openRecording(bundleOfFiles({ "run.log": to.bytes }), { formats: [carla] });
    expect(recording.findings).toEqual([]);
    expect(recording.info.metadata["wheelBytes"]).toBe(48);
    const { values } = await recording.state(2e8);
    expect([1, 2, 3].map((id) => (values.get(`physics/${id}`) as { wheels: unknown[] }).wheels.length)).toEqual([
      0, 2, 0,
    ]);
  });
});
