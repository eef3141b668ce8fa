import type { Column, ColumnData } from "../model/state/column.ts";
import { toEarth } from "../model/axes/geodesy.ts";
import { posesOf } from "../model/poses/pose-columns.ts";
import { areSameAxes } from "../model/axes/standard-axes.ts";
import type { EntitySet } from "../model/state/state.ts";
import { factorBetween, type Tolerance } from "./rules.ts";
import type { Rows } from "./matching.ts";

/** What errors of a column are: of single numbers, of vectors, of angles, of turns, of places on the earth, or of texts. */
export type Measure = "numbers" | "vector" | "degrees" | "radians" | "turn" | "earth" | "text";

/** How two columns are compared. */
export interface ColumnPlan {
  readonly measure: Measure;
  /** Of errors. */
  readonly unit: string | null;
  readonly width: number;
  /** Numbers of B are multiplied by this before; 1: they are of the same unit. */
  readonly factor: number;
  /** Both are turned to standard axes and metres before. */
  readonly isPose: boolean;
}

/** Columns that standard axes say something of. */
const TURNED: ReadonlySet<string> = new Set(["position", "velocity", "rotation", "orientation"]);

/** A text: the columns cannot be compared, for this reason. */
export function planOf(name: string, a: EntitySet, b: EntitySet): ColumnPlan | string {
  const one = a.columns.get(name)!;
  const other = b.columns.get(name)!;
  const [isText, isOther] = [Array.isArray(one.data), Array.isArray(other.data)];
  if (isText || isOther) {
    if (isText !== isOther) return "text in one and numbers in the other";
    return { measure: "text", unit: null, width: one.width, factor: 1, isPose: false };
  }
  const isTurned = TURNED.has(name) && !areSameAxes(a.axes, b.axes);
  const isPose = isTurned || (TURNED.has(name) && name !== "rotation" && one.unit !== other.unit);
  if (isPose) {
    if (a.axes?.kind !== b.axes?.kind) return "one on the earth, the other on a plane";
    const measure = name === "rotation" || name === "orientation" ? "turn" : "vector";
    const unit = measure === "turn" ? "deg" : name === "position" ? "m" : "m/s";
    return { measure, unit, width: measure === "turn" ? 4 : 3, factor: 1, isPose };
  }
  if (one.width !== other.width) return `${one.width} numbers in one and ${other.width} in the other`;
  const factor =
    one.unit === other.unit ? 1 : other.unit === null || one.unit === null ? 1 : factorBetween(other.unit, one.unit);
  if (factor === null) return `in ${one.unit} in one and in ${other.unit} in the other`;
  return { ...measureOf(name, one), width: one.width, factor, isPose: false };
}

function measureOf(name: string, { width, unit, interpolation }: Column): Pick<ColumnPlan, "measure" | "unit"> {
  if (interpolation === "quaternion" || (name === "orientation" && width === 4))
    return { measure: "turn", unit: "deg" };
  if (interpolation === "angle-deg") return { measure: "degrees", unit };
  if (interpolation === "angle-rad") return { measure: "radians", unit };
  if (interpolation === "geodetic") return { measure: "earth", unit: "m" };
  if (width === 3 && interpolation === "linear") return { measure: "vector", unit };
  return { measure: "numbers", unit };
}

/** What the rows of a column come to at a moment. */
export interface ColumnErrors {
  /** Rows of both that were compared. */
  rows: number;
  /** Rows of which anything differs. */
  differing: number;
  squares: number;
  /** The greatest error, and the row of A with it. */
  peak: number;
  peakRow: number;
  /** The first row of A beyond the tolerance; -1: there is none. */
  firstOver: number;
  /** Error of that row. */
  firstError: number;
}

/** A number against nothing known: apart, but it is not known how far. */
export const UNKNOWN: number = Number.MIN_VALUE;

/**
 * Compares two columns row by row. `toleranceOf` gives that of a row where rules are for single things. Cells that are equal
 * cost one comparison; nothing is made for a row.
 */
