import { type BufferGeometry, CapsuleGeometry, CylinderGeometry, TorusGeometry } from "three";
import { ball, box, merged, shaded } from "./shapes.ts";

/** Users in virtual reality, in metres around what is tracked; they look along -z. */

/** A head with a headset on, and shoulders below. */
export function headsetGeometry(): BufferGeometry {
  return merged([
    shaded(ball(0, 0, 0, 0.1).scale(0.82, 1.12, 0.98).translate(0, -0.005, 0.035), 1),
    shaded(
      new CapsuleGeometry(0.045, 0.09, 6, 16)
        .rotateZ(Math.PI / 2)
        .scale(1, 1, 0.75)
        .translate(0, 0.012, -0.07),
      0.1,
    ),
    shaded(box(0, 0.012, -0.102, 0.15, 0.066, 0.012), 0.03, 0.05, 0.07),
    shaded(
      new TorusGeometry(0.098, 0.009, 8, 28)
        .rotateX(Math.PI / 2)
        .scale(0.86, 1, 0.98)
        .translate(0, 0.02, 0.025),
      0.14,
    ),
    shaded(new CylinderGeometry(0.035, 0.045, 0.09, 16).translate(0, -0.135, 0.045), 0.75),
    shaded(
      new CapsuleGeometry(0.05, 0.22, 6, 18)
        .rotateZ(Math.PI / 2)
        .scale(1, 0.9, 0.95)
        .translate(0, -0.205, 0.05),
      0.85,
    ),
    shaded(new CylinderGeometry(0.115, 0.075, 0.26, 18).scale(1, 1, 0.55).translate(0, -0.335, 0.05), 0.6),
  ]);
}

/** A hand around a controller that points ahead. */
export function controllerGeometry(): BufferGeometry {
  return merged([
    shaded(new CapsuleGeometry(0.02, 0.09, 6, 14).rotateX(Math.PI / 2 + 0.35).translate(0, -0.012, 0.02), 0.12),
    shaded(new TorusGeometry(0.045, 0.007, 8, 26).rotateX(Math.PI / 2 - 0.4).translate(0, 0.012, -0.062), 0.3),
    shaded(
      new CapsuleGeometry(0.032, 0.04, 6, 14)
        .rotateZ(Math.PI / 2)
        .scale(1, 0.8, 1.2)
        .translate(0, -0.014, 0.025),
      1,
    ),
    shaded(box(0, 0.01, -0.03, 0.012, 0.008, 0.02), 2),
  ]);
}
