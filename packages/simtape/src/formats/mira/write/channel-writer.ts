import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec } from "../../../model/writer.ts";
import { IndexLog } from "./index-log.ts";
import { MessageHead } from "../layout/layout.ts";
import { type Codec, isCodec, type WritingProfile } from "./settings.ts";
import { MAX_NAME_BYTES, MAX_SECOND_BYTES } from "../layout/shape.ts";
import { Span } from "./span.ts";
import { encodeText, isPrintable } from "../layout/text.ts";

/** What a tape taken after says of one channel. */
export interface ChannelDefault {
  readonly type: string;
  readonly meta: Uint8Array;
  /** Most of its messages are compressed. */
  readonly isCompressed: boolean;
}

/** By the channel's name, and by its metadata object, for channels that are renamed. */
export interface ChannelDefaults {
  readonly byName: ReadonlyMap<string, ChannelDefault>;
  readonly byMetadata: ReadonlyMap<object, ChannelDefault>;
}

/** One channel of a tape that is being written. */
export class TapeChannel implements ChannelInfo {
  readonly id: number;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly nameBytes: Uint8Array;
  readonly type: string;
  readonly meta: Uint8Array;
  /** Frame id of messages that are written and not appended. */
  readonly frame: Uint8Array;
  /** Compression of these messages; null: none. */
  readonly codec: Codec | null;
  /** Compressed also when that is longer. */
  readonly isForced: boolean;
  /** Never compressed, whatever is asked of the tape. */
  readonly isPlain: boolean;
  nextSequenceId = 0;
  /** Of messages with that frame id that are not compressed. */
  readonly head: MessageHead;
  /** File offset of its info; -1: not written yet. */
  offset = -1;
  /** Sum of the sizes of its data, as the profile counts them. */
  dataSize = 0;
  readonly span: Span = new Span();
  readonly log: IndexLog = new IndexLog();

  /** `profile` is that of the tape. Throws `RangeError` for names that a tape cannot hold. */
  constructor(id: number, spec: ChannelSpec, defaults: ChannelDefaults, profile: WritingProfile) {
    const { name, metadata = {} } = spec;
    const known = defaults.byMetadata.get(metadata) ?? defaults.byName.get(name);
    const nameBytes = encodeText(name);
    if (nameBytes.length === 0 || nameBytes.length > MAX_NAME_BYTES || !isPrintable(nameBytes, 0, nameBytes.length)) {
      throw new RangeError(`a channel of a tape cannot be called ${JSON.stringify(name)}`);
    }
    this.id = id;
    this.name = name;
    this.metadata = metadata;
    this.nameBytes = nameBytes;
    this.type = spec.schema ?? known?.type ?? metadata["type"] ?? "";
    this.meta = metaOf(name, metadata, known);
    this.frame = encodeText(metadata["frame"] ?? "");
    for (const [what, length] of Object.entries({
      type: encodeText(this.type).length,
      "frame id": this.frame.length,
    })) {
      if (length > MAX_SECOND_BYTES) throw new RangeError(`the ${what} of channel ${name} has ${length} bytes`);
    }
    const { compression } = metadata;
    if (compression !== undefined && compression !== "none" && !isCodec(compression)) {
      throw new RangeError(`compression of channel ${name} is none, zlib, gzip or deflate, not ${compression}`);
    }
    this.isPlain = compression === "none";
    this.isForced = isCodec(compression);
    const usual = known?.isCompressed === true && !this.isPlain ? profile.codec : null;
    this.codec = isCodec(compression) ? compression : usual;
    this.head = new MessageHead(nameBytes, this.frame, profile);
  }
}

function metaOf(
  name: string,
  metadata: Readonly<Record<string, string>>,
  known: ChannelDefault | undefined,
): Uint8Array {
  const { meta, metaBytes } = metadata;
  if (meta !== undefined) {
    if (meta.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(meta)) throw new RangeError(`meta data of ${name} is not hex`);
    return Uint8Array.from({ length: meta.length / 2 }, (_, i) => Number.parseInt(meta.slice(2 * i, 2 * i + 2), 16));
  }
  if (known !== undefined) return known.meta;
  if (metaBytes !== undefined && metaBytes !== "0") {
    throw new RangeError(`the ${metaBytes} bytes of meta data of channel ${name} are not given`);
  }
  return new Uint8Array(0);
}
