import { hex } from "../../../bytes/error.ts";
import type { FlatLayout, Walk } from "../../../model/flat.ts";
import { membersOf, numbersOf } from "../../../model/kept/shapes.ts";
import type { Value } from "../../../model/values/value.ts";
import type { DialectDetector } from "../meaning/dialect.ts";
import { FRAME_END, FRAME_START, FRAME_START_BYTES, PACKET_HEADER_BYTES, PACKET_KINDS } from "../layout/layout.ts";
import { isDuration, isElapsed, MORE, NO, PacketJudge } from "./plausible.ts";

/** A window without a second frame start is cut inside the frame when it is longer than this. */
const LONGEST_FRAME = 32 << 20;
/** Bytes of a packet within which no other is looked for. */
const SMALL = 12;
/** Frames that may be missing in a row; a number that jumps further is damaged. */
const MANY_FRAMES = 1e6;
/** Seconds by which times that should be equal may differ. */
const NEAR = 1e-6;

/** Rank of each packet id in a frame (spec §3.2); -1 for ids whose meaning, and so whose place, has changed. */
const ORDER = [0, 20, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 14, 15, 16, 19, 1];
const RANKS: readonly number[] = Array.from({ length: 25 }, (_, id) => ORDER.indexOf(id));

/** What is known at a place of the file. */
class Course {
  /** Nanoseconds: of the packets that follow. */
  time = 0;
  isOpen = false;
  /** Of the last frame start: number, seconds since the first, seconds to the next; NaN: not known. */
  frame = 0;
  elapsed = 0;
  duration = Number.NaN;
  /** Rank of the last packet. */
  rank = -1;

  set(other: Course): void {
    this.time = other.time;
    this.isOpen = other.isOpen;
    this.frame = other.frame;
    this.elapsed = other.elapsed;
    this.duration = other.duration;
    this.rank = other.rank;
  }
}

/**
 * Walks packets. Channel ids are given out in the order in which packet ids first occur. The scan judges: behind damage
 * it goes on at the next packets, within the frame where they lie there, and gives frames whose start is lost or says an
 * impossible time the one that their neighbours tell. Later walks only read what it found.
 */
export class PacketWalker implements FlatLayout {
  /** Channel of each packet id, or -1. */
  readonly channelOf: Int16Array = new Int16Array(256).fill(-1);
  /** Packet id of each channel. */
  readonly packetIds: number[] = [];
  readonly #detector: DialectDetector;
  #isScanning = true;
  readonly #judge: PacketJudge = new PacketJudge((id) => this.channelOf[id]! >= 0);
  readonly #now: Course = new Course();
  /** At the start of the last frame that was met. */
  readonly #mark: Course = new Course();
  /** Where the scan stopped last, and what was known there. */
  readonly #stop: Course = new Course();
  #stoppedAt = -1;
  /** By file offset: times of frame starts that say another. */
  readonly #times = new Map<number, number>();

  /** Shows every packet to `detector` until `settle()`. */
  constructor(detector: DialectDetector) {
    this.#detector = detector;
  }

  /** The scan is over: later walks only read. */
  settle(): void {
    this.#isScanning = false;
  }

