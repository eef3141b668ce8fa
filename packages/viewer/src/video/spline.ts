/** A point in space, or any row of numbers. */
export type Point = readonly number[];

/**
 * A smooth curve through points at ascending times. Its shape is that of a centripetal Catmull-Rom spline (Yuksel,
 * Schaefer and Keyser, "On the parameterization of Catmull-Rom curves", 2009), which has no loops and no cusps; how
 * fast it is run through follows from the times by `Progress`, which never turns back. Between equal points it rests.
 */
export class Curve {
  readonly #points: readonly Point[];
  /** Ascending: the root of the distance is between two points. */
  readonly #knots: readonly number[];
  readonly #slopes: readonly Point[];
  readonly #progress: Progress;

  /** One point or more, with a time for each; `rests`: where it comes to rest. */
  constructor(times: readonly number[], points: readonly Point[], rests: readonly boolean[] = []) {
    this.#points = points;
    let knot = 0;
    this.#knots = points.map((point, i) => (knot += i === 0 ? 0 : Math.sqrt(distance(points[i - 1]!, point))));
    this.#slopes = points.map((_, i) => this.#slopeAt(i));
    this.#progress = new Progress(times, this.#knots, rests);
  }

  /** At the first point before its time, and at the last behind its. */
  at(time: number): number[] {
    const { index, value } = this.#progress.at(time);
    const [from, to] = [this.#points[index]!, this.#points[index + 1]];
    if (to === undefined) return [...from];
    const width = this.#knots[index + 1]! - this.#knots[index]!;
    if (width === 0) return [...from];
    const part = (value - this.#knots[index]!) / width;
    if (part === 0) return [...from];
    return from.map((value, k) =>
      hermite(part, value, width * this.#slopes[index]![k]!, to[k]!, width * this.#slopes[index + 1]![k]!),
    );
  }

  /** Of the curve by its knots. It rests where it meets no other point on one of its sides. */
  #slopeAt(i: number): Point {
    const [before, here, after] = [this.#points[i - 1], this.#points[i]!, this.#points[i + 1]];
    const back = before === undefined ? 0 : this.#knots[i]! - this.#knots[i - 1]!;
    const ahead = after === undefined ? 0 : this.#knots[i + 1]! - this.#knots[i]!;
    if (before === undefined && after !== undefined && ahead > 0) return here.map((v, k) => (after[k]! - v) / ahead);
    if (after === undefined && before !== undefined && back > 0) return here.map((v, k) => (v - before[k]!) / back);
    if (back === 0 || ahead === 0) return here.map(() => 0);
    return here.map(
      (v, k) => (v - before![k]!) / back - (after![k]! - before![k]!) / (back + ahead) + (after![k]! - v) / ahead,
    );
  }
}

/**
 * Numbers over time, smooth and without overshooting: between two of them it lies between them (Fritsch and Carlson,
 * "Monotone piecewise cubic interpolation", 1980).
 */
export class Progress {
  readonly #times: readonly number[];
  readonly #values: readonly number[];
  readonly #slopes: readonly number[];

  /** Times ascend; one or more. `rests`: where it is level. */
  constructor(times: readonly number[], values: readonly number[], rests: readonly boolean[] = []) {
    this.#times = times;
    this.#values = values;
    const steps = values.slice(1).map((value, i) => (value - values[i]!) / (times[i + 1]! - times[i]!));
    this.#slopes = values.map((_, i) => {
      if (rests[i] === true) return 0;
      const [back, ahead] = [steps[i - 1], steps[i]];
      // It begins and ends as it goes on, not faster than what keeps it between its neighbours.
      if (back === undefined || ahead === undefined) return back ?? ahead ?? 0;
      if (back * ahead <= 0) return 0;
      const [w, v] = [
        2 * (times[i + 1]! - times[i]!) + times[i]! - times[i - 1]!,
        times[i + 1]! + times[i]! - 2 * times[i - 1]!,
      ];
      return (w + v) / (w / back + v / ahead);
    });
  }

  /** Also the index of the last given time that is not behind `time`, 0 at least. */
  at(time: number): { readonly index: number; readonly value: number } {
    const last = this.#times.length - 1;
    if (time <= this.#times[0]!) return { index: 0, value: this.#values[0]! };
    if (time >= this.#times[last]!) return { index: last, value: this.#values[last]! };
    let index = 0;
    while (this.#times[index + 1]! <= time) index++;
    const width = this.#times[index + 1]! - this.#times[index]!;
    const part = (time - this.#times[index]!) / width;
    const [from, to] = [this.#values[index]!, this.#values[index + 1]!];
    const value = hermite(part, from, width * this.#slopes[index]!, to, width * this.#slopes[index + 1]!);
    // Rounding must not carry it beyond.
    return { index, value: Math.min(Math.max(from, to), Math.max(Math.min(from, to), value)) };
  }
}

/** From `a` to `b` as `t` goes from 0 to 1, with slopes `da` and `db` there. */
function hermite(t: number, a: number, da: number, b: number, db: number): number {
  const s = 1 - t;
  return s * s * (1 + 2 * t) * a + t * t * (1 + 2 * s) * b + t * s * (s * da - t * db);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(...a.map((value, k) => value - b[k]!));
}
