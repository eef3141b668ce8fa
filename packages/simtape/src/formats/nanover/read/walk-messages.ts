import { hex, LayoutError } from "../../../bytes/error.ts";
import { KEYFRAME } from "../../../model/messages/batch.ts";
import type { FlatLayout, Walk } from "../../../model/flat.ts";
import type { Time } from "../../../model/values/time.ts";
import { FRAME } from "../layout/layout.ts";
import { isMessageStart, type MessageOutline, outlineOf, valueEnd } from "../layout/messagepack.ts";
import type { Overview } from "./overview.ts";
import type { MessageList } from "./realign.ts";
import type { Types } from "../layout/types.ts";

/** Time from one message to the next where nothing tells: the most a server sends of each kind is 30 a second (semantics §5.1). */
const ASSUMED_STEP: Time = Math.round(1e9 / 30);

/** What is known of time at a place in the file. */
interface Moment {
  /** Time of the last message; null before the first. */
  readonly time: Time | null;
  /** `server.timestamp` at time 0, in seconds; null before the first. */
  readonly origin: number | null;
  readonly hasFrame: boolean;
}

const NOTHING_YET: Moment = { time: null, origin: null, hasFrame: false };

/** What a walk knows beforehand. */
export interface WalkOptions {
  /** Frames have a `server.timestamp`. */
  readonly isTimed: boolean;
  /** Messages and their times; absent: they are found. */
  readonly list?: MessageList | undefined;
  /** Called with each message that is found, once: its place and the place behind it. */
  readonly onMessage?: ((offset: number, end: number) => void) | undefined;
}

/**
 * Walks messages one after another: MessagePack values (spec §4, recovery). Times are those of the list; where there is
 * none, or behind its last, those of the server inside frames, counted from the first or from the last known; a message
 * without one takes that of the message before. Where no frame has one, messages are `ASSUMED_STEP` apart.
 */
export class MessageWalk implements FlatLayout {
  readonly #types: Types;
  readonly #overview: Overview;
  readonly #options: WalkOptions;
  /** By file offset: at the start of each window and behind each damage, so that walking again gives the same times. */
  readonly #moments = new Map<number, Moment>();
  /** File offset up to which the overview has seen messages. */
  #seen = 0;

  constructor(types: Types, overview: Overview, options: WalkOptions) {
    this.#types = types;
    this.#overview = overview;
    this.#options = options;
  }

  walk(walk: Walk): number {
    const { bytes, origin } = walk;
    let moment = this.#moments.get(origin + walk.start) ?? NOTHING_YET;
    let position = walk.start;
    while (position < walk.end) {
      const end = this.#measure(walk, position);
      if (end === 0) break;
      let outline = end < 0 ? null : outlined(bytes, position, end);
      const time = this.#options.list?.timeAt(origin + position) ?? Number.POSITIVE_INFINITY;
      if (outline !== null && !outline.types.some((type) => KNOWN_TYPES.includes(type))) {
        // What is left of a damaged message looks like one of another kind; a real one is followed by one that is known.
        if (end + KNOWN_START_BYTES > walk.end && !walk.isLast) break;
        if (end < walk.end && !isKnownStart(bytes, end)) outline = null;
      }
      if (Number.isNaN(time) || (outline !== null && isIndexEntry(outline))) outline = null;
      if (outline === null) {
        const next = findMessage(bytes, position + 1, walk.end, walk.isLast);
        const place = hex(origin + position);
        const isCut = origin + next === walk.limit && isMessageStart(bytes, position, walk.end);
        const message = isCut
          ? `messages end inside one at ${place}: ${next - position} bytes of it are there`
          : `no message at ${place}: ${next - position} bytes passed over`;
        walk.damage(position, next, { code: isCut ? "truncated" : "bad-message", severity: "damage", message });
        position = next;
        this.#moments.set(origin + position, moment);
        continue;
      }
      const hadFrame = moment.hasFrame;
      moment = Number.isFinite(time)
        ? {
            time,
            origin: originOf(outline, time) ?? moment.origin,
            hasFrame: hadFrame || outline.types.includes("frame"),
          }
        : this.#after(moment, outline);
      this.#add(walk, position, end, outline, moment.time ?? 0, hadFrame);
      walk.record("message", position, end);
      position = end;
    }
    this.#moments.set(origin + position, moment);
    return position;
  }

