import type { SinkBundle } from "../../io/sink/sink.ts";
import { unwritable } from "../../model/error.ts";
import type { Reader } from "../../model/reader.ts";
import type { ChannelInfo, Value } from "../../model/values/value.ts";
import type { CreateOptions, Writer, WritingFormat } from "../../model/writer.ts";
import { ChannelRoom } from "../channel-room.ts";
import type { RewriteReport } from "../copy.ts";
import { insideOf } from "./inside.ts";
import { piecesOf } from "./readers.ts";

/** Writes what an edited reader gives. Messages keep what the format keeps beside their payloads. */
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
): Promise<RewriteReport> {
  const { epoch } = await reader.timeline();
  const { signal, begin, ...create } = options;
  const { reader: inside, outside } = await insideOf(reader, writing, to.name, { ...create, like: reader });
  const writer = await writing.create(to, { ...create, epoch, like: reader });
  let messages = 0;
  try {
    begin?.(writer);
    const room = new ChannelRoom(writer);
    const names = reader.channels.map(({ name }) => name);
    const written: (ChannelInfo | null | undefined)[] = reader.channels.map(() => undefined);
    for await (const { batch, shift, channels } of piecesOf(inside, { signal })) {
      const map: (ChannelInfo | null)[] = [];
      for (let i = 0; i < batch.length; i++) {
        const source = batch.channel[i]!;
        if (map[source] !== undefined) continue;
        const id = channels === null ? source : channels[source]!;
        const { name, schema, metadata } = reader.channels[id]!;
        if (written[id] === undefined) written[id] = room.channel({ name, schema: schema.name, metadata });
        map[source] = written[id];
      }
      writer.append(batch, map, shift);
      messages += room.count(batch.channel, channels === null ? names : channels.map((id) => names[id]!));
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
    const changed = [...(writer.changed ?? [])].map(([path, count]) => ({ path, count }));
    return { messages, changed, lost: [...outside, ...room.lost] };
  } catch (error) {
    await writer.abort();
    throw unwritable(error, reader.info.format);
  }
}
