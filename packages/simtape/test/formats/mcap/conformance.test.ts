import { createHash } from "node:crypto";
import { McapIndexedReader, McapStreamReader, type McapTypes } from "@mcap/core";
import { describe, expect, test } from "vitest";
import * as data from "../../../src/codec/mcap/data.ts";
import { OP } from "../../../src/codec/mcap/opcode.ts";
import { readPrefix, writePrefix } from "../../../src/codec/mcap/parts.ts";
import * as summary from "../../../src/codec/mcap/summary.ts";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { readBefore } from "../../../src/formats/mcap/read/context.ts";
import { McapReader } from "../../../src/formats/mcap/read/reader.ts";
import { check, copy, MemoryFiles, type Reader, rewrite } from "../../../src/index.ts";
import { ByteBuilder, ByteCursor } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import {
  makeVariant,
  PUBLISHED,
  PUBLISHED_SUMMARIES,
  variants,
  type Variant,
} from "../../fixtures/mcap/conformance.ts";

// The public conformance suite of MCAP, in its three modes. @mcap/core, which shares no code with ours, says what is in
// each file; the files are made from the specification alone.

const all = variants();
type Theirs = McapTypes.TypedMcapRecord;

/** Reads and writes the content of one kind of record, and says it as @mcap/core does. */
interface Codec<T> {
  readonly read: (cursor: ByteCursor) => T;
  readonly write: (builder: ByteBuilder, record: T) => void;
  readonly said: (record: T) => Theirs;
}
const codec = <T>(of: Codec<T>): Codec<unknown> => of as Codec<unknown>;
const big = BigInt;
const numbers = (map: ReadonlyMap<number, number>): Map<number, bigint> =>
  new Map([...map].map(([key, value]) => [key, big(value)]));

const CODECS: Readonly<Record<number, Codec<unknown>>> = {
  [OP.header]: codec({
    read: data.readHeader,
    write: data.writeHeader,
    said: (one) => ({ type: "Header", ...one }),
  }),
  [OP.footer]: codec({
    read: summary.readFooter,
    write: summary.writeFooter,
    said: (one) => ({
      type: "Footer",
      summaryStart: big(one.summary),
      summaryOffsetStart: big(one.summaryOffsets),
      summaryCrc: one.crc,
    }),
  }),
  [OP.schema]: codec({
    read: data.readSchema,
    write: data.writeSchema,
    said: (one) => ({ type: "Schema", ...one }),
  }),
  [OP.channel]: codec({
    read: data.readChannel,
    write: data.writeChannel,
    said: ({ id, schema, topic, encoding, metadata }) => ({
      type: "Channel",
      id,
      schemaId: schema,
      topic,
      messageEncoding: encoding,
      metadata: new Map(metadata),
    }),
  }),
  [OP.message]: codec({
    read: (cursor) => ({ ...data.readMessageHead(cursor), payload: cursor.view(cursor.remaining) }),
    write: (builder, { payload, ...head }) => {
      data.writeMessageHead(builder, head);
      builder.raw(payload);
    },
    said: ({ channel, payload, ...head }) => ({ type: "Message", channelId: channel, ...head, data: payload }),
  }),
  [OP.chunk]: codec({
    read: (cursor) => {
      const head = data.readChunkHead(cursor);
      return { ...head, records: cursor.view(head.stored) };
    },
    write: (builder, { records, ...head }) => {
      data.writeChunkHead(builder, head);
      builder.raw(records);
    },
    said: ({ start, end, size, crc, compression, records }) => ({
      type: "Chunk",
      messageStartTime: start,
      messageEndTime: end,
      uncompressedSize: big(size),
      uncompressedCrc: crc,
      compression,
      records,
    }),
  }),
  [OP.messageIndex]: codec({
    read: data.readMessageIndex,
    write: data.writeMessageIndex,
    said: ({ channel, times, offsets }) => ({
      type: "MessageIndex",
      channelId: channel,
      records: times.map((time, i): [bigint, bigint] => [time, big(offsets[i]!)]),
    }),
  }),
  [OP.chunkIndex]: codec({
    read: summary.readChunkIndex,
    write: summary.writeChunkIndex,
    said: (one) => ({
      type: "ChunkIndex",
      messageStartTime: one.start,
      messageEndTime: one.end,
      chunkStartOffset: big(one.offset),
      chunkLength: big(one.length),
      messageIndexOffsets: numbers(one.indexes),
      messageIndexLength: big(one.indexLength),
      compression: one.compression,
      compressedSize: big(one.stored),
      uncompressedSize: big(one.size),
    }),
  }),
  [OP.attachment]: codec({
    read: data.readAttachment,
    write: data.writeAttachment,
    said: (one) => ({ type: "Attachment", ...one }),
  }),
  [OP.attachmentIndex]: codec({
    read: summary.readAttachmentIndex,
    write: summary.writeAttachmentIndex,
    said: ({ offset, length, size, ...one }) => ({
      type: "AttachmentIndex",
      offset: big(offset),
      length: big(length),
      dataSize: big(size),
      ...one,
    }),
  }),
  [OP.statistics]: codec({
    read: summary.readStatistics,
    write: summary.writeStatistics,
    said: (one) => ({
      type: "Statistics",
      messageCount: big(one.messages),
      schemaCount: one.schemas,
      channelCount: one.channels,
      attachmentCount: one.attachments,
      metadataCount: one.metadata,
      chunkCount: one.chunks,
      messageStartTime: one.start,
      messageEndTime: one.end,
      channelMessageCounts: numbers(one.byChannel),
    }),
  }),
  [OP.metadata]: codec({
    read: data.readMetadata,
    write: data.writeMetadata,
    said: ({ name, texts }) => ({ type: "Metadata", name, metadata: new Map(texts) }),
  }),
  [OP.metadataIndex]: codec({
    read: summary.readMetadataIndex,
    write: summary.writeMetadataIndex,
    said: ({ offset, length, name }) => ({ type: "MetadataIndex", offset: big(offset), length: big(length), name }),
  }),
  [OP.summaryOffset]: codec({
    read: summary.readSummaryOffset,
    write: summary.writeSummaryOffset,
    said: ({ opcode, offset, length }) => ({
      type: "SummaryOffset",
      groupOpcode: opcode,
      groupStart: big(offset),
      groupLength: big(length),
    }),
  }),
  [OP.dataEnd]: codec({
    read: data.readDataEnd,
    write: data.writeDataEnd,
    said: (crc) => ({ type: "DataEnd", dataSectionCrc: crc }),
  }),
};

