/** Blocks, y up. */
export type Point = readonly [x: number, y: number, z: number];

/** A box in the world; its faces belong to it. */
export class Box {
  readonly #low: Point;
  readonly #high: Point;

  private constructor(low: Point, high: Point) {
    this.#low = low;
    this.#high = high;
  }

  /** Makes the box between two corners. */
  static between(a: Point, b: Point): Box {
    const [low, high] = [Math.min, Math.max].map((pick) => a.map((value, i) => pick(value, b[i]!)));
    return new Box(low as unknown as Point, high as unknown as Point);
  }

  has(point: Point): boolean {
    return point.every((value, i) => value >= this.#low[i]! && value <= this.#high[i]!);
  }

  /** Whether a straight path touches it. */
  isCrossed(from: Point, to: Point): boolean {
    // the parts of the path, from 0 to 1, that are inside on all axes examined so far
    let [enter, leave] = [0, 1];
    for (let i = 0; i < 3; i++) {
      const way = to[i]! - from[i]!;
      const [toLow, toHigh] = [this.#low[i]! - from[i]!, this.#high[i]! - from[i]!];
      if (way === 0) {
        if (toLow > 0 || toHigh < 0) return false;
        continue;
      }
      enter = Math.max(enter, Math.min(toLow / way, toHigh / way));
      leave = Math.min(leave, Math.max(toLow / way, toHigh / way));
    }
    return enter <= leave;
  }
}
