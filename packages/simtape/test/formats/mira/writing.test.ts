import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessageHeader, type MiraWriter } from "../../../src/formats/mira/format.ts";
import { profileMetadata } from "../../../src/formats/mira/read/profile.ts";
import { IndexLog } from "../../../src/formats/mira/write/index-log.ts";
import { MemoryFiles, type Value } from "../../../src/index.ts";
import { Columns, deflateZlib } from "../../../src/kit.ts";
import { fixtures, patrol } from "../../fixtures/mira/make.ts";
import { readings } from "../../fixtures/mira/readings.ts";
import { type Content, makeTape, RECOMMENDED } from "../../fixtures/mira/tape.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { DiskSink, messagesOf, openTape, readerOf, rewritten, writing } from "./tapes.ts";

const START = 1_777_883_400_000_000_000n;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Ascending, so that a writer that is given its messages in order lays it out the same. */
const CONTENT: Content = {
  start: START,
  zoneOffset: -18_000_000_000_000n,
  channels: {
    "/m/second": { type: "std::string", meta: bytes("{meta}") },
    "/a/first": { type: "double" },
    "/z/last": { type: "mira::Unknown<T>" },
  },
  messages: [
    { channel: "/m/second", time: -7, data: bytes("\u0004\0\0\0text"), frame: "/frame" },
    { channel: "/a/first", time: 5, data: new Uint8Array(new Float64Array([0.25]).buffer) },
    { channel: "/z/last", time: 5, data: new Uint8Array(400).fill(9), isCompressed: true, sequence: 1 },
    { channel: "/m/second", time: 11, data: bytes("\u0001\0\0\0!"), sequence: 1 },
    { channel: "/a/first", time: 12, data: new Uint8Array(new Float64Array([2.5]).buffer) },
    { channel: "/z/last", time: 40, data: new Uint8Array(300).fill(7), isCompressed: true, sequence: 2 },
    { channel: "/m/second", time: 40, data: bytes("\0\0\0\0"), sequence: 2 },
  ],
};

const SAMPLES = ["", "variants/"].flatMap((folder) =>
  sampleNames(`mira/${folder}`)
    .filter((name) => name.endsWith(".tape"))
    .map((name) => folder + name),
);
const SOUND = SAMPLES.filter((name) => !/crash|corrupt/.test(name));

/** The tape that writing `content` message by message gives. */
async function written(content: Content, dialect?: string): Promise<Uint8Array> {
  const to = new MemoryFiles();
  const options = { epoch: content.start, metadata: { zoneOffsetNs: Number(content.zoneOffset) }, dialect };
  const writer = await writing.create(to, options);
  for (const { channel, time, data, frame, sequence, isCompressed } of content.messages) {
    const { type, meta } = content.channels[channel]!;
    const metadata = {
      meta: Buffer.from(meta ?? []).toString("hex"),
      compression: isCompressed === true ? "zlib" : "none",
    };
    const to = writer.channel({ name: channel, schema: type, metadata });
    writer.writeWith(to, time, data, frame ?? "", sequence ?? 0);
  }
  await writer.close();
  return to.bytes;
}