/** Every record of a file, those in chunks behind their chunk, as @mcap/core's stream reader gives them. */
function theirRecords(file: Uint8Array): Theirs[] {
  const reader = new McapStreamReader({ includeChunks: true, validateCrcs: true });
  reader.append(file);
  const records: Theirs[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) records.push(record);
  expect(reader.done()).toBe(true);
  return records;
}

/** The record at the cursor as @mcap/core says it, and the bytes that our writer makes of it, with those behind its fields. */
function readAndWrite(cursor: ByteCursor): { said: Theirs; written: Uint8Array } {
  const { opcode, start, end } = readPrefix(cursor);
  const of = CODECS[opcode]!;
  const content = new ByteCursor(cursor.bytes, start, end);
  const record = of.read(content);
  const fields = new ByteBuilder();
  of.write(fields, record);
  const behind = content.view(content.remaining);
  const written = new ByteBuilder();
  writePrefix(written, opcode, fields.length + behind.length);
  written.raw(fields.take()).raw(behind);
  cursor.seek(end);
  return { said: of.said(record), written: written.take() };
}

/** The same of our reader, whose records are the whole file. */
async function ourRecords(reader: Reader): Promise<Theirs[]> {
  const records: Theirs[] = [];
  for await (const batch of reader.records()) {
    for (const { kind, bytes } of batch) {
      if (kind === "magic") continue;
      const { said, written } = readAndWrite(new ByteCursor(bytes));
      expect(Buffer.compare(written, bytes), `what is written of the ${kind}`).toBe(0);
      records.push(said);
      if (said.type !== "Chunk") continue;
      for (const cursor = new ByteCursor(said.records); cursor.remaining > 0; ) {
        const at = cursor.position;
        const inside = readAndWrite(cursor);
        expect(Buffer.compare(inside.written, said.records.subarray(at, cursor.position))).toBe(0);
        records.push(inside.said);
      }
    }
  }
  return records;
}

interface Row {
  readonly topic: string;
  readonly encoding: string;
  readonly schema: readonly unknown[] | null;
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** Messages with what is defined of them, by log time and then as they stand. */
function theirRows(records: readonly Theirs[]): Row[] {
  const schemas = new Map<number, readonly unknown[]>();
  const channels = new Map<number, McapTypes.Channel>();
  const rows: Row[] = [];
  for (const record of records) {
    if (record.type === "Schema") schemas.set(record.id, [record.name, record.encoding, record.data]);
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type !== "Message") continue;
    const { topic, messageEncoding: encoding, schemaId } = channels.get(record.channelId)!;
    const { logTime, publishTime, sequence, data: payload } = record;
    rows.push({
      topic,
      encoding,
      schema: schemas.get(schemaId) ?? null,
      logTime,
      publishTime,
      sequence,
      data: payload,
    });
  }
  return rows
    .map((row, i) => ({ row, i }))
    .sort((a, b) => Number(a.row.logTime - b.row.logTime) || a.i - b.i)
    .map(({ row }) => row);
}

