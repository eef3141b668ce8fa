import type { Paints } from "../companion.ts";

/** Calm colours, so that what moves on the roads stands out. Layers: see `Paint`. */
export const PAINTS: Paints = {
  land: { light: "#c9cfc4", dark: "#222a2a", layer: 1 },
  fill: { light: "#979ea3", dark: "#3a4147", layer: 1 },
  verge: { light: "#a9b795", dark: "#2e3b30", layer: 2 },
  walk: { light: "#c6c4bd", dark: "#565c60", layer: 2 },
  shoulder: { light: "#a3a9ac", dark: "#434a50", layer: 3 },
  parking: { light: "#8f979d", dark: "#3f474e", layer: 3 },
  cycle: { light: "#b08d80", dark: "#57423c", layer: 3 },
  rail: { light: "#a49b8e", dark: "#47433d", layer: 3 },
  road: { light: "#979ea3", dark: "#3a4147", layer: 4 },
  kerb: { light: "#d9d8d3", dark: "#73797d", layer: 0 },
  "mark-white": { light: "#f6f7f5", dark: "#b9c0c4", layer: 5 },
  "mark-yellow": { light: "#efc24a", dark: "#b3913a", layer: 5 },
  "mark-blue": { light: "#5c90d2", dark: "#4a74a8", layer: 5 },
  "mark-red": { light: "#cf6a5c", dark: "#a0554b", layer: 5 },
  "mark-green": { light: "#6faf72", dark: "#55875a", layer: 5 },
  "mark-orange": { light: "#e39a4e", dark: "#b0793f", layer: 5 },
  post: { light: "#87919a", dark: "#7d878f", layer: 0, isTall: true, unless: "traffic-signs" },
  plate: { light: "#eef1f3", dark: "#c3cacf", layer: 0, isTall: true, unless: "traffic-signs" },
  "plate-red": { light: "#cc4a40", dark: "#b0443b", layer: 0, isTall: true, unless: "traffic-signs" },
  "light-post": { light: "#87919a", dark: "#7d878f", layer: 0, isTall: true, unless: "traffic-lights" },
  "light-head": { light: "#4d565f", dark: "#39414a", layer: 0, isTall: true, unless: "traffic-lights" },
};
