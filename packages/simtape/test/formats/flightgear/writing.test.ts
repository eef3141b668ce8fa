import { describe, expect, test } from "vitest";
import { createWriter } from "../../../src/formats/flightgear/write/writer.ts";
import { type ByteSink, type ChannelInfo, type CreateOptions, MemoryFiles, type Reader } from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import {
  ALL_ITEMS,
  buffersOf,
  frameTime,
  gzipped,
  LIST,
  makeContinuous,
  makeNormal,
  packetBytes,
  packetsOf,
  SIGNALS,
  signalBytes,
} from "../../fixtures/flightgear/make.ts";
import { contentOf, MADE, REAL, type Row, readerOf, rowsOf } from "./specimens.ts";

interface Pass {
  /** Channels that are left out. */
  readonly without?: readonly string[];
  readonly shift?: number;
  readonly from?: number;
}

/** Messages of `reader` through the writer. */
async function rewritten(reader: Reader, options: CreateOptions, pass: Pass = {}): Promise<Uint8Array> {
  const { without = [], shift = 0, from } = pass;
  const files = new MemoryFiles();
  const writer = await createWriter(files, options);
  const channels: (ChannelInfo | null)[] = reader.channels.map(() => null);
  for await (const batch of reader.batches({ start: from })) {
    for (const id of batch.channel) {
      const { name } = reader.channels[id]!;
      if (!without.includes(name)) channels[id] ??= writer.channel({ name });
    }
    writer.append(batch, channels, shift);
    if (writer.ready !== null) await writer.ready;
  }
  await writer.close();
  return files.bytes;
}

function damage(findings: Findings): string[] {
  return findings
    .list()
    .filter(({ severity }) => severity === "damage" || severity === "loss")
    .map(({ code }) => code);
}

test("frames without messages are kept where two chunks meet", async () => {
  const bytes = makeContinuous({ data: ["multiplayer"], frames: 9000 });
  const reader = await readerOf(bytes);
  expect(reader.chunks!.length).toBeGreaterThan(1);
  const files = new MemoryFiles();
  const writer = await createWriter(files, { like: reader });
  const to = reader.channels.map(({ name }) => writer.channel({ name }));
  for await (const batch of reader.batches({})) writer.append(batch, to);
  await writer.close();
  expect(Buffer.compare(files.bytes, bytes)).toBe(0);
});

describe.each([...MADE, ...REAL])("%s", (name, bytes) => {
  test("comes out of the writer as it went in", async () => {
    const reader = await readerOf(bytes);
    const result = await rewritten(reader, { like: reader });
    expect(await rowsOf(await readerOf(result))).toEqual(await rowsOf(reader));
    expect(Buffer.compare(contentOf(result), contentOf(bytes)), name).toBe(0);
    expect(result[0]).toBe(bytes[0]);
  });
});

describe.runIf(REAL.length > 0)("real compressed frames", () => {
  test("go through as they were stored, not only with the same content", async () => {
    const [, bytes] = REAL.find(([name]) => name.includes("full-compressed"))!;
    const reader = await readerOf(bytes);
    expect(Buffer.compare(await rewritten(reader, { like: reader }), bytes)).toBe(0);
  });
});

