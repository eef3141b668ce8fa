import { type BufferGeometry, ConeGeometry, CylinderGeometry } from "three";
import { box, merged, shaded } from "./shapes.ts";

/** A flat arrow, 1 m long. */
export function arrowGeometry(): BufferGeometry {
  return shaded(new ConeGeometry(0.4, 1, 3).rotateZ(-Math.PI / 2).scale(1, 0.2, 1), 1);
}

/** A round robot, 1 m across, 1 m high: wheels, bumper, a lid with an arrow ahead, and a turret with its scanner. */
export function robotGeometry(): BufferGeometry {
  const disc = (y: number, height: number, below: number, above = below): BufferGeometry =>
    new CylinderGeometry(above, below, height, 36).translate(0, y, 0);
  return merged([
    shaded(disc(0.14, 0.12, 0.46, 0.48), 0.14),
    shaded(disc(0.3, 0.2, 0.5), 1),
    shaded(disc(0.43, 0.06, 0.5, 0.47), 0.55),
    shaded(disc(0.49, 0.06, 0.44, 0.42), 1),
    shaded(disc(0.24, 0.05, 0.507), 2.4, 2.4, 2.4),
    shaded(disc(0.64, 0.24, 0.17), 0.18),
    shaded(disc(0.72, 0.05, 0.175), 0.9, 0.18, 0.14),
    shaded(disc(0.8, 0.08, 0.19, 0.16), 0.4),
    shaded(
      new ConeGeometry(0.13, 0.26, 3)
        .rotateZ(-Math.PI / 2)
        .scale(1, 0.12, 1)
        .translate(0.3, 0.53, 0),
      2.6,
      2.6,
      2.6,
    ),
    ...[-1, 1].map((side) =>
      shaded(new CylinderGeometry(0.17, 0.17, 0.09, 20).rotateX(Math.PI / 2).translate(0, 0.17, side * 0.43), 0.08),
    ),
    shaded(box(0.42, 0.3, 0, 0.14, 0.1, 0.26), 0.1),
  ]);
}
