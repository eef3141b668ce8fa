import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { Recording } from "../../../model/recording.ts";
import { dialectOf } from "../meaning/dialect.ts";
import {
  type Dialect,
  type EventAdd,
  FRAME_START_BYTES,
  PACKET_HEADER_BYTES,
  PACKET_KINDS,
  type PacketKind,
  readEventAdd,
} from "../layout/layout.ts";
import { CARLA_LIKES, type CarlaLike, likeOf } from "./forms.ts";
import { isPlausible } from "../read/plausible.ts";
import { cText, dateText, f64Text, u64Text } from "./text.ts";

/** How the text of a query looks. */
export interface CarlaQueryOptions {
  /** Default: the release that the recording is of, as its `metadata.release` estimates. */
  readonly like?: CarlaLike | undefined;
  /** Print the date in UTC instead of this machine's zone. */
  readonly utc?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The frame that packets belong to, as its start says. */
export interface Frame {
  /** Frame number and elapsed seconds, as they are printed. */
  readonly id: string;
  readonly elapsedText: string;
  /** Seconds since the first frame. */
  readonly elapsed: number;
  /** Seconds until the next frame; -1 in the last. */
  readonly duration: number;
}

const NO_FRAME: Frame = { id: "0", elapsedText: "0", elapsed: 0, duration: 0 };
/** Characters after which text is handed out. */
const PIECE = 32768;
const NOTHING = new Uint8Array(0);

/** The packet being looked at: one object, changed for each, so that a packet costs no allocation. */
export class Packet {
  kind: PacketKind | null = null;
  id = 0;
  frame: Frame = NO_FRAME;
  /** The payload is `bytes[start, end)`, seen through `view`. */
  bytes: Uint8Array = NOTHING;
  view: DataView = new DataView(NOTHING.buffer);
  start = 0;
  end = 0;
  /** Records of a list packet: as many as it says, as many as are there, bytes from one to the next. */
  total = 0;
  whole = 0;
  stride = 0;
  readonly dialect: Dialect;
  /** Bytes that the header says; more than there are in a packet that was cut off. */
  #size = 0;
  readonly #kinds: readonly (PacketKind | null)[];

  constructor(recording: Recording) {
    this.dialect = dialectOf(recording);
    this.#kinds = [...PACKET_KINDS, ...this.dialect.late];
  }

  /**
   * Takes up a record of the file. False when it is no packet; what the end of the file has cut off is one as long as
   * its beginning is of use.
   */
  take(record: NativeRecord): boolean {
    const { bytes, kind } = record;
    if (kind === "header" || bytes.length < PACKET_HEADER_BYTES) return false;
    if (this.bytes.buffer !== bytes.buffer) {
      this.bytes = new Uint8Array(bytes.buffer);
      this.view = new DataView(bytes.buffer);
    }
    const at = bytes.byteOffset;
    const id = bytes[0]!;
    this.id = id;
    this.kind = this.#kinds[id] ?? null;
    this.start = at + PACKET_HEADER_BYTES;
    this.end = at + bytes.length;
    this.#size = this.view.getUint32(at + 1, true);
    this.total = 0;
    this.whole = 0;
    if (kind === "damaged") return this.#isBeginning(id);
    if (this.kind === "frame-start") this.frame = this.#frame();
    return true;
  }

  /**
   * Counts the records of a list of `width` bytes each. A record that is longer than known keeps its place: its width
   * is what the list's length says (spec §0.3).
   */
  list(width: number): void {
    if (this.end - this.start < 2) return;
    const content = this.#size - 2;
    let total = this.view.getUint16(this.start, true);
    // More than 65535 records: the count was cut to 16 bits (spec §3).
    if (content >= 65536 * width) total = Math.floor(content / width);
    this.total = total;
    this.stride = total > 0 && content % total === 0 && content / total >= width ? content / total : width;
    this.whole = Math.min(total, Math.floor((this.end - this.start - 2) / this.stride));
  }

