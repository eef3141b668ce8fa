import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import {
  type Dialect,
  type Vector,
  writeAnimVehicle,
  writeEventAdd,
  writeEventDel,
  writeEventParent,
  writeFrameStart,
  writePosition,
} from "../../../src/formats/carla/layout/layout.ts";
import { statePatch } from "../../../src/formats/carla/meaning/state-patch.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  applyEdits,
  type ChannelInfo,
  check,
  MemoryFiles,
  MutableState,
  open as openRecording,
  type Reader,
  type Recording,
  type State,
  type Time,
  writeEdited,
} from "../../../src/index.ts";
import { after, ByteBuilder } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

async function fold(reader: Reader, time: Time): Promise<MutableState> {
  const state = new MutableState();
  reader.state.begin?.(state);
  for await (const batch of reader.batches({ end: after(time) })) {
    for (let i = 0; i < batch.length; i++) reader.state.apply(state, batch, i);
  }
  return state;
}

/** The recording from behind `time` on, with what holds at `time` before it. */
async function cut(reader: Reader, time: Time): Promise<Uint8Array> {
  const to = new MemoryFiles();
  const writer = await writing.create(to, { like: reader });
  const put = (channel: ChannelInfo): ChannelInfo => writer.channel({ name: channel.name, metadata: channel.metadata });
  for (const { channel, payload } of await writing.restate(reader, time)) writer.write(put(channel), time, payload);
  const channels = reader.channels.map(put);
  for await (const batch of reader.batches({ start: after(time) })) writer.append(batch, channels);
  await writer.close();
  return to.bytes;
}

function comparable(state: State): unknown {
  const sets = [...state.sets]
    .filter(([, set]) => set.ids.length > 0)
    .map(([name, set]) => [name, { ids: set.ids, axes: set.axes, columns: Object.fromEntries(set.columns) }]);
  // What is written numbers its frames itself, and the cut one is shorter.
  const values = [...state.values].filter(([path]) => path !== "frame" && path !== "frame-duration");
  return { values: Object.fromEntries(values), sets: Object.fromEntries(sets) };
}

async function expectCutsToHold(bytes: Uint8Array, cuts: readonly Time[], later: number): Promise<void> {
  await using recording = await open(bytes);
  const { end } = await recording.timeline();
  for (const time of cuts) {
    await using rest = await open(await cut(recording.reader, time));
    expect((await check(rest)).status, `cut at ${time}`).toBe("sound");
    for (let n = 0; n <= later; n++) {
      const at = Math.round(time + ((end - time) * n) / Math.max(1, later));
      const [expected, found] = [await fold(recording.reader, at), await fold(rest.reader, at)];
      expect(statePatch(found, expected), `cut at ${time}, state at ${at}`).toBeNull();
      expect(comparable(found.freeze())).toEqual(comparable(expected.freeze()));
    }
  }
}

describe.each(RELEASES)("a town of $name", (release) => {
  test("cut anywhere goes on as it would have", async () => {
    const bytes = makeTown(release);
    await using recording = await open(bytes);
    const { end } = await recording.timeline();
    const time = fc.integer({ min: 0, max: end });
    await fc.assert(
      fc.asyncProperty(time, (at) => expectCutsToHold(bytes, [at], 3)),
      { numRuns: 12, examples: [[0], [end], [250_000_000]] },
    );
  });

  test("begins with one frame, and needs simtape's own packet only for who goes along with whom", async () => {
    await using recording = await open(makeTown(release));
    for (const time of [0, 250_000_000, 1_000_000_000]) {
      const names = (await writing.restate(recording.reader, time)).map(({ channel }) => channel.name);
      // A second frame, in which CARLA would say it, would have the time of the first.
      const isAnyBound = ((await fold(recording.reader, time)).sets.get(".attached")?.size ?? 0) > 0;
      expect(names.includes("simtape-state")).toBe(isAnyBound);
      expect(names.filter((name) => name === "frame-start")).toHaveLength(1);
    }
  });

  test("trimmed by an edit has the state of the original, before and after it is written", async () => {
    await using recording = await open(makeTown(release));
    const list = { version: 1, operations: [{ op: "trim", from: 600_000_000 }] } as const;
    const matching = (): ((name: string) => boolean) => () => true;
    const context = { writing, open: () => Promise.reject(new RangeError("none")), matching };
    const { reader } = await applyEdits(recording.reader, list, context);
    const to = new MemoryFiles();
    await writeEdited(reader, writing, to);
    await using written = await open(to.bytes);
    expect((await check(written)).status).toBe("sound");
    for (const time of [0, 1, 400_000_000, 900_000_000]) {
      const expected = await fold(recording.reader, time + 600_000_000);
      expect(statePatch(await fold(reader, time), expected), `edited, at ${time}`).toBeNull();
      expect(statePatch(await fold(written.reader, time), expected), `written, at ${time}`).toBeNull();
    }
  });
});

describe.each(sampleNames("carla").filter((name) => name.endsWith(".log")))("%s", (name) => {
  test("cut at some places goes on as it would have", async () => {
    const bytes = sampleBytes(`carla/${name}`);
    await using recording = await open(bytes);
    const { end } = await recording.timeline();
    await expectCutsToHold(
      bytes,
      [0, 1, 0.31 * end, 0.77 * end, end].map((time) => Math.round(time)),
      2,
    );
  });
});

