import type { PropertyNode } from "../../codec/properties.ts";
import { propertyNode } from "../../codec/properties.ts";
import type { SinkBundle } from "../../io/sink.ts";
import type { MessageBatch } from "../../model/batch.ts";
import { type Origin, unsetOrigin } from "../../model/place.ts";
import type { Reader } from "../../model/reader.ts";
import type { Time } from "../../model/time.ts";
import type { ChannelInfo, Value } from "../../model/value.ts";
import type { ChannelSpec, CreateOptions, Writer } from "../../model/writer.ts";
import { DEFAULT_SIGNALS } from "./default-signals.ts";
import { type Dialect, dialectNamed, dialectOf, framesOf, isNormal } from "./dialects.ts";
import { FrameTable, layoutKey } from "./frame-table.ts";
import type { TapeHeader } from "./header.ts";
import { fillsExtraProperties } from "./layout-extra.ts";
import { makeHeader } from "./make-header.ts";
import { Output } from "./output.ts";
import { FlightGearReader } from "./reader.ts";
import { readSignalList, SIGNAL_TYPES, type Signal, type SignalList, writeSignalList } from "./signals.ts";
import { ContinuousBody, NormalBody, Slot, type TapeBody } from "./tape-body.ts";

/** Items of a Continuous tape by default, in the order in which FlightGear writes them. */
const ITEMS = ["signals", "multiplayer", "extra-properties"] as const;
const MAX_PACKET = 0xffff;
/** Native time of the first moment, when nothing says which: above 0, where FlightGear cannot seek to (spec §8). */
const FIRST = 1;
/** Native times that differ by less are the same: half a nanosecond. */
const SAME = 5e-10;

/** Opens the file and writes nothing to it yet: what the header says is known with the first message. */
export async function createWriter(to: SinkBundle, options: CreateOptions): Promise<TapeWriter> {
  const writer = new TapeWriter(options);
  writer.begin(new Output(await to.open()));
  return writer;
}

/** Where frames go that are put together elsewhere. */
export interface FrameTarget {
  /** Items of a frame to be filled, by name; emptied by `frame()`. */
  readonly slots: readonly Slot[];
  /** A frame of these slots; `buffer` as in `FrameTable.add`. Gives the bytes that it takes. */
  frame(native: number, buffer: number): number;
  /** A frame as it is; false when this tape does not take frames so, and nothing is done. */
  whole(native: number, bytes: Uint8Array): boolean;
}

/** Writes a tape: rows of one time are gathered into one frame. */
export class TapeWriter implements Writer {
  readonly dialect: Dialect;
  /** Where a local plane touches the earth, for what comes without geodetic places. */
  readonly origin: Origin;
  #signals: SignalList;
  #config: readonly PropertyNode[];
  readonly #options: CreateOptions;
  readonly #like: FlightGearReader | null;
  /** The header of `#like`, or what it was mended to. */
  readonly #likeHeader: TapeHeader | null;
  readonly #channels: ChannelInfo[] = [];
  readonly #slots: Slot[] = [];
  /** Of each channel, in the order of ids, its place in `#slots`. */
  readonly #slotOf: number[] = [];
  #output: Output | null = null;
  #body: TapeBody | null = null;
  /** Set while frames of another tape may go through as they are. */
  #continuous: ContinuousBody | null = null;
  #key = "";
  /** Native time at time 0. */
  #zero = FIRST;
  #frames = 0;
  // The frame being put together.
  #isOpen = false;
  #native = 0;
  #table: FrameTable | null = null;
  #frame = -1;
  /** The frame that was copied last. */
  #copied: FrameTable | null = null;
  #copiedFrame = -1;
  // Signal lists that were found to be this tape's, or not.
  readonly #isSameList = new Map<SignalList, boolean>();
  #end: Promise<void> | null = null;

