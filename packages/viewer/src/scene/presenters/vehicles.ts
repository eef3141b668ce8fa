import { type BufferGeometry, CircleGeometry, CylinderGeometry } from "three";
import { ball, box, loft, merged, type Section, shaded } from "./shapes.ts";
import type { VehicleClass } from "./vehicle-class.ts";
import { RIGS, wheelGeometry } from "./vehicle-rig.ts";

/**
 * Bodies of vehicles that fill a cube of 1 m around zero, x ahead; each is drawn as large as its bounding box. Their
 * wheels are apart, as these turn, and who rides on them, who has other colours.
 */
export function bodyGeometry(kind: VehicleClass): BufferGeometry {
  return merged([...BODIES[kind](), ...arches(kind)]);
}

/** With wheels that stand still, for what is as long and high as usual. */
export function vehicleGeometry(kind: VehicleClass): BufferGeometry {
  const { axles, radius, width, out, usual } = RIGS[kind];
  const [length, height] = usual;
  const wheels = axles.flatMap(({ at }) =>
    (out === 0 ? [0] : SIDES).map((side) =>
      wheelGeometry(out === 0)
        .scale((radius * height) / length, radius, width)
        .translate(at, radius - 0.5, side * (out - width / 2)),
    ),
  );
  return merged([bodyGeometry(kind), ...(out === 0 ? [riderGeometry()] : []), ...wheels]);
}

const SIDES: readonly number[] = [-1, 1];
const ARCH = 0.05;
const GLASS = [0.1, 0.13, 0.16] as const;
const LENS = [0.75, 0.77, 0.76] as const;
const TAIL = [0.42, 0.05, 0.04] as const;
const SKIRT = 0.16;

