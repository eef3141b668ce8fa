import { readFileSync } from "node:fs";
import { McapStreamReader } from "@mcap/core";
import { Bag } from "@foxglove/rosbag";
import { loadDecompressHandlers } from "@mcap/support";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BagReport, importBag } from "../../../src/formats/mcap/bag/import.ts";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { check, type Finding, FORMATS, memory, MemoryFiles, RecordingError } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { mutate, mutation } from "../../conformance/mutate.ts";
import { type BagConnection, type BagMessage, makeBag } from "../../fixtures/mcap/bag.ts";

// Bags of ROS 1's own library (test/fixtures/mcap/bags/make.py), and bags made from the specification. What they hold is
// read by @foxglove/rosbag with the decompressors of @mcap/support, and what is written by @mcap/core: none of them shares
// code with ours.

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const zstd = await loadZstd();
const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/mcap/bags/${name}.bag`, import.meta.url)));

interface Row {
  readonly topic: string;
  readonly type: string;
  readonly definition: string;
  readonly time: bigint;
  readonly data: string;
}

/** What the bag holds, as @foxglove/rosbag reads it. */
async function held(bytes: Uint8Array): Promise<Row[]> {
  const file = {
    size: () => bytes.length,
    read: async (offset: number, length: number) => bytes.slice(offset, offset + length),
  };
  const { bz2, lz4 } = await loadDecompressHandlers();
  const decompress = {
    bz2: (data: Uint8Array, size: number) => bz2!(data, BigInt(size)),
    lz4: (data: Uint8Array, size: number) => lz4!(data, BigInt(size)),
  };
  const bag = new Bag(file, { decompress, parse: false });
  await bag.open();
  const rows: Row[] = [];
  for await (const { topic, connectionId, timestamp, data } of bag.messageIterator()) {
    const { type = "", messageDefinition } = bag.connections.get(connectionId)!;
    const time = BigInt(timestamp.sec) * 1_000_000_000n + BigInt(timestamp.nsec);
    rows.push({ topic, type, definition: messageDefinition, time, data: Buffer.from(data).toString("hex") });
  }
  return rows.sort(order);
}

/** What an MCAP file holds, as @mcap/core reads it. */
function written(file: Uint8Array): { rows: Row[]; metadata: Readonly<Record<string, string>>[]; profile: string } {
  const decompressHandlers = {
    zstd: (bytes: Uint8Array, size: bigint) => zstd.decompress(bytes, { size: Number(size), allowUnknownSize: true }),
  };
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(file);
  const schemas = new Map<number, { name: string; encoding: string; data: Uint8Array }>();
  const channels = new Map<number, { topic: string; schemaId: number; metadata: Map<string, string> }>();
  const rows: Row[] = [];
  let profile = "";
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Header") profile = record.profile;
    else if (record.type === "Schema") schemas.set(record.id, record);
    else if (record.type === "Channel") {
      expect(record.messageEncoding).toBe("ros1");
      channels.set(record.id, record);
    } else if (record.type === "Message") {
      const { topic, schemaId } = channels.get(record.channelId)!;
      const { name, encoding, data } = schemas.get(schemaId)!;
      expect(encoding).toBe("ros1msg");
      const definition = new TextDecoder().decode(data);
      const hex = Buffer.from(record.data).toString("hex");
      rows.push({ topic, type: name, definition, time: record.logTime, data: hex });
    }
  }
  const metadata = [...channels.values()].map((channel) => Object.fromEntries(channel.metadata));
  return { rows: rows.sort(order), metadata, profile };
}

const order = (a: Row, b: Row): number =>
  a.time < b.time ? -1 : a.time > b.time ? 1 : a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0;

async function imported(
  bytes: Uint8Array,
): Promise<{ file: Uint8Array; report: BagReport & { readonly findings: readonly Finding[] } }> {
  const to = new MemoryFiles("a.mcap");
  const findings = new Findings();
  const report = await importBag(memory(bytes, "a.bag"), to, findings);
  return { file: to.bytes, report: { ...report, findings: findings.list() } };
}

test.each(["none", "bz2", "lz4"])("a bag of ROS 1 has the same messages as an MCAP file: %s", async (compression) => {
  const bag = fixture(compression);
  const { file, report } = await imported(bag);
  const expected = await held(bag);
  expect(expected.length).toBe(54);
  const { rows, metadata, profile } = written(file);
  expect(rows).toEqual(expected);
  expect(profile).toBe("ros1");
  expect(metadata.every(({ md5sum }) => /^[0-9a-f]{32}$/.test(md5sum ?? ""))).toBe(true);
  expect(report).toMatchObject({ messages: 54, channels: 2, isIndexed: true, findings: [] });
  expect(report.chunks[compression]).toBeGreaterThan(2);
  await using recording = await openFiles({ "a.mcap": file }, formats);
  expect((await check(recording)).status).toBe("sound");
  const state = await recording.state((await recording.timeline()).end);
  expect([...state.sets.get("poses")!.columns.get("position")!.data]).toEqual([39, 0, 0]);
  expect(state.values.get("/chatter")).toEqual({ data: "line 39" });
});

const said = { topic: "/a", type: "std_msgs/String", md5sum: "*", message_definition: "string data\n" };
const connections: BagConnection[] = [
  { conn: 0, topic: "/a", said: { ...said, callerid: "/one", latching: "1" } },
  { conn: 7, topic: "/a", said: { ...said, callerid: "/two" } },
];
const messages: BagMessage[] = Array.from({ length: 30 }, (_, i) => ({
  conn: i % 3 === 0 ? 7 : 0,
  sec: 1_700_000_000 + Math.floor(i / 6),
  nsec: 999_999_900 + i,
  data: Uint8Array.of(1, 0, 0, 0, 65 + i),
}));

test("several connections of one topic are channels with all that they state", async () => {
  const bag = makeBag(connections, messages, { chunk: 10 });
  const { file, report } = await imported(bag);
  const { rows, metadata } = written(file);
  expect(rows).toEqual(await held(bag));
  expect(report).toMatchObject({ messages: 30, channels: 2, chunks: { none: 3 }, findings: [] });
  expect(metadata).toContainEqual({ topic: "/a", md5sum: "*", callerid: "/one", latching: "1" });
  expect(metadata).toContainEqual({ topic: "/a", md5sum: "*", callerid: "/two" });
});

test("a bag without chunks, and one of simulated time from 0, are read", async () => {
  const { file } = await imported(makeBag(connections, messages));
  expect(written(file).rows.length).toBe(30);
  const early = messages.map((message, i) => ({ ...message, sec: i, nsec: 5 }));
  const unordered = [...messages].reverse();
  expect(written((await imported(makeBag(connections, unordered, { chunk: 10 }))).file).rows.length).toBe(30);
  const simulated = await imported(makeBag(connections, early, { chunk: 4 }));
  expect(written(simulated.file).rows.map(({ time }) => time)).toEqual(
    early.map((_, i) => BigInt(i) * 1_000_000_000n + 5n),
  );
});

test("a bag whose recorder was killed gives every message, and says that it has no index", async () => {
  const { file, report } = await imported(makeBag(connections, messages, { chunk: 10, isUnclosed: true }));
  expect(written(file).rows.length).toBe(30);
  expect(report.isIndexed).toBe(false);
  expect(report.findings.map(({ code, severity }) => [code, severity])).toEqual([["unclosed", "warning"]]);
});

test("a bag cut anywhere gives the messages before the cut, or is refused", async () => {
  const bag = makeBag(connections, messages, { chunk: 10 });
  let before = 0;
  for (let end = 4110; end < bag.length; end += 37) {
    const { file, report } = await imported(bag.slice(0, end));
    const { length } = written(file).rows;
    expect(length).toBeGreaterThanOrEqual(before);
    before = length;
    expect(report.messages).toBe(length);
  }
  expect(before).toBe(30);
  const middle = await imported(bag.slice(0, 4700));
  expect(middle.report.findings.map(({ severity }) => severity)).toContain("loss");
});

test("behind damage the messages are read again, and the loss is reported", async () => {
  const bag = makeBag(connections, messages, { chunk: 10 });
  const broken = bag.slice();
  broken.fill(0xee, 4900, 4960);
  const { file, report } = await imported(broken);
  const { length } = written(file).rows;
  expect(length).toBeGreaterThan(20);
  expect(length).toBeLessThan(30);
  const codes = report.findings.map(({ code }) => code);
  expect(codes).toContain("bad-record");
  expect(codes).toContain("bad-index");
  const packed = fixture("bz2");
  const second = Buffer.from(packed).indexOf("BZh", Buffer.from(packed).indexOf("BZh") + 1);
  packed.fill(0xee, second + 100, second + 110);
  const lossy = await imported(packed);
  expect(lossy.report.findings.some(({ message }) => message.includes("cannot be unpacked"))).toBe(true);
  expect(lossy.report.messages).toBeGreaterThan(20);
});

test("what is no bag of version 2.0, or is encrypted, is refused", async () => {
  const text = new TextEncoder();
  for (const wrong of [new Uint8Array(0), text.encode("#ROSBAG V1.2\n"), text.encode("something else entirely")]) {
    await expect(imported(wrong)).rejects.toBeInstanceOf(RecordingError);
  }
  await expect(imported(makeBag(connections, messages, { encryptor: "rosbag/AesCbcEncryptor" }))).rejects.toThrow(
    "an encrypted bag (rosbag/AesCbcEncryptor)",
  );
});

test("another command says how to convert a bag", async () => {
  await expect(openFiles({ "a.bag": fixture("none") }, formats)).rejects.toThrow(
    "a ROS 1 bag, which is converted first: simtape mcap IN.bag -o OUT.mcap",
  );
});

test("mutated bags give a sound file, or a typed error", async () => {
  const bags = [fixture("bz2"), fixture("lz4"), makeBag(connections, messages, { chunk: 10 })];
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...bags)
        .chain((bag) => fc.tuple(fc.constant(bag), fc.array(mutation(bag.length), { minLength: 1, maxLength: 4 }))),
      async ([bag, mutations]) => {
        const mutated = mutate(bag, mutations);
        try {
          const { file, report } = await imported(mutated);
          await using recording = await openFiles({ "a.mcap": file }, formats);
          const counts = await recording.statistics();
          expect(counts.reduce((sum, one) => sum + one.messages, 0)).toBe(report.messages);
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
        }
      },
    ),
    { numRuns: 200 },
  );
});