describe("a tape that is written", () => {
  test("is byte for byte what the layout says, in each combination of the open points", async () => {
    for (const reading of readings()) {
      const expected = makeTape(CONTENT, reading);
      const profile = profileMetadata({ ...RECOMMENDED, ...reading, codec: "zlib" });
      const dialect = Object.entries(profile)
        .map(([key, value]) => `${key}=${JSON.stringify(value).replaceAll(`"`, "")}`)
        .join(",");
      expect(Buffer.compare(await written(CONTENT, dialect), expected), dialect).toBe(0);
      const to = new MemoryFiles();
      const options = { epoch: START, metadata: { profile: profile as Value } };
      const writer = await writing.create(to, options);
      await writer.close();
      const { headerBytes, isLittle } = { ...RECOMMENDED, ...reading };
      expect(Buffer.compare(to.bytes.subarray(0, 4), expected.subarray(0, 4)), dialect).toBe(0);
      expect([to.bytes.length, isLittle]).toEqual([headerBytes, reading.isLittle]);
    }
  });

  test.each([20, 24, 28, 32, 36, 40, 44, 48])("may have a header of %i bytes", async (headerBytes) => {
    const tape = await written(CONTENT, `header_bytes=${headerBytes} version=7`);
    expect(Buffer.compare(tape, makeTape(CONTENT, { headerBytes, version: 7, compress: deflateZlib }))).toBe(0);
  });

  test("may have blocks whose size spans their contents", async () => {
    for (const word of ["A", "endian=big,size_incl_header=true"]) {
      const isBig = word !== "A";
      const dialect = { isLittle: !isBig, sizeIncludesHeader: isBig, blockSpans: true, compress: deflateZlib };
      const tape = await written(CONTENT, `${word},block_spans=true`);
      expect(Buffer.compare(tape, makeTape(CONTENT, dialect))).toBe(0);
    }
  });

  test("has blocks no larger than asked for, but for single messages", async () => {
    for (const limit of [0, 100, 200, 500]) {
      const tape = await written(CONTENT, `A,max_block=${limit}`);
      const { reader, findings } = await readerOf(tape);
      expect(findings.list()).toEqual([]);
      expect(reader.tape.observer.largestBlock).toBeLessThanOrEqual(Math.max(limit, 250));
      expect(reader.info.metadata["blocks"]).toBeGreaterThan(limit === 500 ? 1 : 2);
      expect(await messagesOf(reader)).toEqual(await messagesOf((await readerOf(makeTape(CONTENT))).reader));
    }
  });

  test("goes to the sink in pieces, with counts patched in blocks that are gone already", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { epoch: START, dialect: "A,max_block=2000000" });
    const channel = writer.channel({ name: "/a", schema: "T" });
    const other = writer.channel({ name: "/b", schema: "T" });
    const payload = new Uint8Array(1000);
    for (let i = 0; i < 3_000; i++) {
      payload[0] = i;
      writer.write(i % 3 === 0 ? other : channel, i * 1000, payload);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
    await using recording = await openTape(to.bytes);
    expect(recording.findings).toEqual([]);
    expect(recording.info.metadata).toMatchObject({ blocks: 2, messages: 3_000 });
    let next = 0;
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++, next++) {
        expect(batch.time[i]).toBe(next * 1000);
        expect(batch.payload(i)[0]).toBe(next & 0xff);
        expect(readMessageHeader(batch, i).sequenceId).toBe(next % 3 === 0 ? next / 3 : next - Math.ceil(next / 3));
      }
    }
    expect(next).toBe(3_000);
  });

  test("keeps times in their index ascending when they were not", async () => {
    const times = [5, 3, 9, -4, 9, 0];
    const to = new MemoryFiles();
    const writer = await writing.create(to, { epoch: START });
    const channel = writer.channel({ name: "/a", schema: "uint8" });
    for (const time of times) writer.write(channel, time, Uint8Array.of(1));
    await writer.close();
    await using recording = await openTape(to.bytes);
    expect(recording.findings).toEqual([]);
    expect(await recording.timeline()).toMatchObject({ start: -4, end: 9, epoch: START });
    const table = to.bytes.subarray(to.bytes.length - times.length * 24);
    const view = new DataView(table.buffer, table.byteOffset, table.length);
    const stored = times.map((_, i) => Number(view.getBigInt64(24 * i + 16, true)));
    expect(stored).toEqual(times.toSorted((a, b) => a - b));
  });

  test("leaves no trace of a channel that never speaks, and needs no message", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { epoch: START });
    writer.channel({ name: "/silent", schema: "bool" });
    await writer.close();
    expect(to.bytes).toHaveLength(32);
    await using recording = await openTape(to.bytes);
    expect(recording.channels).toEqual([]);
    expect(recording.findings).toEqual([]);
  });

  test("refuses what a tape cannot hold", async () => {
    for (const dialect of [
      "B",
      "endian=middle",
      "max_block=-1",
      "header_bytes=33",
      "colour=red",
      "ptr=",
      "codec=lzo",
    ]) {
      await expect(writing.create(new MemoryFiles(), { dialect }), dialect).rejects.toThrow(RangeError);
    }
    const to = new MemoryFiles();
    const writer = await writing.create(to, {});
    for (const name of ["", "a\nb", "x".repeat(4097)]) expect(() => writer.channel({ name })).toThrow(RangeError);
    for (const metadata of [{ meta: "0g" }, { meta: "012" }, { metaBytes: "9" }, { compression: "lzo" }]) {
      expect(() => writer.channel({ name: "/x", metadata })).toThrow(RangeError);
    }
    const channel = writer.channel({ name: "/a" });
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 63 + 2048, -(2 ** 64)]) {
      expect(() => writer.write(channel, time, new Uint8Array(1))).toThrow(RangeError);
    }
    expect(() => writer.write(channel, 0, new Uint8Array((64 << 20) + 1))).toThrow(RangeError);
    expect(() => writer.write({ id: 7, name: "/other", metadata: {} }, 0, new Uint8Array(1))).toThrow(RangeError);
    await writer.close();
    expect(() => writer.write(channel, 0, new Uint8Array(1))).toThrow(RangeError);
    await expect(writer.flush()).rejects.toThrow(RangeError);
    expect(to.bytes).toHaveLength(32);
  });

  test("takes at most 65535 channels", async () => {
    const writer = await writing.create(new MemoryFiles(), {});
    for (let i = 0; i < 0xffff; i++) writer.channel({ name: `/${i}` });
    expect(writer.channel({ name: "/7" }).id).toBe(7);
    expect(() => writer.channel({ name: "/more" })).toThrow(RangeError);
    await writer.abort();
  });
});

