import { BufferAttribute, BufferGeometry, CylinderGeometry } from "three";
import type { AircraftKind } from "./aircraft-kinds.ts";
import { airframeGeometry } from "./airframe.ts";
import { ball, box, merged, shaded } from "./shapes.ts";

/** How one kind of aircraft is drawn, metres, nose along x. */
export interface Airframe {
  readonly make: () => BufferGeometry;
  /** From its middle to its farthest end, and to what is highest. */
  readonly radius: number;
  readonly top: number;
  /** How high above its middle a rotor turns, and how long a blade is; absent: it has none. */
  readonly rotor?: { readonly up: number; readonly blade: number };
}

const GLASS = [0.12, 0.17, 0.22] as const;
const STRIPE = 0.2;
const BOTH = [-1, 1] as const;

export const AIRFRAMES: Readonly<Record<AircraftKind, Airframe>> = {
  light: { make: airframeGeometry, radius: 6, top: 3 },
  glider: { make: gliderGeometry, radius: 8.5, top: 2.2 },
  airliner: { make: airlinerGeometry, radius: 20, top: 9 },
  fighter: { make: fighterGeometry, radius: 8, top: 3.6 },
  helicopter: { make: helicopterGeometry, radius: 6.6, top: 3, rotor: { up: 1.75, blade: 4.9 } },
  ufo: { make: ufoGeometry, radius: 5, top: 2.4 },
};

/** Four blades, each 1 long, along x and z: stretched to a rotor. */
export function rotorGeometry(): BufferGeometry {
  return merged([
    shaded(box(0, 0, 0, 2, 0.05, 0.055), 1),
    shaded(box(0, 0, 0, 0.055, 0.05, 2), 1),
    shaded(new CylinderGeometry(0.035, 0.045, 0.3, 10), 1),
  ]);
}

/** Slender, with long wings and its tailplane on top of the fin: 8.4 long, 17 across. */
function gliderGeometry(): BufferGeometry {
  return merged([
    shaded(
      tube([
        [3.1, -0.1, 0.02, 0.02],
        [2.8, -0.06, 0.24, 0.2],
        [2, 0, 0.45, 0.34],
        [0.9, 0.05, 0.5, 0.36],
        [-0.4, 0.08, 0.38, 0.28],
        [-1.8, 0.12, 0.17, 0.14],
        [-5, 0.2, 0.1, 0.08],
        [-5.3, 0.22, 0.03, 0.03],
      ]),
      1,
    ),
    shaded(
      tube([
        [2.5, 0.1, 0.02, 0.02],
        [2, 0.2, 0.3, 0.27],
        [1, 0.28, 0.32, 0.3],
        [0.3, 0.3, 0.24, 0.24],
        [-0.1, 0.32, 0.02, 0.02],
      ]),
      ...GLASS,
    ),
    ...BOTH.flatMap((side) => [
      shaded(wing([0.55, -0.5], [0.4, -0.4], [0.28, 0.42], [0.2 * side, 5.6 * side], [0.13, 0.1]), 1),
      shaded(wing([0.4, -0.4], [0.12, -0.28], [0.42, 0.62], [5.6 * side, 8.5 * side], [0.1, 0.04]), 1),
      shaded(wing([-4.75, -5.3], [-4.9, -5.3], [1.62, 1.62], [0, 1.55 * side], [0.07, 0.04]), 1),
    ]),
    shaded(fin([-4.35, -5.25], [-4.75, -5.35], [0.2, 1.65], 0.1), 1),
    shaded(fin([-5.25, -5.55], [-5.35, -5.6], [0.3, 1.55], 0.06), STRIPE),
    shaded(wheel(0.3, -0.48, 0, 0.2, 0.14), STRIPE),
  ]);
}

