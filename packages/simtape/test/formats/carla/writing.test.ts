import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import { type Dialect, writeFrameStart, writePosition } from "../../../src/formats/carla/layout/layout.ts";
import { RELEASES as NAMED } from "../../../src/formats/carla/write/releases.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  type ByteSink,
  type ChannelInfo,
  check,
  MemoryFiles,
  open as openRecording,
  type Recording,
  rewrite,
  type SinkBundle,
  SourceError,
} from "../../../src/index.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";

const DIALECT: Dialect = { scalar: 4, wheel: null, late: [null, null, null, null], version: 1 };

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

function start(frame: number, durationThis: number, elapsed: number): Uint8Array {
  const builder = new ByteBuilder();
  writeFrameStart(builder, { frame, durationThis, elapsed });
  return builder.take();
}

function position(id: number, x: number): Uint8Array {
  const builder = new ByteBuilder();
  builder.u16le(1);
  writePosition(builder, { id, location: [x, 0, 0], rotation: [0, 0, 0] }, DIALECT);
  return builder.take();
}

async function messagesOf(recording: Recording): Promise<[string, number, string][]> {
  const all: [string, number, string][] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const name = recording.channels[batch.channel[i]!]!.name;
      all.push([name, batch.time[i]!, Buffer.from(batch.payload(i)).toString("hex")]);
    }
  }
  return all;
}

const logs: { name: string; bytes: Uint8Array }[] = [
  ...RELEASES.map((release) => ({ name: `made ${release.name}`, bytes: makeTown(release) })),
  ...sampleNames("carla")
    .filter((name) => name.endsWith(".log"))
    .map((name) => ({ name, bytes: sampleBytes(`carla/${name}`) })),
];

describe.each(logs)("$name", ({ bytes }) => {
  test("is written again byte for byte, appended by batches", async () => {
    await using recording = await open(bytes);
    const to = new MemoryFiles();
    await rewrite(recording, writing, to);
    expect(Buffer.compare(to.bytes, bytes)).toBe(0);
  });

  test("is written again byte for byte, message by message", async () => {
    await using recording = await open(bytes);
    const to = new MemoryFiles();
    const writer = await writing.create(to, { like: recording.reader });
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const channel = writer.channel({ name: recording.channels[batch.channel[i]!]!.name });
        writer.write(channel, batch.time[i]!, batch.payload(i));
      }
    }
    await writer.close();
    expect(Buffer.compare(to.bytes, bytes)).toBe(0);
  });

  test("moved in time has every message at its new time", async () => {
    await using recording = await open(bytes);
    const shift = 2_500_000_000;
    const to = new MemoryFiles();
    const writer = await writing.create(to, { like: recording.reader });
    const channels = recording.channels.map(({ name }) => writer.channel({ name }));
    for await (const batch of recording.batches()) writer.append(batch, channels, shift);
    await writer.close();
    await using moved = await open(to.bytes);
    expect(moved.findings).toEqual([]);
    const isOther = ([name]: [string, number, string]): boolean => name !== "frame-start";
    const expected = (await messagesOf(recording)).map(([name, time, payload]) => [name, time + shift, payload]);
    const found = await messagesOf(moved);
    expect(found.map(([name, time]) => [name, time])).toEqual(expected.map(([name, time]) => [name, time]));
    expect(found.filter(isOther)).toEqual(expected.filter(([name]) => name !== "frame-start"));
  });
});

