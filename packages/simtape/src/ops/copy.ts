import type { ByteSink, SinkBundle } from "../io/sink.ts";
import { type SourceBundle, SourceError } from "../io/source.ts";
import type { Recording } from "../model/recording.ts";
import type { ChannelInfo } from "../model/value.ts";
import type { CreateOptions, WritingFormat } from "../model/writer.ts";

/** Bytes copied at once. */
const PIECE = 1 << 20;

export interface CopyReport {
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * Every file of a recording, byte for byte. All take their names together at the end, or none does. Names follow from
 * that of `to`, never from what is in the files.
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
        throw new SourceError("failed", `the file beside is gone: ${name ?? from.name ?? "recording"}`);
      const sink = await to.open(beside);
      sinks.push(sink);
      for (;;) {
        const bytes = await source.read(sink.position, PIECE, signal);
        if (bytes.length === 0) break;
        await sink.write(bytes);
      }
      await source.close();
      files.push({ name: sink.name, bytes: sink.position });
    }
    for (const sink of sinks) await sink.close();
    return { files };
  } catch (error) {
    for (const sink of sinks) await sink.abort();
    throw error;
  }
}

export interface RewriteReport {
  readonly messages: number;
  /** What is told another way than it was, by path with the number of messages. */
  readonly changed: readonly { readonly path: string; readonly count: number }[];
}

/**
 * The same messages laid out anew by the format's writer: indexes and counts rebuilt, segments joined, compression
 * changed. What is damaged stays behind.
 */
export async function rewrite(
  recording: Recording,
  writing: WritingFormat,
  to: SinkBundle,
  options: Omit<CreateOptions, "like"> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<RewriteReport> {
  const { reader } = recording;
  const { epoch } = await recording.timeline();
  const writer = await writing.create(to, { epoch, ...options, like: reader });
  let messages = 0;
  try {
    const channels: (ChannelInfo | null)[] = recording.channels.map(() => null);
    for await (const batch of recording.batches({ signal: options.signal })) {
      for (let i = 0; i < batch.length; i++) {
        const id = batch.channel[i]!;
        if (channels[id] !== null) continue;
        const { name, schema, metadata } = recording.channels[id]!;
        channels[id] = writer.channel({ name, schema: schema.name, metadata });
      }
      writer.append(batch, channels);
      messages += batch.length;
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
    return { messages, changed: [...(writer.changed ?? [])].map(([path, count]) => ({ path, count })) };
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