  /** Counts the records of a list whose records are an id and six numbers of Unreal; gives the bytes of a number. */
  vectors(): 4 | 8 {
    if (this.end - this.start < 2) return 4;
    const content = this.#size - 2;
    const total = this.view.getUint16(this.start, true);
    const { scalar } = this.dialect;
    const found = content === total * 28 ? 4 : content === total * 52 ? 8 : scalar;
    this.list(4 + 6 * found);
    return found;
  }

  /** Counts the records of a list whose records differ in length: how many are whole shows in reading. */
  varied(): void {
    if (this.end - this.start >= 2) this.total = this.view.getUint16(this.start, true);
  }

  /** Place of the first record of a list. */
  get first(): number {
    return this.start + 2;
  }

  /** Gives each actor of an event-add packet, with the place of its location. */
  actors(visit: (actor: EventAdd, location: number) => void): void {
    this.varied();
    if (this.total === 0) return;
    const cursor = new ByteCursor(this.bytes, this.first, this.end);
    try {
      for (let n = 0; n < this.total; n++) {
        const at = cursor.position;
        const actor = readEventAdd(cursor, this.dialect);
        visit({ ...actor, blueprint: cText(actor.blueprint) }, at + 5);
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  #isBeginning(id: number): boolean {
    const isList = id !== 0 && id !== 1 && id !== 14 && id !== 18 && id !== 20;
    return (
      this.kind !== null &&
      isList &&
      this.end - this.start >= 2 &&
      this.end - this.start < this.#size &&
      isPlausible(id, this.view, this.start, this.#size)
    );
  }

  #frame(): Frame {
    const { view, start, end } = this;
    if (end - start < FRAME_START_BYTES) return this.frame;
    return {
      id: u64Text(view, start),
      elapsedText: f64Text(view, start + 16),
      elapsed: view.getFloat64(start + 16, true),
      duration: view.getFloat64(start + 8, true),
    };
  }
}

/** What one of the tools does with packets. */
export interface Inspector {
  /** Printed behind the head. */
  readonly title: string;
  packet(packet: Packet): void;
  /** Characters that there are to print, and the text of them, which is forgotten then. */
  readonly length: number;
  take(): string;
  /** What there is to print when the file has ended. */
  rest(): Iterable<string>;
  /** The duration in the last line. */
  duration(frame: Frame): string;
}

/**
 * Runs a tool over a recording: head, what the tool prints, tail (semantics §3). Packets come in the order of the file.
 * `all`: the default release is one that prints all packets.
 * Throws `RangeError` when the recording is none of CARLA or `like` is unknown.
 */
export function inspect(
  recording: Recording,
  options: CarlaQueryOptions,
  make: (like: CarlaLike, dialect: Dialect) => Inspector,
  all = false,
): AsyncGenerator<string> {
  if (recording.info.format !== "carla") {
    throw new RangeError(`the recording is ${recording.info.format}; CARLA's query tools read only carla`);
  }
  const { like = likeOf(recording, all) } = options;
  if (!CARLA_LIKES.includes(like)) throw new RangeError(`like is ${like}; known are ${CARLA_LIKES.join(", ")}`);
  const packet = new Packet(recording);
  return print(recording, options, packet, make(like, packet.dialect));
}

async function* print(
  recording: Recording,
  { utc = false, signal }: CarlaQueryOptions,
  packet: Packet,
  inspector: Inspector,
): AsyncGenerator<string> {
  const { map } = recording.info.metadata;
  const { epoch } = await recording.timeline();
  const date = dateText((epoch ?? 0n) / 1_000_000_000n, utc);
  yield `Version: ${packet.dialect.version}\nMap: ${cText(map as string)}\nDate: ${date}\n\n${inspector.title}`;
  for await (const records of recording.records(signal)) {
    for (const record of records) {
      if (packet.take(record)) inspector.packet(packet);
      // Long text made of short pieces costs the collector more than it costs to make.
      if (inspector.length > PIECE) yield inspector.take();
    }
  }
  if (inspector.length > 0) yield inspector.take();
  yield* inspector.rest();
  yield `\nFrames: ${packet.frame.id}\nDuration: ${inspector.duration(packet.frame)} seconds\n`;
}
