import { type EntitySet, PoseColumns, type State } from "simtape";
import type { Thing } from "../subject.ts";
import type { Measure } from "./measuring.ts";

/** Half axes of the earth, metres (WGS 84), by its eccentricity. */
const EQUATOR = 6_378_137;
const SQUARED_ECCENTRICITY = 6.694_379_990_14e-3;

/** What is measured at one moment; an absent number is not known. */
export interface Numbers {
  /** Metres; of two things. */
  readonly distance?: number;
  /** Degrees; of three things 0 to 180, of four -180 to 180. */
  readonly angle?: number;
  /** Metres a second at which two things come nearer to each other, by the velocities that are recorded. */
  readonly closing?: number;
}

type Point = [number, number, number];

/** Reads the positions of things from states; it keeps what it reads with. */
export class Gauge {
  readonly #columns = new PoseColumns();

  /** Null: not all of its things are there. */
  numbers({ things }: Measure, state: State): Numbers | null {
    const points = things.map((thing) => this.#placeOf(thing, state));
    if (points.some((point) => point === null)) return null;
    const [a, b, c, d] = points as Point[];
    if (c === undefined) return this.#ofTwo(things, state, a!, b!);
    return { angle: d === undefined ? angleAt(b!, a!, c) : dihedral(a!, b!, c, d) };
  }

  #ofTwo([first, second]: readonly Thing[], state: State, a: Point, b: Point): Numbers {
    const way = minus(b, a);
    const distance = Math.hypot(...way);
    const [v, w] = [this.#speedOf(first!, state), this.#speedOf(second!, state)];
    if (v === null || w === null || distance === 0) return { distance };
    return { distance, closing: -dot(minus(w, v), way) / distance };
  }

  /** Metres; of what is on the earth, from its centre. */
  #placeOf({ set, id }: Thing, state: State): Point | null {
    const row = this.#rowOf(state.sets.get(set), id);
    if (row < 0) return null;
    const out: Point = [0, 0, 0];
    if (!this.#columns.isGeodetic) return this.#columns.position(row, out, 0) ? out : null;
    return this.#columns.geodetic(row, out, 0) ? fromCentre(out) : null;
  }

  #speedOf({ set, id }: Thing, state: State): Point | null {
    const row = this.#rowOf(state.sets.get(set), id);
    const out: Point = [0, 0, 0];
    // Of what is on the earth, each has axes of its own.
    return row >= 0 && !this.#columns.isGeodetic && this.#columns.velocity(row, out, 0) ? out : null;
  }

  #rowOf(set: EntitySet | undefined, id: number | string): number {
    return set !== undefined && this.#columns.use(set) ? set.ids.indexOf(id) : -1;
  }
}

/** What a measure is as an expression, and how fast things come nearer; null: the language has no such thing. */
export function expressionsOf({ things }: Measure): { readonly main: string; readonly closing: string | null } | null {
  const [a, b, c, d] = things.map(({ set, id }) => `${set}[${typeof id === "number" ? id : JSON.stringify(id)}]`);
  if (d !== undefined) return null;
  if (c !== undefined)
    return { main: `angle(${a}.position - ${b}.position, ${c}.position - ${b}.position) in deg`, closing: null };
  return { main: `distance(${a}, ${b})`, closing: `-derivative(distance(${a}, ${b}))` };
}

/** Degrees between the ways from `at` to two others; NaN where one is the same place. */
export function angleAt(at: Point, a: Point, b: Point): number {
  const [v, w] = [minus(a, at), minus(b, at)];
  const part = dot(v, w) / (Math.hypot(...v) * Math.hypot(...w));
  return (Math.acos(Math.max(-1, Math.min(1, part))) * 180) / Math.PI;
}

/** Degrees about the way from `b` to `c`: 0 where `a` and `d` are on one side, positive clockwise (IUPAC). */
export function dihedral(a: Point, b: Point, c: Point, d: Point): number {
  const way = minus(c, b);
  const before = cross(minus(b, a), way);
  const after = cross(way, minus(d, c));
  const y = dot(cross(before, after), way) / Math.hypot(...way);
  return (Math.atan2(y, dot(before, after)) * 180) / Math.PI;
}

/** Of degrees north, degrees east and metres above the ellipsoid. */
function fromCentre([north, east, height]: Point): Point {
  const [lat, lon] = [(north * Math.PI) / 180, (east * Math.PI) / 180];
  const radius = EQUATOR / Math.sqrt(1 - SQUARED_ECCENTRICITY * Math.sin(lat) ** 2);
  return [
    (radius + height) * Math.cos(lat) * Math.cos(lon),
    (radius + height) * Math.cos(lat) * Math.sin(lon),
    (radius * (1 - SQUARED_ECCENTRICITY) + height) * Math.sin(lat),
  ];
}

function minus(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Point, b: Point): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Point, b: Point): Point {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