describe("a dialect", () => {
  const full = makeContinuous();

  test.each([
    ["continuous", "continuous (2024.1.5)", "none"],
    ["continuous-compressed", "continuous (2024.1.5)", "deflate"],
  ])("%s keeps every message", async (dialect, version, compression) => {
    for (const source of [full, makeContinuous({ compression: "1" })]) {
      const reader = await readerOf(source);
      const findings = new Findings();
      const again = await readerOf(await rewritten(reader, { like: reader, dialect }), findings);
      expect(findings.list()).toEqual([]);
      expect(again.info.version).toBe(version);
      expect(again.info.metadata).toMatchObject({ compression, aircraft: "ufo", airport: "LSZH" });
      expect(await rowsOf(again)).toEqual(await rowsOf(reader));
    }
  });

  test.each(["store", "fast", "small"] as const)("compresses as asked: %s", async (compression) => {
    const reader = await readerOf(makeContinuous({ compression: "1" }));
    const result = await rewritten(reader, { like: reader, compression });
    expect(await rowsOf(await readerOf(result))).toEqual(await rowsOf(reader));
    const flight = await readerOf(gzipped(makeNormal({ generation: 3 })));
    const normal = await rewritten(flight, { like: flight, compression });
    expect(normal[0]).toBe(compression === "store" ? 0x44 : 0x1f);
    expect(await rowsOf(await readerOf(normal))).toEqual(await rowsOf(flight));
  });

  test.each([
    ["normal", 2],
    ["normal-2020", 2],
    ["normal-2024", 3],
  ] as const)("%s holds signals and packets, and says that it does", async (dialect, generation) => {
    const reader = await readerOf(makeContinuous({ data: ["signals", "multiplayer"], frames: 60 }));
    const findings = new Findings();
    const again = await readerOf(await rewritten(reader, { like: reader, dialect }), findings);
    expect(findings.list()).toEqual([]);
    expect(again.info.metadata).toMatchObject({ kind: "normal", generation, compression: "gzip" });
    expect(again.info.metadata["meta"]).toMatchObject({ "tape-duration": 2.95, "tape-duration-str": "0:02" });
    // Frame 3 has no signals, but packets or not, a Normal frame has.
    const reported = async (of: Reader): Promise<Row[]> =>
      (await rowsOf(of)).filter(({ channel }) => channel === "multiplayer");
    expect(await reported(again)).toEqual(await reported(reader));
    expect((await again.statistics())[0]!.messages).toBe(59 + (packetsOf(3).length > 0 ? 1 : 0));
  });

  test("normal-2019 has records without filler and no packets", async () => {
    const reader = await readerOf(makeContinuous({ data: ["signals"], frames: 20 }));
    const again = await readerOf(await rewritten(reader, { like: reader, dialect: "normal-2019" }));
    expect(again.info.metadata).toMatchObject({ kind: "normal", generation: 1 });
    expect((await rowsOf(again))[5]!.payload).toBe(Buffer.from(signalBytes(6, 0)).toString("hex"));
    const writer = await createWriter(new MemoryFiles(), { dialect: "normal-2019" });
    expect(() => writer.channel({ name: "multiplayer" })).toThrow(RangeError);
    await writer.abort();
  });

  test("continuous-2020 is what the snapshots of that year wrote", async () => {
    const reader = await readerOf(makeContinuous({ data: ["signals", "multiplayer"] }));
    const again = await readerOf(await rewritten(reader, { like: reader, dialect: "continuous-2020" }));
    expect(again.info.version).toBe("continuous (first layout) (2020.3.0)");
    expect(await rowsOf(again)).toEqual(await rowsOf(reader));
  });

  test("recovery is the last frame of signals, and says what it is not", async () => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, { dialect: "recovery", metadata: { signalList: [...SIGNALS] as never } });
    const channel = writer.channel({ name: "signals" });
    expect(() => writer.channel({ name: "extra-properties" })).toThrow(RangeError);
    writer.write(channel, 0, signalBytes(1));
    writer.write(channel, 1e9, signalBytes(2));
    await writer.close();
    expect(writer.lost).toEqual([expect.objectContaining({ path: "signals", count: 1 })]);
    const rows = await rowsOf(await readerOf(files.bytes));
    expect(rows.map(({ payload }) => payload)).toEqual([Buffer.from(signalBytes(2)).toString("hex")]);
  });

  test("that is unknown is refused", async () => {
    await expect(createWriter(new MemoryFiles(), { dialect: "casette" })).rejects.toThrow(RangeError);
  });
});