/** Two engines below swept wings: 39 long, 35 across. */
function airlinerGeometry(): BufferGeometry {
  return merged([
    shaded(
      tube([
        [19.2, -0.5, 0.05, 0.05],
        [18.6, -0.35, 0.75, 0.75],
        [17, -0.1, 1.45, 1.45],
        [14.5, 0, 1.95, 1.9],
        [-7, 0, 1.95, 1.9],
        [-13, 0.5, 1.4, 1.3],
        [-18.5, 1.1, 0.5, 0.45],
        [-19.6, 1.2, 0.15, 0.15],
      ]),
      1,
    ),
    shaded(
      tube([
        [18.35, 0.15, 0.1, 0.6],
        [17.6, 0.45, 0.42, 1.12],
        [16.7, 0.75, 0.42, 1.3],
        [16.3, 0.9, 0.1, 1],
      ]),
      ...GLASS,
    ),
    ...BOTH.flatMap((side) => [
      shaded(box(0.5, 0.35, side * 1.89, 26, 0.34, 0.06), ...GLASS),
      shaded(wing([4.6, -2.8], [-0.4, -2.9], [-1, -0.35], [1.4 * side, 6 * side], [0.95, 0.6]), 1),
      shaded(wing([-0.4, -2.9], [-6.4, -7.8], [-0.35, 0.9], [6 * side, 16.4 * side], [0.6, 0.2]), 1),
      shaded(fin([-6.5, -7.8], [-7.4, -8.1], [0.9, 2.8], 0.14, 16.4 * side, 17.1 * side), 0.75),
      shaded(
        tube([
          [4.9, 0, 0.92, 0.92],
          [3.5, 0, 1.05, 1.05],
          [1.2, 0, 0.8, 0.8],
          [0.2, 0, 0.45, 0.45],
        ]).translate(-0.4, -1.75, 5.3 * side),
        0.75,
      ),
      shaded(wheelDisc(4.48, -1.75, 5.3 * side, 0.93), STRIPE),
      shaded(wheelDisc(-0.18, -1.75, 5.3 * side, 0.46), STRIPE),
      shaded(wing([-14.4, -17.4], [-17.6, -19], [0.9, 1.5], [0.4 * side, 6.6 * side], [0.4, 0.14]), 1),
    ]),
    shaded(fin([-12.3, -17.8], [-17.6, -19.6], [1.2, 8], 0.45), 0.8),
  ]);
}

/** A delta with one engine and a single fin: 15 long, 10 across. */
function fighterGeometry(): BufferGeometry {
  return merged([
    shaded(
      tube([
        [8.2, -0.05, 0.02, 0.02],
        [6.6, 0, 0.34, 0.36],
        [4.4, 0.05, 0.62, 0.58],
        [2, 0, 0.78, 0.95],
        [-3, 0, 0.75, 1],
        [-6, 0.05, 0.6, 0.66],
        [-7, 0.05, 0.5, 0.5],
      ]),
      1,
    ),
    shaded(wheelDisc(-7, 0.05, 0, 0.51), STRIPE),
    shaded(
      tube([
        [5.5, 0.45, 0.04, 0.04],
        [4.6, 0.6, 0.36, 0.32],
        [3.4, 0.68, 0.38, 0.36],
        [2, 0.7, 0.06, 0.08],
      ]),
      ...GLASS,
    ),
    ...BOTH.flatMap((side) => [
      shaded(box(1.5, -0.1, 0.95 * side, 2.8, 0.8, 0.4), 0.8),
      shaded(wing([2.6, -5], [-3.6, -5], [-0.05, -0.05], [0.8 * side, 5 * side], [0.32, 0.07]), 1),
      shaded(wing([-4.9, -6.6], [-6.2, -7.2], [0, 0], [0.6 * side, 2.6 * side], [0.14, 0.05]), 0.9),
      shaded(box(-4.2, -0.05, 5.05 * side, 2.6, 0.16, 0.16), STRIPE),
    ]),
    shaded(fin([-2.8, -6.3], [-5.6, -7.2], [0.6, 3.5], 0.2), 0.9),
  ]);
}