describe("a tape written again", () => {
  test.each(SAMPLES)("from %s has the same messages", async (name) => {
    const tape = sampleBytes(`mira/${name}`);
    const copy = await rewritten(tape);
    const { reader, findings } = await readerOf(copy);
    expect(await messagesOf(reader)).toEqual(await messagesOf((await readerOf(tape)).reader));
    expect(findings.list()).toEqual([]);
    // One of them is not in order of time, so that its messages change places.
    if (SOUND.includes(name)) expect(Buffer.compare(copy, tape) === 0).toBe(!name.includes("unsorted"));
  });

  test("is byte-identical in each combination of the open points, block by block", async () => {
    for (const reading of readings()) {
      const tape = makeTape(CONTENT, { ...reading, maxBlock: 300 });
      expect(Buffer.compare(await rewritten(tape), tape), JSON.stringify(reading)).toBe(0);
    }
  });

  test.each([...fixtures().keys()])("from the fixture %s has the same messages", async (name) => {
    const tape = fixtures().get(name)!;
    const { reader, findings } = await readerOf(await rewritten(tape));
    expect(await messagesOf(reader)).toEqual(await messagesOf((await readerOf(tape)).reader));
    expect(findings.list()).toEqual([]);
  });

  test("of several windows is byte-identical, with blocks that begin where windows end", async () => {
    const messages = Array.from({ length: 12_000 }, (_, i) => ({
      channel: i % 3 === 0 ? "/b" : "/a",
      time: i * 1000,
      sequence: i,
      frame: `/f${i % 7}`,
      data: new Uint8Array(new Uint32Array(20).fill(i).buffer),
    }));
    const channels = { "/a": { type: "uint32" }, "/b": { type: "T" } };
    for (const maxBlock of [140, 5000, 200_000]) {
      const tape = makeTape({ start: START, zoneOffset: 0n, channels, messages }, { maxBlock });
      expect(tape.length).toBeGreaterThan(3 << 19);
      expect(Buffer.compare(await rewritten(tape), tape)).toBe(0);
    }
  });

  test("keeps times that a number does not hold", async () => {
    const near = [0, 4096, 8192, 2 ** 61].map((step) => Number(START) + step);
    const messages = near.map((time, i) => ({ channel: i === 1 ? "/b" : "/a", time, data: Uint8Array.of(i) }));
    const channels = { "/a": { type: "uint8" }, "/b": { type: "uint8" } };
    const tape = makeTape({ start: 0n, zoneOffset: 0n, channels, messages });
    // Each time in messages, infos, the block and the index tables, made one that lies between two numbers.
    const view = new DataView(tape.buffer, tape.byteOffset, tape.length);
    let changed = 0;
    for (let at = 0; at + 8 <= tape.length; at++) {
      const i = near.findIndex((time) => view.getBigInt64(at, true) === BigInt(time));
      if (i >= 0) view.setBigInt64(at, BigInt(near[i]!) + BigInt(7 * i + 1), true);
      if (i >= 0) changed++;
    }
    expect(changed).toBe(4 + 4 + 2 + 4);
    expect(Buffer.compare(await rewritten(tape), tape)).toBe(0);
    const { reader } = await readerOf(await rewritten(tape, { epoch: 5n }));
    expect((await reader.timeline()).epoch).toBe(5n);
  });

  test("can be compressed more, less and not at all", async () => {
    const tape = makeTape(patrol(), { compress: (data) => deflateZlib(data, 6), maxBlock: 8192 });
    const expected = await messagesOf((await readerOf(tape)).reader);
    const sizes: Record<string, number> = {};
    for (const compression of ["store", "fast", "small"] as const) {
      const copy = await rewritten(tape, { compression });
      const { reader, findings } = await readerOf(copy);
      expect(await messagesOf(reader)).toEqual(expected);
      expect(findings.list()).toEqual([]);
      expect(reader.profile.codec).toBe(compression === "store" ? null : "zlib");
      sizes[compression] = copy.length;
    }
    expect(sizes["small"]).toBeLessThanOrEqual(sizes["fast"]!);
    expect(sizes["fast"]).toBeLessThan(sizes["store"]! / 1.2);
    for (const codec of ["gzip", "deflate"]) {
      const { reader } = await readerOf(await rewritten(tape, { compression: "fast", dialect: `codec=${codec}` }));
      expect(reader.profile.codec).toBe(codec);
      expect(await messagesOf(reader)).toEqual(expected);
    }
  });

  test("keeps data that nothing opens as stored, whatever compression is asked for", async () => {
    const compress = (data: Uint8Array): Uint8Array => deflateZlib(data).map((byte) => byte ^ 0x5a);
    const tape = makeTape(CONTENT, { compress });
    for (const compression of [undefined, "store", "small"] as const) {
      const { reader, findings } = await readerOf(await rewritten(tape, { compression }));
      expect(reader.profile.codec).toMatch(/unknown/);
      expect(findings.list().map(({ code }) => code)).toEqual(["unknown-compression", "unknown-compression"]);
      expect(await messagesOf(reader)).toEqual(await messagesOf((await readerOf(tape)).reader));
    }
  });

  test("keeps meta data of any length, also for a channel that is renamed", async () => {
    const meta = Uint8Array.from({ length: 70_000 }, (_, i) => i * 7);
    const channels = { "/a": { type: "T", meta }, "/b": { type: "U", meta: meta.subarray(0, 300) } };
    const messages = ["/a", "/b", "/a"].map((channel, time) => ({ channel, time, data: Uint8Array.of(time) }));
    const tape = makeTape({ start: START, zoneOffset: 0n, channels, messages });
    expect(Buffer.compare(await rewritten(tape), tape)).toBe(0);
    const { reader } = await readerOf(tape);
    const to = new MemoryFiles();
    const writer = await writing.create(to, { like: reader });
    const renamed = reader.channels.map(({ schema, metadata }, i) =>
      writer.channel({ name: `/new/${i}`, schema: schema.name, metadata }),
    );
    for await (const batch of reader.batches({})) writer.append(batch, renamed);
    await writer.close();
    const copy = await readerOf(to.bytes);
    expect(copy.findings.list()).toEqual([]);
    for (const id of [0, 1]) expect(await infoOf(copy.reader, id)).toEqual(await infoOf(reader, id));
    expect(copy.reader.channels.map(({ name }) => name)).toEqual(["/new/0", "/new/1"]);
  });

  test("may move in time, drop channels, and take payloads that were changed", async () => {
    const tape = makeTape(CONTENT, { compress: deflateZlib });
    const { reader } = await readerOf(tape);
    const to = new MemoryFiles();
    const writer = await writing.create(to, { like: reader });
    const channels = reader.channels.map(({ name }) => (name === "/a/first" ? null : writer.channel({ name })));
    for await (const batch of reader.batches({})) {
      const blank = new Columns(
        batch.time as Float64Array,
        batch.channel as Uint16Array,
        batch.sequence as Float64Array,
        batch.flags as Uint8Array,
        new Uint8Array(batch.bytes.length).fill(0x20),
        batch.start as Uint32Array,
        batch.end as Uint32Array,
        batch.context,
      );
      writer.append(blank, channels, 1000.4);
    }
    await writer.close();
    const copy = await readerOf(to.bytes);
    expect(copy.findings.list()).toEqual([]);
    const expected = (await messagesOf(reader)).filter((text) => !text.startsWith("/a/first"));
    const blanked = expected.map((text) => {
      const [name, type, time, frame, sequence, payload] = text.split(" | ");
      const blank = Buffer.alloc(Buffer.from(payload!, "base64").length, 0x20).toString("base64");
      return [name, type, Number(time) + 1000, frame, sequence, blank].join(" | ");
    });
    expect(await messagesOf(copy.reader)).toEqual(blanked);
    expect(Buffer.from(to.bytes).includes("text")).toBe(false);
  });

  test("of a batch without a tape's own context has running sequence ids and the channel's frame", async () => {
    const to = new MemoryFiles();
    const writer = await writing.create(to, { epoch: START });
    const channel = writer.channel({ name: "/a", schema: "uint8", metadata: { frame: "/frame" } });
    const rows = new Columns(
      Float64Array.of(1, 2),
      Uint16Array.of(0, 0),
      Float64Array.of(0, 1),
      new Uint8Array(2),
      Uint8Array.of(8, 9),
      Uint32Array.of(0, 1),
      Uint32Array.of(1, 2),
      null,
    );
    writer.append(rows, [channel]);
    writer.write(channel, 3, Uint8Array.of(10));
    await writer.close();
    expect(await messagesOf((await readerOf(to.bytes)).reader)).toEqual([
      "/a | uint8 | 1 | /frame | 0 | CA==",
      "/a | uint8 | 2 | /frame | 1 | CQ==",
      "/a | uint8 | 3 | /frame | 2 | Cg==",
    ]);
  });

  test("after a recording of another format is refused", async () => {
    const like = { info: { format: "carla" } } as never;
    await expect(writing.create(new MemoryFiles(), { like })).rejects.toThrow(TypeError);
  });
});