  learned(): Value {
    const times = Float64Array.from([...this.#times].flat());
    return { packetIds: Uint8Array.from(this.packetIds), times, dialect: this.#detector.learned() };
  }

  recall(learned: Value): void {
    const { packetIds, times, dialect } = membersOf(learned);
    for (const [channel, id] of numbersOf(packetIds, Uint8Array).entries()) {
      this.channelOf[id] = channel;
      this.packetIds.push(id);
    }
    const pairs = numbersOf(times, Float64Array);
    for (let i = 0; i + 1 < pairs.length; i += 2) this.#times.set(pairs[i]!, pairs[i + 1]!);
    this.#detector.recall(dialect);
  }

  walk(walk: Walk): number {
    return this.#isScanning ? this.#scan(walk, this.#detector) : this.#read(walk);
  }

  #read(walk: Walk): number {
    const { bytes, view, end, origin } = walk;
    let time = walk.carried;
    let position = walk.start;
    while (position < end) {
      const id = bytes[position]!;
      const payload = position + PACKET_HEADER_BYTES;
      const next = payload + view.getUint32(position + 1, true);
      if (id === FRAME_START) {
        const given = this.#times.size === 0 ? undefined : this.#times.get(origin + position);
        time = given ?? Math.round(view.getFloat64(payload + 16, true) * 1e9);
      }
      walk.message(time, this.channelOf[id]!, payload, next);
      walk.record(recordKind(id), position, next);
      position = next;
    }
    walk.handOver(time);
    return position;
  }

  #scan(walk: Walk, detector: DialectDetector): number {
    const { bytes, end, start, origin } = walk;
    const now = this.#now;
    const mark = this.#mark;
    if (origin + start === this.#stoppedAt) now.set(this.#stop);
    else {
      now.set(new Course());
      now.time = walk.carried;
    }
    mark.set(now);
    const mayGrow = !walk.isLast && end - start < LONGEST_FRAME;
    let frameAt = start;
    let rows = walk.rows.length;
    let records = walk.recordCount;
    /** Ends the walk where the frame began, or at `position` in a frame too long for that. */
    const giveBack = (position: number): number => {
      if (frameAt === start && !mayGrow && position > start) return this.#end(walk, position, now);
      walk.rollback(rows, records);
      return this.#end(walk, frameAt, mark);
    };
    let position = start;
    /** Place of the packet before, where it may yet turn out to be none. */
    let before = -1;
    while (position < end) {
      const length = this.#judge.measure(walk, position, mayGrow);
      if (length === MORE) return giveBack(position);
      const isNew = length !== NO && bytes[position]! > 24 && this.channelOf[bytes[position]!]! < 0;
      const isWithin = (length === NO || isNew) && before >= 0 && this.#hasPackets(walk, before, position);
      if (length === NO || isWithin) {
        if (isWithin) {
          walk.rollback(walk.rows.length - 1, walk.recordCount - 1);
          position = before;
        }
        before = -1;
        const next = this.#pass(walk, position, mayGrow);
        if (next === MORE) return giveBack(position);
        position = next;
        frameAt = position;
        rows = walk.rows.length;
        records = walk.recordCount;
        mark.set(now);
        continue;
      }
      const id = bytes[position]!;
      const payload = position + PACKET_HEADER_BYTES;
      const next = position + length;
      if (id === FRAME_START) {
        frameAt = position;
        rows = walk.rows.length;
        records = walk.recordCount;
        mark.set(now);
        if (!this.#start(walk, position, mayGrow)) return giveBack(position);
        if (mark.isOpen) {
          const message = "the frame before this one has no end";
          walk.finding(position, { code: "unclosed-frame", severity: "damage", message });
        }
      } else if (id === FRAME_END) now.isOpen = false;
      if (rankOf(id) >= 0) now.rank = rankOf(id);
      let channel = this.channelOf[id]!;
      if (channel < 0) {
        channel = this.packetIds.length;
        this.channelOf[id] = channel;
        this.packetIds.push(id);
      }
      detector.see(id, bytes, payload, next);
      walk.message(now.time, channel, payload, next);
      walk.record(recordKind(id), position, next);
      before = id === FRAME_START ? -1 : position;
      position = next;
    }
    if (walk.isLast && now.isOpen) {
      const message = "the last frame has no end: the recording was cut off";
      walk.finding(frameAt, { code: "unclosed-frame", severity: "loss", message });
    }
    if (!walk.isLast && frameAt > start) return giveBack(position);
    return this.#end(walk, position, now);
  }

  /** Whether packets begin within the one at `[from, to)`: then it is none. */
  #hasPackets(walk: Walk, from: number, to: number): boolean {
    return to - from > SMALL && this.#judge.search(walk, from + 1, to).place >= 0;
  }

  #end(walk: Walk, position: number, known: Course): number {
    this.#stop.set(known);
    this.#stoppedAt = walk.origin + position;
    walk.handOver(known.time);
    return position;
  }

  /** Takes in a frame start; false when a larger window must tell whether its time can be believed. */
  #start(walk: Walk, position: number, mayGrow: boolean): boolean {
    const { view } = walk;
    const now = this.#now;
    const payload = position + PACKET_HEADER_BYTES;
    const frame = frameNumber(view, payload);
    const duration = durationAt(view, payload);
    const elapsed = view.getFloat64(payload + 16, true);
    const expected = now.elapsed + now.duration;
    let believed = elapsed;
    if (!(Math.abs(elapsed - expected) <= NEAR) || !isElapsed(elapsed)) {
      const next = this.#judge.nextStart(walk, payload + FRAME_START_BYTES).place;
      if (next === MORE && mayGrow) return false;
      const after = next > 0 ? view.getFloat64(next + PACKET_HEADER_BYTES + 16, true) : Number.NaN;
      const isLate = frame > now.frame + 1 && frame - now.frame <= MANY_FRAMES;
      believed = believe(elapsed, duration, expected, now.elapsed, isElapsed(after) ? after : Number.NaN, isLate);
    }
    const offset = walk.origin + position;
    if (believed === elapsed) this.#times.delete(offset);
    else {
      this.#times.set(offset, Math.round(believed * 1e9));
      walk.finding(position, {
        code: "bad-time",
        severity: "damage",
        message: `frame ${frame} says ${elapsed} s have elapsed; by its neighbours it is ${believed} s`,
      });
    }
    now.time = Math.round(believed * 1e9);
    now.isOpen = true;
    // A damaged time seldom comes alone.
    now.frame = believed === elapsed && frame > 0 && frame < 0x1_0000_0000 ? frame : now.frame + 1;
    now.elapsed = believed;
    now.duration = duration;
    return true;
  }

