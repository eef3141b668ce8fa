import type { Paints } from "../companion.ts";

/** Colours of what a robot knows of its surroundings. */
export const PAINTS: Paints = {
  free: { light: "#f2f4f5", dark: "#2b343b", layer: 1 },
  occupied: { light: "#5c6b78", dark: "#9fb0bd", layer: 0, isTall: true },
};
