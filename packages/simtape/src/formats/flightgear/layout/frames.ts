import type { ByteBuilder } from "../../../bytes/builder.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { deflateRaw, RawInflater } from "../../../codec/deflate.ts";
import type { ColumnBuilder } from "../../../model/messages/batch.ts";
import type { Walk } from "../../../model/flat.ts";
import type { Time } from "../../../model/values/time.ts";
import { fillsExtraProperties } from "./extra.ts";
import { isPacket } from "./packet.ts";
import { FILLER_BYTES, type SignalList } from "./signals.ts";

/** What `measure` answers instead of an end. */
export const MORE = 0;
export const CUT = -1;
export const WRONG = -2;

/** The longest item, and the most a compressed frame may inflate to; real ones are below 1 MiB. */
export const MAX_ITEM: number = 16 << 20;

/** What is wrong with a frame whose lengths are possible. */
export interface FrameFault {
  readonly code: "short-signals" | "bad-multiplayer" | "bad-extra-properties" | "bad-frame" | "bad-time";
  readonly message: string;
  /** Nothing in the frame can be read; else only one item is affected. */
  readonly isFatal: boolean;
}

/** How the frames of a tape lie in it. Places are in the walk's bytes. */
export interface FrameShape {
  readonly name: string;
  /** All frames have one length: the next one is found whatever this one holds. */
  readonly isFixed: boolean;
  /** Bytes of the shortest frame. */
  readonly shortest: number;
  /**
   * Where the frame at `position` ends, known by its lengths alone. `MORE`: only a larger window can tell; `CUT`: the
   * file ends first; `WRONG`: no frame has such lengths.
   */
  measure(walk: Walk, position: number): number;
  /** A quick test that most places which are no frame do not pass; `measure` has not been asked. */
  mayBegin(walk: Walk, position: number): boolean;
  /** Whether what lies in the frame is what hardly anything else would be; `fault` has found nothing. */
  hasEvidence(walk: Walk, position: number, end: number): boolean;
  /** Whether its lengths are as those of the other frames; else one of them may be damaged and reach too far. */
  isUsual(walk: Walk, position: number, end: number): boolean;
  /** What is wrong inside; null when all is well. */
  fault(walk: Walk, position: number, end: number): FrameFault | null;
  /** Adds the frame's messages, as far as they can be read. */
  emit(walk: Walk, position: number, end: number, time: Time): void;
  /**
   * Adds the messages of a frame that is as most are and answers its end: `fault` finds nothing, and it `isUsual`. 0, and
   * nothing is added: the other methods decide. Absent where looking once is not faster.
   */
  take?(walk: Walk, position: number, time: Time): number;
}

/** One data item of each frame: its channel, and what kind of content is cut into messages or checked. */
export interface FrameItem {
  readonly name: string;
  readonly channel: number;
}

/** Frames of a Continuous tape, one item after another (spec §4.1). */
export class PlainFrames implements FrameShape {
  readonly name = "plain";
  readonly isFixed = false;
  readonly shortest: number;
  readonly #items: readonly FrameItem[];
  readonly #signals: SignalList;

  constructor(items: readonly FrameItem[], signals: SignalList) {
    this.#items = items;
    this.#signals = signals;
    this.shortest = 8 + 4 * items.length;
  }

