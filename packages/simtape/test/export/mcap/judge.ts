import { crc32 } from "node:zlib";
import foxglove from "@foxglove/schemas/jsonschema.js";
import foxgloveInternal from "@foxglove/schemas/internal.js";
import { McapIndexedReader, McapStreamReader, type McapTypes } from "@mcap/core";
import { Ajv, type ValidateFunction } from "ajv";
import protobuf from "protobufjs";
import { loadZstd } from "../../../src/kit.ts";

type Records = McapTypes.TypedMcapRecords;

/** A message with what its channel says. */
export interface Judged {
  readonly topic: string;
  readonly schema: string;
  readonly logTime: bigint;
  readonly sequence: number;
  readonly data: Uint8Array;
}

export interface JudgedFile {
  readonly messages: readonly Judged[];
  /** Data of the schemas, by name. */
  readonly schemas: ReadonlyMap<string, Uint8Array>;
  readonly schemaRecords: readonly Records["Schema"][];
  readonly channels: readonly Records["Channel"][];
  readonly attachments: readonly Records["Attachment"][];
  readonly metadata: readonly Records["Metadata"][];
  readonly statistics: Records["Statistics"];
}

async function decompressors(): Promise<McapTypes.DecompressHandlers> {
  const zstd = await loadZstd();
  return { zstd: (bytes, size) => zstd.decompress(bytes, { size: Number(size) }) };
}

/** Read front to back by @mcap/core, with every CRC that it checks. */
export async function streamed(bytes: Uint8Array): Promise<JudgedFile> {
  const reader = new McapStreamReader({ decompressHandlers: await decompressors(), validateCrcs: true });
  reader.append(bytes);
  const all: McapTypes.TypedMcapRecord[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) all.push(record);
  if (!reader.done() || reader.bytesRemaining() > 0) throw new Error("the file does not end where it should");
  const of = <T extends keyof Records>(type: T): Records[T][] => all.filter((each) => each.type === type) as never;
  const statistics = of("Statistics")[0]!;
  const channels = new Map(of("Channel").map((channel) => [channel.id, channel]));
  const schemas = new Map(of("Schema").map((schema) => [schema.id, schema]));
  return {
    messages: of("Message").map((message) => judged(message, channels, schemas)),
    schemas: textsOf([...schemas.values()]),
    schemaRecords: [...schemas.values()],
    channels: [...channels.values()],
    attachments: of("Attachment"),
    metadata: of("Metadata"),
    statistics,
  };
}

/** Bytes of the records of each chunk, in the order of the file. */
export async function chunkSizes(bytes: Uint8Array): Promise<readonly number[]> {
  const reader = new McapStreamReader({ includeChunks: true, decompressHandlers: await decompressors() });
  reader.append(bytes);
  const sizes: number[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord())
    if (record.type === "Chunk") sizes.push(Number(record.uncompressedSize));
  return sizes;
}

/** Read by the summary and the message indexes, in order of time. */
export async function indexed(bytes: Uint8Array, topics?: readonly string[]): Promise<JudgedFile> {
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (offset, length) => Promise.resolve(bytes.slice(Number(offset), Number(offset + length))),
    },
    decompressHandlers: await decompressors(),
  });
  const messages: Judged[] = [];
  const args = { validateCrcs: true, ...(topics === undefined ? {} : { topics }) };
  for await (const message of reader.readMessages(args)) {
    messages.push(judged(message, reader.channelsById, reader.schemasById));
  }
  const attachments = [];
  for await (const attachment of reader.readAttachments({ validateCrcs: true })) attachments.push(attachment);
  const metadata = [];
  for await (const each of reader.readMetadata()) metadata.push(each);
  return {
    messages,
    schemas: textsOf([...reader.schemasById.values()]),
    schemaRecords: [...reader.schemasById.values()],
    channels: [...reader.channelsById.values()],
    attachments,
    metadata,
    statistics: reader.statistics!,
  };
}

function judged(
  { channelId, logTime, sequence, data }: Records["Message"],
  channels: ReadonlyMap<number, Records["Channel"]>,
  schemas: ReadonlyMap<number, Records["Schema"]>,
): Judged {
  const channel = channels.get(channelId)!;
  const schema = schemas.get(channel.schemaId)?.name ?? "";
  return { topic: channel.topic, schema, logTime, sequence, data: data.slice() };
}

function textsOf(schemas: readonly Records["Schema"][]): ReadonlyMap<string, Uint8Array> {
  return new Map(schemas.map(({ name, data }) => [name, data.slice()]));
}

/** The CRCs that @mcap/core passes over: of the data section and of the summary. Each as stated, and as it should be. */
export function sectionCrcs(bytes: Uint8Array): Record<"data" | "summary", { stated: number; computed: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const footer = bytes.length - 8 - 20;
  const summary = Number(view.getBigUint64(footer, true));
  // the record before the summary: its opcode, the length of its content, a CRC
  const dataEnd = summary - 13;
  if (bytes[dataEnd] !== 0x0f) throw new Error("no end of data before the summary");
  return {
    data: { stated: view.getUint32(dataEnd + 9, true), computed: crc32(bytes.subarray(0, dataEnd)) },
    summary: { stated: view.getUint32(footer + 16, true), computed: crc32(bytes.subarray(summary, footer + 16)) },
  };
}

const ajv = new Ajv({ strict: false, allErrors: true });
const validators = new Map<string, ValidateFunction>();

/** What is wrong with a message of one of Foxglove's schemas, by their own JSON Schemas; null: it is right. */
export function wrongBySchema(name: string, value: unknown): string | null {
  const key = name.replace("foxglove.", "");
  const schema = (foxglove as unknown as Record<string, object>)[key];
  if (schema === undefined) return `Foxglove has no schema ${name}`;
  return wrongBy(name, schema, value);
}

export function wrongBy(name: string, schema: object, value: unknown): string | null {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    validators.set(name, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Foxglove's own protobuf definitions, as their package makes the files. */
export const foxgloveProto: protobuf.Root = (() => {
  const root = new protobuf.Root();
  for (const file of ["timestamp", "duration"])
    root.addJSON(protobuf.common.get(`google/protobuf/${file}.proto`)!.nested!);
  const { generateProto, foxgloveMessageSchemas, foxgloveEnumSchemas } = foxgloveInternal;
  for (const schema of Object.values(foxgloveMessageSchemas)) {
    const enums = Object.values(foxgloveEnumSchemas).filter(({ parentSchemaName: of }) => of === schema.name);
    protobuf.parse(generateProto(schema, enums), root, { keepCase: true });
  }
  root.resolveAll();
  return root;
})();

/** A message as JSON has it: those of Foxglove's schemas decoded by Foxglove's definitions, with times as in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: fields of any message, as the tests know them
export function valueIn({ schema, data }: Judged): Record<string, any> {
  if (!schema.startsWith("foxglove.")) return json(data);
  const type = foxgloveProto.lookupType(schema);
  const options = { longs: Number, enums: Number, bytes: String, defaults: true } as const;
  return withTimes(type.toObject(type.decode(data), options)) as Record<string, never>;
}

function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 2 && "seconds" in value && "nanos" in value) return { sec: value.seconds, nsec: value.nanos };
  // an optional message that is not there
  return Object.fromEntries(entries.filter(([, each]) => each !== null).map(([key, each]) => [key, withTimes(each)]));
}

function json(data: Uint8Array): Record<string, never> {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data)) as Record<string, never>;
}
