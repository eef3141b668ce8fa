import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRAME_INDEX, type Frame } from "../../../src/formats/nanover/layout/layout.ts";
import { restate } from "../../../src/formats/nanover/write/restate.ts";
import { create } from "../../../src/formats/nanover/write/writer.ts";
import { MemoryFiles, type Value } from "../../../src/index.ts";
import { after, encodeMessagePack } from "../../../src/kit.ts";
import { type Moment, stateOf, trajOf, zipOf } from "../../fixtures/nanover/containers.ts";
import { makeMoments } from "../../fixtures/nanover/make.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";
import { tries } from "../../soak.ts";
import { comparable, type Files, filesOf, openFiles, statesAt } from "./helpers.ts";

/** What holds at `time`, then everything later, as files. */
async function cutAt(files: Files, time: number, name: string): Promise<Files> {
  const reader = await openFiles(files);
  const to = new MemoryFiles(name);
  const writer = await create(to, { like: reader });
  const channels = reader.channels.map(({ name: channel }) => writer.channel({ name: channel }));
  for (const { channel, payload, keyframe } of await restate(reader, time)) {
    writer.write(channels[channel.id]!, Math.max(0, Math.floor(time / 1000) * 1000), payload, keyframe);
  }
  for await (const batch of reader.batches({ start: after(time) })) writer.append(batch, channels);
  await writer.close();
  return filesOf(to);
}

async function expectSameFrom(files: Files, time: number, times: readonly number[], name: string): Promise<void> {
  const reader = await openFiles(files);
  const cut = await openFiles(await cutAt(files, time, name));
  const asked = [time, ...times];
  const [expected, found] = [await statesAt(reader, asked), await statesAt(cut, asked)];
  for (const at of new Set(asked)) {
    expect(comparable(found.get(at)!), `cut at ${time}, state at ${at}`).toEqual(comparable(expected.get(at)!));
  }
}

