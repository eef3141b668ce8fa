import { crc32 } from "node:zlib";
import { McapIndexedReader, McapStreamReader, McapWriter, type IWritable } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { FORMATS, MemoryFiles, type Recording, rewrite } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { type MadeMessage, makeMcap } from "../../fixtures/mcap/make.ts";
import { patrol } from "../../fixtures/mcap/patrol.ts";

// @mcap/core is the format's own library, and @mcap/support has its decompressors: they share no code with ours.

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const zstd = await loadZstd();
const decompressHandlers = await loadDecompressHandlers();

interface Row {
  readonly topic: string;
  readonly schema: string;
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly sequence: number;
  readonly data: string;
}

const order = (a: Row, b: Row): number =>
  a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : a.sequence - b.sequence || (a.topic < b.topic ? -1 : 1);

/** Reads it from start to end, as a stream. */
function streamed(file: Uint8Array): Row[] {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(file);
  const channels = new Map<number, { topic: string; schemaId: number }>();
  const schemas = new Map<number, string>();
  const rows: Row[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Schema") schemas.set(record.id, record.name);
    else if (record.type === "Channel") channels.set(record.id, record);
    else if (record.type === "Message") {
      const { topic, schemaId } = channels.get(record.channelId)!;
      const { logTime, publishTime, sequence, data } = record;
      const schema = schemas.get(schemaId) ?? "";
      rows.push({ topic, schema, logTime, publishTime, sequence, data: Buffer.from(data).toString("hex") });
    }
  }
  expect(reader.done()).toBe(true);
  return rows;
}

