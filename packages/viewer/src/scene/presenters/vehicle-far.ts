import type { BufferGeometry } from "three";
import { box, merged, shaded } from "./shapes.ts";
import type { VehicleClass } from "./vehicle-class.ts";

/** Vehicles of few corners, with their wheels, for those who are far: as `bodyGeometry` has them otherwise. */
export function farVehicleGeometry(kind: VehicleClass): BufferGeometry {
  return FAR[kind]();
}

const TYRE = 0.07;
const GLASS = [0.1, 0.13, 0.16] as const;
const CLOTH = [0.32, 0.36, 0.44] as const;

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
  pickup: () =>
    merged([
      shaded(box(0, -0.1, 0, 1, 0.4, 0.94), 1),
      shaded(box(0.06, 0.26, 0, 0.32, 0.34, 0.8), ...GLASS),
      shaded(box(0.02, 0.45, 0, 0.22, 0.06, 0.68), 0.96),
      shaded(box(0, -0.39, 0, 0.84, 0.2, 0.86), TYRE),
    ]),
  bus: () =>
    merged([
      shaded(box(0, 0.04, 0, 1, 0.88, 0.96), 1),
      shaded(box(0.01, 0.17, 0, 0.92, 0.26, 0.98), ...GLASS),
      shaded(box(0, -0.44, 0, 0.84, 0.12, 0.86), TYRE),
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

function farRider(): BufferGeometry[] {
  return [
    shaded(box(0.06, 0.41, 0, 0.12, 0.18, 0.36), 0.85, 0.85, 0.88),
    shaded(box(-0.04, 0.16, 0, 0.22, 0.32, 0.5), ...CLOTH),
  ];
}
