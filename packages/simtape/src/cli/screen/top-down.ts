import type { State } from "../../model/state/state.ts";
import { Braille } from "./braille.ts";
import { type Bounds, boundsOf, labelOf, type Layer, Layers, type View, viewOf } from "./layers.ts";
import { cellsOf, cut } from "./line.ts";

/** Things that have a trail and a name on the map: where there are more, a map of them would be full. */
const NAMED = 24;
/** Places of a trail. */
const TRAIL = 400;
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

/** A thing that has a name on the map, where it was. */
interface Named {
  readonly label: string;
  readonly xs: number[];
  readonly ys: number[];
}

/** The map of one recording, from above: x to the right and y upwards, in metres. It keeps its scale until it must grow. */
export class TopDown {
  readonly #layers: Layers;
  readonly #trails = new Map<string, Named>();
  #bounds: Bounds | null = null;

  /** `foremost`: the sets that a recording is about, as `Showing.things`. */
  constructor(foremost: readonly string[] = []) {
    this.#layers = new Layers(foremost);
  }

  /** Rows of exactly `width` cells; null: nothing has a place. `isJump`: the trails end here. */
  rows(state: State, width: number, height: number, isJump: boolean): readonly string[] | null {
    const layers = this.#layers.of(state);
    if (layers.length === 0 || width < 8 || height < 3) return null;
    const named = layers[0]!;
    if (isJump || named.count > NAMED) this.#trails.clear();
    this.#bounds = boundsOf(named, this.#bounds);
    const view = viewOf(this.#bounds, 2 * width, 4 * (height - 1));
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

  #follow(layer: Layer): void {
    const { name, set, points, rows, count } = layer;
    for (let i = 0; i < count; i++) {
      const key = `${name}/${set.ids[rows[i]!]!}`;
      const trail = this.#trails.get(key) ?? { label: labelOf(layer, i), xs: [], ys: [] };
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