  /** `header` takes the place of that of `options.like`. */
  constructor(options: CreateOptions, header?: TapeHeader) {
    const { like, metadata = {} } = options;
    this.#options = options;
    this.#like = like === undefined ? null : tapeUnder(like);
    this.#likeHeader = header ?? this.#like?.header ?? null;
    const fallback = options.compression === "store" ? "continuous" : "continuous-compressed";
    this.dialect =
      options.dialect !== undefined
        ? dialectNamed(options.dialect)
        : this.#like !== null
          ? dialectOf(this.#like)
          : fallback;
    const list = signalsIn(metadata["signalList"]);
    const name = typeof metadata["recorder"] === "string" ? metadata["recorder"] : "simtape";
    if (list === null && this.#likeHeader !== null) {
      this.#config = this.#likeHeader.config.children;
      this.#signals = this.#likeHeader.signals;
    } else {
      this.#config = writeSignalList(name, list ?? DEFAULT_SIGNALS);
      this.#signals = listOf(this.#config);
    }
    this.origin = originIn(metadata["origin"]);
    const data = metadata["data"];
    if (this.#isFixedSet) for (const item of this.#possible) this.#slots.push(new Slot(item));
    else if (Array.isArray(data)) for (const item of new Set(data)) this.#slots.push(new Slot(String(item)));
    else for (const item of this.#like?.layout.data ?? ITEMS) this.#slots.push(new Slot(item));
  }

  /** Signals of each record, in byte order. */
  get signals(): SignalList {
    return this.#signals;
  }

  begin(output: Output): void {
    this.#output = output;
  }

  /**
   * Records these signals instead of the default ones. False, and nothing done, when something was written or the
   * options say which signals there are.
   */
  useSignals(name: string, list: readonly Signal[]): boolean {
    if (this.#frames > 0 || this.#isOpen || this.#like !== null) return false;
    if (this.#options.metadata?.["signalList"] !== undefined) return false;
    this.#config = writeSignalList(name, list);
    this.#signals = listOf(this.#config);
    return true;
  }

  channel({ name }: ChannelSpec): ChannelInfo {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    let slot = this.#slots.findIndex((of) => of.name === name);
    if (slot < 0) {
      if (this.#isFixedSet) {
        throw new RangeError(
          `a ${this.dialect} tape has no ${JSON.stringify(name)}, only ${this.#possible.join(", ")}`,
        );
      }
      if (this.#body !== null) {
        throw new RangeError(
          `the header is written: ${JSON.stringify(name)} had to be asked for before the first message`,
        );
      }
      if (name === "") throw new RangeError("a data item needs a name");
      slot = this.#slots.push(new Slot(name)) - 1;
    }
    const made: ChannelInfo = { id: this.#channels.length, name, metadata: {} };
    this.#channels.push(made);
    this.#slotOf.push(slot);
    return made;
  }

  write(channel: ChannelInfo, time: Time, payload: Uint8Array): void {
    this.#check(channel, payload);
    const body = this.#start(null, time, 0);
    const native = this.#zero + time / 1e9;
    if (!(native >= 0 && native <= 1e11)) throw new RangeError(`no tape holds ${native} s`);
    this.#add(body, this.#slotOf[channel.id]!, native, null, -1, payload, 0, payload.length);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    if (batch.length === 0) return;
    const table = batch.context instanceof FrameTable ? batch.context : null;
    const slots = this.#slotsFor(channels, table);
    const { time, channel, sequence, bytes, start, end } = batch;
    const first = channel.findIndex((id) => (slots[id] ?? -1) >= 0);
    if (first < 0) return;
    const body = this.#start(table, time[first]! + shift, shift);
    const isLike = table !== null && this.#isAlike(table, channels);
    let frame = -1;
    for (let i = first; i < batch.length; ) {
      const slot = slots[channel[i]!] ?? -1;
      if (slot < 0) {
        i++;
        continue;
      }
      frame = table === null ? -1 : frameAt(table, sequence[i]!, time[i]!, frame);
      if (table === null || frame < 0) {
        const native = this.#zero + (time[i]! + shift) / 1e9;
        this.#add(body, slot, native, null, -1, bytes, start[i]!, end[i]!);
        i++;
        continue;
      }
      const native = this.#nativeOf(table, frame, shift);
      const count = table.count(frame);
      const isWhole =
        isLike &&
        table.isSound(frame) &&
        sequence[i] === table.first(frame) &&
        i + count <= batch.length &&
        sequence[i + count - 1] === sequence[i]! + count - 1;
      if (isWhole && this.#hasAll(slots, channel, i, i + count)) {
        this.#close();
        this.#copy(table, frame, shift, native);
        i += count;
        continue;
      }
      if (table.isSound(frame) || this.#isReadable(slot, bytes, start[i]!, end[i]!)) {
        this.#add(body, slot, native, table, frame, bytes, start[i]!, end[i]!);
      }
      i++;
    }
  }

  /** For frames that are put together elsewhere: mending. Of a tape that this one is like. */
  frames(): FrameTarget {
    const body = this.#start(null, 0, 0, true);
    const slots = this.#slots;
    const layout = this.#like?.layout;
    const isLike = this.#continuous !== null && layout !== undefined && layoutKey(layout) === this.#key;
    return {
      slots,
      frame: (native, buffer) => {
        const length = body.frame(native, slots, buffer);
        for (const slot of slots) slot.clear();
        return length;
      },
      whole: (native, bytes) => {
        if (isLike) this.#continuous!.whole(native, bytes, 0, bytes.length);
        return isLike;
      },
    };
  }

  get ready(): Promise<void> | null {
    return this.#output!.ready;
  }

  /** A Normal tape is only written by `close()`. */
  async flush(): Promise<void> {
    this.#close();
    await this.#output!.flush();
  }

  close(): Promise<void> {
    this.#end ??= this.#finish();
    return this.#end;
  }

  abort(): Promise<void> {
    this.#end ??= this.#output!.abort();
    return this.#end;
  }

  async #finish(): Promise<void> {
    const output = this.#output!;
    try {
      this.#start(null, 0, 0);
      this.#close();
      this.#body!.end();
    } catch (error) {
      await output.abort();
      throw error;
    }
    await output.close();
  }

  /** Whether the items are given by the dialect. */
  get #isFixedSet(): boolean {
    return isNormal(this.dialect) || this.dialect === "recovery" || this.dialect === "continuous-2020";
  }

  get #possible(): readonly string[] {
    return this.dialect === "recovery" || this.dialect === "normal-2019" ? ["signals"] : ["signals", "multiplayer"];
  }

  /** Before the first frame: writes the header, and settles which native time is time 0. */
  #start(table: FrameTable | null, time: Time, shift: Time, isMending = false): TapeBody {
    if (this.#body !== null) return this.#body;
    const output = this.#output!;
    const like = this.#like;
    this.#zero = this.#zeroFor(table?.layout.zero ?? like?.layout.zero ?? null, shift);
    const data = this.#slots.map(({ name }) => name);
    if (isNormal(this.dialect)) {
      this.#body = this.#normalBody(output, time !== 0 || isMending ? this.#zero : null);
      return this.#body;
    }
    const frames = framesOf(this.dialect, false);
    const isSame = like !== null && this.#isDialectOf(like);
    const isKept = isSame && sameNames(data, like.layout.data) && !this.#hasOverrides && !this.#isMended;
    const header = isKept ? like.header.bytes : this.#header(data, 0, false);
    output.builder.raw(header);
    this.#key = layoutKey({ frames, data, recordBytes: null });
    this.#continuous = new ContinuousBody(output, frames, levelFor(this.#options.compression) ?? 6);
    this.#body = this.#continuous;
    if (time !== 0 && this.#zero <= 0) this.#zero += FIRST - this.#zero;
    // Time 0 is that of the first frame: when the first message is of another, an empty frame holds the place.
    if (time !== 0 && this.dialect !== "recovery") this.#continuous.frame(this.#zero, this.#slots);
    return this.#body;
  }

  #normalBody(output: Output, zero: number | null): NormalBody {
    const like = this.#like !== null && this.#isDialectOf(this.#like) ? this.#like : null;
    const { frames, recordBytes } = like?.layout ?? {};
    const { compression } = this.#options;
    const isOld = this.dialect === "normal-2019";
    const ownSize = this.#signals.declaredSize ?? this.#signals.recordSize;
    const ownBytes = isOld ? ownSize - 8 : ownSize;
    const isPlain =
      compression === "store" ||
      (compression === undefined && this.#like?.info.metadata["compression"] === "none" && like !== null);
    return new NormalBody(output, {
      header: (duration, hasPackets) => {
        const isKept =
          like !== null &&
          !this.#hasOverrides &&
          !this.#isMended &&
          hasPackets === (frames === "counted" || frames === "listed") &&
          Math.abs(duration - ((like.bounds?.[1] ?? 0) - (like.bounds?.[0] ?? 0))) < SAME;
        return isKept ? like.header.bytes : this.#header([], duration, hasPackets);
      },
      hasPackets: frames === "counted" || frames === "listed",
      recordBytes: this.#isMended ? ownBytes : (recordBytes ?? ownBytes),
      recordSize: this.#isMended ? ownSize : (like?.shape.recordSize ?? ownSize),
      packets:
        frames === "counted" || frames === "listed"
          ? frames
          : isOld
            ? null
            : this.dialect === "normal-2020"
              ? "counted"
              : "listed",
      level: isPlain ? null : (levelFor(compression) ?? 9),
      zero,
      keepsBuffers: this.#like !== null && this.#like.header.layout === "normal",
    });
  }

  #isDialectOf(like: FlightGearReader): boolean {
    return dialectOf(like) === this.dialect;
  }

  get #isMended(): boolean {
    return this.#likeHeader?.isSalvaged === true;
  }

  get #hasOverrides(): boolean {
    return Object.keys(this.#options.metadata ?? {}).some((key) => key !== "origin");
  }

  #header(data: readonly string[], duration: number, hasPackets: boolean): Uint8Array {
    const like = this.#like;
    return makeHeader({
      dialect: this.dialect,
      like: like === null ? null : { header: this.#likeHeader!, dialect: dialectOf(like) },
      metadata: this.#options.metadata ?? {},
      data,
      config: this.#config,
      duration,
      hasPackets,
    });
  }

  /** A frame as it is, and before it those without messages that lie between it and the one copied last. */
  #copy(table: FrameTable, frame: number, shift: Time, native: number): void {
    const body = this.#continuous!;
    if (this.#copied === table) {
      for (let empty = this.#copiedFrame + 1; empty < frame && table.count(empty) === 0; empty++) {
        body.whole(this.#nativeOf(table, empty, shift), table.bytes, table.start(empty), table.end(empty));
      }
    }
    this.#count();
    body.whole(native, table.bytes, table.start(frame), table.end(frame));
    this.#copied = table;
    this.#copiedFrame = frame;
  }

  /** So that native times of a source whose times are shifted stay as they are, as long as nothing says otherwise. */
  #zeroFor(source: number | null, shift: Time): number {
    const { epoch, metadata } = this.#options;
    const like = this.#like?.layout.zero ?? source;
    if (typeof epoch === "bigint") {
      const seconds = Number(epoch / 1_000_000_000n) + Number(epoch % 1_000_000_000n) / 1e9;
      const shifted = like === null ? seconds : like - shift / 1e9;
      // What a double holds of Unix time is coarser than the epoch.
      return Math.abs(shifted - seconds) < 1e-6 ? shifted : seconds;
    }
    const start = metadata?.["startTime"];
    if (typeof start === "number" && Number.isFinite(start)) return start;
    return like === null ? FIRST : (source ?? like) - shift / 1e9;
  }

  #nativeOf(table: FrameTable, frame: number, shift: Time): number {
    const native = table.native(frame);
    const difference = this.#zero - table.layout.zero + shift / 1e9;
    return Math.abs(difference) < SAME ? native : native + difference;
  }

