import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import type { SinkBundle } from "../../io/sink.ts";
import { ColumnBuilder } from "../../model/batch.ts";
import type { Finding } from "../../model/error.ts";
import { Walk } from "../../model/flat.ts";
import type { NativeRecord, Reader } from "../../model/reader.ts";
import type { RepairNote } from "../../model/writer.ts";
import { readExtraText } from "./layout-extra.ts";
import type { FlightGearReader } from "./reader.ts";
import { mendHeader } from "./mend-header.ts";
import { Output } from "./output.ts";
import { goesWith, NEAR } from "./walk.ts";
import { type FrameTarget, TapeWriter, tapeUnder } from "./writer.ts";

/**
 * Every frame that can be read, in a sound tape: frames that are damaged inside keep the items that are whole, a broken
 * header is written anew, and so are the counts and the gzip stream of a Normal tape.
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const tape = tapeUnder(from);
  if (tape === null) throw new TypeError("not a FlightGear tape");
  const header = mendHeader(tape, note);
  const writer = new TapeWriter({ like: tape }, header);
  writer.begin(new Output(await to.open()));
  try {
    const mender = new Mender(tape, writer, note);
    for await (const records of tape.records()) {
      for (const record of records) mender.take(record);
      if (writer.ready !== null) await writer.ready;
    }
    mender.end();
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Frames that are looked at to judge the time of one before them. */
const AHEAD = 2;
/** Frames that must follow each other for a new buffer to be believed. */
const SURE = 3;
/** Steps at the ends of a buffer that are longer than this, seconds, and than so many usual ones, are no steps. */
const LONG_STEP = 60;
const MANY = 20;

class Mender {
  readonly #tape: FlightGearReader;
  readonly #target: FrameTarget;
  readonly #note: RepairNote;
  readonly #isNormal: boolean;
  /** Buffer of a Normal tape that frames are in, and the time of the frame before in it. */
  #buffer = -1;
  #last: number | null = null;
  /** Frames that wait until those behind them are known. */
  readonly #pending: NativeRecord[] = [];
  #frames = 0;
  /** Behind what was read. */
  #offset = 0;

  constructor(tape: FlightGearReader, writer: TapeWriter, note: RepairNote) {
    this.#tape = tape;
    this.#target = writer.frames();
    this.#note = note;
    this.#isNormal = tape.header.layout === "normal";
  }

