import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { ColumnBuilder } from "../../../model/messages/batch.ts";
import type { Finding } from "../../../model/error.ts";
import { Walk } from "../../../model/flat.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { RepairNote } from "../../../model/writer.ts";
import { readExtraText } from "../layout/extra.ts";
import type { FlightGearReader } from "../read/reader.ts";
import { risingOf } from "./rising.ts";
import { goesWith, NEAR } from "../layout/times.ts";
import type { FrameTarget } from "../write/writer.ts";

/** A frame that was written: where it was in the damaged tape, its buffer (`FrameTable.add`), its bytes in the new one. */
export interface RepairedFrame {
  readonly offset: number;
  readonly buffer: number;
  readonly length: number;
}

/** Frames that are looked at to judge the time of one before them. */
const AHEAD = 2;
/** Frames that must follow each other for a new buffer to be believed where no damage stands before them. */
const SURE = 3;

/** Takes the records of a damaged tape, and gives what is whole of its frames to `target`. */
export class FrameRepair {
  readonly frames: RepairedFrame[] = [];
  readonly #tape: FlightGearReader;
  readonly #target: FrameTarget;
  readonly #note: RepairNote;
  readonly #without: ReadonlySet<number>;
  readonly #isNormal: boolean;
  /** Buffer of a Normal tape that frames are in, and the time of the frame before in it. */
  #buffer = -1;
  #last: number | null = null;
  /** Frames that wait until those behind them are known, and which of them stand behind damage. */
  readonly #pending: NativeRecord[] = [];
  readonly #behindDamage = new Set<NativeRecord>();
  #isBehindDamage = false;
  /** Frames that wait and came before any damage. */
  #clean = 0;
  #isClean = true;
  /** Behind what was read. */
  #offset = 0;

  /** `without`: offsets of frames that are to be left out. */
  constructor(tape: FlightGearReader, target: FrameTarget, note: RepairNote, without: ReadonlySet<number>) {
    this.#tape = tape;
    this.#target = target;
    this.#note = note;
    this.#without = without;
    this.#isNormal = tape.header.layout === "normal";
  }

  /** The next record of the tape. */
  take(record: NativeRecord): void {
    const { kind, offset, bytes } = record;
    this.#offset = offset + bytes.length;
    switch (kind) {
      case "frame":
        this.#pending.push(record);
        if (this.#isBehindDamage && this.#isNormal) this.#behindDamage.add(record);
        this.#isBehindDamage = false;
        if (this.#isClean) this.#clean++;
        // Frames of a Normal tape are few, and its buffers are judged as a whole.
        if (!this.#isNormal && this.#pending.length > AHEAD) this.#decide();
        return;
      case "container":
        this.#settle();
        this.#buffer++;
        this.#last = null;
        return;
      case "damaged":
        this.#isBehindDamage = true;
        this.#isClean = false;
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
    const { missing } = this.#tape;
    if (missing === null) return;
    this.#note.lost({ code: "missing-frames", severity: "loss", message: missing, offset: this.#offset });
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
      const kept = risingOf(frames.slice(start, i).map(timeIn), Math.min(i, this.#clean) - start);
      for (let k = start; k < i; k++) {
        if (kept.has(k - start)) this.#frame(frames[k]!);
        else this.#loseTime(frames[k]!);
      }
      if (i < frames.length) this.#buffer++;
      start = i;
    }
    this.#behindDamage.clear();
    this.#clean = 0;
  }

  #beginsBuffer(frames: readonly NativeRecord[], at: number): boolean {
    if (this.#buffer >= 2) return false;
    const before = timeIn(frames[at - 1]!);
    // The last frames of all may be few, when damage stands where their container began.
    const isLost = this.#tape.missing !== null && this.#behindDamage.has(frames[at]!);
    const count = isLost ? Math.min(SURE, frames.length - at) : SURE;
    if (at + count > frames.length) return false;
    for (let k = 0; k < count; k++) {
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
      this.#loseTime(of);
      return;
    }
    this.#last = native;
    this.#frame(of);
  }

  #loseTime(frame: NativeRecord): void {
    const message = `a frame whose time, ${timeIn(frame)} s, fits no other`;
    this.#lose("bad-time", message, frame.offset, frame.bytes);
  }

  #frame({ offset, bytes }: NativeRecord): void {
    if (this.#without.has(offset)) {
      this.#lose("bad-frame", "a frame that cannot be distinguished from other bytes", offset, bytes);
      return;
    }
    const { shape } = this.#tape.shape;
    const range = { start: 0, end: bytes.length, limit: bytes.length, isLast: true };
    const walk = new Walk(bytes, 0, range, new ColumnBuilder(), null, null);
    const native = walk.view.getFloat64(0, true);
    if (this.frames.length === 0 && !this.#isNormal) this.#holdZero(native);
    const fault = shape.fault(walk, 0, bytes.length);
    const buffer = Math.max(0, this.#buffer);
    if (fault === null && this.#target.whole(native, bytes)) {
      this.frames.push({ offset, buffer, length: bytes.length });
      return;
    }
    shape.emit(walk, 0, bytes.length, 0);
    this.#fill(walk, bytes);
    const length = this.#target.frame(native, buffer);
    this.frames.push({ offset, buffer, length });
    if (fault === null) return;
    this.#note.lost({
      code: fault.code,
      severity: "loss",
      message: `a part of the frame at ${native} s is lost: ${fault.message}`,
      offset,
      // In a compressed frame no bytes are the lost ones.
      length: this.#tape.layout.frames === "deflate" ? undefined : Math.max(0, bytes.length - length),
    });
  }

  /** Time 0 is that of the first frame: when that one is lost, an empty one holds its place. */
  #holdZero(native: number): void {
    const { zero } = this.#tape.layout;
    if (native === zero) return;
    this.#target.frame(zero, -1);
    const message = `the frame at ${zero} s, without content, so that the times stay the same`;
    this.#note.rebuilt({ code: "first-frame", severity: "note", message });
  }

  /** Puts the messages of a frame into the slots of the target, as far as they are whole. */
  #fill(walk: Walk, bytes: Uint8Array): void {
    const { channels, signals } = this.#tape.layout;
    const unpacked = walk.unpacked.length > 0 ? walk.unpacked.take() : bytes;
    const rows = walk.rows.build(unpacked, 0);
    for (let i = 0; i < rows.length; i++) {
      const name = channels[rows.channel[i]!]!;
      const slot = this.#target.slots.find((of) => of.name === name)!;
      const start = rows.start[i]!;
      const end = this.#soundEnd(name, unpacked, start, rows.end[i]!);
      if (end > start || name === "multiplayer") slot.add(unpacked, start, end, name === "multiplayer");
      // Filler is what frames of one length are known by.
      if (this.#isNormal && name === "signals") slot.bytes.fill(0, signals.bytes, slot.length);
    }
  }

  /** Where what can be read of a message ends. */
  #soundEnd(name: string, bytes: Uint8Array, start: number, end: number): number {
    if (name === "signals") return end - start < this.#tape.layout.signals.bytes ? start : end;
    return name === "extra-properties" ? soundPropertiesEnd(bytes, start, end) : end;
  }
}

/** Where the last entry ends that is whole; one that removes nothing is none. */
function soundPropertiesEnd(bytes: Uint8Array, start: number, end: number): number {
  const cursor = new ByteCursor(bytes, start, end);
  let sound = start;
  try {
    while (cursor.remaining > 0) {
      const length = readExtraText(cursor).length + readExtraText(cursor).length;
      if (length === 0) break;
      sound = cursor.position;
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return sound;
}

function timeIn({ bytes }: NativeRecord): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
}
