import type { Walk } from "../../../model/flat.ts";
import { FRAME_END, FRAME_START, FRAME_START_BYTES, PACKET_HEADER_BYTES, PACKET_KINDS } from "../layout/layout.ts";
import { LONGEST_DURATION, LONGEST_ELAPSED } from "../layout/times.ts";

/** Packets are shorter than this, or their size is damaged. */
const LONGEST_PACKET = 31 << 20;

/** Bytes in which packets of any length are looked for that end where others begin. */
const LONGEST_LOOSE = 1 << 16;

/** Answers to a question about bytes that may lie behind the window. */
export const NO = -1;
export const MORE = 0;
export const YES = 1;
export type Answer = typeof NO | typeof MORE | typeof YES;

/** Record widths a list packet may have, by packet id; null where records differ in length. */
const WIDTHS: readonly (readonly number[] | null)[] = PACKET_KINDS.map((kind) => {
  switch (kind) {
    case "event-del":
      return [4];
    case "event-parent":
    case "anim-walker":
    case "vehicle-light":
      return [8];
    case "collision":
      return [14];
    case "position":
    case "kinematics":
    case "bounding-box":
    case "trigger-volume":
      return [28, 52];
    case "state":
      return [10];
    case "anim-vehicle":
      return [21];
    case "scene-light":
      return [26];
    case "traffic-light-time":
      return [16];
    default:
      return null;
  }
});

/** Bytes that a record of ids 2, 15, 19 and 21 to 24 has at least: with strings and lists empty (spec §4). */
const LEAST: readonly number[] = Array.from({ length: 25 }, (_, id) => {
  if (id === 2) return 37;
  if (id === 15) return 69;
  if (id === 19 || id === 21) return 6;
  return id > 20 ? 6 : 0;
});

/** Widths that the records of a list may have; null where they differ in length, or there are none. */
export function listWidths(id: number): readonly number[] | null {
  return WIDTHS[id] ?? null;
}

function isTimePacket(id: number): boolean {
  return id === 14 || id === 18 || id === 20;
}

/**
 * False when a known packet cannot have this size (spec §4); ids that are not known may have any. Of the payload, only
 * the count is looked at.
 */
export function isPlausible(id: number, view: DataView, payload: number, size: number): boolean {
  if (id === FRAME_START) return size === FRAME_START_BYTES;
  if (id === FRAME_END) return size === 0;
  if (isTimePacket(id)) return size === 8;
  if (id > 24) return true;
  if (size < 2) return false;
  const total = view.getUint16(payload, true);
  const widths = WIDTHS[id];
  if (widths === null || widths === undefined) {
    return total === 0 ? size === 2 || size > 65535 * LEAST[id]! : size - 2 >= total * LEAST[id]!;
  }
  // More than 65535 records: the writer cut the count to 16 bits (spec §3).
  if (size - 2 > 65535 * widths[0]!) return true;
  return total === 0 ? size === 2 : (size - 2) % total === 0 && (size - 2) / total >= widths[0]!;
}

/**
 * How much a plausible packet's size speaks for it being one: 0 where sizes vary and prove nothing, 3 where they prove
 * it alone.
 */
function evidence(id: number, view: DataView, payload: number, size: number): number {
  if (id === FRAME_END || isTimePacket(id)) return 1;
  if (id > 24) return 0;
  if (size === 2) return 2;
  const widths = WIDTHS[id];
  if (widths === null || widths === undefined) return 0;
  const width = (size - 2) / view.getUint16(payload, true);
  return width === widths[0] || width === widths[1] ? 3 : 0;
}

/** Whether a frame start has a small number and sane times. */
export function isFrameStart(view: DataView, payload: number): boolean {
  if (view.getUint32(payload + 4, true) !== 0) return false;
  return isDuration(view.getFloat64(payload + 8, true)) && isElapsed(view.getFloat64(payload + 16, true));
}

/** Also not with times that are never measured. */
function isSaneStart(view: DataView, payload: number): boolean {
  if (!isFrameStart(view, payload)) return false;
  return !isTiny(view.getFloat64(payload + 8, true)) && !isTiny(view.getFloat64(payload + 16, true));
}

/** Whether two of number, duration and elapsed time are what those of a frame may be: one may be damaged. */
function isLikelyStart(view: DataView, payload: number): boolean {
  const duration = view.getFloat64(payload + 8, true);
  const elapsed = view.getFloat64(payload + 16, true);
  let sane = view.getUint32(payload + 4, true) === 0 ? 1 : 0;
  if (isDuration(duration) && !isTiny(duration)) sane++;
  if (isElapsed(elapsed) && !isTiny(elapsed)) sane++;
  return sane >= 2;
}

function isTiny(seconds: number): boolean {
  return seconds !== 0 && Math.abs(seconds) < 1e-9;
}

/** Seconds until the next frame; -1 in the last (spec §4.0). */
export function isDuration(seconds: number): boolean {
  return seconds === -1 || (seconds >= 0 && seconds < LONGEST_DURATION);
}

