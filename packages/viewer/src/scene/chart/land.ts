/** A map in TopoJSON as far as it is used here: lines in steps from place to place. */
export interface Topology {
  readonly transform: { readonly scale: readonly number[]; readonly translate: readonly number[] };
  readonly arcs: readonly (readonly (readonly number[])[])[];
}

/** Edges of the map itself, which are no coast, degrees. */
const [LAST, SOUTH] = [179.99, -89];

/**
 * Lines of a map, each a run of degrees east and north, two a place. Source of the steps: TopoJSON specification, section "Arcs"
 * (quantized arcs are deltas, scaled and translated).
 */
export function linesOf({ transform, arcs }: Topology): Float64Array[] {
  const [[sx, sy], [tx, ty]] = [transform.scale as [number, number], transform.translate as [number, number]];
  return arcs.flatMap((arc) => {
    const lines: number[][] = [[]];
    let [x, y] = [0, 0];
    for (const [dx, dy] of arc) {
      x += dx!;
      y += dy!;
      const [east, north] = [x * sx + tx, y * sy + ty];
      if (Math.abs(east) > LAST || north < SOUTH) lines.push([]);
      else lines.at(-1)!.push(east, north);
    }
    return lines.filter(({ length }) => length >= 4).map((line) => Float64Array.from(line));
  });
}

/** Pieces of lines within so many metres of a place, each from its first to its second end: four numbers, in degrees. */
export function piecesNear(lines: readonly Float64Array[], north: number, east: number, metres: number): Float64Array {
  const pieces: number[] = [];
  for (const line of lines) {
    for (let at = 0; at + 3 < line.length; at += 2) {
      const [x0, y0, x1, y1] = [line[at]!, line[at + 1]!, line[at + 2]!, line[at + 3]!];
      if (away(north, east, y0, x0) < metres || away(north, east, y1, x1) < metres) pieces.push(x0, y0, x1, y1);
    }
  }
  return Float64Array.from(pieces);
}

const RADIUS = 6_371_000;
const DEGREE = Math.PI / 180;

/** Metres along a great circle. */
function away(north: number, east: number, otherNorth: number, otherEast: number): number {
  const [up, along] = [(otherNorth - north) * DEGREE, (otherEast - east) * DEGREE];
  const part =
    Math.sin(up / 2) ** 2 + Math.cos(north * DEGREE) * Math.cos(otherNorth * DEGREE) * Math.sin(along / 2) ** 2;
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(part)));
}