describe("a tape under way", () => {
  const open = async (sink: DiskSink, dialect = "A"): Promise<MiraWriter> =>
    await writing.create({ name: "disk", open: async () => sink }, { epoch: START, dialect });

  test.each(["A", "block_spans=true", "endian=big,size_incl_header=true"])(
    "is read to the last flush after a crash, in %s",
    async (dialect) => {
      const sink = new DiskSink();
      const writer = await open(sink, `${dialect},max_block=300`);
      const channels = ["/a", "/b", "/c"].map((name) => writer.channel({ name, schema: "uint8" }));
      for (let i = 0; i < 60; i++) {
        writer.write(channels[i % 3]!, i, Uint8Array.of(i));
        if (i % 7 !== 3) continue;
        await writer.flush();
        const { reader, findings } = await readerOf(sink.flushed);
        expect(await messagesOf(reader)).toHaveLength(i + 1);
        const codes = new Set(findings.list().map(({ code }) => code));
        expect([...codes].sort()).toEqual(["missing-index", "unclosed"]);
      }
      await writer.close();
      expect(sink.end).toBe("closed");
      expect((await readerOf(sink.flushed)).findings.list()).toEqual([]);
    },
  );

  test("leaves nothing when it is aborted, and nothing happens to it after it was closed", async () => {
    const sink = new DiskSink();
    const writer = await open(sink);
    writer.write(writer.channel({ name: "/a" }), 0, Uint8Array.of(1));
    await writer.abort();
    await writer.abort();
    await writer.close();
    expect(sink.end).toBe("aborted");
    const files = new MemoryFiles("a");
    const other = await writing.create(files, {});
    await other.abort();
    expect(files.files.size).toBe(0);
    const closed = await writing.create(files, {});
    await closed.close();
    await closed.abort();
    expect(files.files.size).toBe(1);
  });

  test("tells a sink's failure where it is waited for", async () => {
    const sink = new DiskSink();
    sink.failAt = 1 << 20;
    const writer = await open(sink);
    const channel = writer.channel({ name: "/a" });
    for (let i = 0; i < 12; i++) writer.write(channel, i, new Uint8Array(1 << 20));
    await expect(writer.ready).rejects.toBe(sink.failure);
    await expect(writer.flush()).rejects.toBe(sink.failure);
    await expect(writer.close()).rejects.toBe(sink.failure);
    await writer.abort();
    expect(sink.end).toBe("aborted");
  });
});

