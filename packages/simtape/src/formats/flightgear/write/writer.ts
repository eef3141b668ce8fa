import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec, CreateOptions, Lost, Writer } from "../../../model/writer.ts";
import { type Dialect, framesOf, isNormal } from "../read/dialects.ts";
import { FramePairs } from "./frame-pairs.ts";
import { FrameTable, layoutKey, type TapeLayout } from "../layout/frame-table.ts";
import type { TapeHeader } from "../layout/header.ts";
import { fillsExtraProperties } from "../layout/extra.ts";
import { Output } from "./output.ts";
import type { SignalList } from "../layout/signals.ts";
import { NormalBody } from "./normal-body.ts";
import { ContinuousBody, LastFrameBody, Slot, type TapeBody } from "./tape-body.ts";
import { isTime, NEAR } from "../layout/times.ts";
import { FIRST, type Recorded, SAME, TapePlan } from "./tape-plan.ts";

const MAX_PACKET = 0xffff;
const NOTHING = new Uint8Array(0);
const TOO_FAR = `a tape begins with its first frame: it cannot hold a delay of more than ${NEAR} s after time 0`;

/** Opens the file and writes nothing to it yet: what the header says is known with the first message. */
export async function createWriter(to: SinkBundle, options: CreateOptions): Promise<FlightGearWriter> {
  const writer = new FlightGearWriter(options);
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
export class FlightGearWriter implements Writer {
  readonly #plan: TapePlan;
  readonly #channels: ChannelInfo[] = [];
  readonly #slots: Slot[];
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
  #copiedShift: Time = 0;
  #copiedFrame = -1;
  /** Set while frames may hold extra properties that FlightGear replays. */
  #pairs: FramePairs | null = null;
  /** Sequence behind the frame that was written last, and the tape it is of, when it is as it was read. */
  #next = -1;
  #of: TapeLayout | null = null;
  // Signal lists that were found to be this tape's, or not.
  readonly #isSameList = new Map<SignalList, boolean>();
  #end: Promise<void> | null = null;
  /** The first frame is so long behind time 0 that no frame there would be believed. */
  #isFar = false;

  /** `header` takes the place of that of `options.like`. */
  constructor(options: CreateOptions, header?: TapeHeader) {
    this.#plan = new TapePlan(options, header);
    this.#slots = this.#plan.items.map((item) => new Slot(item));
  }

  get dialect(): Dialect {
    return this.#plan.dialect;
  }

  /** Signals of each record, in byte order. */
  get signals(): SignalList {
    return this.#plan.signals;
  }

  begin(output: Output): void {
    this.#output = output;
  }

  /** Before the first message: records these signals and names this aircraft, where the options do not say which. */
  record(what: Recorded): void {
    if (this.#frames === 0 && !this.#isOpen) this.#plan.record(what);
  }

  channel({ name }: ChannelSpec): ChannelInfo {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    let slot = this.#slots.findIndex((of) => of.name === name);
    if (slot < 0) {
      const { isFixedSet, items, dialect } = this.#plan;
      if (isFixedSet) {
        throw new RangeError(`a ${dialect} tape has no ${JSON.stringify(name)}, only ${items.join(", ")}`);
      }
      if (this.#body !== null) {
        throw new RangeError(`the header is already written: create ${JSON.stringify(name)} before the first message`);
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
    if (!(native >= 0 && isTime(native))) throw new RangeError(`a tape cannot hold the time ${native} s`);
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
        sequence[i + count - 1] === sequence[i]! + count - 1 &&
        !this.#joinsMade(native);
      if (isWhole && this.#hasAll(slots, channel, i, i + count)) {
        this.#close();
        this.#part(slots, batch, i, i + count, native, table);
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

  /** For frames that a repair puts together. Of a tape that this one is like. */
  frames(): FrameTarget {
    const body = this.#start(null, 0, 0, true);
    const slots = this.#slots;
    const layout = this.#plan.like?.layout;
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

  get lost(): readonly Lost[] {
    const lost = this.#body?.lost ?? [];
    return this.#isFar ? [...lost, { path: "time", count: 1, reason: TOO_FAR }] : lost;
  }

  abort(): Promise<void> {
    const aborted = this.#output!.abort();
    this.#end ??= aborted;
    return aborted;
  }

  async #finish(): Promise<void> {
    const output = this.#output!;
    try {
      this.#start(null, 0, 0);
      this.#close();
      const last = this.#copied;
      if (last?.isLast === true) this.#copyEmpty(last, this.#copiedFrame + 1, last.length, this.#copiedShift);
      this.#body!.end();
      await output.close();
    } catch (error) {
      await output.abort();
      throw error;
    }
  }

  /** Before the first frame: writes the header, and settles which native time is time 0. */
  #start(table: FrameTable | null, time: Time, shift: Time, isRepairing = false): TapeBody {
    if (this.#body !== null) return this.#body;
    const output = this.#output!;
    const plan = this.#plan;
    this.#zero = plan.zeroFor(table?.layout.zero ?? plan.like?.layout.zero ?? null, shift);
    if (isNormal(this.dialect)) {
      const zero = time !== 0 || isRepairing ? this.#zero : null;
      this.#body = new NormalBody(output, plan.normalEnding(zero, isRepairing));
      return this.#body;
    }
    const data = this.#slots.map(({ name }) => name);
    const frames = framesOf(this.dialect, false);
    output.builder.raw(plan.continuousHeader(data));
    this.#key = layoutKey({ frames, data, recordBytes: null });
    const body = new ContinuousBody(output, frames, plan.level ?? 6);
    if (plan.options.dialect === "recovery") {
      this.#body = new LastFrameBody(body);
      return this.#body;
    }
    this.#continuous = body;
    this.#body = body;
    if (data.includes("extra-properties")) this.#pairs = new FramePairs(body, data);
    if (time !== 0 && this.#zero <= 0) this.#zero += FIRST - this.#zero;
    // Time 0 is that of the first frame: when the first message is of another, an empty frame holds the place.
    if (Math.abs(time) > NEAR * 1e9) this.#isFar = true;
    else if (time !== 0 && this.dialect !== "recovery") body.frame(this.#zero, this.#slots);
    return this.#body;
  }

  /** Keeps a frame of these rows from the one before, unless they follow each other in the tape they are from. */
  #part(
    slots: readonly number[],
    { channel, sequence, bytes, start, end }: MessageBatch,
    from: number,
    to: number,
    native: number,
    { layout }: FrameTable,
  ): void {
    const pairs = this.#pairs;
    if (pairs === null) return;
    let item: Uint8Array = NOTHING;
    let record: Uint8Array | null = null;
    for (let i = from; i < to; i++) {
      const { name } = this.#slots[slots[channel[i]!]!]!;
      if (name === "signals") record = bytes.subarray(start[i], end[i]);
      else if (name === "extra-properties") item = bytes.subarray(start[i], end[i]);
    }
    if (this.#next !== sequence[from] || this.#of !== layout) pairs.part(native, item);
    pairs.passed(native, item, record);
    this.#next = sequence[to - 1]! + 1;
    this.#of = layout;
  }

  /** A frame as it is, and before it those without messages that lie between it and the one copied last. */
  #copy(table: FrameTable, frame: number, shift: Time, native: number): void {
    const body = this.#continuous!;
    const before = this.#copied;
    const isSame = before === table;
    if (isSame || before?.isBefore(table) === true) {
      const to = isSame ? frame : before!.length;
      this.#copyEmpty(before!, this.#copiedFrame + 1, to, shift);
      if (!isSame) this.#copyEmpty(table, 0, frame, shift);
    }
    this.#count();
    body.whole(native, table.bytes, table.start(frame), table.end(frame));
    this.#copied = table;
    this.#copiedFrame = frame;
    this.#copiedShift = shift;
  }

  /** Frames `[from, to)`, as far as they have no messages. */
  #copyEmpty(table: FrameTable, from: number, to: number, shift: Time): void {
    for (let frame = from; frame < to && table.count(frame) === 0; frame++)
      this.#continuous!.whole(this.#nativeOf(table, frame, shift), table.bytes, table.start(frame), table.end(frame));
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
    if (this.#plan.options.compression !== undefined && layout.frames === "deflate") return false;
    return (
      this.#continuous !== null &&
      layout.channels.every((name, id) => channels[id] == null || channels[id].name === name) &&
      layoutKey(layout) === this.#key
    );
  }

  #isSameSignals(other: SignalList): boolean {
    if (other === this.signals) return true;
    let isSame = this.#isSameList.get(other);
    if (isSame === undefined) {
      isSame = listText(other) === listText(this.signals);
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
    if (name === "signals") return end - start >= this.signals.bytes;
    if (name !== "extra-properties") return true;
    return fillsExtraProperties(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start, end);
  }

  #check(channel: ChannelInfo, payload: Uint8Array): void {
    if (channel.name === "signals") {
      if (payload.length > 0 && payload.length < this.signals.bytes) {
        throw new RangeError(`signals of ${payload.length} bytes, ${this.signals.bytes} are needed`);
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
    if (table !== null && this.#joinsMade(native)) {
      // What was made for this moment becomes a part of the frame: FlightGear knows one frame of a time.
      this.#table = table;
      this.#frame = frame;
      for (const slot of this.#slots) slot.count = 0;
    }
    const joins =
      this.#isOpen &&
      this.#native === native &&
      this.#table === table &&
      this.#frame === frame &&
      (isPacket || of.count === 0);
    if (joins && of.name === "signals") of.clear();
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

  /** Whether the frame that is being put together is made, and a frame of `native` goes on with it. */
  #joinsMade(native: number): boolean {
    return this.#isOpen && this.#table === null && this.#native === native;
  }

  #count(): void {
    this.#frames++;
  }

  #close(): void {
    if (this.#body !== null) this.#closeInto(this.#body);
  }

  #closeInto(body: TapeBody): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const buffer = this.#table === null ? -1 : this.#table.buffer(this.#frame);
    const item = this.#slots.find(({ name }) => name === "extra-properties")?.content ?? NOTHING;
    this.#pairs?.part(this.#native, item);
    body.frame(this.#native, this.#slots, buffer);
    this.#pairs?.passed(this.#native, item, this.#slots.find(({ name }) => name === "signals")?.content ?? null);
    this.#of = null;
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

export function listText({ signals }: SignalList): string {
  return signals.map(({ type, property }) => `${type} ${property}`).join("\n");
}