async function expectCutsAnywhere(files: Files, runs: number): Promise<void> {
  const reader = await openFiles(files);
  const { start, end } = await reader.timeline();
  const time = fc.integer({ min: Math.floor(start / 1000) - 1, max: Math.ceil(end / 1000) + 1 }).map((us) => us * 1000);
  await fc.assert(
    fc.asyncProperty(time, fc.array(time, { minLength: 1, maxLength: 3 }), async (cut, later) => {
      if (cut < 0) return;
      const times = later.map((at) => Math.max(at, cut));
      await expectSameFrom(files, cut, [...times, Math.max(end, cut)], Object.keys(files)[0]!);
    }),
    { numRuns: runs },
  );
}

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/nanover/${name}`, import.meta.url))));
}

const moments = makeMoments({ seconds: 3, rate: 8, isTimed: true, switchAt: 0.6 });

describe("a cut recording has the state of the whole at every later time", () => {
  const cases: [string, Files][] = [
    ["buckyball.nanover.zip", { "buckyball.nanover.zip": fixture("buckyball.nanover.zip") }],
    ["short pair", { "short.traj": fixture("short.traj"), "short.state": fixture("short.state") }],
    ["v1 pair", { "a.traj": fixture("headerless.traj"), "a.state": fixture("headerless.state") }],
    ["zip without indices", { "a.zip": zipOf(moments, { omit: "frame.index" }) }],
    ["interrupted", { "interrupted.nanover.zip": fixture("interrupted.nanover.zip") }],
  ];
  test.each(cases)("%s", async (_, files) => {
    await expectCutsAnywhere(files, tries(6, 12));
  });
  test
    .runIf(samplesDirectory !== null)
    .each([
      [["nanotube-rust.traj", "nanotube-rust.state"]],
      [["sim-switching.traj", "sim-switching.state"]],
      [["nanotube-methane-01.nanover.zip"]],
      [["17-ala-multiple.nanover.zip"]],
      [["hello_vel_force.traj"]],
    ])("sample %s", async (names) => {
    await expectCutsAnywhere(
      Object.fromEntries(names.map((name) => [name, sampleBytes(`nanover/${name}`)])),
      tries(1, 4),
    );
  });
  test("whatever frames and updates say", async () => {
    const floats = (length: number): fc.Arbitrary<Float32Array> =>
      fc.float32Array({ minLength: length, maxLength: length });
    const rows = fc.constantFrom(0, 1, 2, 3);
    const perRow = (width: number): fc.Arbitrary<Value> => rows.chain((n) => floats(n * width)) as fc.Arbitrary<Value>;
    const texts = rows.chain((n) => fc.array(fc.string({ maxLength: 2 }), { minLength: n, maxLength: n }));
    const frame: fc.Arbitrary<Frame> = fc.record(
      {
        [FRAME_INDEX]: fc.constantFrom(0, 1, 2, 3, 300),
        "particle.positions": fc.oneof(perRow(3), fc.constant("none" as Value)),
        "particle.velocities": perRow(3),
        "particle.names": texts,
        "particle.elements": rows.map((n) => new Uint32Array(n).fill(6)) as fc.Arbitrary<Value>,
        "particle.count": rows,
        "state/odd": fc.nat(3),
        ".hidden": fc.nat(3),
        "energy.kinetic": fc.double(),
      },
      { requiredKeys: [FRAME_INDEX] },
    );
    const component = (name: string): fc.Arbitrary<Value> =>
      fc.record({ name: fc.constant(name), position: fc.tuple(fc.double(), fc.double(), fc.double()) });
    const avatar = fc.record({
      name: fc.string({ maxLength: 2 }),
      components: fc.subarray(["headset", "hand.left"]).chain((names) => fc.tuple(...names.map(component))),
    });
    const update = fc.record({
      updates: fc.record(
        { "avatar.a": avatar, "avatar.a/b": avatar, "interaction.i": fc.record({ scale: fc.double() }), x: fc.nat(5) },
        { requiredKeys: [] },
      ),
      removals: fc.subarray(["y", "interaction.j"]),
    });
    const moment: fc.Arbitrary<Omit<Moment, "microseconds">> = fc.oneof(
      fc.record({ frame }),
      fc.record({ state: update as fc.Arbitrary<NonNullable<Moment["state"]>> }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 8 }), fc.nat(8), async (list, cut) => {
        const all: Moment[] = list.map((of, i) => ({ ...of, microseconds: i + 1 }));
        const times = all.map(({ microseconds }) => microseconds * 1000).filter((time) => time >= cut * 1000);
        await expectSameFrom({ "a.zip": zipOf(all) }, cut * 1000, times, "b.zip");
        if (all.some((of) => of.frame !== undefined)) {
          await expectSameFrom({ "a.traj": trajOf(all), "a.state": stateOf(all) }, cut * 1000, times, "b.traj");
        }
      }),
      { numRuns: tries(40, 150) },
    );
  });
});

describe("what a cut begins with", () => {
  test("is a frame with index 0, one with the index that holds, and an update, as they were recorded", async () => {
    for (const files of [{ "a.zip": zipOf(moments) }, { "a.traj": trajOf(moments), "a.state": stateOf(moments) }]) {
      const reader = await openFiles(files);
      const made = await restate(reader, 1.2e9);
      expect(made.map(({ channel, keyframe }) => [channel.name, keyframe])).toEqual([
        ["frame", true],
        ["frame", false],
        ["state", false],
      ]);
      const [whole, index] = made.map(({ payload, context, channel }) =>
        reader.channels[channel.id]!.schema.decode(payload, context),
      ) as [Record<string, unknown>, Record<string, unknown>];
      expect(whole[FRAME_INDEX]).toBe(0);
      expect(Object.keys(whole)).toContain("bond.pairs");
      expect({ ...index }).toEqual({ [FRAME_INDEX]: 18 });
    }
  });
  test("is nothing before the first message", async () => {
    expect(await restate(await openFiles({ "a.zip": zipOf(moments) }), 0)).toEqual([]);
  });
  test("keeps the encoding of numbers: float64 stays float64", async () => {
    const update = encodeMessagePack({ state: { updates: { n: 1 }, removals: [] } });
    const floats = Uint8Array.from([...update.subarray(0, update.indexOf(1, update.length - 12)), 0xcb, 0x3f, 0xf0]);
    const payload = Uint8Array.from([...floats, 0, 0, 0, 0, 0, 0, ...update.subarray(update.length - 10)]);
    const to = new MemoryFiles("a.zip");
    const writer = await create(to, {});
    writer.write(writer.channel({ name: "state" }), 1000, payload);
    await writer.close();
    const [made] = await restate(await openFiles(filesOf(to)), 2000);
    expect(made!.payload).toEqual(payload);
  });
  test("is the messages themselves where their order matters", async () => {
    const positions = new Float32Array(6);
    const all: Moment[] = [
      { microseconds: 1, frame: { [FRAME_INDEX]: 0, "particle.positions": positions, "particle.names": ["a"] } },
      { microseconds: 2, frame: { [FRAME_INDEX]: 1, "particle.positions": "gone" } },
    ];
    const files = { "a.zip": zipOf(all) };
    expect((await restate(await openFiles(files), 5000)).length).toBe(2);
    await expectSameFrom(files, 5000, [6000], "b.zip");
  });
});
