import { LayoutError } from "../../../bytes/error.ts";
import type { Budget } from "../../../bytes/budget.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import {
  as,
  noted,
  oneOf,
  type Part,
  sizedBytes,
  sizedText,
  struct,
  text,
  u16le,
  u32le,
  u64le,
  u8,
} from "../../../bytes/field-parts.ts";
import { type Field, type Fields, fieldsIn } from "../../../bytes/fields.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Contents, Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { Channel } from "../../../model/values/value.ts";
import { unpack } from "../layout/compression.ts";
import { readChunkHead } from "../../../codec/mcap/data.ts";
import { kindOf, MAGIC, OP, opcodeOf, PREFIX } from "../../../codec/mcap/opcode.ts";

const time: Part = as("value", noted(u64le, "ns"));
const label: Part = as("value", sizedText(u32le));
const number64: Part = as("value", u64le);
const number32: Part = as("value", u32le);
const number16: Part = as("value", u16le);

/** Entries of a list, whose length in bytes stands before them (spec §3). */
function entries(item: Part): Part {
  return (fields, name) => {
    const length = fields.as("frame", () => u32le(fields, `${name}.length`));
    fields.within(length, () => {
      for (let i = 0; fields.left > 0; i++) item(fields, `${name}[${i}]`);
    });
  };
}

const texts = entries(struct({ key: label, value: label }));
const numbers = entries(struct({ channel: number16, value: number64 }));
const rest =
  (what: string): Part =>
  (fields) => {
    if (fields.left > 0) fields.as("payload", () => fields.bytes(what, fields.left));
  };

/** The content of each kind of record, as spec §4 has it; fields behind the known ones are not understood. */
const CONTENTS: Readonly<Record<number, Part>> = {
  [OP.header]: struct({ profile: label, library: label }),
  [OP.footer]: struct({ summary: u64le, summaryOffsets: u64le, crc: u32le }),
  [OP.schema]: struct({ id: number16, name: label, encoding: label, data: as("payload", sizedBytes(u32le)) }),
  [OP.channel]: struct({ id: number16, schema: number16, topic: label, encoding: label, metadata: texts }),
  [OP.message]: (fields) => {
    struct({ channel: number16, sequence: number32, logTime: time, publishTime: time })(fields, "");
    rest("payload")(fields, "");
  },
  [OP.chunk]: (fields) => {
    struct({ start: time, end: time, size: u64le, crc: u32le, compression: label, stored: u64le })(fields, "");
    rest("records")(fields, "");
  },
  [OP.messageIndex]: struct({ channel: number16, entries: entries(struct({ time, offset: u64le })) }),
  [OP.chunkIndex]: struct({
    start: time,
    end: time,
    offset: u64le,
    length: u64le,
    indexes: numbers,
    indexLength: u64le,
    compression: label,
    stored: u64le,
    size: u64le,
  }),
  [OP.attachment]: struct({
    logTime: time,
    createTime: time,
    name: label,
    mediaType: label,
    data: as("payload", sizedBytes(u64le as Part<number>)),
    crc: u32le,
  }),
  [OP.attachmentIndex]: struct({
    offset: u64le,
    length: u64le,
    logTime: time,
    createTime: time,
    size: u64le,
    name: label,
    mediaType: label,
  }),
  [OP.statistics]: struct({
    messages: number64,
    schemas: number16,
    channels: number32,
    attachments: number32,
    metadata: number32,
    chunks: number32,
    start: time,
    end: time,
    byChannel: numbers,
  }),
  [OP.metadata]: struct({ name: label, texts }),
  [OP.metadataIndex]: struct({ offset: u64le, length: u64le, name: label }),
  [OP.summaryOffset]: struct({ opcode: noted(u8, (opcode) => kindOf(opcode)), offset: u64le, length: u64le }),
  [OP.dataEnd]: struct({ crc: u32le }),
};

/** Names every byte of records; payloads are one field. */
export class McapDissector implements Dissector {
  readonly #channels: readonly Pick<Channel, "schema">[];
  readonly #budget: Budget;

  constructor(channels: readonly Pick<Channel, "schema">[], budget: Budget) {
    this.#channels = channels;
    this.#budget = budget;
  }

  async record({ kind, bytes }: NativeRecord, options?: DissectOptions): Promise<Dissection> {
    if (kind === "magic") {
      return {
        fields: fieldsIn(bytes, (fields) => text(MAGIC.length)(fields, "magic"), options?.most),
        contents: null,
      };
    }
    const opcode = opcodeOf(kind);
    if (opcode === 0) return { fields: fieldsIn(bytes, () => undefined, options?.most), contents: null };
    const fields = fieldsIn(bytes, (into) => recordIn(into), options?.most);
    return { fields, contents: opcode === OP.chunk ? await this.#records(bytes, options) : null };
  }

  message(batch: MessageBatch, row: number, options?: DissectOptions): readonly Field[] {
    const { schema } = this.#channels[batch.channel[row]!]!;
    const read = (fields: Fields): void => {
      if (fields.left > 0) fields.as("value", () => fields.bytes("payload", fields.left, schema.name));
    };
    return fieldsIn(batch.payload(row), read, options?.most);
  }

  /** What a compressed chunk has inside; null where it cannot be unpacked. */
  async #records(bytes: Uint8Array, options: DissectOptions | undefined): Promise<Contents | null> {
    try {
      const cursor = new ByteCursor(bytes, PREFIX);
      const head = readChunkHead(cursor);
      const records = await unpack(head.compression, cursor.view(head.stored), head.size, this.#budget);
      const read = (fields: Fields): void => {
        while (fields.left > 0) recordIn(fields);
      };
      return {
        note: head.compression || "not compressed",
        bytes: records,
        fields: fieldsIn(records, read, options?.most),
      };
    } catch (error) {
      if (error instanceof LayoutError) return null;
      throw error;
    }
  }
}

/** One record with its prefix (spec §2). */
function recordIn(fields: Fields): void {
  const opcode = oneOf(u8, KINDS)(fields, "opcode");
  const length = u64le(fields, "length");
  const content = CONTENTS[opcode];
  fields.within(Number(length), () => content?.(fields, ""));
}

const KINDS: readonly string[] = Array.from({ length: 16 }, (_, i) => (i === 0 ? "" : kindOf(i)));