  /** Place behind the message at `position`; 0: only a larger window tells; -1: there is none. */
  #measure(walk: Walk, position: number): number {
    const { bytes, view, end } = walk;
    if (!isMessageStart(bytes, position, end)) return -1;
    const place = valueEnd(view, position, end);
    if (place === 0) return -1;
    if (place < 0) return walk.fits(position, -place - position) === 0 ? 0 : -1;
    // What follows a sound message is another. Where it is not, this one may have swallowed it.
    const isFollowed = place === end || isMessageStart(bytes, place, end);
    if (swallows(bytes, view, position + 1, place, end, isFollowed)) return -1;
    return place;
  }

  #after(before: Moment, outline: MessageOutline): Moment {
    const hasFrame = before.hasFrame || outline.types.includes("frame");
    if (!this.#options.isTimed) {
      return { time: before.time === null ? 0 : before.time + ASSUMED_STEP, origin: null, hasFrame };
    }
    const stamp = outline.serverTimestamp;
    const time = before.time ?? 0;
    if (stamp === null || !Number.isFinite(stamp)) return { time, origin: before.origin, hasFrame };
    const origin = before.origin ?? originOf(outline, time)!;
    const since = Math.round((stamp - origin) * 1e9);
    // A clock that goes back, or leaps further than any recording lasts, is another server's or damaged.
    const isSound = since >= time && since < Number.MAX_SAFE_INTEGER;
    return { time: isSound ? since : time, origin, hasFrame };
  }

  #add(walk: Walk, start: number, end: number, outline: MessageOutline, time: Time, hadFrame: boolean): void {
    const mask = this.#types.mask(outline.types);
    const isFresh = walk.origin + start >= this.#seen;
    if (isFresh) {
      this.#seen = walk.origin + end;
      this.#options.onMessage?.(walk.origin + start, walk.origin + end);
    }
    for (let id = 0; mask >>> id !== 0; id++) {
      if (((mask >>> id) & 1) === 0) continue;
      const isReset = id === FRAME && (outline.frameIndex === 0 || !hadFrame);
      walk.message(time, id, start, end, isReset ? KEYFRAME : 0);
      if (id === FRAME && isFresh && this.#overview.count(outline.frameIndex)) {
        this.#overview.look(walk.bytes.subarray(start, end));
      }
    }
  }
}

/** What the server's clock says at time 0 when it is `time` at this message; null when the message does not tell. */
function originOf({ serverTimestamp }: MessageOutline, time: Time): number | null {
  return serverTimestamp !== null && Number.isFinite(serverTimestamp) ? serverTimestamp - time / 1e9 : null;
}

/** Entries of the index look like messages; where it begins is not always known. */
function isIndexEntry({ types }: MessageOutline): boolean {
  return types.includes("offset") && types.includes("length") && types.includes("metadata");
}

function outlined(bytes: Uint8Array, start: number, end: number): MessageOutline | null {
  try {
    return outlineOf(bytes, start, end);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/** Parts that messages are known to have (spec §4.1). */
const KNOWN_TYPES: readonly string[] = ["frame", "state", "command"];
/** Bytes that tell a message of these. */
const KNOWN_START_BYTES = 9;

/** Names that messages begin with, and the marks in front of them. */
const FIRST_KEYS: readonly (readonly number[])[] = KNOWN_TYPES.map((name) => [
  0xa0 + name.length,
  ...new TextEncoder().encode(name),
]);

/**
 * Whether messages begin in `[from, to)`. When the one that reaches up to `to` is `isFollowed` by another, only those
 * count behind which a third begins: a message may hold a map that looks like one.
 */
function swallows(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  end: number,
  isFollowed: boolean,
): boolean {
  for (let at = findMessage(bytes, from, to, true); at < to; at = findMessage(bytes, at + 1, to, true)) {
    if (!isFollowed) return true;
    const behind = valueEnd(view, at, end);
    if (behind > 0 && behind < end && isKnownStart(bytes, behind)) return true;
  }
  return false;
}

function isKnownStart(bytes: Uint8Array, at: number): boolean {
  const map = bytes[at]!;
  return map > 0x80 && map < 0x90 && FIRST_KEYS.some((key) => key.every((byte, i) => bytes[at + 1 + i] === byte));
}

/** The next place at or after `from` at which a message seems to begin; `end`, or a little before it when more follows. */
function findMessage(bytes: Uint8Array, from: number, end: number, isLast: boolean): number {
  for (let at = from; at < end; at++) {
    const map = bytes[at]!;
    if (map > 0x80 && map < 0x90 && isKnownStart(bytes, at)) return at;
  }
  return isLast ? end : Math.max(from, end - 8);
}

/** Whether a frame among the whole messages in `bytes` tells the server's time. */
export function hasServerTime(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let position = 0; position < bytes.length; ) {
    const end = isMessageStart(bytes, position, bytes.length) ? valueEnd(view, position, bytes.length) : 0;
    const outline = end > 0 ? outlined(bytes, position, end) : null;
    if (outline !== null && outline.serverTimestamp !== null) return true;
    position = outline === null ? findMessage(bytes, position + 1, bytes.length, true) : end;
  }
  return false;
}