const BODIES: Readonly<Record<VehicleClass, () => BufferGeometry[]>> = {
  car: () => [
    shaded(
      loft([
        [-0.5, -0.26, -0.04, 0.08, 0.42, 0.45, 0.4],
        [-0.47, -0.33, -0.03, 0.13, 0.46, 0.48, 0.43],
        [-0.3, -0.36, -0.02, 0.14, 0.485, 0.5, 0.44],
        [0.08, -0.36, -0.04, 0.11, 0.485, 0.5, 0.44],
        [0.3, -0.36, -0.06, 0.08, 0.485, 0.5, 0.43],
        [0.46, -0.34, -0.08, 0.03, 0.46, 0.485, 0.41],
        [0.5, -0.28, -0.11, -0.01, 0.41, 0.44, 0.38],
      ]),
      1,
    ),
    shaded(
      loft([
        [-0.44, 0.08, 0.1, 0.12, 0.42, 0.42, 0.39],
        [-0.27, 0.08, 0.2, 0.45, 0.43, 0.42, 0.33],
        [0.02, 0.08, 0.2, 0.46, 0.43, 0.42, 0.33],
        [0.25, 0.06, 0.07, 0.09, 0.42, 0.41, 0.38],
      ]),
      ...GLASS,
    ),
    shaded(
      loft([
        [-0.3, 0.42, 0.44, 0.46, 0.3, 0.33, 0.28],
        [-0.23, 0.42, 0.46, 0.5, 0.3, 0.345, 0.27],
        [-0.02, 0.42, 0.46, 0.5, 0.3, 0.345, 0.27],
        [0.05, 0.42, 0.44, 0.46, 0.3, 0.33, 0.28],
      ]),
      0.96,
    ),
    // Between the windows of the sides.
    shaded(loft(post(-0.12, 0.025)), 0.9),
    shaded(box(0, -0.35, 0, 0.93, 0.06, 0.9), SKIRT),
    // What cools it, and its number plate.
    shaded(box(0.496, -0.19, 0, 0.012, 0.1, 0.5), SKIRT),
    shaded(box(-0.498, -0.16, 0, 0.01, 0.07, 0.26), 0.9),
    ...lamps("car"),
  ],
  van: () => [
    shaded(
      loft([
        [-0.5, -0.38, 0, 0.42, 0.42, 0.48, 0.4],
        [-0.46, -0.4, 0, 0.48, 0.46, 0.5, 0.42],
        [0.2, -0.4, 0, 0.5, 0.46, 0.5, 0.42],
        [0.36, -0.4, -0.02, 0.12, 0.46, 0.5, 0.44],
        [0.47, -0.38, -0.1, 0.0, 0.44, 0.48, 0.42],
        [0.5, -0.32, -0.14, -0.06, 0.38, 0.44, 0.38],
      ]),
      1,
    ),
    shaded(
      loft([
        [0.215, 0.1, 0.2, 0.43, 0.46, 0.47, 0.4],
        [0.372, 0.09, 0.1, 0.14, 0.44, 0.44, 0.42],
      ]),
      ...GLASS,
    ),
    ...[-1, 1].map((side) => shaded(box(-0.12, 0.2, side * 0.475, 0.6, 0.2, 0.03), ...GLASS)),
    shaded(box(0, -0.39, 0, 0.94, 0.06, 0.92), SKIRT),
    ...lamps("van"),
  ],
  pickup: () => [
    shaded(
      loft([
        [-0.5, -0.26, -0.02, 0.08, 0.42, 0.46, 0.42],
        [-0.47, -0.3, 0, 0.12, 0.44, 0.49, 0.46],
        [0.26, -0.3, 0, 0.12, 0.44, 0.5, 0.46],
        [0.44, -0.28, -0.02, 0.09, 0.44, 0.49, 0.43],
        [0.5, -0.22, -0.08, 0, 0.38, 0.44, 0.38],
      ]),
      1,
    ),
    shaded(
      loft([
        [-0.13, 0.1, 0.2, 0.44, 0.44, 0.43, 0.36],
        [0.1, 0.1, 0.2, 0.45, 0.44, 0.43, 0.36],
        [0.27, 0.08, 0.1, 0.13, 0.44, 0.43, 0.41],
      ]),
      ...GLASS,
    ),
    shaded(
      loft([
        [-0.14, 0.42, 0.44, 0.47, 0.34, 0.36, 0.3],
        [0.0, 0.42, 0.46, 0.5, 0.34, 0.37, 0.31],
        [0.13, 0.42, 0.44, 0.46, 0.34, 0.36, 0.3],
      ]),
      0.96,
    ),
    // The bed: what lies behind the cab is open.
    shaded(box(-0.31, 0.12, 0, 0.3, 0.02, 0.8), 0.12),
    ...[-1, 1].map((side) => shaded(box(-0.31, 0.16, side * 0.43, 0.34, 0.1, 0.05), 0.98)),
    shaded(box(-0.475, 0.16, 0, 0.02, 0.1, 0.82), 0.94),
    shaded(box(0, -0.3, 0, 0.9, 0.06, 0.86), SKIRT),
    ...lamps("pickup"),
  ],
  bus: () => [
    shaded(
      loft([
        [-0.5, -0.36, 0, 0.42, 0.44, 0.49, 0.42],
        [-0.47, -0.4, 0, 0.48, 0.46, 0.5, 0.43],
        [0.44, -0.4, 0, 0.48, 0.46, 0.5, 0.43],
        [0.49, -0.4, -0.08, 0.4, 0.46, 0.5, 0.42],
        [0.5, -0.36, -0.2, -0.1, 0.44, 0.48, 0.45],
      ]),
      1,
    ),
    shaded(
      loft([
        [0.47, 0.06, 0.2, 0.42, 0.465, 0.46, 0.41],
        [0.501, -0.08, -0.06, -0.02, 0.45, 0.45, 0.44],
      ]),
      ...GLASS,
    ),
    ...[-1, 1].flatMap((side) => WINDOWS.map((x) => shaded(box(x, 0.17, side * 0.478, 0.115, 0.26, 0.03), ...GLASS))),
    shaded(box(-0.497, 0.2, 0, 0.01, 0.24, 0.7), ...GLASS),
    shaded(box(-0.1, 0.49, 0, 0.4, 0.025, 0.5), 0.8),
    shaded(box(0, -0.41, 0, 0.96, 0.06, 0.94), SKIRT),
    ...lamps("bus"),
  ],
  truck: () => [
    shaded(
      loft([
        [0.22, -0.36, 0, 0.28, 0.44, 0.48, 0.44],
        [0.4, -0.36, 0, 0.28, 0.44, 0.48, 0.42],
        [0.47, -0.36, -0.05, 0.0, 0.44, 0.48, 0.45],
        [0.5, -0.34, -0.14, -0.06, 0.42, 0.46, 0.44],
      ]),
      1,
    ),
    shaded(
      loft([
        [0.405, 0, 0.1, 0.25, 0.43, 0.44, 0.4],
        [0.478, 0, 0.01, 0.02, 0.43, 0.44, 0.42],
      ]),
      ...GLASS,
    ),
    ...[-1, 1].map((side) => shaded(box(0.34, 0.12, side * 0.465, 0.12, 0.16, 0.03), ...GLASS)),
    shaded(box(-0.16, 0.1, 0, 0.68, 0.8, 0.98), 0.88, 0.88, 0.86),
    shaded(box(-0.16, 0.1, 0, 0.69, 0.12, 0.985), 1),
    shaded(box(-0.1, -0.34, 0, 0.8, 0.08, 0.6), SKIRT),
    ...lamps("truck"),
  ],
  motorcycle: () => [
    shaded(loft(TANK), 1),
    shaded(box(-0.2, 0.02, 0, 0.34, 0.08, 0.22), 0.1),
    shaded(box(0.02, -0.24, 0, 0.26, 0.26, 0.24), 0.28),
    shaded(box(-0.2, -0.28, 0, 0.3, 0.05, 0.2), 0.3),
    shaded(box(-0.16, -0.33, 0.14, 0.34, 0.05, 0.08), 0.6),
    shaded(box(-0.34, -0.03, 0, 0.2, 0.04, 0.2), 1),
    shaded(new CylinderGeometry(0.03, 0.03, 0.5, 8).rotateZ(0.5).translate(0.27, -0.05, 0), 0.4),
    shaded(box(0.18, 0.2, 0, 0.05, 0.04, 0.9), 0.15),
  ],
  bicycle: () => [
    shaded(box(0, -0.06, 0, 0.5, 0.04, 0.06), 1),
    shaded(new CylinderGeometry(0.02, 0.02, 0.42, 6).rotateZ(0.35).translate(0.28, -0.06, 0), 1),
    shaded(new CylinderGeometry(0.02, 0.02, 0.42, 6).rotateZ(-0.6).translate(-0.08, -0.16, 0), 1),
    shaded(box(-0.155, -0.3, 0, 0.31, 0.025, 0.08), 1),
    shaded(new CylinderGeometry(0.016, 0.016, 0.38, 6).rotateZ(-0.66).translate(-0.2, -0.14, 0), 1),
    shaded(box(-0.14, 0.05, 0, 0.16, 0.03, 0.22), 0.1),
    shaded(box(0.2, 0.14, 0, 0.04, 0.03, 0.9), 0.15),
  ],
};

