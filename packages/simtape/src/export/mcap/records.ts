import type { ByteBuilder } from "../../bytes/builder.ts";

/** The eight bytes at both ends of a file (MCAP specification, "Magic"). */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);

/** What the first byte of a record says (MCAP specification, "Records"). */
export const OPCODE = {
  header: 0x01,
  footer: 0x02,
  schema: 0x03,
  channel: 0x04,
  message: 0x05,
  chunk: 0x06,
  messageIndex: 0x07,
  chunkIndex: 0x08,
  attachment: 0x09,
  attachmentIndex: 0x0a,
  statistics: 0x0b,
  metadata: 0x0c,
  metadataIndex: 0x0d,
  summaryOffset: 0x0e,
  dataEnd: 0x0f,
} as const;

/** Bytes before the content of a record: its opcode and the length of the content, 64 bits. */
export const RECORD_HEAD = 9;
/** Bytes of a message record before its payload: head, channel, sequence, two times. */
export const MESSAGE_HEAD: number = RECORD_HEAD + 2 + 4 + 8 + 8;

const UTF8 = new TextEncoder();

/** Appends a text with its length before it, 32 bits. */
export function writeText(builder: ByteBuilder, text: string): void {
  const bytes = UTF8.encode(text);
  builder.u32le(bytes.length).raw(bytes);
}

/** Appends a map of texts, with its length in bytes before it. */
export function writeTexts(builder: ByteBuilder, texts: Readonly<Record<string, string>>): void {
  const at = builder.reserve(4);
  for (const [key, text] of Object.entries(texts)) {
    writeText(builder, key);
    writeText(builder, text);
  }
  builder.patchU32le(at, builder.length - at - 4);
}

/** Begins a record; gives the place that `endRecord` wants. */
export function beginRecord(builder: ByteBuilder, opcode: number): number {
  builder.u8(opcode).zeros(8);
  return builder.length;
}

/** Ends a record of less than 4 GiB, whose length was not known. */
export function endRecord(builder: ByteBuilder, began: number): void {
  builder.patchU32le(began - 8, builder.length - began);
}

/** A schema, by its number in the file. */
export interface SchemaRecord {
  readonly id: number;
  readonly name: string;
  readonly encoding: string;
  readonly data: Uint8Array;
}

export function writeSchema(builder: ByteBuilder, { id, name, encoding, data }: SchemaRecord): void {
  const began = beginRecord(builder, OPCODE.schema);
  builder.u16le(id);
  writeText(builder, name);
  writeText(builder, encoding);
  builder.u32le(data.length).raw(data);
  endRecord(builder, began);
}

/** A channel, by its number in the file; schema 0: none. */
export interface ChannelRecord {
  readonly id: number;
  readonly schema: number;
  readonly topic: string;
  readonly encoding: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export function writeChannel(builder: ByteBuilder, channel: ChannelRecord): void {
  const began = beginRecord(builder, OPCODE.channel);
  builder.u16le(channel.id).u16le(channel.schema);
  writeText(builder, channel.topic);
  writeText(builder, channel.encoding);
  writeTexts(builder, channel.metadata);
  endRecord(builder, began);
}