describe("what CARLA's own packets cannot say", () => {
  const DIALECT: Dialect = { scalar: 4, wheel: null, late: [null, null, null, null], version: 1 };
  const list = (...writers: ((builder: ByteBuilder) => void)[]): Uint8Array => {
    const builder = new ByteBuilder();
    builder.u16le(writers.length);
    for (const write of writers) write(builder);
    return builder.take();
  };
  const add = (id: number, type: number, location: Vector) => (builder: ByteBuilder) => {
    const blueprint = type === 5 ? "sensor.other.gnss" : "vehicle.a";
    writeEventAdd(builder, { id, type, location, rotation: [0, 0, 0.3], uid: 3, blueprint, attributes: [] }, DIALECT);
  };
  const place = (id: number, x: number) => (builder: ByteBuilder) =>
    writePosition(builder, { id, location: [x, 0.1, 0], rotation: [1, 2, x] }, DIALECT);

  const log = async (frames: readonly (readonly [string, Uint8Array][])[], first = 1): Promise<Uint8Array> => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { dialect: "0.9.13" });
    frames.forEach((packets, n) => {
      const time = n * 1e8;
      const start = new ByteBuilder();
      writeFrameStart(start, { frame: n + first, durationThis: -1, elapsed: n / 10 });
      const put = (name: string, payload: Uint8Array): void => writer.write(writer.channel({ name }), time, payload);
      put("frame-start", start.take());
      for (const [name, payload] of packets) put(name, payload);
      put("frame-end", new Uint8Array(0));
    });
    await writer.close();
    return to.bytes;
  };
  const everyFrame = (frames: number): number[] => Array.from({ length: frames }, (_, n) => n * 1e8);

  test("is kept of a sensor whose parent is gone", async () => {
    const bytes = await log([
      [["event-add", list(add(1, 1, [100, 200, 0]))]],
      [
        ["event-add", list(add(2, 5, [10, 0, 250]))],
        ["event-parent", list((b) => writeEventParent(b, { id: 2, parent: 1 }))],
        ["position", list(place(1, 120))],
      ],
      [["event-del", list((b) => writeEventDel(b, 1))]],
      [["position", list()]],
    ]);
    await expectCutsToHold(bytes, everyFrame(4), 3);
    await using recording = await open(bytes);
    const names = (await writing.restate(recording.reader, 2e8)).map(({ channel }) => channel.name);
    expect(names).toContain("simtape-state");
  });

  test("is kept of actors that were never added, and of half known ones", async () => {
    const bytes = await log([
      [
        ["position", list(place(7, 1), place(8, 2))],
        [
          "anim-vehicle",
          list((b) => writeAnimVehicle(b, { id: 7, steering: 1, throttle: 0, brake: 0, handbrake: true, gear: 2 })),
        ],
      ],
      [["event-add", list(add(8, 1, [5, 5, 5]))]],
      [["position", list(place(8, 3))]],
    ]);
    await expectCutsToHold(bytes, everyFrame(3), 2);
  });

  test("is where actors go along with each other; parents that are only named are in CARLA's own", async () => {
    const bytes = await log([
      [
        ["event-add", list(add(1, 1, [100, 0, 0]), add(2, 5, [200, 0, 0]))],
        ["event-parent", list((b) => writeEventParent(b, { id: 2, parent: 1 }))],
      ],
      [
        ["event-add", list(add(4, 5, [0, 0, 100]), add(3, 1, [0, 50, 0]))],
        [
          "event-parent",
          list(
            (b) => writeEventParent(b, { id: 4, parent: 3 }),
            (b) => writeEventParent(b, { id: 3, parent: 1 }),
          ),
        ],
        ["position", list(place(1, 120))],
      ],
      [["position", list(place(1, 140))]],
    ]);
    await expectCutsToHold(bytes, everyFrame(3), 2);
    await using recording = await open(bytes);
    const named = (await writing.restate(recording.reader, 0)).map(({ channel }) => channel.name);
    expect(named).toContain("event-parent");
    expect(named).not.toContain("simtape-state");
    const made = await writing.restate(recording.reader, 1e8);
    expect(made.map(({ channel }) => channel.name)).toContain("simtape-state");
    expect(made.filter(({ channel }) => channel.name === "frame-start")).toHaveLength(1);
  });

  test("is kept of recordings whose frames are numbered again, and of those without frames", async () => {
    const packets: [string, Uint8Array][] = [
      ["event-add", list(add(2, 5, [10, 0, 250]))],
      ["event-parent", list((b) => writeEventParent(b, { id: 2, parent: 1 }))],
      ["position", list(place(1, 120))],
    ];
    const first = await log([[["event-add", list(add(1, 1, [100, 200, 0]))]], packets]);
    await using a = await open(first);
    const to = new MemoryFiles();
    const writer = await writing.create(to, { like: a.reader });
    const channels = a.channels.map(({ name }) => writer.channel({ name }));
    for await (const batch of a.reader.batches({})) writer.append(batch, channels);
    const start = new ByteBuilder();
    writeFrameStart(start, { frame: 1, durationThis: -1, elapsed: 0.2 });
    writer.write(writer.channel({ name: "frame-start" }), 2e8, start.take());
    writer.write(writer.channel({ name: "position" }), 2e8, list(place(1, 300)));
    await writer.close();
    await expectCutsToHold(to.bytes, everyFrame(3), 2);
    await expectCutsToHold(await log([]), [0], 1);
  });
});
