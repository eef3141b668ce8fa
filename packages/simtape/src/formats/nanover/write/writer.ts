import { isSameBytes } from "../../../bytes/same-bytes.ts";
import type { ByteSink, SinkBundle } from "../../../io/sink/sink.ts";
import { RecordingError } from "../../../model/error.ts";
import { KEYFRAME, type MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec, CreateOptions, Lost, Writer } from "../../../model/writer.ts";
import { encodeMessagePack } from "../../../codec/messagepack.ts";
import { asReset, type Entry, frameEntries, partsOf, stateEntries, withParts } from "./entries.ts";
import { CHANNEL_NAMES, FRAME, FRAME_INDEX, STATE } from "../layout/layout.ts";
import { isOnly, outlineOf } from "../layout/messagepack.ts";
import { frameIndexOf } from "../layout/protobuf.ts";
import { type Content, contentAt, siblingName, VERSION } from "../layout/record.ts";
import { type Container, payloadsOf } from "../meaning/schema.ts";
import { SHARED } from "../meaning/state.ts";
import { type Carried, carriedFrom, type LostBeside, NOTHING_CARRIED, refusedFrom } from "./carry.ts";
import type { Target } from "./target.ts";
import { RecordTarget } from "./target-records.ts";
import { ZipTarget } from "./target-zip.ts";
import { transcodeFrame, transcodeState } from "./transcode.ts";

/** What `CreateOptions.dialect` may be. */
const DIALECTS: ReadonlyMap<string, Container> = new Map<string, Container>([
  ["zip", "zip"],
  ["v2", "2"],
  ["v1", "1"],
]);

/**
 * Begins a recording. The container is that of the dialect; absent, the one that the name's extension belongs to; else
 * that of `like`; else a zip. Throws `RangeError` for a dialect that is not known.
 */
export async function create(to: SinkBundle, options: CreateOptions): Promise<NanoverWriter> {
  const container = containerOf(to.name, options);
  const like = options.like?.info;
  const payloads = like === undefined ? container : ((like.version as Container | undefined) ?? container);
  const carried = await carriedBy(options, container);
  const sink = await to.open();
  if (container === "zip") {
    const provenance = options.metadata?.["provenance"] ?? like?.metadata["provenance"];
    const target = new ZipTarget(sink, typeof provenance === "string" ? provenance : null, carried);
    return new NanoverWriter(container, payloads, target, carried.lost);
  }
  const main = contentOf(to.name, like?.metadata["container"] === "state");
  let beside: ByteSink;
  try {
    beside = await to.open(siblingName(to.name ?? "recording", main));
  } catch (error) {
    await sink.abort();
    throw error;
  }
  const target = new RecordTarget(container === "1" ? 1 : VERSION, main, sink, beside);
  return new NanoverWriter(container, payloads, target, carried.lost);
}

/**
 * What the result gets of the other members of the zips that it is made from. It gets none where texts are taken out:
 * what is in them is not known.
 */
async function carriedBy({ like, without }: CreateOptions, container: Container): Promise<Carried> {
  if (like === undefined) return NOTHING_CARRIED;
  const carried = await carriedFrom(like).catch((error: unknown) => {
    throw RecordingError.from(error, "nanover");
  });
  if (without !== undefined)
    return refusedFrom(carried, "members are left out where texts are taken out: what is in them is not known");
  return container === "zip" ? carried : refusedFrom(carried, "only a zip has members");
}

/** Throws `RangeError` for a dialect that is not known. */
export function containerOf(
  name: string | null,
  { dialect, like }: Pick<CreateOptions, "dialect" | "like">,
): Container {
  if (dialect !== undefined) {
    const container = DIALECTS.get(dialect);
    if (container !== undefined) return container;
    throw new RangeError(
      `no NanoVer dialect ${JSON.stringify(dialect)}; there are: ${[...DIALECTS.keys()].join(", ")}`,
    );
  }
  const taken = like?.info.version as Container | undefined;
  if (name !== null && /\.zip$/i.test(name)) return "zip";
  if (name !== null && /\.(traj|state)$/i.test(name)) return taken === "1" ? "1" : "2";
  return taken ?? "zip";
}

/** What the main file of a pair holds. */
function contentOf(name: string | null, isState: boolean): Content {
  if (name !== null && /\.traj$/i.test(name)) return "frame";
  return isState || (name !== null && /\.state$/i.test(name)) ? "state" : "frame";
}

/**
 * Writes a recording of any container. Batches of a reader of another container are transcoded (`transcode.ts`);
 * so are payloads given to `write`, which may be of this container or of another: which one their first byte tells.
 */
