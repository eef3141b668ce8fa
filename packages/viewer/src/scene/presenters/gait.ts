/** Metres per second at which arms and legs swing as far as they do. */
const BRISK = 2.2;
/** Radians. */
const WIDEST = 0.75;
/** Faster, it was put there; metres per second. */
const LEAP = 40;
/** Radians from the step of one to that of the next: no two near each other step alike. */
const APART = 2.4;

/**
 * Angle of the left leg of one who walks, the right leg's is the opposite; `step` is the time of two steps in seconds. It
 * comes of the time and the speed then, so that a time has one picture: the steps are as long as they are quick.
 */
export function swingOf(id: number | string, time: number, speed: number, step: number): number {
  if (!(speed < LEAP)) return 0;
  const phase = (2 * Math.PI * time) / (1e9 * step) + APART * numberOf(id);
  return Math.sin(phase) * WIDEST * Math.min(1, speed / BRISK);
}

function numberOf(id: number | string): number {
  return typeof id === "number" ? id : id.length;
}
