import type { Time, Timeline } from "simtape";
import type { Ask } from "../protocol.ts";
import { parseTime } from "../time.ts";

/** A length of time as people type it: `50ms`, `1.5` (seconds). Null: it is none, or no time at all. */
export function parseInterval(text: string, timeline: Timeline): Time | null {
  if (!/^\d+(\.\d+)?[a-z\d.]*$/i.test(text.trim())) return null;
  const time = parseTime(text, timeline, 0);
  return time !== null && Math.round(time) > 0 ? Math.round(time) : null;
}

/** `48.35,11.79,450,90`: latitude and longitude, and where they are given altitude and heading. Null: it is none. */
export function parseOrigin(text: string): Ask<"export">["origin"] {
  const parts = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (parts.length < 2 || parts.length > 4 || !parts.every(Number.isFinite)) return null;
  const [latitude, longitude, ...more] = parts as [number, number, number?, number?];
  return Math.abs(latitude) > 90 || Math.abs(longitude) > 180
    ? null
    : ([latitude, longitude, ...more] as unknown as Ask<"export">["origin"]);
}

/** `24, 31`: ids with commas between; null: none, which is all things. */
export function parseIds(text: string): readonly string[] | null {
  const ids = text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  return ids.length === 0 ? null : ids;
}
