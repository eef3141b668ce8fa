/** Strides a second of who walks; who runs makes twice as many. */
const CADENCE = 1.4;
/** Metres per second at which arms and legs swing as far as they do. */
const BRISK = 2.2;
/** Radians. */
const WIDEST = 0.75;

/**
 * Angle of the left leg of who goes at a pace, metres a second, at a time, nanoseconds; the right leg's is the opposite.
 * It swings with the time, as far as one is quick: whichever way a time is come to, it is the same. Not known: who
 * stands.
 */
export function swingOf(id: number | string, time: number, pace: number): number {
  if (!(pace > 0)) return 0;
  const walks = Math.min(1, pace / BRISK);
  const runs = Math.min(1, Math.max(0, pace / BRISK - 1));
  // who walk beside each other do not march
  const phase = 2 * Math.PI * ((time / 1e9) * CADENCE + 0.618 * (Number(id) || 0));
  return WIDEST * ((walks - runs) * Math.sin(phase) + runs * Math.sin(2 * phase));
}
