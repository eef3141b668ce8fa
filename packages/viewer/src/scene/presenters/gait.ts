/** Metres of two steps. */
const STRIDE = 1.5;
/** Metres per second at which arms and legs swing as far as they do. */
const BRISK = 2.2;
/** Radians. */
const WIDEST = 0.75;
/** Farther between two frames, it was put there, metres. */
const LEAP = 4;

interface Step {
  x: number;
  z: number;
  time: number;
  phase: number;
  /** NaN: seen once. */
  speed: number;
}

/** How those who walk swing their legs: by the way they have come, forwards and backwards, as far as they are quick. */
export class Gait {
  readonly #steps = new Map<number | string, Step>();

  /** Angle of the left leg at a time, nanoseconds, and a place, metres; the right leg's is the opposite. */
  swing(id: number | string, time: number, x: number, z: number): number {
    let step = this.#steps.get(id);
    if (step === undefined) {
      step = { x, z, time, phase: 1, speed: Number.NaN };
      this.#steps.set(id, step);
    }
    const way = Math.hypot(x - step.x, z - step.z);
    const passed = Math.abs(time - step.time) / 1e9;
    if (way > LEAP) {
      step.speed = Number.NaN;
    } else if (passed > 0) {
      step.speed = way / passed;
      step.phase = (step.phase + (way / STRIDE) * 2 * Math.PI) % (2 * Math.PI);
    }
    step.x = x;
    step.z = z;
    step.time = time;
    // Who was seen once may as well walk.
    const part = Number.isNaN(step.speed) ? 0.6 : Math.min(1, step.speed / BRISK);
    return Math.sin(step.phase) * WIDEST * part;
  }
}