  measure(walk: Walk, position: number): number {
    const { view } = walk;
    // A header that names no items gives no frames: a time alone could be anything.
    if (this.#items.length === 0) return WRONG;
    let at = position + 8;
    for (const item of this.#items) {
      const fits = walk.fits(position, at + 4 - position);
      if (fits !== 1) return fits;
      const length = view.getUint32(at, true);
      if (length > (item.name === "signals" ? this.#signals.bytes + MAX_FILLER : MAX_ITEM)) return WRONG;
      at += 4 + length;
    }
    const fits = walk.fits(position, at - position);
    if (fits !== 1) return fits;
    // Zeros are no frame: FlightGear writes none without content (spec §4.1), file systems write them after a crash.
    if (at - position === this.shortest && view.getFloat64(position, true) === 0) return WRONG;
    return at;
  }

  mayBegin(walk: Walk, position: number): boolean {
    if (position + 12 > walk.end) return false;
    const length = walk.view.getUint32(position + 8, true);
    if (this.#items[0]?.name !== "signals") return length <= MAX_ITEM >> 4;
    return length === this.#signals.recordSize || length === this.#signals.bytes;
  }

  hasEvidence(walk: Walk, position: number): boolean {
    const { view, bytes } = walk;
    let at = position + 8;
    for (const { name } of this.#items) {
      const length = view.getUint32(at, true);
      const start = at + 4;
      at = start + length;
      if (length === 0) continue;
      if (name === "signals" && length >= this.#signals.recordSize) {
        if (isZero(bytes, start + this.#signals.bytes, at)) return true;
      } else if (name === "multiplayer" && isPacket(bytes, start + 2, at)) return true;
      else if (name === "extra-properties" && length > 4) {
        const isRemoval = view.getUint16(start, true) === 0;
        if (bytes[start + (isRemoval ? 4 : 2)] === SLASH) return true;
      }
    }
    return false;
  }

  isUsual(walk: Walk, position: number): boolean {
    const { view } = walk;
    let at = position + 8;
    for (const { name } of this.#items) {
      const length = view.getUint32(at, true);
      at += 4 + length;
      if (length === 0 || name === "multiplayer" || name === "extra-properties") continue;
      if (name !== "signals") return false;
      if (length !== this.#signals.recordSize && length !== this.#signals.bytes) return false;
    }
    return true;
  }

  fault(walk: Walk, position: number, end: number): FrameFault | null {
    return itemsFault(this.#items, this.#signals, walk.view, position + 8, end);
  }

  emit(walk: Walk, position: number, end: number, time: Time): void {
    emitItems(this.#items, walk.view, position + 8, end, { walk, time, base: null });
  }

  take(walk: Walk, position: number, time: Time): number {
    const { view, end, rows } = walk;
    const before = rows.length;
    let at = position + 8;
    for (const { name, channel } of this.#items) {
      const start = at + 4;
      const length = start <= end ? view.getUint32(at, true) : 0;
      at = start + length;
      if (at > end || length > MAX_ITEM) return untaken(rows, before);
      if (length === 0) continue;
      if (name === "signals" && (length === this.#signals.recordSize || length === this.#signals.bytes)) {
        walk.message(time, channel, start, at);
      } else if (name === "extra-properties" && fillsExtraProperties(view, start, at)) {
        walk.message(time, channel, start, at);
      } else if (name === "multiplayer" && fillsPackets(view, start, at)) {
        emitPackets(view, start, at, (from, to) => walk.message(time, channel, from, to));
      } else return untaken(rows, before);
    }
    return at - position === this.shortest ? 0 : at;
  }
}

function untaken(rows: ColumnBuilder, before: number): 0 {
  rows.truncate(before);
  return 0;
}

/** Frames of a Continuous tape whose items are deflated (spec §4.1). */
export class DeflatedFrames implements FrameShape {
  readonly name = "deflate";
  readonly isFixed = false;
  readonly shortest: number = 15;
  readonly #items: readonly FrameItem[];
  readonly #signals: SignalList;
  readonly #hasSignals: boolean;
  /** The frame that was inflated last, so that judging and reading it inflate once. */
  #of: Walk | null = null;
  #at = -1;
  #inflated: Uint8Array | LayoutError = new Uint8Array(0);
  readonly #inflater = new RawInflater();
  /** Of the memory that frames are inflated into. */
  #view: DataView = new DataView(new ArrayBuffer(0));

  constructor(items: readonly FrameItem[], signals: SignalList) {
    this.#items = items;
    this.#signals = signals;
    this.#hasSignals = items.some(({ name }) => name === "signals");
  }

  measure(walk: Walk, position: number): number {
    const fits = walk.fits(position, 13);
    if (fits !== 1) return fits;
    const length = walk.view.getUint32(position + 9, true);
    if (walk.bytes[position + 8]! > 7 || length < 2 || length > MAX_ITEM) return WRONG;
    const whole = walk.fits(position, 13 + length);
    return whole === 1 ? position + 13 + length : whole;
  }

  mayBegin(walk: Walk, position: number): boolean {
    if (position + 13 > walk.end) return false;
    const flags = walk.bytes[position + 8]!;
    if (flags > 7 || (flags & 1) !== (this.#hasSignals ? 1 : 0)) return false;
    const length = walk.view.getUint32(position + 9, true);
    return length >= 2 && length <= MAX_ITEM >> 4;
  }

  /** A deflate stream that ends where its length says and holds items that fill it. */
  hasEvidence(): boolean {
    return true;
  }

  isUsual(): boolean {
    return true;
  }

  fault(walk: Walk, position: number, end: number): FrameFault | null {
    const inflated = this.#inflate(walk, position, end);
    if (inflated instanceof LayoutError) {
      return { code: "bad-frame", message: `its deflate stream is damaged: ${inflated.message}`, isFatal: true };
    }
    const start = inflated.byteOffset;
    return itemsFault(this.#items, this.#signals, this.#viewOf(inflated), start, start + inflated.length);
  }

  emit(walk: Walk, position: number, end: number, time: Time): void {
    const inflated = this.#inflate(walk, position, end);
    this.#of = null;
    if (inflated instanceof LayoutError) return;
    const start = inflated.byteOffset;
    const base = walk.unpacked.length - start;
    walk.unpacked.raw(inflated);
    emitItems(this.#items, this.#viewOf(inflated), start, start + inflated.length, { walk, time, base });
  }

  #inflate(walk: Walk, position: number, end: number): Uint8Array | LayoutError {
    if (this.#of === walk && this.#at === position) return this.#inflated;
    try {
      this.#inflated = this.#inflater.inflate(walk.bytes.subarray(position + 13, end), MAX_ITEM);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.#inflated = error;
    }
    this.#of = walk;
    this.#at = position;
    return this.#inflated;
  }

  /** One view for all frames in one memory. */
  #viewOf({ buffer }: Uint8Array): DataView {
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }
}

// spec §4.1: f64 time, then u32 length + bytes for each item
export function writePlainFrame(builder: ByteBuilder, time: number, items: readonly Uint8Array[]): void {
  builder.f64le(time);
  writeItems(builder, items);
}
// spec §4.1: f64 time, u8 flags, u32 length + raw deflate stream of the items
export function writeDeflatedFrame(
  builder: ByteBuilder,
  time: number,
  flags: number,
  items: readonly Uint8Array[],
  scratch: ByteBuilder,
): void {
  writeItems(scratch, items);
  const packed = deflateRaw(scratch.take());
  builder.f64le(time).u8(flags).u32le(packed.length).raw(packed);
}
/** The content of a `multiplayer` item: u16 length + packet, one after another (spec §4.1). */
export function writePacketList(builder: ByteBuilder, packets: readonly Uint8Array[]): void {
  for (const packet of packets) builder.u16le(packet.length).raw(packet);
}
/** Packets as 2020.2 and 2020.3 write them: u64 count, each u64 length + packet (spec §3.3). */
export function writeCountedPackets(builder: ByteBuilder, packets: readonly Uint8Array[]): void {
  builder.i64le(packets.length);
  for (const packet of packets) builder.i64le(packet.length).raw(packet);
}

function writeItems(builder: ByteBuilder, items: readonly Uint8Array[]): void {
  for (const item of items) builder.u32le(item.length).raw(item);
}

const SLASH = 0x2f;

/** Bytes that may follow the values of a record: real writers leave 8 (spec §2.3). */
export const MAX_FILLER: number = 4096 + FILLER_BYTES;

export const BAD_PACKETS: FrameFault = {
  code: "bad-multiplayer",
  message: "the lengths of its multiplayer packets do not fill their item",
  isFatal: false,
};
const BAD_EXTRA: FrameFault = {
  code: "bad-extra-properties",
  message: "the lengths of its extra properties do not fill their item",
  isFatal: false,
};
const BAD_ITEMS: FrameFault = {
  code: "bad-frame",
  message: "the lengths of its items do not fill it",
  isFatal: true,
};

export function shortSignals(signals: SignalList, length: number): FrameFault | null {
  if (length === 0 || length >= signals.bytes) return null;
  return {
    code: "short-signals",
    message: `its signals are ${length} bytes long, ${signals.bytes} are needed`,
    isFatal: false,
  };
}

function itemsFault(
  items: readonly FrameItem[],
  signals: SignalList,
  view: DataView,
  start: number,
  end: number,
): FrameFault | null {
  let at = start;
  let fault: FrameFault | null = null;
  for (const { name } of items) {
    if (at + 4 > end) return BAD_ITEMS;
    const length = view.getUint32(at, true);
    const next = at + 4 + length;
    if (next > end) return BAD_ITEMS;
    if (name === "signals") fault ??= shortSignals(signals, length);
    else if (name === "multiplayer" && !fillsPackets(view, at + 4, next)) fault ??= BAD_PACKETS;
    else if (name === "extra-properties" && !fillsExtraProperties(view, at + 4, next)) fault ??= BAD_EXTRA;
    at = next;
  }
  return at === end ? fault : BAD_ITEMS;
}

/** Where messages go: their bytes are the walk's, or lie `base` farther in what it has unpacked. */
interface Emitting {
  readonly walk: Walk;
  readonly time: Time;
  readonly base: number | null;
}

function emitItems(items: readonly FrameItem[], view: DataView, start: number, end: number, emitting: Emitting): void {
  let at = start;
  for (const { name, channel } of items) {
    if (at + 4 > end) return;
    const length = view.getUint32(at, true);
    const next = at + 4 + length;
    if (next > end) return;
    if (name === "multiplayer") emitPackets(view, at + 4, next, (from, to) => emit(emitting, channel, from, to));
    else if (length > 0) emit(emitting, channel, at + 4, next);
    at = next;
  }
}

function emit({ walk, time, base }: Emitting, channel: number, from: number, to: number): void {
  if (base === null) walk.message(time, channel, from, to);
  else walk.unpackedMessage(time, channel, base + from, base + to);
}

/** Whether u16 lengths and packets fill `[start, end)` exactly. */
export function fillsPackets(view: DataView, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    if (at + 2 > end) return false;
    at += 2 + view.getUint16(at, true);
  }
  return at === end;
}

export function emitPackets(
  view: DataView,
  start: number,
  end: number,
  emit: (from: number, to: number) => void,
): void {
  let at = start;
  while (at + 2 <= end) {
    const next = at + 2 + view.getUint16(at, true);
    if (next > end) return;
    emit(at + 2, next);
    at = next;
  }
}

/** Whether there are bytes in `[start, end)` and all are 0. */
export function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return false;
  return end > start;
}
