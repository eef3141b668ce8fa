import type { PerspectiveCamera } from "three";

/** How high what is seen is, of the distance. */
export function slope(camera: PerspectiveCamera): number {
  return 2 * Math.tan((camera.fov * Math.PI) / 360);
}
