/** Nanoseconds of a radian of two steps: 1.8 strides a second, as the game has them. */
const RADIAN = 88e6;
/** Metres per second at which arms and legs swing as far as they do. */
const BRISK = 2.2;
/** Radians. */
const WIDEST = 0.75;

/**
 * Angle of the left leg of who goes at a pace, metres a second, at a time, nanoseconds; the right leg's is the opposite.
 * It swings with the time, as far as one is quick: whichever way a time is come to, it is the same. Those who go beside
 * each other do not march in step. Not known: who stands.
 */
export function swingOf(id: number | string, time: number, pace: number): number {
  const own = Number.parseInt(id as string, 36) || 0;
  return WIDEST * Math.min(1, pace / BRISK || 0) * Math.sin(time / RADIAN + own);
}