  /** Place of each source channel in the frame; -1 for those that are dropped. */
  #slotsFor(channels: readonly (ChannelInfo | null)[], table: FrameTable | null): number[] {
    const slots = channels.map((channel) => (channel == null ? -1 : this.#slotOf[channel.id]!));
    if (table !== null && !this.#isSameSignals(table.layout.signals)) {
      const at = table.layout.channels.indexOf("signals");
      if (at >= 0 && (slots[at] ?? -1) >= 0) {
        throw new RangeError("these signals are not the ones that the tape's header lists");
      }
    }
    return slots;
  }

  /** Whether frames of that tape may go through as they are when all their messages do. */
  #isAlike(table: FrameTable, channels: readonly (ChannelInfo | null)[]): boolean {
    const { layout } = table;
    if (this.#options.compression !== undefined && layout.frames === "deflate") return false;
    return (
      !isNormal(this.dialect) &&
      layout.channels.every((name, id) => channels[id] == null || channels[id].name === name) &&
      layoutKey(layout) === this.#key
    );
  }

  #isSameSignals(other: SignalList): boolean {
    if (other === this.#signals) return true;
    let isSame = this.#isSameList.get(other);
    if (isSame === undefined) {
      isSame = listText(other) === listText(this.#signals);
      this.#isSameList.set(other, isSame);
    }
    return isSame;
  }

  #hasAll(slots: readonly number[], channel: Uint16Array, from: number, to: number): boolean {
    for (let i = from; i < to; i++) if ((slots[channel[i]!] ?? -1) < 0) return false;
    return true;
  }

  /** Whether a message of a damaged frame can be decoded; what cannot stays behind. */
  #isReadable(slot: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { name } = this.#slots[slot]!;
    if (name === "signals") return end - start >= this.#signals.bytes;
    if (name !== "extra-properties") return true;
    return fillsExtraProperties(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start, end);
  }

