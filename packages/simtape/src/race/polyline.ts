import { awayFrom, nearestPart } from "./segment.ts";

/** Points of a polyline at most. */
export const MOST_POINTS: number = 1 << 20;

/** Where a place lies along a polyline: written by `Polyline.project`, which allocates nothing. */
export interface Projection {
  /** Metres along the polyline from its beginning. */
  along: number;
  /** Metres from the place to the nearest point of it. */
  away: number;
}

/** Points in space that straight lines join, with the length of the way to each of them. */
export class Polyline {
  /** Three for each point, metres. */
  readonly places: Float64Array;
  /** Metres along it from the first point to each. */
  readonly along: Float64Array;
  /** Heights do not count: every point has height 0. */
  readonly isFlat: boolean;

  /** Takes over `places`, three numbers for each point. Throws `RangeError` for fewer than two points, or more than `MOST_POINTS`. */
  constructor(places: Float64Array, isFlat = false) {
    const count = places.length / 3;
    if (!Number.isInteger(count) || count < 2 || count > MOST_POINTS)
      throw new RangeError(`a polyline has 2 to ${MOST_POINTS} points of three numbers, not ${places.length} numbers`);
    if (isFlat) for (let i = 2; i < places.length; i += 3) places[i] = 0;
    this.places = places;
    this.isFlat = isFlat;
    this.along = new Float64Array(count);
    for (let i = 1; i < count; i++) {
      const at = 3 * i;
      const length = Math.hypot(
        places[at]! - places[at - 3]!,
        places[at + 1]! - places[at - 2]!,
        places[at + 2]! - places[at - 1]!,
      );
      this.along[i] = this.along[i - 1]! + length;
    }
  }

  get length(): number {
    return this.along[this.along.length - 1]!;
  }

  /**
   * The point of it that is nearest to a place, among those from `from` to `to` metres along. Of several that are equally
   * near, the first.
   */
  project(x: number, y: number, z: number, from: number, to: number, out: Projection): void {
    const { places, along } = this;
    const height = this.isFlat ? 0 : z;
    out.along = from;
    out.away = Number.POSITIVE_INFINITY;
    for (let i = this.segmentAt(from); i + 1 < along.length && along[i]! <= to; i++) {
      const at = 3 * i;
      const length = along[i + 1]! - along[i]!;
      const inside = length * nearestPart(places, at, x, y, height);
      const part = Math.max(Math.min(inside, to - along[i]!), 0, from - along[i]!);
      const away = awayFrom(places, at, length === 0 ? 0 : part / length, x, y, height);
      if (away < out.away) {
        out.away = away;
        out.along = along[i]! + part;
      }
    }
  }

  /** The place so many metres along: `out` gets three numbers. Before the beginning the first point, behind the end the last. */
  placeAt(along: number, out: Float64Array): void {
    const i = this.segmentAt(along);
    const length = this.along[i + 1]! - this.along[i]!;
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, (along - this.along[i]!) / length));
    for (let k = 0; k < 3; k++) {
      const here = this.places[3 * i + k]!;
      out[k] = here + share * (this.places[3 * i + 3 + k]! - here);
    }
  }

  /** The segment that many metres along; the last one behind the end. */
  segmentAt(along: number): number {
    let [low, high] = [0, this.along.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.along[middle]! <= along) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The same way with its points at least `spacing` metres apart; both ends stay. */
  thinned(spacing: number): Polyline {
    const kept: number[] = [0];
    const last = this.along.length - 1;
    for (let i = 1; i < last; i++) {
      if (this.along[i]! - this.along[kept.at(-1)!]! < spacing || this.length - this.along[i]! < spacing) continue;
      kept.push(i);
    }
    kept.push(last);
    const places = new Float64Array(3 * kept.length);
    for (const [k, i] of kept.entries()) places.set(this.places.subarray(3 * i, 3 * i + 3), 3 * k);
    return new Polyline(places, this.isFlat);
  }
}