describe("a header", () => {
  test("is made from metadata when there is no tape to take after", async () => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, {
      epoch: 1_795_214_012_000_000_000n,
      metadata: {
        aircraft: "c172p",
        airport: "LSZH",
        recorder: "mine",
        flightgear: "2024.1.9",
        meta: { "user-data": { "author-name": "Ada <&>" } },
      },
    });
    await writer.close();
    const reader = await readerOf(files.bytes);
    expect(reader.info.metadata).toMatchObject({
      aircraft: "c172p",
      airport: "LSZH",
      recorder: "mine",
      flightgear: "2024.1.9",
      signals: 189,
      recordSize: 579,
      compression: "deflate",
      data: ["signals", "multiplayer", "extra-properties"],
      meta: { "user-data": { "author-name": "Ada <&>" }, "tape-duration": 0, "continuous-compression": 1 },
    });
  });

  test("keeps what it had where metadata says nothing", async () => {
    const reader = await readerOf(makeContinuous());
    const again = await readerOf(await rewritten(reader, { like: reader, metadata: { airport: "EDDF" } }));
    expect(again.info.metadata).toMatchObject({ airport: "EDDF", description: "Flying saucer & more" });
    expect(await rowsOf(again)).toEqual(await rowsOf(reader));
  });

  test("writes numbers as C++ streams do", async () => {
    const cases: [number, string][] = [
      [244.55, "244.55"],
      [606.7833333, "606.7833333"],
      [1e-7, "1e-07"],
      [0.0001, "0.0001"],
      [12345678901.5, "1.23456789e+10"],
      [4999999999.5, "5000000000"],
      [-0.5, "-0.5"],
    ];
    const numbers = Object.fromEntries(cases.map(([value], i) => [`v${i}`, value]));
    const files = new MemoryFiles();
    await (await createWriter(files, { metadata: { meta: { numbers } } })).close();
    const text = new TextDecoder().decode(files.bytes);
    for (const [i, [, expected]] of cases.entries()) expect(text).toContain(`<v${i} type="double">${expected}</v${i}>`);
  });
});

