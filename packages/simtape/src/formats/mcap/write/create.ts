import type { ByteSource } from "../../../io/source/source.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import type { AttachmentIndex } from "../../../codec/mcap/summary.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { McapWriter } from "./writer.ts";

/** Bytes of an attachment that are carried at once. */
const PIECE = 1 << 20;

/**
 * Begins a file. Dialects: `zstd`, `plain` (chunks without compression), `unchunked`. Metadata records and attachments
 * of `like` are carried along. Throws as `settingsOf`.
 */
export async function create(to: SinkBundle, options: CreateOptions): Promise<McapWriter> {
  const settings = await settingsOf(options);
  const writer = new McapWriter(await to.open(), settings);
  try {
    await carryAttachments(writer, settings);
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return writer;
}

async function carryAttachments(writer: McapWriter, { like, without }: Settings): Promise<void> {
  if (like === null || like.plan.attachments.length === 0) return;
  if (without.size > 0) {
    const reason = "attachments are left out where texts are taken out: what is in them is not known";
    writer.lost.push({ path: "attachments", count: like.plan.attachments.length, reason });
    return;
  }
  for (const index of like.plan.attachments) await writer.attach(index, recordOf(like.source, index));
}

async function* recordOf(source: ByteSource, { offset, length }: AttachmentIndex): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += PIECE) {
    yield await source.read(offset + at, Math.min(PIECE, length - at));
  }
}
