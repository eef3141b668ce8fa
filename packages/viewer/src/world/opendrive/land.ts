import type { SceneryPart } from "../companion.ts";
import { normalsOf } from "./meshes.ts";

/** Roads whose heights differ by less than this, metres, need no land of their own: the flat ground is as good. */
const FLAT = 1;
/** Cells along the longer side, at most, and how small one is at least, metres. */
const MOST_CELLS = 220;
const SMALLEST = 5;
/** Metres that it lies below the lowest road nearby, and that it reaches beyond all roads. */
const BELOW = 0.25;
const MARGIN = 160;
/** What lies on the ground. */
const PAVED: ReadonlySet<string> = new Set(["fill", "verge", "walk", "shoulder", "parking", "cycle", "rail", "road"]);

/**
 * The land between roads that go up and down, as a net of heights: below every road, from one to the next without steps,
 * and down to the lowest of them at its edges. Null: they are as good as flat. Corners are relative to what those of the
 * parts are.
 */
export function landOf(parts: readonly SceneryPart[]): SceneryPart | null {
  const paved = parts.filter(({ paint }) => PAVED.has(paint));
  const [low, high] = boundsOf(paved);
  if (!(high[2]! - low[2]! > FLAT)) return null;
  const [width, depth] = [high[0]! - low[0]! + 2 * MARGIN, high[1]! - low[1]! + 2 * MARGIN];
  const size = Math.max(SMALLEST, Math.max(width, depth) / MOST_CELLS);
  const [left, front] = [low[0]! - MARGIN, low[1]! - MARGIN];
  const [columns, rows] = [Math.ceil(width / size) + 1, Math.ceil(depth / size) + 1];
  const lowest = new Float32Array(columns * rows).fill(Number.NaN);
  // Each corner of the net is below all roads in the four cells that meet there.
  const sink = (x: number, y: number, z: number): void => {
    const corner = Math.floor((y - front) / size) * columns + Math.floor((x - left) / size);
    for (const at of [corner, corner + 1, corner + columns, corner + columns + 1])
      if (!(lowest[at]! <= z - BELOW)) lowest[at] = z - BELOW;
  };
  for (const part of paved) forEachPlace(part, size, sink);
  const heights = filled(lowest, columns, rows);
  const reach = MARGIN / size;
  const positions = new Float32Array(3 * columns * rows);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const at = j * columns + i;
      const part = Math.min(1, Math.min(i, j, columns - 1 - i, rows - 1 - j) / reach);
      const height = low[2]! - BELOW + (heights[at]! - low[2]! + BELOW) * part * part * (3 - 2 * part);
      positions.set([left + i * size, front + j * size, height], 3 * at);
    }
  }
  const index = new Uint32Array(6 * (columns - 1) * (rows - 1));
  let to = 0;
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const at = j * columns + i;
      index.set([at, at + 1, at + columns, at + 1, at + columns + 1, at + columns], to);
      to += 6;
    }
  }
  return { paint: "land", positions, normals: normalsOf(positions, index), index };
}

/** Places all over the triangles of a part, no farther from one another than `step`. */
function forEachPlace(
  { positions: p, index }: SceneryPart,
  step: number,
  visit: (x: number, y: number, z: number) => void,
): void {
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [3 * index[i]!, 3 * index[i + 1]!, 3 * index[i + 2]!];
    const [ux, uy, uz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
    const [vx, vy, vz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
    const longest = Math.max(Math.hypot(ux, uy), Math.hypot(vx, vy), Math.hypot(ux - vx, uy - vy));
    const parts = Math.ceil(longest / step) || 1;
    for (let m = 0; m <= parts; m++) {
      for (let n = 0; n <= parts - m; n++) {
        const [u, v] = [m / parts, n / parts];
        visit(p[a]! + u * ux + v * vx, p[a + 1]! + u * uy + v * vy, p[a + 2]! + u * uz + v * vz);
      }
    }
  }
}

function boundsOf(all: readonly SceneryPart[]): readonly [number[], number[]] {
  const [low, high] = [
    new Array<number>(3).fill(Number.POSITIVE_INFINITY),
    new Array<number>(3).fill(Number.NEGATIVE_INFINITY),
  ];
  for (const { positions } of all) {
    for (let at = 0; at < positions.length; at++) {
      const k = at % 3;
      low[k] = Math.min(low[k]!, positions[at]!);
      high[k] = Math.max(high[k]!, positions[at]!);
    }
  }
  return [low, high];
}

/** Heights where none is known (NaN) from those around: from a net that is half as fine, over again. */
function filled(heights: Float32Array, columns: number, rows: number): Float32Array {
  if (!heights.some(Number.isNaN)) return heights;
  const [halfColumns, halfRows] = [(columns + 1) >> 1, (rows + 1) >> 1];
  if (halfColumns === columns && halfRows === rows) return heights.map((height) => (Number.isNaN(height) ? 0 : height));
  const sums = new Float32Array(halfColumns * halfRows);
  const counts = new Float32Array(halfColumns * halfRows);
  for (let at = 0; at < heights.length; at++) {
    if (Number.isNaN(heights[at]!)) continue;
    const half = (Math.floor(at / columns) >> 1) * halfColumns + ((at % columns) >> 1);
    sums[half]! += heights[at]!;
    counts[half]!++;
  }
  const coarse = filled(
    sums.map((sum, at) => sum / counts[at]!),
    halfColumns,
    halfRows,
  );
  return heights.map((height, at) => {
    if (!Number.isNaN(height)) return height;
    // The middle of a coarse cell is between two fine ones.
    const [x, y] = [((at % columns) - 0.5) / 2, (Math.floor(at / columns) - 0.5) / 2];
    const [i, j] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
    const [i1, j1] = [Math.min(halfColumns - 1, i + 1), Math.min(halfRows - 1, j + 1)];
    const [u, v] = [Math.max(0, x - i), Math.max(0, y - j)];
    const [below, above] = [j, j1].map(
      (row) => coarse[row * halfColumns + i]! * (1 - u) + coarse[row * halfColumns + i1]! * u,
    );
    return below! * (1 - v) + above! * v;
  });
}
