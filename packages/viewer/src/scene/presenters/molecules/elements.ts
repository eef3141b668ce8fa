import { Color } from "three";

/** Colours of elements in the order of their numbers, after Corey, Pauling and Koltun as Jmol has them; others are pink. */
const COLORS =
  "ffffff d9ffff cc80ff c2ff00 ffb5b5 7d858c 3050f8 ff0d0d 90e050 b3e3f5 ab5cf2 8aff00 bfa6a6 f0c8a0 ff8000 ffff30 1ff01f 80d1e3 " +
  "8f40d4 3dff00 e6e6e6 bfc2c7 a6a6ab 8a99c7 9c7ac7 e06633 f090a0 50d050 c88033 7d80b0 c28f8f 668f8f bd80e3 ffa100 a62929 5cb8d1 " +
  "702eb0 00ff00 94ffff 94e0e0 73c2c9 54b5b5 3b9e9e 248f8f 0a7d8c 006985 c0c0c0 ffd98f a67573 668080 9e63b5 d47a00 940094 429eb0 " +
  "57178f 00c900";
const NAMES = COLORS.split(" ");

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
  18: 0.188,
  35: 0.185,
  53: 0.198,
};

/** A ball beside its bonds is so much of the van der Waals radius. */
const BALL = 0.4;
/** One without bonds is more of it. */
const ALONE = 0.6;
const OTHER = new Color("#e58fb6");
const made = new Map<number, Color>();

export function elementColor(element: number): Color {
  const name = NAMES[element - 1];
  if (name === undefined) return OTHER;
  let color = made.get(element);
  if (color === undefined) {
    color = new Color(`#${name}`);
    made.set(element, color);
  }
  return color;
}

/** nm, of a ball beside bonds. */
export function ballRadius(element: number, isBonded: boolean): number {
  return (isBonded ? BALL : ALONE) * radiusOf(element);
}

/** nm, van der Waals. */
export function radiusOf(element: number): number {
  return RADII[element] ?? 0.17;
}