describe("frames", () => {
  const write = async (
    script: (write: (name: string, time: number, payload: Uint8Array) => void) => void,
    dialect = "0.9.10",
  ): Promise<Recording> => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, {
      dialect,
      metadata: { map: "Town03" },
      epoch: 1_600_000_000_000_000_000n,
    });
    script((name, time, payload) => writer.write(writer.channel({ name }), time, payload));
    await writer.close();
    const recording = await open(to.bytes);
    expect((await check(recording)).status).toBe("sound");
    return recording;
  };
  const starts = async (recording: Recording): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const message of recording.messages(recording.channel("frame-start"))) found.push(message.value);
    return found;
  };
  const END = new Uint8Array(0);

  test("last until the next when they say -1, and the last one keeps it", async () => {
    await using recording = await write((put) => {
      put("frame-start", 0, start(1, -1, 0));
      put("frame-end", 0, END);
      put("frame-start", 50_000_000, start(2, -1, 0.05));
      put("frame-end", 50_000_000, END);
      put("frame-start", 150_000_000, start(3, -1, 0.15));
      put("frame-end", 150_000_000, END);
    });
    expect(await starts(recording)).toEqual([
      { frame: 1, durationThis: 0.05, elapsed: 0 },
      { frame: 2, durationThis: 0.15 - 0.05, elapsed: 0.05 },
      { frame: 3, durationThis: -1, elapsed: 0.15 },
    ]);
    expect(recording.info.metadata).toMatchObject({ map: "Town03", date: "2020-09-13T12:26:40Z" });
  });

  test("keep a duration that they say", async () => {
    await using recording = await write((put) => {
      put("frame-start", 0, start(1, 7, 0));
      put("frame-end", 0, END);
      put("frame-start", 50_000_000, start(2, 9, 0.05));
      put("frame-end", 50_000_000, END);
    });
    expect(await starts(recording)).toMatchObject([{ durationThis: 7 }, { durationThis: 9 }]);
  });

  test("take the time of their message where their payload says another", async () => {
    await using recording = await write((put) => {
      put("frame-start", 3_000_000_000, start(1, -1, 0));
      put("position", 3_000_000_000, position(7, 100));
      put("frame-end", 3_000_000_000, END);
    });
    expect(await starts(recording)).toEqual([{ frame: 1, durationThis: -1, elapsed: 3 }]);
  });

  test("are opened and closed where the messages for that are missing", async () => {
    await using recording = await write((put) => {
      put("position", 1_000_000, position(7, 100));
      put("position", 2_000_000, position(7, 200));
      put("frame-start", 3_000_000, start(9, -1, 0.003));
      put("position", 3_000_000, position(7, 300));
      put("frame-start", 4_000_000, start(10, -1, 0.004));
    });
    expect((await messagesOf(recording)).map(([name, time]) => [name, time / 1e6])).toEqual([
      ["frame-start", 1],
      ["position", 1],
      ["frame-end", 1],
      ["frame-start", 2],
      ["position", 2],
      ["frame-end", 2],
      ["frame-start", 3],
      ["position", 3],
      ["frame-end", 3],
      ["frame-start", 4],
      ["frame-end", 4],
    ]);
    expect(await starts(recording)).toMatchObject([{ frame: 1 }, { frame: 2 }, { frame: 3 }, { frame: 4 }]);
  });

  test("are patched also when they were handed to the file long ago", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { dialect: "0.9.10" });
    writer.write(writer.channel({ name: "frame-start" }), 0, start(1, -1, 0));
    for (let i = 0; i < 40; i++) writer.write(writer.channel({ name: "packet-150" }), 0, new Uint8Array(1 << 20));
    await writer.ready;
    writer.write(writer.channel({ name: "frame-end" }), 0, END);
    await writer.flush();
    writer.write(writer.channel({ name: "frame-start" }), 250_000_000, start(2, -1, 0.25));
    writer.write(writer.channel({ name: "frame-end" }), 250_000_000, END);
    await writer.close();
    await using recording = await open(to.bytes);
    expect(await starts(recording)).toMatchObject([{ durationThis: 0.25 }, { durationThis: -1 }]);
    expect((await check(recording)).status).toBe("sound");
  });

  test("longer than any window keep their time in every part", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { dialect: "0.9.10" });
    const names = ["frame-start", "packet-150", "frame-end"] as const;
    const [first, big, end] = names.map((name) => writer.channel({ name })) as [ChannelInfo, ChannelInfo, ChannelInfo];
    for (const time of [1_000_000_000, 2_000_000_000]) {
      writer.write(first, time, start(time / 1e9, -1, time / 1e9));
      for (let i = 0; i < 45; i++) writer.write(big, time, new Uint8Array(1 << 20).fill(0xee));
      await writer.ready;
      writer.write(end, time, END);
    }
    await writer.close();
    await using recording = await open(to.bytes);
    expect(recording.findings).toEqual([]);
    const times: number[] = [];
    for await (const { time } of recording.batches({ channels: [recording.channel("packet-150")] })) {
      times.push(...time);
    }
    expect(times).toEqual([...Array(45).fill(1e9), ...Array(45).fill(2e9)]);
  });
});