  /** Passes over damage at `position`; gives the place behind it, or `MORE`. */
  #pass(walk: Walk, position: number, mayGrow: boolean): number {
    const { bytes, end } = walk;
    const now = this.#now;
    const { place, doubtful } = this.#judge.search(walk, position + 1, end);
    let to = place;
    if (place < 0) {
      if (mayGrow) return MORE;
      if (walk.isLast) to = end;
      else to = doubtful > position ? doubtful : Math.max(position + 1, end - FRAME_START_BYTES - PACKET_HEADER_BYTES);
    }
    if (place < 0 || bytes[place] === FRAME_START) now.isOpen = false;
    else if (!this.#goOn(walk, place, mayGrow)) return MORE;
    const at = hex(walk.origin + position);
    const what = `no packet at ${at} (id ${bytes[position]}`;
    const size = position + PACKET_HEADER_BYTES <= end ? walk.view.getUint32(position + 1, true) : null;
    if (size !== null && place < 0 && walk.isLast && walk.fits(position, PACKET_HEADER_BYTES + size) < 0) {
      const message = `packet ${bytes[position]} of ${size} bytes at ${at} is cut off: ${to - position} bytes are left`;
      walk.damage(position, to, { code: "truncated", severity: "loss", message }, now.time);
    } else if (size === null) {
      const message = `a packet at ${at} is cut off: ${to - position} bytes are left`;
      walk.damage(position, to, { code: "truncated", severity: "loss", message }, now.time);
    } else {
      const message = `${what}, size ${size}); ${to - position} bytes skipped to the next packet`;
      walk.damage(position, to, { code: "bad-packet", severity: "damage", message }, now.time);
    }
    return to;
  }

  /**
   * Which frame the packets at `place` behind damage belong to: the one before it, or one whose start is lost. False
   * when a larger window must tell.
   */
  #goOn(walk: Walk, place: number, mayGrow: boolean): boolean {
    const { view } = walk;
    const now = this.#now;
    const { place: next, isReached } = this.#judge.nextStart(walk, place);
    if (next === MORE && mayGrow) return false;
    const id = walk.bytes[place]!;
    const payload = next + PACKET_HEADER_BYTES;
    const stored = next > 0 ? view.getFloat64(payload + 16, true) : Number.NaN;
    const after = isElapsed(stored) ? stored : Number.NaN;
    const number = next > 0 ? frameNumber(view, payload) : Number.NaN;
    const isFollowing = number > now.frame && number - now.frame <= MANY_FRAMES;
    const lost = isFollowing && after >= 0 ? number - now.frame - 1 : Number.NaN;
    let isSame = now.isOpen && (rankOf(id) < 0 || rankOf(id) > now.rank);
    if (lost === 0) isSame = true;
    else if (isReached && lost > 0) isSame = false;
    if (isSame) return true;
    // One frame's start was lost: it began when the one before ended. Of several, the last lasted as long as that one.
    let elapsed = now.elapsed + (Number.isNaN(now.duration) ? 0 : now.duration);
    if (lost > 1 && after >= elapsed) elapsed = Math.max(elapsed, after - (now.duration > 0 ? now.duration : 0));
    else if (lost === 1 && elapsed > after) elapsed = Math.min(now.elapsed, after);
    now.frame = lost > 0 ? number - 1 : now.frame + 1;
    now.duration = after >= elapsed ? after - elapsed : Number.NaN;
    now.elapsed = elapsed;
    now.time = Math.round(elapsed * 1e9);
    now.isOpen = true;
    return true;
  }
}

/** Seconds; NaN when not known or impossible. */
function durationAt(view: DataView, payload: number): number {
  const duration = view.getFloat64(payload + 8, true);
  return duration >= 0 && isDuration(duration) ? duration : Number.NaN;
}

function rankOf(id: number): number {
  return id < RANKS.length ? RANKS[id]! : -1;
}

function frameNumber(view: DataView, payload: number): number {
  return view.getUint32(payload, true) + view.getUint32(payload + 4, true) * 0x1_0000_0000;
}

/**
 * The elapsed seconds of a frame: what it says, unless that cannot be, or what it says fits neither of its neighbours
 * while they fit each other. Neighbours: `expected` and `before` by the one before, `after` by the next; NaN: not known.
 * `isLate`: by its number, frames between it and the one before are missing.
 */
function believe(
  elapsed: number,
  duration: number,
  expected: number,
  before: number,
  after: number,
  isLate: boolean,
): number {
  const byNext = after - duration;
  if (isElapsed(elapsed)) {
    if (Number.isNaN(expected)) return elapsed > after && isElapsed(byNext) ? byNext : elapsed;
    if (Number.isNaN(after)) return elapsed;
    const skipsIt = Math.abs(expected - byNext) <= NEAR && Math.abs(elapsed - byNext) > NEAR;
    const isOutside = (elapsed < before || elapsed > after) && expected <= after + NEAR;
    return skipsIt || isOutside ? expected : elapsed;
  }
  if (isElapsed(expected) && !(isLate && byNext >= expected)) return expected;
  return byNext >= before ? byNext : before;
}

function recordKind(id: number): string {
  return PACKET_KINDS[id] ?? `packet-${id}`;
}
