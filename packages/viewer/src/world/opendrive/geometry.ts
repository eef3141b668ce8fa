import { cubicAt, lastBefore } from "./polynomial.ts";

/** A point of a reference line: metres, radians counter-clockwise from x. */
export interface LinePoint {
  x: number;
  y: number;
  heading: number;
}

/** How one element of a reference line goes on from its start (ASAM OpenDRIVE 1.7 section 7). */
export type Shape =
  | { readonly kind: "line" }
  | { readonly kind: "arc"; readonly curvature: number }
  | { readonly kind: "spiral"; readonly from: number; readonly to: number }
  | { readonly kind: "poly3"; readonly a: number; readonly b: number; readonly c: number; readonly d: number }
  | {
      readonly kind: "paramPoly3";
      /** Four numbers each: u and v by the parameter. */
      readonly u: readonly [number, number, number, number];
      readonly v: readonly [number, number, number, number];
      /** Whether the parameter goes from 0 to 1, and not to the length. */
      readonly isNormalized: boolean;
    };

export interface Piece {
  /** Where it begins on the reference line. */
  readonly start: number;
  readonly length: number;
  readonly x: number;
  readonly y: number;
  readonly heading: number;
  readonly shape: Shape;
}

/** A reference line of pieces, ascending. */
export class PlanView {
  readonly pieces: readonly Piece[];
  readonly #tables = new Map<Piece, Float64Array>();

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces.toSorted((p, q) => p.start - q.start);
  }

  /** The point at `s`; beyond the ends, the line of the first or last piece goes on. */
  at(s: number, out: LinePoint): LinePoint {
    const piece =
      this.pieces[
        Math.max(
          0,
          lastBefore(this.pieces, s, ({ start }) => start),
        )
      ];
    if (piece === undefined) return Object.assign(out, { x: 0, y: 0, heading: 0 });
    const along = Math.min(Math.max(0, s - piece.start), piece.length);
    this.#local(piece, along);
    const [cos, sin] = [Math.cos(piece.heading), Math.sin(piece.heading)];
    const heading = piece.heading + LOCAL.heading;
    // what is asked for beyond the piece lies on its tangent
    const rest = s - piece.start - along;
    out.x = piece.x + cos * LOCAL.x - sin * LOCAL.y + rest * Math.cos(heading);
    out.y = piece.y + sin * LOCAL.x + cos * LOCAL.y + rest * Math.sin(heading);
    out.heading = heading;
    return out;
  }

  /** `LOCAL` gets the point in the piece's own axes. */
  #local(piece: Piece, s: number): LinePoint {
    const { shape, length } = piece;
    switch (shape.kind) {
      case "line":
        return put(s, 0, 0);
      case "arc":
        return arc(shape.curvature, s);
      case "spiral":
        return spiral(shape.from, length > 0 ? (shape.to - shape.from) / length : 0, s);
      case "poly3": {
        const u = this.#abscissa(piece, shape, s);
        return put(u, cubicAt({ start: 0, ...shape }, u), Math.atan(slope(shape, u)));
      }
      case "paramPoly3": {
        const p = shape.isNormalized ? (length > 0 ? s / length : 0) : s;
        const [u, v] = [shape.u, shape.v];
        const du = u[1] + p * (2 * u[2] + 3 * p * u[3]);
        const dv = v[1] + p * (2 * v[2] + 3 * p * v[3]);
        return put(
          u[0] + p * (u[1] + p * (u[2] + p * u[3])),
          v[0] + p * (v[1] + p * (v[2] + p * v[3])),
          du === 0 && dv === 0 ? 0 : Math.atan2(dv, du),
        );
      }
    }
  }

  /** Where on its own x axis a cubic has gone a length. */
  #abscissa(piece: Piece, shape: Extract<Shape, { kind: "poly3" }>, s: number): number {
    let table = this.#tables.get(piece);
    if (table === undefined) {
      table = arcLengths(shape, piece.length);
      this.#tables.set(piece, table);
    }
    const last = table.length - 1;
    let [low, high] = [0, last];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (table[middle]! <= s) low = middle;
      else high = middle;
    }
    const step = piece.length / last;
    const span = table[low + 1]! - table[low]!;
    let u = step * (low + (span > 0 ? Math.min(1, (s - table[low]!) / span) : 0));
    for (let i = 0; i < 3; i++) {
      const away = table[low]! + gauss((x) => Math.hypot(1, slope(shape, x)), step * low, u) - s;
      u -= away / Math.hypot(1, slope(shape, u));
    }
    return Number.isFinite(u) ? u : s;
  }
}

const LOCAL: LinePoint = { x: 0, y: 0, heading: 0 };

function put(x: number, y: number, heading: number): LinePoint {
  LOCAL.x = x;
  LOCAL.y = y;
  LOCAL.heading = heading;
  return LOCAL;
}

function arc(curvature: number, s: number): LinePoint {
  const turned = curvature * s;
  if (Math.abs(turned) < 1e-7) return put(s, (turned * s) / 2, turned);
  return put(Math.sin(turned) / curvature, (1 - Math.cos(turned)) / curvature, turned);
}

/** Turned further between two nodes than this, radians, a clothoid is reckoned in more parts; in so many at most. */
const TURN = 0.5;
const MOST_PARTS = 256;

/** A clothoid: the integral of its direction, whose angle is a quadratic polynomial of the length. */
function spiral(from: number, rate: number, s: number): LinePoint {
  const turned = Math.abs(from * s) + Math.abs(0.5 * rate * s * s);
  const parts = Math.min(MOST_PARTS, Math.max(1, Math.ceil(turned / TURN)));
  const angle = (at: number): number => at * (from + 0.5 * rate * at);
  let [x, y] = [0, 0];
  for (let i = 0; i < parts; i++) {
    const [a, b] = [(s * i) / parts, (s * (i + 1)) / parts];
    x += gauss((at) => Math.cos(angle(at)), a, b);
    y += gauss((at) => Math.sin(angle(at)), a, b);
  }
  return put(x, y, angle(s));
}

/** Nodes and weights of the Gauss–Legendre rule with five points. */
const NODES = [0, 0.5384693101056831, 0.906179845938664] as const;
const WEIGHTS = [0.5688888888888889, 0.47862867049936647, 0.23692688505618908] as const;

function gauss(of: (at: number) => number, a: number, b: number): number {
  const [middle, half] = [(a + b) / 2, (b - a) / 2];
  let sum = WEIGHTS[0] * of(middle);
  for (let i = 1; i < NODES.length; i++)
    sum += WEIGHTS[i]! * (of(middle - half * NODES[i]!) + of(middle + half * NODES[i]!));
  return half * sum;
}

function slope({ b, c, d }: { readonly b: number; readonly c: number; readonly d: number }, u: number): number {
  return b + u * (2 * c + 3 * u * d);
}

const TABLE = 64;

function arcLengths(shape: Extract<Shape, { kind: "poly3" }>, length: number): Float64Array {
  const table = new Float64Array(TABLE + 1);
  const step = length / TABLE;
  for (let i = 1; i <= TABLE; i++)
    table[i] = table[i - 1]! + gauss((x) => Math.hypot(1, slope(shape, x)), step * (i - 1), step * i);
  return table;
}
