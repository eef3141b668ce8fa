import type { Time } from "simtape";
import type { TimeScale } from "../clock.ts";

/** The part of a recording that is seen. */
export interface Window {
  readonly start: Time;
  readonly end: Time;
}

/** Shortest part that is shown: a microsecond. */
const SHORTEST = 1e3;

/** Whether a recording is no longer than that: there is nothing to measure. */
export function isMoment({ start, end }: Window): boolean {
  return end - start <= SHORTEST;
}

/** All of a recording; of one moment a part that can be seen. */
export function wholeOf({ start, end }: Window): Window {
  return { start, end: Math.max(end, start + SHORTEST) };
}

/** Whether something kept is one. */
export function isWindow(value: unknown): value is Window {
  const { start, end } = (value ?? {}) as Partial<Record<keyof Window, unknown>>;
  return Number.isFinite(start) && Number.isFinite(end) && (start as number) < (end as number);
}

/** Inside `all`, as long as it was where that is possible. */
export function clamped({ start, end }: Window, all: Window): Window {
  const whole = Math.max(SHORTEST, all.end - all.start);
  const length = Math.min(whole, Math.max(SHORTEST, end - start));
  const from = Math.min(Math.max(start, all.start), all.start + whole - length);
  return { start: from, end: from + length };
}

/** Longer by `factor` (shorter below 1), with `at` staying where it is on the screen. */
export function zoomed({ start, end }: Window, at: Time, factor: number, all: Window): Window {
  return clamped({ start: at - (at - start) * factor, end: at + (end - at) * factor }, all);
}

/** What two fingers make of it: the times they took hold of stay below them. Fingers may pass each other. */
export function pinched(
  [a, b]: readonly [Time, Time],
  [x, y]: readonly [number, number],
  width: number,
  all: Window,
): Window {
  const apart = Math.max(1, Math.abs(y - x));
  const perPixel = Math.max(SHORTEST / width, Math.abs(b - a) / apart);
  const start = Math.min(a, b) - Math.min(x, y) * perPixel;
  return clamped({ start, end: start + width * perPixel }, all);
}

/** By `parts` of its own length. */
export function panned({ start, end }: Window, parts: number, all: Window): Window {
  const by = (end - start) * parts;
  return clamped({ start: start + by, end: end + by }, all);
}

/** Where `time` is on `width` pixels. */
export function pixelOf(time: Time, { start, end }: Window, width: number): number {
  return ((time - start) / (end - start)) * width;
}

export function timeOf(pixel: number, { start, end }: Window, width: number): Time {
  return start + (pixel / width) * (end - start);
}

/** Steps of seconds that people count in; below one and above an hour powers of ten are used. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** Times for a ruler, at least `apart` pixels from each other, and how many digits behind the point tell them apart. */
export function rulerOf(
  window: Window,
  width: number,
  apart: number,
  { origin, step: own }: Pick<TimeScale, "origin" | "step"> = { origin: 0, step: null },
): { times: Time[]; digits: number } {
  const unit = own ?? 1e9;
  const least = ((window.end - window.start) / unit / Math.max(1, width)) * apart;
  const power = powerStep(least);
  const count = own === null ? (STEPS.find((step) => step >= least && least > 0.5) ?? power) : Math.max(1, power);
  const step = count * unit;
  const times: Time[] = [];
  const first = Math.ceil((window.start - origin) / step);
  for (let n = first; origin + n * step <= window.end; n++) times.push(origin + n * step);
  return { times, digits: Math.min(9, Math.max(0, Math.ceil(-Math.log10(count) - 1e-9))) };
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function powerStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => power * factor >= least * (1 - 1e-9)) ?? 10);
}
