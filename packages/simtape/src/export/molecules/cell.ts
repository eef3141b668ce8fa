/** Vectors a, b, c of a periodic cell one after another: 9 numbers. */
export type CellVectors = Float64Array;

/** A cell by the lengths of its vectors, and by the angles between b and c, a and c, a and b, in degrees. */
export interface CellShape {
  readonly lengths: readonly [a: number, b: number, c: number];
  readonly angles: readonly [alpha: number, beta: number, gamma: number];
}

/** The shape of a cell; its vectors are in any unit, and so are the lengths. */
export function shapeOfCell(vectors: CellVectors): CellShape {
  const [a, b, c] = [vectors.subarray(0, 3), vectors.subarray(3, 6), vectors.subarray(6, 9)];
  return { lengths: [lengthOf(a), lengthOf(b), lengthOf(c)], angles: [angle(b, c), angle(a, c), angle(a, b)] };
}

/**
 * Whether a lies along x and b in the plane of x and y, which is where programs put a cell that is given by lengths and
 * angles alone.
 */
export function isUpright(vectors: CellVectors): boolean {
  const small = 1e-6 * Math.max(...vectors.map(Math.abs));
  const [ax, ay, az, , by, bz, , , cz] = vectors as unknown as readonly number[];
  return [ay!, az!, bz!].every((value) => Math.abs(value) <= small) && ax! > 0 && by! > 0 && cz! > 0;
}

/** Nine finite numbers of which no vector is zero, times `factor`; null for anything else. */
export function cellVectors(value: unknown, factor: number): CellVectors | null {
  if (!(Array.isArray(value) || ArrayBuffer.isView(value))) return null;
  const numbers = value as ArrayLike<unknown>;
  if (numbers.length !== 9) return null;
  const vectors = Float64Array.from(numbers as ArrayLike<number>, (one) => Number(one) * factor);
  const { lengths } = shapeOfCell(vectors);
  return lengths.every((length) => length > 0 && length < Number.POSITIVE_INFINITY) ? vectors : null;
}

function lengthOf(v: Float64Array): number {
  return Math.hypot(v[0]!, v[1]!, v[2]!);
}

function angle(v: Float64Array, w: Float64Array): number {
  const cosine = (v[0]! * w[0]! + v[1]! * w[1]! + v[2]! * w[2]!) / (lengthOf(v) * lengthOf(w));
  // exactly 90 where the vectors are perpendicular
  return cosine === 0 ? 90 : (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}