  #check(channel: ChannelInfo, payload: Uint8Array): void {
    if (channel.name === "signals") {
      if (payload.length > 0 && payload.length < this.#signals.bytes) {
        throw new RangeError(`signals of ${payload.length} bytes, ${this.#signals.bytes} are needed`);
      }
    } else if (channel.name === "extra-properties") {
      const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
      if (!fillsExtraProperties(view, 0, payload.length)) throw new RangeError("extra properties that are not whole");
    } else if (channel.name === "multiplayer" && payload.length > MAX_PACKET) {
      throw new RangeError(`a packet of ${payload.length} bytes, ${MAX_PACKET} fit`);
    }
  }

  #add(
    body: TapeBody,
    slot: number,
    native: number,
    table: FrameTable | null,
    frame: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const of = this.#slots[slot]!;
    const isPacket = of.name === "multiplayer";
    const joins =
      this.#isOpen &&
      this.#native === native &&
      this.#table === table &&
      this.#frame === frame &&
      (isPacket || of.count === 0);
    if (!joins) {
      this.#closeInto(body);
      this.#count();
      this.#isOpen = true;
      this.#native = native;
      this.#table = table;
      this.#frame = frame;
    }
    of.add(bytes, start, end, isPacket);
  }

  #count(): void {
    if (this.#frames > 0 && this.#options.dialect === "recovery") {
      throw new RangeError("a Recovery tape has one frame");
    }
    this.#frames++;
  }

  #close(): void {
    if (this.#body !== null) this.#closeInto(this.#body);
  }

  #closeInto(body: TapeBody): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const buffer = this.#table === null ? -1 : this.#table.buffer(this.#frame);
    body.frame(this.#native, this.#slots, buffer);
    for (const slot of this.#slots) slot.clear();
  }
}