async function ourRows(reader: McapReader): Promise<Row[]> {
  const { definitions, order } = reader.plan;
  const rows: Row[] = [];
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      const { topic, encoding, schema: id } = definitions.channels.get(order[batch.channel[i]!]!)!;
      const schema = definitions.schemas.get(id);
      const described = schema === undefined ? null : [schema.name, schema.encoding, schema.data];
      rows.push({ topic, encoding, schema: described, ...readBefore(batch, i)!, data: batch.payload(i) });
    }
  }
  return rows;
}

async function indexedRows(file: Uint8Array): Promise<Row[]> {
  const readable = {
    size: async () => BigInt(file.length),
    read: async (offset: bigint, length: bigint) => file.slice(Number(offset), Number(offset + length)),
  };
  const reader = await McapIndexedReader.Initialize({ readable });
  const records: Theirs[] = [...reader.schemasById.values(), ...reader.channelsById.values()];
  for await (const message of reader.readMessages()) records.push(message);
  return theirRows(records);
}

/**
 * Whether the summary says all that our reader must know. It counts messages by the lengths of message indexes, so that
 * it scans files where bytes follow their entries.
 */
function isIndexed({ input, features: has }: Variant): boolean {
  if (input.messages.length > 0 && has.has("pad")) return false;
  const needed: [boolean, readonly string[]][] = [
    [true, ["st"]],
    [input.messages.length > 0, ["ch", "chx", "mx", "rch"]],
    [input.hasSchema, ["rsh"]],
    [input.hasAttachment, ["ax"]],
    [input.hasMetadata, ["mdx"]],
  ];
  return needed.every(([isNeeded, features]) => !isNeeded || features.every((one) => has.has(one as "ch")));
}

describe("the files of the conformance suite", () => {
  test("are as many as there, and those whose checksums are published are the same", () => {
    expect(all.length).toBe(416);
    const file = (name: string): Uint8Array => makeVariant(all.find((one) => one.name === name)!);
    for (const [name, sha256] of Object.entries(PUBLISHED)) {
      expect(createHash("sha256").update(file(name)).digest("hex"), name).toBe(sha256);
    }
    for (const [name, crc] of Object.entries(PUBLISHED_SUMMARIES)) {
      expect(Buffer.from(file(name)).readUInt32LE(file(name).length - 12), name).toBe(crc);
    }
  });
});

describe.each(all)("$name", (variant) => {
  const file = makeVariant(variant);
  const files = { "a.mcap": file };
  const theirs = theirRecords(file);
  const rows = theirRows(theirs);

  test("has every record of it, streamed, and each is written with the same bytes", async () => {
    const findings = new Findings();
    const opened = await McapReader.open(bundleOfFiles(files), findings, {});
    const reader = await opened.scanned(findings);
    expect(await ourRecords(reader)).toEqual(theirs);
    expect(await ourRows(reader)).toEqual(rows);
    expect(findings.list()).toEqual([]);
    expect(metadataOf(reader)).toEqual(metadataIn(theirs));
  });

  test("has the same messages by its index, or where it has none", async () => {
    await using recording = await openFiles(files, [mcap]);
    const reader = recording.reader as McapReader;
    expect(recording.info.seekIndex).toBe(isIndexed(variant) ? "stored" : "built");
    expect(await ourRows(reader)).toEqual(rows);
    // @mcap/core looks for the data end at a fixed distance before the summary
    if (isIndexed(variant) && !variant.features.has("pad")) expect(await indexedRows(file)).toEqual(rows);
    expect(metadataOf(reader)).toEqual(metadataIn(theirs));
    expect((await check(recording)).findings).toEqual([]);
  });

  test("is written: copied byte for byte, and laid out again with everything that is in it", async () => {
    await using recording = await openFiles(files, [mcap]);
    const exact = new MemoryFiles("b.mcap");
    await copy(recording, bundleOfFiles(files), exact);
    expect(Buffer.compare(exact.bytes, file)).toBe(0);
    for (const dialect of ["plain", "unchunked"]) {
      const to = new MemoryFiles("c.mcap");
      await rewrite(recording, await mcap.writing(), to, { dialect });
      const written = theirRecords(to.bytes);
      expect(theirRows(written)).toEqual(rows);
      expect(metadataIn(written)).toEqual(metadataIn(theirs));
      if (dialect === "plain") expect(await indexedRows(to.bytes)).toEqual(rows);
    }
  });
});

/** Attachments and metadata, each once. */
function metadataIn(records: readonly Theirs[]): unknown {
  const attachments: unknown[] = [];
  const metadata: unknown[] = [];
  for (const record of records) {
    if (record.type === "Metadata") metadata.push({ name: record.name, texts: Object.fromEntries(record.metadata) });
    if (record.type !== "Attachment") continue;
    const { name, mediaType, logTime, createTime } = record;
    attachments.push({ name, mediaType, bytes: record.data.length, logTime, createTime });
  }
  return { metadata, attachments };
}

function metadataOf({ info }: Reader): unknown {
  return { metadata: info.metadata["metadata"], attachments: info.metadata["attachments"] };
}
