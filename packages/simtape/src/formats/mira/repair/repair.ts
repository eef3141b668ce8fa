import { hex } from "../../../bytes/error.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import { Columns, type MessageBatch } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import type { RepairNote } from "../../../model/writer.ts";
import type { TapeChannel } from "../write/channel-writer.ts";
import { create, tapeOf } from "../write/create.ts";
import { TapeContext } from "../layout/message-header.ts";
import type { TapeReader } from "../read/reader.ts";
import { ChunkShape } from "../layout/shape.ts";
import type { MiraWriter } from "../write/writer.ts";

/** Findings about what is always written again. */
const REBUILT: ReadonlySet<string> = new Set([
  "bad-header",
  "unclosed",
  "missing-index",
  "missing-channel-info",
  "late-channel-info",
  "block-mismatch",
  "block-count-mismatch",
  "index-mismatch",
  "bad-pointer",
  "data-size-mismatch",
  "too-many-tables",
]);

/**
 * A closed tape with every message that can be read, spec §7: the same profile, data as stored, in order of time;
 * blocks, channel infos, counts and index tables again. A time that cannot be right becomes that of the index. A
 * channel whose info was lost gets one of type "unknown".
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const tape = tapeOf(from);
  for (const finding of tape.findings) {
    if (!REBUILT.has(finding.code)) continue;
    note.rebuilt({ ...finding, severity: "note", message: `${finding.message}; written again` });
  }
  await noteDamage(tape, note);
  const writer = await create(to, { like: tape });
  try {
    const channels = tape.channels.map(({ name, schema, metadata }) =>
      writer.channel({ name, schema: schema.name, metadata }),
    );
    for await (const batch of tape.batches({})) {
      writer.append(timed(withoutDamaged(batch, tape, note), tape, note), channels);
      if (writer.ready !== null) await writer.ready;
    }
    declareSilent(writer, tape, channels);
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Tells the bytes that are no chunk, and the chunks that are too long to be read. */
async function noteDamage(tape: TapeReader, note: RepairNote): Promise<void> {
  const reasons = new Map<number, string>();
  for (const { severity, offset, message } of tape.findings) {
    if (severity === "damage" && offset !== undefined) reasons.set(offset, message);
  }
  for await (const records of tape.records()) {
    for (const { kind, offset, bytes } of records) {
      if (kind !== "damaged") continue;
      const message = reasons.get(offset) ?? "bytes that are no chunk";
      note.lost({ code: "damaged", severity: "damage", message, offset, length: bytes.length });
    }
  }
  for (const { kind, from, to } of tape.tape.long) {
    if (kind === "index") continue;
    const message = `a ${kind} that is too long to be read`;
    note.lost({ code: "too-long", severity: "loss", message, offset: from, length: to - from });
  }
}

/** The batch without messages whose data is in a known compression and damaged. */
function withoutDamaged(batch: MessageBatch, tape: TapeReader, note: RepairNote): MessageBatch {
  const { context } = batch;
  if (!(context instanceof TapeContext) || !context.hasDamaged) return batch;
  const rows = new Uint32Array(batch.length);
  let count = 0;
  const shape = new ChunkShape();
  for (let i = 0; i < batch.length; i++) {
    const sequence = batch.sequence[i]!;
    if (!context.isDamaged(sequence)) {
      rows[count++] = i;
      continue;
    }
    const position = context.locate(sequence, shape);
    const name = JSON.stringify(tape.channels[batch.channel[i]!]!.name);
    note.lost({
      code: "unknown-compression",
      severity: "loss",
      message: `a message of ${name} whose compressed data is damaged`,
      offset: context.offset + position,
      length: shape.end - position,
      time: batch.time[i],
    });
  }
  if (count === batch.length) return batch;
  const { time, channel, sequence, flags, bytes, start, end } = batch;
  return new Columns(time, channel, sequence, flags, bytes, start, end, context).pick(rows.subarray(0, count));
}

/** The batch with the times of the index where a message's own cannot be right. */
function timed(batch: MessageBatch, { mistimed }: TapeReader, note: RepairNote): MessageBatch {
  const { length, channel, sequence, flags, bytes, start, end, context } = batch;
  if (mistimed.size === 0 || !(context instanceof TapeContext)) return batch;
  const time = batch.time.slice();
  const shape = new ChunkShape();
  for (let i = 0; i < length; i++) {
    const offset = context.offset + context.locate(sequence[i]!, shape);
    const right = mistimed.get(offset);
    if (right === undefined) continue;
    const message = `the time of the message at ${hex(offset)}: ${right} ns by the index instead of ${time[i]} ns`;
    note.rebuilt({ code: "bad-time", severity: "note", message, offset, time: right });
    time[i] = right;
  }
  return new Columns(time, channel, sequence, flags, bytes, start, end, context);
}

/** Infos of channels that have no message any more, or never had. */
function declareSilent(writer: MiraWriter, { tape }: TapeReader, channels: readonly TapeChannel[]): void {
  for (const channel of channels) if (tape.observer.channels[channel.id]!.info !== null) writer.declare(channel);
}
