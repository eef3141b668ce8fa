import type { FlatLayout, Walk } from "simtape/kit";
import { stampOf, timeOf, type Zero } from "./clock.ts";
import {
  CHANNELS,
  channelOf,
  CR,
  judge,
  LF,
  PROPRIETARY,
  readSentence,
  type Sentence,
  sentenceWithin,
} from "./sentence.ts";

/** No line is longer; the standard has 82. */
const LONGEST = 4096;

/** Whether a sentence only says the time: it is a record, but no message. */
export function isMarker({ talker, formatter }: Sentence): boolean {
  return talker === "P" && formatter === "SIMT";
}

/** Where the line at a place ends, behind its line ending; 0: behind the window. */
export function lineEnd({ bytes, end, isLast }: Pick<Walk, "bytes" | "end" | "isLast">, start: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === LF) return at + 1;
    if (byte === CR) {
      // It may be the first half of a line ending.
      if (at + 1 < end) return bytes[at + 1] === LF ? at + 2 : at + 1;
      return isLast ? end : 0;
    }
    if (at - start >= LONGEST) return at;
  }
  return isLast ? end : 0;
}

/** Finds sentences, lines of other programs and damage in a window. What is carried is the time of the last sentence. */
export function layoutOf(zero: Zero): FlatLayout {
  return {
    walk(walk) {
      const { bytes } = walk;
      let at = walk.start;
      let now = walk.carried;
      while (at < walk.end) {
        const end = lineEnd(walk, at);
        if (end === 0) break;
        const kind = judge(bytes, at, end);
        if (kind === "sentence") {
          const sentence = readSentence(bytes, at, end);
          const stamp = stampOf(sentence);
          if (stamp !== null) now = timeOf(stamp, zero, now);
          const channel = channelOf(sentence);
          if (channel === PROPRIETARY && isMarker(sentence)) walk.record("time", at, end);
          else {
            walk.record(CHANNELS[channel]!, at, end);
            walk.message(now, channel, at, end);
          }
          at = end;
          continue;
        }
        // A prefix of a logger, or a line that another was written over.
        const within = sentenceWithin(bytes, at, end);
        const until = within < 0 ? end : within;
        if (kind === "text" || (within > 0 && judge(bytes, at, within) === "text")) walk.record("text", at, until);
        else {
          const isEnd = walk.origin + until === walk.limit;
          const message = isEnd ? "the last sentence is cut off or damaged" : "a sentence with a wrong checksum";
          walk.damage(at, until, { code: isEnd ? "truncated" : "damaged-bytes", severity: "damage", message }, now);
        }
        at = until;
      }
      walk.handOver(now);
      return at;
    },
  };
}

/** What time 0 is: the first time of day, and its date by the first date that follows. Null: no sentence says the time. */
export function zeroIn(bytes: Uint8Array): Zero | null {
  let zero: Zero | null = null;
  let now = 0;
  const window = { bytes, end: bytes.length, isLast: true };
  for (let at = 0; at < bytes.length; ) {
    const end = lineEnd(window, at);
    const from = judge(bytes, at, end) === "sentence" ? at : sentenceWithin(bytes, at, end);
    at = end;
    if (from < 0) continue;
    const stamp = stampOf(readSentence(bytes, from, end));
    if (stamp === null) continue;
    zero ??= { ofDay: stamp.ofDay, day: null };
    now = timeOf(stamp, zero, now);
    if (stamp.day === null) continue;
    return { ofDay: zero.ofDay, day: stamp.day - Math.floor((zero.ofDay + now) / 86_400e9) };
  }
  return zero;
}