/** The frame that a row is in, tried first right behind the one of the row before; -1 when the row is not as it was read. */
function frameAt(table: FrameTable, sequence: number, time: Time, before: number): number {
  const next = before + 1;
  const isNext = before >= 0 && next < table.length && table.count(next) > 0 && table.first(next) === sequence;
  const frame = isNext ? next : table.find(sequence);
  if (frame < 0) return -1;
  return Math.round((table.native(frame) - table.layout.zero) * 1e9) === time ? frame : -1;
}

function levelFor(compression: CreateOptions["compression"]): 0 | 1 | 9 | null {
  switch (compression) {
    case "store":
      return 0;
    case "fast":
      return 1;
    case "small":
      return 9;
    default:
      return null;
  }
}

function listOf(config: readonly PropertyNode[]): SignalList {
  return readSignalList(propertyNode("signals", { children: config }));
}

function listText({ signals }: SignalList): string {
  return signals.map(({ type, property }) => `${type} ${property}`).join("\n");
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** Signals given as `[{ property, type, interpolation }]`; throws `RangeError` for what is none. */
function signalsIn(value: Value | undefined): Signal[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw new RangeError("signalList is a list of { property, type, interpolation }");
  return value.map((entry: { [key: string]: Value }) => {
    const { property, type, interpolation = "linear" } = entry;
    const isType = SIGNAL_TYPES.some((known) => known === type);
    if (typeof property !== "string" || !isType) throw new RangeError(`no signal: ${JSON.stringify(entry)}`);
    return { property, type: type as Signal["type"], interpolation: interpolation as Signal["interpolation"] };
  });
}

function originIn(value: Value | undefined): Origin {
  const origin = unsetOrigin();
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return origin;
  const { latitude, longitude, altitude = 0 } = value as { readonly [key: string]: Value };
  if (typeof latitude !== "number" || typeof longitude !== "number" || typeof altitude !== "number") {
    throw new RangeError("origin is { latitude, longitude, altitude }, degrees and metres");
  }
  return Object.assign(origin, { latitude, longitude, altitude, isSet: true });
}

/** As `WritingFormat.restate` and others take a reader: the tape under whatever was laid over it. */
export function tapeUnder(reader: Reader): FlightGearReader | null {
  const base = reader.base ?? reader;
  return base instanceof FlightGearReader ? base : null;
}
