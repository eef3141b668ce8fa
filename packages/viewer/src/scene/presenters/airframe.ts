import { type BufferGeometry, CylinderGeometry, Matrix4 } from "three";
import { composeRod } from "../drawing/compose.ts";
import { ball, box, loft, merged, type Section, shaded } from "./shapes.ts";

const GLASS = [0.12, 0.17, 0.22] as const;
const STRIPE = 0.2;

/** A small high-winged aircraft without what moves on it, metres: 8.3 long, 11 across, nose ahead. */
export function airframeGeometry(): BufferGeometry {
  return merged([
    shaded(loft(FUSELAGE), 1),
    shaded(loft(FUSELAGE.slice(1).map(stripe)), STRIPE),
    shaded(loft(CABIN), ...GLASS),
    shaded(
      loft(wing(5.5, 0.66, 0.5, 0.11))
        .rotateY(Math.PI / 2)
        .translate(0.28, 0.92, 0),
      1,
    ),
    ...[-1, 1].map((side) => shaded(box(0.28, 0.93, side * 5.35, 1.02, 0.12, 0.32), STRIPE)),
    shaded(
      loft(wing(1.7, 0.42, 0.3, 0.06))
        .rotateY(Math.PI / 2)
        .translate(-4.5, 0.2, 0),
      1,
    ),
    shaded(loft(FIN), 1),
    shaded(ball(2.55, -0.02, 0, 0.2), 0.35),
    // Struts of wings and wheels.
    ...[-1, 1].flatMap((side) => [
      shaded(rod([0.35, -0.42, side * 0.5], [0.4, 0.86, side * 2.7], 0.045), 0.85),
      shaded(rod([-0.25, -0.45, side * 0.35], [-0.3, -1.05, side * 1.2], 0.05), 0.6),
    ]),
    shaded(rod([1.75, -0.4, 0], [1.85, -1.05, 0], 0.05), 0.6),
  ]);
}

const FUSELAGE: readonly Section[] = [
  [2.5, -0.3, -0.04, 0.16, 0.16, 0.28, 0.2],
  [2.3, -0.42, -0.04, 0.26, 0.3, 0.42, 0.3],
  [1.25, -0.54, -0.02, 0.38, 0.4, 0.54, 0.4],
  [0.5, -0.58, 0.1, 0.86, 0.44, 0.56, 0.42],
  [-0.8, -0.56, 0.1, 0.86, 0.42, 0.54, 0.4],
  [-1.8, -0.4, 0.08, 0.52, 0.32, 0.42, 0.26],
  [-5.0, 0.02, 0.16, 0.32, 0.05, 0.09, 0.05],
];
/** A little wider than the cabin, as high as its windows. */
const CABIN: readonly Section[] = [
  [1.2, 0.3, 0.34, 0.385, 0.43, 0.43, 0.4],
  [0.52, 0.24, 0.5, 0.83, 0.56, 0.51, 0.435],
  [-0.78, 0.24, 0.5, 0.83, 0.54, 0.49, 0.415],
  [-1.6, 0.3, 0.42, 0.58, 0.42, 0.38, 0.3],
];
const FIN: readonly Section[] = [
  [-3.7, 0.26, 0.28, 0.3, 0.04, 0.04, 0.03],
  [-4.5, 0.26, 0.9, 1.55, 0.06, 0.05, 0.03],
  [-4.98, 0.26, 0.9, 1.6, 0.05, 0.04, 0.03],
];

/** Around the fuselage at half its height, as wide as it is there. */
function stripe([x, y0, ys, y1, , ws]: Section): Section {
  const half = 0.09 * (y1 - y0);
  return [x, ys - half, ys, ys + half, ws + 0.008, ws + 0.012, ws + 0.008];
}

/** To both sides as far as `span`, from a half chord at the root to one at the tip. */
function wing(span: number, root: number, tip: number, thick: number): readonly Section[] {
  const part = 0.45 * span;
  // Laid along x by `loft`, then turned to the side: what is wide there is the chord.
  return [
    [-span, -0.3 * thick, 0, 0.4 * thick, 0.6 * tip, tip, 0.7 * tip],
    [-part, -0.5 * thick, 0, thick, 0.7 * root, root, 0.7 * root],
    [part, -0.5 * thick, 0, thick, 0.7 * root, root, 0.7 * root],
    [span, -0.3 * thick, 0, 0.4 * thick, 0.6 * tip, tip, 0.7 * tip],
  ];
}

function rod(
  from: readonly [number, number, number],
  to: readonly [number, number, number],
  radius: number,
): BufferGeometry {
  const matrix = new Float32Array(16);
  composeRod(...from, ...to, radius, matrix, 0);
  return new CylinderGeometry(1, 1, 1, 8).applyMatrix4(new Matrix4().fromArray(matrix));
}