describe("messages", () => {
  const metadata = { signalList: [...SIGNALS] as never, timeOrigin: 10 };

  test("of one time become one frame, in whatever order they come", async () => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, { dialect: "continuous", metadata });
    const [signals, multiplayer, extra] = ["signals", "multiplayer", "extra-properties"].map((name) =>
      writer.channel({ name }),
    ) as [ChannelInfo, ChannelInfo, ChannelInfo];
    const item = Uint8Array.of(2, 0, 0x2f, 0x61, 1, 0, 0x31);
    for (let k = 0; k < 10; k++) {
      const time = Math.round((frameTime(k) - 10) * 1e9);
      writer.write(extra, time, item);
      writer.write(multiplayer, time, packetBytes("ALICE", k, 2));
      writer.write(signals, time, signalBytes(k));
      writer.write(multiplayer, time, packetBytes("BOB", k, 1));
    }
    await writer.close();
    const findings = new Findings();
    const reader = await readerOf(files.bytes, findings);
    expect(findings.list()).toEqual([]);
    expect(reader.info.metadata["frames"]).toBe(10);
    expect((await rowsOf(reader)).slice(0, 4).map(({ channel }) => channel)).toEqual([
      "signals",
      "multiplayer",
      "multiplayer",
      "extra-properties",
    ]);
    expect(reader.bounds).toEqual([10, frameTime(9)]);
  });

  test("that cannot be right are refused", async () => {
    const writer = await createWriter(new MemoryFiles(), { dialect: "continuous", metadata });
    const channel = (name: string) => writer.channel({ name });
    expect(() => writer.write(channel("signals"), 0, new Uint8Array(LIST.bytes - 1))).toThrow(RangeError);
    expect(() => writer.write(channel("multiplayer"), 0, new Uint8Array(70_000))).toThrow(RangeError);
    expect(() => writer.write(channel("extra-properties"), 0, Uint8Array.of(5, 0, 1))).toThrow(RangeError);
    expect(() => writer.write(channel("signals"), -11e9, signalBytes(0))).toThrow(RangeError);
    await writer.abort();
  });

  test("of another list of signals are refused", async () => {
    const reader = await readerOf(makeContinuous());
    await expect(rewritten(reader, { dialect: "continuous" })).rejects.toThrow(/not the ones/);
  });

  test("of items that FlightGear does not know have to be announced before the first", async () => {
    const writer = await createWriter(new MemoryFiles(), { metadata });
    writer.channel({ name: "weather" });
    writer.write(writer.channel({ name: "signals" }), 0, signalBytes(0));
    expect(() => writer.channel({ name: "traffic" })).toThrow(/before the first message/);
    await writer.abort();
  });

  test("keep their times when the first is left out", async () => {
    const reader = await readerOf(makeContinuous());
    const kept = (await rowsOf(reader)).filter(({ channel }) => channel === "extra-properties");
    const without = ["signals", "multiplayer", "weather"];
    const again = await readerOf(await rewritten(reader, { like: reader }, { without }));
    expect(await rowsOf(again)).toEqual(kept);
    const late = await readerOf(await rewritten(reader, { like: reader }, { from: 1e9 }));
    expect(await rowsOf(late)).toEqual((await rowsOf(reader)).filter(({ time }) => time >= 1e9));
  });

  test("keep the time of the session when a beginning is cut off", async () => {
    const reader = await readerOf(makeContinuous());
    const result = await rewritten(reader, { like: reader }, { from: 1e9, shift: -1e9 });
    const again = await readerOf(result);
    expect(again.bounds).toEqual([frameTime(20), frameTime(39)]);
    expect((await again.timeline()).start).toBe(0);
  });

  test.each(ALL_ITEMS)("of a channel can be left out: %s", async (name) => {
    for (const source of [makeContinuous(), makeContinuous({ compression: "1" })]) {
      const reader = await readerOf(source);
      const findings = new Findings();
      const again = await readerOf(await rewritten(reader, { like: reader }, { without: [name] }), findings);
      expect(damage(findings)).toEqual([]);
      expect(await rowsOf(again)).toEqual((await rowsOf(reader)).filter(({ channel }) => channel !== name));
    }
  });
});