export class NanoverWriter implements Writer {
  readonly container: Container;
  /** What payloads given to `write` are taken for where v1 and v2 look alike. */
  readonly #payloads: Container;
  readonly #target: Target;
  readonly #channels: ChannelInfo[] = [];
  /** Names as MessagePack, by channel id. */
  readonly #keys: Uint8Array[] = [];
  readonly #lostBeside: readonly LostBeside[];
  /** Keys whose values are stored another way than they were given, in so many messages. */
  readonly changed: Map<string, number> = new Map();
  #frames = 0;
  #end: Promise<void> | null = null;

  constructor(container: Container, payloads: Container, target: Target, lostBeside: readonly LostBeside[]) {
    this.#lostBeside = lostBeside;
    this.container = container;
    this.#payloads = payloads;
    this.#target = target;
    for (const name of CHANNEL_NAMES) this.channel({ name });
  }

  /** What of the zips that the recording is made from it does not have; all is known once it is closed. */
  get lostBeside(): readonly LostBeside[] {
    return [...this.#lostBeside, ...(this.#target.damaged ?? [])];
  }

  get lost(): readonly Lost[] {
    return this.lostBeside.map(({ path, count, reason }) => ({ path, count, reason }));
  }

  channel(spec: ChannelSpec): ChannelInfo {
    const found = this.#channels.find(({ name }) => name === spec.name);
    if (found !== undefined) return found;
    const channel: ChannelInfo = { id: this.#channels.length, name: spec.name, metadata: {} };
    this.#target.announce(channel.id, channel.name);
    this.#channels.push(channel);
    this.#keys.push(encodeMessagePack(channel.name));
    return channel;
  }

  /**
   * Of a zip's message with several parts, only that of the channel is written. A frame marked as keyframe gets index
   * 0, unless it is the first. Throws `LayoutError` for a payload that has to be changed and does not decode.
   */
  write(channel: ChannelInfo, time: Time, payload: Uint8Array, keyframe = false): void {
    const from = containerOfPayload(payload, channel.id, this.#payloads);
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#put(channel, time, payload, view, 0, payload.length, from, channel.name, keyframe);
  }

  /** A message of the current protocol with all its parts, of which v1 and v2 take frame and state. */
  writeWhole(time: Time, payload: Uint8Array): void {
    const names = partsOf(payload).map(({ key }) => key);
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    if (this.container === "zip") {
      for (const name of names) this.channel({ name });
      const isSingle = names.length === 1;
      this.#target.put(isSingle ? this.channel({ name: names[0]! }).id : -1, time, payload, view, 0, payload.length);
      if (names.includes(CHANNEL_NAMES[FRAME]!)) this.#frames++;
      return;
    }
    for (const name of names) {
      if (!CHANNEL_NAMES.includes(name)) throw new RangeError(`NanoVer v${this.container} has no channel ${name}`);
      this.#put(this.channel({ name }), time, payload, view, 0, payload.length, "zip", name, false);
    }
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    const source = payloadsOf(batch.context);
    const from = source?.container ?? this.#payloads;
    const { length, time, channel, flags, bytes, start, end } = batch;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < length; i++) {
      const of = channel[i]!;
      if (from === "zip" && bytes[start[i]!] !== 0x81) {
        const last = lastOfMessage(batch, i);
        if (last > i || this.container === "zip") {
          this.#putParts(batch, i, last, channels, source?.names ?? CHANNEL_NAMES, shift);
          i = last;
          continue;
        }
      }
      const target = channels[of];
      if (target === null || target === undefined) continue;
      const name = source?.names[of] ?? target.name;
      const isKeyframe = (flags[i]! & KEYFRAME) !== 0;
      this.#put(target, time[i]! + shift, bytes, view, start[i]!, end[i]!, from, name, isKeyframe);
    }
  }

  get ready(): Promise<void> | null {
    return this.#target.ready;
  }

  flush(): Promise<void> {
    return this.#target.flush();
  }

  close(): Promise<void> {
    this.#end ??= this.#finish();
    return this.#end;
  }

  abort(): Promise<void> {
    this.#end ??= this.#target.abort();
    return this.#end.catch(() => undefined);
  }

  async #finish(): Promise<void> {
    try {
      await this.#target.finish();
    } catch (error) {
      await this.#target.abort().catch(() => undefined);
      throw error;
    }
  }

  /** One channel's part of the message in `bytes[start, end)`, which is called `name` in a zip. */
  #put(
    channel: ChannelInfo,
    time: Time,
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    from: Container,
    name: string,
    keyframe: boolean,
  ): void {
    const { id } = channel;
    const isFrame = id === FRAME;
    const isReset = isFrame && keyframe && this.#frames > 0;
    const isAsIs = from === this.container && (from !== "zip" || isOnly(bytes, start, end, this.#keys[id]!));
    if (isAsIs && !isReset) {
      this.#target.put(id, time, bytes, view, start, end);
    } else {
      let payload = bytes.subarray(start, end);
      if (from === "zip" && !isOnly(bytes, start, end, this.#keys[id]!)) {
        payload = withParts(payload, (part) => (part === name ? channel.name : null));
      }
      payload = this.#converted(id, payload, from, isReset);
      this.#target.put(
        id,
        time,
        payload,
        new DataView(payload.buffer, payload.byteOffset, payload.byteLength),
        0,
        payload.length,
      );
    }
    if (isFrame) this.#frames++;
  }

  #converted(id: number, payload: Uint8Array, from: Container, isReset: boolean): Uint8Array {
    if (id === STATE) {
      const update = transcodeState(payload, from, this.container);
      if (update !== payload)
        this.#note(
          stateEntries(payload, from),
          stateEntries(transcodeState(update, this.container, from), from),
          SHARED,
        );
      return update;
    }
    if (id !== FRAME) return payload;
    let frame = transcodeFrame(payload, from, this.container, this.#frames);
    if (frame !== payload) {
      const back = transcodeFrame(frame, this.container, from, this.#frames);
      this.#note(frameEntries(payload, from), frameEntries(back, from), "");
    }
    if (isReset && !isIndexZero(frame, this.container)) frame = asReset(frame, this.container);
    if (this.container === "1" && this.#frames > 0 && from !== "1" && isIndexZero(payload, from)) {
      throw new RangeError("NanoVer v1 cannot say that a simulation begins again; v2 and zip can");
    }
    return frame;
  }

  /** What of a message does not come back as it was given. */
  #note(given: readonly Entry[], back: readonly Entry[], prefix: string): void {
    const found = new Map(back.map(({ key, bytes }) => [key, bytes]));
    for (const { key, bytes } of given) {
      const same = found.get(key);
      if (key === FRAME_INDEX || (same !== undefined && isSameBytes(bytes, same))) continue;
      this.changed.set(prefix + key, (this.changed.get(prefix + key) ?? 0) + 1);
    }
  }

  /** Rows `[first, last]`, which are parts of one message: it stays one, with the parts that are wanted. */
  #putParts(
    batch: MessageBatch,
    first: number,
    last: number,
    channels: readonly (ChannelInfo | null)[],
    names: readonly string[],
    shift: Time,
  ): void {
    const time = batch.time[first]! + shift;
    const renamed = new Map<string, ChannelInfo>();
    let isKeyframe = false;
    for (let i = first; i <= last; i++) {
      const target = channels[batch.channel[i]!] ?? null;
      const name = names[batch.channel[i]!];
      if (target === null || name === undefined) continue;
      renamed.set(name, target);
      if (target.id === FRAME) isKeyframe = (batch.flags[i]! & KEYFRAME) !== 0;
    }
    if (renamed.size === 0) return;
    let payload = batch.payload(first);
    if (this.container !== "zip") {
      const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
      for (const [name, target] of renamed) {
        this.#put(target, time, payload, view, 0, payload.length, "zip", name, isKeyframe);
      }
      return;
    }
    const isWhole = partsOf(payload).every(({ key }) => renamed.get(key)?.name === key);
    if (!isWhole) payload = withParts(payload, (name) => renamed.get(name)?.name ?? null);
    const hasFrame = [...renamed.values()].some(({ id }) => id === FRAME);
    if (hasFrame && isKeyframe && this.#frames > 0 && !isIndexZero(payload, "zip")) payload = asReset(payload, "zip");
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#target.put(-1, time, payload, view, 0, payload.length);
    if (hasFrame) this.#frames++;
  }
}

/**
 * The last row that is a part of the message of which row `i` is the first. Merged batches have copies of the payload.
 */
function lastOfMessage(batch: MessageBatch, i: number): number {
  const { length, time, channel, sequence, bytes, start, end } = batch;
  const size = end[i]! - start[i]!;
  let last = i;
  for (let k = i + 1; k < length; k++) {
    if (time[k] !== time[i] || sequence[k]! <= sequence[last]! || channel[k]! <= channel[last]!) break;
    if (end[k]! - start[k]! !== size) break;
    if (start[k] !== start[i] && !isEqual(bytes, start[i]!, start[k]!, size)) break;
    last = k;
  }
  return last;
}

function isEqual(bytes: Uint8Array, a: number, b: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** Messages of a zip begin with the mark of a map, those of v1 and v2 never do (spec §1, §4). */
function containerOfPayload(payload: Uint8Array, channel: number, expected: Container): Container {
  const first = payload[0];
  if (first === undefined) return expected === "zip" ? "2" : expected;
  if ((first >= 0x80 && first < 0x90) || first === 0xde || first === 0xdf) return "zip";
  if (expected !== "zip") return expected;
  return channel === FRAME && first !== 0x08 && contentAt(payload, 0, payload.length, 1) === "frame" ? "1" : "2";
}

function isIndexZero(payload: Uint8Array, container: Container): boolean {
  if (container === "1") return false;
  if (container === "2") return frameIndexOf(payload, 0, payload.length) === 0;
  return outlineOf(payload, 0, payload.length).frameIndex === 0;
}
