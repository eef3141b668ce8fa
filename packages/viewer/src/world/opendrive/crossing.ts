import type { Meshes } from "./meshes.ts";

/** Metres: of one cell, and cells along each side at most. */
const CELL = 0.25;
const MOST_CELLS = 600;
/** Square metres: a larger hole is an island, and meant. */
const LARGEST_HOLE = 80;

/**
 * What the lanes of a junction cover, as a grid: between the ways through a crossing there are holes, which are road, too.
 */
export class Crossing {
  readonly #quads: Float64Array[] = [];

  add(quad: Float64Array): void {
    this.#quads.push(quad.slice());
  }

  /** Fills the holes. */
  fill(paint: string, meshes: Meshes): void {
    const box = this.#box();
    if (box === null) return;
    const [x0, y0, width, depth] = box;
    const cell = Math.max(CELL, Math.max(width, depth) / MOST_CELLS);
    const [columns, rows] = [Math.ceil(width / cell) + 3, Math.ceil(depth / cell) + 3];
    // one cell around it is outside for certain
    const [left, bottom] = [x0 - 1.5 * cell, y0 - 1.5 * cell];
    const heights = new Float32Array(columns * rows).fill(Number.NaN);
    for (const quad of this.#quads) {
      raster(quad, [0, 1, 2], heights, columns, rows, left, bottom, cell);
      raster(quad, [0, 2, 3], heights, columns, rows, left, bottom, cell);
    }
    const outside = flood(heights, columns, rows);
    for (const hole of holesOf(heights, outside, columns)) {
      if (hole.cells.length * cell * cell > LARGEST_HOLE || Number.isNaN(hole.height)) continue;
      for (const [row, first, last] of runsOf(hole.cells, columns)) {
        const [xa, xb] = [left + (first - 1) * cell, left + (last + 2) * cell];
        const [ya, yb] = [bottom + (row - 1) * cell, bottom + (row + 2) * cell];
        const z = hole.height;
        meshes.polygon(paint, [xa, ya, z, xb, ya, z, xb, yb, z, xa, yb, z]);
      }
    }
  }

  #box(): readonly [number, number, number, number] | null {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const quad of this.#quads) {
      for (let k = 0; k < 12; k += 3) {
        x0 = Math.min(x0, quad[k]!);
        x1 = Math.max(x1, quad[k]!);
        y0 = Math.min(y0, quad[k + 1]!);
        y1 = Math.max(y1, quad[k + 1]!);
      }
    }
    return Number.isFinite(x1 - x0 + y1 - y0) ? [x0, y0, x1 - x0, y1 - y0] : null;
  }
}

/** Cells whose middle is in a triangle get its height there. */
function raster(
  quad: Float64Array,
  [a, b, c]: readonly [number, number, number],
  heights: Float32Array,
  columns: number,
  rows: number,
  left: number,
  bottom: number,
  cell: number,
): void {
  const [ax, ay, bx, by, cx, cy] = [
    quad[3 * a]!,
    quad[3 * a + 1]!,
    quad[3 * b]!,
    quad[3 * b + 1]!,
    quad[3 * c]!,
    quad[3 * c + 1]!,
  ];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (Math.abs(area) < 1e-9) return;
  const height = (quad[3 * a + 2]! + quad[3 * b + 2]! + quad[3 * c + 2]!) / 3;
  const [column0, column1] = [
    Math.floor((Math.min(ax, bx, cx) - left) / cell),
    Math.ceil((Math.max(ax, bx, cx) - left) / cell),
  ];
  const [row0, row1] = [
    Math.floor((Math.min(ay, by, cy) - bottom) / cell),
    Math.ceil((Math.max(ay, by, cy) - bottom) / cell),
  ];
  for (let row = Math.max(0, row0); row <= Math.min(rows - 1, row1); row++) {
    const y = bottom + (row + 0.5) * cell;
    for (let column = Math.max(0, column0); column <= Math.min(columns - 1, column1); column++) {
      const x = left + (column + 0.5) * cell;
      const u = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area;
      const v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area;
      if (u >= -0.01 && v >= -0.01 && u + v <= 1.01) heights[row * columns + column] = height;
    }
  }
}

/** Cells that are reached from the edge over cells that are not covered. */
function flood(heights: Float32Array, columns: number, rows: number): Uint8Array {
  const outside = new Uint8Array(heights.length);
  const ahead = [0];
  outside[0] = 1;
  while (ahead.length > 0) {
    const at = ahead.pop()!;
    const column = at % columns;
    for (const [next, isThere] of [
      [at - 1, column > 0],
      [at + 1, column < columns - 1],
      [at - columns, at >= columns],
      [at + columns, at < columns * (rows - 1)],
    ] as const) {
      if (!isThere || outside[next] !== 0 || !Number.isNaN(heights[next]!)) continue;
      outside[next] = 1;
      ahead.push(next);
    }
  }
  return outside;
}

/** Connected cells that are neither covered nor outside, and the mean height around them. */
function* holesOf(
  heights: Float32Array,
  outside: Uint8Array,
  columns: number,
): Generator<{ readonly cells: number[]; readonly height: number }> {
  const seen = outside.slice();
  for (let start = 0; start < heights.length; start++) {
    if (seen[start] !== 0 || !Number.isNaN(heights[start]!)) continue;
    const cells = [start];
    seen[start] = 1;
    let [sum, count] = [0, 0];
    // what is appended is walked, too
    for (const at of cells) {
      for (const next of [at - 1, at + 1, at - columns, at + columns]) {
        const height = heights[next] ?? Number.NaN;
        if (!Number.isNaN(height)) {
          sum += height;
          count++;
        } else if (seen[next] === 0) {
          seen[next] = 1;
          cells.push(next);
        }
      }
    }
    yield { cells, height: sum / count };
  }
}

/** Cells side by side: row, first and last column. */
function* runsOf(cells: readonly number[], columns: number): Generator<readonly [number, number, number]> {
  const sorted = cells.toSorted((a, b) => a - b);
  let first = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[i - 1]! + 1 && sorted[i]! % columns !== 0) continue;
    yield [Math.floor(sorted[first]! / columns), sorted[first]! % columns, sorted[i - 1]! % columns];
    first = i;
  }
}
