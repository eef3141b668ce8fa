import { type BufferGeometry, CylinderGeometry } from "three";
import type { Value } from "simtape";
import { ball, box, loft, merged, type Section, shaded, wheel } from "./shapes.ts";

/** Vehicles that fill a cube of 1 m around zero, x ahead; each is drawn as large as its bounding box. */

export type VehicleClass = "car" | "van" | "truck" | "motorcycle" | "bicycle";

/** What CARLA's blueprints are that are no cars, by a part of their names. */
const CLASSES: readonly (readonly [VehicleClass, RegExp])[] = [
  ["bicycle", /crossbike|omafiets|century|bicycle|bike$/],
  ["motorcycle", /low_rider|ninja|yzf|vespa|zx125|motorcycle|harley|kawasaki|yamaha/],
  ["truck", /carlacola|firetruck|truck|hgv|cybertruck_trailer/],
  ["van", /ambulance|t2|sprinter|fusorosa|bus|van$/],
];

/** By the recorded attributes where they tell (`base_type`, `number_of_wheels`), else by the blueprint's name. */
export function vehicleClass(kind: string, attributes: Value | undefined): VehicleClass {
  const told = attributes as { readonly base_type?: unknown; readonly number_of_wheels?: unknown } | undefined;
  const name = `${typeof told?.base_type === "string" ? told.base_type.toLowerCase() : ""} ${kind.toLowerCase()}`;
  const found = CLASSES.find(([, words]) => words.test(name))?.[0];
  return found ?? (String(told?.number_of_wheels) === "2" ? "motorcycle" : "car");
}

export function vehicleGeometry(kind: VehicleClass): BufferGeometry {
  return GEOMETRIES[kind]();
}

/** The same of few corners, for those who are far. */
export function farVehicleGeometry(kind: VehicleClass): BufferGeometry {
  return FAR[kind]();
}

const TYRE = 0.07;
const RIM = 0.45;
const GLASS = [0.1, 0.13, 0.16] as const;
const LENS = [1.3, 1.3, 1.2] as const;
const TAIL = [0.55, 0.06, 0.05] as const;
const SKIRT = 0.16;

