import { TangentPlane, unsetOrigin } from "../../model/axes/geodesy.ts";
import { type PoseColumns, posesOf } from "../../model/poses/pose-columns.ts";
import type { EntitySet, State } from "../../model/state/state.ts";

/** The things of a set that have a place. */
export interface Layer {
  readonly name: string;
  readonly set: EntitySet;
  /** x, y, z of each, metres. */
  readonly points: Float64Array;
  /** The row of each in the set. */
  readonly rows: readonly number[];
  readonly count: number;
}

/** A rectangle from above, metres. */
export interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** Of the extent, on each side. */
const MARGIN = 0.1;

/** Finds where things are; what is geodetic lies on one plane for all states that are given to it. */
export class Layers {
  readonly #foremost: readonly string[];
  readonly #origin = unsetOrigin();

  /** `foremost`: the sets that a recording is about, as `Showing.things`. */
  constructor(foremost: readonly string[] = []) {
    this.#foremost = foremost;
  }

  /** Places of each set that has any, the foremost first. */
  of(state: State): Layer[] {
    const layers: Layer[] = [];
    for (const [name, set] of state.sets) {
      const poses = posesOf(set);
      if (poses === null) continue;
      const layer = this.#layerOf(name, set, poses);
      if (layer.count > 0) layers.push(layer);
    }
    const rank = ({ name }: Layer): number => {
      const at = this.#foremost.indexOf(name);
      return at < 0 ? this.#foremost.length : at;
    };
    return layers.sort((a, b) => rank(a) - rank(b));
  }

  #layerOf(name: string, set: EntitySet, poses: PoseColumns): Layer {
    const points = new Float64Array(3 * set.ids.length);
    const rows: number[] = [];
    let count = 0;
    let plane: TangentPlane | null = null;
    for (let row = 0; row < set.ids.length; row++) {
      const at = 3 * count;
      if (!(poses.isGeodetic ? poses.geodetic(row, points, at) : poses.position(row, points, at))) continue;
      if (poses.isGeodetic) {
        const [latitude, longitude, altitude] = [points[at]!, points[at + 1]!, points[at + 2]!];
        if (!this.#origin.isSet) Object.assign(this.#origin, { latitude, longitude, altitude, isSet: true });
        plane ??= new TangentPlane(this.#origin);
        plane.fromGeodetic(latitude, longitude, altitude, points, at);
      }
      rows.push(row);
      count++;
    }
    return { name, set, points, rows, count };
  }
}

/** A rectangle that has the things of a layer in it: `before` where that has them all, else a larger one. */
export function boundsOf({ points, count }: Layer, before: Bounds | null): Bounds {
  let { left, right, bottom, top } = before ?? {
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    bottom: Number.POSITIVE_INFINITY,
    top: Number.NEGATIVE_INFINITY,
  };
  let isOutside = before === null;
  for (let i = 0; i < count; i++) {
    const [x, y] = [points[3 * i]!, points[3 * i + 1]!];
    isOutside ||= x < left || x > right || y < bottom || y > top;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  if (before !== null && !isOutside) return before;
  // a single place has no extent
  const margin = Math.max(right - left, top - bottom) * MARGIN || 1;
  return { left: left - margin, right: right + margin, bottom: bottom - margin, top: top + margin };
}

/** From metres to dots of a picture, whose y goes down. */
export interface View {
  x(x: number): number;
  y(y: number): number;
  /** Dots for each metre. */
  readonly dots: number;
}

/** The view of a rectangle in a picture of so many dots, undistorted. */
export function viewOf({ left, right, bottom, top }: Bounds, across: number, down: number): View {
  const dots = Math.min((across - 1) / (right - left), (down - 1) / (top - bottom));
  const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
  return {
    x: (x) => across / 2 + (x - middleX) * dots,
    y: (y) => down / 2 - (y - middleY) * dots,
    dots,
  };
}

/** What a thing is called: its label, else its id. */
export function labelOf({ set, rows }: Layer, i: number): string {
  const row = rows[i]!;
  const label = set.columns.get("label")?.data[row];
  return typeof label === "string" && label !== "" ? label : String(set.ids[row]);
}
