import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { type ChannelRecord, type SchemaRecord, writeChannel, writeSchema } from "./data.ts";
import { MAGIC, OP } from "./opcode.ts";
import { writeRecord } from "./parts.ts";
import {
  type AttachmentIndex,
  type ChunkIndex,
  type MetadataIndex,
  type Statistics,
  writeAttachmentIndex,
  writeChunkIndex,
  writeFooter,
  writeMetadataIndex,
  writeStatistics,
  writeSummaryOffset,
} from "./summary.ts";

/** What is known of a file when all its data are written. */
export interface Facts {
  readonly schemas: readonly SchemaRecord[];
  /** Ascending by id. */
  readonly channels: readonly ChannelRecord[];
  readonly statistics: Statistics;
  readonly chunks: readonly ChunkIndex[];
  readonly attachments: readonly AttachmentIndex[];
  readonly metadata: readonly MetadataIndex[];
}

/** Summary, summary offsets, footer and magic, with the checksum of the summary, for a file whose summary begins at `at` (MCAP spec §1). */
export function tailOf(
  { schemas, channels, statistics, chunks, attachments, metadata }: Facts,
  at: number,
): Uint8Array {
  const out = new ByteBuilder(1 << 16);
  const offsets: (readonly [opcode: number, from: number, length: number])[] = [];
  const group = <T>(opcode: number, items: readonly T[], write: (into: ByteBuilder, item: T) => void): void => {
    if (items.length === 0) return;
    const from = out.length;
    for (const item of items) writeRecord(out, opcode, (into) => write(into, item));
    offsets.push([opcode, at + from, out.length - from]);
  };
  group(OP.schema, schemas, writeSchema);
  group(OP.channel, channels, writeChannel);
  group(OP.statistics, [statistics], writeStatistics);
  group(OP.chunkIndex, chunks, writeChunkIndex);
  group(OP.attachmentIndex, attachments, writeAttachmentIndex);
  group(OP.metadataIndex, metadata, writeMetadataIndex);
  const summaryOffsets = at + out.length;
  for (const [opcode, offset, length] of offsets) {
    writeRecord(out, OP.summaryOffset, (into) => writeSummaryOffset(into, { opcode, offset, length }));
  }
  writeRecord(out, OP.footer, (into) => writeFooter(into, { summary: at, summaryOffsets, crc: 0 }));
  const end = out.length - 4;
  out.patchU32le(end, crc32(out.copy(0, end)));
  return out.raw(MAGIC).take();
}