const GEOMETRIES: Readonly<Record<VehicleClass, () => BufferGeometry>> = {
  car: () =>
    merged([
      shaded(
        loft([
          [-0.5, -0.24, -0.04, 0.07, 0.36, 0.43, 0.38],
          [-0.47, -0.32, -0.03, 0.13, 0.43, 0.48, 0.42],
          [-0.3, -0.36, -0.02, 0.14, 0.46, 0.5, 0.44],
          [0.08, -0.36, -0.04, 0.11, 0.46, 0.5, 0.44],
          [0.3, -0.36, -0.06, 0.07, 0.46, 0.5, 0.42],
          [0.45, -0.33, -0.09, 0.01, 0.44, 0.48, 0.39],
          [0.5, -0.26, -0.12, -0.06, 0.36, 0.42, 0.34],
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
      ...lenses(0.475, -0.07, 0.33, 0.05),
      ...tails(-0.485, 0.03, 0.34, 0.06),
      ...wheels(0.31, -0.29, 0.43, [0.072, 0.21], 0.12),
    ]),
  van: () =>
    merged([
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
      ...lenses(0.485, -0.12, 0.34, 0.06),
      ...tails(-0.498, -0.05, 0.38, 0.08),
      ...wheels(0.32, -0.36, 0.43, [0.06, 0.14], 0.12),
    ]),
  truck: () =>
    merged([
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
      ...lenses(0.49, -0.22, 0.34, 0.05),
      ...tails(-0.5, -0.33, 0.36, 0.06),
      ...wheels(0.34, -0.36, 0.42, [0.06, 0.14], 0.14),
      ...wheels(0.26, -0.36, 0.42, [0.06, 0.14], 0.14).slice(4),
    ]),
  motorcycle: () =>
    merged([
      shaded(loft(TANK), 1),
      shaded(box(-0.2, 0.02, 0, 0.34, 0.08, 0.22), 0.1),
      shaded(box(0.02, -0.24, 0, 0.26, 0.26, 0.24), 0.28),
      shaded(new CylinderGeometry(0.03, 0.03, 0.5, 8).rotateZ(0.5).translate(0.27, -0.05, 0), 0.4),
      shaded(box(0.18, 0.2, 0, 0.05, 0.04, 0.9), 0.15),
      shaded(wheel(-0.34, -0.28, 0, [0.16, 0.22], 0.16), TYRE),
      shaded(wheel(0.34, -0.28, 0, [0.16, 0.22], 0.16), TYRE),
      ...rider(),
    ]),
  bicycle: () =>
    merged([
      shaded(box(0, -0.06, 0, 0.5, 0.04, 0.06), 1),
      shaded(new CylinderGeometry(0.02, 0.02, 0.42, 6).rotateZ(0.35).translate(0.28, -0.06, 0), 1),
      shaded(new CylinderGeometry(0.02, 0.02, 0.42, 6).rotateZ(-0.6).translate(-0.08, -0.16, 0), 1),
      shaded(box(-0.14, 0.05, 0, 0.16, 0.03, 0.22), 0.1),
      shaded(box(0.2, 0.14, 0, 0.04, 0.03, 0.9), 0.15),
      ...[-0.31, 0.31].flatMap((x) => [
        shaded(wheel(x, -0.3, 0, [0.19, 0.2], 0.05), TYRE),
        shaded(wheel(x, -0.3, 0, [0.165, 0.175], 0.06), 0.55),
      ]),
      ...rider(),
    ]),
};

const FAR: Readonly<Record<VehicleClass, () => BufferGeometry>> = {
  car: () =>
    merged([
      shaded(box(0, -0.12, 0, 1, 0.36, 0.94), 1),
      shaded(box(-0.1, 0.24, 0, 0.58, 0.38, 0.78), ...GLASS),
      shaded(box(-0.12, 0.45, 0, 0.38, 0.06, 0.66), 0.96),
      shaded(box(0, -0.39, 0, 0.84, 0.2, 0.86), TYRE),
    ]),
  van: () =>
    merged([
      shaded(box(-0.08, 0.06, 0, 0.84, 0.84, 0.94), 1),
      shaded(box(0.42, -0.18, 0, 0.16, 0.34, 0.92), 1),
      shaded(box(0.3, 0.22, 0, 0.12, 0.3, 0.96), ...GLASS),
      shaded(box(0, -0.42, 0, 0.84, 0.16, 0.86), TYRE),
    ]),
  truck: () =>
    merged([
      shaded(box(0.36, -0.04, 0, 0.28, 0.64, 0.94), 1),
      shaded(box(0.42, 0.12, 0, 0.14, 0.2, 0.96), ...GLASS),
      shaded(box(-0.16, 0.1, 0, 0.68, 0.8, 0.98), 0.88, 0.88, 0.86),
      shaded(box(0, -0.41, 0, 0.88, 0.18, 0.84), TYRE),
    ]),
  motorcycle: () =>
    merged([
      shaded(box(0.02, -0.06, 0, 0.5, 0.24, 0.24), 1),
      shaded(box(-0.34, -0.28, 0, 0.3, 0.4, 0.16), TYRE),
      shaded(box(0.34, -0.28, 0, 0.3, 0.4, 0.16), TYRE),
      ...farRider(),
    ]),
  bicycle: () =>
    merged([
      shaded(box(0, -0.08, 0, 0.5, 0.08, 0.08), 1),
      shaded(box(-0.31, -0.3, 0, 0.28, 0.36, 0.05), TYRE),
      shaded(box(0.31, -0.3, 0, 0.28, 0.36, 0.05), TYRE),
      ...farRider(),
    ]),
};

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

function farRider(): BufferGeometry[] {
  return [
    shaded(box(0.06, 0.41, 0, 0.12, 0.18, 0.36), 0.85, 0.85, 0.88),
    shaded(box(-0.04, 0.16, 0, 0.22, 0.32, 0.5), ...CLOTH),
  ];
}

/** The rider: head, back bent ahead, arms and legs. */
function rider(): BufferGeometry[] {
  return [
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
  ];
}

function lenses(x: number, y: number, z: number, size: number): BufferGeometry[] {
  return [-1, 1].map((side) => shaded(box(x, y, side * z, 0.03, size, 0.16), ...LENS));
}

function tails(x: number, y: number, z: number, size: number): BufferGeometry[] {
  return [-1, 1].map((side) => shaded(box(x, y, side * z, 0.015, size, 0.16), ...TAIL));
}

function wheels(x: number, y: number, z: number, radius: readonly [number, number], width: number): BufferGeometry[] {
  return [x, -x].flatMap((at) =>
    [-z, z].flatMap((side) => [
      shaded(wheel(at, y, side, radius, width), TYRE),
      shaded(wheel(at, y, side, [radius[0] * 0.58, radius[1] * 0.58], width + 0.012), RIM),
    ]),
  );
}
