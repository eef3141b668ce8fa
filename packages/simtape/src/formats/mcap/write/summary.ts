import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { writeChannel, writeSchema } from "../layout/data.ts";
import { MAGIC, OP } from "../layout/opcode.ts";
import { writeRecord } from "../layout/parts.ts";
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
} from "../layout/summary.ts";
import type { WrittenChannels } from "./channels.ts";

/** What is known of a file when all its data are written. */
export interface Facts {
  readonly channels: WrittenChannels;
  readonly statistics: Statistics;
  readonly chunks: readonly ChunkIndex[];
  readonly attachments: readonly AttachmentIndex[];
  readonly metadata: readonly MetadataIndex[];
}

/** Summary, summary offsets, footer and magic, for a file whose summary begins at `at` (spec §1). */
export function tailOf({ channels, statistics, chunks, attachments, metadata }: Facts, at: number): Uint8Array {
  const out = new ByteBuilder(1 << 16);
  const offsets: (readonly [opcode: number, from: number, length: number])[] = [];
  const group = <T>(opcode: number, items: readonly T[], write: (into: ByteBuilder, item: T) => void): void => {
    if (items.length === 0) return;
    const from = out.length;
    for (const item of items) writeRecord(out, opcode, (into) => write(into, item));
    offsets.push([opcode, at + from, out.length - from]);
  };
  const records = channels.list.map(({ record }) => record).sort((a, b) => a.id - b.id);
  group(OP.schema, channels.schemas, writeSchema);
  group(OP.channel, records, writeChannel);
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
