import type { Polyline, Projection } from "./polyline.ts";

/** Part of a course, and metres, by which progress may outrun the way that was made. */
const SLACK = 0.005;
const LEAST_SLACK = 0.5;
/** How much faster progress may be than the way that was made: the inside of a bend is shorter. */
const SHORTER = 2;
/** Part of a course that a shortcut leaves out at most. */
const SHORTCUT = 0.25;

/**
 * How far along a course a thing is, place after place. Progress never falls, and only what is near the last place is
 * looked at, so that a course which crosses itself, or comes by twice, is followed in order. A thing that is farther from
 * the course than its width makes no progress. It is looked for on all that it has come along, where it may begin again,
 * and on a quarter of the course ahead.
 */
export class Progress {
  /** Metres along the course that it has come. */
  along = 0;
  /** Metres from the place given last to the course. */
  away = 0;
  readonly #course: Polyline;
  readonly #slack: number;
  readonly #width: number;
  readonly #found: Projection = { along: 0, away: 0 };
  /** Where on the course it is, which is before `along` when it begins again. */
  #here = 0;
  #isBegun = false;
  #isOn = false;
  #x = 0;
  #y = 0;
  #z = 0;
  /** Metres that it went since it was looked for. */
  #lost = Number.POSITIVE_INFINITY;

  /** `width`: metres to each side. */
  constructor(course: Polyline, width: number) {
    this.#course = course;
    this.#slack = Math.max(LEAST_SLACK, course.length * SLACK);
    this.#width = width;
  }

  /** It has been on the course. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Goes on to a place, in metres. */
  to(x: number, y: number, z: number): void {
    const { length } = this.#course;
    const found = this.#found;
    const moved = this.#isBegun ? Math.hypot(x - this.#x, y - this.#y, z - this.#z) : 0;
    // a course that is a path may begin before the first place
    const reach = this.#isBegun ? SHORTER * moved + this.#slack : length * SHORTCUT;
    this.#course.project(x, y, z, this.#here, Math.min(length, this.#here + reach), found);
    let here = Math.max(this.#here, found.along);
    this.away = found.away;
    if (this.away <= this.#width) this.#lost = Number.POSITIVE_INFINITY;
    else {
      this.#lost += moved;
      if (this.#lost > this.#width / 2) {
        this.#lost = 0;
        this.#course.project(x, y, z, 0, Math.min(length, this.along + length * SHORTCUT), found);
        if (found.away < this.away / 2) {
          this.away = found.away;
          here = found.along;
        }
      }
    }
    this.#here = here;
    if (this.away <= this.#width) {
      this.along = Math.max(this.along, here);
      this.#isOn = true;
    }
    this.#isBegun = true;
    this.#x = x;
    this.#y = y;
    this.#z = z;
  }
}