/** A cabin with a tail boom and skids; its rotor is apart, as it turns: 8.5 long. */
function helicopterGeometry(): BufferGeometry {
  return merged([
    shaded(
      tube([
        [2.5, -0.35, 0.05, 0.1],
        [2.1, -0.3, 0.55, 0.6],
        [1.2, -0.1, 0.95, 0.8],
        [-0.6, 0, 0.95, 0.8],
        [-1.7, 0.2, 0.5, 0.5],
        [-2.4, 0.4, 0.25, 0.25],
        [-5.6, 0.75, 0.12, 0.1],
      ]),
      1,
    ),
    shaded(
      tube([
        [2.44, -0.2, 0.12, 0.3],
        [1.9, 0.05, 0.55, 0.68],
        [1, 0.2, 0.68, 0.83],
        [0.3, 0.3, 0.45, 0.82],
      ]),
      ...GLASS,
    ),
    shaded(box(-0.25, 1.1, 0, 2.2, 0.5, 0.8), 0.9),
    shaded(new CylinderGeometry(0.1, 0.14, 0.7, 8).translate(0, 1.5, 0), STRIPE),
    shaded(fin([-5, -5.7], [-5.8, -6.3], [0.7, 2], 0.12), 1),
    ...BOTH.flatMap((side) => [
      shaded(wing([-4.3, -4.8], [-4.4, -4.8], [0.65, 0.65], [0.05 * side, 1 * side], [0.08, 0.05]), 1),
      shaded(box(0.2, -1.55, 0.95 * side, 3.4, 0.09, 0.09), STRIPE),
      ...[-0.6, 1].map((x) => shaded(box(x, -1.2, 0.85 * side, 0.08, 0.75, 0.08), STRIPE)),
    ]),
    shaded(box(-6, 1.7, 0.22, 0.1, 1.7, 0.05), STRIPE),
    shaded(box(-6, 1.7, 0.22, 1.7, 0.1, 0.05), STRIPE),
  ]);
}

/** A saucer: what flies without wings. A small prow says which way it heads. */
function ufoGeometry(): BufferGeometry {
  const disc = (rings: readonly (readonly [y: number, radius: number])[]): BufferGeometry =>
    tube(rings.map(([y, radius]) => [y, 0, radius, radius] as const)).rotateZ(Math.PI / 2);
  return merged([
    shaded(
      disc([
        [-0.75, 0.05],
        [-0.65, 1.6],
        [-0.1, 4.3],
        [0.1, 4.3],
        [0.6, 1.9],
        [0.75, 0.05],
      ]),
      1,
    ),
    shaded(
      disc([
        [0.5, 1.7],
        [1.1, 1.4],
        [1.55, 0.8],
        [1.7, 0.05],
      ]),
      ...GLASS,
    ),
    shaded(wing([4.9, 3.6], [4, 3.6], [0, 0], [0, 1], [0.3, 0.1]), STRIPE),
    shaded(wing([4.9, 3.6], [4, 3.6], [0, 0], [0, -1], [0.3, 0.1]), STRIPE),
    ...[0, 1, 2, 3, 4, 5].map((i) => {
      const angle = (Math.PI / 3) * (i + 0.5);
      return shaded(ball(3.3 * Math.cos(angle), -0.35, 3.3 * Math.sin(angle), 0.28), 1.6, 1.5, 1.1);
    }),
  ]);
}

/** Sides of a body. */
const SIDES = 14;

/** A round body through rings: where, how high its middle, and half its height and width. Its ends are small or hidden. */
function tube(rings: readonly (readonly [x: number, y: number, high: number, wide: number])[]): BufferGeometry {
  const places = new Float32Array(3 * SIDES * rings.length);
  const index: number[] = [];
  const isForwards = rings[0]![0] < rings.at(-1)![0];
  for (const [i, [x, y, high, wide]] of rings.entries()) {
    for (let k = 0; k < SIDES; k++) {
      const angle = (2 * Math.PI * k) / SIDES;
      places.set([x, y + high * Math.cos(angle), wide * Math.sin(angle)], 3 * (SIDES * i + k));
      if (i === 0) continue;
      const [a, b] = [SIDES * (i - 1) + k, SIDES * (i - 1) + ((k + 1) % SIDES)];
      const [c, d] = [a + SIDES, b + SIDES];
      if (isForwards) index.push(a, b, c, b, d, c);
      else index.push(a, c, b, b, c, d);
    }
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3)).setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