  /** The next record of the tape. */
  take(record: NativeRecord): void {
    const { kind, offset, bytes } = record;
    this.#offset = offset + bytes.length;
    switch (kind) {
      case "frame":
        this.#pending.push(record);
        // Frames of a Normal tape are few, and its buffers are judged as a whole.
        if (!this.#isNormal && this.#pending.length > AHEAD) this.#decide();
        return;
      case "container":
        this.#settle();
        this.#buffer++;
        this.#last = null;
        return;
      case "damaged":
        this.#lose("bad-frame", `${bytes.length} bytes that are no frame, or one that cannot be read`, offset, bytes);
        return;
      case "trailing":
        this.#lose("trailing-bytes", `${bytes.length} bytes behind the last frame`, offset, bytes);
        return;
      default:
    }
  }

  /** After the last record. */
  end(): void {
    this.#settle();
    if (!this.#isNormal) return;
    const { missing } = this.#tape;
    if (missing !== null) {
      this.#note.lost({ code: "missing-frames", severity: "loss", message: missing, offset: this.#offset });
    }
    this.#rebuilt("counts", `the three buffers and their counts, ${this.#frames} frames in all`);
    if (this.#tape.info.metadata["compression"] === "gzip") this.#rebuilt("gzip", "the gzip stream around everything");
  }

  #rebuilt(code: string, message: string): void {
    this.#note.rebuilt({ code, severity: "note", message });
  }

  #lose(code: Finding["code"], message: string, offset: number, bytes: Uint8Array): void {
    this.#note.lost({ code, severity: "loss", message, offset, length: bytes.length });
  }

  #settle(): void {
    if (!this.#isNormal) {
      while (this.#pending.length > 0) this.#decide();
      return;
    }
    const frames = this.#pending.splice(0);
    // Times rise in a buffer; going back far and on from there is where a container header is lost.
    let start = 0;
    for (let i = 1; i <= frames.length; i++) {
      if (i < frames.length && !this.#beginsBuffer(frames, i)) continue;
      const kept = risingOf(frames.slice(start, i).map(timeIn));
      for (let k = start; k < i; k++) {
        const frame = frames[k]!;
        if (kept.has(k - start)) this.#frame(frame);
        else
          this.#lose("bad-time", `a frame whose time, ${timeIn(frame)} s, fits to no other`, frame.offset, frame.bytes);
      }
      if (i < frames.length) this.#buffer++;
      start = i;
    }
  }

  #beginsBuffer(frames: readonly NativeRecord[], at: number): boolean {
    if (this.#buffer >= 2 || at + SURE > frames.length) return false;
    const before = timeIn(frames[at - 1]!);
    for (let k = 0; k < SURE; k++) {
      const native = timeIn(frames[at + k]!);
      if (native >= before || (k > 0 && !goesWith(native, timeIn(frames[at + k - 1]!)))) return false;
    }
    return true;
  }

  /**
   * Keeps the frame that waits longest, unless its time does not fit between those around it. Frames that were taken
   * for good beside damaged ones are looked at again: the result has to be sound without these.
   */
  #decide(): void {
    const [record, next, third] = this.#pending.map((of) => ({ of, native: timeIn(of) }));
    this.#pending.shift();
    const { of, native } = record!;
    const last = this.#last;
    let isKept: boolean;
    if (last === null) {
      const isFar = next !== undefined && Math.abs(next.native - native) > NEAR;
      isKept = !(isFar && third !== undefined && goesWith(third.native, next.native));
    } else if (goesWith(native, last)) isKept = true;
    else if (Math.abs(native - last) > NEAR) isKept = false;
    else if (next === undefined) isKept = true;
    else if (goesWith(next.native, last)) isKept = false;
    else {
      const goesOn = native > last && next.native > native && next.native - native <= NEAR;
      isKept = goesOn || goesWith(next.native, native);
    }
    if (!isKept) {
      this.#lose("bad-time", `a frame whose time, ${native} s, fits to no other`, of.offset, of.bytes);
      return;
    }
    this.#last = native;
    this.#frame(of);
  }

  #frame({ offset, bytes }: NativeRecord): void {
    const { shape } = this.#tape.shape;
    const range = { start: 0, end: bytes.length, limit: bytes.length, isLast: true };
    const walk = new Walk(bytes, 0, range, new ColumnBuilder(), null, null);
    const native = walk.view.getFloat64(0, true);
    const { zero } = this.#tape.layout;
    if (this.#frames === 0 && !this.#isNormal && native !== zero) {
      // Time 0 is that of the first frame: when that one is lost, an empty one holds its place.
      this.#target.frame(zero, -1);
      this.#rebuilt("first-frame", `the frame at ${zero} s, without content, so that times stay what they were`);
    }
    this.#frames++;
    const fault = shape.fault(walk, 0, bytes.length);
    if (fault === null && this.#target.whole(native, bytes)) return;
    shape.emit(walk, 0, bytes.length, 0);
    const unpacked = walk.unpacked.length > 0 ? walk.unpacked.take() : bytes;
    const rows = walk.rows.build(unpacked, 0);
    for (let i = 0; i < rows.length; i++) {
      const name = this.#tape.layout.channels[rows.channel[i]!]!;
      const slot = this.#target.slots.find((of) => of.name === name)!;
      const start = rows.start[i]!;
      const end = this.#soundEnd(name, unpacked, start, rows.end[i]!);
      if (end > start || name === "multiplayer") slot.add(unpacked, start, end, name === "multiplayer");
      // Filler is what frames of one length are known by.
      if (this.#isNormal && name === "signals") slot.bytes.fill(0, this.#tape.layout.signals.bytes, slot.length);
    }
    let length = 8;
    for (const slot of this.#target.slots) length += 4 + slot.length;
    this.#target.frame(native, Math.max(0, this.#buffer));
    if (fault === null) return;
    this.#note.lost({
      code: fault.code,
      severity: "loss",
      message: `of the frame at ${native} s a part is lost: ${fault.message}`,
      offset,
      // In a compressed frame no bytes are the lost ones.
      length: this.#tape.layout.frames === "plain" ? bytes.length - length : undefined,
    });
  }

  /** Where what can be read of a message ends. */
  #soundEnd(name: string, bytes: Uint8Array, start: number, end: number): number {
    if (name === "signals") return end - start < this.#tape.layout.signals.bytes ? start : end;
    if (name !== "extra-properties") return end;
    const cursor = new ByteCursor(bytes, start, end);
    let sound = start;
    try {
      while (cursor.remaining > 0) {
        readExtraText(cursor);
        readExtraText(cursor);
        sound = cursor.position;
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
    return sound;
  }
}

function timeIn({ bytes }: NativeRecord): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
}

/** Which of these times make up the longest run that rises, with no step longer than frames of a buffer are apart. */
function risingOf(times: readonly number[]): ReadonlySet<number> {
  /** For each length the place of the smallest time that a run of it can end with, and for each place the one before. */
  const ends: number[] = [];
  const before: number[] = [];
  for (let i = 0; i < times.length; i++) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[ends[middle]!]! < times[i]!) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : ends[low - 1]!);
    ends[low] = i;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) kept.add(at);
  // A first or last one that lies far off is there by chance.
  const order = [...kept].sort((x, y) => x - y);
  const steps = order.slice(1).map((at, i) => times[at]! - times[order[i]!]!);
  const limit = Math.max(LONG_STEP, MANY * (steps.toSorted((x, y) => x - y)[steps.length >> 1] ?? 0));
  while (order.length > 2 && times[order[1]!]! - times[order[0]!]! > limit) kept.delete(order.shift()!);
  while (order.length > 2 && times[order.at(-1)!]! - times[order.at(-2)!]! > limit) kept.delete(order.pop()!);
  return kept;
}