export function compareColumns(
  plan: ColumnPlan,
  cellsA: ColumnData,
  cellsB: ColumnData,
  { pairs }: Rows,
  tolerance: Tolerance,
  toleranceOf: ((row: number) => Tolerance) | null,
  into: ColumnErrors,
): void {
  const { width, factor, measure } = plan;
  into.rows = into.differing = into.squares = into.peak = 0;
  into.peakRow = into.firstOver = -1;
  into.firstError = 0;
  const rows = Math.floor(cellsA.length / width);
  for (let row = 0; row < rows; row++) {
    const other = pairs === null ? row : pairs[row]!;
    if (other < 0) continue;
    into.rows++;
    const [from, to] = [row * width, other * width];
    let isEqual = true;
    for (let k = 0; k < width; k++) {
      const [x, y] = [cellsA[from + k]!, cellsB[to + k]!];
      if (x === y && factor === 1) continue;
      // NaN is nothing known, on both sides alike
      if (Object.is(x, y)) continue;
      isEqual = false;
      break;
    }
    if (isEqual) continue;
    const error = errorOf(measure, cellsA, from, cellsB, to, width, factor);
    if (error === 0) continue;
    const bound = toleranceOf === null ? tolerance : toleranceOf(row);
    if (bound.isIgnored) continue;
    into.differing++;
    if (error > UNKNOWN) into.squares += error * error;
    if (error > into.peak) {
      into.peak = error;
      into.peakRow = row;
    }
    if (into.firstOver < 0 && isOver(error, bound, cellsA, from, cellsB, to, width, measure)) {
      into.firstOver = row;
      into.firstError = error;
    }
  }
}

function isOver(
  error: number,
  { absolute, relative }: Tolerance,
  a: ColumnData,
  from: number,
  b: ColumnData,
  to: number,
  width: number,
  measure: Measure,
): boolean {
  if (error === UNKNOWN || measure === "text") return true;
  if (relative === 0) return error > absolute;
  let greatest = 0;
  for (let k = 0; k < width; k++) {
    const size = Math.max(Math.abs(Number(a[from + k])), Math.abs(Number(b[to + k])));
    if (size > greatest) greatest = size;
  }
  return error > Math.max(absolute, relative * greatest);
}

const EARTH = new Float64Array(6);

/** 0: there is none; `UNKNOWN`: something is not known on one side only. */
function errorOf(
  measure: Measure,
  a: ColumnData,
  from: number,
  b: ColumnData,
  to: number,
  width: number,
  factor: number,
): number {
  if (measure === "text") return a[from] === b[to] ? 0 : UNKNOWN;
  let squares = 0;
  let greatest = 0;
  let sums = 0;
  for (let k = 0; k < width; k++) {
    const [x, y] = [a[from + k] as number, (b[to + k] as number) * factor];
    if (Number.isNaN(x) !== Number.isNaN(y)) return UNKNOWN;
    if (Number.isNaN(x)) continue;
    let apart = x === y ? 0 : Math.abs(x - y);
    if (measure === "degrees") apart = turned(apart, 360);
    else if (measure === "radians") apart = turned(apart, 2 * Math.PI);
    squares += apart * apart;
    if (!(apart <= greatest)) greatest = apart;
    sums += (x + y) * (x + y);
  }
  if (measure === "vector") return Math.sqrt(squares);
  // a quaternion and its negative are the same turn
  if (measure === "turn")
    return (Math.atan2(Math.sqrt(Math.min(squares, sums)), Math.sqrt(Math.max(squares, sums))) * 720) / Math.PI;
  if (measure !== "earth") return greatest;
  if (greatest === 0) return 0;
  toEarth(a[from] as number, a[from + 1] as number, 0, EARTH, 0);
  toEarth(b[to] as number, b[to + 1] as number, 0, EARTH, 3);
  const height = (a[from + 2] as number) - (b[to + 2] as number);
  return Math.max(UNKNOWN, Math.hypot(EARTH[0]! - EARTH[3]!, EARTH[1]! - EARTH[4]!, EARTH[2]! - EARTH[5]!, height));
}

function turned(apart: number, whole: number): number {
  const rest = apart % whole;
  return Math.min(rest, whole - rest);
}

/** Positions, velocities or turns of a set in standard axes and metres: as many numbers for each row as the plan says. */
export function poseCells(name: string, set: EntitySet, width: number): Float64Array {
  const cells = new Float64Array(set.ids.length * width).fill(Number.NaN);
  const poses = posesOf(set);
  if (poses === null) return cells;
  for (let row = 0; row < set.ids.length; row++) {
    if (name === "position") poses.position(row, cells, row * width);
    else if (name === "velocity") poses.velocity(row, cells, row * width);
    else poses.orientation(row, cells, row * width);
  }
  return cells;
}