/** Middles of the windows along a bus. */
const WINDOWS: readonly number[] = [-0.4, -0.27, -0.14, -0.01, 0.12, 0.25, 0.38];

const TANK: readonly Section[] = [
  [-0.06, -0.08, 0.02, 0.1, 0.12, 0.2, 0.1],
  [0.08, -0.1, 0.05, 0.16, 0.14, 0.26, 0.14],
  [0.22, -0.06, 0.06, 0.14, 0.1, 0.16, 0.08],
];

function post(x: number, half: number): readonly Section[] {
  return [
    [x - half, 0.1, 0.2, 0.47, 0.435, 0.425, 0.335],
    [x + half, 0.1, 0.2, 0.47, 0.435, 0.425, 0.335],
  ];
}

const CLOTH = [0.32, 0.36, 0.44] as const;

/** The rider of a cycle: head, back bent ahead, arms and legs. */
export function riderGeometry(): BufferGeometry {
  return merged([
    shaded(ball(0, 0, 0, 1).scale(0.085, 0.085, 0.24).translate(0.06, 0.41, 0), 0.85, 0.85, 0.88),
    shaded(
      loft([
        [-0.14, 0, 0.08, 0.16, 0.2, 0.26, 0.2],
        [0.06, 0.2, 0.28, 0.34, 0.24, 0.36, 0.22],
      ]),
      ...CLOTH,
    ),
    ...[-1, 1].flatMap((side) => [
      shaded(box(0.12, 0.2, side * 0.36, 0.2, 0.05, 0.12).rotateZ(-0.12), ...CLOTH),
      shaded(box(0, -0.06, side * 0.24, 0.26, 0.09, 0.16).rotateZ(-0.25), 0.18, 0.2, 0.26),
      shaded(box(0.05, -0.24, side * 0.24, 0.08, 0.28, 0.14), 0.18, 0.2, 0.26),
    ]),
  ]);
}

/** Lamps that are not lit. */
function lamps(kind: VehicleClass): BufferGeometry[] {
  const { head, tail } = RIGS[kind];
  return [
    ...[-1, 1].map((side) => shaded(box(head.x, head.y, side * head.z, 0.03, head.height, head.width), ...LENS)),
    ...[-1, 1].map((side) => shaded(box(tail.x, tail.y, side * tail.z, 0.015, tail.height, tail.width), ...TAIL)),
  ];
}

/** What is dark around the wheels. */
function arches(kind: VehicleClass): BufferGeometry[] {
  const { axles, radius, out, usual } = RIGS[kind];
  if (out === 0) return [];
  const [length, height] = usual;
  return axles.flatMap(({ at }) =>
    SIDES.map((side) =>
      shaded(
        new CircleGeometry(1.16 * radius, 14)
          .scale(height / length, 1, 1)
          .rotateY(side < 0 ? Math.PI : 0)
          .translate(at, radius - 0.5, side * 0.5),
        ARCH,
      ),
    ),
  );
}
