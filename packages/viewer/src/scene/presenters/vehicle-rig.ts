import { BoxGeometry, type BufferGeometry, CylinderGeometry, TorusGeometry } from "three";
import { merged, shaded } from "./shapes.ts";
import type { VehicleClass } from "./vehicle-class.ts";

/** A lamp, in parts of the size of the vehicle: there is another one on its other side. */
export interface Lens {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly height: number;
  readonly width: number;
}

/** What a body carries, in parts of its length, height and width from its middle. */
export interface Rig {
  readonly axles: readonly { readonly at: number; readonly steers: boolean }[];
  /** Of a wheel: its radius, of the height of the vehicle, and how wide it is and ends, of the width; 0: in the middle. */
  readonly radius: number;
  readonly width: number;
  readonly out: number;
  readonly head: Lens;
  readonly tail: Lens;
  /** Where a bar of lamps, or a sign, stands. */
  readonly roof: { readonly x: number; readonly y: number };
  /** Metres that it is usually long, high and wide. */
  readonly usual: readonly [length: number, height: number, width: number];
}

const [FRONT, BACK] = [(at: number) => ({ at, steers: true }), (at: number) => ({ at: -at, steers: false })];

export const RIGS: Readonly<Record<VehicleClass, Rig>> = {
  car: {
    axles: [FRONT(0.3), BACK(0.29)],
    radius: 0.215,
    width: 0.11,
    out: 0.5,
    head: { x: 0.488, y: -0.06, z: 0.34, height: 0.06, width: 0.13 },
    tail: { x: -0.487, y: 0.02, z: 0.34, height: 0.07, width: 0.17 },
    roof: { x: -0.12, y: 0.5 },
    usual: [4.6, 1.5, 1.9],
  },
  pickup: {
    axles: [FRONT(0.31), BACK(0.29)],
    radius: 0.215,
    width: 0.12,
    out: 0.5,
    head: { x: 0.482, y: -0.04, z: 0.34, height: 0.06, width: 0.16 },
    tail: { x: -0.497, y: 0.03, z: 0.4, height: 0.1, width: 0.08 },
    roof: { x: 0, y: 0.5 },
    usual: [5.6, 1.8, 2.1],
  },
  van: {
    axles: [FRONT(0.31), BACK(0.3)],
    radius: 0.14,
    width: 0.11,
    out: 0.5,
    head: { x: 0.485, y: -0.12, z: 0.34, height: 0.06, width: 0.16 },
    tail: { x: -0.498, y: -0.05, z: 0.41, height: 0.1, width: 0.09 },
    roof: { x: 0.12, y: 0.5 },
    usual: [5.9, 2.5, 2.1],
  },
  bus: {
    axles: [FRONT(0.32), BACK(0.27)],
    radius: 0.145,
    width: 0.12,
    out: 0.5,
    head: { x: 0.49, y: -0.27, z: 0.38, height: 0.05, width: 0.12 },
    tail: { x: -0.497, y: -0.2, z: 0.42, height: 0.1, width: 0.07 },
    roof: { x: 0.38, y: 0.5 },
    usual: [10.3, 3.3, 2.6],
  },
  truck: {
    axles: [FRONT(0.35), BACK(0.22), BACK(0.36)],
    radius: 0.14,
    width: 0.13,
    out: 0.5,
    head: { x: 0.49, y: -0.22, z: 0.36, height: 0.05, width: 0.14 },
    tail: { x: -0.5, y: -0.33, z: 0.38, height: 0.06, width: 0.14 },
    roof: { x: 0.36, y: 0.28 },
    usual: [8.4, 3.4, 2.6],
  },
  motorcycle: {
    axles: [FRONT(0.34), BACK(0.33)],
    radius: 0.22,
    width: 0.2,
    out: 0,
    head: { x: 0.26, y: 0.12, z: 0, height: 0.1, width: 0.2 },
    tail: { x: -0.37, y: 0.03, z: 0, height: 0.05, width: 0.16 },
    roof: { x: 0, y: 0.5 },
    usual: [2.2, 1.5, 0.8],
  },
  bicycle: {
    axles: [FRONT(0.31), BACK(0.31)],
    radius: 0.2,
    width: 0.07,
    out: 0,
    head: { x: 0.22, y: 0.1, z: 0, height: 0.04, width: 0.1 },
    tail: { x: -0.2, y: 0, z: 0, height: 0.03, width: 0.08 },
    roof: { x: 0, y: 0.5 },
    usual: [1.8, 1.7, 0.6],
  },
};

const TYRE = 0.07;
const RIM = 0.5;
const SPOKE = 0.62;
const DISC = 0.16;

/** A wheel of radius 1 that is 1 wide around z, with spokes that show how it turns; `isThin`: of a cycle, seen through. */
export function wheelGeometry(isThin: boolean): BufferGeometry {
  const spokes = [0, 1, 2].map((i) =>
    shaded(new BoxGeometry(1.7, isThin ? 0.05 : 0.2, isThin ? 0.3 : 1.06).rotateZ((i * Math.PI) / 3), SPOKE),
  );
  if (isThin) return merged([hoop(0.91, 0.09, 1, TYRE), hoop(0.8, 0.05, 0.7, RIM), ...spokes]);
  return merged([
    shaded(new CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2), TYRE),
    shaded(new CylinderGeometry(0.66, 0.66, 1.02, 12).rotateX(Math.PI / 2), DISC),
    ...spokes.map((spoke) => spoke.scale(0.74, 0.74, 1)),
  ]);
}

/** A tyre or a rim around z. */
function hoop(radius: number, half: number, width: number, shade: number): BufferGeometry {
  return shaded(new TorusGeometry(radius, half, 4, 18).scale(1, 1, width / 2 / half), shade);
}
