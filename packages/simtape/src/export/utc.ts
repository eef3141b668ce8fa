import type { Timeline } from "../model/values/time.ts";

const MILLION = 1_000_000;
/** Nanoseconds since 1970 that fit 64 bits, with room for the recording: 1677 to 2262, which every reader of times knows. */
const MOST = 1n << 63n;

/** Gives microseconds since 1970 of times of the recording; null where the file does not say when it was, or nothing sensible. */
export function utcOf({ epoch, start, end }: Timeline): ((time: number) => number) | null {
  if (epoch === null || !isKnown(epoch, start) || !isKnown(epoch, end)) return null;
  const rest = BigInt.asUintN(64, ((epoch % 1000n) + 1000n) % 1000n);
  const base = Number((epoch - rest) / 1000n);
  const nanoseconds = Number(rest);
  return (time) => base + Math.floor((nanoseconds + time) / 1000);
}

function isKnown(epoch: bigint, time: number): boolean {
  const at = epoch + BigInt(Math.trunc(time));
  return at > -MOST && at < MOST;
}

/** Microseconds since 1970 as ISO 8601: `2026-11-26T18:50:45.123456Z`. */
export function utcText(microseconds: number): string {
  const second = Math.floor(microseconds / MILLION);
  const rest = microseconds - second * MILLION;
  return `${new Date(second * 1000).toISOString().slice(0, -5)}.${String(rest).padStart(6, "0")}Z`;
}
