import { held } from "../io/sink/held.ts";
import type { ByteSink, SinkBundle } from "../io/sink/sink.ts";
import { type SourceBundle, SourceError } from "../io/source/source.ts";
import { unwritable } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { ChannelInfo } from "../model/values/value.ts";
import type { CreateOptions, Lost, WritingFormat } from "../model/writer.ts";
import { ChannelRoom } from "./channel-room.ts";
import { insideOf } from "./edit/inside.ts";
import { mustBeSame } from "./same-bytes.ts";

/** Bytes copied at once. */
const PIECE = 1 << 20;

/** The files that were copied, by the names they have now, with their length in bytes. */
export interface CopyReport {
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * Copies every file of a recording, byte for byte. All get their names together at the end, or none does. Names follow
 * from that of `to`, never from what is in the files.
 */
export async function copy(
  recording: Recording,
  from: SourceBundle,
  to: SinkBundle,
  signal?: AbortSignal,
): Promise<CopyReport> {
  const sinks: ByteSink[] = [];
  const files: { name: string; bytes: number }[] = [];
  try {
    const { reader } = recording;
    for (const name of [undefined, ...(reader.siblings ?? [])]) {
      const beside = name === undefined || to.name === null ? name : (reader.siblingFor?.(name, to.name) ?? name);
      // a folder without metadata: its first segment is the main file
      if (beside !== undefined && beside === to.name) continue;
      const source = await from.open(name);
      if (source === null)
        throw new SourceError(
          "failed",
          `the other file of the recording is missing: ${name ?? from.name ?? "recording"}`,
        );
      try {
        const sink = await to.open(beside);
        sinks.push(sink);
        for (;;) {
          const bytes = await source.read(sink.position, PIECE, signal);
          if (bytes.length === 0) break;
          await sink.write(bytes);
        }
        files.push({ name: sink.name, bytes: sink.position });
      } finally {
        await source.close();
      }
    }
    // the main one last: who finds it finds the others
    for (const sink of sinks.reverse()) await sink.close();
    return { files };
  } catch (error) {
    for (const sink of sinks) await sink.abort();
    throw error;
  }
}

/** As `copy`, and compared with the source before the files take their names. Rejects when a byte differs. */
export function copyExactly(recording: Recording, from: SourceBundle, to: SinkBundle): Promise<CopyReport> {
  return held(to, async (files) => {
    const report = await copy(recording, from, files);
    await mustBeSame(recording, from, files.written);
    return report;
  });
}

/** What became of the messages that were written again. */
export interface RewriteReport {
  readonly messages: number;
  /** What is stored another way than it was, by path with the number of messages. */
  readonly changed: readonly { readonly path: string; readonly count: number }[];
  /** What the dialect that was asked for cannot hold. */
  readonly lost: readonly Lost[];
  /** As `Writer.rounding`. */
  readonly rounding?: number;
}

/**
 * The same messages laid out again by the format's writer: indexes and counts rebuilt, segments joined, compression
 * changed. The result leaves out damaged content and what the dialect cannot hold; the report lists both.
 */
export async function rewrite(
  recording: Recording,
  writing: WritingFormat,
  to: SinkBundle,
  options: Omit<CreateOptions, "like"> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<RewriteReport> {
  const { reader } = recording;
  const { epoch } = await recording.timeline();
  const { reader: inside, outside } = await insideOf(reader, writing, to.name, { ...options, like: reader });
  const writer = await writing.create(to, { epoch, ...options, like: reader });
  let messages = 0;
  try {
    const room = new ChannelRoom(writer);
    const names = recording.channels.map(({ name }) => name);
    const channels: (ChannelInfo | null | undefined)[] = recording.channels.map(() => undefined);
    for await (const batch of inside.batches({ signal: options.signal })) {
      for (let i = 0; i < batch.length; i++) {
        const id = batch.channel[i]!;
        if (channels[id] !== undefined) continue;
        const { name, schema, metadata } = recording.channels[id]!;
        channels[id] = room.channel({ name, schema: schema.name, metadata });
      }
      writer.append(
        batch,
        channels.map((channel) => channel ?? null),
      );
      messages += room.count(batch.channel, names);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
    const changed = [...(writer.changed ?? [])].map(([path, count]) => ({ path, count }));
    return { messages, changed, lost: [...outside, ...room.lost], rounding: writer.rounding ?? 0 };
  } catch (error) {
    await writer.abort();
    throw unwritable(error, recording.info.format);
  }
}
