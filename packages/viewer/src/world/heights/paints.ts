import type { Paints } from "../companion.ts";

/** As on maps: the higher, the browner, then white. Names as `bandOf` gives them. */
const COLORS: readonly (readonly [light: string, dark: string])[] = [
  ["#a9c9dc", "#1d3a4d"],
  ["#b5cfa6", "#33503a"],
  ["#c3d3a3", "#3f553a"],
  ["#d3d3a0", "#4c5739"],
  ["#d9c994", "#5a5538"],
  ["#cfb283", "#645138"],
  ["#bf9a76", "#68503f"],
  ["#b39488", "#6d5a52"],
  ["#d2cbc8", "#8b8684"],
  ["#f2f4f5", "#c9ced1"],
];

export const PAINTS: Paints = Object.fromEntries(
  COLORS.map(([light, dark], i) => [`height-${i}`, { light, dark, layer: 1 }]),
);
