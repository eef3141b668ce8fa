import type { FindingCode } from "../../../model/error.ts";
import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { RepairNote } from "../../../model/writer.ts";
import {
  COLLISION,
  type Dialect,
  EVENT_ADD,
  FRAME_START,
  FRAME_START_BYTES,
  kindOf,
  PACKET_HEADER_BYTES,
  type PacketKind,
  readEventAdd,
} from "../layout/layout.ts";
import { isDuration, isElapsed, listWidths } from "../read/plausible.ts";
import { CarlaReader } from "../read/reader.ts";
import { decodePacket } from "../meaning/schema.ts";
import { CarlaWriter } from "../write/writer.ts";

/** Nanoseconds by which times that should be equal may differ. */
const NEAR = 1000;

/**
 * Writes every packet that can be read, in the order of the file, as a sound recording: frames that have lost their
 * start or end get one, and a frame before lost ones lasts until the next that is left. Packets whose size or count is
 * damaged are kept where the rest of them still tells it; of a damaged event add, the actors before the damage, and of a
 * list that is cut or shifted the records before that.
 * Throws `TypeError` for a reader of another format.
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const reader = from.base ?? from;
  if (!(reader instanceof CarlaReader)) throw new TypeError(`the recording is ${from.info.format}, not carla`);
  const writer = await CarlaWriter.create(to, { like: reader });
  try {
    const repair = new LogRepair(reader, writer, note);
    if (!reader.isHeadSound) repair.header();
    let chunk = 0;
    for await (const records of reader.file.records()) {
      const entry = reader.file.chunks[chunk++]!;
      repair.chunk(records, await reader.file.decode(entry), entry.sequence);
      if (writer.ready !== null) await writer.ready;
    }
    repair.end();
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

class LogRepair {
  readonly #reader: CarlaReader;
  readonly #writer: CarlaWriter;
  readonly #note: RepairNote;
  /** By channel id of the reader. */
  readonly #channels: readonly ChannelInfo[];
  /** Of the reader, by the number of their packets. */
  readonly #byPacket: ReadonlyMap<number, number>;
  readonly #start: ChannelInfo;
  readonly #end: ChannelInfo;
  #isOpen = false;
  #time = 0;
  /** Number of the last frame, when the next should start, and whether there was damage since it started. */
  #frame = 0;
  #next = Number.NaN;
  #wasDamaged = false;
  /** Damage lies between the last packet and the next. */
  #isBehindDamage = false;
  /** A frame that the reader has not seen begin, as a packet of damaged size went over its start; and the time before. */
  #unseen: { readonly before: number; readonly time: number } | null = null;
  /** The packet before the record at hand, which damage behind it puts in doubt. */
  #held: Packet | null = null;
  readonly #known: KnownIds;

  constructor(reader: CarlaReader, writer: CarlaWriter, note: RepairNote) {
    this.#reader = reader;
    this.#writer = writer;
    this.#note = note;
    this.#channels = reader.channels.map(({ name }) => writer.channel({ name }));
    this.#byPacket = new Map(reader.channels.map(({ id, metadata }) => [Number(metadata["packet"]), id]));
    this.#start = writer.channel({ name: "frame-start" });
    this.#end = writer.channel({ name: "frame-end" });
    this.#known = new KnownIds(reader.dialect);
  }

  header(): void {
    const message = "the length of the map's name in the header";
    this.#note.rebuilt({ code: "header", severity: "note", message, offset: 26, length: 2 });
  }

  /** The records of a chunk, and their messages, the first of which in the file has sequence `first`. */
  chunk(records: readonly NativeRecord[], rows: Columns, first: number): void {
    const order = inFileOrder(rows, first);
    let n = 0;
    for (const record of records) {
      if (record.kind === "damaged") {
        this.#release(record);
        this.#damaged(record);
      } else {
        this.#release(null);
        const row = order[n++]!;
        this.#held = { record, time: rows.time[row]!, channel: rows.channel[row]!, payload: rows.payload(row) };
      }
    }
  }

  end(): void {
    this.#release(null);
    if (this.#isOpen) this.#close(null);
  }

  /** Deals with the packet before; `damage`: what follows it, and may begin in it. */
  #release(damage: NativeRecord | null): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    const { record, payload, time } = held;
    const id = record.bytes[0]!;
    const width = widthOf(id, this.#reader.dialect);
    const isDoubtful = damage !== null && !this.#isPacket(damage);
    const sound = isDoubtful ? this.#known.soundRecords(id, payload) : null;
    if (sound === null || width === null || 2 + sound * width === payload.length) {
      this.#known.see(id, payload);
      this.#packet(held);
    } else this.#cutList(record, time, sound, width);
  }

  /** Whether damage is that of a packet of its own: its id or its size is still there, or the file ends in it. */
  #isPacket({ offset, bytes }: NativeRecord): boolean {
    if (bytes.length < PACKET_HEADER_BYTES || offset + bytes.length === this.#reader.info.bytes) return true;
    const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1, true);
    const id = bytes[0]!;
    return (
      size === bytes.length - PACKET_HEADER_BYTES || (id !== FRAME_START && kindOf(id, this.#reader.dialect) !== null)
    );
  }

  #packet(packet: Packet): void {
    const { record, channel, payload } = packet;
    const { offset } = record;
    const id = record.bytes[0]!;
    if (id === FRAME_START) this.#unseen = null;
    const time = packet.time === this.#unseen?.before ? this.#unseen.time : packet.time;
    if (id === FRAME_START) this.#frameStart(offset, time, payload);
    else {
      const { schema, name } = this.#reader.channels[channel]!;
      const why = failure(() => schema.decode(payload, null));
      const swallowed = why === null ? null : this.#swallowed(channel, payload);
      if (swallowed !== null) {
        this.#apart({ ...packet, time }, swallowed);
        return;
      }
      if (why !== null && id === EVENT_ADD) this.#actors(record, time, payload, why);
      else if (why !== null) {
        const message = `the ${name} packet at ${hex(offset)} does not decode: ${why}`;
        this.#lose("bad-payload", message, offset, record.bytes.length, time);
      } else {
        this.#reach(time, offset);
        this.#write(this.#channels[channel]!, time, payload);
      }
    }
    this.#isBehindDamage = false;
  }

  /**
   * Where a packet ends whose size is damaged and leads exactly to a later packet: what is behind it are whole packets,
   * which together fill it. Null: it holds no others.
   */
  #swallowed(channel: number, payload: Uint8Array): number | null {
    for (let end = 0; end + PACKET_HEADER_BYTES <= Math.min(payload.length, SWALLOWED); end++)
      if (this.#arePackets(payload, end) && this.#decodes(channel, payload.subarray(0, end))) return end;
    return null;
  }

  /** Whether packets of kinds that the file has, all of which decode, fill a payload from `at` to its end. */
  #arePackets(payload: Uint8Array, at: number): boolean {
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    let next = at;
    while (next + PACKET_HEADER_BYTES <= payload.length) {
      const begin = next + PACKET_HEADER_BYTES;
      const channel = this.#byPacket.get(payload[next]!);
      next = begin + view.getUint32(next + 1, true);
      if (channel === undefined || next > payload.length) return false;
      if (!this.#decodes(channel, payload.subarray(begin, next))) return false;
    }
    return next === payload.length;
  }

  #decodes(channel: number, payload: Uint8Array): boolean {
    return failure(() => this.#reader.channels[channel]!.schema.decode(payload, null)) === null;
  }

  /** A packet that ends at `end` of its payload, and those behind it. */
  #apart({ record, time, channel, payload }: Packet, end: number): void {
    const { offset } = record;
    const message = `the size of the ${this.#reader.channels[channel]!.name} packet at ${hex(offset)}, which overlapped others`;
    this.#note.rebuilt({ code: "packet-size", severity: "note", message, offset, time });
    this.#reach(time, offset);
    this.#write(this.#channels[channel]!, time, payload.subarray(0, end));
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    let now = time;
    for (let at = end; at < payload.length; ) {
      const begin = at + PACKET_HEADER_BYTES;
      const next = begin + view.getUint32(at + 1, true);
      const id = payload[at]!;
      if (id === FRAME_START) now = Math.round(view.getFloat64(begin + 16, true) * 1e9);
      const own = payload.subarray(begin, next);
      this.#known.see(id, own);
      const bytes = payload.subarray(at, next);
      const part = { ...record, offset: offset + PACKET_HEADER_BYTES + at, bytes };
      const channel = this.#byPacket.get(id)!;
      const within = `the ${this.#reader.channels[channel]!.name} packet at ${hex(part.offset)}, which it overlapped`;
      this.#note.rebuilt({ code: "packet-size", severity: "note", message: within, offset: part.offset, time: now });
      this.#packet({ record: part, time: now, channel, payload: own });
      at = next;
    }
    if (now !== time) this.#unseen = { before: time, time: now };
  }

  #write(channel: ChannelInfo, time: number, payload: Uint8Array): void {
    this.#writer.write(channel, time, payload);
    if (channel.id === this.#end.id) this.#isOpen = false;
  }

  #frameStart(offset: number, time: number, payload: Uint8Array): void {
    if (this.#isOpen) this.#close(offset);
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    const said = view.getUint32(0, true) + view.getUint32(4, true) * 0x1_0000_0000;
    const elapsed = view.getFloat64(16, true);
    const isTimely = isElapsed(elapsed) && Math.round(elapsed * 1e9) === time;
    // A damaged time seldom comes alone.
    const frame = said <= Number.MAX_SAFE_INTEGER && isTimely ? said : this.#frame + 1;
    this.#bridge(time, offset);
    const duration = view.getFloat64(8, true);
    const repaired = payload.slice();
    if (frame !== said) {
      new DataView(repaired.buffer).setUint32(0, frame % 0x1_0000_0000, true);
      new DataView(repaired.buffer).setUint32(4, Math.floor(frame / 0x1_0000_0000), true);
      const message = `the number of the frame at ${hex(offset)}: ${frame} instead of ${said}`;
      this.#note.rebuilt({ code: "frame-number", severity: "note", message, offset, time });
    }
    if (!isDuration(duration)) {
      new DataView(repaired.buffer).setFloat64(8, -1, true);
      const message = `the duration of the frame at ${hex(offset)}, which cannot be ${duration} s`;
      this.#note.rebuilt({ code: "frame-duration", severity: "note", message, offset, time });
    }
    if (!isTimely) {
      new DataView(repaired.buffer).setFloat64(16, time / 1e9, true);
      const message = `the elapsed time of the frame at ${hex(offset)}: ${time / 1e9} s instead of ${elapsed} s`;
      this.#note.rebuilt({ code: "frame-time", severity: "note", message, offset, time });
    }
    this.#writer.write(this.#start, time, repaired);
    this.#isOpen = true;
    this.#time = time;
    this.#frame = frame;
    this.#next = duration >= 0 ? time + duration * 1e9 : Number.NaN;
    this.#wasDamaged = false;
  }

  /** Frames behind the last one are lost when the next to be written is not where it said. */
  #bridge(time: number, offset: number): void {
    if (!this.#wasDamaged || !(Math.abs(time - this.#next) > NEAR) || !this.#writer.bridge()) return;
    const message = `the duration of the frame before ${hex(offset)}: the packets after it are lost`;
    this.#note.rebuilt({ code: "frame-duration", severity: "note", message, offset, time });
  }

  /** Sees to it that a frame of that time is open, when damage has taken its start. */
  #reach(time: number, offset: number): void {
    const isNew = time !== this.#time || (this.#isBehindDamage && !this.#isOpen);
    if (!isNew || (this.#frame === 0 && !this.#wasDamaged)) return;
    if (this.#isOpen) this.#close(offset);
    this.#bridge(time, offset);
    this.#frame++;
    this.#next = Number.NaN;
    const payload = new ByteBuilder(FRAME_START_BYTES)
      .i64le(this.#frame)
      .f64le(-1)
      .f64le(time / 1e9)
      .take();
    this.#writer.write(this.#start, time, payload);
    const message = `the start of the frame of the packets at ${hex(offset)}`;
    this.#note.rebuilt({ code: "frame-start", severity: "note", message, offset, time });
    this.#isOpen = true;
    this.#time = time;
  }

  #close(offset: number | null): void {
    this.#writer.write(this.#end, this.#time, new Uint8Array(0));
    this.#isOpen = false;
    const message = offset === null ? "the end of the last frame" : `the end of the frame before ${hex(offset)}`;
    const finding = { code: "frame-end", severity: "note", message, time: this.#time } as const;
    this.#note.rebuilt(offset === null ? finding : { ...finding, offset });
  }

  #damaged({ offset, bytes }: NativeRecord): void {
    this.#wasDamaged = true;
    const repaired = this.#repaired(bytes);
    if (repaired !== null) {
      const { kind, payload, what } = repaired;
      this.#reach(this.#time, offset);
      this.#write(this.#writer.channel({ name: kind }), this.#time, payload);
      const message = `the ${what} of the ${kind} packet at ${hex(offset)}`;
      this.#note.rebuilt({ code: `packet-${what}`, severity: "note", message, offset, length: bytes.length });
      return;
    }
    const id = bytes[0]!;
    const width = widthOf(id, this.#reader.dialect);
    const payload = bytes.subarray(PACKET_HEADER_BYTES);
    const isCut = offset + bytes.length === this.#reader.info.bytes;
    const records = isCut ? this.#known.wholeRecords(id, payload) : this.#known.soundRecords(id, payload);
    const sound = this.#isOpen && width !== null ? records : null;
    this.#isBehindDamage = true;
    if (sound !== null && sound > 0) {
      this.#cutList({ kind: "damaged", offset, bytes }, this.#time, sound, width!);
      return;
    }
    const message = `${bytes.length} bytes at ${hex(offset)} that are no packets`;
    this.#lose("damaged-bytes", message, offset, bytes.length, this.#time);
  }

  /** The first `sound` records of a list that goes on as something else, or not at all. */
  #cutList({ offset, bytes }: NativeRecord, time: number, sound: number, width: number): void {
    const id = bytes[0]!;
    const name = kindOf(id, this.#reader.dialect)!;
    const end = PACKET_HEADER_BYTES + 2 + sound * width;
    const what = `the ${name} packet at ${hex(offset)} is sound for ${sound} records only`;
    if (sound === 0) this.#lose("bad-payload", what, offset, bytes.length, time);
    else {
      const payload = bytes.slice(PACKET_HEADER_BYTES, end);
      new DataView(payload.buffer).setUint16(0, sound, true);
      this.#known.see(id, payload);
      this.#reach(time, offset);
      this.#write(this.#writer.channel({ name }), time, payload);
      const message = `the count of the ${name} packet at ${hex(offset)}, now of ${sound} records`;
      this.#note.rebuilt({ code: "packet-count", severity: "note", message, offset, time });
      this.#lose("bad-payload", what, offset + end, bytes.length - end, time);
    }
    this.#isBehindDamage = true;
  }

  /** A packet whose size or count alone is damaged: the other, and where it ends, tell it. */
  #repaired(bytes: Uint8Array): { kind: PacketKind; payload: Uint8Array; what: "size" | "count" } | null {
    const id = bytes[0]!;
    const size = bytes.length - PACKET_HEADER_BYTES;
    if (size < 2 || id < EVENT_ADD || !this.#isOpen) return null;
    const kind = kindOf(id, this.#reader.dialect);
    if (kind === null) return null;
    const payload = bytes.slice(PACKET_HEADER_BYTES);
    if (failure(() => decodePacket(kind, payload, this.#reader.dialect)) === null) {
      return { kind, payload, what: "size" };
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const width = widthOf(id, this.#reader.dialect);
    if (width === null || view.getUint32(1, true) !== size || (size - 2) % width !== 0) return null;
    const total = (size - 2) / width;
    if (total > 65535) return null;
    new DataView(payload.buffer).setUint16(0, total, true);
    const isWhole = failure(() => decodePacket(kind, payload, this.#reader.dialect)) === null;
    return isWhole ? { kind, payload, what: "count" } : null;
  }

  /** Of an event add, the actors before and behind what does not decode. */
  #actors({ offset, bytes }: NativeRecord, time: number, payload: Uint8Array, why: string): void {
    const { before, end, behind, begin } = soundActors(payload, this.#reader.dialect);
    const count = before + behind;
    const message = `the event-add packet at ${hex(offset)} decodes only for ${count} actors: ${why}`;
    if (count === 0) {
      this.#lose("bad-payload", message, offset, bytes.length, time);
      return;
    }
    this.#reach(time, offset);
    const builder = new ByteBuilder(payload.length);
    builder.u16le(count).raw(payload.subarray(2, end)).raw(payload.subarray(begin));
    this.#writer.write(this.#writer.channel({ name: "event-add" }), time, builder.take());
    const what = `the count of the event-add packet at ${hex(offset)}, now of ${count} actors`;
    this.#note.rebuilt({ code: "packet-count", severity: "note", message: what, offset, time });
    if (begin > end) this.#lose("bad-payload", message, offset + PACKET_HEADER_BYTES + end, begin - end, time);
  }

  #lose(code: FindingCode, message: string, offset: number, length: number, time: number): void {
    this.#note.lost({ code, severity: "loss", message, offset, length, time });
  }
}

/** A packet with its message. */
interface Packet {
  readonly record: NativeRecord;
  readonly time: number;
  readonly channel: number;
  readonly payload: Uint8Array;
}

/** Bytes of a record of a list packet; null for packets that are none. */
function widthOf(id: number, { scalar }: Dialect): number | null {
  const widths = listWidths(id);
  return widths === null ? null : (widths[scalar === 8 ? 1 : 0] ?? widths[0]!);
}

/**
 * Ids of what lists were about so far. Where bytes were lost or came into a list, its records behind are shifted, and
 * begin with ids that nothing has.
 */
class KnownIds {
  readonly #dialect: Dialect;
  readonly #actors = new Set<number>();
  /** By packet id. */
  readonly #ofKind = new Map<number, Set<number>>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** A packet that is believed. */
  see(id: number, payload: Uint8Array): void {
    if (id === EVENT_ADD) for (const actor of actorsIn(payload, this.#dialect)) this.#actors.add(actor);
    const width = widthOf(id, this.#dialect);
    if (width === null) return;
    const known = this.#ofKind.get(id) ?? new Set();
    this.#ofKind.set(id, known);
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    for (let at = 2; at + width <= payload.length; at += width) known.add(view.getUint32(at, true));
  }

  /** How many records of a list are sound where the file ends in it: those that are whole. Null for what is no list. */
  wholeRecords(id: number, payload: Uint8Array): number | null {
    const width = this.#widthOf(id, payload);
    return width === null ? null : countIn(payload, width);
  }

  /**
   * How many records of a list are sound that may go over into damage: all when the ids of all are known, else those
   * before the first that is not but for the last of them, which may be a mixture of two, as the very last may be. Null for what is no list, or one
   * whose ids nothing tells.
   */
  soundRecords(id: number, payload: Uint8Array): number | null {
    const width = this.#widthOf(id, payload);
    const known = this.#ofKind.get(id);
    if (width === null || (known === undefined && this.#actors.size === 0)) return null;
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    const count = countIn(payload, width);
    let sound = 0;
    for (; sound < count; sound++) {
      const of = view.getUint32(2 + sound * width, true);
      if (!this.#actors.has(of) && known?.has(of) !== true) break;
    }
    if (sound === 0 && known === undefined) return null;
    if (sound === count && count > 0 && !this.#isSane(view, 2 + (count - 1) * width, width)) return count - 1;
    return 2 + sound * width === payload.length ? sound : Math.max(0, sound - 1);
  }

  /** Whether the numbers of a record of vectors can be those of a world; other records may have any. */
  #isSane(view: DataView, at: number, width: number): boolean {
    const { scalar } = this.#dialect;
    if ((width - 4) % scalar !== 0 || width < 28) return true;
    for (let place = at + 4; place < at + width; place += scalar) {
      const value = Math.abs(scalar === 8 ? view.getFloat64(place, true) : view.getFloat32(place, true));
      if (!(value === 0 || (value > 1e-20 && value < 1e12))) return false;
    }
    return true;
  }

  /** Collisions count themselves, and have no id of a thing. */
  #widthOf(id: number, payload: Uint8Array): number | null {
    return id === COLLISION || payload.length < 2 ? null : widthOf(id, this.#dialect);
  }
}

/** Records that a list says it has, as far as they are there. */
function countIn(payload: Uint8Array, width: number): number {
  return Math.min(payload[0]! | (payload[1]! << 8), Math.floor((payload.length - 2) / width));
}

/** Ids of the actors in an event add, as far as it decodes. */
function actorsIn(payload: Uint8Array, dialect: Dialect): number[] {
  const cursor = new ByteCursor(payload, 2);
  const ids: number[] = [];
  try {
    while (cursor.remaining > 0) ids.push(readEventAdd(cursor, dialect).id);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return ids;
}

/** Bytes of a packet that are searched for the next one. */
const SWALLOWED = 1 << 16;

/** Bytes of an event add that are searched for the next actor behind damage. */
const SEARCHED = 1 << 20;

/** Actors up to place `end` and from place `begin` on; between them is what does not decode. */
function soundActors(
  payload: Uint8Array,
  dialect: Dialect,
): { before: number; end: number; behind: number; begin: number } {
  const total = payload.length < 2 ? 0 : payload[0]! | (payload[1]! << 8);
  const first = actorsFrom(payload, 2, total, dialect);
  const { length } = payload;
  for (let begin = first.end + 1; begin < Math.min(length, first.end + SEARCHED); begin++) {
    const rest = actorsFrom(payload, begin, total - first.count, dialect);
    if (rest.count > 0 && rest.end === length)
      return { before: first.count, end: first.end, behind: rest.count, begin };
  }
  return { before: first.count, end: first.end, behind: 0, begin: length };
}

function actorsFrom(
  payload: Uint8Array,
  begin: number,
  most: number,
  dialect: Dialect,
): { count: number; end: number } {
  const cursor = new ByteCursor(payload, begin);
  let count = 0;
  let end = begin;
  try {
    while (count < most) {
      const { blueprint, type } = readEventAdd(cursor, dialect);
      if (type > 6 || !/^[\x20-\x7e]+$/.test(blueprint)) break;
      count++;
      end = cursor.position;
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return { count, end };
}

/** Row of each message in the order of the file: rows come in order of time. */
function inFileOrder(rows: Columns, first: number): Uint32Array {
  const order = new Uint32Array(rows.length);
  for (let row = 0; row < rows.length; row++) order[rows.sequence[row]! - first] = row;
  return order;
}

/** Why a payload does not decode; null when it does. */
function failure(decode: () => unknown): string | null {
  try {
    decode();
    return null;
  } catch (error) {
    if (error instanceof LayoutError) return error.message;
    throw error;
  }
}
