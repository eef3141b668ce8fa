import type { Relief } from "../../world/companion.ts";

/** Height of terrain at a place, as its triangles are drawn: metres; null: it has none there. */
export function heightAt(
  { width, height, heights, north, west, step: [south, east] }: Relief,
  latitude: number,
  longitude: number,
): number | null {
  const [x, y] = [(longitude - west) / east, (north - latitude) / south];
  const [column, row] = [Math.min(width - 2, Math.floor(x)), Math.min(height - 2, Math.floor(y))];
  if (!(x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1)) return null;
  const [u, v] = [x - column, y - row];
  const at = row * width + column;
  // one triangle has the north-western corner, the other the south-eastern one
  const [corner, a, b] =
    u + v <= 1
      ? [heights[at]!, u * (heights[at + 1]! - heights[at]!), v * (heights[at + width]! - heights[at]!)]
      : [
          heights[at + width + 1]!,
          (1 - u) * (heights[at + width]! - heights[at + width + 1]!),
          (1 - v) * (heights[at + 1]! - heights[at + width + 1]!),
        ];
  const value = corner + a + b;
  return Number.isNaN(value) ? null : value;
}
