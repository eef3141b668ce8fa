import { TangentPlane, unsetOrigin } from "../../model/geodesy.ts";
import { type PoseColumns, posesOf } from "../../model/pose-columns.ts";
import type { EntitySet, State } from "../../model/state.ts";
import { Braille } from "./braille.ts";
import { cellsOf, cut } from "./line.ts";

/** Things that have a trail and a name on the map: where there are more, a map of them would be full. */
const NAMED = 24;
/** Places of a trail. */
const TRAIL = 400;
/** Of the extent, on each side, when it must grow. */
const MARGIN = 0.1;
/** Cells of a name on the map. */
const NAME = 14;
/** How a length of the world is said, metres and below. */
const UNITS: readonly (readonly [unit: string, metres: number])[] = [
  ["km", 1000],
  ["m", 1],
  ["mm", 1e-3],
  ["µm", 1e-6],
  ["nm", 1e-9],
];

interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** A thing that has a name on the map, where it was. */
interface Named {
  readonly label: string;
  readonly xs: number[];
  readonly ys: number[];
}

/** The map of one recording, from above: x to the right and y upwards, in metres. It keeps its scale until it must grow. */
export class TopDown {
  readonly #foremost: readonly string[];
  readonly #origin = unsetOrigin();
  readonly #trails = new Map<string, Named>();
  #bounds: Bounds | null = null;

  /** `foremost`: the sets that a recording is about, as `Showing.things`. */
  constructor(foremost: readonly string[] = []) {
    this.#foremost = foremost;
  }

  /** Rows of exactly `width` cells; null: nothing has a place. `isJump`: the trails end here. */
  rows(state: State, width: number, height: number, isJump: boolean): readonly string[] | null {
    const layers = this.#layersOf(state);
    if (layers.length === 0 || width < 8 || height < 3) return null;
    const named = layers[0]!;
    if (isJump || named.count > NAMED) this.#trails.clear();
    this.#grow(named.points, named.count);
    const view = viewOf(this.#bounds!, 2 * width, 4 * (height - 1));
    const picture = new Braille(width, height - 1);
    for (const { points, count } of layers)
      for (let i = 0; i < count; i++) picture.dot(view.x(points[3 * i]!), view.y(points[3 * i + 1]!));
    if (named.count <= NAMED) this.#follow(named);
    for (const { xs, ys } of this.#trails.values()) {
      for (let i = 1; i < xs.length; i++)
        picture.line(view.x(xs[i - 1]!), view.y(ys[i - 1]!), view.x(xs[i]!), view.y(ys[i]!));
    }
    const rows = picture.rows();
    if (named.count <= NAMED) this.#name(rows, width, view);
    return [...rows, scaleLine(view.dots, width)];
  }

  /** Places of each set that has any, the foremost first. */
  #layersOf(state: State): Layer[] {
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

  #grow(points: Float64Array, count: number): void {
    let [left, right, bottom, top] = [Number.POSITIVE_INFINITY, -Infinity, Number.POSITIVE_INFINITY, -Infinity];
    for (let i = 0; i < count; i++) {
      left = Math.min(left, points[3 * i]!);
      right = Math.max(right, points[3 * i]!);
      bottom = Math.min(bottom, points[3 * i + 1]!);
      top = Math.max(top, points[3 * i + 1]!);
    }
    const now = this.#bounds;
    if (now !== null && left >= now.left && right <= now.right && bottom >= now.bottom && top <= now.top) return;
    if (now !== null) {
      left = Math.min(left, now.left);
      right = Math.max(right, now.right);
      bottom = Math.min(bottom, now.bottom);
      top = Math.max(top, now.top);
    }
    // a single place has no extent
    const margin = Math.max(right - left, top - bottom) * MARGIN || 1;
    this.#bounds = { left: left - margin, right: right + margin, bottom: bottom - margin, top: top + margin };
  }

  #follow({ name, set, points, rows, count }: Layer): void {
    const labels = set.columns.get("label")?.data;
    for (let i = 0; i < count; i++) {
      const id = set.ids[rows[i]!]!;
      const key = `${name}/${id}`;
      const label = labels?.[rows[i]!];
      const trail = this.#trails.get(key) ?? {
        label: typeof label === "string" && label !== "" ? label : String(id),
        xs: [],
        ys: [],
      };
      this.#trails.set(key, trail);
      trail.xs.push(points[3 * i]!);
      trail.ys.push(points[3 * i + 1]!);
      if (trail.xs.length <= TRAIL) continue;
      trail.xs.shift();
      trail.ys.shift();
    }
  }

  /** Names beside the things, where another name does not stand. */
  #name(rows: string[], width: number, view: View): void {
    const taken = rows.map(() => new Uint8Array(width));
    for (const { label, xs, ys } of this.#trails.values()) {
      const row = Math.floor(view.y(ys.at(-1)!) / 4);
      const column = Math.floor(view.x(xs.at(-1)!) / 2) + 1;
      const text = cut(label, NAME);
      const cells = cellsOf(text);
      if (rows[row] === undefined || column < 1 || column + cells > width) continue;
      // a name with wide letters has fewer letters than cells
      if (cells !== text.length || taken[row]!.subarray(column, column + cells).includes(1)) continue;
      taken[row]!.fill(1, column, column + cells + 1);
      rows[row] = rows[row]!.slice(0, column) + text + rows[row]!.slice(column + cells);
    }
  }
}

/** The things of a set that have a place. */
interface Layer {
  readonly name: string;
  readonly set: EntitySet;
  /** x, y, z of each, metres. */
  readonly points: Float64Array;
  /** The row of each in the set. */
  readonly rows: readonly number[];
  readonly count: number;
}

interface View {
  /** From metres to dots. */
  x(x: number): number;
  y(y: number): number;
  /** Dots for each metre. */
  readonly dots: number;
}

function viewOf(bounds: Bounds, across: number, down: number): View {
  const { left, right, bottom, top } = bounds;
  const dots = Math.min((across - 1) / (right - left), (down - 1) / (top - bottom));
  const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
  return {
    x: (x) => across / 2 + (x - middleX) * dots,
    y: (y) => down / 2 - (y - middleY) * dots,
    dots,
  };
}

/** `├────┤ 20 m`: a length of 1, 2 or 5 that takes about a quarter of the map. */
function scaleLine(dots: number, width: number): string {
  const most = width / 4;
  const power = 10 ** Math.floor(Math.log10((2 * most) / dots));
  const length = [5, 2, 1].map((digit) => digit * power).find((metres) => (metres * dots) / 2 <= most) ?? power;
  const cells = Math.max(2, Math.round((length * dots) / 2));
  const [unit, metres] = UNITS.find(([, one]) => length >= one * 0.999) ?? UNITS.at(-1)!;
  const text = `├${"─".repeat(cells - 2)}┤ ${Number((length / metres).toPrecision(3))} ${unit}`;
  return cut(text, width).padEnd(width);
}
