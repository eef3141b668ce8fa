import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { Reader } from "../../../model/reader.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import type { ChannelDefault, ChannelDefaults } from "./channel-writer.ts";
import { TapeReader } from "../read/reader.ts";
import { settingsOf } from "./settings.ts";
import { MiraWriter } from "./writer.ts";

/**
 * Begins a tape. Dialects: `A`, the recommended profile, and switches of its open points, as `"A,endian=big"`; see the
 * format's README. Throws `RangeError` for others, `TypeError` when `like` is no tape.
 */
export async function create(to: SinkBundle, options: CreateOptions): Promise<MiraWriter> {
  const like = options.like === undefined ? null : tapeOf(options.like);
  const settings = settingsOf(options, like);
  const defaults = like === null ? NONE : await defaultsOf(like);
  return new MiraWriter(await to.open(), settings, defaults);
}

const NONE: ChannelDefaults = { byName: new Map(), byMetadata: new Map() };

export function tapeOf(reader: Reader): TapeReader {
  const base = reader.base ?? reader;
  if (base instanceof TapeReader) return base;
  throw new TypeError(`not a tape: a ${reader.info.format} recording`);
}

async function defaultsOf({ channels, tape }: TapeReader): Promise<ChannelDefaults> {
  const byName = new Map<string, ChannelDefault>();
  const byMetadata = new Map<object, ChannelDefault>();
  for (const { id, name, metadata } of channels) {
    const info = await tape.info(id);
    if (info === null) continue;
    const { messages, compressed } = tape.observer.channels[id]!;
    const known = { type: info.type, meta: info.meta, isCompressed: compressed * 2 > messages };
    byName.set(name, known);
    byMetadata.set(metadata, known);
  }
  return { byName, byMetadata };
}
