import type { Gaze } from "../../src/gaze.ts";

/** Where a place of the recording, z up, is in a picture so many times as wide as it is high: by the book, from nothing of the page. */
export function projected(
  { position, target, field }: Gaze,
  place: readonly number[],
  aspect: number,
): { readonly x: number; readonly y: number } {
  const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, k) => value - b[k]!);
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, k) => sum + value * b[k]!, 0);
  const unit = (a: readonly number[]): number[] => a.map((value) => value / Math.hypot(...a));
  const ahead = unit(minus(target, position));
  const right = unit([ahead[1]!, -ahead[0]!, 0]);
  const up = [
    right[1]! * ahead[2]! - right[2]! * ahead[1]!,
    right[2]! * ahead[0]! - right[0]! * ahead[2]!,
    right[0]! * ahead[1]! - right[1]! * ahead[0]!,
  ];
  const way = minus(place, position);
  const half = Math.tan(((field ?? 0) * Math.PI) / 360) * dot(way, ahead);
  return { x: (1 + dot(way, right) / half / aspect) / 2, y: (1 - dot(way, up) / half) / 2 };
}