export function isElapsed(seconds: number): boolean {
  return seconds >= 0 && seconds <= LONGEST_ELAPSED;
}

/** Judges what is a packet, for one file. */
export class PacketJudge {
  /** Ids that have occurred: one that has not is nothing to go on. */
  readonly #isKnown: (id: number) => boolean;
  /** What looking for a frame start gave last. */
  #looked: { readonly bytes: Uint8Array; readonly from: number; readonly place: number } = {
    bytes: new Uint8Array(0),
    from: 0,
    place: -1,
  };

  constructor(isKnown: (id: number) => boolean) {
    this.#isKnown = isKnown;
  }

  /**
   * Bytes of the packet at `position`, header included; `MORE` when that shows only in a larger window, `NO` when there
   * is none. `mayGrow`: a larger window can be had.
   */
  measure(walk: Walk, position: number, mayGrow: boolean): number {
    const { bytes, view, end } = walk;
    const isWhole = walk.fits(position, PACKET_HEADER_BYTES);
    if (isWhole !== YES) return isWhole;
    const size = view.getUint32(position + 1, true);
    const length = PACKET_HEADER_BYTES + size;
    const fits = size > LONGEST_PACKET ? NO : walk.fits(position, length);
    if (fits === NO) return NO;
    const payload = position + PACKET_HEADER_BYTES;
    if (size >= 2 && payload + 2 > end) return MORE;
    const id = bytes[position]!;
    if (!isPlausible(id, view, payload, size)) return NO;
    if (fits === MORE) return MORE;
    if (id === FRAME_START) {
      if (isSaneStart(view, payload)) return length;
    } else if (evidence(id, view, payload, size) > 0) return length;
    const landing = this.#follows(walk, position + length);
    if (landing === YES) return length;
    if (landing === MORE) return mayGrow ? MORE : length;
    // What follows is no packet. Either it is damaged, or this one's size is: then packets lie within.
    if (id === FRAME_START || (id > 24 && !this.#isKnown(id))) return NO;
    return this.search(walk, position + 1, position + length).place >= 0 ? NO : length;
  }

  /** Whether packets go on at `next`. */
  #follows(walk: Walk, next: number): Answer {
    const { bytes, view, end, limit, origin } = walk;
    let at = next;
    for (let hop = 0; hop < 8; hop++) {
      if (origin + at === limit) return YES;
      const isWhole = walk.fits(at, PACKET_HEADER_BYTES);
      if (isWhole !== YES) return isWhole;
      const id = bytes[at]!;
      const size = view.getUint32(at + 1, true);
      const payload = at + PACKET_HEADER_BYTES;
      const fits = size > LONGEST_PACKET ? NO : walk.fits(at, PACKET_HEADER_BYTES + size);
      if (fits === NO) return NO;
      if (size >= 2 && payload + 2 > end) return MORE;
      if (!isPlausible(id, view, payload, size)) return NO;
      if (id === FRAME_START && fits === YES) return isSaneStart(view, payload) ? YES : NO;
      if (id !== FRAME_START && evidence(id, view, payload, size) > 0) return YES;
      if (fits === MORE) return MORE;
      at = payload + size;
    }
    return YES;
  }

  /**
   * The first place in `[from, to)` at which packets begin for certain, -1 when there is none; and the first before it,
   * or -1, of which only a larger window tells.
   */
  search(walk: Walk, from: number, to: number): { readonly place: number; readonly doubtful: number } {
    let doubtful = -1;
    for (let at = from; at < to; at++) {
      const id = walk.bytes[at]!;
      if (id > 24 && !this.#isKnown(id)) continue;
      const answer = this.#begins(walk, at);
      if (answer === YES) return { place: this.#looseBefore(walk, from, at), doubtful };
      if (answer === MORE && doubtful < 0) doubtful = at;
    }
    return { place: -1, doubtful };
  }

  /** Packets whose size proves nothing show by ending where certain ones begin. */
  #looseBefore(walk: Walk, from: number, place: number): number {
    const { bytes, view } = walk;
    let first = place;
    for (let at = place - PACKET_HEADER_BYTES; at >= from && place - at < LONGEST_LOOSE; at--) {
      const id = bytes[at]!;
      const size = first - at - PACKET_HEADER_BYTES;
      if (size < 0 || view.getUint32(at + 1, true) !== size) continue;
      if (id > 24 ? !this.#occursBehind(walk, place, id) : WIDTHS[id] !== null || size <= 2) continue;
      const payload = at + PACKET_HEADER_BYTES;
      if (!isPlausible(id, view, payload, size)) continue;
      if (id !== FRAME_START || isLikelyStart(view, payload)) first = at;
    }
    return first;
  }

  /** Whether one of the packets from `place` on has that id: private ones come again. */
  #occursBehind(walk: Walk, place: number, id: number): boolean {
    const { bytes, view, end } = walk;
    let at = place;
    for (let hop = 0; hop < 256 && at + PACKET_HEADER_BYTES + 2 <= end; hop++) {
      if (bytes[at] === id) return true;
      const size = view.getUint32(at + 1, true);
      if (!isPlausible(bytes[at]!, view, at + PACKET_HEADER_BYTES, size)) return false;
      at += PACKET_HEADER_BYTES + size;
    }
    return false;
  }

  /**
   * Whether packets begin at `place`, amid bytes that may be anything: their sizes must speak for it, one packet after
   * the other, or a frame must start, or the file must end behind a frame's end.
   */
  #begins(walk: Walk, place: number): Answer {
    const { bytes, view, end, limit, origin } = walk;
    let weight = 0;
    let previous = -1;
    let at = place;
    for (let hop = 0; hop < 12; hop++) {
      if (origin + at === limit) return previous === FRAME_END ? YES : NO;
      const isWhole = walk.fits(at, PACKET_HEADER_BYTES);
      if (isWhole === NO) return weight >= 2 ? YES : NO;
      if (isWhole === MORE) return MORE;
      const id = bytes[at]!;
      if (id > 24 && !this.#isKnown(id)) return NO;
      const size = view.getUint32(at + 1, true);
      const payload = at + PACKET_HEADER_BYTES;
      const fits = size > LONGEST_PACKET ? NO : walk.fits(at, PACKET_HEADER_BYTES + size);
      // The file may be cut off in this packet.
      if (fits === NO) return weight >= 2 && id <= 24 && size <= LONGEST_PACKET ? YES : NO;
      if (size >= 2 && payload + 2 > end) return MORE;
      if (!isPlausible(id, view, payload, size)) return NO;
      // Behind a frame's end a frame starts.
      if (previous === FRAME_END && id !== FRAME_START && id <= 24) return NO;
      if (id === FRAME_START) return this.#startsFrame(walk, at);
      weight += evidence(id, view, payload, size);
      if (weight >= 3) return YES;
      if (fits === MORE) return MORE;
      previous = id;
      at = payload + size;
    }
    return NO;
  }

  /**
   * The next frame start from `from` on, packet by packet, and from where that fails by looking for one. `place` is
   * `NO` (-1) when there is none, `MORE` (0) when the window ends before. `isReached`: packets lead there without a
   * gap.
   */
  nextStart(walk: Walk, from: number): { readonly place: number; readonly isReached: boolean } {
    const { bytes, view, end } = walk;
    const unseen = { place: MORE, isReached: false };
    let at = from;
    /** Behind the start of the last packet, which may be none. */
    let within = from;
    for (;;) {
      const isWhole = walk.fits(at, PACKET_HEADER_BYTES);
      if (isWhole === MORE) return unseen;
      if (isWhole === NO) break;
      const id = bytes[at]!;
      const size = view.getUint32(at + 1, true);
      const payload = at + PACKET_HEADER_BYTES;
      const fits = size > LONGEST_PACKET ? NO : walk.fits(at, PACKET_HEADER_BYTES + size);
      if (fits === NO) break;
      if (size >= 2 && payload + 2 > end) return unseen;
      if (!isPlausible(id, view, payload, size)) break;
      if (fits === MORE) return unseen;
      if (id === FRAME_START) return { place: at, isReached: true };
      within = at + 1;
      at = payload + size;
    }
    const place = this.#lookForStart(walk, within);
    if (place >= 0) return { place, isReached: false };
    return walk.isLast ? { place: NO, isReached: false } : unseen;
  }

  /** The first place from `from` on that looks like a frame start, -1 when the window has none. */
  #lookForStart(walk: Walk, from: number): number {
    const { bytes, end } = walk;
    const looked = this.#looked;
    // Where there is damage upon damage, the same bytes are not searched again.
    if (looked.bytes === bytes && from >= looked.from && (looked.place < 0 || from <= looked.place))
      return looked.place;
    const last = end - PACKET_HEADER_BYTES - FRAME_START_BYTES;
    let place = from <= last ? bytes.indexOf(FRAME_START, from) : -1;
    while (place >= 0 && place <= last) {
      if (bytes[place + 1] === FRAME_START_BYTES && this.#startsFrame(walk, place) === YES) break;
      place = bytes.indexOf(FRAME_START, place + 1);
    }
    if (place > last) place = -1;
    this.#looked = { bytes, from, place };
    return place;
  }

  /**
   * Whether a frame starts at `place`, amid bytes that may be anything: its times must be sane, and a packet follow it;
   * or they must be what those of a running frame are.
   */
  #startsFrame(walk: Walk, place: number): Answer {
    const fits = walk.fits(place, PACKET_HEADER_BYTES + FRAME_START_BYTES);
    if (fits !== YES) return fits;
    const { view } = walk;
    const payload = place + PACKET_HEADER_BYTES;
    if (view.getUint32(place + 1, true) !== FRAME_START_BYTES || !isSaneStart(view, payload)) return NO;
    const duration = view.getFloat64(payload + 8, true);
    const elapsed = view.getFloat64(payload + 16, true);
    if (view.getUint32(payload, true) > 0 && elapsed > 0 && duration !== 0 && duration < 60) return YES;
    return this.#follows(walk, payload + FRAME_START_BYTES);
  }
}
