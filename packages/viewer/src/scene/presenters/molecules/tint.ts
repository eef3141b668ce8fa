import { Color } from "three";
import type { EntitySet } from "simtape";
import { numberAt } from "../cells.ts";

const MINE = new Color();

/**
 * Colour of one thing as it is recorded, of numbers to 1 or bytes; `fallback` when it says none. Valid until the next
 * call.
 */
export function tintOf(set: EntitySet, row: number, fallback: Color): Color {
  const column = set.columns.get("color");
  const red = numberAt(set, "color", row);
  if (column === undefined || !Number.isFinite(red)) return fallback;
  const scale = column.data instanceof Uint8Array ? 1 / 255 : 1;
  return MINE.setRGB(
    red * scale,
    numberAt(set, "color", row, 1) * scale,
    numberAt(set, "color", row, 2) * scale,
    "srgb",
  );
}
