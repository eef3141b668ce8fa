import type { SinkBundle } from "../../io/sink.ts";
import type { Reader } from "../../model/reader.ts";
import type { ChannelInfo, Value } from "../../model/value.ts";
import type { CreateOptions, Writer, WritingFormat } from "../../model/writer.ts";
import { piecesOf } from "./readers.ts";

/** Writes what an edited reader gives. Messages keep what the format keeps beside their payloads. Gives their count. */
export async function writeEdited(
  reader: Reader,
  writing: WritingFormat,
  to: SinkBundle,
  options: Pick<CreateOptions, "compression" | "dialect" | "without"> & {
    readonly metadata?: Readonly<Record<string, Value>> | undefined;
    /** Puts more into the result, before its first message. */
    readonly begin?: ((writer: Writer) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<number> {
  const { epoch } = await reader.timeline();
  const base = reader.base ?? reader;
  const { signal, begin, ...create } = options;
  const writer = await writing.create(to, { ...create, epoch, like: base });
  let messages = 0;
  try {
    begin?.(writer);
    const written: (ChannelInfo | null)[] = reader.channels.map(() => null);
    for await (const { batch, shift, channels } of piecesOf(reader, { signal })) {
      const map: (ChannelInfo | null)[] = [];
      for (let i = 0; i < batch.length; i++) {
        const source = batch.channel[i]!;
        if (map[source] !== undefined) continue;
        const id = channels === null ? source : channels[source]!;
        const { name, schema, metadata } = reader.channels[id]!;
        written[id] ??= writer.channel({ name, schema: schema.name, metadata });
        map[source] = written[id];
      }
      writer.append(batch, map, shift);
      messages += batch.length;
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
    return messages;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
