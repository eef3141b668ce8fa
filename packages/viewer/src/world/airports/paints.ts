import type { Paints } from "../companion.ts";

/** Colours of runways: marks lie over them, and all over terrain. */
export const PAINTS: Paints = {
  asphalt: { light: "#6b6f74", dark: "#42474c", layer: 2 },
  concrete: { light: "#a3a49f", dark: "#6a6c69", layer: 2 },
  turf: { light: "#86ad6a", dark: "#456a42", layer: 2 },
  earth: { light: "#b0946c", dark: "#75634a", layer: 2 },
  gravel: { light: "#9c978d", dark: "#646058", layer: 2 },
  water: { light: "#7fabc6", dark: "#2a5470", layer: 2 },
  snow: { light: "#f2f5f7", dark: "#b9c1c7", layer: 2 },
  overrun: { light: "#84878b", dark: "#33383c", layer: 2 },
  mark: { light: "#fbfbf8", dark: "#e4e5e0", layer: 3 },
};
