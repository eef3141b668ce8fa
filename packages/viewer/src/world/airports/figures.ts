/** Four corners of a stroke in a box that is 1 wide and 1 high: from the left, from below. */
export type Stroke = readonly [Corner, Corner, Corner, Corner];
type Corner = readonly [x: number, y: number];

/** How thick strokes are, as a part of the width and of the height of a figure that is three times as high as wide. */
const [W, H] = [0.25, 0.25 / 3];

const box = (x0: number, y0: number, x1: number, y1: number): Stroke => [
  [x0, y0],
  [x1, y0],
  [x1, y1],
  [x0, y1],
];
const MIDDLE = 0.5 - H / 2;
const PARTS = {
  top: box(0, 1 - H, 1, 1),
  middle: box(0, MIDDLE, 1, MIDDLE + H),
  bottom: box(0, 0, 1, H),
  "left above": box(0, 0.5, W, 1),
  "left below": box(0, 0, W, 0.5),
  "right above": box(1 - W, 0.5, 1, 1),
  "right below": box(1 - W, 0, 1, 0.5),
} as const;
const of = (...names: readonly (keyof typeof PARTS)[]): readonly Stroke[] => names.map((name) => PARTS[name]);

/** Figures of runways, simpler than they are painted: a designator has no others. */
export const FIGURES: Readonly<Record<string, readonly Stroke[]>> = {
  0: of("top", "bottom", "left above", "left below", "right above", "right below"),
  1: [
    box(0.5 - W / 2, 0, 0.5 + W / 2, 1),
    [
      [0.1, 1 - 2.6 * H],
      [0.5 - W / 2, 1 - 1.2 * H],
      [0.5 - W / 2, 1],
      [0.1, 1 - 1.4 * H],
    ],
  ],
  2: of("top", "right above", "middle", "left below", "bottom"),
  3: of("top", "right above", "middle", "right below", "bottom"),
  4: of("left above", "middle", "right above", "right below"),
  5: of("top", "left above", "middle", "right below", "bottom"),
  6: of("top", "left above", "left below", "middle", "right below", "bottom"),
  7: [
    PARTS.top,
    [
      [0.2, 0],
      [0.2 + W * 1.15, 0],
      [1, 1 - H],
      [1 - W * 1.15, 1 - H],
    ],
  ],
  8: of("top", "middle", "bottom", "left above", "left below", "right above", "right below"),
  9: of("top", "left above", "middle", "right above", "right below", "bottom"),
  L: of("left above", "left below", "bottom"),
  C: of("top", "left above", "left below", "bottom"),
  R: [
    ...of("left above", "left below", "top", "middle", "right above"),
    [
      [1 - W, 0],
      [1, 0],
      [0.35 + W, MIDDLE],
      [0.35, MIDDLE],
    ],
  ],
};