describe("a writer", () => {
  test.each(NAMED.map(({ name }) => name))("of dialect %s writes files that are reported to be so", async (dialect) => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { dialect });
    writer.write(writer.channel({ name: "frame-start" }), 0, start(1, -1, 0));
    writer.write(writer.channel({ name: "frame-end" }), 0, new Uint8Array(0));
    await writer.close();
    await using recording = await open(to.bytes);
    expect(recording.info.metadata["headerVersion"]).toBe(NAMED.find(({ name }) => name === dialect)!.dialect.version);
  });

  test("refuses dialects, channels, payloads and times that there are not", async () => {
    await expect(writing.create(new MemoryFiles(), { dialect: "0.8" })).rejects.toThrow(RangeError);
    const writer = await writing.create(new MemoryFiles(), { dialect: "0.9.4" });
    for (const name of ["biker", "anim-vehicle", "packet-6", "packet-256", "speed", ""]) {
      expect(() => writer.channel({ name }), name).toThrow(RangeError);
    }
    const other = await writing.create(new MemoryFiles(), { dialect: "0.9.4" });
    expect(() => other.write(writer.channel({ name: "position" }), 0, position(1, 1))).toThrow(RangeError);
    const place = writer.channel({ name: "position" });
    expect(() => writer.write(place, 0, new Uint8Array([1, 0, 1]))).toThrow(RangeError);
    expect(() => writer.write(writer.channel({ name: "frame-start" }), 0, new Uint8Array(23))).toThrow(RangeError);
    for (const time of [-1, Number.NaN, 1e17])
      expect(() => writer.write(place, time, position(1, 1))).toThrow(RangeError);
    await writer.abort();
  });

  test("leaves nothing behind when it is aborted, before and after something was written", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, {});
    writer.write(writer.channel({ name: "position" }), 5, position(1, 1));
    await writer.flush();
    await writer.abort();
    await writer.abort();
    expect(to.files.size).toBe(0);
    expect(() => writer.write(writer.channel({ name: "position" }), 6, position(1, 1))).toThrow(RangeError);
  });

  test("tells the failure of its sink when it is waited for, and when it is closed", async () => {
    const failure = new SourceError("failed", "the disk is full");
    const files = new MemoryFiles();
    const to: SinkBundle = {
      name: "full.log",
      open: async (): Promise<ByteSink> => {
        const sink = await files.open();
        return { ...bound(sink), write: () => Promise.reject(failure) };
      },
    };
    const writer = await writing.create(to, {});
    const channel = writer.channel({ name: "packet-150" });
    for (let i = 0; i < 12; i++) writer.write(channel, 0, new Uint8Array(1 << 20));
    await expect(writer.flush()).rejects.toBe(failure);
    await expect(writer.ready).rejects.toBe(failure);
    await expect(writer.close()).rejects.toBe(failure);
    await writer.abort();
    expect(files.files.size).toBe(0);
  });

  test("keeps what was flushed readable, whatever is cut off behind it", async () => {
    const to = new MemoryFiles();
    let flushed: Uint8Array = new Uint8Array(0);
    const spying: SinkBundle = {
      name: "live.log",
      open: async () => {
        const sink = await to.open();
        const parts: Uint8Array[] = [];
        return {
          ...bound(sink),
          write: async (bytes: Uint8Array) => {
            parts.push(bytes.slice());
            await sink.write(bytes);
          },
          flush: async () => {
            flushed = new Uint8Array(Buffer.concat(parts));
          },
        };
      },
    };
    const writer = await writing.create(spying, { dialect: "0.9.15" });
    for (let frame = 1; frame <= 5; frame++) {
      const time = frame * 1e8;
      writer.write(writer.channel({ name: "frame-start" }), time, start(frame, -1, frame / 10));
      writer.write(writer.channel({ name: "position" }), time, position(1, frame));
      if (frame === 3) await writer.flush();
    }
    await writer.close();
    for (let cut = 0; cut < 40; cut++) {
      const bytes = new Uint8Array(Buffer.concat([flushed, to.bytes.subarray(flushed.length, flushed.length + cut)]));
      await using recording = await open(bytes);
      expect((await recording.statistics())[recording.channel("position").id]!.messages).toBeGreaterThanOrEqual(3);
    }
  });
});

test("a round of random frames comes back as it was", async () => {
  const frame = fc.record({
    step: fc.double({ min: 0, max: 3, noNaN: true }),
    packets: fc.array(
      fc.oneof(
        fc.record({
          name: fc.constant("position"),
          payload: fc.integer({ min: 1, max: 9 }).map((id) => position(id, id)),
        }),
        fc.record({ name: fc.constant("packet-139"), payload: fc.uint8Array({ maxLength: 30 }) }),
        fc.record({ name: fc.constant("collision"), payload: fc.constant(new Uint8Array(2)) }),
        fc.record({ name: fc.constant("vehicle-wheels"), payload: fc.constant(new Uint8Array(2)) }),
      ),
      { maxLength: 6 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 8 }), async (frames) => {
      const to = new MemoryFiles();
      const writer = await writing.create(to, { dialect: "0.9.15" });
      const expected: [string, number, string][] = [];
      let elapsed = 0;
      frames.forEach(({ step, packets }, n) => {
        const time = Math.round(elapsed * 1e9);
        const put = (name: string, payload: Uint8Array): void => {
          writer.write(writer.channel({ name }), time, payload);
          expected.push([name, time, Buffer.from(payload).toString("hex")]);
        };
        put("frame-start", start(n + 1, step, elapsed));
        for (const { name, payload } of packets) put(name, payload);
        put("frame-end", new Uint8Array(0));
        elapsed += step;
      });
      await writer.close();
      await using recording = await open(to.bytes);
      expect(recording.findings.filter(({ severity }) => severity === "damage")).toEqual([]);
      expect(await messagesOf(recording)).toEqual(expected);
      const again = new MemoryFiles();
      await rewrite(recording, writing, again);
      expect(Buffer.compare(again.bytes, to.bytes)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

function bound(sink: ByteSink): ByteSink {
  return {
    name: sink.name,
    get position() {
      return sink.position;
    },
    write: (bytes) => sink.write(bytes),
    writeAt: (offset, bytes) => sink.writeAt(offset, bytes),
    flush: () => sink.flush(),
    close: () => sink.close(),
    abort: () => sink.abort(),
  };
}