/** Reads it by its index. */
async function indexed(file: Uint8Array): Promise<{ reader: McapIndexedReader; rows: Row[] }> {
  const readable = {
    size: async () => BigInt(file.length),
    read: async (offset: bigint, length: bigint) => file.slice(Number(offset), Number(offset + length)),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const rows: Row[] = [];
  for await (const { channelId, logTime, publishTime, sequence, data } of reader.readMessages()) {
    const { topic, schemaId } = reader.channelsById.get(channelId)!;
    const schema = reader.schemasById.get(schemaId)?.name ?? "";
    rows.push({ topic, schema, logTime, publishTime, sequence, data: Buffer.from(data).toString("hex") });
  }
  return { reader, rows };
}

/** What our own reader gives; publish times and sequences are in the bytes before each payload (spec §4.5). */
async function ours(recording: Recording): Promise<Row[]> {
  const { readBefore } = await import("../../../src/formats/mcap/read/context.ts");
  const rows: Row[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = recording.channels[batch.channel[i]!]!;
      const data = Buffer.from(batch.payload(i)).toString("hex");
      const hasSchema = schema.name.startsWith("foxglove.");
      rows.push({
        topic: name.replace(/#\d+$/, ""),
        schema: hasSchema ? schema.name : "",
        ...readBefore(batch, i)!,
        data,
      });
    }
  }
  return rows;
}

class Bytes implements IWritable {
  readonly parts: Uint8Array[] = [];
  #length = 0n;
  async write(bytes: Uint8Array): Promise<void> {
    this.parts.push(bytes.slice());
    this.#length += BigInt(bytes.length);
  }
  position(): bigint {
    return this.#length;
  }
}

/** The patrol as @mcap/core writes it. */
async function theirs(options: Partial<ConstructorParameters<typeof McapWriter>[0]>): Promise<Uint8Array> {
  const writable = new Bytes();
  const writer = new McapWriter({ writable, chunkSize: 3000, ...options });
  await writer.start({ profile: "", library: "a test" });
  const ids = new Map<number, number>();
  for (const { id, topic, encoding, schema } of patrol().channels) {
    const schemaId =
      schema === undefined ? 0 : await writer.registerSchema({ name: schema[0], encoding: schema[1], data: schema[2] });
    ids.set(id, await writer.registerChannel({ topic, messageEncoding: encoding, schemaId, metadata: new Map() }));
  }
  for (const { channel, time, publishTime = time, sequence = 0, data } of patrol().messages) {
    await writer.addMessage({ channelId: ids.get(channel)!, sequence, logTime: time, publishTime, data });
  }
  const data = new Uint8Array([1, 2, 3]);
  await writer.addAttachment({ name: "a", mediaType: "b", logTime: 1n, createTime: 0n, data });
  await writer.addMetadata({ name: "run", metadata: new Map([["robot", "r2"]]) });
  await writer.end();
  return new Uint8Array(Buffer.concat(writable.parts));
}

function expected(): Row[] {
  const channels = new Map(patrol().channels.map((channel) => [channel.id, channel]));
  return patrol()
    .messages.map(({ channel, time, publishTime, sequence, data }: MadeMessage) => ({
      topic: channels.get(channel)!.topic,
      schema: channels.get(channel)!.schema?.[0] ?? "",
      logTime: time,
      publishTime: publishTime!,
      sequence: sequence!,
      data: Buffer.from(data).toString("hex"),
    }))
    .sort(order);
}

const compressChunk = (chunkData: Uint8Array): { compression: string; compressedData: Uint8Array } => ({
  compression: "zstd",
  compressedData: zstd.compress(chunkData),
});

test.each([
  ["indexed", {}],
  ["in zstd", { compressChunk }],
  ["without chunks", { useChunks: false }],
  [
    "without a summary",
    { useStatistics: false, useSummaryOffsets: false, useChunkIndex: false, repeatChannels: false },
  ],
  ["without message indexes", { useMessageIndex: false }],
  ["without statistics", { useStatistics: false }],
])("we read what @mcap/core writes, %s", async (name, options) => {
  const file = await theirs(options);
  await using recording = await openFiles({ "a.mcap": file }, formats);
  expect((await ours(recording)).sort(order)).toEqual(expected());
  expect(recording.findings).toEqual([]);
  expect(recording.info.seekIndex).toBe(name === "indexed" || name === "in zstd" ? "stored" : "built");
  expect(recording.info.metadata).toMatchObject({
    attachments: [{ name: "a", bytes: 3 }],
    metadata: [{ name: "run", texts: { robot: "r2" } }],
  });
});

test.each(["zstd", "plain", "unchunked"])("@mcap/core reads what we write: %s", async (dialect) => {
  const source = await makeMcap(patrol(), { chunk: 20 });
  await using recording = await openFiles({ "a.mcap": source }, formats);
  const to = new MemoryFiles("b.mcap");
  const report = await rewrite(recording, await mcap.writing(), to, { dialect });
  expect(report.messages).toBe(patrol().messages.length);
  expect(streamed(to.bytes).sort(order)).toEqual(expected());
  const { reader, rows } = await indexed(to.bytes);
  if (dialect !== "unchunked") expect(rows.sort(order)).toEqual(expected());
  expect(reader.statistics).toMatchObject({
    messageCount: BigInt(expected().length),
    channelCount: patrol().channels.length,
    attachmentCount: 1,
    metadataCount: 1,
  });
  const attachments: unknown[] = [];
  for await (const { name, data } of reader.readAttachments()) attachments.push([name, Buffer.from(data).toString()]);
  expect(attachments).toEqual([["map.pgm", "P2 1 1 1 0"]]);
  const metadata: unknown[] = [];
  for await (const record of reader.readMetadata()) metadata.push([record.name, [...record.metadata]]);
  expect(metadata).toEqual([
    [
      "run",
      [
        ["robot", "r2"],
        ["site", "hall"],
      ],
    ],
  ]);
  const channels = [...reader.channelsById.values()].map(({ topic, metadata: own }) => [
    topic,
    Object.fromEntries(own),
  ]);
  expect(channels[0]).toEqual(["/tf", { latching: "no" }]);
});

test("the generator's files are what @mcap/core reads, too", async () => {
  const file = await makeMcap(patrol(), { chunk: 20, compression: "zstd" });
  expect(streamed(file).sort(order)).toEqual(expected());
  expect((await indexed(file)).rows.sort(order)).toEqual(expected());
});

test("the checksums of our files are those of the specification", async () => {
  await using recording = await openFiles({ "a.mcap": await makeMcap(patrol(), { chunk: 20 }) }, formats);
  const to = new MemoryFiles("b.mcap");
  await rewrite(recording, await mcap.writing(), to);
  const file = Buffer.from(to.bytes);
  const footer = file.length - 8 - 20;
  const summary = Number(file.readBigUInt64LE(footer));
  expect(file.readUInt32LE(footer + 16)).toBe(crc32(file.subarray(summary, footer + 16)));
  expect(file.readUInt32LE(summary - 4)).toBe(crc32(file.subarray(0, summary - 13)));
});
