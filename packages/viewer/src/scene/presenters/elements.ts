import { Color } from "three";

/** Colours of elements by atomic number, after Corey, Pauling and Koltun as Jmol has them; others are pink. */
const COLORS: Readonly<Record<number, string>> = {
  1: "#f2f2f2",
  2: "#d9ffff",
  3: "#cc80ff",
  5: "#ffb5b5",
  6: "#6d747b",
  7: "#3f62f0",
  8: "#f0322d",
  9: "#90e050",
  11: "#ab5cf2",
  12: "#8aff00",
  14: "#f0c8a0",
  15: "#ff8000",
  16: "#f5d327",
  17: "#1ff01f",
  19: "#8f40d4",
  20: "#3dff00",
  26: "#e06633",
  29: "#c88033",
  30: "#7d80b0",
  35: "#a62929",
  53: "#940094",
  79: "#ffd123",
};

/** Van der Waals radii in nm (Bondi 1964); 0.17 for others. */
const RADII: Readonly<Record<number, number>> = {
  1: 0.11,
  2: 0.14,
  6: 0.17,
  7: 0.155,
  8: 0.152,
  9: 0.147,
  14: 0.21,
  15: 0.18,
  16: 0.18,
  17: 0.175,
  35: 0.185,
  53: 0.198,
};

/** A ball beside its bonds is so much of the van der Waals radius. */
const BALL = 0.28;
const OTHER = new Color("#e58fb6");
const made = new Map<number, Color>();

export function elementColor(element: number): Color {
  const name = COLORS[element];
  if (name === undefined) return OTHER;
  let color = made.get(element);
  if (color === undefined) {
    color = new Color(name);
    made.set(element, color);
  }
  return color;
}

/** nm */
export function ballRadius(element: number): number {
  return BALL * (RADII[element] ?? 0.17);
}