describe("the buffers of a Normal tape", () => {
  /** Times of the frames in each buffer. */
  async function inBuffers(bytes: Uint8Array): Promise<number[][]> {
    const content = contentOf(bytes);
    const view = new DataView(content.buffer, content.byteOffset);
    const buffers: number[][] = [];
    for await (const records of (await readerOf(bytes)).records()) {
      for (const { kind, offset } of records) {
        if (kind === "container") buffers.push([]);
        else if (kind === "frame") buffers.at(-1)!.push(view.getFloat64(offset, true));
      }
    }
    return buffers;
  }

  test("hold every frame of a tape that had none, however long it is", async () => {
    const reader = await readerOf(makeContinuous({ data: ["signals"], frames: 3000 }));
    const [short, medium, long] = await inBuffers(await rewritten(reader, { like: reader, dialect: "normal" }));
    expect(short!.length).toBeGreaterThan(2900);
    expect([medium, long]).toEqual([[], []]);
  });

  test.each([0.5, 1.2, 2, 3])("are never without short-term frames: the first %d s of a tape", async (seconds) => {
    const reader = await readerOf(gzipped(makeNormal({ generation: 3 })));
    const until = Math.round(seconds * 1e9);
    const files = new MemoryFiles();
    const writer = await createWriter(files, { like: reader });
    const channel = writer.channel({ name: "signals" });
    let frames = 0;
    for await (const batch of reader.batches({ end: until })) {
      writer.append(batch, [channel]);
      frames += batch.length;
    }
    await writer.close();
    const buffers = await inBuffers(files.bytes);
    expect(buffers[0]!.length).toBeGreaterThan(0);
    expect(buffers.flat().length).toBe(frames);
    const oldestFirst = buffers.toReversed().flat();
    expect(oldestFirst).toEqual(oldestFirst.toSorted((a, b) => a - b));
  });

  test("stay in order of time when one tape is behind another", async () => {
    const reader = await readerOf(gzipped(makeNormal({ generation: 3 })));
    const files = new MemoryFiles();
    const writer = await createWriter(files, { like: reader });
    const channel = writer.channel({ name: "signals" });
    for (const shift of [0, 1e12]) for await (const batch of reader.batches({})) writer.append(batch, [channel], shift);
    await writer.close();
    const buffers = await inBuffers(files.bytes);
    const oldestFirst = buffers.toReversed().flat();
    expect(oldestFirst).toEqual(oldestFirst.toSorted((a, b) => a - b));
    // One frame is in the medium and the long-term buffer, and of the first tape both are long-term now.
    expect(oldestFirst.length).toBe(2 * buffersOf(80).flat().length - 1);
    expect(buffers.slice(0, 2).map(({ length }) => length)).toEqual([40, 10]);
  });

  test("get back the frames that came from them, also when some are left out", async () => {
    const reader = await readerOf(gzipped(makeNormal({ generation: 3, packets: "listed" })));
    const result = await rewritten(reader, { like: reader }, { from: 1e9, shift: -1e9 });
    const again = await readerOf(result);
    const expected = (await rowsOf(reader)).filter(({ time }) => time >= 1e9);
    expect(await rowsOf(again)).toEqual(expected.map((row) => ({ ...row, time: row.time - 1e9 })));
    const view = new DataView(contentOf(result).buffer, contentOf(result).byteOffset);
    const sizes: number[] = [];
    for await (const records of again.records()) {
      for (const { kind, offset } of records) if (kind === "container") sizes.push(view.getUint32(offset + 4, true));
    }
    const counts = buffersOf(80).map((buffer) => buffer.filter((k) => frameTime(k) - frameTime(0) >= 1 - 1e-9).length);
    expect(sizes).toEqual(counts.map((count) => count * LIST.recordSize));
  });
});

describe("a write that fails", () => {
  const failing = (after: number): { readonly sink: ByteSink; readonly calls: string[] } => {
    const calls: string[] = [];
    let position = 0;
    const sink: ByteSink = {
      name: "full.fgtape",
      get position() {
        return position;
      },
      write: async (bytes) => {
        position += bytes.length;
        if (position > after) throw new Error("the disk is full");
      },
      writeAt: async () => undefined,
      flush: async () => undefined,
      close: async () => void calls.push("close"),
      abort: async () => void calls.push("abort"),
    };
    return { sink, calls };
  };

  test("is reported to who waits, and leaves nothing", async () => {
    const { sink, calls } = failing(3 << 20);
    const writer = await createWriter(
      { name: null, open: async () => sink },
      { dialect: "continuous", metadata: { signalList: [...SIGNALS] as never } },
    );
    const channel = writer.channel({ name: "signals" });
    let reported: unknown = null;
    for (let k = 0; k < 200_000 && reported === null; k++) {
      writer.write(channel, k * 5e7, signalBytes(k));
      if (writer.ready !== null) await writer.ready.catch((error: unknown) => (reported = error));
    }
    expect(String(reported)).toContain("the disk is full");
    await expect(writer.flush()).rejects.toThrow("the disk is full");
    await expect(writer.close()).rejects.toThrow("the disk is full");
    expect(calls).toEqual(["abort"]);
  });

  test("and one that is taken back leave no file", async () => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, { metadata: { signalList: [...SIGNALS] as never } });
    writer.write(writer.channel({ name: "signals" }), 0, signalBytes(0));
    await writer.abort();
    await writer.close();
    expect(files.files.size).toBe(0);
  });
});