type Point = readonly [number, number, number];

/** From its root to its tip, each with a leading and a trailing edge. */
function wing(
  [rootLead, rootTrail]: readonly [number, number],
  [tipLead, tipTrail]: readonly [number, number],
  [rootY, tipY]: readonly [number, number],
  [rootZ, tipZ]: readonly [number, number],
  [rootThick, tipThick]: readonly [number, number],
): BufferGeometry {
  const across = (lead: number, trail: number, y: number, z: number, thick: number): Point[] => {
    const middle = lead + 0.35 * (trail - lead);
    return [
      [lead, y, z],
      [middle, y + thick / 2, z],
      [trail, y, z],
      [middle, y - thick / 2, z],
    ];
  };
  return convex(across(rootLead, rootTrail, rootY, rootZ, rootThick), across(tipLead, tipTrail, tipY, tipZ, tipThick));
}

/** Upright, in the middle or at the tip of a wing. */
function fin(
  [rootLead, rootTrail]: readonly [number, number],
  [tipLead, tipTrail]: readonly [number, number],
  [rootY, tipY]: readonly [number, number],
  thick: number,
  rootZ = 0,
  tipZ = rootZ,
): BufferGeometry {
  const across = (lead: number, trail: number, y: number, z: number, wide: number): Point[] => {
    const middle = lead + 0.35 * (trail - lead);
    return [
      [lead, y, z],
      [middle, y, z + wide / 2],
      [trail, y, z],
      [middle, y, z - wide / 2],
    ];
  };
  return convex(across(rootLead, rootTrail, rootY, rootZ, thick), across(tipLead, tipTrail, tipY, tipZ, thick / 2));
}

/** Between two quadrangles, in flat faces that look outwards. */
function convex(root: readonly Point[], tip: readonly Point[]): BufferGeometry {
  const all = [...root, ...tip];
  const middle = [0, 1, 2].map((k) => all.reduce((sum, point) => sum + point[k]!, 0) / all.length);
  const corners: number[] = [];
  const face = (a: Point, b: Point, c: Point): void => {
    const [u, v, away] = [0, 1, 2].reduce<[number[], number[], number[]]>(
      ([us, vs, aways], k) => [
        [...us, b[k]! - a[k]!],
        [...vs, c[k]! - a[k]!],
        [...aways, a[k]! - middle[k]!],
      ],
      [[], [], []],
    );
    const out =
      (u[1]! * v[2]! - u[2]! * v[1]!) * away[0]! +
      (u[2]! * v[0]! - u[0]! * v[2]!) * away[1]! +
      (u[0]! * v[1]! - u[1]! * v[0]!) * away[2]!;
    corners.push(...a, ...(out >= 0 ? [...b, ...c] : [...c, ...b]));
  };
  for (let k = 0; k < 4; k++) {
    const next = (k + 1) % 4;
    face(root[k]!, root[next]!, tip[next]!);
    face(root[k]!, tip[next]!, tip[k]!);
  }
  for (const end of [root, tip]) {
    face(end[0]!, end[1]!, end[2]!);
    face(end[0]!, end[2]!, end[3]!);
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.computeVertexNormals();
  return geometry;
}

function wheel(x: number, y: number, z: number, radius: number, width: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, width, 16).rotateX(Math.PI / 2).translate(x, y, z);
}

/** A dark opening, as of an engine. */
function wheelDisc(x: number, y: number, z: number, radius: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, 0.05, 16).rotateZ(Math.PI / 2).translate(x, y, z);
}