test("an index log gives back what was put in, in order of time when asked", () => {
  const time = fc.oneof(
    fc.maxSafeInteger().map((n) => [n, null] as const),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => [Number(n), n] as const),
  );
  const entry = fc.record({ step: fc.nat(1 << 30), block: fc.option(fc.nat(2 ** 30)), time });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 50 }), (entries) => {
      const log = new IndexLog();
      let block = 32;
      let inside = 0;
      const expected: [number, number, bigint][] = [];
      for (const {
        step,
        block: skip,
        time: [near, exact],
      } of entries) {
        if (skip !== null) {
          block += skip + 1;
          inside = 0;
        }
        inside += step;
        log.add(block, inside, near, exact);
        expected.push([block, inside, exact ?? BigInt(near)]);
      }
      const sorted = expected.toSorted((a, b) => (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0));
      expect(log.isAscending).toBe(sorted.every((item, i) => item === expected[i]));
      for (const [entriesOf, wanted] of [
        [log.read(), expected],
        [log.readSorted(), sorted],
      ] as const) {
        const found: [number, number, bigint][] = [];
        while (entriesOf.next()) {
          found.push([entriesOf.block, entriesOf.inside, entriesOf.exact ?? BigInt(entriesOf.time)]);
        }
        expect(found).toEqual(wanted);
      }
    }),
  );
});

async function infoOf(reader: Awaited<ReturnType<typeof readerOf>>["reader"], id: number): Promise<object> {
  const info = (await reader.tape.info(id))!;
  return { type: info.type, meta: Buffer.from(info.meta).toString("hex") };
}
