import type { SceneryPart } from "../companion.ts";
import type { Placing } from "./placing.ts";

/** Metres at which one colour ends and the next begins; below the first is water. */
export const BOUNDS: readonly number[] = [0.5, 60, 150, 300, 600, 1000, 1600, 2500, 3500];

/** Name of the paint of a height. */
export function bandOf(height: number): string {
  const found = BOUNDS.findIndex((bound) => height < bound);
  return `height-${found < 0 ? BOUNDS.length : found}`;
}

/**
 * Triangles through heights, one part for each colour. `heights`: row by row from the north-west, NaN where it is not
 * known. Places are relative to `middle`: degrees north, degrees east, metres; or metres east, north, up.
 */
export function bandsOf(
  heights: Float32Array,
  width: number,
  height: number,
  { west, south, east, north, isGeodetic, isArea }: Placing,
  middle: readonly [number, number, number],
): SceneryPart[] {
  const [dx, dy] = isArea
    ? [(east - west) / width, (north - south) / height]
    : [(east - west) / (width - 1), (north - south) / (height - 1)];
  const half = isArea ? 0.5 : 0;
  const placeOf = (point: number, out: Float64Array): void => {
    const [column, row] = [point % width, Math.floor(point / width)];
    const [x, y] = [west + (column + half) * dx, north - (row + half) * dy];
    out[0] = (isGeodetic ? y : x) - middle[0];
    out[1] = (isGeodetic ? x : y) - middle[1];
    out[2] = heights[point]! - middle[2];
  };
  const triangles = new Map<string, number[]>();
  const add = (a: number, b: number, c: number): void => {
    const mean = (heights[a]! + heights[b]! + heights[c]!) / 3;
    if (Number.isNaN(mean)) return;
    const band = bandOf(mean);
    const list = triangles.get(band);
    if (list === undefined) triangles.set(band, [a, b, c]);
    else list.push(a, b, c);
  };
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const a = row * width + column;
      add(a, a + width, a + 1);
      add(a + 1, a + width, a + width + 1);
    }
  }
  const normals = normalsOf(heights, width, height, isGeodetic ? metresOf(dx, dy, middle[0]) : [dx, dy]);
  const numbers = new Int32Array(heights.length);
  const place = new Float64Array(3);
  return [...triangles]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([paint, points]) => {
      numbers.fill(-1);
      const index = new Uint32Array(points.length);
      const own: number[] = [];
      for (const [i, point] of points.entries()) {
        if (numbers[point] === -1) numbers[point] = own.push(point) - 1;
        index[i] = numbers[point]!;
      }
      const positions = new Float32Array(3 * own.length);
      const ofPart = new Float32Array(3 * own.length);
      for (const [i, point] of own.entries()) {
        placeOf(point, place);
        positions.set(place, 3 * i);
        ofPart.set(normals.subarray(3 * point, 3 * point + 3), 3 * i);
      }
      return { paint, positions, normals: ofPart, index };
    });
}

/** Metres along a step of so many degrees east and north. */
function metresOf(dx: number, dy: number, latitude: number): readonly [number, number] {
  const degree = (6_371_000 * Math.PI) / 180;
  return [dx * degree * Math.max(0.01, Math.cos((latitude * Math.PI) / 180)), dy * degree];
}

/** Of the slopes to the points beside each; over a gap, as if it were level. East, north, up. */
function normalsOf(
  heights: Float32Array,
  width: number,
  height: number,
  [dx, dy]: readonly [number, number],
): Float32Array {
  const normals = new Float32Array(3 * heights.length);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = row * width + column;
      const [left, right] = [at - (column > 0 ? 1 : 0), at + (column + 1 < width ? 1 : 0)];
      const [above, below] = [at - (row > 0 ? width : 0), at + (row + 1 < height ? width : 0)];
      const east = (heights[right]! - heights[left]!) / (dx * (right - left)) || 0;
      const north = (heights[above]! - heights[below]!) / (dy * ((below - above) / width)) || 0;
      const length = Math.hypot(east, north, 1);
      normals[3 * at] = -east / length;
      normals[3 * at + 1] = -north / length;
      normals[3 * at + 2] = 1 / length;
    }
  }
  return normals;
}
